#include "converters/tfile/program/locate.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <elf.h>
#include <span>
#include <string_view>

#include "converters/model/reading/long_double.h"
#include "converters/tfile/actions/bytecode.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxSteps = 4096, kMaxStack = 64, kMaxNesting = 4;

std::vector<std::byte> stored(std::uint64_t number, std::uint64_t size, std::endian order) {
  std::vector<std::byte> bytes(std::max<std::uint64_t>(size, sizeof number));
  if (order == std::endian::little) {
    store(bytes.data(), number, order);
    bytes.resize(size);
  } else {
    store(bytes.data() + bytes.size() - sizeof number, number, order);
    bytes.erase(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(size));
  }
  return bytes;
}

// The agent's name of an operation on two numbers.
std::optional<Opcode> binary_of(unsigned atom) {
  switch (atom) {
    case DW_OP_plus:
      return Opcode::Add;
    case DW_OP_minus:
      return Opcode::Sub;
    case DW_OP_mul:
      return Opcode::Mul;
    case DW_OP_div:
      return Opcode::DivSigned;
    case DW_OP_mod:
      return Opcode::RemUnsigned;
    case DW_OP_and:
      return Opcode::BitAnd;
    case DW_OP_or:
      return Opcode::BitOr;
    case DW_OP_xor:
      return Opcode::BitXor;
    case DW_OP_shl:
      return Opcode::Lsh;
    case DW_OP_shr:
      return Opcode::RshUnsigned;
    case DW_OP_shra:
      return Opcode::RshSigned;
    default:
      return std::nullopt;
  }
}

// The operations of an attribute at an address. Returns 1, 0 if there are none, less than 0 on errors.
int operations_at(Dwarf_Attribute& attribute, Dwarf_Addr pc, std::span<const Dwarf_Op>& operations) {
  // Go writes blocks, which libdw refuses from DWARF 4 on. A short one is spelled like an expression.
  constexpr unsigned char kShort = 0x80;
  if (attribute.form == DW_FORM_block1 && *attribute.valp < kShort) attribute.form = DW_FORM_exprloc;
  Dwarf_Op* first = nullptr;
  std::size_t count = 0;
  const int found = dwarf_getlocation_addr(&attribute, pc, &first, &count, 1);
  operations = {first, count};
  return found;
}

// A number on the stack. One without a type is as wide as an address.
struct Entry {
  std::uint64_t bits = 0;
  std::uint64_t size = 0;  // bytes of its type; 0: no type
  bool is_signed = true;
};

class Run {
 public:
  Run(const CodeScope& scope, FrameMemory& frame, Dwarf_Attribute* attribute, std::size_t nesting = 0)
      : scope_(scope), frame_(frame), attribute_(attribute), nesting_(nesting) {}

  void set_object(std::optional<std::uint64_t> address) {
    object_ = address;
    push(address);
  }

  // The address or the number that the operations compute.
  std::optional<std::uint64_t> number(std::span<const Dwarf_Op> operations) {
    for (std::size_t at = 0, steps = 0; at < operations.size(); ++steps) {
      if (steps == kMaxSteps || !step(operations, at)) return std::nullopt;
    }
    if (is_register_) return register_number(*is_register_);
    return stack_.empty() ? std::nullopt : std::optional(stack_.back().bits);
  }

