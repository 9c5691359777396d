// SPDX-License-Identifier: Apache-2.0
// Reads traces of any origin: every record type, tables and tick rates per provider, both byte orders.
// Unknown records are skipped by their size and counted. Problems are returned together with the record. No
// input makes the Reader throw, crash, or use more memory than about 30 times the bytes that were read.
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

// The ways in which a record breaks the format. The Reader still returns a damaged record, as far as it can
// be decoded.
enum class ProblemKind : std::uint8_t {
  // ---- The record can't be decoded: it is returned as UnknownRecord. ----
  UnknownRecordType,  // value: the type or subtype
  TooShort,           // the content needs more words than the record has
  TooLarge,           // skipped: too large for ReaderOptions::max_record_bytes; value: number of words

  // ---- The record is whole. `word` locates the problem in it. ----
  SpareWords,           // value: the number of words after the content
  ReservedBits,         // value: the bits that are not zero, but must be zero
  Padding,              // the bytes that fill up the last word of a string or other data are not zero
  UnknownString,        // value: an index that was never registered
  UnknownThread,        // value: an index that was never registered
  InvalidUtf8,          // a string that must be UTF-8, and is not
  UnknownArgumentType,  // value: the type
  ArgumentSpareWords,   // value: the number of words after the argument's content
  StringIndexZero,      // readers must ignore the record
  ThreadIndexZero,      // readers must ignore the record
  StringReplaced,       // value: an index that meant another string before
  ThreadReplaced,       // value: an index that meant another thread before
  ProviderAgain,        // a provider is announced again, and its tables start empty; value: its id
  UnknownProvider,      // a section or provider event with an id that was never announced; value: the id
  TickRateZero,         // times can't be converted
  EndBeforeBegin,       // a duration complete event that ends before it begins
  WrongMagic,           // value: the magic number
};

// `word` is the position of a word in the record. The header is word 0.
struct Problem {
  ProblemKind kind = ProblemKind::UnknownRecordType;
  std::uint32_t word = 0;
  std::uint64_t value = 0;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Describes the problem in a few words: "string 7 was never registered".
FXT_API std::string describe(const Problem& problem);

// A record with its place in the file. All members are valid until the next call of Reader::next().
struct Entry {
  std::uint64_t offset = 0;              // offset of the header, in bytes from the start of the file
  std::span<const std::uint64_t> words;  // the words of the record as numbers, including the header
  Record record;                         // the decoded record
  std::span<const Problem> problems;     // the ways in which the record breaks the format
};

struct ReaderCounters {
  std::uint64_t records = 0;
  std::uint64_t unknown_records = 0;    // records of an unknown type or subtype, which are skipped
  std::uint64_t damaged_records = 0;    // records that are too short for their content, which are skipped
  std::uint64_t too_large_records = 0;  // records that are skipped because of their size
  std::uint64_t unknown_arguments = 0;
};

// Converts `ticks` to ns, rounded down. Returns nothing if the result needs more than 64 bits, or if
// `ticks_per_second` is 0.
FXT_API std::optional<std::uint64_t> ticks_to_ns(std::uint64_t ticks, std::uint64_t ticks_per_second);

// Not thread-safe; two Readers of the same memory are independent.
class Reader {
 public:
  // Reads from memory, which must outlive the Reader and is not copied.
  explicit Reader(std::span<const std::byte> memory, const ReaderOptions& options = {});
  // Reads from an Input, which must outlive the Reader. Needs memory for about one record and one block.
  explicit Reader(Input& input, const ReaderOptions& options = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // Returns the next record, or null at the end; then end() returns the reason. An exception of the Input is
  // passed on and ends reading.
  const Entry* next();
  const ReadEnd& end() const;

  // `for (const fxt::Entry& entry : reader)` reads all remaining records.
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

  // ---- The state after the latest record ----

  // The current provider; 0 and "" before the first provider is announced.
  std::uint32_t provider_id() const;
  std::string_view provider_name() const;
  // The tick rate of the current provider: 10^9 unless the provider has an initialization record.
  std::uint64_t ticks_per_second() const;
  // Converts a time of the current provider to ns.
  std::optional<std::uint64_t> to_ns(std::uint64_t ticks) const {
    return ticks_to_ns(ticks, ticks_per_second());
  }
  // Like to_ns(), but returns nothing for times from kTimeLimit on, because viewers do not show them.
  std::optional<std::uint64_t> possible_ns(std::uint64_t ticks) const {
    const auto ns = to_ns(ticks);
    return ns && *ns < kTimeLimit ? ns : std::nullopt;
  }
  // True if the byte order of the file differs from the byte order of this machine.
  bool other_byte_order() const;
  const ReaderCounters& counters() const;

 private:
  friend class KeptRecordReader;  // decodes the kept records of an OrderedReader
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

// Converts the times of a record of the reader's current provider to ns. The result refers to the same data
// as `record`. Returns nothing if a time is too late to be converted.
FXT_API std::optional<Record> in_ns(const Record& record, const Reader& reader);

}  // namespace fxt
