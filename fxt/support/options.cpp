#include "fxt/support/options.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <stdexcept>
#include <utility>

#include <boost/program_options.hpp>

#include "fxt/support/similar_names.h"
#include "fxt/support/text.h"
#include "fxt/time_range.h"

namespace fxt {

std::function<void(std::string_view)> store_in(bool& is_given) {
  return [&is_given](std::string_view) { is_given = true; };
}

std::function<void(std::string_view)> store_in(std::filesystem::path& path) {
  return [&path](std::string_view text) { path = text; };
}

std::function<void(std::string_view)> store_in(std::vector<std::string>& values) {
  return [&values](std::string_view text) { values.emplace_back(text); };
}

std::uint64_t parse_count(std::string_view option, std::string_view text) {
  if (const auto count = whole_number(text)) return *count;
  throw UsageError(fmt::format("--{} takes a number, not '{}'", option, text));
}

std::uint64_t parse_count_within(std::string_view option, std::string_view text, std::uint64_t least,
                                 std::uint64_t most) {
  const std::uint64_t count = parse_count(option, text);
  if (count >= least && count <= most) return count;
  throw UsageError(fmt::format("--{} takes a number from {} to {}, not '{}'", option, least, most, text));
}

std::uint64_t parse_address(std::string_view option, std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (const auto address = whole_number(is_hex ? text.substr(2) : text, is_hex ? 16 : 10)) return *address;
  throw UsageError(fmt::format("--{} takes an address, not '{}'", option, text));
}

std::uint64_t parse_time_ns(std::string_view option, std::string_view text) {
  if (const auto time_ns = fxt::parse_time_ns(text)) return *time_ns;
  throw UsageError(fmt::format("--{} takes {}, not '{}'", option, fxt::kTimeForm, text));
}

TimeRange parse_range(std::string_view option, std::string_view text) {
  try {
    return parse_time_range(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--{}: {}", option, error.what()));
  }
}

void parse_ids(std::string_view option, std::string_view list, std::vector<std::uint64_t>& ids) {
  for (const std::string_view item : parts_of(list, ",")) {
    const auto id = whole_number(item);
    if (!id) throw UsageError(fmt::format("--{} takes thread ids, not '{}'", option, item));
    ids.push_back(*id);
  }
}

void refuse_word(std::string_view option, std::string_view text, const std::vector<std::string>& known) {
  throw UsageError(fmt::format("--{} takes one of {}, not '{}'", option, fmt::join(known, ", "), text));
}

Option flag(std::string name, char letter, bool& is_given, std::string help) {
  return {.name = std::move(name), .letter = letter, .help = std::move(help), .handle = store_in(is_given)};
}

Option only_with(std::vector<std::string> others, Option option) {
  option.works_with = std::move(others);
  return option;
}

Option not_with(std::vector<std::string> others, Option option) {
  option.fails_with = std::move(others);
  return option;
}

// ---- The table ----

namespace {

namespace po = boost::program_options;

constexpr const char* kPaths = "path";
using Values = std::vector<std::string>;

po::options_description description_of(const OptionTable& table) {
  po::options_description description;
  for (const OptionGroup& group : table) {
    for (const Option& option : group.options) {
      const auto name = option.letter != 0 ? fmt::format("{},{}", option.name, option.letter) : option.name;
      if (option.argument.empty()) {
        description.add_options()(name.c_str(), "");
      } else if (!option.needs_value()) {
        description.add_options()(name.c_str(), po::value<std::string>()->implicit_value(""));
      } else {
        description.add_options()(name.c_str(), po::value<std::string>());
      }
    }
  }
  description.add_options()(kPaths, po::value<Values>());
  return description;
}

const Option& option_of(const OptionTable& table, std::string_view name) {
  for (const OptionGroup& group : table)
    for (const Option& option : group.options)
      if (option.name == name) return option;
  throw std::logic_error("an option that is not in the table");
}

// Options that may have been meant by one that there is not.
std::string advice_for(std::string_view token, const OptionTable& table) {
  if (!token.starts_with("--")) {
    // As -v for -V. A capital letter is no slip: -F is a filter of uftrace, and -f overwrites.
    for (const OptionGroup& group : table)
      for (const Option& option : group.options)
        if (option.argument.empty() && token.size() > 1 && option.letter != token[1] &&
            option.letter == std::toupper(token[1]))
          return fmt::format("; did you mean -{}, --{}?", option.letter, option.name);
    return {};
  }
  token = token.substr(2, token.find('=') - 2);
  SimilarNames similar(token);
  for (const OptionGroup& group : table)
    for (const Option& option : group.options) similar.consider(option.name);
  const auto names = similar.nearest();
  return names.empty() ? "" : fmt::format("; did you mean --{}?", fmt::join(names, ", --"));
}

}  // namespace

bool CommandLine::has(std::string_view name) const {
  return std::ranges::any_of(options, [&](const Given& given) { return given.option->name == name; });
}

namespace {

// "--one, --two or --three".
std::string any_of(const std::vector<std::string>& names) {
  const std::span all(names);
  const auto last = fmt::format("--{}", all.back());
  return all.size() == 1 ? last
                         : fmt::format("--{} or {}", fmt::join(all.first(all.size() - 1), ", --"), last);
}

}  // namespace

std::vector<std::string> CommandLine::without_effect() const {
  const auto is_given = [this](const std::string& name) { return has(name); };
  std::vector<std::string> texts;
  for (const Given& given : options) {
    const Option& option = *given.option;
    std::string text;
    if (!option.works_with.empty() && std::ranges::none_of(option.works_with, is_given))
      text = fmt::format("--{} has no effect without {}", option.name, any_of(option.works_with));
    else if (const auto other = std::ranges::find_if(option.fails_with, is_given);
             other != option.fails_with.end())
      text = fmt::format("--{} has no effect with --{}", option.name, *other);
    if (!text.empty() && std::ranges::count(texts, text) == 0) texts.push_back(std::move(text));
  }
  return texts;
}

CommandLine parse(int argc, const char* const* argv, const OptionTable& table) {
  const po::options_description description = description_of(table);
  po::positional_options_description paths;
  paths.add(kPaths, -1);
  using Style = po::command_line_style::style_t;
  constexpr int kStyle = Style::unix_style & ~Style::allow_guessing;
  CommandLine line;
  try {
    const auto given =
        po::command_line_parser(argc, argv).options(description).positional(paths).style(kStyle).run();
    for (const auto& [name, position, texts, original, is_unknown, is_case_blind] : given.options) {
      if (name == kPaths) {
        line.paths.insert(line.paths.end(), texts.begin(), texts.end());
        continue;
      }
      const Option& option = option_of(table, name);
      // Boost takes the next word for a value that may be missing.
      const bool is_path = !option.needs_value() && original.size() > 1;
      if (is_path) line.paths.push_back(texts.front());
      if (!option.may_repeat)
        std::erase_if(line.options, [&](const auto& earlier) { return earlier.option == &option; });
      line.options.push_back({.option = &option,
                              .value = is_path || texts.empty() ? std::string() : texts.front(),
                              .by_letter = original.empty() || !original.front().starts_with("--")});
    }
  } catch (const po::unknown_option& error) {
    throw UsageError(error.what() + advice_for(error.get_option_name(), table));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return line;
}

std::pair<std::string, std::string> in_and_out(const CommandLine& line) {
  if (line.paths.size() < 2)
    throw UsageError(line.paths.empty() ? "IN and OUT are missing" : "OUT is missing");
  if (line.paths.size() > 2) throw UsageError("takes one IN and one OUT");
  return {line.paths[0], line.paths[1]};
}

}  // namespace fxt
