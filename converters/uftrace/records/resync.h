// Decides which record is likely to come next. Finds it after a payload, which has no length of its own, and
// after damaged bytes; and recognizes damaged times. The levels of certainty, from low to high:
//
//   timely   it has the magic, and a likely time: at most kSlackNs before, and less than kLikelyGapNs after,
//            the record before it. A record of losses has no time.
//   likely   timely, and so is the record after it. A call also has a known address, or a record that fits
//            follows. An event or a loss fits.
//   fits     timely, and its depth and address match the open calls.
//   sure     timely, and so is the record after it. Two of these must also be true: it fits; its address is
//            known; the record after it fits.
//            One of them is enough for an exit of the innermost call. Events and losses only
//            have to fit.
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

// A record may come this long after the previous one (about 73 minutes) without looking like damage.
inline constexpr std::uint64_t kLikelyGapNs = std::uint64_t{1} << 42;

// Estimated exits and events may be some ns before the previous record.
inline constexpr std::uint64_t kSlackNs = 1000;

// If a record is this much later than the previous one (about 66 us), its time is compared with the times
// after it.
inline constexpr std::uint64_t kExaminedGapNs = std::uint64_t{1} << 16;

// Records this close (about 4 ms) belong together, even if other parts are damaged.
inline constexpr std::uint64_t kCloseNs = std::uint64_t{1} << 22;

// True if a record with that time may follow one with `last_ns`. The unsigned difference may wrap.
inline bool may_follow(std::uint64_t time_ns, std::uint64_t last_ns) {
  return time_ns - last_ns + kSlackNs < kLikelyGapNs + kSlackNs;
}

// The times of the records so far. The time of the next record is compared with them.
class RecordTimes {
 public:
  // The latest time of an entry or exit.
  std::uint64_t seen_ns() const { return seen_ns_; }
  // Times after this one may be damaged.
  std::uint64_t trusted_until_ns() const { return trusted_until_ns_; }
  // The limit for times after damage. The latest times may be damaged themselves, by an amount too small to
  // be examined, so the next record may be earlier by that amount.
  std::uint64_t after_damage_ns() const {
    const std::uint64_t time_ns = before_last_ns_ != 0 ? std::min(last_ns_, before_last_ns_) : last_ns_;
    return time_ns > kCloseNs ? time_ns - kCloseNs : time_ns;
  }

  // Takes the time of the last call in a run of plain calls.
  void add_plain(std::uint64_t time_ns) {
    last_ns_ = time_ns;
    seen_ns_ = std::max(seen_ns_, time_ns);
  }
  // Takes the time of a call or event that was an item.
  void add_item(std::uint64_t time_ns, bool is_call) {
    before_last_ns_ = std::exchange(last_ns_, time_ns);
    if (!is_call) return;
    seen_ns_ = std::max(seen_ns_, time_ns);
    trusted_until_ns_ = std::min(kTimeLimitNs, seen_ns_ + kExaminedGapNs);
  }

 private:
  std::uint64_t seen_ns_ = 0;
  std::uint64_t last_ns_ = 0;         // time of the last record that has one
  std::uint64_t before_last_ns_ = 0;  // time of the record before it, if that was an item
  std::uint64_t trusted_until_ns_ = 0;
};

// Bytes of a file for looking ahead.
struct Lookahead {
  std::span<const std::byte> bytes;
  bool at_end;  // true if the file ends with them
  Lookahead from(std::size_t offset) const { return {bytes.subspan(offset), at_end}; }
};

// The state of the thread before the record that is searched.
struct Expectation {
  std::uint64_t time_ns = 0;      // time of the last record; 0 if there was none
  std::size_t depth = 0;          // number of open calls
  std::uint64_t top_address = 0;  // address of the innermost open call; 0 if none or unknown
};

class Resync {
 public:
  // The arguments must outlive this object. `open` are the calls that are open before the next record.
  Resync(const ThreadFacts& facts, const DepthShift& shift, const OpenCalls& open)
      : facts_(facts), shift_(shift), open_(open) {}

  // True if `ahead` begins with a record that fits, or if the file ends there.
  bool fits_at(Lookahead ahead, const Expectation& expected) const;
  bool is_timely_at(Lookahead ahead, const Expectation& expected) const;
  // True if `ahead` begins with a likely exit of an outer call, such as the second return of setjmp.
  bool is_outer_exit(Lookahead ahead, const Expectation& expected) const;

  // The offset of a sure record after a payload at the start of `ahead`. It is a multiple of 8 and at most
  // `reach`.
  std::optional<std::size_t> find_sure(Lookahead ahead, std::size_t reach, const Expectation& expected) const;
  // The offset of the most likely record after the payload.
  std::optional<std::size_t> find_after_payload(Lookahead ahead, const Expectation& expected) const;
  // The offset of the next likely record after damaged bytes: one of from, from + 8, ... reach.
  std::optional<std::size_t> find_likely(Lookahead ahead, std::size_t from, std::size_t reach,
                                         const Expectation& expected) const;

  // True if the payload of `call`, which has a likely time, certainly has `size` bytes, a multiple of 8. Then
  // a record that fits follows, and nothing in the payload can be a record. Returns false if this needs a
  // closer examination. `ahead` begins with the payload.
  template <std::endian Order>
  bool is_size_certain(const CallRecord& call, std::span<const std::byte> ahead, std::size_t size) const;

  // True if the time of `record` is damaged: it can't be drawn, or the thread did not run at that time, or
  // the following records continue long before it. It is also damaged if it skips more days than the
  // recording lasted, and the following records do not come after it. `last_ns` is the time of the previous
  // record; 0 if there was none.
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
  if (!call.is_entry() && open > open_.depth()) return false;  // an exit that matches no open call
  const std::uint64_t top = call.is_entry() ? call.address : open != 0 ? open_.address_at(open - 1) : 0;
  // Avoids a branch on entry or exit, which can't be predicted.
  const std::uint64_t ends = mask_of(RecordWord::Type::get(next.word));
  const std::uint64_t mismatch = pick(ends, next.address() ^ top, std::uint64_t{next.address() == 0});
  if (((next.depth() ^ (open + ends)) | mismatch) != 0) return false;

  std::uint64_t word = load<std::uint64_t>(ahead.data(), Order);
  for (std::size_t at = kWord; at <= size; at += kWord) {
    const auto next_word = load<std::uint64_t>(ahead.data() + at, Order);
    // A record of losses has no time.
    if ((word == 0 || may_follow(word, call.time_ns)) && RecordWord::Magic::get(next_word) == kRecordMagic)
      return false;
    word = next_word;
  }
  return true;
}

}  // namespace convert::uftrace
