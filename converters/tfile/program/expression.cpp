// Evaluates collected C expressions, such as "*p", "a[2]@3" and "it->next->name", on the contents of a frame.
#include "converters/tfile/program/expression.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <dwarf.h>
#include <optional>
#include <utility>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/wanted_registers.h"
#include "converters/tfile/program/value.h"

namespace convert::tfile {
namespace {

using TypeKind = Type::Kind;

// Limits for base classes and anonymous structures, because damaged DWARF may nest them endlessly.
constexpr std::size_t kMaxAnonymousDepth = 64, kMaxParts = 4096;
constexpr std::uint64_t kMaxRepeats = ~std::uint32_t{0};

bool is_integer(const Type* type) {
  return type != nullptr && type->size <= 8 &&
         (type->kind == TypeKind::Signed || type->kind == TypeKind::Unsigned ||
          type->kind == TypeKind::Bool || type->kind == TypeKind::Enum);
}
// True if GDB applies C's integer conversions in the language of the unit.
bool calculates_as_c(Dwarf_Die unit) {
  switch (language_of(unit)) {
    case DW_LANG_D:
    case DW_LANG_Go:
    case DW_LANG_Rust:
    case DW_LANG_Pascal83:
    case DW_LANG_Modula2:
      return false;
    default:
      return !is_ada(unit) && !is_fortran(unit);
  }
}
bool is_pointer(const Type* type) { return type != nullptr && type->kind == TypeKind::Pointer; }

class Evaluator {
 public:
  explicit Evaluator(const EvaluationContext& context)
      : context_(context), types_(context.scope.info->types()), frame_(context.frame) {}

  Value evaluate(const Expression& expression) {
    const auto operand = [&](std::size_t i) { return evaluate(expression.operands[i]); };
    using enum Expression::Kind;
    switch (expression.kind) {
      case Number: {
        // For a literal such as 0x80000000, the parser gives C's type, `unsigned int`. In Rust, the literal
        // is a `long`, because literals are signed.
        const bool is_signed_long = expression.type->kind == TypeKind::Unsigned &&
                                    expression.type->size == 4 &&
                                    language_of(context_.scope.unit) == DW_LANG_Rust;
        return of_integer(expression.number, is_signed_long ? types_.basic("long") : expression.type);
      }
      case Name:
        return named(look_up(context_.scope, expression.text), expression.text);
      case NameOfFile:
        return named(look_up_in_file(context_.scope, expression.file, expression.text), expression.text);
      case Special:
        return special(expression.text);
      case Member: {
        const Value object = without_reference(operand(0), context_);
        return member(is_pointer(object.type) ? dereferenced(object) : object,
                      expression.text);  // as in GDB
      }
      case PointerMember:
        return member(dereferenced(operand(0)), expression.text);
      case Index:
        return element_of(operand(0), operand(1));
      case Prefix:
        return prefixed(expression.text.front(), operand(0));
      case Binary:
        return combined(expression.text, operand(0), operand(1));
      case Cast:
        return cast(expression.type, operand(0));
      case At: {
        const Value address = decayed(operand(0));
        const auto bits = integer_of(address, frame_);
        if (address.type == nullptr) return {};
        return bits ? Value{expression.type, Storage::memory_at(frame_.masked(*bits))}
                    : missing(expression.type, address);
      }
      case SizeOf: {
        const Value object = expression.type != nullptr ? Value{.type = expression.type} : operand(0);
        const Type* const type = without_reference(object, context_).type;
        if (type == nullptr) return {};
        const Type* const size = types_.basic(std::in_range<std::int32_t>(type->size) ? "int" : "long");
        if (type->has_open_indices()) return {size, Storage::none(Missing::NotRecorded)};
        // As in GDB, the size is an int, or a long if an int can't hold it. GDB's bytecode uses the size of a
        // reference instead of the size of its target.
        Value result = of_integer(type->size, size);
        result.traced_size = object.type->size;
        return result;
      }
      default:
        return {};
    }
  }

 private:
  // ---- Operators ----

