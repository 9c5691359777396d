// The manual page, in roff: man(7).
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "fxt/tools/options/lines.h"
#include "fxt/tools/options/program_text.h"

namespace fxt::tools {
namespace {

// Text that stays as it is: no hyphens for dashes, no requests, no escapes.
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
  if (!option.argument.empty()) name += fmt::format(" \\fI{}\\fR", plain(option.argument));
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
  for (const std::string_view paragraph : paragraphs_of(program.description))
    text += fmt::format(".PP\n{}\n", plain(paragraph));
  text += ".SH OPTIONS\n";
  for (const OptionGroup& group : table) {
    if (group.options.empty()) continue;
    text += fmt::format(".SS {}\n", plain(group.title));
    for (const Option& option : group.options) text += manual_of(option);
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n", plain(program.exit_status));
}

}  // namespace fxt::tools
