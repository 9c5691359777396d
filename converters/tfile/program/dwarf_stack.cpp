#include "converters/tfile/program/dwarf_stack.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <utility>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxStack = 64;

// For each DWARF operation on two numbers, the opcode of GDB's agent expressions that does the same.
constexpr std::array<std::pair<unsigned, Opcode>, 11> kBinary{{{DW_OP_plus, Opcode::Add},
                                                               {DW_OP_minus, Opcode::Sub},
                                                               {DW_OP_mul, Opcode::Mul},
                                                               {DW_OP_div, Opcode::DivSigned},
                                                               {DW_OP_mod, Opcode::RemUnsigned},
                                                               {DW_OP_and, Opcode::BitAnd},
                                                               {DW_OP_or, Opcode::BitOr},
                                                               {DW_OP_xor, Opcode::BitXor},
                                                               {DW_OP_shl, Opcode::Lsh},
                                                               {DW_OP_shr, Opcode::RshUnsigned},
                                                               {DW_OP_shra, Opcode::RshSigned}}};

}  // namespace

std::uint64_t DwarfStack::pop() {
  const std::uint64_t bits = top();
  numbers_.pop_back();
  return bits;
}

bool DwarfStack::push(std::uint64_t bits, StackType type) {
  if (numbers_.size() == kMaxStack) return false;
  numbers_.push_back(number(bits, type));
  return true;
}

void DwarfStack::replace_top(std::uint64_t bits, StackType type) { numbers_.back() = number(bits, type); }

bool DwarfStack::run(const Dwarf_Op& operation) {
  const unsigned atom = operation.atom;
  for (const auto& [name, binary] : kBinary)
    if (atom == name) return calculate(binary);
  if (numbers_.empty()) return false;
  const Number top = numbers_.back();
  switch (atom) {
    case DW_OP_drop:
      numbers_.pop_back();
      return true;
    case DW_OP_dup:
    case DW_OP_over:
    case DW_OP_pick: {
      const std::uint64_t depth = atom == DW_OP_dup ? 0 : atom == DW_OP_over ? 1 : operation.number;
      if (depth >= numbers_.size()) return false;
      const Number copy = numbers_[numbers_.size() - 1 - depth];
      return push(copy.bits, copy.type);
    }
    case DW_OP_swap:
    case DW_OP_rot: {
      const std::size_t count = atom == DW_OP_swap ? 2 : 3;
      if (numbers_.size() < count) return false;
      std::rotate(numbers_.end() - static_cast<std::ptrdiff_t>(count), numbers_.end() - 1, numbers_.end());
      return true;
    }
    case DW_OP_plus_uconst:
      replace_top(top.bits + operation.number, top.type);
      return true;
    case DW_OP_neg:
      replace_top(0 - top.bits, top.type);
      return true;
    case DW_OP_not:
      replace_top(~top.bits, top.type);
      return true;
    case DW_OP_abs:
      if (static_cast<std::int64_t>(signed_bits(top)) < 0) replace_top(0 - top.bits, top.type);
      return true;
    case DW_OP_eq:
    case DW_OP_ne:
    case DW_OP_lt:
    case DW_OP_le:
    case DW_OP_gt:
    case DW_OP_ge:
      return compare(atom);
    default:
      return false;
  }
}

DwarfStack::Number DwarfStack::number(std::uint64_t bits, StackType type) const {
  const bool is_short_address = type.size == 0 && address_bytes_ == 4;
  return {is_short_address ? extended(bits, 32, false) : extended(bits, 8 * type.size, type.is_signed), type};
}

bool DwarfStack::calculate(Opcode operation) {
  if (numbers_.size() < 2) return false;
  const Number right = numbers_.back();
  numbers_.pop_back();
  const Number left = numbers_.back();
  const bool is_signed = operation == Opcode::DivSigned || operation == Opcode::RshSigned;
  const bool has_type = left.type.size != 0;
  if (has_type && !left.type.is_signed && operation == Opcode::DivSigned) operation = Opcode::DivUnsigned;
  if (has_type && left.type.is_signed && operation == Opcode::RemUnsigned) operation = Opcode::RemSigned;
  const auto result =
      calculated(operation, is_signed ? signed_bits(left) : left.bits,
                 is_signed && operation != Opcode::RshSigned ? signed_bits(right) : right.bits);
  if (result) replace_top(*result, left.type);
  return result.has_value();
}

bool DwarfStack::compare(unsigned atom) {
  if (numbers_.size() < 2) return false;
  const StackType type = numbers_.back().type;
  const Opcode less = type.size != 0 && !type.is_signed ? Opcode::LessUnsigned : Opcode::LessSigned;
  const std::uint64_t right = signed_bits(numbers_.back());
  numbers_.pop_back();
  const std::uint64_t left = signed_bits(numbers_.back());
  const bool is_less = calculated(less, left, right) == 1, is_more = calculated(less, right, left) == 1;
  const bool result = atom == DW_OP_eq   ? left == right
                      : atom == DW_OP_ne ? left != right
                      : atom == DW_OP_lt ? is_less
                      : atom == DW_OP_le ? !is_more
                      : atom == DW_OP_gt ? is_more
                                         : !is_less;
  replace_top(result ? 1 : 0, {});
  return true;
}

std::uint64_t DwarfStack::signed_bits(const Number& number) const {
  const bool is_short_address = number.type.size == 0 && address_bytes_ != 8;
  return is_short_address ? extended(number.bits, 32, true) : number.bits;
}

}  // namespace convert::tfile
