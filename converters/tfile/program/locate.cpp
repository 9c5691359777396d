// Finds the storage of variables, by running the operations of DWARF locations on the contents of a frame.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "converters/model/reading/long_double.h"
#include "converters/tfile/program/dwarf_stack.h"
#include "converters/tfile/program/value.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxOperations = 4096, kMaxNesting = 4;
// No compiler splits larger values into pieces, but damaged DWARF may request any amount of memory.
constexpr std::uint64_t kMaxInPieces = std::uint64_t{1} << 20;

CodeScope::Operations read_operations(Dwarf_Attribute& attribute, const CodeScope& scope) {
  // Go stores locations with DW_FORM_block1, which libdw rejects from DWARF 4 on. If a block is short, it has
  // the same bytes with DW_FORM_exprloc, which libdw accepts.
  constexpr unsigned char kShort = 0x80;
  if (attribute.form == DW_FORM_block1 && *attribute.valp < kShort) attribute.form = DW_FORM_exprloc;
  Dwarf_Block block;
  const bool may_read = dwarf_formblock(&attribute, &block) == 0
                            ? scope.info->takes_operations(block.data, block.length)
                            : scope.info->takes_list(attribute);
  if (!may_read) return {.found = -1};
  Dwarf_Op* first = nullptr;
  std::size_t count = 0;
  const int found = dwarf_getlocation_addr(&attribute, scope.pc, &first, &count, 1);
  return {.found = found, .operations = {first, count}};
}

// Finds the operations of an attribute that are valid at the code address `scope.pc`. Returns 1 if there are
// some, 0 if there are none, and a negative number on errors.
int operations_at(Dwarf_Attribute& attribute, const CodeScope& scope, std::span<const Dwarf_Op>& operations) {
  const auto [known, is_new] = scope.known_operations.try_emplace(attribute.valp);
  if (is_new) known->second = read_operations(attribute, scope);
  operations = known->second.operations;
  return known->second.found;
}

class Run {
 public:
  Run(const CodeScope& scope, FrameMemory& frame, Dwarf_Attribute* attribute, std::size_t nesting = 0)
      : scope_(scope),
        frame_(frame),
        attribute_(attribute),
        nesting_(nesting),
        stack_(frame.address_bytes()) {}

  void set_object(std::optional<std::uint64_t> address) {
    object_ = address;
    push(address);
  }

  // From now on, uses the registers of a call, and not the frame's own registers.
  void set_call(const CallRegisters& call) { call_ = &call; }

  // Returns the address or the number that the operations compute.
  std::optional<std::uint64_t> number(std::span<const Dwarf_Op> operations) {
    for (std::size_t at = 0, steps = 0; at < operations.size(); ++steps) {
      if (steps == kMaxOperations || !step(operations, at)) return std::nullopt;
    }
    if (holding_register_) return register_number(*holding_register_);
    return stack_.empty() ? std::nullopt : std::optional(stack_.top());
  }

  Storage storage(std::span<const Dwarf_Op> operations, std::uint64_t size) {
    if (operations.empty()) return Storage::none(Missing::OptimizedOut);
    if (!frame_.take_work(operations.size())) return Storage::none(Missing::NotUnderstood);
    const bool has_pieces = std::ranges::find(operations, DW_OP_piece, &Dwarf_Op::atom) != operations.end();
    if (has_pieces && size > kMaxInPieces) return Storage::none(Missing::NotUnderstood);
    Storage pieces{.kind = Storage::Kind::Bytes};
    std::size_t begin = 0;
    for (std::size_t at = 0, steps = 0; at < operations.size(); ++steps) {
      if (steps == kMaxOperations) return Storage::none(Missing::NotUnderstood);
      if (operations[at].atom == DW_OP_piece) {
        const std::uint64_t left = size - std::min<std::uint64_t>(size, pieces.bytes.size());
        const std::uint64_t bytes = std::min<std::uint64_t>(operations[at].number, left);
        add_piece(pieces, at == begin ? Storage::none(Missing::OptimizedOut) : whole(bytes), bytes);
        restart();
        begin = ++at;
      } else if (!step(operations, at)) {
        if (!has_pieces) return Storage::none(missing_);
        // Only this piece is missing. Continues after it.
        is_missing_ = true;
        while (at < operations.size() && operations[at].atom != DW_OP_piece) ++at;
      }
    }
    return has_pieces ? pieces : whole(size);
  }

