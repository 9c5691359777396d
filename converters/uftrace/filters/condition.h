// `if:arg1>5`: a filter that counts only for calls with such an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "converters/model/lanes/argument.h"

namespace convert::uftrace {

struct Condition {
  enum class Op : std::uint8_t { Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, And };

  std::string argument = {};  // "arg1", as calls carry it
  Op op = {};
  std::int64_t value = {};
  unsigned bits = 0;                   // that count of the argument; 0: as many as were recorded
  std::optional<bool> is_signed = {};  // nothing: as it was recorded
  friend bool operator==(const Condition&, const Condition&) = default;

  // Whether a number, extended to 64 bits by its type, meets it.
  bool holds(const Argument& number) const;
};

// What stands behind `if:`. Throws UsageError.
Condition parse_condition(std::string_view text);

}  // namespace convert::uftrace
