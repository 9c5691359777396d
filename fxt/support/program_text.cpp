// Makes the help, and the other texts that a program can print instead of doing its work.
#include "fxt/support/program_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <fmt/format.h>

#include "fxt/support/program.h"
#include "fxt/support/text.h"

namespace fxt {
namespace {

constexpr std::size_t kHelpColumn = 28;

constexpr const char *kHelp = "help", *kVersion = "version", *kManual = "manual", *kCompletion = "completion";
constexpr std::array<std::string_view, 4> kTexts{kHelp, kVersion, kManual, kCompletion};

std::string help_of(const Option& option) {
  std::string usage = option.letter != 0 ? fmt::format("  -{}, --{}", option.letter, option.name)
                                         : fmt::format("  --{}", option.name);
  if (!option.argument.empty()) usage += (option.needs_value() ? " " : "") + option.argument;
  const std::string help = wrapped(option.help, kHelpColumn);
  if (usage.size() < kHelpColumn) return fmt::format("{:{}}{}\n", usage, kHelpColumn, help);
  return fmt::format("{}\n{:{}}{}\n", usage, "", kHelpColumn, help);
}

// Writes one line for each command: the command, and its meaning.
std::string examples_of(const ProgramText& program) {
  std::string text;
  std::size_t width = 0;
  for (const auto& [command, meaning] : program.examples) width = std::max(width, command.size());
  for (const auto& [command, meaning] : program.examples)
    text += fmt::format("  {:{}}  {}\n", command, width, meaning);
  return text;
}

}  // namespace

std::string help_of(const OptionTable& table) {
  std::string text;
  for (const OptionGroup& group : table) {
    if (group.options.empty()) continue;
    text += fmt::format("{}\n", group.title);
    for (const Option& option : group.options) text += help_of(option);
    text += "\n";
  }
  return text;
}

std::string help_of(const ProgramText& program, const OptionTable& table) {
  std::string text;
  for (const std::string& synopsis : program.synopses)
    text += fmt::format("{} {} {}\n", text.empty() ? "Usage:" : "      ", program.name, synopsis);
  for (const std::string_view paragraph : parts_of(program.description, "\n\n"))
    text += fmt::format("\n{}\n", wrapped(paragraph, 0));
  if (!program.examples.empty()) text += fmt::format("\nExamples:\n{}", examples_of(program));
  return text + fmt::format("\n{}{}\n", help_of(table), wrapped("Exit status: " + program.exit_status, 0));
}

std::string short_help_of(const ProgramText& program, const OptionTable& table) {
  std::string text = fmt::format("{} {}\n\n{}\n", program.name, program.summary, examples_of(program));
  for (const OptionGroup& group : table)
    for (const Option& option : group.options)
      if (std::ranges::count(program.common_options, option.name) != 0) {
        Option brief = option;
        brief.help.resize(std::min(brief.help.find(". "), brief.help.size()));
        text += help_of(brief);
      }
  return text + fmt::format("\n`{} --help` lists all options.\n", program.name);
}

// ---- The manual page, in roff: man(7) ----

namespace {

// Escapes a text for roff, so that it is printed unchanged.
std::string plain(std::string_view text) {
  std::string roff;
  if (text.starts_with('.') || text.starts_with('\'')) roff = "\\&";
  for (const char c : text) {
    if (c == '\\')
      roff += "\\e";
    else if (c == '-')
      roff += "\\-";
    else
      roff += c;
  }
  return roff;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string manual_of(const Option& option) {
  std::string name = fmt::format("\\fB{}\\fR", plain("--" + option.name));
  if (option.letter != 0) name = fmt::format("\\fB\\-{}\\fR, {}", option.letter, name);
  if (!option.argument.empty())
    name += fmt::format("{}\\fI{}\\fR", option.needs_value() ? " " : "", plain(option.argument));
  return fmt::format(".TP\n{}\n{}\n", name, plain(option.help));
}

}  // namespace

std::string manual_of(const ProgramText& program, const OptionTable& table) {
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      plain(upper(program.name)), program.name, program.version, plain(program.name), plain(program.summary));
  for (std::size_t i = 0; i < program.synopses.size(); ++i)
    text += fmt::format("{}\\fB{}\\fR {}\n", i == 0 ? "" : ".br\n", plain(program.name),
                        plain(program.synopses[i]));
  text += ".SH DESCRIPTION\n";
  for (const std::string_view paragraph : parts_of(program.description, "\n\n"))
    text += fmt::format(".PP\n{}\n", plain(paragraph));
  text += ".SH OPTIONS\n";
  for (const OptionGroup& group : table) {
    if (group.options.empty()) continue;
    text += fmt::format(".SS {}\n", plain(group.title));
    for (const Option& option : group.options) text += manual_of(option);
  }
  text += fmt::format(".SH EXIT STATUS\n{}\n", plain(program.exit_status));
  if (!program.examples.empty()) text += ".SH EXAMPLES\n";
  for (const auto& [command, meaning] : program.examples)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(command), plain(meaning));
  return text;
}

// ---- The options that print these texts ----

OptionGroup TextOptions::group() {
  return {.title = "Information:",
          .options = {
              {.name = kHelp, .letter = 'h', .help = "print this text", .value = store_in(help_)},
              {.name = kVersion, .letter = 'V', .help = "print the version", .value = store_in(version_)},
              {.name = kManual, .help = "print this text as a page for man(1)", .value = store_in(manual_)},
              choice(kCompletion, completion_,
                     {{"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}},
                     "print a script that completes the options in this shell")}};
}

std::optional<std::string> TextOptions::text_of(const ProgramText& program, const OptionTable& table,
                                                const CommandLine& line) {
  bool is_short = !program.examples.empty();
  for (const CommandLine::Given& given : line.options) {
    if (std::ranges::count(kTexts, given.option->name) != 0) take(given);
    if (given.option->name == kHelp) is_short &= given.by_letter;
  }
  if (help_) return is_short ? short_help_of(program, table) : help_of(program, table);
  if (version_) return fmt::format("{} {}\n{}", program.name, program.version, program.build);
  if (manual_) return manual_of(program, table);
  if (completion_) return completion_of(program, table, *completion_);
  return std::nullopt;
}

std::optional<CommandLine> parse_program(int argc, const char* const* argv, const ProgramText& program,
                                         OptionTable& table) {
  TextOptions texts;
  table.push_back(texts.group());
  CommandLine line = parse(argc, argv, table);
  if (const auto text = texts.text_of(program, table, line)) {
    print(*text);
    return std::nullopt;
  }
  if (const auto problems = line.without_effect(); !problems.empty()) throw UsageError(problems.front());
  for (const CommandLine::Given& given : line.options) take(given);
  return line;
}

}  // namespace fxt
