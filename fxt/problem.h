// How a record breaks the format. The Reader still returns the record, as far as it can be decoded.
#pragma once

#include <cstdint>
#include <string>

namespace fxt {

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
std::string describe(const Problem& problem);

}  // namespace fxt
