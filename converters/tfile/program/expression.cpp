#include "converters/tfile/program/expression.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <string>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/program/expression_reader.h"

namespace convert::tfile {
namespace {

using Kind = Type::Kind;

constexpr std::size_t kMaxDepth = 64;
constexpr std::uint64_t kMaxCount = ~std::uint32_t{0};

bool is_integer(const Type* type) {
  return type != nullptr && type->size <= 8 &&
         (type->kind == Kind::Signed || type->kind == Kind::Unsigned || type->kind == Kind::Bool ||
          type->kind == Kind::Enum);
}
bool is_pointer(const Type* type) { return type != nullptr && type->kind == Kind::Pointer; }
bool is_signed(const Type& type) {
  return type.kind == Kind::Signed || (type.kind == Kind::Enum && type.is_signed);
}

// The count of an array may be known at run time only.
const Type* counted(const Type* type, const EvaluationContext& context) {
  if (type == nullptr || type->kind != Kind::Array || type->target == nullptr) return type;
  const Type* const element = counted(type->target, context);
  std::uint64_t count = type->count;
  if (type->count_attribute)
    count = number_of(*type->count_attribute, context.scope, context.frame).value_or(0);
  if (type->last_attribute) {
    const auto last = number_of(*type->last_attribute, context.scope, context.frame);
    count = last ? *last + 1 - static_cast<std::uint64_t>(type->first) : 0;
  }
  if (count > kMaxCount) count = 0;
  if (element == type->target && count == type->count) return type;
  return context.scope.info->types().array_of(element, count, type->first);
}

class Evaluator : private ExpressionReader {
 public:
  Evaluator(std::string_view text, const EvaluationContext& context)
      : ExpressionReader(text),
        context_(context),
        types_(context.scope.info->types()),
        frame_(context.frame) {}

  Value evaluate() {
    Value value = binary(1);
    return is_at_end() ? value : Value{};
  }

 private:
  // ---- Operators ----

  Value binary(int lowest) {
    if (++depth_ > kMaxDepth) return {};
    Value left = unary();
    while (const BinaryOperator* const found = consume_operator(lowest))
      left = combined(found->text, left, binary(found->precedence + 1));
    --depth_;
    return left;
  }

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
      // One operand may decide alone.
      for (const auto& operand : {first, second})
        if (operand && (*operand != 0) != is_and) return number(is_and ? 0 : 1, "int");
      return first && second ? number(is_and ? 1 : 0, "int") : missing(types_.basic("int"), left, right);
    }
    static constexpr std::array<std::string_view, 6> kComparisons{"==", "!=", "<", ">", "<=", ">="};
    const bool is_comparison = std::ranges::find(kComparisons, operation) != kComparisons.end();
    if (points && !is_comparison) return {};
    const bool is_shift = operation == "<<" || operation == ">>";
    const Type* const result_type = is_comparison ? types_.basic("int") : is_shift ? shifted : type;
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
      return number(result ? 1 : 0, "int");
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

  // A pointer plus or minus a number, or the distance of two pointers.
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

  // "a[2]@3"
  Value repeated(const Value& first, const Value& counter) {
    const Value element = without_reference(first, frame_);
    const auto count = integer_of(counter, frame_);
    if (element.type == nullptr || element.type->size == 0 || !count || *count == 0 || *count > kMaxCount ||
        element.bit_size != 0)
      return {};
    const Type* const array = types_.array_of(element.type, *count);
    if (element.storage.kind == Storage::Kind::Memory) return {array, element.storage};
    return {array, Storage::none(element.storage.kind == Storage::Kind::None ? element.storage.missing
                                                                             : Missing::NotUnderstood)};
  }

  Value unary() {
    if (++depth_ > kMaxDepth) return {};
    Value value = unary_operator();
    --depth_;
    return value;
  }

