// SPDX-License-Identifier: Apache-2.0
// Builds the words of records in the space that Writer::reserve() returns. Each put_...() function writes to
// `at` and returns the end of the written words; the caller has reserved the space. Words are numbers: the
// Writer converts them to the byte order of the file.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "fxt/format.h"
#include "fxt/header_words.h"

namespace FXT_API fxt {

// ---- Bytes in whole words, padded with zeros ----

// The number of words for `bytes` bytes and their padding.
constexpr std::size_t words_of(std::size_t bytes) {
  return bytes / sizeof(std::uint64_t) + (bytes % sizeof(std::uint64_t) != 0 ? 1 : 0);
}

// Copies `size` bytes and pads them with zeros. Returns the end of the words. The ranges must not overlap.
inline std::uint64_t* put_padded(std::uint64_t* at, const void* bytes, std::size_t size) {
  // Up to kShort bytes, the code below is faster than a call of memcpy, and than the code that the compiler
  // makes from memcpy.
  constexpr std::size_t kShort = 128, kWord = sizeof(std::uint64_t);
  if (size == 0) return at;
  const auto* const from = static_cast<const std::byte*>(bytes);
  std::uint64_t* const end = at + words_of(size);
  if (size > kShort || std::endian::native != std::endian::little) {
    end[-1] = 0;
    std::memcpy(at, from, size);
    return end;
  }
  // Loads a number from `offset`, and shifts it to its position in the word.
  const auto part = [from](auto number, std::size_t offset) {
    std::memcpy(&number, from + offset, sizeof number);
    return std::uint64_t{number} << 8 * offset;
  };
  // The last word consists of loads that overlap. Exact loads of 4, 2 and 1 bytes would need branches that
  // can't be predicted.
  if (size >= kWord) {
    for (std::size_t offset = 0; at != end - 1; offset += kWord) std::memcpy(at++, from + offset, kWord);
    std::uint64_t last;
    std::memcpy(&last, from + size - kWord, kWord);
    *at = last >> 8 * (words_of(size) * kWord - size);
  } else if (size >= 4) {
    *at = part(std::uint32_t{}, 0) | part(std::uint32_t{}, size - 4);
  } else {
    *at = part(std::uint8_t{}, 0) | part(std::uint8_t{}, size / 2) | part(std::uint8_t{}, size - 1);
  }
  return end;
}

// ---- References and streams ----

// Spec: "String references". The reference in a header, and the text that follows if the string is inline.
struct TextRef {
  std::uint16_t ref = 0;
  std::string_view inline_text = {};

