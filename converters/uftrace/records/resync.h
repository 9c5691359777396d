// Finds the next record after a payload, whose length is not recorded, and after damaged bytes. Also
// recognizes damaged times. Bytes can be a record with these levels of certainty, from low to high:
//
//   timely   They have the magic and a plausible time: at most kSlackNs before, or less than kLikelyGapNs
//            after the previous record. A record of losses has time 0.
//   likely   They are timely, and so is the next record, unless a payload is in between. For a call, its
//            address is known, or the next record matches the calls that are open after it. An event or a
//            loss also fits, as described below.
//   fits     They are timely. The depth and address of a call match the open calls. An event has depth 0 and
//            a known id.
//   sure     They are timely, and so is the next record, unless a payload is in between. For a call, two of
//            these are also true: it fits; its address is known; the next record fits. For an event, a
//            loss, or an exit of the innermost call, one of these is enough: it fits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/bits.h"
#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/thread_facts.h"

namespace convert::uftrace {

// A time that is more than this (about 73 minutes) after the previous time looks like damage.
inline constexpr std::uint64_t kLikelyGapNs = std::uint64_t{1} << 42;

// A record may be up to this much earlier than the previous record. Events and exits with estimated times
// (`uftrace record -e`) may be some ns too early.
inline constexpr std::uint64_t kSlackNs = 1000;

// If a record is this much (about 66 us) later than the previous record, its time is compared with the next
// times.
inline constexpr std::uint64_t kExaminedGapNs = std::uint64_t{1} << 16;

// Times that are closer to each other than this (about 4 ms) confirm each other.
inline constexpr std::uint64_t kCloseNs = std::uint64_t{1} << 22;

// True if a record with `time_ns` may follow a record with `last_ns`. The unsigned difference may wrap.
inline bool may_follow(std::uint64_t time_ns, std::uint64_t last_ns) {
  return time_ns - last_ns + kSlackNs < kLikelyGapNs + kSlackNs;
}

// The times of the records so far. They show whether the time of the next record is damaged.
class RecordTimes {
 public:
  // The latest time of an entry or exit.
  std::uint64_t seen_ns() const { return seen_ns_; }
  // If a time is later than this, it must be checked for damage.
  std::uint64_t trusted_until_ns() const { return trusted_until_ns_; }
  // Returns the earliest time that a record after damage can have. The last times before the damage may be
  // slightly wrong without being noticed. Therefore, the next record may be slightly earlier than they are.
  std::uint64_t after_damage_ns() const {
    const std::uint64_t time_ns = before_last_ns_ != 0 ? std::min(last_ns_, before_last_ns_) : last_ns_;
    return time_ns > kCloseNs ? time_ns - kCloseNs : time_ns;
  }

  // Must be called after a run of plain records, with the time of the last entry or exit in the run.
  void add_plain(std::uint64_t time_ns) {
    last_ns_ = time_ns;
    seen_ns_ = std::max(seen_ns_, time_ns);
  }
  // Must be called with the time of each other record that is an entry, an exit or an event. `is_call` is
  // false for an event.
  void add_item(std::uint64_t time_ns, bool is_call) {
    before_last_ns_ = std::exchange(last_ns_, time_ns);
    if (!is_call) return;
    seen_ns_ = std::max(seen_ns_, time_ns);
    trusted_until_ns_ = std::min(kTimeLimitNs, seen_ns_ + kExaminedGapNs);
  }

 private:
  std::uint64_t seen_ns_ = 0;
  std::uint64_t last_ns_ = 0;         // time of the last record with a time
  std::uint64_t before_last_ns_ = 0;  // time of the record before the last item; 0 if none
  std::uint64_t trusted_until_ns_ = 0;
};

// Bytes that the reader examines before it consumes them.
struct Lookahead {
  std::span<const std::byte> bytes;
  bool at_end;  // true if the file ends with these bytes
  Lookahead from(std::size_t offset) const { return {bytes.subspan(offset), at_end}; }
};

// The state of the thread before the record to be found.
struct Expectation {
  std::uint64_t time_ns = 0;      // time of the previous record; 0 if there is none
  std::size_t depth = 0;          // number of open calls
  std::uint64_t top_address = 0;  // address of the innermost open call; 0 if none or unknown
};

class Resync {
 public:
  // The arguments must outlive this object. `open` are the calls that are open before the next record.
  Resync(const ThreadFacts& facts, const DepthShift& shift, const OpenCalls& open)
      : facts_(facts), shift_(shift), open_(open) {}

