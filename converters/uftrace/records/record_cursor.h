// Reads one <TID>.dat forward, and finds the kind of each record. Runs of plain entries and exits are passed
// on at memory speed. All other records become items: calls with a payload or a problem, events, losses, and
// damage. Everything that reads records uses this class. Therefore, all readers agree about each record.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/input_file.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/resync.h"

namespace convert::uftrace {

struct RecordItem {
  enum class What : std::uint8_t {
    Call,        // an entry or exit
    Event,       // `call.address` is its id
    Loss,        // lost records; `call.address` is their number
    BadTime,     // a record with a damaged time; other fields may be correct
    NotRecords,  // bytes that are not records
    Zeros,       // bytes that are zero
    Truncated,   // a record or payload that is cut by the end of the file
  };
  What what;
  std::uint64_t begin;  // offsets in the file; the end is after the payload
  std::uint64_t end;
  CallRecord call = {};
  std::uint64_t before_ns = 0;  // the latest time of calls before this record
  bool has_payload = false;
  // True for an exit after which the file has only exits, if `uftrace record -e` estimated the times of
  // exits. The recorder wrote this exit when the thread ended. Its time is the time of the thread's end, and
  // not an estimate.
  bool is_final_exit = false;
  // True for a call whose time is less than the time of a previous call, because two processes write to this
  // file.
  bool has_two_writers = false;
  // The data of an event, or the values of a call, if their layout was found. Valid until the next read().
  std::span<const std::byte> payload = {};
  const PayloadLayout* layout = nullptr;  // layout of the values; null if unknown
  std::size_t needed = 0;                 // number of bytes that the whole record or payload would have
};

// A run of records, which may contain records that are not plain. A record is plain if it is an entry or exit
// without a payload, and its time is before `limit_ns`.
template <std::endian Order>
struct PlainRecords {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  DepthShift shift = {};
  std::uint64_t limit_ns = 0;  // records from this time on are not plain

  std::size_t count() const { return static_cast<std::size_t>(end - begin) / kRecordSize; }
  Record operator[](std::size_t i) const { return load_record<Order>(begin + i * kRecordSize); }
  // 0 if `record` is plain.
  std::uint64_t mismatch(const Record& record) const {
    return record.plain_mismatch() | std::uint64_t{record.time_ns >= limit_ns};
  }
  // Decodes a plain record. The depth in the result may be any number, because depths are not checked.
  CallRecord call_of(const Record& record) const {
    CallRecord call = record.call();
    call.depth += call.is_entry() ? -shift.entry : shift.exit;
    return call;
  }
  PlainRecords from(std::size_t i) const { return {begin + i * kRecordSize, end, shift, limit_ns}; }
  // Passes the calls to `accept`, one by one. Stops at a record that is not plain, or if `accept` returns
  // false. Returns the number of accepted calls.
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

// The block of the file that is in memory. Some bytes at its start may have already been consumed.
class RecordBlock {
 public:
  // The file must outlive this object. The part from `begin` to `end` is treated as the whole file.
  explicit RecordBlock(const InputFile& file, std::uint64_t begin = 0, std::uint64_t end = ~std::uint64_t{0})
      : file_(file),
        end_(std::min(end, file.size())),
        offset_(std::min(begin, end_)),
        rest_{.bytes = {}, .at_end = offset_ == end_} {}

  const InputFile& file() const { return file_; }
  // The bytes from offset() to end_offset(), which were not consumed yet.
  const Lookahead& rest() const { return rest_; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t file_end() const { return end_; }
  std::uint64_t end_offset() const { return offset_ + rest_.bytes.size(); }
  bool is_at_end() const { return rest_.at_end && rest_.bytes.empty(); }  // end of the file

  void consume(std::size_t bytes) {
    rest_.bytes = rest_.bytes.subspan(bytes);
    offset_ += bytes;
  }
  void jump_to(std::uint64_t offset) { offset_ = offset; }
  // Continues with `bytes`, as if they were in the file just before the offset `end`.
  void replace_before(std::uint64_t end, std::vector<std::byte> bytes) {
    replaced_ = std::move(bytes);
    replaced_end_ = end;
    rest_ = {.bytes = {}, .at_end = false};
    offset_ = end - replaced_.size();
  }
  // Reads the next bytes into `block`, which must stay valid. Throws InputError like InputFile::read().
  void read(std::span<std::byte> block) {
    const std::uint64_t left = end_ - std::min(offset_, end_);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), left));
    rest_.bytes =
        offset_ < replaced_end_ ? read_replaced(block.first(size)) : file_.read(offset_, block.first(size));
    rest_.at_end = end_offset() == end_;
  }

 private:
  std::span<const std::byte> read_replaced(std::span<std::byte> block) const {
    const auto from = std::span(replaced_).last(replaced_end_ - offset_);
    const std::size_t size = std::min(from.size(), block.size());
    std::copy_n(from.begin(), size, block.begin());
    return block.first(size + file_.read(offset_ + size, block.subspan(size)).size());
  }

  const InputFile& file_;
  std::uint64_t end_;
  std::uint64_t offset_;
  Lookahead rest_;
  std::vector<std::byte> replaced_ = {};
  std::uint64_t replaced_end_ = 0;
};

