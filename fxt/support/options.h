// The options of a program. Each room describes its own; the program joins them into one table, from which
// parsing, `--help`, the manual page and the completions come.
#pragma once

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

#include "fxt/time_range.h"

namespace fxt {

// Wrong usage; what() is the message, without the program's name.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Option {
  std::string name;           // without the dashes
  char letter = '\0';         // its short form
  std::string argument = {};  // what the help calls its value; empty: a switch; "[=all]": needs none
  std::string help;           // one paragraph, broken into lines where it is shown
  // Called with each value that was given; with an empty one for switches. Throws UsageError.
  std::function<void(std::string_view value)> handle;
  bool may_repeat = false;         // false: the value that was given last counts
  bool goes_with_inspect = false;  // fxt-convert: also has an effect with --inspect
  // Names of other options. It has no effect unless one of the first is given, or if one of the second is.
  std::vector<std::string> works_with = {}, fails_with = {};

  bool needs_value() const { return !argument.empty() && !argument.starts_with("[="); }
};

// Handlers that only store the value.
std::function<void(std::string_view)> store_in(bool& is_given);
std::function<void(std::string_view)> store_in(std::filesystem::path& path);
std::function<void(std::string_view)> store_in(std::vector<std::string>& values);

// Throw UsageError, which names the option.
std::uint64_t parse_count(std::string_view option, std::string_view text);
std::uint64_t parse_count_within(std::string_view option, std::string_view text, std::uint64_t least,
                                 std::uint64_t most);
std::uint64_t parse_address(std::string_view option, std::string_view text);  // with 0x, hexadecimal
std::uint64_t parse_time_ns(std::string_view option, std::string_view text);  // see fxt/time_range.h
TimeRange parse_range(std::string_view option, std::string_view text);        // see fxt/time_range.h
// Ids of threads, with commas between them, which are appended.
void parse_ids(std::string_view option, std::string_view list, std::vector<std::uint64_t>& ids);
[[noreturn]] void refuse_word(std::string_view option, std::string_view text,
                              const std::vector<std::string>& known);

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
          .handle =
              [&chosen, name, known, meanings](std::string_view text) {
                for (std::size_t i = 0; i < known.size(); ++i) {
                  if (known[i] != text) continue;
                  chosen = meanings[i];
                  return;
                }
                refuse_word(name, text, known);
              },
          .goes_with_inspect = goes_with_inspect};
}

// A switch. `letter` '\0': it has no short form.
Option flag(std::string name, char letter, bool& is_given, std::string help);

// An option whose value is a number from `least` to `most`.
template <typename Number>
Option number_option(const std::string& name, char letter, const std::string& argument, Number& number,
                     Number least, Number most, const std::string& help) {
  return {.name = name,
          .letter = letter,
          .argument = argument,
          .help = help,
          .handle = [=, &number](std::string_view text) {
            number = static_cast<Number>(parse_count_within(name, text, least, most));
          }};
}

// The same option, which has no effect without one of the others; or with one of them.
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
    const Option* option;  // borrowed from the table
    std::string value;     // empty for switches
    bool by_letter = false;
  };
  std::vector<Given> options;  // in the order in which they were given; see Option::may_repeat
  std::vector<std::string> paths;

  bool has(std::string_view name) const;
  // For each option that other options, or their absence, leave without effect: which, and why.
  std::vector<std::string> without_effect() const;
};

// Parses the command line; no handler is called yet. Throws UsageError.
CommandLine parse(int argc, const char* const* argv, const OptionTable& table);

// The two paths of a program that takes an IN and an OUT. Throws UsageError if they are not two.
std::pair<std::string, std::string> in_and_out(const CommandLine& line);

}  // namespace fxt
