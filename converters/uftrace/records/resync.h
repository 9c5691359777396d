// Finds the next record where its place is not known: behind a payload, which has no length of its own, and
// behind damaged bytes (uftrace.md, sections 8.5 and 9.4).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "converters/uftrace/records/records.h"

namespace convert::uftrace {

// A payload has at most 1020 bytes of arguments, padded to 8 (section 9.1).
inline constexpr std::size_t kMaxPayload = 1024;

// A record may come this long after the one before it (about 73 minutes) without looking like damage.
inline constexpr std::uint64_t kLikelyGapNs = std::uint64_t{1} << 42;

// A record this much later than the one before it (about 4 ms) has its time held against those behind it.
inline constexpr std::uint64_t kExaminedGapNs = std::uint64_t{1} << 22;

// What the thread looks like before the record that is searched.
struct Expectation {
  std::uint64_t time_ns;                               // of the last record; 0 if there was none
  std::size_t depth;                                   // calls open now
  std::uint64_t top_address;                           // of the innermost of them; 0 if none or unknown
  std::function<bool(std::uint64_t address)> is_code;  // lies in a mapped module
};

// The offset, a multiple of 8, of the record that follows a payload at the start of `bytes`. `at_end` says
// that the file ends with `bytes`. Nothing if no likely record follows within the longest payload.
std::optional<std::size_t> find_behind_payload(std::span<const std::byte> bytes, std::endian order,
                                               bool at_end, const Expectation& expected);

// The offset, a multiple of 8 and at least 8, of the next likely record behind damaged bytes at the start of
// `bytes`.
std::optional<std::size_t> find_behind_damage(std::span<const std::byte> bytes, std::endian order,
                                              const Expectation& expected);

// True if a recording that took `elapsed_ns` can't hold both times: they lie 39 hours or more apart, and
// twice as long as it took. False if that is not known.
bool leaps_too_far(std::uint64_t from_ns, std::uint64_t to_ns, std::optional<std::uint64_t> elapsed_ns);

// What speaks for or against a record's time.
struct TimeWitnesses {
  std::uint64_t last_ns = 0;               // of the record before it; 0 if there was none
  std::uint64_t begun_ns = 0;              // when the thread may have begun; 0 if that is not known
  std::span<const std::byte> behind = {};  // the records after it
  std::endian order = std::endian::little;
  std::function<bool(std::uint64_t address)> is_code;  // lies in a mapped module
  std::optional<std::uint64_t> elapsed_ns = {};        // how long the recording took, if that is known
};

// True if the time of `record` is damage: it can't be drawn, or the records behind it go on long before it,
// or it leaps over days that the recording did not take, and the records behind it do not follow.
bool is_time_damaged(const Record& record, const TimeWitnesses& witnesses);

// How many bytes at the start of `bytes` are zero, in whole words of 8.
std::size_t count_zero_bytes(std::span<const std::byte> bytes);

}  // namespace convert::uftrace
