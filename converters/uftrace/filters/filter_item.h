// One item in the value of -F, -N, -C, -H, -T or -L: `name[@word{,word}]`. A word is an action or the name of
// a module. With a module, the item applies only to functions of this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert::uftrace {

// The condition of a filter. With `if:arg1>5`, the filter applies only to calls whose `arg1` is above 5.
struct Condition {
  enum class Op : std::uint8_t { Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, And };

  std::string argument = {};  // the name of the argument in calls, such as "arg1"
  Op op = {};
  std::int64_t value = {};
  unsigned bits = 0;                   // number of low bits to compare; 0 for all recorded bits
  std::optional<bool> is_signed = {};  // nothing: the type of the recorded number decides
  friend bool operator==(const Condition&, const Condition&) = default;

  // True if the number meets the condition. For the comparison, the number is extended to 64 bits, signed or
  // unsigned as `is_signed` says.
  bool holds(const Argument& number) const;
};

// Parses the text after `if:`. Throws UsageError if the text is not a condition.
Condition parse_condition(std::string_view text);

// The settings that items give to functions. Later items may clear the settings of earlier items.
enum class Setting : std::uint16_t {
  Filter = 1 << 0,  // shows or hides the function and its callees, see Actions::is_in
  Hide = 1 << 1,
  Caller = 1 << 2,
  Depth = 1 << 3,
  Time = 1 << 4,
  Size = 1 << 5,
  Trace = 1 << 6,
  TraceOn = 1 << 7,
  TraceOff = 1 << 8,
  Condition = 1 << 9,
};

class Settings {
 public:
  constexpr Settings() = default;
  static constexpr Settings all() { return Settings(0xffff); }
  constexpr void add(Setting setting) { bits_ |= static_cast<std::uint16_t>(setting); }
  constexpr void remove(Setting setting) {
    bits_ &= static_cast<std::uint16_t>(~static_cast<unsigned>(setting));
  }
  constexpr void remove(Settings others) {
    bits_ &= static_cast<std::uint16_t>(~static_cast<unsigned>(others.bits_));
  }
  constexpr void add(Settings others) { bits_ |= others.bits_; }
  constexpr bool has(Setting setting) const { return (bits_ & static_cast<std::uint16_t>(setting)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend bool operator==(const Settings&, const Settings&) = default;

 private:
  explicit constexpr Settings(std::uint16_t bits) : bits_(bits) {}
  std::uint16_t bits_ = 0;
};

// The values of settings. A value is valid if `given` contains its setting.
struct Actions {
  Settings given = {};
  bool is_in = true;  // for Filter and -L: true to show, false to hide
  std::uint32_t depth = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t size = 0;
  std::optional<Condition> condition = {};
};

struct FilterItem {
  // The options, in the order in which uftrace applies them.
  enum class Option : std::uint8_t { Filter, Notrace, Trigger, Caller, Hide, Location };

  Option option;
  std::string text;         // the item as the user wrote it, for messages
  std::string pattern;      // for function names; with -L: for source files
  std::string module = {};  // empty for all modules except the kernel
  Actions actions = {};
  Settings clears = {};  // settings of earlier items that this item clears
};

// Parses the value of an option: items separated by `;`. Throws UsageError if an item is not valid.
std::vector<FilterItem> parse_filter_items(FilterItem::Option option, std::string_view list);

// Returns "--filter", for example.
std::string_view name_of(FilterItem::Option option);

// Parses a size in bytes: a number as in C, or a size with a unit as in fxt/time_range.h.
std::optional<std::uint64_t> c_size(std::string_view text);
inline constexpr std::string_view kCSizeForm = "a size in bytes such as 128, 0x80, 4k or 1.5KiB";

}  // namespace convert::uftrace
