// Decides which record is likely to come next. Finds it after a payload, which has no length of its own, and
// after damaged bytes; and recognises damaged times.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/model/lanes/mask.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/depth_shift.h"
#include "converters/uftrace/records/record_block.h"
#include "converters/uftrace/records/record_times.h"
#include "converters/uftrace/records/records.h"
#include "converters/uftrace/records/thread_facts.h"

namespace convert::uftrace {

// A record may come this long after the one before it (about 73 minutes) without looking like damage.
inline constexpr std::uint64_t kLikelyGapNs = std::uint64_t{1} << 42;

// Estimated exits and events may lie some ns before the record before them.
inline constexpr std::uint64_t kSlackNs = 1000;

// The state of the thread before the record that is searched.
struct Expectation {
  std::uint64_t time_ns = 0;      // of the last record; 0 if there was none
  std::size_t depth = 0;          // calls open now
  std::uint64_t top_address = 0;  // of the innermost of them; 0 if none or unknown
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
  // Whether a likely exit of an outer call stands there, as of setjmp when it returns for the second time.
  bool is_outer_exit(Ahead ahead, const Expectation& expected) const;

  // The offset, a multiple of 8 and at most `reach`, of a record that surely follows a payload at the start
  // of `ahead`. It is sure if its time is likely, and two of these hold: it fits the open calls; its address
  // is known; the record after it follows from it. An exit of the innermost call needs no second one, events
  // and losses need only fit; the record after them must have a likely time.
  std::optional<std::size_t> find_sure(Ahead ahead, std::size_t reach, const Expectation& expected) const;
  // The same for the record that is most likely.
  std::optional<std::size_t> find_behind_payload(Ahead ahead, const Expectation& expected) const;
  // The offset of the next likely record after damaged bytes: one of from, from + 8, ... reach.
  std::optional<std::size_t> find_likely(Ahead ahead, std::size_t from, std::size_t reach,
                                         const Expectation& expected) const;

  // Whether the payload of `call`, which has a likely time, surely has `size` bytes,
  // a multiple of 8: then a record that continues the file follows, and nothing in the payload can be one.
  // False if that needs a closer look. `ahead` begins with the payload.
  template <std::endian Order>
  bool surely_ends(const CallRecord& call, std::span<const std::byte> ahead, std::size_t size) const;

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

template <std::endian Order>
bool Resync::surely_ends(const CallRecord& call, std::span<const std::byte> ahead, std::size_t size) const {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::uint64_t kLatest = std::uint64_t{1} << 62;  // so that nothing below overflows
  if (size + kRecordSize > ahead.size() || call.time_ns <= kSlackNs || call.time_ns >= kLatest) return false;
  const std::uint64_t earliest_ns = call.time_ns - kSlackNs;
  const auto is_likely_time = [&](std::uint64_t ns) { return ns - earliest_ns < kLikelyGapNs + kSlackNs; };

  const Record next = load_record<Order>(ahead.data() + size);
  if ((next.word & kPlainMask & ~RecordWord::More::kMask) != kPlainPattern || !is_likely_time(next.time_ns))
    return false;
  const std::size_t open = call.depth + (call.is_entry() ? 1 : 0);
  if (!call.is_entry() && open > open_.depth()) return false;  // an exit that fits no open call
  const std::uint64_t top = call.is_entry() ? call.address : open != 0 ? open_.address_at(open - 1) : 0;
  // Without a branch on whether it is an entry or an exit, which can't be predicted.
  const std::uint64_t ends = mask_of(RecordWord::Type::get(next.word));
  const std::uint64_t mismatch = pick(ends, next.address() ^ top, std::uint64_t{next.address() == 0});
  if (((next.depth() ^ (open + ends)) | mismatch) != 0) return false;

  std::uint64_t word = load<std::uint64_t>(ahead.data(), Order);
  for (std::size_t at = kWord; at <= size; at += kWord) {
    const auto behind = load<std::uint64_t>(ahead.data() + at, Order);
    // A record of losses has no time.
    if ((word == 0 || is_likely_time(word)) && RecordWord::Magic::get(behind) == kRecordMagic) return false;
    word = behind;
  }
  return true;
}

}  // namespace convert::uftrace