 private:
  void restart() {
    stack_.clear();
    holding_register_.reset();
    implicit_.reset();
    is_value_ = is_missing_ = false;
  }

  bool fail(Missing why) {
    missing_ = why;
    return false;
  }

  void add_piece(Storage& pieces, const Storage& piece, std::uint64_t size) {
    std::span<const std::byte> bytes = piece.bytes;
    if (piece.kind == Storage::Kind::Memory) bytes = frame_.look_at(frame_.bytes(piece.address, size));
    const bool is_known = piece.kind != Storage::Kind::None && bytes.size() == size;
    if (is_known)
      pieces.bytes.insert(pieces.bytes.end(), bytes.begin(), bytes.end());
    else
      pieces.bytes.resize(pieces.bytes.size() + size);
    pieces.known.resize(pieces.bytes.size(), is_known);
  }

  // Returns the storage that is described by the operations since the last piece. If there are no pieces, all
  // operations describe it.
  Storage whole(std::uint64_t size) {
    if (is_missing_) return Storage::none(missing_);
    if (implicit_)
      return implicit_->size() >= size
                 ? Storage::value_bytes(
                       {implicit_->begin(), implicit_->begin() + static_cast<std::ptrdiff_t>(size)})
                 : Storage::none(Missing::NotUnderstood);
    if (holding_register_) {
      Storage storage = in_register(*holding_register_, size);
      storage.reg = scope_.info->register_of(*holding_register_, frame_.layout());
      return storage;
    }
    if (stack_.empty()) return Storage::none(Missing::OptimizedOut);
    if (!is_value_) return Storage::memory_at(stack_.top());
    if (size > sizeof(std::uint64_t)) return Storage::none(Missing::NotUnderstood);
    return Storage::value_bytes(stored(stack_.top(), size, frame_.order()));
  }

  Storage in_register(std::uint64_t number, std::uint64_t size) {
    if (call_ != nullptr) {
      const auto value = register_number(number);
      return value ? Storage::value_bytes(stored(*value, size, frame_.order()))
                   : Storage::none(Missing::NotRecorded);
    }
    const Register* const reg = scope_.info->register_of(number, frame_.layout());
    const auto bytes = reg != nullptr ? frame_.register_bytes(*reg) : std::span<const std::byte>{};
    if (bytes.empty()) return Storage::none(Missing::NotRecorded);
    const bool is_x87 = reg->name.starts_with("st") && reg->size == LongDouble::kBytes;
    if (is_x87) return of_x87(bytes, size);
    if (bytes.size() < size) return in_vector_registers(*reg, bytes, size);
    const auto lowest = frame_.order() == std::endian::little ? bytes.first(size) : bytes.last(size);
    return Storage::value_bytes({lowest.begin(), lowest.end()});
  }

  // If a value is larger than "xmm0", it continues in "ymm0h" and then in "zmm0h". On x86, these are the
  // upper halves of "ymm0" and "zmm0".
  Storage in_vector_registers(const Register& lowest, std::span<const std::byte> bytes, std::uint64_t size) {
    std::vector<std::byte> all(bytes.begin(), bytes.end());
    if (lowest.name.starts_with("xmm"))
      for (const char* const above : {"ymm", "zmm"}) {
        const Register* const reg = frame_.layout()->find(above + lowest.name.substr(3) + "h");
        if (all.size() >= size || reg == nullptr) break;
        const auto more = frame_.register_bytes(*reg);
        all.insert(all.end(), more.begin(), more.end());
      }
    return all.size() == size ? Storage::value_bytes(std::move(all)) : Storage::none(Missing::NotUnderstood);
  }

