#include "converters/uftrace/arguments/payload_layout.h"

#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "converters/model/reading/long_double.h"
#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/argument_names.h"

namespace convert::uftrace {
namespace {

// ---- Values in specs ----

// The limit for the candidate layouts of a function. More layouts would cost time, and would match by chance.
constexpr std::size_t kMaxCandidates = 16;

// The limit for the values of a layout. A recorder writes at most 1020 bytes, so more than 256 do not fit.
constexpr std::size_t kMaxSteps = 256;

const EnumType* find_enum(const std::string& name, const PayloadLayout::Context& context) {
  for (const EnumTypes* const types : {context.module_enums, &context.enums}) {
    if (types == nullptr) continue;
    if (const auto found = types->find(name); found != types->end()) return &found->second;
  }
  return nullptr;
}

// True if the machine passes argument `item.number` in the register or stack slot of the item, as in arg3%rdx
// or arg7%stack+1.
bool is_in_its_place(const SpecItem& item, const FunctionType& function) {
  if (item.location.kind == SpecLocation::Kind::Stack)
    return !item.is_float && item.number > function.integer_registers &&
           item.location.number == static_cast<std::int64_t>(item.number - function.integer_registers);
  if (item.location.kind != SpecLocation::Kind::Register)
    return item.location.number == static_cast<std::int64_t>(item.number);
  constexpr std::array<std::string_view, 6> kIntegers{"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
  const std::string_view at = item.location.registers;
  if (item.is_float)
    return at == fmt::format("xmm{}", item.number - 1) || at == fmt::format("d{}", item.number - 1);
  return (item.number <= kIntegers.size() && at == kIntegers.at(item.number - 1)) ||
         at == fmt::format("x{}", item.number - 1);
}

// Returns the parameter to which the item belongs, or null if this is uncertain.
const Parameter* parameter_of(const SpecItem& item, const PayloadLayout::Context& context) {
  if (context.function == nullptr || item.is_return() || !is_in_its_place(item, *context.function))
    return nullptr;
  const auto& row = item.is_float ? context.function->floats : context.function->integers;
  return item.number <= row.size() ? &row[item.number - 1] : nullptr;
}

// Returns the name of the value in the program. Nothing if the name is uncertain or not unique.
std::optional<std::string> parameter_name(const SpecItem& item, const PayloadLayout::Context& context) {
  const Parameter* const parameter = parameter_of(item, context);
  if (parameter == nullptr || parameter->name.empty()) return std::nullopt;
  const std::string& name = parameter->name;
  const std::string_view number = std::string_view(name).substr(name.starts_with("fp") ? 2 : 0);
  const bool is_numbered =
      number.starts_with("arg") && number.find_first_not_of("0123456789", 3) == std::string_view::npos;
  const auto of_this_name = std::ranges::count(context.function->integers, name, &Parameter::name) +
                            std::ranges::count(context.function->floats, name, &Parameter::name);
  if (is_numbered || of_this_name != 1 || std::ranges::find(kReservedNames, name) != kReservedNames.end())
    return std::nullopt;
  return name;
}

// Returns the value's type in the program. Nothing if it is unknown, a float, or wider than the recorded
// value. Also nothing for big-endian recordings, where registers do not begin with the low bytes.
std::optional<ScalarType> type_in_program(const SpecItem& item, const PayloadLayout::Context& context) {
  std::optional<ScalarType> type;
  if (const Parameter* const parameter = parameter_of(item, context))
    type = parameter->type;
  else if (context.function != nullptr && item.is_return() && item.location.kind == SpecLocation::Kind::Index)
    type = context.function->result;
  const bool fits = type && type->kind != ScalarType::Kind::Float && type->size <= item.size &&
                    context.order == std::endian::little;
  return fits ? type : std::nullopt;
}

// True if the recording lacks the type of one of these values.
bool lacks_types(const std::vector<std::vector<SpecItem>>& lists) {
  return std::ranges::any_of(lists, [](const std::vector<SpecItem>& items) {
    return std::ranges::count(items, Format::Auto, &SpecItem::format) != 0;
  });
}

// ---- Values in payloads ----

constexpr std::uint64_t kLargestDecimal = 100'000;  // as in uftrace, larger numbers are hexadecimal
constexpr std::int64_t kEof = -1;

// The recorder stores complete registers. If a register has a negative int, its upper half is 0. Like
// uftrace, this function sign-extends values that would be small negative ints.
std::uint64_t signed_if_near(std::uint64_t bits) {
  constexpr std::uint64_t kFirst = 0xffff'0001, kLast = 0xffff'ffff;
  return bits >= kFirst && bits <= kLast ? bits | ~kLast : bits;
}

bool is_decimal(std::uint64_t bits) { return bits + kLargestDecimal <= 2 * kLargestDecimal; }

NameId name_in(std::uint64_t header) { return static_cast<NameId>(PackedHeader::Name::get(header)); }

std::uint64_t* put(std::uint64_t* word, std::uint64_t header, std::uint64_t bits) {
  word[0] = header;
  word[1] = bits;
  return word + 2;
}

// Writes a string. `header` does not contain the size yet.
std::uint64_t* put_text(std::uint64_t* word, std::uint64_t header, const void* text, std::size_t size) {
  *word = header | PackedHeader::Size::put(size);
  return fxt::put_padded(word + 1, text, size);
}

std::uint64_t* put_text(std::uint64_t* word, NameId name, std::string_view text) {
  return put_text(word, PackedHeader::of(name, ArgumentKind::Text), text.data(), text.size());
}

// Writes a string of the program. The string gets quotes if it is_unclear().
std::uint64_t* put_string(std::uint64_t* word, std::uint64_t header, const std::byte* bytes,
                          std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (!is_unclear(text)) return put_text(word, header, bytes, size);
  std::array<char, kMaxPayload + 2> quoted;
  quoted[0] = quoted[size + 1] = '"';
  std::ranges::copy(text, quoted.begin() + 1);
  return put_text(word, header, quoted.data(), size + 2);
}

std::uint64_t* put_hex(std::uint64_t* word, std::uint64_t header, const std::byte* bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 2 * kMaxPayload> text;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    text[2 * i] = kDigits[byte / 16];
    text[2 * i + 1] = kDigits[byte % 16];
  }
  return put_text(word, header, text.data(), 2 * size);
}

// Writes the number as a double, or as a string if a double can't represent the number.
std::uint64_t* put_long_double(std::uint64_t* word, std::uint64_t header, const LongDouble& number) {
  if (number.is_double()) return put(word, header, std::bit_cast<std::uint64_t>(number.value()));
  return put_text(word, name_in(header), number.text());
}

// Very old recorders wrote 0xffffffff for a null pointer. Newer recorders write the text NULL.
bool is_null_text(const std::byte* text, std::size_t size) {
  return size == 4 && load<std::uint32_t>(text, std::endian::native) == 0xffff'ffff;
}

std::uint64_t* put_enum(std::uint64_t* word, NameId name, const EnumType& type, std::uint64_t bits) {
  const std::int64_t value = type.value_of(bits);
  if (const Enumerator* const known = type.find(value))
    return put(word, PackedHeader::of(name, ArgumentKind::Name), static_cast<std::uint32_t>(known->name_id));
  std::string text;
  if (!type.describe(value, text)) {
    const auto number = static_cast<std::uint64_t>(value);
    return is_decimal(number) ? put(word, PackedHeader::of(name, ArgumentKind::Int64), number)
                              : put(word, PackedHeader::of(name, ArgumentKind::Pointer), bits);
  }
  return put_text(word, name, std::string_view(text).substr(0, kMaxPayload));
}

}  // namespace

// ---- Making the steps of a layout ----

PayloadLayout::PayloadLayout(const std::vector<SpecItem>& items, const Context& context)
    : order_(context.order) {
  bool has_result = false;
  for (const SpecItem& item : items) {
    if (steps_.size() == kMaxSteps) break;
    Step step = step_of(item, context);
    // A spec may request the return value as an integer and as a float. The recorder then stores both, and
    // only the first one is shown.
    if (item.is_return() && has_result) step.load = Load::Hidden;
    has_result = has_result || item.is_return();
    steps_.push_back(step);
    fixed_words_ += most_words_of(step);
    if (step.load == Load::Text) {
      texts_.push_back(fixed_size_);
      fixed_size_ = 0;
    } else {
      fixed_size_ += step.space;
    }
  }
}

PayloadLayout::Step PayloadLayout::step_of(const SpecItem& item, const Context& context) {
  Names& names = context.names;
  const std::string spec_name = item.is_return()
                                    ? std::string(kReturnValue)
                                    : fmt::format("{}{}", item.is_float ? "fparg" : "arg", item.number);
  const std::string name = parameter_name(item, context).value_or(spec_name);
  const NameId id = names.intern(name);
  const auto number = [&](Load load, ArgumentKind kind) {
    return Step{.name = names.intern(spec_name),
                .load = load,
                .size = static_cast<std::uint32_t>(item.size),
                .space = static_cast<std::uint32_t>(aligned(item.size)),
                .header = PackedHeader::of(id, kind),
                .extra_header = PackedHeader::of(id, ArgumentKind::Pointer)};
  };
  const auto pointer = [&] {
    Step step = number(Load::Pointer, ArgumentKind::Pointer);
    step.extra_header = PackedHeader::of(names.intern(name + " symbol"), ArgumentKind::Name);
    return step;
  };
  switch (item.format) {
    case Format::Auto: {
      const auto type = type_in_program(item, context);
      if (!type)
        return number(item.size == sizeof(std::uint64_t) ? Load::Auto : Load::AutoPart, ArgumentKind::Int64);
      Step step = type->is_pointer                         ? pointer()
                  : type->is_character                     ? number(Load::Char, ArgumentKind::Text)
                  : type->kind == ScalarType::Kind::Signed ? number(Load::Signed, ArgumentKind::Int64)
                                                           : number(Load::Bits, ArgumentKind::Uint64);
      step.size = static_cast<std::uint32_t>(type->size);
      return step;
    }
    case Format::Signed:
      return number(Load::Signed, ArgumentKind::Int64);
    case Format::Unsigned:
      return number(Load::Unsigned, ArgumentKind::Uint64);
    case Format::Hex:
      return number(Load::Bits, ArgumentKind::Pointer);
    case Format::Octal:
      return number(Load::Bits, ArgumentKind::Uint64);
    case Format::Char:
      return number(Load::Char, ArgumentKind::Text);
    case Format::Float:
      return number(item.size == sizeof(float)    ? Load::Float
                    : item.size == sizeof(double) ? Load::Double
                                                  : Load::LongDouble,
                    ArgumentKind::Double);
    case Format::String:
    case Format::StdString:
      return number(Load::Text, ArgumentKind::Text);
    case Format::Pointer:
      return pointer();
    case Format::Enum: {
      Step step = number(Load::Enum, ArgumentKind::Name);
      step.type = find_enum(item.type_name, context);
      if (step.type == nullptr) return number(Load::Auto, ArgumentKind::Int64);
      return step;
    }
    case Format::Struct:
      break;
  }
  Step step = number(Load::Struct, ArgumentKind::Name);
  const std::string_view type = item.type_name.starts_with("<lambda") ? "" : std::string_view(item.type_name);
  step.struct_text =
      static_cast<std::uint32_t>(names.intern(fmt::format("{}{}", type, item.size == 0 ? "{}" : "{...}")));
  step.extra_header =
      item.size != 0 ? PackedHeader::of(names.intern(name + " bytes"), ArgumentKind::Text) : 0;
  return step;
}

std::size_t PayloadLayout::most_words_of(const Step& step) {
  constexpr std::size_t kNumber = 2, kText = 1;
  constexpr std::size_t kLongDoubleText = 4;
  constexpr std::size_t kCharacterText = 2;  // for example "'\\351' (-23)"
  switch (step.load) {
    case Load::Pointer:
      return 2 * kNumber;
    case Load::LongDouble:
      return kText + kLongDoubleText;
    case Load::Char:
      return kText + kCharacterText;
    case Load::Text:
      // most_words() adds a word for each 8 bytes of the payload. One more word is for the remaining bytes.
      // The payload has a length of 2 bytes before the string, so the words also suffice for two quotes.
      return kText + 1;
    case Load::Enum:
      return kText + fxt::words_of(std::min(kMaxPayload, step.type->longest_text()));
    case Load::Struct:
      return kNumber + kText + fxt::words_of(2 * std::size_t{step.size});
    default:
      return kNumber;
  }
}

// ---- Running the steps of a layout ----

void PayloadLayout::add_values(std::span<const std::byte> payload, SymbolNames& symbols,
                               Arguments& into) const {
  if (!is_whole(payload)) return;
  const PackedArguments added = put_values(payload, symbols, into.reserve(most_words(payload.size())));
  into.commit(added.end, added.count);
}

PackedArguments PayloadLayout::put_values(std::span<const std::byte> payload, SymbolNames& symbols,
                                          std::uint64_t* word) const {
  return order_ == std::endian::little ? put_ordered<std::endian::little>(payload.data(), symbols, word)
                                       : put_ordered<std::endian::big>(payload.data(), symbols, word);
}

template <std::endian Order>
PackedArguments PayloadLayout::put_ordered(const std::byte* at, SymbolNames& symbols,
                                           std::uint64_t* word) const {
  std::size_t count = 0;
  for (const Step& step : steps_) {
    ++count;
    std::size_t space = step.space;
    switch (step.load) {
      case Load::Auto: {
        const std::uint64_t bits = signed_if_near(unsigned_bits({at, step.size}, Order));
        word = put(word, is_decimal(bits) ? step.header : step.extra_header, bits);
        break;
      }
      case Load::AutoPart: {
        const std::uint64_t bits = signed_bits({at, step.size}, Order);
        word = is_decimal(bits)
                   ? put(word, step.header, bits)
                   : put(word, step.extra_header, extended(bits, 8 * std::size_t{step.size}, false));
        break;
      }
      case Load::Signed:
        word = put(word, step.header, signed_bits({at, step.size}, Order));
        break;
      case Load::Unsigned: {
        const std::uint64_t bits = unsigned_bits({at, step.size}, Order);
        word = put(word, bits <= kLargestDecimal ? step.header : step.extra_header, bits);
        break;
      }
      case Load::Bits:
        word = put(word, step.header, unsigned_bits({at, step.size}, Order));
        break;
      case Load::Pointer: {
        const std::uint64_t address = unsigned_bits({at, step.size}, Order);
        word = put(word, step.header, address);
        if (const auto symbol = symbols.symbol_at(address)) {
          word = put(word, step.extra_header, static_cast<std::uint32_t>(*symbol));
          ++count;
        }
        break;
      }
      case Load::Char: {
        const auto code = std::to_integer<std::int8_t>(*at);
        word = code == kEof ? put(word, PackedHeader::of(name_in(step.header), ArgumentKind::Int64),
                                  static_cast<std::uint64_t>(kEof))
                            : put_text(word, name_in(step.header), spelled_character(code));
        break;
      }
      case Load::Float:
        word = put(word, step.header, std::bit_cast<std::uint64_t>(double{load<float>(at, Order)}));
        break;
      case Load::Double:
        word = put(word, step.header, load<std::uint64_t>(at, Order));
        break;
      case Load::LongDouble:
        word = put_long_double(word, step.header, LongDouble({at, LongDouble::kBytes}, Order));
        break;
      case Load::Text: {
        const std::size_t size = load<std::uint16_t>(at, Order);
        const std::byte* const text = at + kTextHead;
        if (is_null_text(text, size)) {
          *word++ = PackedHeader::Name::put(PackedHeader::Name::get(step.header));
        } else {
          word = put_string(word, step.header, text, size);
        }
        space = aligned(kTextHead + size);
        break;
      }
      case Load::Enum:
        word = put_enum(word, name_in(step.header), *step.type, unsigned_bits({at, step.size}, Order));
        break;
      case Load::Struct:
        word = put(word, step.header, step.struct_text);
        if (step.extra_header != 0) {
          word = put_hex(word, step.extra_header, at, step.size);
          ++count;
        }
        break;
      case Load::Hidden:
        --count;
        break;
    }
    at += space;
  }
  return {word, count};
}

std::optional<Argument> PayloadLayout::number(std::span<const std::byte> payload, NameId name) const {
  if (!is_whole(payload)) return std::nullopt;
  const std::byte* at = payload.data();
  for (const Step& step : steps_) {
    if (step.name != name) {
      const bool is_text = step.load == Load::Text;
      at += is_text ? aligned(kTextHead + load<std::uint16_t>(at, order_)) : step.space;
      continue;
    }
    switch (step.load) {
      case Load::Auto:
        return Argument(name,
                        static_cast<std::int64_t>(signed_if_near(unsigned_bits({at, step.size}, order_))));
      case Load::AutoPart:
      case Load::Signed:
      case Load::Char:
        return Argument(name, static_cast<std::int64_t>(signed_bits({at, step.size}, order_)));
      case Load::Unsigned:
      case Load::Bits:
      case Load::Pointer:
        return Argument(name, unsigned_bits({at, step.size}, order_));
      case Load::Enum:
        return Argument(name, step.type->value_of(unsigned_bits({at, step.size}, order_)));
      case Load::Float:
      case Load::Double:
      case Load::LongDouble:
      case Load::Text:
      case Load::Struct:
      case Load::Hidden:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

// ---- The layouts of all functions ----

std::vector<PayloadLayout> PayloadLayouts::compile(std::vector<std::vector<SpecItem>> lists,
                                                   const DebugFile* file,
                                                   const FunctionType& function) const {
  const PayloadLayout::Context context{.order = context_.order,
                                       .names = context_.names,
                                       .enums = context_.specs.enums(),
                                       .module_enums = file != nullptr ? &file->enums() : nullptr,
                                       .function = &function};
  lists.emplace_back();  // a recorder may set the `more` bit, but store no values
  lists.resize(std::min(lists.size(), kMaxCandidates));
  std::vector<PayloadLayout> layouts;
  for (const auto& items : lists) layouts.emplace_back(items, context);
  return layouts;
}

const FunctionLayouts& PayloadLayouts::of(const SymbolAt& symbol, const AddressSpace* space) {
  static const FunctionLayouts kNone;
  if (symbol.symbol == nullptr || !context_.specs.has_any()) return kNone;
  const DebugFile* const file = context_.debug.of(symbol);
  const std::lock_guard lock(mutex_);
  const FunctionLayouts*& known = functions_[{symbol.symbol, symbol.image}];
  if (known == nullptr) {
    FunctionFacts facts{.names = symbol.names(Demangle::Simple),
                        .is_in = [&](std::string_view module) { return symbol.is_in(module, space); }};
    if (file != nullptr) facts.debug = file->find(symbol.symbol->start, symbol.symbol->name);
    auto entry = context_.specs.candidate_layouts(facts, false);
    auto exit = context_.specs.candidate_layouts(facts, true);
    const FunctionType function =
        context_.symbolizer.images().function_of(symbol, space, lacks_types(entry) || lacks_types(exit));
    FunctionLayouts layouts{.entry = compile(std::move(entry), file, function),
                            .exit = compile(std::move(exit), file, function)};
    known = &*layouts_.insert(std::move(layouts)).first;
  }
  return *known;
}

}  // namespace convert::uftrace