  Value combined(std::string_view operation, const Value& a, const Value& b) {
    if (operation == "@") return repeated(a, b);
    const Value left = decayed(a), right = decayed(b);
    if (left.type == nullptr || right.type == nullptr) return {};
    const auto first = integer_of(left, frame_), second = integer_of(right, frame_);
    const bool points = is_pointer(left.type) || is_pointer(right.type);
    const bool are_integers = is_integer(left.type) && is_integer(right.type);
    if (!points && !are_integers) return {};
    if (points && (operation == "+" || operation == "-"))
      return moved(operation == "-", left, right, first, second);
    const Type* const type = points ? types_.basic("unsigned long") : common(*left.type, *right.type);
    const Type* const shifted = promoted(left.type);
    const std::uint64_t size = type->size;
    const bool has_sign = is_signed(*type);
    if (operation == "&&" || operation == "||") {
      const bool is_and = operation == "&&";
      // One operand may decide the result, even if the other operand is unknown.
      for (const auto& operand : {first, second})
        if (operand && (*operand != 0) != is_and) return of_integer(is_and ? 0 : 1, truth_type());
      return first && second ? of_integer(is_and ? 1 : 0, truth_type()) : missing(truth_type(), left, right);
    }
    static constexpr std::array<std::string_view, 6> kComparisons{"==", "!=", "<", ">", "<=", ">="};
    const bool is_comparison = std::ranges::find(kComparisons, operation) != kComparisons.end();
    if (points && !is_comparison) return {};
    const bool is_shift = operation == "<<" || operation == ">>";
    const Type* const result_type = is_comparison ? truth_type() : is_shift ? shifted : type;
    if (!first || !second) return missing(result_type, left, right);
    const std::uint64_t x = extended(*first, 8 * size, has_sign), y = extended(*second, 8 * size, has_sign);
    if (is_comparison) {
      const bool is_less = has_sign ? static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y) : x < y;
      const bool result = operation == "=="   ? x == y
                          : operation == "!=" ? x != y
                          : operation == "<"  ? is_less
                          : operation == "<=" ? is_less || x == y
                          : operation == ">"  ? !is_less && x != y
                                              : !is_less;
      return of_integer(result ? 1 : 0, result_type);
    }
    if (is_shift && *second >= 8 * shifted->size) return {};
    const auto result = is_shift ? calculated(opcode_of(operation, is_signed(*shifted)), *first, *second)
                                 : calculated(opcode_of(operation, has_sign), x, y);
    return result ? of_integer(*result, result_type) : Value{};
  }

  static Opcode opcode_of(std::string_view operation, bool has_sign) {
    switch (operation.front()) {
      case '+':
        return Opcode::Add;
      case '-':
        return Opcode::Sub;
      case '*':
        return Opcode::Mul;
      case '/':
        return has_sign ? Opcode::DivSigned : Opcode::DivUnsigned;
      case '%':
        return has_sign ? Opcode::RemSigned : Opcode::RemUnsigned;
      case '<':
        return Opcode::Lsh;
      case '>':
        return has_sign ? Opcode::RshSigned : Opcode::RshUnsigned;
      case '&':
        return Opcode::BitAnd;
      case '|':
        return Opcode::BitOr;
      default:
        return Opcode::BitXor;
    }
  }