  // The x87 registers hold all numbers in the format of long doubles. If `size` is the size of a double or a
  // float, converts the number.
  Storage of_x87(std::span<const std::byte> bytes, std::uint64_t size) {
    constexpr std::uint64_t kMaxBytesOfX87 = 16;  // including padding
    const double number = LongDouble(bytes, frame_.order()).value();
    if (size == sizeof(double))
      return Storage::value_bytes(stored(std::bit_cast<std::uint64_t>(number), size, frame_.order()));
    if (size == sizeof(float))
      return Storage::value_bytes(
          stored(std::bit_cast<std::uint32_t>(static_cast<float>(number)), size, frame_.order()));
    if (size < bytes.size() || size > kMaxBytesOfX87) return Storage::none(Missing::NotUnderstood);
    std::vector<std::byte> all(bytes.begin(), bytes.end());
    all.resize(size);
    return Storage::value_bytes(std::move(all));
  }

  std::optional<std::uint64_t> register_number(std::uint64_t number) {
    std::optional<std::uint64_t> value;
    if (call_ != nullptr) {
      if (number < call_->values.size()) value = call_->values[number];
    } else if (const Register* const reg = scope_.info->register_of(number, frame_.layout())) {
      value = frame_.register_value(*reg);
    }
    if (!value) missing_ = Missing::NotRecorded;
    return value;
  }

  bool push(std::optional<std::uint64_t> bits, StackType type = {}) {
    return bits && (stack_.push(*bits, type) || fail(Missing::NotUnderstood));
  }

  // The integer type whose DIE is at an offset in the unit. Offset 0 means the type of addresses. Nothing for
  // other types.
  std::optional<StackType> type_at(Dwarf_Word offset) {
    Dwarf_Die unit = scope_.unit, type;
    if (offset == 0) return StackType{};
    if (dwarf_offdie(scope_.info->dwarf(), dwarf_dieoffset(&unit) - dwarf_cuoffset(&unit) + offset, &type) ==
        nullptr)
      return std::nullopt;
    const int size = dwarf_bytesize(&type);
    const auto encoding = unsigned_attribute(type, DW_AT_encoding);
    if (size <= 0 || size > 8 || !encoding || encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
      return std::nullopt;
    return StackType{.size = static_cast<std::uint64_t>(size),
                     .is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char};
  }

  bool step(std::span<const Dwarf_Op> operations, std::size_t& at) {
    constexpr std::uint64_t kWorkPerOperation = 16;
    if (!frame_.take_work(kWorkPerOperation)) return fail(Missing::NotUnderstood);
    const Dwarf_Op& op = operations[at++];
    const unsigned atom = op.atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return push(atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) return push_sum(atom - DW_OP_breg0, op.number);
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
      holding_register_ = atom - DW_OP_reg0;
      return true;
    }
    if (atom >= DW_OP_const1u && atom <= DW_OP_consts) return push(op.number);
    switch (atom) {
      case DW_OP_nop:
        return true;
      case DW_OP_addr:
        return push(op.number + scope_.bias());
      case DW_OP_addrx:
      case DW_OP_GNU_addr_index:
      case DW_OP_constx:
      case DW_OP_GNU_const_index:
        return push_indexed(op);
      case DW_OP_regx:
        holding_register_ = op.number;
        return true;
      case DW_OP_bregx:
        return push_sum(op.number, op.number2);
      case DW_OP_regval_type:
      case DW_OP_GNU_regval_type: {
        const auto type = type_at(op.number2);
        return type ? push(register_number(op.number), *type) : fail(Missing::NotUnderstood);
      }
      case DW_OP_fbreg: {
        const auto base = frame_base();
        return push(base ? std::optional(*base + op.number) : std::nullopt);
      }
      case DW_OP_call_frame_cfa:
        return push(nesting_ < kMaxNesting ? cfa() : std::nullopt);
      case DW_OP_push_object_address:
        return object_ ? push(object_) : fail(Missing::NotRecorded);
      case DW_OP_implicit_value: {
        const auto bytes = bytes_in(op);
        if (!bytes) return fail(Missing::NotUnderstood);
        implicit_.emplace(bytes->begin(), bytes->end());
        return true;
      }
      case DW_OP_stack_value:
        is_value_ = true;
        return !stack_.empty() || fail(Missing::NotUnderstood);
      case DW_OP_entry_value:
      case DW_OP_GNU_entry_value:
        return fail(Missing::AtEntry);
      case DW_OP_implicit_pointer:
      case DW_OP_GNU_implicit_pointer:
      case DW_OP_GNU_parameter_ref:
        return fail(Missing::OptimizedOut);
      case DW_OP_skip:
        return jump(operations, at, op);
      case DW_OP_bra:
        if (stack_.empty()) return fail(Missing::NotUnderstood);
        return stack_.pop() == 0 || jump(operations, at, op);
      case DW_OP_const_type:
      case DW_OP_GNU_const_type:
        return push_typed_constant(op);
      case DW_OP_deref:
        return load_top(frame_.address_bytes(), StackType{});
      case DW_OP_deref_size:
        return load_top(op.number, StackType{});
      case DW_OP_deref_type:
      case DW_OP_GNU_deref_type:
        return load_top(op.number, type_at(op.number2));
      case DW_OP_convert:
      case DW_OP_GNU_convert:
      case DW_OP_reinterpret:
      case DW_OP_GNU_reinterpret: {
        const auto type = type_at(op.number);
        if (stack_.empty() || !type) return fail(Missing::NotUnderstood);
        stack_.replace_top(stack_.top(), *type);
        return true;
      }
      default:
        return stack_.run(op) || fail(Missing::NotUnderstood);
    }
  }