  // True if `ahead` begins with a record that fits, or if the file ends before a whole record.
  bool fits_at(Lookahead ahead, const Expectation& expected) const;
  bool is_timely_at(Lookahead ahead, const Expectation& expected) const;
  // True if `ahead` begins with a likely exit of any open call, not only of the innermost. Such an exit may
  // come from setjmp, which returns a second time after longjmp.
  bool is_outer_exit(Lookahead ahead, const Expectation& expected) const;

  // Returns the offset of the first sure record in `ahead`, which begins with a payload. Tries multiples of 8
  // up to `reach`.
  std::optional<std::size_t> find_sure(Lookahead ahead, std::size_t reach, const Expectation& expected) const;
  // Returns the offset of the first sure record after the payload, or else of the first likely record. If
  // there is neither, but all remaining bytes of the file can be the payload, returns the end of the file.
  std::optional<std::size_t> find_after_payload(Lookahead ahead, const Expectation& expected) const;
  // Returns the offset of the next likely record after damaged bytes. Tries from, from + 8, ... reach.
  std::optional<std::size_t> find_likely(Lookahead ahead, std::size_t from, std::size_t reach,
                                         const Expectation& expected) const;

  // `ahead` begins with the payload of `call`. The time of `call` must be plausible. True if this payload
  // certainly has `size` bytes: the next record fits, and no bytes of the payload can be a record. False if a
  // closer examination is needed. `size` is a multiple of 8.
  template <std::endian Order>
  bool is_size_certain(const CallRecord& call, std::span<const std::byte> ahead, std::size_t size) const;

  // True if the time of `record` is damaged in one of these ways:
  //   - it can't be drawn, or the thread did not run at this time;
  //   - the next records are long before it;
  //   - it is too long after the previous time (leaps_too_far()), and the next two records are not shortly
  //     after it.
  // `last_ns` is the time of the previous record; 0 for the first record. The time of the first record is
  // also damaged if the next two records are too long after it.
  bool is_time_damaged(const Record& record, std::uint64_t last_ns, Lookahead following) const;

  Expectation after(const CallRecord& call) const;

 private:
  std::optional<Record> record_at(Lookahead ahead) const;
  bool is_known(std::uint64_t address) const;
  bool fits(const Record& record, const Expectation& expected) const;
  bool is_followed(Lookahead ahead, const Record& record, std::size_t open) const;
  bool is_followed_by_any(Lookahead ahead, const Record& record, const Expectation& expected) const;
  bool is_sure(Lookahead ahead, const Record& record, const Expectation& expected) const;
  bool is_likely(Lookahead ahead, const Record& record, const Expectation& expected) const;
  template <typename Accept>
  std::optional<std::size_t> scan(Lookahead ahead, std::size_t from, std::size_t to, Accept accept) const;
  std::optional<std::uint64_t> next_time(Lookahead& ahead) const;

  const ThreadFacts& facts_;
  const DepthShift& shift_;
  const OpenCalls& open_;
};

template <std::endian Order>
bool Resync::is_size_certain(const CallRecord& call, std::span<const std::byte> ahead,
                             std::size_t size) const {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (size + kRecordSize > ahead.size()) return false;
  const Record next = load_record<Order>(ahead.data() + size);
  if (!next.is_call() || !may_follow(next.time_ns, call.time_ns)) return false;
  const std::size_t open = call.depth + (call.is_entry() ? 1 : 0);
  if (!call.is_entry() && open > open_.depth()) return false;  // an exit without an open call does not fit
  const std::uint64_t top = call.is_entry() ? call.address : open != 0 ? open_.address_at(open - 1) : 0;
  // No branch depends on the kind of the record. The processor could not predict whether an entry or an exit
  // comes.
  const std::uint64_t ends = mask_of(RecordWord::Type::get(next.word));
  const std::uint64_t mismatch = pick(ends, next.address() ^ top, std::uint64_t{next.address() == 0});
  if (((next.depth() ^ (open + ends)) | mismatch) != 0) return false;

  std::uint64_t word = load<std::uint64_t>(ahead.data(), Order);
  for (std::size_t at = kWord; at <= size; at += kWord) {
    const auto next_word = load<std::uint64_t>(ahead.data() + at, Order);
    // These two words look like a record. The first word is a time, or 0 for a record of losses.
    if ((word == 0 || may_follow(word, call.time_ns)) && RecordWord::Magic::get(next_word) == kRecordMagic)
      return false;
    word = next_word;
  }
  return true;
}

}  // namespace convert::uftrace