  // Takes the result of Writer::string_ref(); 0 is the empty string.
  static constexpr TextRef table(std::uint16_t index) { return {.ref = index}; }
  // Takes at most 32,000 bytes of UTF-8.
  static constexpr TextRef inlined(std::string_view text) {
    if (text.empty()) return {};
    return {
        .ref = static_cast<std::uint16_t>(StringRef::IsInline::put(1) | StringRef::Value::put(text.size())),
        .inline_text = text};
  }
  constexpr std::size_t words() const { return words_of(inline_text.size()); }
};

// Converts each word of a stream from the byte order of the file to that of the machine, or back. On
// little-endian machines, both are the same.
FXT_API void reorder_stream(std::uint64_t* begin, const std::uint64_t* end);

// Writes a stream, padded with zeros.
inline std::uint64_t* put_bytes(std::uint64_t* at, const void* bytes, std::size_t size) {
  std::uint64_t* const end = put_padded(at, bytes, size);
  if constexpr (std::endian::native != std::endian::little) reorder_stream(at, end);
  return end;
}
// Writes the text of an inline reference. Writes nothing for a reference to the table.
inline std::uint64_t* put_inline(std::uint64_t* at, const TextRef& text) {
  return put_bytes(at, text.inline_text.data(), text.inline_text.size());
}

// ---- Arguments: spec, "Argument types" ----

// Writes the header of an argument and its name. The caller writes `value_words` words after them.
[[gnu::always_inline]] inline std::uint64_t* put_argument(std::uint64_t* at, ArgumentType type,
                                                          const TextRef& name, std::size_t value_words,
                                                          std::uint32_t data = 0) {
  *at = ArgumentHeader::Type::put(code(type)) | ArgumentHeader::Size::put(1 + name.words() + value_words) |
        ArgumentHeader::Name::put(name.ref) | ArgumentHeader::Value::put(data);
  return put_inline(at + 1, name);
}
inline std::uint64_t* put_word_argument(std::uint64_t* at, ArgumentType type, const TextRef& name,
                                        std::uint64_t word) {
  at = put_argument(at, type, name, 1);
  *at = word;
  return at + 1;
}

inline std::uint64_t* put_null(std::uint64_t* at, const TextRef& name) {
  return put_argument(at, ArgumentType::Null, name, 0);
}
inline std::uint64_t* put_int32(std::uint64_t* at, const TextRef& name, std::int32_t value) {
  return put_argument(at, ArgumentType::Int32, name, 0, std::bit_cast<std::uint32_t>(value));
}
inline std::uint64_t* put_uint32(std::uint64_t* at, const TextRef& name, std::uint32_t value) {
  return put_argument(at, ArgumentType::Uint32, name, 0, value);
}
inline std::uint64_t* put_int64(std::uint64_t* at, const TextRef& name, std::int64_t value) {
  return put_word_argument(at, ArgumentType::Int64, name, std::bit_cast<std::uint64_t>(value));
}
inline std::uint64_t* put_uint64(std::uint64_t* at, const TextRef& name, std::uint64_t value) {
  return put_word_argument(at, ArgumentType::Uint64, name, value);
}
// Spec: "64-bit signed integer argument". A number that fits 32 bits is written as a 32-bit argument. The
// same applies to unsigned numbers.
inline std::uint64_t* put_signed(std::uint64_t* at, const TextRef& name, std::int64_t value) {
  return std::in_range<std::int32_t>(value) ? put_int32(at, name, static_cast<std::int32_t>(value))
                                            : put_int64(at, name, value);
}
inline std::uint64_t* put_unsigned(std::uint64_t* at, const TextRef& name, std::uint64_t value) {
  return std::in_range<std::uint32_t>(value) ? put_uint32(at, name, static_cast<std::uint32_t>(value))
                                             : put_uint64(at, name, value);
}
inline std::uint64_t* put_double(std::uint64_t* at, const TextRef& name, double value) {
  return put_word_argument(at, ArgumentType::Double, name, std::bit_cast<std::uint64_t>(value));
}
// Writes any number in its shortest encoding.
template <typename Number>
std::uint64_t* put_number(std::uint64_t* at, const TextRef& name, Number value) {
  static_assert(std::integral<Number> || std::floating_point<Number>);
  if constexpr (std::floating_point<Number>)
    return put_double(at, name, static_cast<double>(value));
  else if constexpr (std::signed_integral<Number>)
    return put_signed(at, name, value);
  else
    return put_unsigned(at, name, value);
}
inline std::uint64_t* put_text(std::uint64_t* at, const TextRef& name, const TextRef& value) {
  at = put_argument(at, ArgumentType::String, name, value.words(), value.ref);
  return put_inline(at, value);
}
inline std::uint64_t* put_pointer(std::uint64_t* at, const TextRef& name, std::uint64_t address) {
  return put_word_argument(at, ArgumentType::Pointer, name, address);
}
inline std::uint64_t* put_koid(std::uint64_t* at, const TextRef& name, std::uint64_t koid) {
  return put_word_argument(at, ArgumentType::Koid, name, koid);
}
inline std::uint64_t* put_bool(std::uint64_t* at, const TextRef& name, bool value) {
  return put_argument(at, ArgumentType::Bool, name, 0, value ? 1 : 0);
}
inline std::uint64_t* put_blob(std::uint64_t* at, const TextRef& name, const void* bytes,
                               std::uint32_t size) {
  at = put_argument(at, ArgumentType::Blob, name, words_of(size), size);
  return put_bytes(at, bytes, size);
}

// ---- Headers of records: spec, "Event record" and "BLOB record" ----

// `thread` is an index in the thread table, or 0 if process and thread follow. `category` and `name` are
// string refs. `size_words` includes the header.
constexpr std::uint64_t event_header(EventType type, std::uint8_t thread, std::uint16_t category,
                                     std::uint16_t name, std::size_t argument_count, std::size_t size_words) {
  return EventHeader::Type::put(code(RecordType::Event)) | EventHeader::Size::put(size_words) |
         EventHeader::EventType::put(code(type)) | EventHeader::ArgumentCount::put(argument_count) |
         EventHeader::Thread::put(thread) | EventHeader::Category::put(category) |
         EventHeader::Name::put(name);
}

// `payload_bytes` is at most 32,000.
constexpr std::uint64_t blob_header(std::uint16_t name, std::size_t payload_bytes, std::size_t size_words,
                                    BlobType type = BlobType::Data) {
  return BlobHeader::Type::put(code(RecordType::Blob)) | BlobHeader::Size::put(size_words) |
         BlobHeader::Name::put(name) | BlobHeader::PayloadSize::put(payload_bytes) |
         BlobHeader::BlobType::put(code(type));
}

}  // namespace fxt