  Storage storage(std::span<const Dwarf_Op> operations, std::uint64_t size) {
    if (operations.empty()) return Storage::none(Missing::OptimizedOut);
    const bool has_pieces = std::ranges::find(operations, DW_OP_piece, &Dwarf_Op::atom) != operations.end();
    Storage pieces{.kind = Storage::Kind::Bytes};
    std::size_t begin = 0;
    for (std::size_t at = 0, steps = 0; at < operations.size(); ++steps) {
      if (steps == kMaxSteps) return Storage::none(Missing::NotUnderstood);
      if (operations[at].atom == DW_OP_piece) {
        const std::uint64_t left = size - std::min<std::uint64_t>(size, pieces.bytes.size());
        const std::uint64_t bytes = std::min<std::uint64_t>(operations[at].number, left);
        add_piece(pieces, at == begin ? Storage::none(Missing::OptimizedOut) : whole(bytes), bytes);
        restart();
        begin = ++at;
      } else if (!step(operations, at)) {
        if (!has_pieces) return Storage::none(missing_);
        // Only this piece is missing.
        is_missing_ = true;
        while (at < operations.size() && operations[at].atom != DW_OP_piece) ++at;
      }
    }
    return has_pieces ? pieces : whole(size);
  }

 private:
  void restart() {
    stack_.clear();
    is_register_.reset();
    implicit_.reset();
    is_value_ = is_missing_ = false;
  }

  bool fail(Missing why) {
    missing_ = why;
    return false;
  }

  void add_piece(Storage& pieces, const Storage& piece, std::uint64_t size) {
    std::span<const std::byte> bytes = piece.bytes;
    if (piece.kind == Storage::Kind::Memory) {
      frame_.set_read_values();
      bytes = frame_.bytes(piece.address, size);
    }
    const bool is_known = piece.kind != Storage::Kind::None && bytes.size() == size;
    if (is_known)
      pieces.bytes.insert(pieces.bytes.end(), bytes.begin(), bytes.end());
    else
      pieces.bytes.resize(pieces.bytes.size() + size);
    pieces.known.resize(pieces.bytes.size(), is_known);
  }

  // What the operations since the start, or since the last piece, describe.
  Storage whole(std::uint64_t size) {
    if (is_missing_) return Storage::none(missing_);
    if (implicit_)
      return implicit_->size() >= size
                 ? Storage::of({implicit_->begin(), implicit_->begin() + static_cast<std::ptrdiff_t>(size)})
                 : Storage::none(Missing::NotUnderstood);
    if (is_register_) {
      Storage storage = in_register(*is_register_, size);
      storage.reg = scope_.info->register_of(*is_register_, frame_.layout());
      return storage;
    }
    if (stack_.empty()) return Storage::none(Missing::OptimizedOut);
    if (!is_value_) return Storage::at(frame_.masked(stack_.back().bits));
    if (size > sizeof(std::uint64_t)) return Storage::none(Missing::NotUnderstood);
    return Storage::of(stored(stack_.back().bits, size, frame_.order()));
  }

  Storage in_register(std::uint64_t number, std::uint64_t size) {
    const Register* const reg = scope_.info->register_of(number, frame_.layout());
    const auto bytes = reg != nullptr ? frame_.register_bytes(*reg) : std::span<const std::byte>{};
    if (bytes.empty()) return Storage::none(Missing::NotRecorded);
    const bool is_x87 = reg->name.starts_with("st") && reg->size == LongDouble::kBytes;
    if (is_x87) return of_x87(bytes, size);
    if (bytes.size() < size) return Storage::none(Missing::NotUnderstood);  // in several registers
    const auto lowest = frame_.order() == std::endian::little ? bytes.first(size) : bytes.last(size);
    return Storage::of({lowest.begin(), lowest.end()});
  }

  // The x87's registers hold all numbers in its own format.
  Storage of_x87(std::span<const std::byte> bytes, std::uint64_t size) {
    const double number = LongDouble(bytes, frame_.order()).value();
    if (size == sizeof(double))
      return Storage::of(stored(std::bit_cast<std::uint64_t>(number), size, frame_.order()));
    if (size == sizeof(float))
      return Storage::of(
          stored(std::bit_cast<std::uint32_t>(static_cast<float>(number)), size, frame_.order()));
    if (size < bytes.size()) return Storage::none(Missing::NotUnderstood);
    std::vector<std::byte> all(bytes.begin(), bytes.end());
    all.resize(size);
    return Storage::of(std::move(all));
  }

