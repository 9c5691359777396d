// Decodes one record. Never reads beyond the end of the record, nor beyond the end of the current argument.
// Internal to the Reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "fxt/reading/record_stream.h"
#include "fxt/reading/tables.h"
#include "fxt/records.h"

namespace fxt {

// A cursor inside a record, which only moves forward and never beyond the end.
class RecordCursor {
 public:
  RecordCursor(const RecordWords& record) : record_(&record), end_(record.words.size()) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return end_ - position_; }
  bool word(std::uint64_t& value) {
    if (position_ == end_) return false;
    value = record_->words[position_++];
    return true;
  }
  bool words(std::size_t count, std::span<const std::uint64_t>& values) {
    if (count > left()) return false;
    values = record_->words.subspan(position_, count);
    position_ += count;
    return true;
  }
  // Reads a stream of `size` bytes with its padding. If the padding is zero, sets `clean` to true, otherwise
  // to false.
  bool stream(std::uint64_t size, std::span<const std::byte>& bytes, bool& clean);
  // Makes `part` a cursor over the next `count` words. This cursor does not move, so the caller must call
  // skip(count) afterwards.
  bool limit(std::size_t count, RecordCursor& part) const {
    if (count > left()) return false;
    part = *this;
    part.end_ = position_ + count;
    return true;
  }
  void skip(std::size_t count) { position_ += count; }

 private:
  const RecordWords* record_;
  std::size_t position_ = 0;
  std::size_t end_;
};

class RecordDecoder {
 public:
  // Decodes a record. Texts and lists in `record` are views of `words` and of members of this object.
  void decode(const RecordWords& words, Record& record);

  std::span<const Problem> problems() const { return problems_; }
  Providers& providers() { return providers_; }

 private:
  // Reads the fields of a record: a codec for the layouts in fxt/record_layouts.h.
  struct Decoding;

  // These functions return false if the record ends too early, or if its kind is unknown.
  bool any(RecordCursor& in, std::uint64_t header, Record& record);
  bool metadata(RecordCursor& in, std::uint64_t header, Record& record);
  bool event(RecordCursor& in, std::uint64_t header, Record& record);
  bool scheduling(RecordCursor& in, std::uint64_t header, Record& record);
  bool profiler(RecordCursor& in, std::uint64_t header, Record& record);
  bool large(RecordCursor& in, std::uint64_t header, Record& record);
  template <typename T>
  bool read(RecordCursor& in, std::uint64_t header, Record& record);
  // Decodes the most frequent records: events without arguments, whose thread, category and name are given by
  // known indices. Returns false for other records, but does not report a problem.
  bool plain_event(std::span<const std::uint64_t> words, Record& record);

  void apply(const ProviderInfo& info);
  void apply(const ProviderSection& section);
  void apply(const ProviderEvent& event);
  void apply(const Initialization& initialization);
  void apply(const StringRecord& string);
  void apply(const ThreadRecord& thread);

  enum class Utf8 : std::uint8_t { Required, AnyBytes };
  bool text(RecordCursor& in, std::uint64_t size, std::string_view& text, Utf8 utf8 = Utf8::Required);
  bool bytes(RecordCursor& in, std::uint64_t size, std::span<const std::byte>& bytes);
  bool string_ref(RecordCursor& in, std::uint64_t ref, String& string, Utf8 utf8 = Utf8::Required);
  bool thread_ref(RecordCursor& in, std::uint64_t ref, Thread& thread);
  bool arguments(RecordCursor& in, std::uint64_t count, Arguments& arguments);
  bool argument(RecordCursor& in, Argument& argument);
  bool value(RecordCursor& in, std::uint64_t header, Argument& argument);
  void reserved(std::uint64_t bits, std::size_t word);
  void problem(ProblemKind kind, std::size_t word, std::uint64_t value = 0) {
    problems_.push_back({kind, static_cast<std::uint32_t>(word), value});
  }
  // Reports an unknown type or subtype. The record remains an UnknownRecord.
  bool unknown(std::uint64_t type);

  Providers providers_;
  std::vector<Problem> problems_;
  std::array<Argument, kMaxArguments> arguments_;
  bool unknown_ = false;
};

struct RecordDecoder::Decoding {
  RecordDecoder& decoder;
  RecordCursor& in;
  std::uint64_t header;
  std::size_t header_at = 0;

  template <typename Field, typename Constant>
  void is(Field, Constant) {}  // was checked when the kind was found
  template <typename... Fields>
  void zero(Fields...) {
    decoder.reserved(header & (Fields::kMask | ...), header_at);
  }
  template <typename Field, typename T>
  void field(Field, T& value) {
    value = static_cast<T>(Field::get(header));
  }
  bool next_header() {
    header_at = in.position();
    return in.word(header);
  }
  bool word(std::uint64_t& value) { return in.word(value); }
  template <typename T>
  bool optional_word(std::optional<T>& value) {
    if (std::uint64_t word = 0; in.word(word)) value = static_cast<T>(word);
    return true;
  }
  template <typename Field>
  bool words(Field, std::span<const std::uint64_t>& words) {
    return in.words(Field::get(header), words);
  }
  template <typename Field>
  bool text(Field, std::string_view& text) {
    return decoder.text(in, Field::get(header), text);
  }
  template <typename Field>
  bool bytes(Field, std::span<const std::byte>& bytes) {
    return decoder.bytes(in, Field::get(header), bytes);
  }
  bool sized_bytes(std::span<const std::byte>& bytes) {
    std::uint64_t size = 0;
    return in.word(size) && decoder.bytes(in, size, bytes);
  }
  template <typename Field>
  bool string(Field, String& string) {
    return decoder.string_ref(in, Field::get(header), string);
  }
  template <typename Field>
  bool name(Field, String& string) {
    return decoder.string_ref(in, Field::get(header), string, Utf8::AnyBytes);
  }
  template <typename Field>
  bool thread(Field, Thread& thread) {
    return decoder.thread_ref(in, Field::get(header), thread);
  }
  template <typename Field>
  bool process(Field field, Thread& process) {
    if (Field::get(header) != 0) return thread(field, process);
    process.storage = Storage::Inline;
    return in.word(process.process);
  }
  template <typename Field>
  bool arguments(Field, Arguments& arguments) {
    return decoder.arguments(in, Field::get(header), arguments);
  }
};

}  // namespace fxt
