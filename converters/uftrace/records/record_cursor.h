// Walks one <TID>.dat forward and decides what it holds. Plain entries and exits come in runs, at the speed
// of memory; everything else comes as items: calls that need care or have a payload, events, losses, and
// damage. Everything that looks at records uses this class, so that they agree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/input_file.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/records/depth_shift.h"
#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/record_block.h"
#include "converters/uftrace/records/record_times.h"
#include "converters/uftrace/records/resync.h"

namespace convert::uftrace {

struct RecordItem {
  enum class What : std::uint8_t {
    Call,        // an entry or exit
    Event,       // `call.address` is its id
    Loss,        // `call.address` records are missing here
    BadTime,     // a record whose time is damage; the rest of it may be right
    NotRecords,  // bytes that make no sense
    Zeros,       // bytes that are zero
    Truncated,   // a record or payload that the end of the file cuts off
  };
  What what;
  std::uint64_t begin;  // offsets in the file, with the payload
  std::uint64_t end;
  CallRecord call = {};
  std::uint64_t before_ns = 0;  // the latest time of the calls before it
  bool has_payload = false;
  // Of an exit in a recording with estimated exits: no entry follows in the file. The recorder wrote it when
  // the thread ended, with the time of then.
  bool is_final_exit = false;
  // Of a call that is earlier than one before it: two processes write to the file.
  bool has_two_writers = false;
  // The data of an event; the values of a call, if their layout was found. Valid until the next read().
  std::span<const std::byte> payload = {};
  const PayloadLayout* layout = nullptr;  // of the values; null if it is unknown
  std::size_t needed = 0;                 // bytes, of what is truncated
};

// Records whose first ones may be plain.
template <std::endian Order>
struct PlainRecords {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  DepthShift shift = {};
  std::uint64_t limit_ns = 0;  // times from here on are not plain

  std::size_t count() const { return static_cast<std::size_t>(end - begin) / kRecordSize; }
  Record operator[](std::size_t i) const { return load_record<Order>(begin + i * kRecordSize); }
  // 0 if record is plain.
  std::uint64_t mismatch(const Record& record) const {
    return ((record.word & kPlainMask) ^ kPlainPattern) | std::uint64_t{record.time_ns >= limit_ns};
  }
  // What a plain record means. Its depth may be any number.
  CallRecord call_of(const Record& record) const {
    const RecordType type = record.type();
    return {.type = type,
            .time_ns = record.time_ns,
            .depth = type == RecordType::Entry ? record.depth() - shift.entry : record.depth() + shift.exit,
            .address = record.address()};
  }
  PlainRecords from(std::size_t i) const { return {begin + i * kRecordSize, end, shift, limit_ns}; }
  // Gives the plain calls to `accept` until it refuses one; returns how many it accepted.
  template <typename Accept>
  std::size_t count_while(Accept accept) const {
    std::size_t i = 0;
    for (const std::size_t n = count(); i != n; ++i) {
      const Record record = (*this)[i];
      if (mismatch(record) != 0 || !accept(call_of(record))) break;
    }
    return i;
  }
};

class RecordCursor {
 public:
  // Blocks have at least this size.
  static constexpr std::size_t kMinBlock = 4096;
  // Slow steps need this much after a record: the longest payload and some records to recognise what
  // follows. So the end of a block is read again with the next one.
  static constexpr std::size_t kLookahead = 2 * kMaxPayload + 8 * kRecordSize;
  static_assert(kLookahead < kMinBlock, "so every block makes progress");

  // How far runs of plain records, and items, may go.
  struct Limits {
    std::uint64_t plain_until_ns = kForever;      // calls from this time on become items
    std::uint64_t plain_until_offset = kForever;  // and so do those at this offset and after it
    std::uint64_t delivered_until_ns = kForever;  // no record from this time on is given yet
  };

  // Borrows all. The caller keeps `open` up to date: the calls that are open before the next record.
  // Without `layouts`, which may be null, payloads have no known layout.
  RecordCursor(const InputFile& file, const ThreadFacts& facts, const OpenCalls& open,
               CandidateLayouts* layouts = nullptr)
      : facts_(facts),
        open_(open),
        layouts_(layouts),
        resync_(facts, shift_, open),
        block_(file, facts.part.begin, facts.part.end) {}
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  // RecordBlock::read(), for next().
  void read(std::span<std::byte> block, const BytesAhead& ahead = {});

  // The next item of the block. Plain records before it go to `plain(PlainRecords, offset of the first)`,
  // which returns how many of them it consumed; the one after those becomes an item. A `plain` that has
  // `try_add(CallRecord, PayloadLayout, payload)` is also given calls whose payload's layout is beyond doubt,
  // and returns whether it consumed the call. Nothing when the block is over, or the next record lies at
  // `delivered_until_ns` or later.
  template <typename Plain>
  std::optional<RecordItem> next(const Limits& limits, Plain&& plain) {
    for (;;) {
      if (!damage_.item) {
        if (facts_.order == std::endian::little)
          walk_plain<std::endian::little>(limits, plain);
        else
          walk_plain<std::endian::big>(limits, plain);
      }
      if (!can_step()) return end_of_block();
      if (auto item = step(limits.delivered_until_ns)) return item;
      if (is_held_) return std::nullopt;  // else damage grew, or ended without an item
    }
  }