  std::optional<std::uint64_t> register_number(std::uint64_t number) {
    const Register* const reg = scope_.info->register_of(number, frame_.layout());
    const auto value = reg != nullptr ? frame_.register_value(*reg) : std::nullopt;
    if (!value) missing_ = Missing::NotRecorded;
    return value;
  }

  bool push(std::optional<std::uint64_t> bits, std::uint64_t size = 0, bool is_signed = true) {
    if (!bits) return false;
    if (stack_.size() == kMaxStack) return fail(Missing::NotUnderstood);
    stack_.push_back({size == 0 ? frame_.masked(*bits) : *bits, size, is_signed});
    return true;
  }

  // Reads an integer's type, at an offset in the unit; offset 0 is the type of addresses.
  bool typed(Entry& entry, Dwarf_Word offset) {
    Dwarf_Die unit = scope_.unit, type;
    entry.size = 0;
    entry.is_signed = true;
    if (offset == 0) return true;
    if (dwarf_offdie(scope_.info->dwarf(), dwarf_dieoffset(&unit) - dwarf_cuoffset(&unit) + offset, &type) ==
        nullptr)
      return false;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    const int size = dwarf_bytesize(&type);
    if (size <= 0 || size > 8 ||
        dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) != 0)
      return false;
    entry.size = static_cast<std::uint64_t>(size);
    entry.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    return encoding != DW_ATE_float && encoding != DW_ATE_complex_float;
  }

  static void extend(Entry& entry) { entry.bits = extended(entry.bits, 8 * entry.size, entry.is_signed); }

  // One operation; moves `at` to the next.
  bool step(std::span<const Dwarf_Op> operations, std::size_t& at) {
    const Dwarf_Op& op = operations[at++];
    const unsigned atom = op.atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return push(atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) return push_sum(atom - DW_OP_breg0, op.number);
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
      is_register_ = atom - DW_OP_reg0;
      return true;
    }
    if (atom >= DW_OP_const1u && atom <= DW_OP_consts) return push(op.number);
    if (const auto binary = binary_of(atom)) return compute(*binary);
    switch (atom) {
      case DW_OP_nop:
        return true;
      case DW_OP_addr:
        return push(op.number + scope_.bias());
      case DW_OP_addrx:
      case DW_OP_GNU_addr_index:
      case DW_OP_constx:
      case DW_OP_GNU_const_index: {
        Dwarf_Attribute indexed;
        Dwarf_Addr address = 0;
        if (attribute_ == nullptr || dwarf_getlocation_attr(attribute_, &op, &indexed) != 0 ||
            dwarf_formaddr(&indexed, &address) != 0)
          return fail(Missing::NotUnderstood);
        const bool is_address = atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index;
        return push(address + (is_address ? scope_.bias() : 0));
      }
      case DW_OP_regx:
        is_register_ = op.number;
        return true;
      case DW_OP_bregx:
        return push_sum(op.number, op.number2);
      case DW_OP_regval_type:
      case DW_OP_GNU_regval_type: {
        Entry entry;
        if (!typed(entry, op.number2)) return fail(Missing::NotUnderstood);
        const auto bits = register_number(op.number);
        if (!bits || !push(bits, entry.size, entry.is_signed)) return false;
        extend(stack_.back());
        return true;
      }
      case DW_OP_fbreg: {
        const auto base = frame_base();
        return push(base ? std::optional(*base + op.number) : std::nullopt);
      }
      case DW_OP_call_frame_cfa: {
        const auto address = nesting_ < kMaxNesting ? cfa() : std::nullopt;
        return push(address);
      }
      case DW_OP_push_object_address:
        return object_ ? push(object_) : fail(Missing::NotRecorded);
      case DW_OP_implicit_value: {
        Dwarf_Block block;
        if (attribute_ == nullptr || dwarf_getlocation_implicit_value(attribute_, &op, &block) != 0)
          return fail(Missing::NotUnderstood);
        const auto* const data = reinterpret_cast<const std::byte*>(block.data);
        implicit_.emplace(data, data + block.length);
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
      case DW_OP_bra: {
        if (stack_.empty()) return fail(Missing::NotUnderstood);
        const bool is_taken = stack_.back().bits != 0;
        stack_.pop_back();
        return !is_taken || jump(operations, at, op);
      }
      case DW_OP_const_type:
      case DW_OP_GNU_const_type:
        return push_typed_constant(op);
      default:
        return !stack_.empty() ? step_on_top(op) : fail(Missing::NotUnderstood);
    }
  }

  // The operations that need a number on the stack.
  bool step_on_top(const Dwarf_Op& op) {
    Entry& top = stack_.back();
    const std::size_t address_bytes = frame_.address_bytes();
    switch (op.atom) {
      case DW_OP_dup: {
        const Entry copy = top;
        return push(copy.bits, copy.size, copy.is_signed);
      }
      case DW_OP_drop:
        stack_.pop_back();
        return true;
      case DW_OP_over:
      case DW_OP_pick: {
        const std::uint64_t depth = op.atom == DW_OP_over ? 1 : op.number;
        if (depth >= stack_.size()) return fail(Missing::NotUnderstood);
        const Entry copy = stack_[stack_.size() - 1 - depth];
        return push(copy.bits, copy.size, copy.is_signed);
      }
      case DW_OP_swap:
      case DW_OP_rot: {
        const std::size_t count = op.atom == DW_OP_swap ? 2 : 3;
        if (stack_.size() < count) return fail(Missing::NotUnderstood);
        std::rotate(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end() - 1, stack_.end());
        return true;
      }
      case DW_OP_plus_uconst:
        top.bits = fitted(top, top.bits + op.number);
        return true;
      case DW_OP_neg:
        top.bits = fitted(top, 0 - top.bits);
        return true;
      case DW_OP_not:
        top.bits = fitted(top, ~top.bits);
        return true;
      case DW_OP_abs:
        if (static_cast<std::int64_t>(signed_top()) < 0) top.bits = fitted(top, 0 - top.bits);
        return true;
      case DW_OP_deref:
        return load_top(address_bytes, {});
      case DW_OP_deref_size:
        return load_top(op.number, {});
      case DW_OP_deref_type:
      case DW_OP_GNU_deref_type: {
        Entry entry;
        return typed(entry, op.number2) ? load_top(op.number, entry) : fail(Missing::NotUnderstood);
      }
      case DW_OP_convert:
      case DW_OP_GNU_convert:
      case DW_OP_reinterpret:
      case DW_OP_GNU_reinterpret: {
        Entry entry;
        if (!typed(entry, op.number)) return fail(Missing::NotUnderstood);
        entry.bits = top.bits;
        extend(entry);
        if (entry.size == 0) entry.bits = frame_.masked(entry.bits);
        top = entry;
        return true;
      }
      case DW_OP_eq:
      case DW_OP_ne:
      case DW_OP_lt:
      case DW_OP_le:
      case DW_OP_gt:
      case DW_OP_ge:
        return compare(op.atom);
      default:
        return fail(Missing::NotUnderstood);
    }
  }

  std::uint64_t fitted(const Entry& like, std::uint64_t bits) const {
    if (like.size == 0) return frame_.masked(bits);
    Entry entry{bits, like.size, like.is_signed};
    extend(entry);
    return entry.bits;
  }

  // The top with its sign extended to 64 bits.
  std::uint64_t signed_of(const Entry& entry) const {
    if (entry.size != 0 || frame_.address_bytes() == 8) return entry.bits;
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(entry.bits)});
  }
  std::uint64_t signed_top() const { return signed_of(stack_.back()); }

  bool compute(Opcode operation) {
    if (stack_.size() < 2) return fail(Missing::NotUnderstood);
    const Entry right = stack_.back();
    stack_.pop_back();
    Entry& left = stack_.back();
    const bool is_signed = operation == Opcode::DivSigned || operation == Opcode::RshSigned;
    if (left.size != 0 && !left.is_signed && operation == Opcode::DivSigned) operation = Opcode::DivUnsigned;
    if (left.size != 0 && left.is_signed && operation == Opcode::RemUnsigned) operation = Opcode::RemSigned;
    const auto result =
        calculated(operation, is_signed ? signed_of(left) : left.bits,
                   is_signed && operation != Opcode::RshSigned ? signed_of(right) : right.bits);
    if (!result) return fail(Missing::NotUnderstood);
    left.bits = fitted(left, *result);
    return true;
  }

  bool compare(unsigned atom) {
    if (stack_.size() < 2) return fail(Missing::NotUnderstood);
    const bool is_unsigned = stack_.back().size != 0 && !stack_.back().is_signed;
    const std::uint64_t right = signed_top();
    stack_.pop_back();
    const std::uint64_t left = signed_top();
    const bool is_less =
        is_unsigned ? left < right : static_cast<std::int64_t>(left) < static_cast<std::int64_t>(right);
    const bool is_equal = left == right;
    const bool result = atom == DW_OP_eq   ? is_equal
                        : atom == DW_OP_ne ? !is_equal
                        : atom == DW_OP_lt ? is_less
                        : atom == DW_OP_le ? is_less || is_equal
                        : atom == DW_OP_gt ? !is_less && !is_equal
                                           : !is_less;
    stack_.back() = {.bits = result};
    return true;
  }

  bool load_top(std::uint64_t size, Entry type) {
    if (size == 0 || size > sizeof(std::uint64_t)) return fail(Missing::NotUnderstood);
    const auto loaded = frame_.number(stack_.back().bits, size);
    if (!loaded) return fail(Missing::NotRecorded);
    type.bits = *loaded;
    extend(type);
    stack_.back() = type;
    return true;
  }

  bool push_sum(std::uint64_t reg, std::uint64_t added) {
    const auto value = register_number(reg);
    return push(value ? std::optional(*value + added) : std::nullopt);
  }

  bool push_typed_constant(const Dwarf_Op& op) {
    Entry entry;
    Dwarf_Block block;
    if (!typed(entry, op.number) || attribute_ == nullptr ||
        dwarf_getlocation_implicit_value(attribute_, &op, &block) != 0 || block.length > 8)
      return fail(Missing::NotUnderstood);
    entry.bits =
        unsigned_bits({reinterpret_cast<const std::byte*>(block.data), block.length}, frame_.order());
    extend(entry);
    return push(entry.bits, entry.size, entry.is_signed);
  }

  bool jump(std::span<const Dwarf_Op> operations, std::size_t& at, const Dwarf_Op& from) {
    constexpr std::uint64_t kSize = 3;  // of a jump
    const std::uint64_t target =
        from.offset + kSize +
        static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(from.number)});
    const auto found = std::ranges::find(operations, target, &Dwarf_Op::offset);
    at = static_cast<std::size_t>(found - operations.begin());
    return found != operations.end() || target > operations.back().offset || fail(Missing::NotUnderstood);
  }

  std::optional<std::uint64_t> frame_base() {
    Dwarf_Attribute attribute;
    std::span<const Dwarf_Op> operations;
    missing_ = Missing::NotUnderstood;
    if (nesting_ == kMaxNesting || scope_.functions.empty()) return std::nullopt;
    Dwarf_Die function = scope_.functions.back();
    if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
        operations_at(attribute, scope_.pc, operations) != 1)
      return std::nullopt;
    Run run(scope_, frame_, &attribute, nesting_ + 1);
    const auto base = run.number(operations);
    missing_ = run.missing_;
    return base;
  }

  std::optional<std::uint64_t> cfa() {
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
  std::vector<Entry> stack_;
  std::optional<std::uint64_t> object_;  // the address of the object whose type is looked at
  std::optional<std::uint64_t> is_register_;
  std::optional<std::vector<std::byte>> implicit_;
  bool is_value_ = false;
  bool is_missing_ = false;  // the current piece
  Missing missing_ = Missing::NotUnderstood;
};

