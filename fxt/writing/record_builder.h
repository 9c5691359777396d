// Encodes one record for a Writer's buffer: registers the strings and threads that it refers to, then encodes
// its words in a scratch area of the largest size that a record may have. Internal to the Writer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fxt/writing/tables.h"

namespace fxt {

// What a Writer keeps from record to record, so that nothing is allocated for each.
struct RecordScratch {
  std::array<std::uint64_t, kMaxRecordWords> words;
  std::array<ArgumentRefs, kMaxArguments> arguments;
};

class RecordBuilder {
 public:
  // `kind` and `name` are for the message when the record grows too large.
  RecordBuilder(WriterTables& tables, RecordScratch& scratch, std::string_view kind, std::string_view name)
      : tables_(&tables), scratch_(&scratch), kind_(kind), name_(name) {
    tables.begin_record();
  }

  // ---- References, before the first word ----

  TextRef refer_to(const String& string) { return tables_->refer_to(string); }
  ThreadRef refer_to(const Thread& thread) { return tables_->refer_to(thread); }
  // At most 15.
  void refer_to(const Arguments& arguments);

  // ---- Words, in the spec's order; the header with a size of 0 ----

  void word(std::uint64_t word) { *next(1) = word; }
  // A stream. Nothing for an empty one.
  void bytes(std::span<const std::byte> bytes) {
    put_bytes(next(words_of(bytes.size())), bytes.data(), bytes.size());
  }
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
  void text(const TextRef& text) { put_inline(next(text.words()), text); }
  // The koids of a thread, if it is not in the table.
  void thread(const ThreadRef& thread);
  void arguments(const Arguments& arguments);

  std::size_t size() const { return size_; }
  // The record with its size in the header.
  std::span<const std::uint64_t> finish();
  // The same for a large record of `words` words in all.
  std::span<const std::uint64_t> finish_large(std::size_t words);

 private:
  // Room for `words` more words.
  std::uint64_t* next(std::size_t words);
  void argument(const Argument& argument, const ArgumentRefs& refs);

  WriterTables* tables_;
  RecordScratch* scratch_;
  std::string_view kind_, name_;
  std::size_t size_ = 0;
};

}  // namespace fxt
