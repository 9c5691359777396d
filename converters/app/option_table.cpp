#include "converters/app/option_table.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include <boost/program_options.hpp>

namespace convert {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kColumns = 80;
constexpr std::size_t kHelpColumn = 28;

constexpr const char* kPaths = "path";
using Values = std::vector<std::string>;

po::options_description description_of(const OptionTable& table) {
  po::options_description description;
  for (const OptionGroup& group : table) {
    for (const Option& option : group.options) {
      const auto name = option.letter != 0 ? fmt::format("{},{}", option.name, option.letter) : option.name;
      if (option.argument.empty()) {
        description.add_options()(name.c_str(), "");
      } else if (option.may_repeat) {
        description.add_options()(name.c_str(), po::value<Values>()->composing());
      } else {
        description.add_options()(name.c_str(), po::value<std::string>());
      }
    }
  }
  description.add_options()(kPaths, po::value<Values>());
  return description;
}

Values texts_of(const Option& option, const po::variable_value& value) {
  if (option.argument.empty()) return {""};
  return option.may_repeat ? value.as<Values>() : Values{value.as<std::string>()};
}

// `text` broken into lines at blanks, all but the first indented.
std::string broken(std::string_view text, std::size_t indent) {
  std::string lines;
  const std::size_t width = kColumns - indent;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    if (blank == std::string_view::npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, blank), "", indent);
    text.remove_prefix(blank + 1);
  }
  return lines.append(text);
}

std::string help_of(const Option& option) {
  std::string usage = option.letter != 0 ? fmt::format("  -{}, --{}", option.letter, option.name)
                                         : fmt::format("  --{}", option.name);
  if (!option.argument.empty()) usage += " " + option.argument;
  const std::string help = broken(option.help, kHelpColumn);
  if (usage.size() < kHelpColumn) return fmt::format("{:{}}{}\n", usage, kHelpColumn, help);
  return fmt::format("{}\n{:{}}{}\n", usage, "", kHelpColumn, help);
}

}  // namespace

bool CommandLine::has(std::string_view name) const {
  return std::ranges::any_of(options, [&](const Given& given) { return given.option->name == name; });
}

CommandLine parse(int argc, const char* const* argv, const OptionTable& table) {
  const po::options_description description = description_of(table);
  po::positional_options_description paths;
  paths.add(kPaths, -1);
  po::variables_map values;
  using Style = po::command_line_style::style_t;
  constexpr int kStyle = Style::unix_style & ~Style::allow_guessing;
  try {
    po::store(po::command_line_parser(argc, argv).options(description).positional(paths).style(kStyle).run(),
              values);
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  CommandLine line;
  for (const OptionGroup& group : table)
    for (const Option& option : group.options)
      if (const auto& value = values[option.name]; !value.empty())
        for (std::string& text : texts_of(option, value)) line.options.push_back({&option, std::move(text)});
  if (const auto& value = values[kPaths]; !value.empty()) line.paths = value.as<Values>();
  return line;
}

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

}  // namespace convert
