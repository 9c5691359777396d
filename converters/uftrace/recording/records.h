// The records of <TID>.dat. Each has 16 bytes: a time in ns, and a word of bit fields.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "converters/model/reading/bits.h"
#include "fxt/field.h"

namespace convert::uftrace {

enum class RecordType : std::uint8_t { Entry = 0, Exit = 1, Lost = 2, Event = 3 };
inline constexpr bool is_call(RecordType type) {
  return type == RecordType::Entry || type == RecordType::Exit;
}

// Word 1 of a record; word 0 is the time in ns of the recorder's clock.
struct RecordWord {
  using Type = fxt::Field<0, 1>;
  using More = fxt::Field<2>;  // a payload follows
  using Magic = fxt::Field<3, 5>;
  using Depth = fxt::Field<6, 15>;     // modulo 1024
  using Address = fxt::Field<16, 63>;  // address of a function, id of an event, or number of lost records
};
static_assert(fxt::kTilesWord<RecordWord::Type, RecordWord::More, RecordWord::Magic, RecordWord::Depth,
                              RecordWord::Address>);

inline constexpr std::uint64_t kRecordMagic = 5;
inline constexpr std::size_t kRecordSize = 16;
// The recorder adds depth * 64 to the word, even if the depth does not fit into its field. For depth 1024,
// the record has depth 0, and an address that is too large by one.
inline constexpr std::size_t kDepthModulus = std::size_t{RecordWord::Depth::kMax} + 1;

// A recorder writes at most 1020 bytes of values after a record, and pads them to a multiple of 8.
inline constexpr std::size_t kMaxPayload = 1024;

// A decoded entry or exit. Depth and address are the true ones, after the overflow of the recorded depth has
// been reversed.
struct CallRecord {
  RecordType type;
  std::uint64_t time_ns;
  std::size_t depth;
  std::uint64_t address;

  bool is_entry() const { return type == RecordType::Entry; }
};

struct Record {
  std::uint64_t time_ns;
  std::uint64_t word;

  RecordType type() const { return static_cast<RecordType>(RecordWord::Type::get(word)); }
  bool has_payload() const { return RecordWord::More::get(word) != 0; }
  bool has_magic() const { return RecordWord::Magic::get(word) == kRecordMagic; }
  std::size_t depth() const { return RecordWord::Depth::get(word); }
  std::uint64_t address() const { return RecordWord::Address::get(word); }
  // The decoded call. An overflow of the depth has not been reversed.
  CallRecord call() const { return {type(), time_ns, depth(), address()}; }
  // True for an entry or exit with the right magic number. Other records have type 2 or 3.
  bool is_call() const { return (plain_mismatch() & ~RecordWord::More::kMask) == 0; }
  // True for an entry or exit without a payload. Loops without branches use plain_mismatch() instead.
  bool is_plain() const { return plain_mismatch() == 0; }
  std::uint64_t plain_mismatch() const {
    constexpr std::uint64_t kMask = RecordWord::Magic::kMask | RecordWord::More::kMask | fxt::Field<1>::kMask;
    return (word & kMask) ^ RecordWord::Magic::put(kRecordMagic);
  }
};

// uftrace counts depths from 0, and records an exit with the depth of its call. QEMU's plugin
// (contrib/plugins/uftrace) counts from 1, and records an exit with the depth of the caller. In a thread,
// either all depths are shifted in this way, or none.
struct DepthShift {
  std::size_t entry = 0;  // the depth of entries is too large by this number
  std::size_t exit = 0;   // the depth of exits is too small by this number

  bool is_none() const { return entry == 0 && exit == 0; }
  // Returns the depth that uftrace would have written for an entry or exit, modulo 1024. `open` is the number
  // of open calls before the record. QEMU's plugin records the exit of the outermost call with depth 0,
  // because this call has no caller.
  std::size_t undo(const Record& record, std::size_t open) const {
    if (record.type() == RecordType::Entry) return record.depth() - std::min(record.depth(), entry);
    return exit != 0 && open == 1 ? 0 : (record.depth() + exit) % kDepthModulus;
  }
};

// Reads a record of 16 bytes at `bytes`, in the byte order of the file.
template <std::endian Order>
Record load_record(const std::byte* bytes) {
  return {.time_ns = load<std::uint64_t>(bytes, Order),
          .word = load<std::uint64_t>(bytes + sizeof(std::uint64_t), Order)};
}

inline Record load_record(const std::byte* bytes, std::endian order) {
  return order == std::endian::little ? load_record<std::endian::little>(bytes)
                                      : load_record<std::endian::big>(bytes);
}

// Rounds up to a multiple of 8, because all records begin at such offsets.
inline constexpr std::size_t padded(std::size_t bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return (bytes + kWord - 1) / kWord * kWord;
}

}  // namespace convert::uftrace