Storage constant_of(Dwarf_Attribute& attribute, std::uint64_t size, std::endian order) {
  Dwarf_Sword number = 0;
  Dwarf_Block block;
  if (dwarf_formblock(&attribute, &block) == 0) {
    const auto* const data = reinterpret_cast<const std::byte*>(block.data);
    return block.length >= size ? Storage::of({data, data + size}) : Storage::none(Missing::NotUnderstood);
  }
  // Forms of a fixed size are not signed, whatever libdw makes of them.
  const bool is_signed = attribute.form == DW_FORM_sdata || attribute.form == DW_FORM_implicit_const;
  auto* const bits = reinterpret_cast<Dwarf_Word*>(&number);
  if (size > sizeof(number) ||
      (is_signed ? dwarf_formsdata(&attribute, &number) : dwarf_formudata(&attribute, bits)) != 0)
    return Storage::none(Missing::NotUnderstood);
  return Storage::of(stored(static_cast<std::uint64_t>(number), size, order));
}

}  // namespace

std::string_view problem_of(Missing missing) {
  switch (missing) {
    case Missing::OptimizedOut:
      return "the compiler keeps it nowhere there: build with -Og or less to see it";
    case Missing::AtEntry:
      return "only the function's entry had it, and GDB does not record that";
    case Missing::NotRecorded:
      return "the frame lacks a register or memory that leads to it";
    default:
      return "its location is not understood";
  }
}

