// Shows any bytes as a value of types that refer to each other. The first line of the input is the name of
// the value. Then come the types, with 8 bytes each, and the value.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

#include "converters/model/names/names.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/program/type.h"

namespace {

using namespace convert::tfile;

constexpr std::size_t kTypes = 8, kTypeBytes = 8;

// The 8 bytes of a type are: kind, size, target, count (2 bytes), offset and size of the bit-field, and the
// type of the bit-field.
void describe(std::span<Type> types, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < types.size() && bytes.size() >= (i + 1) * kTypeBytes; ++i) {
    const auto byte = [&](std::size_t at) {
      return std::to_integer<std::uint64_t>(bytes[i * kTypeBytes + at]);
    };
    constexpr std::size_t kKinds = static_cast<std::size_t>(Type::Kind::Function) + 1;
    Type& type = types[i];
    type.kind = static_cast<Type::Kind>(byte(0) % kKinds);
    type.is_character = byte(0) >= 0x80;
    type.size = byte(1);
    type.format = static_cast<FloatFormat>(byte(6) % (static_cast<std::uint64_t>(FloatFormat::Decimal) + 1));
    type.name = byte(7) % 2 != 0 ? "Base" : "";
    type.target = byte(2) % (kTypes + 1) == kTypes ? nullptr : &types[byte(2) % (kTypes + 1)];
    type.count = byte(3) | byte(4) << 56;
    type.enumerators = {{static_cast<std::int64_t>(byte(5)), "one"}, {1, "other"}};
    type.members = {
        {.name = "a", .type = type.target, .bit_offset = 8 * byte(5)},
        {.name = "", .type = &types[byte(7) % kTypes], .bit_offset = byte(5), .bit_size = byte(6)}};
  }
}

void show(Leaf leaf, std::span<const std::byte> value, convert::Names& names) {
  leaf.enumerators = {{1, names.intern("one")}, {6, names.intern("several")}};
  if (leaf.offset > value.size()) return;
  const bool is_whole = leaf.size <= value.size() - leaf.offset;
  if (!is_whole && leaf.form != ValueForm::Text) return;
  const auto recorded =
      value.subspan(leaf.offset, std::min<std::size_t>(leaf.size, value.size() - leaf.offset));
  std::string text;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    if (is_plain_number(leaf))
      bits_of(leaf.form, recorded, order);
    else if (leaf.form != ValueForm::Text && (leaf.form != ValueForm::Bytes || leaf.bit_size != 0))
      argument_of(leaf, recorded, order, names, text);
  }
  string_text(recorded);
  spelled_text(recorded, leaf.size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string expression(text.substr(0, std::min(text.find('\n'), text.size())));
  auto rest = std::as_bytes(std::span(data, size)).subspan(std::min(expression.size() + 1, size));
  std::array<Type, kTypes> types;
  describe(types, rest);
  const auto value = rest.subspan(std::min(kTypes * kTypeBytes, rest.size()));

  convert::Names names;
  const ValueLayout layout = value_layout(types.front(), expression, names);
  if (layout.leaves.size() > ValueLayout::kMaxLeaves) std::abort();
  for (const Leaf& leaf : layout.leaves) show(leaf, value, names);
  return 0;
}