  bool load_top(std::uint64_t size, std::optional<StackType> type) {
    if (stack_.empty() || !type || size == 0 || size > sizeof(std::uint64_t))
      return fail(Missing::NotUnderstood);
    const auto loaded = frame_.number(stack_.top(), size);
    if (!loaded) return fail(Missing::NotRecorded);
    stack_.replace_top(*loaded, *type);
    return true;
  }

  bool push_sum(std::uint64_t reg, std::uint64_t added) {
    const auto value = register_number(reg);
    return push(value ? std::optional(*value + added) : std::nullopt);
  }

  // Runs an operation that refers to a table of addresses and constants.
  bool push_indexed(const Dwarf_Op& op) {
    Dwarf_Attribute indexed;
    Dwarf_Addr address = 0;
    if (attribute_ == nullptr || dwarf_getlocation_attr(attribute_, &op, &indexed) != 0 ||
        dwarf_formaddr(&indexed, &address) != 0)
      return fail(Missing::NotUnderstood);
    const bool is_address = op.atom == DW_OP_addrx || op.atom == DW_OP_GNU_addr_index;
    return push(address + (is_address ? scope_.bias() : 0));
  }

  // The value that is part of the operation.
  std::optional<std::span<const std::byte>> bytes_in(const Dwarf_Op& op) {
    Dwarf_Block block;
    if (attribute_ == nullptr || dwarf_getlocation_implicit_value(attribute_, &op, &block) != 0)
      return std::nullopt;
    return std::as_bytes(std::span(block.data, block.length));
  }

  bool push_typed_constant(const Dwarf_Op& op) {
    const auto type = type_at(op.number);
    const auto bytes = bytes_in(op);
    if (!type || !bytes || bytes->size() > sizeof(std::uint64_t)) return fail(Missing::NotUnderstood);
    return push(unsigned_bits(*bytes, frame_.order()), *type);
  }