  // The sum or difference of a pointer and a number, or the distance between two pointers.
  Value moved(bool is_minus, const Value& left, const Value& right, std::optional<std::uint64_t> first,
              std::optional<std::uint64_t> second) {
    const Type* const pointer = is_pointer(left.type) ? left.type : right.type;
    const std::uint64_t size =
        pointer->target != nullptr ? std::max<std::uint64_t>(pointer->target->size, 1) : 1;
    if (is_pointer(left.type) && is_pointer(right.type)) {
      const Type* const type = types_.basic("long");
      if (!is_minus) return {};
      if (!first || !second) return missing(type, left, right);
      return of_integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(*first - *second) /
                                                   static_cast<std::int64_t>(size)),
                        type);
    }
    if (!is_integer(is_pointer(left.type) ? right.type : left.type) || (is_minus && !is_pointer(left.type)))
      return {};
    if (!first || !second) return missing(pointer, left, right);
    if (!is_pointer(left.type)) std::swap(first, second);
    return of_integer(frame_.masked(is_minus ? *first - *second * size : *first + *second * size), pointer);
  }

  // Evaluates "a[2]@3".
  Value repeated(const Value& first, const Value& counter) {
    const Value element = without_reference(first, context_);
    const auto count = integer_of(counter, frame_);
    if (element.type == nullptr || element.type->size == 0 || !count || *count == 0 || *count > kMaxRepeats ||
        element.bit_size != 0)
      return {};
    const Type* const array = types_.array_of(element.type, *count);
    if (element.storage.kind == Storage::Kind::Memory)
      return {.type = array, .storage = element.storage, .traced_size = element.traced_size * *count};
    return {array, element.storage.unusable(Missing::NotUnderstood)};
  }

  Value prefixed(char operation, const Value& of) {
    if (operation == '*') return dereferenced(of);
    if (operation == '&') return address_of(of);
    const Value operand = operation == '!' ? decayed(of) : without_reference(of, context_);
    if (!is_integer(operand.type) && !(operation == '!' && is_pointer(operand.type))) return {};
    const Type* const type = operation == '!' ? truth_type() : promoted(operand.type);
    const auto bits = integer_of(operand, frame_);
    if (!bits) return missing(type, operand);
    return of_integer(operation == '!'   ? (*bits == 0 ? 1 : 0)
                      : operation == '-' ? 0 - *bits
                      : operation == '~' ? ~*bits
                                         : *bits,
                      type);
  }

  Value cast(const Type* type, const Value& operand) {
    const Value value = decayed(operand);
    if (value.type == nullptr) return {};
    const bool is_number = is_integer(value.type) || is_pointer(value.type);
    if (!is_number || (!is_integer(type) && !is_pointer(type))) return {};
    const auto bits = integer_of(value, frame_);
    if (!bits) return missing(type, value);
    return of_integer(type->kind == TypeKind::Bool ? (*bits != 0 ? 1 : 0) : *bits, type);
  }

  Value dereferenced(const Value& pointer) {
    const Value value = decayed(pointer);
    const Type* target = is_pointer(value.type) ? value.type->target : nullptr;
    // GDB treats an integer as the address of a long.
    if (is_integer(value.type)) target = types_.basic("long");
    if (target == nullptr) return {};
    const auto address = integer_of(value, frame_);
    if (!address) return missing(target, value);
    Value object = resolved({target, Storage::memory_at(frame_.masked(*address))}, context_);
    const bool is_reference = pointer.type->kind == TypeKind::Reference;
    if (is_reference) object.traced_size = pointer.type->target->size;
    return object;
  }

  Value address_of(const Value& operand) {
    const Value value = without_reference(operand, context_);
    if (value.type == nullptr || value.bit_size != 0) return {};
    const Type* const pointer = types_.pointer_to(value.type);
    if (value.storage.kind == Storage::Kind::Memory) return of_integer(value.storage.address, pointer);
    return {pointer, value.storage.unusable(Missing::Unknown)};
  }

  Value element_of(const Value& of, Value index) {
    const Value array = without_reference(of, context_);
    if (array.type != nullptr && array.type->kind == TypeKind::Array && array.type->first != 0) {
      const auto number_of_index = integer_of(index, frame_);
      if (!number_of_index) return {};
      index = number(*number_of_index - static_cast<std::uint64_t>(array.type->first), "long");
    }
    if (array.type != nullptr && array.type->kind == TypeKind::Array &&
        array.storage.kind == Storage::Kind::Bytes) {
      const auto at = integer_of(index, frame_);
      return at && *at < array.type->count && array.type->target != nullptr
                 ? resolved(part_of(array, array.type->target, *at * array.type->target->size), context_)
                 : Value{};
    }
    return dereferenced(combined("+", array, index));
  }

  Value member(const Value& of, std::string name) {
    if (of.type == nullptr || of.type->kind != TypeKind::Struct || name.empty()) return {};
    Value whole = of;
    if (const std::size_t colons = name.rfind("::"); colons != std::string::npos) {
      whole = base_of(of, name.substr(0, colons), 0);
      name.erase(0, colons + 2);
    }
    Value found;
    std::size_t count = 0;
    if (whole.type != nullptr) find_member(whole, name, 0, found, count);
    if (count == 0 && whole.type != nullptr) return static_member(whole.type->name + "::" + name);
    return count == 1 && parts_ <= kMaxParts ? found : Value{};
  }

  // A static member of the object's class or of a base class.
  Value static_member(const std::string& full_name) {
    const FoundName* const found = look_up(context_.scope, full_name);
    if (found == nullptr || kind_of(found->die) != kObject) return {};
    Dwarf_Die die = found->die;
    return dwarf_tag(&die) == DW_TAG_enumerator ? Value{} : named(found, full_name);
  }

  // The part of an object that belongs to the base class `name`, or the object itself.
  Value base_of(const Value& of, const std::string& name, std::size_t depth) {
    const std::string own = without_blanks(of.type->name);
    const std::string wanted = without_blanks(name);
    if (own == wanted || own.ends_with("::" + wanted)) return of;
    if (depth > kMaxAnonymousDepth || ++parts_ > kMaxParts) return {};
    for (const Type::Member& base : of.type->members)
      if (base.name.empty() && !base.location && base.type->kind == TypeKind::Struct)
        if (Value found = base_of(part_of(of, base.type, base.bit_offset / 8), name, depth + 1); found.type)
          return found;
    return {};
  }

  void find_member(const Value& of, const std::string& name, std::size_t depth, Value& found,
                   std::size_t& count) {
    if (depth > kMaxAnonymousDepth || ++parts_ > kMaxParts) return;
    for (const Type::Member& candidate : of.type->members) {
      if (candidate.name != name || candidate.location) continue;
      Value part = resolved(part_of(of, candidate.type, candidate.bit_offset / 8), context_);
      if (candidate.is_bit_field()) {
        part.bit_offset = candidate.bit_offset % 8;
        part.bit_size = candidate.bit_size;
      }
      // Several base classes may share a virtual base class, so a member may be found several times.
      const bool is_shared = count > 0 && part.type == found.type &&
                             part.storage.kind == Storage::Kind::Memory &&
                             part.storage.address == found.storage.address;
      if (!is_shared) ++count;
      found = std::move(part);
      return;  // this member hides members of base classes
    }
    for (const Type::Member& candidate : of.type->members)
      if (candidate.name.empty() && !candidate.location && candidate.type->kind == TypeKind::Struct)
        find_member(part_of(of, candidate.type, candidate.bit_offset / 8), name, depth + 1, found, count);
  }

  // ---- Names and numbers ----

  // Evaluates "$rsp" or "$counter".
  Value special(const std::string& name) {
    if (name.empty()) return {};
    if (const auto found = std::ranges::find(context_.variables, name, &TraceVariable::name);
        found != context_.variables.end()) {
      const Type* const type = types_.basic("long long");
      const auto value = frame_.variable(found->number);
      return value ? of_integer(*value, type) : Value{type, Storage::none(Missing::NotRecorded)};
    }
    const auto registers = registers_named(name, frame_.layout());
    if (registers.size() != 1 || registers.front()->size > 8) return {};
    const Register& reg = *registers.front();
    const bool is_part = reg.name != name && name != "pc" && name != "sp" && name != "fp";
    // Of the names for parts of registers, only names like "eax" are supported.
    if (is_part && (name.front() != 'e' || name.size() != 3)) return {};
    const Type* const type = is_part                          ? types_.basic("int")
                             : reg.form == ValueForm::Pointer ? types_.pointer_to(types_.basic("char"))
                             : reg.size == 4                  ? types_.basic("int")
                                                              : types_.basic("long");
    const auto bits = frame_.register_value(reg);
    return bits ? of_integer(*bits, type) : Value{type, Storage::none(Missing::NotRecorded)};
  }

  // The value of the name `text`. `name` is what the look-up of this text has found, or null.
  Value named(const FoundName* name, const std::string& text) {
    if (name == nullptr || context_.scope.has_types_only) return {};
    switch (kind_of(name->die)) {
      case kField:
        if (text == "this") return {};  // only damaged DWARF has a member with this name
        return member(dereferenced(named(look_up(context_.scope, "this"), "this")), text);
      case kFunction:
        return function(*name);
      case kObject:
        if (Dwarf_Die die = name->die; dwarf_tag(&die) == DW_TAG_enumerator) return enumerator(die);
        if (name->is_of_other_call) return of_other_call(*name);
        if (name->info == context_.scope.info) return value_of(name->die, context_);
        return value_of(name->die, {.scope = name->info->global_scope(), .frame = frame_});
      default:
        return {};
    }
  }

  // The value of a variable that belongs to a function outside of this scope. Only a static variable has a
  // known place. The places of other variables depend on the registers in a call of that function.
  Value of_other_call(const FoundName& name) {
    const CodeScope& globals = name.info->global_scope();
    FrameMemory no_registers(frame_.layout(), frame_.order());
    const Value value = value_of(name.die, {.scope = globals, .frame = no_registers});
    if (value.storage.kind == Storage::Kind::None) return {value.type, Storage::none(Missing::OtherFrame)};
    return value_of(name.die, {.scope = globals, .frame = frame_});
  }

  Value function(FoundName name) {
    Dwarf_Addr address = 0;
    const Type* const type = name.info->types().read(name.die);
    if (type == nullptr || dwarf_lowpc(&name.die, &address) != 0) return {};
    return {type, Storage::memory_at(address + name.info->bias())};
  }

  Value enumerator(Dwarf_Die die) {
    const auto attribute = own_attribute(die, DW_AT_const_value);
    const auto value = attribute ? constant_in(*attribute) : std::nullopt;
    return value ? number(static_cast<std::uint64_t>(*value), "int") : Value{};
  }

  // ---- Types ----

  // Converts an array to a pointer to its first element, and a function to a pointer to itself.
  Value decayed(const Value& value) {
    const Value plain = without_reference(value, context_);
    if (plain.type == nullptr) return plain;
    const bool is_array = plain.type->kind == TypeKind::Array && plain.type->target != nullptr;
    if (!is_array && plain.type->kind != TypeKind::Function) return plain;
    const Type* const pointer = types_.pointer_to(is_array ? plain.type->target : plain.type);
    // The elements of an array with one of these attributes are elsewhere or not adjacent. Therefore, their
    // places are unknown.
    if (plain.type->data_attribute || plain.type->stride_attribute)
      return {pointer, plain.storage.unusable(Missing::NotRecorded)};
    if (plain.storage.kind == Storage::Kind::Memory) return of_integer(plain.storage.address, pointer);
    return {pointer, plain.storage.unusable(Missing::NotUnderstood)};
  }

  const Type* promoted(const Type* type) {
    if (type->kind == TypeKind::Enum) {
      const bool is_wide = type->size > 4;
      return is_signed(*type) ? types_.basic(is_wide ? "long long" : "int")
                              : types_.basic(is_wide ? "unsigned long long" : "unsigned int");
    }
    return type->size < 4 || type->kind == TypeKind::Bool ? types_.basic("int") : type;
  }

  const Type* common(const Type& a, const Type& b) {
    const Type* const left = promoted(&a);
    const Type* const right = promoted(&b);
    const Type* const wider = left->size != right->size           ? (left->size > right->size ? left : right)
                              : right->kind == TypeKind::Unsigned ? right
                                                                  : left;
    // In languages that do not calculate as C does, GDB widens the operands to at least a long.
    const Type* const at_least = types_.basic(wider->kind == TypeKind::Unsigned ? "unsigned long" : "long");
    return wider->size >= at_least->size || calculates_as_c(context_.scope.unit) ? wider : at_least;
  }

  // The type of the result of a comparison: int in C, bool in other languages.
  const Type* truth_type() {
    static const Type kBool{.kind = TypeKind::Bool, .size = 1, .name = "bool"};
    return is_c(context_.scope.unit) ? types_.basic("int") : &kBool;
  }

  Value of_integer(std::uint64_t bits, const Type* type) const {
    if (type->size > sizeof bits) return {};
    return {type, Storage::value_bytes(stored(bits, type->size, frame_.order()))};
  }
  Value number(std::uint64_t bits, std::string_view type) { return of_integer(bits, types_.basic(type)); }

  template <typename... Operands>
  static Value missing(const Type* type, const Operands&... operands) {
    Missing why = Missing::NotUnderstood;
    for (const Value* const operand : {&operands...})
      if (operand->storage.kind == Storage::Kind::None)
        why = operand->storage.missing;
      else if (operand->storage.kind == Storage::Kind::Memory)
        why = Missing::NotRecorded;
    return {type, Storage::none(why)};
  }

  const EvaluationContext& context_;
  TypeTable& types_;
  FrameMemory& frame_;
  std::size_t parts_ = 0;  // number of parts that were searched for members
};

}  // namespace

