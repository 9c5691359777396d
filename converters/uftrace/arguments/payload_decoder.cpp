#include "converters/uftrace/arguments/payload_decoder.h"

#include <array>
#include <string>
#include <string_view>

#include "converters/model/reading/long_double.h"
#include "converters/model/reading/text.h"

namespace convert::uftrace {
namespace {

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

// task.txt does not have the sizes of libraries that were loaded later. This size is assumed instead.
constexpr std::uint64_t kLargestLibrary = std::uint64_t{256} << 20;
// The limit for cached pointers, because there can be many pointers into large tables. At this number, all
// cached pointers are dropped.
constexpr std::size_t kMaxPointers = 65536;

}  // namespace

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

// ---- Finding the layouts of a record ----

void PayloadDecoder::find_ranges() {
  ranges_.clear();
  const AddressSpace* const space = symbols_.space();
  if (space == nullptr) return;
  for (const Module& module : space->map.modules) ranges_.push_back({module.start, module.end});
  for (const Library& library : space->libraries) {
    const std::uint64_t room = ~library.base;
    ranges_.push_back({library.base, library.base + std::min(kLargestLibrary, room)});
  }
  std::ranges::sort(ranges_, {}, &AddressRange::start);
  for (std::size_t i = 0; i + 1 < ranges_.size(); ++i)
    ranges_[i].end = std::min(ranges_[i].end, ranges_[i + 1].start);
}

std::span<const PayloadLayout> PayloadDecoder::candidates(std::uint64_t time_ns, std::uint64_t address,
                                                          bool is_entry) {
  if (symbols_.move_to(time_ns)) {
    functions_.emplace(layouts_.context().symbolizer.cache_budget());
    pointers_.clear();
    find_ranges();
  }
  const FunctionLayouts* const found =
      functions_->get(address, [&] { return &layouts_.of(symbols_.at(address), symbols_.space()); });
  return is_entry ? found->entry : found->exit;
}

// Compares with the ranges first, because most values are not pointers to symbols.
std::optional<NameId> PayloadDecoder::symbol_at(std::uint64_t address) {
  auto range = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::start);
  if (range == ranges_.begin() || address >= (--range)->end) return std::nullopt;
  if (pointers_.size() >= kMaxPointers) pointers_.clear();
  const auto [known, is_new] = pointers_.try_emplace(address);
  if (is_new) {
    const SymbolAt symbol = symbols_.at(address);
    const PayloadLayouts::Context& context = layouts_.context();
    if (symbol.symbol != nullptr)
      known->second = context.names.intern(demangle(symbol.symbol->name, context.demangle));
  }
  return known->second;
}

}  // namespace convert::uftrace
