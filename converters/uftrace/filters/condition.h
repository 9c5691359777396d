// The condition of a filter, `if:arg1>5`: the filter holds for calls with such an argument only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "converters/model/lanes/argument.h"

namespace convert::uftrace {

struct Condition {
  enum class Op : std::uint8_t { Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, And };

  std::string argument = {};  // "arg1", the name of the argument of calls
  Op op = {};
  std::int64_t value = {};
  unsigned bits = 0;                   // low bits of the argument that count; 0: all recorded ones
  std::optional<bool> is_signed = {};  // nothing: as recorded
  friend bool operator==(const Condition&, const Condition&) = default;

  // Whether a number, extended to 64 bits by its type, meets the condition.
  bool holds(const Argument& number) const;
};

// Parses the text after `if:`. Throws UsageError.
Condition parse_condition(std::string_view text);

}  // namespace convert::uftrace
