#include "converters/tfile/program/variable_storage.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "converters/tfile/program/dwarf_lookup.h"

namespace convert::tfile {
namespace {

// The name of a register by its number in DWARF. Empty for registers that hold no variables.
std::string register_name(std::uint64_t number, unsigned elf_machine) {
  static constexpr std::array<std::string_view, 8> kAmd64{"rax", "rdx", "rcx", "rbx",
                                                          "rsi", "rdi", "rbp", "rsp"};
  static constexpr std::array<std::string_view, 8> kI386{"eax", "ecx", "edx", "ebx",
                                                         "esp", "ebp", "esi", "edi"};
  const auto numbered = [&](std::string_view letters, std::uint64_t from) {
    return fmt::format("{}{}", letters, number - from);
  };
  switch (elf_machine) {
    case EM_X86_64:
      if (number < kAmd64.size()) return std::string(kAmd64[number]);
      if (number < 16) return numbered("r", 0);
      return number >= 17 && number <= 32 ? numbered("xmm", 17) : std::string();
    case EM_386:
      if (number < kI386.size()) return std::string(kI386[number]);
      return number >= 21 && number <= 28 ? numbered("xmm", 21) : std::string();
    case EM_AARCH64:
      if (number <= 30) return numbered("x", 0);
      if (number == 31) return "sp";
      return number >= 64 && number <= 95 ? numbered("v", 64) : std::string();
    case EM_ARM:
    case EM_PPC:
    case EM_PPC64:
    case EM_S390:
      return number < (elf_machine == EM_PPC || elf_machine == EM_PPC64 ? 32u : 13u) ? numbered("r", 0)
                                                                                     : std::string();
    default:
      return {};
  }
}

using Step = ComputationStep;

// The step for an operation. Nothing for operations that need more than a frame holds.
std::optional<Step> step_of(const Dwarf_Op& operation, unsigned elf_machine) {
  const auto constant = [](std::uint64_t number) {
    return Step{.what = Step::What::Constant, .number = static_cast<std::int64_t>(number)};
  };
  const auto sum_with = [&](std::uint64_t number, std::uint64_t added) -> std::optional<Step> {
    std::string name = register_name(number, elf_machine);
    if (name.empty()) return std::nullopt;
    return Step{.what = Step::What::Register,
                .number = static_cast<std::int64_t>(added),
                .register_name = std::move(name)};
  };
  const unsigned atom = operation.atom;
  if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return constant(atom - DW_OP_lit0);
  if (atom >= DW_OP_const1u && atom <= DW_OP_consts) return constant(operation.number);
  if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) return sum_with(atom - DW_OP_breg0, operation.number);
  switch (atom) {
    case DW_OP_bregx:
      return sum_with(operation.number, operation.number2);
    case DW_OP_deref:
      return Step{.what = Step::What::Load};
    case DW_OP_deref_size:
      return Step{.what = Step::What::Load, .number = static_cast<std::int64_t>(operation.number)};
    case DW_OP_plus_uconst:
      return Step{.what = Step::What::AddConstant, .number = static_cast<std::int64_t>(operation.number)};
    case DW_OP_dup:
      return Step{.what = Step::What::Duplicate};
    case DW_OP_plus:
      return Step{.what = Step::What::Add};
    case DW_OP_minus:
      return Step{.what = Step::What::Subtract};
    case DW_OP_mul:
      return Step{.what = Step::What::Multiply};
    case DW_OP_and:
      return Step{.what = Step::What::And};
    case DW_OP_or:
      return Step{.what = Step::What::Or};
    case DW_OP_xor:
      return Step{.what = Step::What::Xor};
    case DW_OP_shl:
      return Step{.what = Step::What::ShiftLeft};
    case DW_OP_shr:
      return Step{.what = Step::What::ShiftRight};
    case DW_OP_shra:
      return Step{.what = Step::What::ShiftRightSigned};
    case DW_OP_neg:
      return Step{.what = Step::What::Negate};
    case DW_OP_not:
      return Step{.what = Step::What::Invert};
    default:
      return std::nullopt;
  }
}

// The storage of a value in one piece: in a register, or computed. Nothing for others.
std::optional<RegisterVariable::Piece> whole_storage_of(std::span<const Dwarf_Op> operations,
                                                        unsigned elf_machine) {
  using Storage = RegisterVariable::Storage;
  RegisterVariable::Piece found;
  if (operations.empty()) return found;
  const Dwarf_Op& first = operations.front();
  const bool is_register = first.atom >= DW_OP_reg0 && first.atom <= DW_OP_reg31;
  if (operations.size() == 1 && (is_register || first.atom == DW_OP_regx)) {
    found.storage = Storage::Register;
    found.register_name = register_name(is_register ? first.atom - DW_OP_reg0 : first.number, elf_machine);
    return found.register_name.empty() ? std::nullopt : std::optional(found);
  }
  if (operations.back().atom != DW_OP_stack_value) return std::nullopt;
  found.storage = Storage::Computed;
  for (const Dwarf_Op& operation : operations.first(operations.size() - 1)) {
    auto step = step_of(operation, elf_machine);
    if (!step) return std::nullopt;
    found.steps.push_back(*std::move(step));
  }
  return found;
}

// Whether the value depends on the caller's frame, or is the target of an optimized-out pointer.
bool is_out_of_reach(const Dwarf_Op& operation) {
  return operation.atom == DW_OP_entry_value || operation.atom == DW_OP_GNU_entry_value ||
         operation.atom == DW_OP_implicit_pointer || operation.atom == DW_OP_GNU_implicit_pointer ||
         operation.atom == DW_OP_GNU_parameter_ref;
}

}  // namespace