  bool jump(std::span<const Dwarf_Op> operations, std::size_t& at, const Dwarf_Op& from) {
    constexpr std::uint64_t kSize = 3;
    const std::uint64_t target =
        from.offset + kSize +
        static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(from.number)});
    const auto found = std::ranges::lower_bound(operations, target, {}, &Dwarf_Op::offset);
    at = static_cast<std::size_t>(found - operations.begin());
    return found == operations.end() || found->offset == target || fail(Missing::NotUnderstood);
  }

  std::optional<std::uint64_t> frame_base() {
    missing_ = Missing::NotUnderstood;
    if (nesting_ == kMaxNesting || scope_.functions.empty()) return std::nullopt;
    auto attribute = attribute_of(scope_.functions.back(), DW_AT_frame_base);
    std::span<const Dwarf_Op> operations;
    if (!attribute || operations_at(*attribute, scope_, operations) != 1) return std::nullopt;
    Run run(scope_, frame_, &*attribute, nesting_ + 1);
    const auto base = run.number(operations);
    missing_ = run.missing_;
    return base;
  }

  std::optional<std::uint64_t> cfa() {
    if (call_ != nullptr) return call_->cfa;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    missing_ = Missing::NotUnderstood;
    if (!scope_.unwind || dwarf_frame_cfa(scope_.unwind.get(), &operations, &count) != 0) return std::nullopt;
    Run run(scope_, frame_, nullptr, nesting_ + 1);
    const auto address = run.number({operations, count});
    missing_ = run.missing_;
    return address;
  }

  const CodeScope& scope_;
  FrameMemory& frame_;
  Dwarf_Attribute* attribute_;
  std::size_t nesting_;
  const CallRegisters* call_ = nullptr;  // null for the frame's own registers
  DwarfStack stack_;
  std::optional<std::uint64_t> object_;  // address of the object whose type is examined
  std::optional<std::uint64_t> holding_register_;
  std::optional<std::vector<std::byte>> implicit_;
  bool is_value_ = false;
  bool is_missing_ = false;  // true if the current piece is missing
  Missing missing_ = Missing::NotUnderstood;
};

Storage constant_of(Dwarf_Attribute attribute, std::uint64_t size, std::endian order) {
  Dwarf_Block block;
  if (dwarf_formblock(&attribute, &block) == 0) {
    const auto* const data = reinterpret_cast<const std::byte*>(block.data);
    return block.length >= size ? Storage::value_bytes({data, data + size})
                                : Storage::none(Missing::NotUnderstood);
  }
  const auto number = constant_in(attribute);
  if (size > sizeof(*number) || !number) return Storage::none(Missing::NotUnderstood);
  return Storage::value_bytes(stored(static_cast<std::uint64_t>(*number), size, order));
}

// Returns whether a segment of the executable contains the address. Returns nothing for a library. A file is
// an executable if it has an interpreter or a fixed address.
std::optional<bool> executable_has(Dwarf* dwarf, std::uint64_t address) {
  Elf* const elf = dwarf_getelf(dwarf);
  GElf_Ehdr header;
  std::size_t count = 0;
  if (gelf_getehdr(elf, &header) == nullptr || elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  bool is_executable = header.e_type == ET_EXEC, has_address = false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    is_executable |= segment.p_type == PT_INTERP;
    has_address |= segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_memsz;
  }
  return is_executable ? std::optional(has_address) : std::nullopt;
}

