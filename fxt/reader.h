// SPDX-License-Identifier: Apache-2.0
// Reads traces of any origin: every record type, tables and tick rates per provider, both byte orders.
// Unknown records are skipped by their size and counted; problems are reported beside the record. No input
// makes it throw or crash, or use more memory than about thirty times the bytes that were read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/format.h"
#include "fxt/input.h"
#include "fxt/records.h"

namespace FXT_API fxt {

// How a record breaks the format. The Reader still returns the record, as far as it can be decoded.
enum class ProblemKind : std::uint8_t {
  // ---- The record can't be decoded: it is returned as UnknownRecord. ----
  UnknownRecordType,  // value: the type or subtype
  TooShort,           // its content needs more words than it has
  TooLarge,           // more bytes than ReaderOptions::max_record_bytes; value: its words. Skipped.

  // ---- The record is whole. `word` locates the problem in it. ----
  SpareWords,           // value: words after its content
  ReservedBits,         // bits that must be zero are not; value: those bits
  Padding,              // bytes after a stream are not zero
  UnknownString,        // value: an index that was never registered
  UnknownThread,        // value: an index that was never registered
  InvalidUtf8,          // of a string that must be UTF-8
  UnknownArgumentType,  // value: the type
  ArgumentSpareWords,   // value: words after the argument's content
  StringIndexZero,      // the record is to be ignored
  ThreadIndexZero,      // the record is to be ignored
  StringReplaced,       // value: index that meant another string before
  ThreadReplaced,       // value: index that meant another thread before
  ProviderAgain,        // value: id; its tables start empty
  UnknownProvider,      // value: id of a section, or of a provider event, that was never announced
  TickRateZero,         // times can't be converted
  EndBeforeBegin,       // of a duration complete event
  WrongMagic,           // value: the magic number
};

// `word` counts from the record's header, which is 0.
struct Problem {
  ProblemKind kind = ProblemKind::UnknownRecordType;
  std::uint32_t word = 0;
  std::uint64_t value = 0;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// The problem in a few words: "string 7 was never registered".
FXT_API std::string describe(const Problem& problem);

// A record as it was read. Everything in it is valid until the Reader's next().
struct Entry {
  std::uint64_t offset = 0;              // of its header, in bytes from the start of the file
  std::span<const std::uint64_t> words;  // the record as numbers, header first
  Record record;                         // its meaning
  std::span<const Problem> problems;     // where it breaks the format
};

struct ReaderCounters {
  std::uint64_t records = 0;
  std::uint64_t unknown_records = 0;    // of an unknown type or subtype, skipped
  std::uint64_t damaged_records = 0;    // too short for their content, skipped
  std::uint64_t too_large_records = 0;  // skipped
  std::uint64_t unknown_arguments = 0;
};

// `ticks` in ns, rounded down; nothing if that needs more than 64 bits, or at zero ticks per second.
FXT_API std::optional<std::uint64_t> ticks_to_ns(std::uint64_t ticks, std::uint64_t ticks_per_second);

// Not thread-safe; two Readers of the same memory are independent.
class Reader {
 public:
  // Reads memory, which must outlive the Reader and is not copied.
  explicit Reader(std::span<const std::byte> memory, const ReaderOptions& options = {});
  // Reads from an Input, which must outlive the Reader, in memory of about one record and one block.
  explicit Reader(Input& input, const ReaderOptions& options = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // The next record, or null at the end; end() then has the reason. An exception of the Input passes through
  // and ends reading.
  const Entry* next();
  const ReadEnd& end() const;

  // `for (const fxt::Entry& entry : reader)` reads on to the end.
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Reader& reader) : reader_(&reader), entry_(reader.next()) {}
    const Entry& operator*() const { return *entry_; }
    const Entry* operator->() const { return entry_; }
    Iterator& operator++() {
      entry_ = reader_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& at, const ReadEnd&) { return at.entry_ == nullptr; }

   private:
    Reader* reader_;
    const Entry* entry_;
  };
  Iterator begin() { return Iterator(*this); }

  // ---- The state after the records so far ----

  // Of the current provider; 0 and "" before any is announced.
  std::uint32_t provider_id() const;
  std::string_view provider_name() const;
  // Of the current provider: 10^9 unless it has an initialization record.
  std::uint64_t ticks_per_second() const;
  // A time of the current provider in ns.
  std::optional<std::uint64_t> to_ns(std::uint64_t ticks) const {
    return ticks_to_ns(ticks, ticks_per_second());
  }
  // The same for times that viewers show; nothing from kTimeLimit on.
  std::optional<std::uint64_t> possible_ns(std::uint64_t ticks) const {
    const auto ns = to_ns(ticks);
    return ns && *ns < kTimeLimit ? ns : std::nullopt;
  }
  // True if the file was written in the other byte order than this machine's.
  bool other_byte_order() const;
  const ReaderCounters& counters() const;

 private:
  friend class KeptRecordReader;  // decodes records of which the OrderedReader has the words
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

// A record of the reader's current provider with its times in ns. Borrows what the record borrows. Nothing if
// a time is too late to be converted.
FXT_API std::optional<Record> in_ns(const Record& record, const Reader& reader);

}  // namespace fxt
