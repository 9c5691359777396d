// Values of the traced program: their types and their places in a frame. Also evaluates collected
// expressions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/frames/frame_memory.h"
#include "converters/tfile/program/debug_info.h"

namespace convert::tfile {

// The reason why a value is missing.
enum class Missing : std::uint8_t {
  Unknown,        // the scope has nothing with this name, or the expression is not understood
  NotUnderstood,  // the location needs an operation that this program does not support
  NotRecorded,    // the frame lacks a register or memory that leads to the value
  AtEntry,        // the value depends on a register at the time of the function's entry
  OptimizedOut,   // the variable is nowhere at this address
  // the variable belongs to another call, such as the call of the function around a nested function
  OtherFrame,
};

std::string_view problem_of(Missing missing);

struct Storage {
  enum class Kind : std::uint8_t { None, Memory, Bytes };
  Kind kind = Kind::None;
  Missing missing = Missing::Unknown;  // for Kind::None
  std::uint64_t address = 0;           // for Kind::Memory
  std::vector<std::byte> bytes = {};   // for Kind::Bytes: the value itself
  std::vector<bool> known = {};        // for Kind::Bytes: which bytes are known; empty if all are
  const Register* reg = nullptr;       // for Kind::Bytes: the register that holds the whole value

  // Returns a storage without a value, for the reason `why`. If this storage already has no value, its own
  // reason is kept.
  Storage unusable(Missing why) const { return none(kind == Kind::None ? missing : why); }
  static Storage none(Missing why) { return {.kind = Kind::None, .missing = why}; }
  static Storage memory_at(std::uint64_t address) { return {.kind = Kind::Memory, .address = address}; }
  static Storage value_bytes(std::vector<std::byte> bytes) {
    return {.kind = Kind::Bytes, .bytes = std::move(bytes)};
  }
};

// A number as `size` bytes, at most 8.
std::vector<std::byte> stored(std::uint64_t number, std::uint64_t size, std::endian order);

// The storage of a variable whose type has `size` bytes.
Storage locate(Dwarf_Die variable, std::uint64_t size, const CodeScope& scope, FrameMemory& frame);

// Returns the number that an attribute of DWARF gives. The attribute contains the number, refers to a
// variable or a member that contains it, or has operations that compute it. The operations start with the
// number `object`. `whole` is the address of the structure that has the member.
std::optional<std::uint64_t> number_of(Dwarf_Attribute attribute, const CodeScope& scope, FrameMemory& frame,
                                       std::optional<std::uint64_t> object = std::nullopt,
                                       std::optional<std::uint64_t> whole = std::nullopt);

struct CallRegisters {
  std::vector<std::optional<std::uint64_t>> values = {};  // by number in DWARF
  std::optional<std::uint64_t> cfa = {};                  // the canonical frame address of the call
};
// Runs operations of call frame information on these registers. A result that is an address has Kind::Memory.
// `scope` is any scope of the module.
Storage locate_in_call(std::span<const Dwarf_Op> operations, const CallRegisters& registers,
                       const CodeScope& scope, FrameMemory& frame);

Storage return_address(const CodeScope& scope, FrameMemory& frame);

struct Value {
  const Type* type = nullptr;  // null if unknown
  Storage storage = {};
  std::uint64_t bit_offset = 0, bit_size = 0;  // for a bit-field, counted from the storage; size 0 for others
  // The size that GDB's bytecode assumes; 0 if it is the size of the type. Examples for a reference r to an
  // array: in "*r", the size of the array; in "sizeof r", the size of the reference.
  std::uint64_t traced_size = 0;
};

struct EvaluationContext {
  const CodeScope& scope;
  FrameMemory& frame;
  std::span<const TraceVariable> variables = {};  // variables that $name may mean, besides registers
};

// The value of a variable that is visible at the scope's address.
Value value_of(Dwarf_Die variable, const EvaluationContext& context);
// A member or an element, as DWARF describes it. See also resolved().
Value part_of(const Value& whole, const Type* type, std::uint64_t offset);
// Some properties of a type depend on the frame: indices of arrays, offsets of virtual bases, and members of
// variants. Returns the value with a type in which they are known.
Value resolved(Value value, const EvaluationContext& context, std::size_t depth = 0);

bool is_signed(const Type& type);

// The value to which a reference refers. Other values are returned unchanged.
Value without_reference(const Value& value, const EvaluationContext& context);
// An integer, a boolean, an enumeration or an address, as 64 bits. Nothing if the frame does not have the
// value.
std::optional<std::uint64_t> integer_of(const Value& value, FrameMemory& frame);

// The value of a C expression, such as "*p", "a[2]@3" and "it->next->name". Its type may be known even
// without its storage.
Value evaluate(std::string_view expression, const EvaluationContext& context);

// A value of a collected item. `text` is the item's text. For $args and $locals, it is the name of the
// variable. It points into the item or the scope.
struct ItemValue {
  std::string_view text;
  Value value;
  bool is_hidden = false;  // for $args and $locals: the name means another variable at this place
};
std::vector<ItemValue> evaluate_item(const CollectItem& item, const EvaluationContext& context);

}  // namespace convert::tfile
