// Threads and arguments, as they lie in records.
#include "fxt/writing/record_builder.h"

#include <algorithm>
#include <bit>

#include "fxt/header_words.h"
#include "fxt/utf8.h"

namespace fxt {
namespace {

constexpr std::uint64_t reversed(std::uint64_t word) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof word>>(word);
  std::ranges::reverse(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

// The words of an argument's value, those of a string's inline text included.
std::size_t value_words(const Value& value, const TextRef& text) {
  switch (static_cast<ArgumentType>(value.index())) {
    case ArgumentType::Int64:
    case ArgumentType::Uint64:
    case ArgumentType::Double:
    case ArgumentType::Pointer:
    case ArgumentType::Koid:
      return 1;
    case ArgumentType::String:
      return text.words();
    case ArgumentType::Blob:
      return words_of(std::get<Bytes>(value).bytes.size());
    default:
      return 0;
  }
}

}  // namespace

void reorder_stream(std::uint64_t* begin, const std::uint64_t* end) {
  if constexpr (std::endian::native == std::endian::big)
    swap_bytes({begin, static_cast<std::size_t>(end - begin)});
}

std::string quoted(std::string_view name) { return '"' + std::string(cut_utf8(name, 100)) + '"'; }

void swap_bytes(std::span<std::uint64_t> words) { std::ranges::transform(words, words.begin(), reversed); }

std::uint64_t* Writer::Builder::next(std::size_t words) {
  if (words > scratch_.size() - size_)
    throw WriterError(std::string(kind_) + ' ' + quoted(name_) +
                      ": its strings and arguments need more than the 4095 words of a record");
  size_ += words;
  return scratch_.data() + size_ - words;
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
  struct Put {
    std::uint64_t* at;
    const ArgumentUse& use;
    void operator()(std::monostate) const { put_null(at, use.name); }
    void operator()(std::int32_t number) const { put_int32(at, use.name, number); }
    void operator()(std::uint32_t number) const { put_uint32(at, use.name, number); }
    void operator()(std::int64_t number) const { put_int64(at, use.name, number); }
    void operator()(std::uint64_t number) const { put_uint64(at, use.name, number); }
    void operator()(double number) const { put_double(at, use.name, number); }
    void operator()(const String&) const { put_text(at, use.name, use.text); }
    void operator()(Pointer pointer) const { put_pointer(at, use.name, pointer.address); }
    void operator()(Koid koid) const { put_koid(at, use.name, koid.koid); }
    void operator()(bool truth) const { put_bool(at, use.name, truth); }
    void operator()(const Bytes& blob) const {
      put_blob(at, use.name, blob.bytes.data(), static_cast<std::uint32_t>(blob.bytes.size()));
    }
    void operator()(const UnknownValue&) const {}  // was refused
  };
  std::uint64_t* const at = next(1 + use.name.words() + value_words(argument.value, use.text));
  std::visit(Put{at, use}, argument.value);
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