Value evaluate(std::string_view expression, const EvaluationContext& context) {
  return Evaluator(context).evaluate(parse_expression(expression, context.scope));
}

std::vector<ItemValue> evaluate_item(const CollectItem& item, const EvaluationContext& context) {
  const CodeScope& scope = context.scope;
  std::vector<ItemValue> values;
  switch (item.kind) {
    case CollectItem::Kind::Name:
    case CollectItem::Kind::Expression:
    case CollectItem::Kind::Value:
      values.push_back({item.text, evaluate(item.text, context)});
      break;
    case CollectItem::Kind::ReturnAddress:
      values.push_back(
          {item.text, {scope.info->types().pointer_to(nullptr), return_address(scope, context.frame)}});
      break;
    case CollectItem::Kind::Variables:
      for (const CodeScope::Variable& variable : scope.variables) {
        constexpr std::uint64_t kWorkPerVariable = 300;
        if (!context.frame.take_work(kWorkPerVariable + scope.variables.size())) break;
        if (variable.is_parameter != item.text.starts_with("$arg")) continue;
        if (is_declaration(variable.die)) continue;
        const bool is_hidden = scope.find(variable.name) != &variable;
        values.push_back({variable.name, value_of(variable.die, context), is_hidden});
      }
      if (item.text.starts_with("$arg"))
        for (const CodeScope::Variable& parameter : scope.outer_parameters)
          values.push_back({parameter.name, value_of(parameter.die, context), true});
      break;
    default:
      break;
  }
  return values;
}

}  // namespace convert::tfile