std::vector<RegisterVariable::Piece> pieces_of(std::span<const Dwarf_Op> operations, unsigned elf_machine) {
  std::vector<RegisterVariable::Piece> pieces;
  while (!operations.empty()) {
    const auto end = std::ranges::find(operations, DW_OP_piece, &Dwarf_Op::atom);
    if (end == operations.end()) break;
    const auto size = static_cast<std::size_t>(end - operations.begin());
    pieces.push_back(
        whole_storage_of(operations.first(size), elf_machine).value_or(RegisterVariable::Piece{}));
    pieces.back().size = end->number;
    operations = operations.subspan(size + 1);
  }
  return pieces;
}

std::optional<RegisterVariable> storage_of(Dwarf_Die* variable, Dwarf_Addr pc, unsigned elf_machine) {
  using Storage = RegisterVariable::Storage;
  RegisterVariable found;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) != nullptr) {
    Dwarf_Sword value = 0;
    if (dwarf_formsdata(&attribute, &value) != 0) return std::nullopt;
    found.storage = Storage::Computed;
    found.steps.push_back({.what = Step::What::Constant, .number = value});
    return found;
  }
  if (is_declaration(variable)) return std::nullopt;
  Dwarf_Op* first_operation = nullptr;
  std::size_t count = 0;
  const bool has_location = dwarf_attr_integrate(variable, DW_AT_location, &attribute) != nullptr;
  if (has_location && dwarf_getlocation_addr(&attribute, pc, &first_operation, &count, 1) < 0)
    return std::nullopt;
  const std::span<const Dwarf_Op> operations(first_operation, count);
  if (operations.empty() || is_out_of_reach(operations.front())) {
    found.storage = Storage::Nowhere;
    return found;
  }
  if (operations.back().atom == DW_OP_piece) {
    found.storage = Storage::Pieces;
    found.pieces = pieces_of(operations, elf_machine);
    return found;
  }
  auto whole = whole_storage_of(operations, elf_machine);
  if (!whole) return std::nullopt;
  found.storage = whole->storage;
  found.register_name = std::move(whole->register_name);
  found.steps = std::move(whole->steps);
  return found;
}

}  // namespace convert::tfile
