// The parts of records that the decoder reads: streams, references, arguments.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "fxt/reading/record_decoder.h"
#include "fxt/utf8.h"
#include "fxt/words.h"

namespace fxt {

bool RecordCursor::stream(std::uint64_t size, std::span<const std::byte>& bytes, bool& clean) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (size > left() * kWord) return false;
  const auto size_bytes = static_cast<std::size_t>(size);
  bytes = {record_->bytes + position_ * kWord, size_bytes};
  const std::size_t words = words_of(size_bytes);
  clean = true;
  for (std::size_t i = size_bytes; i < words * kWord; ++i)
    clean = clean && record_->bytes[position_ * kWord + i] == std::byte{0};
  position_ += words;
  return true;
}

bool RecordDecoder::bytes(RecordCursor& in, std::uint64_t size, std::span<const std::byte>& bytes) {
  bool clean = true;
  const std::size_t start = in.position();
  if (!in.stream(size, bytes, clean)) return false;
  if (!clean) problem(ProblemKind::Padding, start);
  return true;
}

bool RecordDecoder::text(RecordCursor& in, std::uint64_t size, std::string_view& text, Utf8 utf8) {
  std::span<const std::byte> raw;
  const std::size_t start = in.position();
  if (!bytes(in, size, raw)) return false;
  text = {reinterpret_cast<const char*>(raw.data()), raw.size()};
  if (utf8 == Utf8::Required && !is_valid_utf8(text)) problem(ProblemKind::InvalidUtf8, start);
  return true;
}

bool RecordDecoder::string_ref(RecordCursor& in, std::uint64_t ref, String& string, Utf8 utf8) {
  if (StringRef::IsInline::get(ref) != 0) {
    string.storage = Storage::Inline;
    string.index = 0;
    if (!text(in, StringRef::Value::get(ref), string.text, utf8)) return false;
    string.valid_utf8 = is_valid_utf8(string.text);
    return true;
  }
  string = {};
  string.index = static_cast<std::uint16_t>(ref);
  if (ref == 0) return true;
  const TableString* entry = providers_.current().strings.find(string.index);
  if (entry == nullptr) {
    string.storage = Storage::Missing;
    problem(ProblemKind::UnknownString, in.position(), ref);
    return true;
  }
  string.text = entry->text;
  string.valid_utf8 = entry->valid_utf8;
  return true;
}

bool RecordDecoder::thread_ref(RecordCursor& in, std::uint64_t ref, Thread& thread) {
  thread = {};
  thread.index = static_cast<std::uint8_t>(ref);
  if (ref == 0) {
    thread.storage = Storage::Inline;
    return in.word(thread.process) && in.word(thread.thread);
  }
  const TableThread* const entry = providers_.current().threads.find(ref);
  if (entry == nullptr) {
    thread.storage = Storage::Missing;
    problem(ProblemKind::UnknownThread, in.position(), ref);
    return true;
  }
  thread.process = entry->process;
  thread.thread = entry->thread;
  return true;
}

bool RecordDecoder::arguments(RecordCursor& in, std::uint64_t count, Arguments& arguments) {
  for (std::size_t i = 0; i < count; ++i)
    if (!argument(in, arguments_[i])) return false;
  arguments = Arguments(std::span<const Argument>(arguments_).first(count));
  return true;
}

bool RecordDecoder::argument(RecordCursor& in, Argument& argument) {
  RecordCursor part = in;
  std::uint64_t header = 0;
  if (!part.word(header)) return false;
  const auto size = static_cast<std::size_t>(ArgumentHeader::Size::get(header));
  if (size == 0 || !in.limit(size, part)) return false;
  part.skip(1);
  if (!string_ref(part, ArgumentHeader::Name::get(header), argument.name) || !value(part, header, argument))
    return false;
  if (part.left() != 0) problem(ProblemKind::ArgumentSpareWords, part.position(), part.left());
  in.skip(size);
  return true;
}

bool RecordDecoder::value(RecordCursor& in, std::uint64_t header, Argument& argument) {
  const auto data = static_cast<std::uint32_t>(ArgumentHeader::Value::get(header));
  const auto must_be_zero = [&](std::uint64_t mask) { reserved(header & mask, in.position()); };
  const auto read_word = [&](auto& number) {
    must_be_zero(ArgumentHeader::Value::kMask);
    std::uint64_t word = 0;
    if (!in.word(word)) return false;
    number = std::bit_cast<std::remove_reference_t<decltype(number)>>(word);
    return true;
  };
  switch (static_cast<ArgumentType>(ArgumentHeader::Type::get(header))) {
    case ArgumentType::Null:
      must_be_zero(ArgumentHeader::Value::kMask);
      argument.value = std::monostate{};
      return true;
    case ArgumentType::Int32:
      argument.value = std::bit_cast<std::int32_t>(data);
      return true;
    case ArgumentType::Uint32:
      argument.value = data;
      return true;
    case ArgumentType::Int64:
      return read_word(argument.value.emplace<std::int64_t>());
    case ArgumentType::Uint64:
      return read_word(argument.value.emplace<std::uint64_t>());
    case ArgumentType::Double:
      return read_word(argument.value.emplace<double>());
    case ArgumentType::String:
      must_be_zero(StringArgumentHeader::Reserved::kMask);
      return string_ref(in, StringArgumentHeader::Text::get(header), argument.value.emplace<String>());
    case ArgumentType::Pointer:
      return read_word(argument.value.emplace<Pointer>());
    case ArgumentType::Koid:
      return read_word(argument.value.emplace<Koid>());
    case ArgumentType::Bool:
      must_be_zero(BoolArgumentHeader::Reserved::kMask);
      argument.value = BoolArgumentHeader::Truth::get(header) != 0;
      return true;
    case ArgumentType::Blob:
      return bytes(in, data, argument.value.emplace<Bytes>().bytes);
  }
  problem(ProblemKind::UnknownArgumentType, in.position(), ArgumentHeader::Type::get(header));
  auto& unknown = argument.value.emplace<UnknownValue>();
  unknown.type = static_cast<std::uint8_t>(ArgumentHeader::Type::get(header));
  unknown.header_data = data;
  return in.words(in.left(), unknown.words);
}

void RecordDecoder::reserved(std::uint64_t bits, std::size_t word) {
  if (bits != 0) problem(ProblemKind::ReservedBits, word, bits);
}

}  // namespace fxt