  Value unary_operator() {
    if (consume("*")) return dereferenced(unary());
    if (!starts_with("&&") && consume("&")) return address_of(unary());
    if (consume("!")) {
      const Value operand = decayed(unary());
      if (!is_integer(operand.type) && !is_pointer(operand.type)) return {};
      const auto bits = integer_of(operand, frame_);
      return bits ? number(*bits == 0 ? 1 : 0, "int") : missing(types_.basic("int"), operand);
    }
    for (const std::string_view operation : {"-", "~", "+"}) {
      if (!consume(operation)) continue;
      const Value operand = without_reference(unary(), frame_);
      if (!is_integer(operand.type)) return {};
      const Type* const type = promoted(operand.type);
      const auto bits = integer_of(operand, frame_);
      if (!bits) return missing(type, operand);
      return of_integer(operation == "-" ? 0 - *bits : operation == "~" ? ~*bits : *bits, type);
    }
    if (consume("sizeof")) return size_of();
    if (consume("{")) {  // "{type} address"
      const Type* const type = type_name();
      if (type == nullptr || !consume("}")) return {};
      const Value operand = decayed(unary());
      const auto address = integer_of(operand, frame_);
      if (operand.type == nullptr) return {};
      return address ? Value{type, Storage::at(frame_.masked(*address))} : missing(type, operand);
    }
    if (const std::size_t before = at_; consume("(")) {
      const Type* const type = type_name();
      if (type != nullptr && consume(")")) {
        skip_blanks();
        if (at_ < text_.size() &&
            std::string_view(")]@,+/%|^=<>?").find(text_[at_]) == std::string_view::npos)
          return cast(type, unary());
      }
      at_ = before;
    }
    return postfix();
  }

  Value size_of() {
    const Type* type = nullptr;
    const std::size_t before = at_;
    if (consume("(")) {
      type = type_name();
      if (type != nullptr && !consume(")")) type = nullptr;
    }
    if (type == nullptr) {
      at_ = before;
      type = without_reference(unary(), frame_).type;
    }
    return type != nullptr ? number(type->size, "unsigned long") : Value{};
  }

  Value cast(const Type* type, const Value& operand) {
    const Value value = decayed(operand);
    if (value.type == nullptr) return {};
    const bool is_number = is_integer(value.type) || is_pointer(value.type);
    if (!is_number || (!is_integer(type) && !is_pointer(type))) return {};
    const auto bits = integer_of(value, frame_);
    if (!bits) return missing(type, value);
    return of_integer(type->kind == Kind::Bool ? (*bits != 0 ? 1 : 0) : *bits, type);
  }

  Value dereferenced(const Value& pointer) {
    const Value value = decayed(pointer);
    if (value.type != nullptr && value.type->kind == Kind::Function) return value;
    const Type* target = is_pointer(value.type) ? value.type->target : nullptr;
    // GDB reads a long at an integer's address.
    if (is_integer(value.type)) target = types_.basic("long");
    if (target == nullptr) return {};
    const auto address = integer_of(value, frame_);
    if (!address) return missing(target, value);
    return {counted(target, context_), Storage::at(frame_.masked(*address))};
  }

  Value address_of(const Value& operand) {
    const Value value = without_reference(operand, frame_);
    if (value.type == nullptr || value.bit_size != 0) return {};
    const Type* const pointer = types_.pointer_to(value.type);
    if (value.storage.kind == Storage::Kind::Memory) return of_integer(value.storage.address, pointer);
    return {pointer, Storage::none(value.storage.kind == Storage::Kind::None ? value.storage.missing
                                                                             : Missing::Unknown)};
  }

  Value postfix() {
    Value value = primary();
    while (value.type != nullptr) {
      if (consume("[")) {
        const Value index = binary(1);
        if (!consume("]")) return {};
        value = element_of(value, index);
      } else if (consume("->")) {
        const Value object = dereferenced(value);
        value = member(object, qualified());
      } else if (consume(".")) {
        Value object = without_reference(value, frame_);
        if (is_pointer(object.type)) object = dereferenced(object);  // as GDB does
        value = member(object, qualified());
      } else {
        break;
      }
    }
    return value;
  }

  Value element_of(const Value& of, Value index) {
    const Value array = without_reference(of, frame_);
    if (array.type != nullptr && array.type->kind == Kind::Array && array.type->first != 0) {
      const auto number_of_index = integer_of(index, frame_);
      if (!number_of_index) return {};
      index = number(*number_of_index - static_cast<std::uint64_t>(array.type->first), "long");
    }
    if (array.type != nullptr && array.type->kind == Kind::Array &&
        array.storage.kind == Storage::Kind::Bytes) {
      const auto at = integer_of(index, frame_);
      return at && *at < array.type->count && array.type->target != nullptr
                 ? part_of(array, array.type->target, *at * array.type->target->size)
                 : Value{};
    }
    return dereferenced(combined("+", array, index));
  }

