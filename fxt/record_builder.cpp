// Streams, threads and arguments, as they lie in records.
#include "fxt/record_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "fxt/header_words.h"
#include "fxt/utf8.h"

namespace fxt {
namespace {

constexpr std::uint64_t reversed(std::uint64_t word) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof word>>(word);
  std::ranges::reverse(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

// What an argument's value puts into the upper half of its header.
std::uint64_t header_data(const Value& value, std::uint64_t text_ref) {
  return std::visit(
      [text_ref]<typename T>(const T& held) -> std::uint64_t {
        if constexpr (std::is_same_v<T, std::int32_t>) return static_cast<std::uint32_t>(held);
        if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, bool>) return held;
        if constexpr (std::is_same_v<T, String>) return text_ref;
        if constexpr (std::is_same_v<T, Bytes>) return held.bytes.size();
        return 0;
      },
      value);
}

}  // namespace

std::size_t pack_bytes(std::span<const std::byte> bytes, std::span<std::uint64_t> words) {
  const std::size_t size_words = padded_bytes(bytes.size()) / sizeof(std::uint64_t);
  if (bytes.empty()) return 0;
  words[size_words - 1] = 0;
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if constexpr (std::endian::native == std::endian::big) swap_bytes(words.first(size_words));
  return size_words;
}

std::string quoted(std::string_view name) { return '"' + std::string(cut_utf8(name, 100)) + '"'; }

void swap_bytes(std::span<std::uint64_t> words) { std::ranges::transform(words, words.begin(), reversed); }

std::span<std::uint64_t> Writer::Builder::next(std::size_t words) {
  if (words > scratch_.size() - size_)
    throw WriterError(std::string(kind_) + ' ' + quoted(name_) +
                      ": its strings and arguments need more than the 4095 words of a record");
  size_ += words;
  return scratch_.subspan(size_ - words, words);
}

void Writer::Builder::bytes(std::span<const std::byte> bytes) {
  pack_bytes(bytes, next(padded_bytes(bytes.size()) / sizeof(std::uint64_t)));
}

void Writer::Builder::thread(const ThreadUse& thread) {
  if (thread.ref != 0) return;
  word(thread.thread.process);
  word(thread.thread.thread);
}

void Writer::Builder::arguments(Arguments arguments, const ArgumentUses& uses) {
  for (std::size_t i = 0; i < arguments.size(); ++i) argument(arguments[i], uses[i]);
}

void Writer::Builder::argument(const Argument& argument, const ArgumentUse& use) {
  const std::size_t start = size_;
  word(ArgumentHeader::Type::put(argument.value.index()) | ArgumentHeader::Name::put(use.name.ref) |
       ArgumentHeader::Value::put(header_data(argument.value, use.text.ref)));
  text(use.name.inline_text);
  struct PutValue {
    Builder& record;
    const ArgumentUse& use;
    void operator()(std::int64_t number) const { record.word(std::bit_cast<std::uint64_t>(number)); }
    void operator()(std::uint64_t number) const { record.word(number); }
    void operator()(double number) const { record.word(std::bit_cast<std::uint64_t>(number)); }
    void operator()(const String&) const { record.text(use.text.inline_text); }
    void operator()(Pointer pointer) const { record.word(pointer.address); }
    void operator()(Koid koid) const { record.word(koid.koid); }
    void operator()(const Bytes& blob) const { record.bytes(blob.bytes); }
    // Null, numbers of 32 bits and bools live in the header.
    void operator()(std::monostate) const {}
    void operator()(std::int32_t) const {}
    void operator()(std::uint32_t) const {}
    void operator()(bool) const {}
    void operator()(const UnknownValue&) const {}
  };
  std::visit(PutValue{*this, use}, argument.value);
  scratch_[start] |= ArgumentHeader::Size::put(size_ - start);
}

std::span<const std::uint64_t> Writer::Builder::finish() {
  scratch_[0] |= RecordHeader::Size::put(size_);
  return scratch_.first(size_);
}

std::span<const std::uint64_t> Writer::Builder::finish_large(std::size_t words) {
  scratch_[0] |= LargeRecordHeader::Size::put(words);
  return scratch_.first(size_);
}

}  // namespace fxt
