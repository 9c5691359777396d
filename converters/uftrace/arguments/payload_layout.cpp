#include "converters/uftrace/arguments/payload_layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

#include "converters/model/reading/load.h"
#include "converters/model/reading/long_double.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kAlignment = 4;         // of each value in a payload
constexpr std::size_t kTextHead = 2;          // a text's length
constexpr std::string_view kNulText = "\\0";  // what a NUL character is shown as

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// More values than 256 do not fit the 1020 bytes that a recorder writes.
constexpr std::size_t kMaxSteps = 256;
constexpr std::size_t kMaxPayloadBytes = 1024;
// What values need at most, each: two arguments of two words, or a text that no payload bounds.
constexpr std::size_t kWordsPerValue = 5;
constexpr std::size_t kWordsPerEnum = 1 + kMaxPayloadBytes / 8;
// All texts of a payload, or all its bytes in hexadecimal digits.
constexpr std::size_t kWordsOfBytes = 2 * kMaxPayloadBytes / 8;

std::uint64_t load_signed(const std::byte* at, std::size_t size, std::endian order) {
  return static_cast<std::uint64_t>(sign_extended(load_unsigned(at, size, order), size));
}

// Registers are recorded whole, so a negative int has zeros above: uftrace takes those near to 0 for what
// they are.
std::uint64_t signed_if_near(std::uint64_t bits) {
  constexpr std::uint64_t kFirst = 0xffff'0001, kLast = 0xffff'ffff;
  return bits >= kFirst && bits <= kLast ? bits | ~kLast : bits;
}

std::uint64_t* put(std::uint64_t* word, std::uint64_t header, std::uint64_t bits) {
  word[0] = header;
  word[1] = bits;
  return word + 2;
}

// A text in place; `header` lacks its size.
std::uint64_t* put_text(std::uint64_t* word, std::uint64_t header, const void* text, std::size_t size) {
  *word++ = header | ArgumentHeader::Size::put(size);
  const std::size_t words = (size + sizeof *word - 1) / sizeof *word;
  if (words == 0) return word;
  word[words - 1] = 0;
  std::memcpy(word, text, size);
  return word + words;
}

std::uint64_t* put_hex(std::uint64_t* word, std::uint64_t header, const std::byte* bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 2 * kMaxPayloadBytes> text;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    text[2 * i] = kDigits[byte / 16];
    text[2 * i + 1] = kDigits[byte % 16];
  }
  return put_text(word, header, text.data(), 2 * size);
}

// As a text where a double has no room for it.
std::uint64_t* put_long_double(std::uint64_t* word, std::uint64_t header, const LongDouble& number) {
  if (number.is_double()) return put(word, header, std::bit_cast<std::uint64_t>(number.value()));
  const std::string text = number.text();
  return put_text(
      word, ArgumentHeader::of(static_cast<NameId>(ArgumentHeader::Name::get(header)), ArgumentType::Text),
      text.data(), text.size());
}

// Very old recorders wrote this for a null pointer; newer ones the word NULL, as of any text.
bool is_null_text(const std::byte* text, std::size_t size) {
  return size == 4 && load<std::uint32_t>(text, std::endian::native) == 0xffff'ffff;
}

std::uint64_t* put_enum(std::uint64_t* word, std::uint64_t header, const EnumNames& names,
                        std::uint64_t bits) {
  const std::int64_t value = names.type->value_of(bits);
  const auto name = ArgumentHeader::Name::put(ArgumentHeader::Name::get(header));
  const auto typed = [&](ArgumentType type) {
    return name | ArgumentHeader::Type::put(static_cast<std::uint64_t>(type));
  };
  const auto known = names.names.find(value);
  if (known != names.names.end())
    return put(word, typed(ArgumentType::Name), static_cast<std::uint32_t>(known->second));
  std::string text;
  if (!names.type->describe(value, text))
    return put(word, typed(ArgumentType::Int64), static_cast<std::uint64_t>(value));
  return put_text(word, typed(ArgumentType::Text), text.data(), std::min(text.size(), kMaxPayloadBytes));
}

}  // namespace

PayloadLayout::PayloadLayout(const std::vector<SpecItem>& items, Names& names, const EnumOf& enum_of)
    : max_words_(kWordsOfBytes) {
  bool has_result = false;
  for (const SpecItem& item : items) {
    if (steps_.size() == kMaxSteps) break;
    Step step = step_of(item, names, enum_of);
    if (item.is_return() && has_result) step.load = Load::Hidden;  // both kinds of retval are stored
    has_result = has_result || item.is_return();
    steps_.push_back(step);
    max_words_ += kWordsPerValue + (step.load == Load::Enum ? kWordsPerEnum : 0);
    if (step.load == Load::Text) {
      texts_.push_back(fixed_size_);
      fixed_size_ = 0;
    } else {
      fixed_size_ += step.space;
    }
  }
}

