// Encodes one record with fxt/record_layouts.h, and registers the strings and threads that it refers to.
// Internal to the Writer and the Tracer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fxt/record_layouts.h"
#include "fxt/writing/tables.h"

namespace fxt {

// Space for the largest record.
using RecordScratch = std::array<std::uint64_t, kMaxRecordWords>;

class RecordBuilder {
 public:
  // Encodes into `room`. Without tables, strings are inline, and the record must not refer to threads. If the
  // record can't be encoded, the message of the WriterError describes the record by `kind` and `name`.
  explicit RecordBuilder(std::span<std::uint64_t> room, WriterTables* tables = nullptr,
                         std::string_view kind = "", std::string_view name = "")
      : room_(room), tables_(tables), kind_(kind), name_(name) {
    room_[0] = 0;
    if (tables_ != nullptr) tables_->begin_record();
  }

  // ---- The codec of fxt/record_layouts.h ----

  template <typename Field, typename Constant>
  void is(Field field, Constant constant) {
    this->field(field, constant);
  }
  template <typename... Fields>
  void zero(Fields...) {}
  template <typename Field, typename T>
  void field(Field, T value) {
    const auto number = static_cast<std::uint64_t>(value);
    if (number > Field::kMax)
      refuse(std::to_string(number) + " in a field that holds up to " + std::to_string(Field::kMax));
    room_[header_] |= Field::put(number);
  }
  bool next_header() {
    header_ = size_;
    return word(0);
  }
  bool word(std::uint64_t word) {
    *next(1) = word;
    return true;
  }
  template <typename T>
  bool optional_word(std::optional<T> value) {
    return !value || word(static_cast<std::uint64_t>(*value));
  }
  template <typename Field>
  bool text(Field field, std::string_view text) {
    return bytes(field, std::as_bytes(std::span(text)));
  }
  template <typename Field>
  bool bytes(Field field, std::span<const std::byte> bytes) {
    this->field(field, bytes.size());
    put_bytes(next(words_of(bytes.size())), bytes.data(), bytes.size());
    return true;
  }
  template <typename Field>
  bool words(Field field, std::span<const std::uint64_t> words) {
    this->field(field, words.size());
    std::ranges::copy(words, next(words.size()));
    return true;
  }
  // Writes only the size. The Writer appends the bytes, which may not fit into `room`.
  bool sized_bytes(std::span<const std::byte> bytes) { return word(bytes.size()); }
  template <typename Field>
  bool string(Field field, const String& string) {
    const TextRef text = refer_to(string);
    this->field(field, text.ref);
    put_inline(next(text.words()), text);
    return true;
  }
  template <typename Field>
  bool name(Field field, const String& string) {
    return this->string(field, string);
  }
  template <typename Field>
  bool thread(Field field, const Thread& thread) {
    const std::uint8_t ref = tables_->refer_to(thread);
    this->field(field, ref);
    return ref != 0 || (word(thread.process) && word(thread.thread));
  }
  // The process is always inline, because an index in the thread table stands for a process and a thread.
  template <typename Field>
  bool process(Field, const Thread& process) {
    return word(process.process);
  }
  template <typename Field>
  bool arguments(Field field, const Arguments& arguments) {
    if (arguments.size() > kMaxArguments)
      refuse(std::to_string(arguments.size()) + " arguments, but a record holds at most 15");
    this->field(field, arguments.size());
    for (const Argument& one : arguments) argument(one);
    return true;
  }

  // ---- The record ----

  std::size_t size() const { return size_; }
  // Returns the record, with its size in the header.
  std::span<const std::uint64_t> finish() {
    room_[0] |= RecordHeader::Size::put(size_);
    return room_.first(size_);
  }
  // Returns a large record that has `words` words, including the words that the caller writes later.
  std::span<const std::uint64_t> finish_large(std::size_t words) {
    room_[0] |= LargeRecordHeader::Size::put(words);
    return room_.first(size_);
  }

 private:
  // Throws a WriterError.
  [[noreturn]] void refuse(const std::string& problem) const;
  std::uint64_t* next(std::size_t words);
  TextRef refer_to(const String& string) const {
    return tables_ == nullptr ? TextRef::inlined(string.text) : tables_->refer_to(string);
  }
  void argument(const Argument& argument);

  std::span<std::uint64_t> room_;
  WriterTables* tables_;
  std::string_view kind_, name_;
  std::size_t size_ = 1, header_ = 0;
};

}  // namespace fxt
