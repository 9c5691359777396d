// Arguments and bytes as the words of FXT records, for those who write records straight into a Writer's
// buffer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "converters/model/event.h"
#include "fxt/header_words.h"

namespace convert {

constexpr std::size_t words_of(std::size_t bytes) { return (bytes + 7) / 8; }

// Bytes, filled up with zeros, in place of words that become numbers by make_words(). Returns the end of what
// was written; so do all that follow.
inline std::uint64_t* copy_bytes(std::uint64_t* word, const void* bytes, std::size_t size) {
  const std::size_t words = words_of(size);
  if (words == 0) return word;
  word[words - 1] = 0;
  std::memcpy(word, bytes, size);
  return word + words;
}

// The file is little-endian, and words are numbers until written.
inline void make_words(std::uint64_t* begin, const std::uint64_t* end) {
  if constexpr (std::endian::native == std::endian::big)
    for (; begin != end; ++begin) *begin = __builtin_bswap64(*begin);
}

inline std::uint64_t* put_bytes(std::uint64_t* word, const void* bytes, std::size_t size) {
  std::uint64_t* const end = copy_bytes(word, bytes, size);
  make_words(word, end);
  return end;
}

// The header of an argument; `name` is a string ref.
constexpr std::uint64_t argument_header(fxt::ArgumentType type, std::uint64_t name, std::size_t size_words,
                                        std::uint64_t small_value = 0) {
  using Header = fxt::ArgumentHeader;
  return Header::Type::put(static_cast<std::uint64_t>(type)) | Header::Size::put(size_words) |
         Header::Name::put(name) | Header::Value::put(small_value);
}

// No strings but those in the table: `value` is a number or a name, whose string ref `ref_of` knows. Room for
// two words is needed.
template <typename RefOf>
std::uint64_t* put_argument(std::uint64_t* word, std::uint64_t name, const Value& value,
                            const RefOf& ref_of) {
  using Type = fxt::ArgumentType;
  const auto small = [&](Type type, std::uint32_t number) {
    *word++ = argument_header(type, name, 1, number);
    return word;
  };
  const auto large = [&](Type type, std::uint64_t bits) {
    *word++ = argument_header(type, name, 2);
    *word++ = bits;
    return word;
  };
  struct Put {
    const decltype(small)& one;
    const decltype(large)& two;
    const RefOf& ref_of;
    std::uint64_t* operator()(std::monostate) const { return one(Type::Null, 0); }
    std::uint64_t* operator()(std::int32_t number) const {
      return one(Type::Int32, static_cast<std::uint32_t>(number));
    }
    std::uint64_t* operator()(std::uint32_t number) const { return one(Type::Uint32, number); }
    // Spec, "64-bit signed integer argument": one that fits 32 bits is written so.
    std::uint64_t* operator()(std::int64_t number) const {
      if (std::in_range<std::int32_t>(number)) return (*this)(static_cast<std::int32_t>(number));
      return two(Type::Int64, static_cast<std::uint64_t>(number));
    }
    std::uint64_t* operator()(std::uint64_t number) const {
      if (std::in_range<std::uint32_t>(number)) return (*this)(static_cast<std::uint32_t>(number));
      return two(Type::Uint64, number);
    }
    std::uint64_t* operator()(double number) const {
      return two(Type::Double, std::bit_cast<std::uint64_t>(number));
    }
    std::uint64_t* operator()(const std::string&) const { return one(Type::Null, 0); }
    std::uint64_t* operator()(Pointer pointer) const { return two(Type::Pointer, pointer.address); }
    std::uint64_t* operator()(Koid koid) const { return two(Type::Koid, koid.koid); }
    // One reader's debug build aborts on bool arguments (fxt-notes W22).
    std::uint64_t* operator()(bool flag) const { return one(Type::Uint32, flag ? 1 : 0); }
    std::uint64_t* operator()(NameId text) const {
      return one(Type::String, static_cast<std::uint32_t>(ref_of(text)));
    }
  };
  return std::visit(Put{small, large, ref_of}, value);
}

}  // namespace convert
