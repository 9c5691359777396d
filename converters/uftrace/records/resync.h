// Decides which record is likely to come next. Finds it after a payload, which has no length of its own, and
// after damaged bytes (uftrace.md, sections 8.5 and 9.4); and recognises damaged times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/depth_shift.h"
#include "converters/uftrace/records/records.h"
#include "converters/uftrace/records/thread_facts.h"

namespace convert::uftrace {

// A record may come this long after the one before it (about 73 minutes) without looking like damage.
inline constexpr std::uint64_t kLikelyGapNs = std::uint64_t{1} << 42;

// A record this much later than the one before it (about 4 ms) has its time held against those behind it.
inline constexpr std::uint64_t kExaminedGapNs = std::uint64_t{1} << 22;

// The state of the thread before the record that is searched.
struct Expectation {
  std::uint64_t time_ns = 0;      // of the last record; 0 if there was none
  std::size_t depth = 0;          // calls open now
  std::uint64_t top_address = 0;  // of the innermost of them; 0 if none or unknown
};

// Bytes of a file, to look ahead in.
struct Ahead {
  std::span<const std::byte> bytes;
  bool at_end;  // the file ends with them
  Ahead from(std::size_t offset) const { return {bytes.subspan(offset), at_end}; }
};

class Resync {
 public:
  // Borrows all; `open` are the calls that are open before the next record.
  Resync(const ThreadFacts& facts, const DepthShift& shift, const OpenCalls& open)
      : facts_(facts), shift_(shift), open_(open) {}

  // Whether `ahead` begins with a record that continues the file, or the file ends there.
  bool continues(Ahead ahead, const Expectation& expected) const;
  // Whether any record may stand there.
  bool is_plausible(Ahead ahead, const Expectation& expected) const;

  // The offset, a multiple of 8 and at most `reach`, of a record that surely follows a payload at the start
  // of `ahead`. Two things speak for it: its time, and its depth or address, or both with the record after
  // it.
  std::optional<std::size_t> find_sure(Ahead ahead, std::size_t reach, const Expectation& expected) const;
  // The same for the record that is most likely.
  std::optional<std::size_t> find_behind_payload(Ahead ahead, const Expectation& expected) const;
  // The offset of the next likely record after damaged bytes: one of from, from + 8, ... reach.
  std::optional<std::size_t> find_likely(Ahead ahead, std::size_t from, std::size_t reach,
                                         const Expectation& expected) const;

  // True if the time of `record` is damage: it can't be drawn, or the records after it go on long before it,
  // or it leaps over days that the recording did not last, and the records after it do not follow. `last_ns`
  // is the time of the record before it; 0 if there was none.
  bool is_time_damaged(const Record& record, std::uint64_t last_ns, Ahead behind) const;

  Expectation after(const CallRecord& call) const;

 private:
  std::optional<Record> record_at(Ahead ahead) const;
  std::size_t depth_of(const Record& record) const;
  bool is_known(std::uint64_t address) const;
  bool fits(const Record& record, const Expectation& expected) const;
  bool is_followed(Ahead ahead, const Record& record) const;
  bool is_followed_by_any(Ahead ahead, const Record& record, const Expectation& expected) const;
  bool is_sure(Ahead ahead, const Record& record, const Expectation& expected) const;
  bool is_likely(Ahead ahead, const Record& record, const Expectation& expected) const;
  template <typename Accept>
  std::optional<std::size_t> scan(Ahead ahead, std::size_t from, std::size_t to, Accept accept) const;
  std::optional<std::uint64_t> next_time(Ahead& ahead) const;

  const ThreadFacts& facts_;
  const DepthShift& shift_;
  const OpenCalls& open_;
};

}  // namespace convert::uftrace