  Value member(const Value& of, std::string name) {
    if (of.type == nullptr || of.type->kind != Kind::Struct || name.empty()) return {};
    // "Base::member"
    if (const std::size_t colons = name.rfind("::"); colons != std::string::npos) name.erase(0, colons + 2);
    Value found;
    std::size_t count = 0;
    find_member(of, name, 0, found, count);
    return count == 1 ? found : Value{};
  }

  void find_member(const Value& of, const std::string& name, std::size_t depth, Value& found,
                   std::size_t& count) const {
    if (depth > kMaxDepth) return;
    for (const Type::Member& candidate : of.type->members) {
      if (candidate.name != name || candidate.type == nullptr) continue;
      found = part_of(of, counted(candidate.type, context_), candidate.bit_offset / 8);
      if (candidate.bit_size != 0) {
        found.bit_offset = candidate.bit_offset % 8;
        found.bit_size = candidate.bit_size;
      }
      ++count;
      return;  // hides those of base classes
    }
    for (const Type::Member& candidate : of.type->members)
      if (candidate.name.empty() && candidate.type != nullptr && candidate.type->kind == Kind::Struct)
        find_member(part_of(of, candidate.type, candidate.bit_offset / 8), name, depth + 1, found, count);
  }

  static Value part_of(const Value& whole, const Type* type, std::uint64_t offset) {
    Value part{type, whole.storage};
    if (part.storage.kind == Storage::Kind::Memory) part.storage.address += offset;
    if (part.storage.kind != Storage::Kind::Bytes) return part;
    const std::uint64_t size = type->size;
    if (offset + size > part.storage.bytes.size()) return {type, Storage::none(Missing::NotUnderstood)};
    const auto cut = [&](auto& all) {
      if (all.empty()) return;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(offset + size), all.end());
      all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(offset));
    };
    cut(part.storage.bytes);
    cut(part.storage.known);
    return part;
  }

  // ---- Names and numbers ----

  Value primary() {
    skip_blanks();
    if (consume("(")) {
      Value value = binary(1);
      return consume(")") ? value : Value{};
    }
    if (starts_with("$")) return special();
    if (const auto found = number_text()) return number(found->first, found->second);
    if (starts_with("'")) return quoted();
    const bool is_global = consume("::");
    const std::string name = qualified();
    if (name.empty()) return {};
    return named(name, is_global);
  }

  // "$rsp" and "$counter".
  Value special() {
    ++at_;
    const std::string name = word();
    if (name.empty()) return {};
    if (context_.variable_number)
      if (const auto found = context_.variable_number(name)) {
        const Type* const type = types_.basic("long long");
        const auto value = frame_.variable(*found);
        return value ? of_integer(*value, type) : Value{type, Storage::none(Missing::NotRecorded)};
      }
    const auto registers = context_.registers ? context_.registers(name) : std::vector<const Register*>{};
    if (registers.size() != 1 || registers.front()->size > 8) return {};
    const Register& reg = *registers.front();
    const bool is_part = reg.name != name && name != "pc" && name != "sp" && name != "fp";
    if (is_part && (name.front() != 'e' || name.size() != 3)) return {};  // of parts only "eax" and so on
    const Type* const type = is_part                          ? types_.basic("int")
                             : reg.form == ValueForm::Pointer ? types_.pointer_to(types_.basic("char"))
                             : reg.size == 4                  ? types_.basic("int")
                                                              : types_.basic("long");
    const auto bits = frame_.register_value(reg);
    return bits ? of_integer(*bits, type) : Value{type, Storage::none(Missing::NotRecorded)};
  }

  // A character, or "'file.c'::name".
  Value quoted() {
    const bool is_escaped = text_.substr(at_ + 1).starts_with('\\');
    const std::size_t end = text_.find('\'', at_ + (is_escaped ? 3 : 2));
    if (end == std::string_view::npos) return {};
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (consume("::")) {
      const auto variable = context_.scope.info->variable_of_file(inside, qualified());
      return variable ? value_of(*variable, context_) : Value{};
    }
    if (inside.size() == 1) return number(static_cast<unsigned char>(inside.front()), "char");
    return {};
  }

  Value named(const std::string& name, bool is_global) {
    DebugInfo& info = *context_.scope.info;
    if (!is_global) {
      if (const CodeScope::Variable* const local = context_.scope.find(name)) {
        Dwarf_Die die = local->die;
        // "extern int count;" in a block: it is defined elsewhere.
        if (!is_declaration(&die)) return value_of(die, context_);
      } else if (const CodeScope::Variable* const self = context_.scope.find("this");
                 self && name != "this") {
        const Value object = dereferenced(value_of(self->die, context_));
        if (Value found = member(object, name); found.type != nullptr) return found;
      }
    }
    if (const auto* const of_unit = context_.scope.unit_variables; of_unit != nullptr && !is_global)
      if (const auto found = of_unit->find(name); found != of_unit->end())
        return value_of(found->second, context_);
    // From the innermost namespace outwards.
    std::string prefix = is_global ? "" : context_.scope.prefix;
    for (;;) {
      if (Value found = global(info, prefix + name, prefix.empty()); found.type != nullptr) return found;
      if (prefix.empty()) break;
      const std::size_t colons =
          prefix.size() > 2 ? prefix.rfind("::", prefix.size() - 3) : std::string::npos;
      prefix.resize(colons == std::string::npos ? 0 : colons + 2);
    }
    for (DebugInfo* const other : info.others())
      if (Value found = global(*other, name, true); found.type != nullptr) return found;
    const std::size_t colons = name.rfind("::");
    if (colons == std::string::npos) return {};
    const auto variable = info.variable_of_function(name.substr(0, colons), name.substr(colons + 2));
    return variable ? value_of(*variable, context_) : Value{};
  }

  // `may_be_inside`: a name inside of any namespace or class is found, too, if it is the only one.
  Value global(DebugInfo& info, const std::string& name, bool may_be_inside) {
    GlobalNames& globals = info.globals();
    if (Dwarf_Die* const variable = globals.variable(name, may_be_inside))
      return value_of(*variable, {.scope = info.global_scope(), .frame = frame_});
    if (Dwarf_Die* const function = globals.function(name, may_be_inside)) {
      Dwarf_Addr address = 0;
      const Type* const type = info.types().read(function);
      if (type == nullptr || dwarf_lowpc(function, &address) != 0) return {};
      return {type, Storage::at(address + info.bias())};
    }
    if (Dwarf_Die* const enumerator = globals.enumerator(name, may_be_inside)) {
      Dwarf_Attribute attribute;
      Dwarf_Sword value = 0;
      if (dwarf_formsdata(dwarf_attr(enumerator, DW_AT_const_value, &attribute), &value) != 0) return {};
      return number(static_cast<std::uint64_t>(value), "int");
    }
    return {};
  }

  // "struct item *", "unsigned char", "app::Base **", "char (*)[8]"; consumes nothing when there is no type.
  const Type* type_name() {
    const std::size_t before = at_;
    const Type* type = type_specifier();
    if (type == nullptr && !(is_void_ && starts_with("*"))) {
      at_ = before;
      return nullptr;
    }
    const auto pointers = [&] {
      for (;;) {
        if (consume("*"))
          type = types_.pointer_to(type);
        else if (!consume("const") && !consume("volatile") && !consume("__restrict"))
          break;
      }
    };
    pointers();
    if (const std::size_t inner = at_; type != nullptr && consume("(")) {
      std::size_t stars = 0;
      while (consume("*")) ++stars;
      if (stars == 0 || !consume(")") || !consume("[")) {
        at_ = inner;
        return type;
      }
      const auto count = number_text();
      if (!count || !consume("]")) return nullptr;
      type = types_.array_of(type, count->first);
      for (std::size_t i = 0; i < stars; ++i) type = types_.pointer_to(type);
    } else if (type != nullptr && type->size > 0 && consume("[")) {
      const auto count = number_text();
      if (!count || !consume("]")) return nullptr;
      type = types_.array_of(type, count->first);
    }
    return type;
  }

  const Type* type_specifier() {
    std::string words;
    bool is_tagged = false;
    is_void_ = false;
    for (;;) {
      const std::size_t word_begin = at_;
      const std::string next = qualified();
      if (next.empty()) break;
      if (next == "struct" || next == "union" || next == "enum" || next == "class") {
        is_tagged = true;
        continue;
      }
      if (next == "const" || next == "volatile") continue;
      if (!words.empty() && types_.basic(words) == nullptr) {
        at_ = word_begin;
        break;
      }
      words += words.empty() ? next : " " + next;
    }
    is_void_ = words == "void";
    if (words.empty() || is_void_) return nullptr;
    if (!is_tagged)
      if (const Type* const basic = types_.basic(words)) return basic;
    if (!is_tagged && context_.scope.find(words) != nullptr) return nullptr;
    Dwarf_Die* const found = context_.scope.info->globals().type(words);
    return found != nullptr ? types_.read(found) : nullptr;
  }

  // ---- Types ----

  Value decayed(const Value& value) {
    const Value plain = without_reference(value, frame_);
    if (plain.type == nullptr || plain.type->kind != Kind::Array || plain.type->target == nullptr)
      return plain;
    const Type* const pointer = types_.pointer_to(plain.type->target);
    if (plain.storage.kind == Storage::Kind::Memory) return of_integer(plain.storage.address, pointer);
    return {pointer, Storage::none(plain.storage.kind == Storage::Kind::None ? plain.storage.missing
                                                                             : Missing::NotUnderstood)};
  }

  const Type* promoted(const Type* type) {
    if (type->kind == Kind::Enum) {
      const bool is_wide = type->size > 4;
      return is_signed(*type) ? types_.basic(is_wide ? "long long" : "int")
                              : types_.basic(is_wide ? "unsigned long long" : "unsigned int");
    }
    return type->size < 4 || type->kind == Kind::Bool ? types_.basic("int") : type;
  }

  const Type* common(const Type& a, const Type& b) {
    const Type* const left = promoted(&a);
    const Type* const right = promoted(&b);
    if (left->size != right->size) return left->size > right->size ? left : right;
    return right->kind == Kind::Unsigned ? right : left;
  }

  Value of_integer(std::uint64_t bits, const Type* type) const {
    std::vector<std::byte> bytes(sizeof bits);
    store(bytes.data(), bits, frame_.order());
    if (type->size > bytes.size()) return {};
    if (frame_.order() == std::endian::big)
      bytes.erase(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(type->size));
    bytes.resize(type->size);
    return {type, Storage::of(std::move(bytes))};
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
  std::size_t depth_ = 0;
  bool is_void_ = false;  // the type that was read last
};

}  // namespace

