// The options of a program. Each module describes its own options, and the program joins them into one table.
// Parsing, `--help`, the manual page and the completions use this table. Boost.Program_options parses the
// command line and the values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/value_semantic.hpp>

#include "fxt/time_range.h"

namespace fxt {

// Thrown for wrong usage. what() is the message, without the name of the program.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The message is "--OPTION takes WHAT, not 'TEXT'". The functions that parse values throw it; Boost adds the
// name of the option.
class InvalidValue : public boost::program_options::error_with_option_name {
 public:
  InvalidValue(std::string_view what, std::string_view text);
};

// Creates a value_semantic of Boost: the type of a value, and the action for it. The caller owns the result.
using ValueMaker = std::function<boost::program_options::value_semantic*()>;

struct Option {
  std::string name;           // without the dashes
  char letter = '\0';         // the short form
  std::string argument = {};  // name of the value in the help; empty for a switch; "[=all]" if it is optional
  std::string help;           // one paragraph, which is wrapped when it is shown
  ValueMaker value;
  bool may_repeat = false;         // if false, the last value counts
  bool goes_with_inspect = false;  // fxt-convert: the option also has an effect with --inspect
  // Names of other options. This option needs one of `works_with`, unless the list is empty. It has no effect
  // with one of `fails_with`.
  std::vector<std::string> works_with = {}, fails_with = {};

  bool needs_value() const { return !argument.empty() && !argument.starts_with("[="); }
};

// ---- Values ----

// Calls `take` with each value. A value may have any type that Boost or a validate() below can parse. `take`
// may throw UsageError.
template <typename T>
ValueMaker each(std::function<void(const T&)> take) {
  return [take = std::move(take)] { return boost::program_options::value<T>()->notifier(take); };
}
ValueMaker each_time(std::function<void()> take);
// For an option whose value is optional. `take` gets an empty text if the value is missing.
ValueMaker each_or_none(std::function<void(const std::string&)> take);

// Each of these functions stores the value in a variable.
ValueMaker store_in(bool& is_given);  // for a switch
ValueMaker store_in(std::string& text);
ValueMaker store_in(std::filesystem::path& path);
ValueMaker store_in(std::vector<std::string>& values);  // for an option that may be repeated

// Types of values with their own syntax.
struct Count {
  std::uint64_t value;
};
template <std::uint64_t least, std::uint64_t most>
struct CountWithin {
  std::uint64_t value;
};
struct Address {  // decimal, or hexadecimal with 0x
  std::uint64_t value;
};
struct Duration {  // see parse_time_ns()
  std::uint64_t ns;
};
struct PositiveDuration {
  std::uint64_t ns;
};
struct PositiveSize {  // see parse_size()
  std::uint64_t bytes;
};
struct ThreadIds {  // separated by commas
  std::vector<std::uint64_t> ids;
};

// These functions throw InvalidValue.
Address parse_address(std::string_view text);
std::uint64_t parse_count_within(std::string_view text, std::uint64_t least, std::uint64_t most);

// Boost finds these functions by the type of their third parameter, whose value is ignored. They throw
// InvalidValue.
using Tokens = std::vector<std::string>;
void validate(boost::any& value, const Tokens& tokens, Count* type, int);
void validate(boost::any& value, const Tokens& tokens, Address* type, int);
void validate(boost::any& value, const Tokens& tokens, Duration* type, int);
void validate(boost::any& value, const Tokens& tokens, PositiveDuration* type, int);
void validate(boost::any& value, const Tokens& tokens, PositiveSize* type, int);
void validate(boost::any& value, const Tokens& tokens, ThreadIds* type, int);
void validate(boost::any& value, const Tokens& tokens, TimeRange* type, int);
template <std::uint64_t least, std::uint64_t most>
void validate(boost::any& value, const Tokens& tokens, CountWithin<least, most>* /*type*/, int) {
  value = CountWithin<least, most>{parse_count_within(tokens.front(), least, most)};
}

template <std::uint64_t least, std::uint64_t most, typename Number>
ValueMaker store_count_in(Number& number) {
  using Given = CountWithin<least, most>;
  return each<Given>([&number](Given given) { number = static_cast<Number>(given.value); });
}

// ---- Options of frequent kinds ----

[[noreturn]] void refuse_word(std::string_view text, const std::vector<std::string>& known);

// An option whose value is one of a few words.
template <typename Enum>
Option choice(const std::string& name, Enum& chosen,
              std::initializer_list<std::pair<const char*, Enum>> words, const std::string& help,
              bool goes_with_inspect = false) {
  std::string argument;
  std::vector<std::string> known;
  std::vector<Enum> meanings;
  for (const auto& [word, meaning] : words) {
    argument.append(argument.empty() ? "" : "|").append(word);
    known.emplace_back(word);
    meanings.push_back(meaning);
  }
  return {.name = name,
          .argument = std::move(argument),
          .help = help,
          .value = each<std::string>([&chosen, known, meanings](const std::string& text) {
            const auto word = std::ranges::find(known, text);
            if (word == known.end()) refuse_word(text, known);
            chosen = meanings[static_cast<std::size_t>(word - known.begin())];
          }),
          .goes_with_inspect = goes_with_inspect};
}

// A switch. If `letter` is '\0', it has no short form.
Option flag(std::string name, char letter, bool& is_given, std::string help);

// Add a condition to an option. With only_with(), the option has no effect unless one of `others` is given.
// With not_with(), it has no effect if one of `others` is given.
Option only_with(std::vector<std::string> others, Option option);
Option not_with(std::vector<std::string> others, Option option);

// ---- The table ----

struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};
using OptionTable = std::vector<OptionGroup>;

struct CommandLine {
  struct Given {
    const Option* option;
    std::string value;  // empty for switches
    bool by_letter = false;
  };
  std::vector<Given> options;  // in the order of the command line; see Option::may_repeat for repetitions
  std::vector<std::string> paths;

  bool has(std::string_view name) const;
  // Returns a text for each option that has no effect, for example "--b has no effect without --a".
  std::vector<std::string> without_effect() const;
};

// Parses the command line, but not the values. Throws UsageError.
CommandLine parse(int argc, const char* const* argv, const OptionTable& table);

// Parses the value of an option, and performs the action of the option. Throws UsageError.
void take(const CommandLine::Given& given);

// The paths for a program that takes an IN and an OUT. Throws UsageError if the number of paths is not two.
std::pair<std::string, std::string> in_and_out(const CommandLine& line);

}  // namespace fxt
