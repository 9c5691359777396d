#include "fxt/support/options.h"

#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <span>

#include <boost/program_options.hpp>

#include "fxt/support/similar_names.h"
#include "fxt/support/text.h"

namespace fxt {

namespace po = boost::program_options;

InvalidValue::InvalidValue(std::string_view what, std::string_view text)
    : error_with_option_name(fmt::format("%canonical_option% takes {}, not '%value%'", what)) {
  set_substitute("value", std::string(text));
}

// ---- Values ----

ValueMaker each_time(std::function<void()> take) {
  return [take = std::move(take)] {
    return po::value<bool>()->zero_tokens()->notifier([take](bool) { take(); });
  };
}

ValueMaker each_or_none(std::function<void(const std::string&)> take) {
  return [take = std::move(take)] { return po::value<std::string>()->implicit_value("")->notifier(take); };
}

ValueMaker store_in(bool& is_given) {
  return each_time([&is_given] { is_given = true; });
}

ValueMaker store_in(std::string& text) {
  return each<std::string>([&text](const std::string& given) { text = given; });
}

ValueMaker store_in(std::filesystem::path& path) {
  return each<std::string>([&path](const std::string& given) { path = given; });
}

ValueMaker store_in(std::vector<std::string>& values) {
  return each<std::string>([&values](const std::string& text) { values.push_back(text); });
}

namespace {

std::uint64_t parse_count(std::string_view text) {
  if (const auto count = whole_number(text)) return *count;
  throw InvalidValue("a number", text);
}

std::uint64_t positive(std::optional<std::uint64_t> amount, std::string_view form, std::string_view text) {
  if (amount.value_or(0) != 0) return *amount;
  throw InvalidValue(amount ? "more than 0" : form, text);
}

}  // namespace

std::uint64_t parse_count_within(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto count = whole_number(text);
  if (count && *count >= least && *count <= most) return *count;
  throw InvalidValue(fmt::format("a number from {} to {}", least, most), text);
}

Address parse_address(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (const auto address = whole_number(is_hex ? text.substr(2) : text, is_hex ? 16 : 10)) return {*address};
  throw InvalidValue("an address", text);
}

void validate(boost::any& value, const Tokens& tokens, Count* /*type*/, int) {
  value = Count{parse_count(tokens.front())};
}

void validate(boost::any& value, const Tokens& tokens, Address* /*type*/, int) {
  value = parse_address(tokens.front());
}

void validate(boost::any& value, const Tokens& tokens, Duration* /*type*/, int) {
  const auto ns = parse_time_ns(tokens.front());
  if (!ns) throw InvalidValue(kTimeForm, tokens.front());
  value = Duration{*ns};
}

void validate(boost::any& value, const Tokens& tokens, PositiveDuration* /*type*/, int) {
  value = PositiveDuration{positive(parse_time_ns(tokens.front()), kTimeForm, tokens.front())};
}

void validate(boost::any& value, const Tokens& tokens, PositiveSize* /*type*/, int) {
  value = PositiveSize{positive(parse_size(tokens.front()), kSizeForm, tokens.front())};
}

void validate(boost::any& value, const Tokens& tokens, ThreadIds* /*type*/, int) {
  ThreadIds threads;
  for (const std::string_view item : parts_of(tokens.front(), ",")) {
    const auto id = whole_number(item);
    if (!id) throw InvalidValue("thread ids", item);
    threads.ids.push_back(*id);
  }
  value = std::move(threads);
}

void validate(boost::any& value, const Tokens& tokens, TimeRange* /*type*/, int) {
  try {
    value = parse_time_range(tokens.front());
  } catch (const std::invalid_argument& error) {
    po::error_with_option_name problem("%canonical_option%: %value%");
    problem.set_substitute("value", error.what());
    throw problem;
  }
}

// ---- Options of frequent kinds ----

void refuse_word(std::string_view text, const std::vector<std::string>& known) {
  throw InvalidValue(fmt::format("one of {}", fmt::join(known, ", ")), text);
}

Option flag(std::string name, char letter, bool& is_given, std::string help) {
  return {.name = std::move(name), .letter = letter, .help = std::move(help), .value = store_in(is_given)};
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

constexpr const char* kPaths = "path";

po::options_description description_of(const OptionTable& table) {
  po::options_description all;
  for (const OptionGroup& group : table) {
    po::options_description part(group.title);
    for (const Option& option : group.options) {
      const auto name = option.letter != 0 ? fmt::format("{},{}", option.name, option.letter) : option.name;
      part.add_options()(name.c_str(), option.value(), option.help.c_str());
    }
    all.add(part);
  }
  all.add_options()(kPaths, po::value<std::vector<std::string>>());
  return all;
}

const Option& option_of(const OptionTable& table, std::string_view name) {
  for (const OptionGroup& group : table)
    for (const Option& option : group.options)
      if (option.name == name) return option;
  throw std::logic_error("an option that is not in the table");
}

// Options that the user may have meant, for an unknown option.
std::string advice_for(std::string_view token, const OptionTable& table) {
  if (!token.starts_with("--")) {
    // Suggests -V for an unknown -v, for example. Does not suggest -f for an unknown -F, because -F is a
    // filter in uftrace, but -f overwrites files.
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

// Returns "--one, --two or --three", for example.
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
      // If the value of an option is optional, and a path comes after the option, Boost treats the path as
      // the value. This code makes it a path again.
      const bool is_path = !option.needs_value() && original.size() > 1;
      if (is_path) line.paths.push_back(texts.front());
      if (is_path && option.argument == fmt::format("[={}]", texts.front()))
        throw UsageError(fmt::format("use --{0}={1}, or ./{1} for a file of this name", name, texts.front()));
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

void take(const CommandLine::Given& given) {
  const std::unique_ptr<const po::value_semantic> semantic(given.option->value());
  Tokens tokens;
  if (!given.option->argument.empty()) tokens.push_back(given.value);
  try {
    boost::any value;
    semantic->parse(value, tokens, false);
    semantic->notify(value);
  } catch (po::error_with_option_name& error) {
    error.add_context(given.option->name, {}, po::command_line_style::allow_long);
    throw UsageError(error.what());
  }
}

std::pair<std::string, std::string> in_and_out(const CommandLine& line) {
  if (line.paths.size() < 2)
    throw UsageError(line.paths.empty() ? "IN and OUT are missing" : "OUT is missing");
  if (line.paths.size() > 2) throw UsageError("takes one IN and one OUT");
  return {line.paths[0], line.paths[1]};
}

}  // namespace fxt