Value value_of(Dwarf_Die variable, const EvaluationContext& context) {
  const Type* const type = counted(context.scope.info->types().of(&variable), context);
  if (type == nullptr) return {};
  return {type, locate(variable, type->size, context.scope, context.frame)};
}

Value evaluate(std::string_view expression, const EvaluationContext& context) {
  return Evaluator(expression, context).evaluate();
}

Value without_reference(const Value& value, FrameMemory& frame) {
  if (value.type == nullptr || value.type->kind != Type::Kind::Reference) return value;
  const Type* const target = value.type->target;
  if (target == nullptr) return {};
  const auto address = integer_of(value, frame);
  if (address) return {target, Storage::at(frame.masked(*address))};
  const bool is_missing = value.storage.kind == Storage::Kind::None;
  return {target, Storage::none(is_missing ? value.storage.missing : Missing::NotRecorded)};
}

std::optional<std::uint64_t> integer_of(const Value& value, FrameMemory& frame) {
  if (value.type == nullptr || value.type->size == 0 || value.type->size > 8) return std::nullopt;
  std::span<const std::byte> bytes = value.storage.bytes;
  const std::uint64_t size =
      value.bit_size != 0 ? (value.bit_offset + value.bit_size + 7) / 8 : value.type->size;
  if (size > 8) return std::nullopt;
  if (value.storage.kind == Storage::Kind::Memory) {
    frame.set_read_values();
    bytes = frame.bytes(value.storage.address, size);
  } else if (std::ranges::find(value.storage.known, false) != value.storage.known.end()) {
    return std::nullopt;
  }
  if (bytes.size() < size) return std::nullopt;
  const bool has_sign = is_signed(*value.type);
  std::uint64_t bits = unsigned_bits(bytes.first(size), frame.order());
  if (value.bit_size == 0) return extended(bits, 8 * size, has_sign);
  const std::uint64_t above = 8 * size - value.bit_offset - value.bit_size;
  bits >>= frame.order() == std::endian::little ? value.bit_offset : above;
  return extended(bits, value.bit_size, has_sign);
}

}  // namespace convert::tfile
