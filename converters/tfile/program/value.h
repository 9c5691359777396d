// Values of the traced program: their types, and where a frame holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "converters/tfile/description/description.h"
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
  std::span<const TraceVariable> variables = {};  // that $name may mean, besides registers
};

// The value of a variable that is visible at the scope's address.
Value value_of(Dwarf_Die variable, const EvaluationContext& context);
// A member or an element, as it is described. See resolved().
Value part_of(const Value& whole, const Type* type, std::uint64_t offset);
// The value with what its type leaves open until the frame is known: the indices of arrays, the offsets of
// virtual bases, and the members of variants.
Value resolved(Value value, const EvaluationContext& context, std::size_t depth = 0);

bool is_signed(const Type& type);

// What a reference refers to; other values as they are.
Value without_reference(const Value& value, const EvaluationContext& context);
// An integer, a boolean, an enumeration or an address, as 64 bits. Nothing if the frame does not hold it.
std::optional<std::uint64_t> integer_of(const Value& value, FrameMemory& frame);

}  // namespace convert::tfile