// If the program's code contains the address of a library's variable, the dynamic linker copies the variable
// into the program. The copy is found by its name in the program's symbol table.
std::optional<std::uint64_t> copy_in_program(Dwarf_Die variable, DebugInfo& info) {
  const bool may_be_copied = !info.others().empty() && attribute_of(variable, DW_AT_external);
  if (!may_be_copied || executable_has(info.dwarf(), 0)) return std::nullopt;
  for (DebugInfo* const other : info.others()) {
    if (other->dwarf() == nullptr || !executable_has(other->dwarf(), 0)) continue;
    const auto address = other->address_by_symbol(variable);
    return address && *executable_has(other->dwarf(), *address - other->bias()) ? address : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string_view problem_of(Missing missing) {
  switch (missing) {
    case Missing::OptimizedOut:
      return "the compiler optimized the variable out at this address; build with -Og or -O0";
    case Missing::AtEntry:
      return "its value depends on a register at the function's entry, which GDB does not record";
    case Missing::NotRecorded:
      return "the frame does not have a register or memory that is needed";
    case Missing::OtherFrame:
      return "the variable belongs to the call of another function, whose frame GDB did not record";
    default:
      return "this kind of location is not supported";
  }
}

std::vector<std::byte> stored(std::uint64_t number, std::uint64_t size, std::endian order) {
  std::array<std::byte, sizeof number> bytes;
  store(bytes.data(), number, order);
  const auto lowest =
      order == std::endian::little ? std::span(bytes).first(size) : std::span(bytes).last(size);
  return {lowest.begin(), lowest.end()};
}

Storage locate(Dwarf_Die variable, std::uint64_t size, const CodeScope& scope, FrameMemory& frame) {
  if (const auto constant = attribute_of(variable, DW_AT_const_value))
    return constant_of(*constant, size, frame.order());
  auto location = attribute_of(variable, DW_AT_location);
  if (!location) {
    const auto address = scope.info->address_by_symbol(variable);
    return address ? Storage::memory_at(*address) : Storage::none(Missing::OptimizedOut);
  }
  std::span<const Dwarf_Op> operations;
  const int found = operations_at(*location, scope, operations);
  if (found < 0) return Storage::none(Missing::NotUnderstood);
  if (found == 0) return Storage::none(Missing::OptimizedOut);
  if (operations.size() == 1 && operations.front().atom == DW_OP_addr)
    if (const auto copy = copy_in_program(variable, *scope.info)) return Storage::memory_at(*copy);
  return Run(scope, frame, &*location).storage(operations, size);
}

std::optional<std::uint64_t> number_of(Dwarf_Attribute attribute, const CodeScope& scope, FrameMemory& frame,
                                       std::optional<std::uint64_t> object,
                                       std::optional<std::uint64_t> whole) {
  Dwarf_Word number = 0;
  if (dwarf_formudata(&attribute, &number) == 0) return number;
  Dwarf_Die variable;
  if (dwarf_formref_die(&attribute, &variable) != nullptr) {
    const Type* const type = scope.info->types().type_of(variable);
    if (type == nullptr || type->size == 0 || type->size > 8) return std::nullopt;
    if (dwarf_tag(&variable) == DW_TAG_member) {
      auto offset = own_attribute(variable, DW_AT_data_member_location);
      const bool is_known = whole && offset && dwarf_formudata(&*offset, &number) == 0;
      return is_known ? frame.number(*whole + number, type->size) : std::nullopt;
    }
    const Storage storage = locate(variable, type->size, scope, frame);
    if (storage.kind == Storage::Kind::Memory) return frame.number(storage.address, type->size);
    if (storage.kind != Storage::Kind::Bytes || !storage.known.empty()) return std::nullopt;
    return unsigned_bits(storage.bytes, frame.order());
  }
  std::span<const Dwarf_Op> operations;
  if (operations_at(attribute, scope, operations) != 1) return std::nullopt;
  Run run(scope, frame, &attribute);
  run.set_object(object);
  return run.number(operations);
}

Storage locate_in_call(std::span<const Dwarf_Op> operations, const CallRegisters& registers,
                       const CodeScope& scope, FrameMemory& frame) {
  Run run(scope, frame, nullptr);
  run.set_call(registers);
  return run.storage(operations, frame.address_bytes());
}

Storage return_address(const CodeScope& scope, FrameMemory& frame) {
  Dwarf_Frame* const unwind = scope.unwind.get();
  Dwarf_Addr begin = 0, end = 0;
  bool is_signal = false;
  const int column = unwind != nullptr ? dwarf_frame_info(unwind, &begin, &end, &is_signal) : -1;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  std::array<Dwarf_Op, 3> memory;
  if (column < 0 || dwarf_frame_register(unwind, column, memory.data(), &operations, &count) != 0 ||
      count == 0)
    return Storage::none(Missing::NotUnderstood);
  return Run(scope, frame, nullptr).storage({operations, count}, frame.address_bytes());
}

}  // namespace convert::tfile