PayloadLayout::Step PayloadLayout::step_of(const SpecItem& item, Names& names, const EnumOf& enum_of) {
  const std::string name = item.is_return()
                               ? std::string("retval")
                               : fmt::format("{}{}", item.is_float ? "fparg" : "arg", item.number);
  const auto header = [](NameId id, ArgumentType type) { return ArgumentHeader::of(id, type); };
  const NameId id = names.intern(name);
  const auto number = [&](Load load, ArgumentType type) {
    return Step{.load = load,
                .size = static_cast<std::uint32_t>(item.size),
                .space = static_cast<std::uint32_t>(aligned(item.size)),
                .header = header(id, type)};
  };
  switch (item.format) {
    case Format::Auto:
      return number(item.size == sizeof(std::uint64_t) ? Load::Auto : Load::Signed, ArgumentType::Int64);
    case Format::Signed:
      return number(Load::Signed, ArgumentType::Int64);
    case Format::Unsigned:
    case Format::Hex:
    case Format::Octal:
      return number(Load::Unsigned, ArgumentType::Uint64);
    case Format::Char:
      return number(Load::Char, ArgumentType::Text);
    case Format::Float:
      return number(item.size == sizeof(float)    ? Load::Float
                    : item.size == sizeof(double) ? Load::Double
                                                  : Load::LongDouble,
                    ArgumentType::Double);
    case Format::String:
    case Format::StdString:
      return number(Load::Text, ArgumentType::Text);
    case Format::Pointer: {
      Step step = number(Load::Pointer, ArgumentType::Pointer);
      step.extra = header(names.intern(name + ".symbol"), ArgumentType::Name);
      return step;
    }
    case Format::Enum: {
      Step step = number(Load::Enum, ArgumentType::Name);
      step.names = enum_of(item.type_name);
      if (step.names == nullptr) return number(Load::Auto, ArgumentType::Int64);
      return step;
    }
    case Format::Struct:
      break;
  }
  Step step = number(Load::Struct, ArgumentType::Name);
  const std::string_view type = item.type_name.starts_with("<lambda") ? "" : std::string_view(item.type_name);
  step.constant =
      static_cast<std::uint32_t>(names.intern(fmt::format("{}{}", type, item.size == 0 ? "{}" : "{...}")));
  if (item.size != 0) step.extra = header(names.intern(name + ".bytes"), ArgumentType::Text);
  return step;
}

std::optional<std::size_t> PayloadLayout::walk(std::span<const std::byte> bytes, std::endian order) const {
  std::size_t at = 0;
  for (const std::size_t before : texts_) {
    at += before;
    if (at + kTextHead > bytes.size()) return std::nullopt;
    at += aligned(kTextHead + load<std::uint16_t>(bytes.data() + at, order));
  }
  at += fixed_size_;
  return at <= bytes.size() ? std::optional(at) : std::nullopt;
}

void PayloadLayout::add_values(std::span<const std::byte> payload, std::endian order, SymbolNames& symbols,
                               std::vector<std::uint64_t>& room, Arguments& into) const {
  if (payload.size() > kMaxPayloadBytes || size_of(payload, order) != payload.size()) return;
  if (room.size() < max_words_) room.resize(max_words_);
  std::uint64_t* word = room.data();
  std::size_t count = 0;
  const std::byte* at = payload.data();
  for (const Step& step : steps_) {
    ++count;
    std::size_t space = step.space;
    switch (step.load) {
      case Load::Auto:
        word = put(word, step.header, signed_if_near(load_unsigned(at, step.size, order)));
        break;
      case Load::Signed:
        word = put(word, step.header, load_signed(at, step.size, order));
        break;
      case Load::Unsigned:
        word = put(word, step.header, load_unsigned(at, step.size, order));
        break;
      case Load::Pointer: {
        const std::uint64_t address = load_unsigned(at, step.size, order);
        word = put(word, step.header, address);
        if (const auto symbol = symbols.name_of(address)) {
          word = put(word, step.extra, static_cast<std::uint32_t>(*symbol));
          ++count;
        }
        break;
      }
      case Load::Char:
        // Readers show a text up to a NUL.
        word = *at == std::byte{0} ? put_text(word, step.header, kNulText.data(), kNulText.size())
                                   : put_text(word, step.header, at, step.size);
        break;
      case Load::Float:
        word = put(word, step.header, std::bit_cast<std::uint64_t>(double{load<float>(at, order)}));
        break;
      case Load::Double:
        word = put(word, step.header, load<std::uint64_t>(at, order));
        break;
      case Load::LongDouble:
        word = put_long_double(word, step.header, LongDouble({at, LongDouble::kBytes}, order));
        break;
      case Load::Text: {
        const std::size_t size = load<std::uint16_t>(at, order);
        const std::byte* const text = at + kTextHead;
        if (is_null_text(text, size)) {
          *word++ = ArgumentHeader::Name::put(ArgumentHeader::Name::get(step.header));
        } else {
          word = put_text(word, step.header, text, size);
        }
        space = aligned(kTextHead + size);
        break;
      }
      case Load::Enum:
        word = put_enum(word, step.header, *step.names, load_unsigned(at, step.size, order));
        break;
      case Load::Struct:
        word = put(word, step.header, step.constant);
        if (step.extra != 0) {
          word = put_hex(word, step.extra, at, step.size);
          ++count;
        }
        break;
      case Load::Hidden:
        --count;
        break;
    }
    at += space;
  }
  into.add_packed({room.data(), word}, count);
}

std::optional<Argument> PayloadLayout::number(std::span<const std::byte> payload, std::endian order,
                                              NameId name) const {
  if (payload.size() > kMaxPayloadBytes || size_of(payload, order) != payload.size()) return std::nullopt;
  const std::byte* at = payload.data();
  for (const Step& step : steps_) {
    if (name_of(step) != name) {
      const bool is_text = step.load == Load::Text;
      at += is_text ? aligned(kTextHead + load<std::uint16_t>(at, order)) : step.space;
      continue;
    }
    switch (step.load) {
      case Load::Auto:
        return Argument(name, static_cast<std::int64_t>(signed_if_near(load_unsigned(at, step.size, order))));
      case Load::Signed:
      case Load::Char:
        return Argument(name, static_cast<std::int64_t>(load_signed(at, step.size, order)));
      case Load::Unsigned:
      case Load::Pointer:
        return Argument(name, load_unsigned(at, step.size, order));
      case Load::Enum:
        return Argument(name, step.names->type->value_of(load_unsigned(at, step.size, order)));
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

}  // namespace convert::uftrace