class RecordCursor {
 public:
  static constexpr std::size_t kMinBlock = 4096;
  // step() needs this many bytes to find the record after a payload. Therefore, the end of a block is read
  // again with the next block.
  static constexpr std::size_t kLookahead = 2 * kMaxPayload + 8 * kRecordSize;
  static_assert(kLookahead < kMinBlock, "so every block makes progress");

  struct Limits {
    std::uint64_t plain_until_ns = kForever;      // calls from this time on become items
    std::uint64_t plain_until_offset = kForever;  // calls from this offset on become items
    std::uint64_t delivered_until_ns = kForever;  // records from this time on are not returned yet
  };

  // The arguments must outlive this object. The caller must update `open` after each record, so that it has
  // the calls that are open before the next record. If `layouts` is null, no layout of a payload is known.
  RecordCursor(const InputFile& file, const ThreadFacts& facts, const OpenCalls& open,
               CandidateLayouts* layouts = nullptr)
      : facts_(facts),
        open_(open),
        layouts_(layouts),
        resync_(facts, shift_, open),
        block_(file, facts.part.begin, facts.part.end) {}
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  // Reads the block from which next() returns items; see RecordBlock::read().
  void read(std::span<std::byte> block);

  // Skips the records before `offset`, and reads `bytes` instead. `bytes` must be the entries of the calls
  // that are open at `offset`. Must be called before the first read().
  void start_at(std::uint64_t offset, std::vector<std::byte> bytes);

  // Returns the next item of the block. Returns nothing at the end of the block, or if the time of the next
  // record is `delivered_until_ns` or later. The plain records before the item are passed to
  // `plain(PlainRecords, offset of the first)`, which returns how many of them it consumed. If `plain` has
  // `try_add(CallRecord, PayloadLayout, payload)`, this function gets the calls whose payload layout is
  // certain. It returns true if it consumed the call.
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
      // Without an item, step() has stopped before a record, or has consumed unreadable bytes and not
      // returned them yet.
      if (is_held_) return std::nullopt;
    }
  }

  bool is_done() const { return block_.is_at_end() && !damage_.item; }
  // True if next() returned nothing because the time of the next record is `delivered_until_ns` or later.
  bool is_held() const { return is_held_; }
  std::uint64_t offset() const { return block_.offset(); }  // offset of the next record
  std::uint64_t end() const { return block_.file_end(); }
  std::uint64_t records() const { return records_; }          // number of records so far
  std::uint64_t seen_ns() const { return times_.seen_ns(); }  // the latest time of an entry or exit
  const DepthShift& shift() const { return shift_; }

 private:
  // Passes runs of records to `plain`, until `plain` does not consume a record. `plain` does not consume a
  // call with a payload of uncertain size, an event, a loss, or a record with a wrong magic or a time beyond
  // the limits.
  template <std::endian Order, typename Plain>
  void walk_plain(const Limits& limits, Plain&& plain) {
    const std::uint64_t limit_ns =
        std::min({limits.plain_until_ns, limits.delivered_until_ns, times_.trusted_until_ns()});
    const std::uint64_t stop = std::min(block_.end_offset(), limits.plain_until_offset);
    while (offset() < stop) {
      const std::byte* const begin = block_.rest().bytes.data();
      const std::byte* const end = begin + (stop - offset()) / kRecordSize * kRecordSize;
      const bool is_plain = begin == end || !load_record<Order>(begin).has_payload();
      const std::size_t count =
          is_plain ? plain(PlainRecords<Order>{begin, end, shift_, limit_ns}, offset()) : 0;
      if (count != 0) {
        times_.add_plain(load_record<Order>(begin + (count - 1) * kRecordSize).time_ns);
        block_.consume(count * kRecordSize);
        records_ += count;
      }
      if (offset() >= stop || !try_payload<Order>(limit_ns, plain)) return;
    }
  }

  // Consumes a call if the size of its payload is certain. The result is the same as with step(), but this is
  // faster.
  template <std::endian Order, typename Plain>
  bool try_payload(std::uint64_t limit_ns, Plain&& plain) {
    if constexpr (requires(const PayloadLayout& layout) {
                    plain.try_add(CallRecord{}, layout, std::span<const std::byte>{});
                  }) {
      const auto ahead = block_.rest().bytes;
      if (ahead.size() < 2 * kRecordSize || layouts_ == nullptr || !shift_.is_none()) return false;
      const Record record = load_record<Order>(ahead.data());
      if (!record.is_call() || !record.has_payload() || record.time_ns >= limit_ns ||
          record.time_ns < seen_ns())
        return false;
      const CallRecord call = record.call();
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

  // True if the block has all bytes that step() may need.
  bool can_step() const {
    const Lookahead& rest = block_.rest();
    return !rest.bytes.empty() && (rest.at_end || rest.bytes.size() >= kLookahead);
  }
  // Unreadable bytes before the next record.
  struct Damage {
    std::optional<RecordItem> item = {};
    bool goes_on = false;  // the end of the damage was not found yet
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
