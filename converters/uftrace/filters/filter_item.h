// One item of -F, -N, -C, -H, -T and -L: `name[@word{,word}]`. A word is an action, or the only module to
// which the item applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/argument.h"

namespace convert::uftrace {

// The condition of a filter, such as `if:arg1>5`: the filter applies only to calls with such an argument.
struct Condition {
  enum class Op : std::uint8_t { Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, And };

  std::string argument = {};  // "arg1", the name of the argument in calls
  Op op = {};
  std::int64_t value = {};
  unsigned bits = 0;                   // number of low bits to compare; 0: all recorded bits
  std::optional<bool> is_signed = {};  // nothing: as recorded
  friend bool operator==(const Condition&, const Condition&) = default;

  // True if a number, extended to 64 bits by its type, meets the condition.
  bool holds(const Argument& number) const;
};

// Parses the text after `if:`. Throws UsageError.
Condition parse_condition(std::string_view text);

// The settings that items give to functions. Later items may clear them.
enum class Setting : std::uint16_t {
  Filter = 1 << 0,  // the function and its callees are shown, or hidden
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
  bool is_in = true;  // for Filter and -L: true if shown, false if hidden
  std::uint32_t depth = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t size = 0;
  std::optional<Condition> condition = {};
};

struct FilterItem {
  // The options, in the order in which uftrace applies them.
  enum class Option : std::uint8_t { Filter, Notrace, Trigger, Caller, Hide, Location };

  Option option;
  std::string text;         // as the user has written it, for messages
  std::string pattern;      // for function names; with -L: for source files
  std::string module = {};  // empty: all except the kernel
  Actions actions = {};
  Settings clears = {};  // settings of earlier items that are cleared
};

// Parses the value of an option: items separated by `;`. Throws UsageError.
std::vector<FilterItem> parse_filter_items(FilterItem::Option option, std::string_view list);

// Returns "--filter", for example.
std::string_view name_of(FilterItem::Option option);

// Parses a size in bytes: a number as in C, or a size with a unit as in fxt/time_range.h.
std::optional<std::uint64_t> c_size(std::string_view text);
inline constexpr std::string_view kCSizeForm = "a size in bytes such as 128, 0x80, 4k or 1.5KiB";

}  // namespace convert::uftrace
