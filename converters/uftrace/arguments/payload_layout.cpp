// Compiles the specs of functions into layouts of payloads.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/recording/argument_names.h"

namespace convert::uftrace {
namespace {

// The limit for the candidate layouts of a function. More layouts would cost time, and would match by chance.
constexpr std::size_t kMaxCandidates = 16;

// The limit for values. More than 256 values do not fit into the 1020 bytes that a recorder writes.
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

// Returns the name of the value in the program, or nothing if it is uncertain or not unique.
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

// Returns the value's type in the program, or nothing if it is unknown, a float, or wider than the recorded
// value. Returns nothing for big-endian recordings, where registers do not begin with the low bytes.
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

// True if the recording does not have the type of one of these values.
bool lacks_types(const std::vector<std::vector<SpecItem>>& lists) {
  return std::ranges::any_of(lists, [](const std::vector<SpecItem>& items) {
    return std::ranges::count(items, Format::Auto, &SpecItem::format) != 0;
  });
}

}  // namespace

PayloadLayout::PayloadLayout(const std::vector<SpecItem>& items, const Context& context)
    : order_(context.order) {
  bool has_result = false;
  for (const SpecItem& item : items) {
    if (steps_.size() == kMaxSteps) break;
    Step step = step_of(item, context);
    // The recorder stores an integer and a float for a return value. The second one is hidden.
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
      return kText +
             1;  // plus a word per 8 bytes of the payload; two quotes take the place of the 2-byte length
    case Load::Enum:
      return kText + fxt::words_of(std::min(kMaxPayload, step.type->longest_text()));
    case Load::Struct:
      return kNumber + kText + fxt::words_of(2 * std::size_t{step.size});
    default:
      return kNumber;
  }
}

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