Storage locate(Dwarf_Die variable, std::uint64_t size, const CodeScope& scope, FrameMemory& frame) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&variable, DW_AT_const_value, &attribute) != nullptr)
    return constant_of(attribute, size, frame.order());
  if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr)
    return Storage::none(Missing::OptimizedOut);
  std::span<const Dwarf_Op> operations;
  const int found = operations_at(attribute, scope.pc, operations);
  if (found < 0) return Storage::none(Missing::NotUnderstood);
  if (found == 0) return Storage::none(Missing::OptimizedOut);
  return Run(scope, frame, &attribute).storage(operations, size);
}

std::optional<std::uint64_t> number_of(Dwarf_Attribute attribute, const CodeScope& scope, FrameMemory& frame,
                                       std::optional<std::uint64_t> object,
                                       std::optional<std::uint64_t> whole) {
  Dwarf_Word number = 0;
  if (dwarf_formudata(&attribute, &number) == 0) return number;
  Dwarf_Die variable;
  if (dwarf_formref_die(&attribute, &variable) != nullptr) {
    const Type* const type = scope.info->types().of(&variable);
    if (type == nullptr || type->size == 0 || type->size > 8) return std::nullopt;
    if (dwarf_tag(&variable) == DW_TAG_member) {
      Dwarf_Attribute offset;
      const bool is_known =
          whole && dwarf_formudata(dwarf_attr(&variable, DW_AT_data_member_location, &offset), &number) == 0;
      return is_known ? frame.number(*whole + number, type->size) : std::nullopt;
    }
    const Storage storage = locate(variable, type->size, scope, frame);
    if (storage.kind == Storage::Kind::Memory) return frame.number(storage.address, type->size);
    if (storage.kind != Storage::Kind::Bytes || !storage.known.empty()) return std::nullopt;
    return unsigned_bits(storage.bytes, frame.order());
  }
  std::span<const Dwarf_Op> operations;
  if (operations_at(attribute, scope.pc, operations) != 1) return std::nullopt;
  Run run(scope, frame, &attribute);
  run.set_object(object);
  return run.number(operations);
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
