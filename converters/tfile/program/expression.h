// Evaluates collected C expressions, such as "*p", "a[2]@3" and "it->next->name", on what a frame holds.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "converters/tfile/program/locate.h"

namespace convert::tfile {

struct Value {
  const Type* type = nullptr;  // null: unknown
  Storage storage = {};
  std::uint64_t bit_offset = 0, bit_size = 0;  // of a bit-field, from the storage on; size 0: none
};

struct EvaluationContext {
  const CodeScope& scope;
  FrameMemory& frame;
  // The registers and trace state variables that $name means.
  std::function<std::vector<const Register*>(std::string_view)> registers = {};
  std::function<std::optional<std::uint64_t>(std::string_view)> variable_number = {};
};

// The value of a variable that is visible at the scope's address.
Value value_of(Dwarf_Die variable, const EvaluationContext& context);
// The value of an expression. Its type may be known even if its storage is not.
Value evaluate(std::string_view expression, const EvaluationContext& context);

// What a reference refers to; other values as they are.
Value without_reference(const Value& value, FrameMemory& frame);
// An integer, a boolean, an enumeration or an address, as 64 bits. Nothing if the frame does not hold it.
std::optional<std::uint64_t> integer_of(const Value& value, FrameMemory& frame);

}  // namespace convert::tfile
