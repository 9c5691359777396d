// Walks one <TID>.dat forward and says what it holds: runs of plain entries and exits at the speed of memory,
// everything else as items: calls that need a look or have a payload, events, losses, and what can't be read.
// All who look at records ask here, so that they agree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/input_file.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/depth_shift.h"
#include "converters/uftrace/records/payload_decoder.h"
#include "converters/uftrace/records/records.h"
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
  // Of an event its data, of a call its values, if a reading is known. Valid until the next read().
  std::span<const std::byte> payload = {};
  std::optional<unsigned> reading = {};
  std::size_t needed = 0;  // bytes, of what is truncated

  bool is_record() const { return what <= What::BadTime; }
};

// Records of which the first ones are plain, perhaps all.
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
};

class RecordCursor {
 public:
  // Blocks must have this much.
  static constexpr std::size_t kMinBlock = 4096;

  // How far it may go by itself.
  struct Limits {
    std::uint64_t plain_until_ns = kNever;      // calls from this time on become items
    std::uint64_t plain_until_offset = kNever;  // and so do those at this offset and behind it
    std::uint64_t delivered_until_ns = kNever;  // nothing from this time on is said at all
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  };

  // Borrows the file, the facts and the calls that are open at the record at hand, which the caller keeps.
  // Who knows of payloads may be missing.
  RecordCursor(const InputFile& file, const ThreadFacts& facts, const OpenCalls& open,
               PayloadDecoder* payloads = nullptr)
      : file_(file),
        facts_(facts),
        open_(open),
        payloads_(payloads),
        resync_(facts, shift_, open),
        at_end_(file.size() == 0) {}
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  // Reads on, into `block`, and borrows it for next(). Throws InputError as InputFile::read() does.
  void read(std::span<std::byte> block);

  // The next item of the block. Plain records before it are handed to `plain` as CallRecords; it returns
  // false for one that it does not want, which then becomes an item. If it has take_run(PlainRecords), it is
  // asked first how many of them it takes at once. Nothing when the block is over, or the next record lies
  // behind the gate.
  template <typename Plain>
  std::optional<RecordItem> next(const Limits& limits, Plain&& plain) {
    for (;;) {
      if (!damage_) {
        if (facts_.order == std::endian::little)
          walk_plain<std::endian::little>(limits, plain);
        else
          walk_plain<std::endian::big>(limits, plain);
      }
      if (!can_step()) return end_of_block();
      if (auto item = step(limits.delivered_until_ns)) return item;
      if (is_held_) return std::nullopt;
    }
  }

  // Everything was said.
  bool is_done() const { return at_end_ && at_ == bytes_.size() && !damage_; }
  // The next record lies behind the gate.
  bool is_held() const { return is_held_; }
  std::uint64_t offset() const { return offset_ + at_; }  // of the next record
  std::uint64_t records() const { return records_; }      // so far
  std::uint64_t seen_ns() const { return seen_ns_; }      // the latest time of an entry or exit
  const DepthShift& shift() const { return shift_; }

 private:
  // Slow steps need this much behind a record: the longest payload and some records to recognise what
  // follows.
  static constexpr std::size_t kLookahead = 2 * kMaxPayload + 8 * kRecordSize;
  static_assert(kLookahead < kMinBlock, "so every block makes progress");

  // A run of records that need no care. Stops at the first one that does: a payload, an event, a loss, a
  // wrong magic, a time beyond the limits, or one that is not wanted.
  template <std::endian Order, typename Plain>
  void walk_plain(const Limits& limits, Plain&& plain) {
    const std::uint64_t limit_ns =
        std::min({limits.plain_until_ns, limits.delivered_until_ns, trusted_until_ns_});
    const std::uint64_t stop = std::min<std::uint64_t>(
        bytes_.size(), limits.plain_until_offset - std::min(limits.plain_until_offset, offset_));
    if (stop <= at_) return;
    const std::byte* const begin = bytes_.data() + at_;
    const std::byte* const end = begin + (stop - at_) / kRecordSize * kRecordSize;
    const DepthShift shift = shift_;
    const std::byte* at = begin;
    for (;; at += kRecordSize) {
      if constexpr (requires { plain.take_run(PlainRecords<Order>{}); })
        at += plain.take_run(PlainRecords<Order>{at, end, shift, limit_ns}) * kRecordSize;
      if (at == end) break;
      const Record record = load_record<Order>(at);
      if ((record.word & kPlainMask) != kPlainPattern || record.time_ns >= limit_ns) break;
      const RecordType type = record.type();
      const std::size_t depth =
          type == RecordType::Entry ? record.depth() - shift.entry : record.depth() + shift.exit;
      if (!plain(CallRecord{
              .type = type, .time_ns = record.time_ns, .depth = depth, .address = record.address()}))
        break;
    }
    if (at == begin) return;
    seen_ns_ = std::max(seen_ns_, load_record<Order>(at - kRecordSize).time_ns);
    const auto taken = static_cast<std::size_t>(at - begin);
    at_ += taken;
    records_ += taken / kRecordSize;
  }

  // Whether the block has all that a step may look at.
  bool can_step() const {
    const std::size_t left = bytes_.size() - at_;
    return left != 0 && (at_end_ || left >= kLookahead);
  }
  std::optional<RecordItem> end_of_block();
  std::optional<RecordItem> step(std::uint64_t delivered_until_ns);
  RecordItem take_call(const Record& record, Ahead behind);
  RecordItem take_event(const Record& record, Ahead behind);
  RecordItem take_bad_time(const Record& record, Ahead behind);
  RecordItem finish(RecordItem item, std::size_t payload_bytes);
  CallRecord understand(const Record& record) const;
  void size_payload(RecordItem& item, Ahead behind, std::size_t& bytes) const;
  void find_back(Ahead rest, std::size_t from);
  std::size_t zero_bytes(Ahead rest) const;
  void extend_damage(RecordItem::What what, std::size_t bytes);
  std::optional<RecordItem> take_damage();
  Expectation expectation() const;

  const InputFile& file_;
  const ThreadFacts& facts_;
  const OpenCalls& open_;
  PayloadDecoder* payloads_;
  DepthShift shift_;
  Resync resync_;

  std::uint64_t offset_ = 0;  // of the block
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;  // of the next record in the block
  bool at_end_;         // the file ends with the block
  bool is_held_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t seen_ns_ = 0;
  std::uint64_t trusted_until_ns_ = 0;  // times from here on need a look
  std::optional<RecordItem> damage_;    // at hand
  bool is_lost_ = false;                // and its end was not found yet
};

}  // namespace convert::uftrace
