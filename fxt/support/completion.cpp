// Makes the scripts with which shells complete the names of options. The scripts also complete the values of
// options that accept only a few words.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/support/program_text.h"
#include "fxt/support/text.h"

namespace fxt {
namespace {

// The words that an option accepts; empty if it accepts other values.
std::vector<std::string_view> words_of(const Option& option) {
  auto words = parts_of(option.argument, "|");
  if (words.size() == 1) words.clear();
  return words;
}

bool is_file(const Option& option) {
  constexpr std::array<std::string_view, 5> kFiles{"FILE", "DIR", "ELF", "PROGRAM", "OUTPUT"};
  return std::ranges::find(kFiles, option.argument) != kFiles.end();
}

std::string_view short_help(const Option& option) {
  const std::string_view help = option.help;
  return help.substr(0, std::min({help.find("; "), help.find(": "), help.find(". "), help.find(" (")}));
}

// Puts a backslash before each of these special characters.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// Puts a text in single quotes, for zsh and fish. A single quote in the text would end the quotes, so it is
// written as '\''.
std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string function_of(const ProgramText& program) {
  std::string name = "_" + program.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<const Option*> options_of(const OptionTable& table) {
  std::vector<const Option*> options;
  for (const OptionGroup& group : table)
    for (const Option& option : group.options) options.push_back(&option);
  return options;
}

// The script completes inputs and the values of file options as file names.
std::string bash_of(const ProgramText& program, const OptionTable& table) {
  std::vector<std::string> names;
  std::string cases;
  for (const Option* option : options_of(table)) {
    names.push_back("--" + option->name);
    if (!option->needs_value() || is_file(*option)) continue;
    const std::string letter = option->letter != 0 ? fmt::format("-{}|", option->letter) : "";
    cases += fmt::format("    {}--{})\n      words='{}' ;;\n", letter, option->name,
                         fmt::join(words_of(*option), " "));
  }
  return fmt::format(R"({0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case $before in
{1}    *)
      if [[ $word != -* ]]; then
        compopt -o default
        return
      fi
      words='{2}' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -F {0} {3}
)",
                     function_of(program), cases, fmt::join(names, " "), program.name);
}

// One line for each spelling of an option: '(excluded options)NAME[help]:value name:completion'. The script
// can be loaded from $fpath, or sourced.
std::string zsh_of(const ProgramText& program, const OptionTable& table) {
  std::string text =
      fmt::format("#compdef {}\n{}() {{\n  _arguments -s -S", program.name, function_of(program));
  for (const Option* option : options_of(table)) {
    const std::string help = fmt::format("[{}]", escaped(short_help(*option), "\\[]"));
    std::string value;
    if (const auto words = words_of(*option); !words.empty())
      value = fmt::format(":value:({})", fmt::join(words, " "));
    else if (option->needs_value())
      value = fmt::format(":{}:{}", escaped(option->argument, "\\:"), is_file(*option) ? "_files" : " ");
    const bool has_letter = option->letter != 0;
    const std::string excluded = option->may_repeat ? "*"
                                 : has_letter       ? fmt::format("(-{} --{})", option->letter, option->name)
                                                    : "";
    const auto add = [&](std::string_view name) {
      text += fmt::format(" \\\n    {}", single_quoted(fmt::format("{}{}{}{}", excluded, name, help, value)));
    };
    if (has_letter) add(fmt::format("-{}{}", option->letter, value.empty() ? "" : "+"));
    add(fmt::format("--{}{}", option->name, value.empty() ? "" : "="));
  }
  return text + fmt::format(
                    " \\\n    '*:file:_files'\n}}\n"
                    "if [[ $funcstack[1] = _{1} ]]; then {0} \"$@\"; else compdef {0} {1}; fi\n",
                    function_of(program), program.name);
}

std::string fish_of(const ProgramText& program, const OptionTable& table) {
  std::string text;
  for (const Option* option : options_of(table)) {
    text += fmt::format("complete -c {} -l {}", program.name, option->name);
    if (option->letter != 0) text += fmt::format(" -s {}", option->letter);
    if (const auto words = words_of(*option); !words.empty())
      text += fmt::format(" -x -a '{}'", fmt::join(words, " "));
    else if (option->needs_value())
      text += is_file(*option) ? " -r" : " -x";
    text += fmt::format(" -d {}\n", single_quoted(escaped(short_help(*option), "\\")));
  }
  return text;
}

}  // namespace

std::string completion_of(const ProgramText& program, const OptionTable& table, Shell shell) {
  switch (shell) {
    case Shell::Bash:
      return bash_of(program, table);
    case Shell::Zsh:
      return zsh_of(program, table);
    case Shell::Fish:
      return fish_of(program, table);
  }
  return {};
}

}  // namespace fxt