  // There are no more items.
  bool is_done() const { return block_.is_at_end() && !damage_.item; }
  // The next record lies at `delivered_until_ns` or later.
  bool is_held() const { return is_held_; }
  std::uint64_t offset() const { return block_.offset(); }    // of the next record
  std::uint64_t end() const { return block_.file_end(); }     // of all records
  std::uint64_t records() const { return records_; }          // so far
  std::uint64_t seen_ns() const { return times_.seen_ns(); }  // the latest time of an entry or exit
  const DepthShift& shift() const { return shift_; }

 private:
  // A run of records that need no care. Stops at the first one that does: a payload whose size is not beyond
  // doubt, an event, a loss, a wrong magic, a time beyond the limits, or one that is not consumed.
  template <std::endian Order, typename Plain>
  void walk_plain(const Limits& limits, Plain&& plain) {
    const std::uint64_t limit_ns =
        std::min({limits.plain_until_ns, limits.delivered_until_ns, times_.trusted_until_ns()});
    const std::uint64_t stop = std::min(block_.end_offset(), limits.plain_until_offset);
    while (offset() < stop) {
      const std::byte* const begin = block_.rest().bytes.data();
      const std::byte* const end = begin + (stop - offset()) / kRecordSize * kRecordSize;
      const std::size_t count = plain(PlainRecords<Order>{begin, end, shift_, limit_ns}, offset());
      if (count != 0) {
        times_.add_plain(load_record<Order>(begin + (count - 1) * kRecordSize).time_ns);
        block_.consume(count * kRecordSize);
        records_ += count;
      }
      if (offset() >= stop || !try_payload<Order>(limit_ns, plain)) return;
    }
  }

  // Consumes one call whose payload size is certain. The result equals that of step().
  template <std::endian Order, typename Plain>
  bool try_payload(std::uint64_t limit_ns, Plain&& plain) {
    if constexpr (requires(const PayloadLayout& layout) {
                    plain.try_add(CallRecord{}, layout, std::span<const std::byte>{});
                  }) {
      const auto ahead = block_.rest().bytes;
      if (ahead.size() < 2 * kRecordSize || layouts_ == nullptr || !shift_.is_none()) return false;
      const Record record = load_record<Order>(ahead.data());
      if ((record.word & kPlainMask) != kPayloadPattern || record.time_ns >= limit_ns ||
          record.time_ns < seen_ns())
        return false;
      const CallRecord call{.type = record.type(),
                            .time_ns = record.time_ns,
                            .depth = record.depth(),
                            .address = record.address()};
      const auto candidates = layouts_->candidates(call.time_ns, call.address, call.is_entry());
      if (candidates.empty()) return false;
      const auto following = ahead.subspan(kRecordSize);
      const PayloadLayout& likeliest = candidates.front();
      const auto size = likeliest.size_of(following);
      if (!size || *size == 0 || padded(*size) > kMaxPayload) return false;
      if (!resync_.is_size_certain<Order>(call, following, padded(*size))) return false;
      if (!plain.try_add(call, likeliest, following.first(*size))) return false;
      times_.add_plain(record.time_ns);
      block_.consume(kRecordSize + padded(*size));
      ++records_;
      return true;
    } else {
      return false;
    }
  }

  // Whether the block has all that a step may look at.
  bool can_step() const {
    const Lookahead& rest = block_.rest();
    return !rest.bytes.empty() && (rest.at_end || rest.bytes.size() >= kLookahead);
  }
  // Bytes that can't be read, before the next record.
  struct Damage {
    std::optional<RecordItem> item = {};
    bool goes_on = false;  // its end was not found yet
  };

  std::optional<RecordItem> end_of_block();
  std::optional<RecordItem> step(std::uint64_t delivered_until_ns);
  RecordItem next_call(const Record& record, Lookahead following);
  RecordItem next_event(const Record& record, Lookahead following);
  bool is_final_exit(Lookahead following) const;
  void look_for_second_writer(const Record& record);
  RecordItem next_bad_time(const Record& record, Lookahead following);
  RecordItem consume_record(RecordItem item, std::size_t payload_bytes);
  CallRecord decode(const Record& record) const;
  void size_payload(RecordItem& item, Lookahead following, std::size_t& bytes) const;
  void skip_damage(Lookahead rest, std::size_t from);
  std::size_t zero_bytes(Lookahead rest) const;
  void skip_hole();
  void extend_damage(RecordItem::What what, std::size_t bytes);
  std::optional<RecordItem> end_damage();
  Expectation expectation() const;

  const ThreadFacts& facts_;
  const OpenCalls& open_;
  CandidateLayouts* layouts_;
  DepthShift shift_;
  Resync resync_;

  RecordBlock block_;
  RecordTimes times_;
  std::uint64_t records_ = 0;
  bool is_held_ = false;
  Damage damage_;
  bool has_two_writers_ = false;
  unsigned searches_for_writer_ = 0;
};

}  // namespace convert::uftrace
