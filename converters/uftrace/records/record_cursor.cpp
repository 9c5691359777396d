#include "converters/uftrace/records/record_cursor.h"

#include "converters/model/reading/byte_cursor.h"

namespace convert::uftrace {
namespace {

// Counts how many exits match a thread's entries if `shift` is added to the depths of exits.
class DepthShiftTrial {
 public:
  explicit DepthShiftTrial(std::size_t shift) : shift_(shift) {}

  void add(const Record& record) {
    CallRecord call = record.call();
    if (!call.is_entry()) {
      call.depth += shift_;
      ++exits_;
      if (open_.fits(call)) ++right_;
    }
    open_.follow(call);
  }
  std::size_t right() const { return right_; }
  bool is_sure() const { return right_ == exits_; }  // no other shift can have more matching exits

 private:
  std::size_t shift_;
  ScannedCalls<> open_;
  std::size_t exits_ = 0, right_ = 0;
};

// Tries the first records of a file with and without a shift. Returns the shift with more matching exits.
DepthShift find_depth_shift(std::span<const std::byte> head, std::endian order) {
  DepthShiftTrial as_entered(0), as_callers(1);
  std::size_t lowest = kDepthModulus;
  const auto try_all = [&](DepthShiftTrial& trial) {
    for (std::size_t at = 0; at + kRecordSize <= head.size(); at += kRecordSize) {
      const Record record = load_record(head.data() + at, order);
      if (!record.is_plain()) break;  // only QEMU's plugin shifts depths, and it writes only plain records
      trial.add(record);
      if (record.type() == RecordType::Entry) lowest = std::min(lowest, record.depth());
    }
  };
  try_all(as_entered);
  if (as_entered.is_sure()) return {};
  try_all(as_callers);
  if (as_callers.right() <= as_entered.right()) return {};
  return lowest == 0 ? DepthShift{.entry = 0, .exit = 1} : DepthShift{.entry = 1, .exit = 0};
}

}  // namespace

void RecordCursor::read(std::span<std::byte> block) {
  if (damage_.item && damage_.item->what == RecordItem::What::Zeros) skip_hole();
  block_.read(block);
  is_held_ = false;
  // The shift is found in the first kMinBlock bytes. Therefore, the size of the block has no effect on the
  // shift.
  if (offset() == facts_.part.begin) {
    const auto head = block_.rest().bytes;
    shift_ = find_depth_shift(head.first(std::min(head.size(), kMinBlock)), facts_.order);
  }
}

void RecordCursor::start_at(std::uint64_t offset, std::vector<std::byte> bytes) {
  std::vector<std::byte> head(kMinBlock);
  read(head);  // finds the shift of the depths
  block_.replace_before(offset, std::move(bytes));
}

std::optional<RecordItem> RecordCursor::end_of_block() {
  return block_.is_at_end() ? end_damage() : std::nullopt;
}

std::optional<RecordItem> RecordCursor::step(std::uint64_t delivered_until_ns) {
  const Lookahead rest = block_.rest();
  if (damage_.goes_on) {
    skip_damage(rest, 0);
    return std::nullopt;
  }
  const std::size_t zeros = zero_bytes(rest);
  if (zeros != 0 && damage_.item && damage_.item->what == RecordItem::What::Zeros) {
    extend_damage(RecordItem::What::Zeros, zeros);
    return std::nullopt;
  }
  if (damage_.item) return end_damage();
  if (rest.bytes.size() < kRecordSize) {
    const RecordItem item{.what = RecordItem::What::Truncated,
                          .begin = offset(),
                          .end = offset() + rest.bytes.size(),
                          .needed = kRecordSize};
    block_.consume(rest.bytes.size());
    return item;
  }
  const Record record = load_record(rest.bytes.data(), facts_.order);
  if (!record.has_magic()) {
    if (zeros != 0)
      extend_damage(RecordItem::What::Zeros, zeros);
    else
      skip_damage(rest, sizeof(std::uint64_t));
    return std::nullopt;
  }

  const Lookahead following = rest.from(kRecordSize);
  if (record.type() == RecordType::Lost)
    return consume_record(
        {.what = RecordItem::What::Loss, .begin = offset(), .end = 0, .call = decode(record)}, 0);
  if (resync_.is_time_damaged(record, seen_ns(), following)) return next_bad_time(record, following);
  is_held_ = record.time_ns >= delivered_until_ns;
  if (is_held_) return std::nullopt;
  return record.type() == RecordType::Event ? next_event(record, following) : next_call(record, following);
}

RecordItem RecordCursor::consume_record(RecordItem item, std::size_t payload_bytes) {
  block_.consume(kRecordSize + payload_bytes);
  item.end = offset();
  ++records_;
  return item;
}

RecordItem RecordCursor::next_call(const Record& record, Lookahead following) {
  RecordItem item{.what = RecordItem::What::Call,
                  .begin = offset(),
                  .end = 0,
                  .call = decode(record),
                  .before_ns = seen_ns(),
                  .has_payload = record.has_payload()};
  if (facts_.has_estimated_exits && record.type() == RecordType::Exit)
    item.is_final_exit = is_final_exit(following);
  if (record.time_ns < seen_ns()) {
    look_for_second_writer(record);
    item.has_two_writers = has_two_writers_;
  }
  times_.add_item(record.time_ns, true);
  std::size_t bytes = 0;
  if (item.has_payload) size_payload(item, following, bytes);
  return consume_record(item, bytes);
}

bool RecordCursor::is_final_exit(Lookahead following) const {
  while (following.bytes.size() >= kRecordSize) {
    const Record next = load_record(following.bytes.data(), facts_.order);
    if (!next.has_magic() || next.type() != RecordType::Exit) return false;
    following = following.from(kRecordSize);
  }
  return following.at_end;
}

// After clone(), the child writes to the same file as the parent, and has a copy of the recorder's data.
// Entries that the recorder did not write before clone() are in both copies, so the file contains them twice.
// The entry of clone() is such an entry. Looks for a copy of `record` in the MiB before it.
void RecordCursor::look_for_second_writer(const Record& record) {
  constexpr unsigned kSearches = 8;
  constexpr std::uint64_t kReach = std::uint64_t{1} << 20;
  if (has_two_writers_ || record.type() != RecordType::Entry || searches_for_writer_ == kSearches) return;
  ++searches_for_writer_;
  const std::uint64_t begin = offset() - std::min(offset() - facts_.part.begin, kReach);
  std::vector<std::byte> buffer(offset() - begin);
  const auto before = block_.file().read_available(begin, buffer);
  for (std::size_t at = 0; at + kRecordSize <= before.size(); at += sizeof(std::uint64_t)) {
    const Record earlier = load_record(before.data() + at, facts_.order);
    if (earlier.time_ns == record.time_ns && earlier.word == record.word) has_two_writers_ = true;
  }
}

// Returns the record as BadTime. Finds the size of its payload as if the time were correct.
RecordItem RecordCursor::next_bad_time(const Record& record, Lookahead following) {
  const RecordItem item{
      .what = RecordItem::What::BadTime, .begin = offset(), .end = 0, .call = decode(record)};
  if (!record.has_payload()) return consume_record(item, 0);
  Expectation expected = expectation();
  if (record.type() != RecordType::Event) {
    expected = resync_.after(item.call);
    expected.time_ns = seen_ns();
  }
  return consume_record(item, resync_.find_after_payload(following, expected).value_or(0));
}

// Usually, the event ends at its recorded end. But if the first sure record (see resync.h) begins at another
// offset, the event ends at this offset. Offsets after the recorded end are tried only if no timely record
// (see resync.h) begins at the recorded end.
RecordItem RecordCursor::next_event(const Record& record, Lookahead following) {
  RecordItem item{.what = RecordItem::What::Event,
                  .begin = offset(),
                  .end = 0,
                  .call = decode(record),
                  .has_payload = record.has_payload()};
  times_.add_item(record.time_ns, false);
  if (!item.has_payload) return consume_record(item, 0);
  constexpr std::size_t kLengthSize = sizeof(std::uint16_t);
  const Expectation expected = expectation();
  if (following.bytes.size() < sizeof(std::uint64_t))
    return consume_record(item, resync_.find_after_payload(following, expected).value_or(0));
  ByteCursor in(following.bytes, block_.file().path(), facts_.order, offset() + kRecordSize);
  const std::size_t length = in.read<std::uint16_t>("event length");
  const std::size_t size = padded(kLengthSize + length);
  if (size > kMaxPayload)
    return consume_record(item, resync_.find_after_payload(following, expected).value_or(0));
  const bool is_whole = size <= following.bytes.size();
  const bool is_followed =
      is_whole && (size == following.bytes.size() || resync_.is_timely_at(following.from(size), expected));
  const std::size_t reach = is_followed ? size : kMaxPayload;
  if (const auto nearer = resync_.find_sure(following, reach, expected);
      is_whole && nearer && *nearer != size)
    return consume_record(item, *nearer);
  if (is_whole) {
    item.payload = following.bytes.subspan(kLengthSize, length);
    return consume_record(item, size);
  }
  // The end of the file cuts the data of the event. Returns the event without data. The next item has the
  // bytes after the event's record.
  damage_.item = RecordItem{.what = RecordItem::What::Truncated,
                            .begin = offset() + kRecordSize,
                            .end = offset() + kRecordSize + following.bytes.size(),
                            .needed = size};
  return consume_record(item, following.bytes.size());
}

// Restores the depth of a record. Reverses QEMU's shift, and the overflow of depths above 1023 into the
// address. The number of open calls shows whether a depth has overflowed.
CallRecord RecordCursor::decode(const Record& record) const {
  CallRecord call = record.call();
  if (!is_call(call.type)) return call;
  const std::size_t open = open_.depth();
  call.depth = shift_.undo(record, open);
  const std::size_t likely = call.is_entry() ? open : open - 1;
  const bool has_wrapped = open >= kDepthModulus && likely >= kDepthModulus &&
                           (facts_.max_stack == 0 || facts_.max_stack > kDepthModulus) &&
                           call.depth == likely % kDepthModulus;
  if (has_wrapped) {
    call.depth = likely;
    call.address -= likely / kDepthModulus;
  }
  return call;
}

// Chooses the first layout that meets two conditions: the record after the payload fits, and no sure record
// begins inside the payload. If there is none, chooses the first layout that is followed by a timely
// record, unless a sure record contradicts this layout. Without a layout, only finds the size of the payload.
void RecordCursor::size_payload(RecordItem& item, Lookahead following, std::size_t& bytes) const {
  const Expectation expected = resync_.after(item.call);
  const auto accept = [&](const PayloadLayout& layout, std::size_t size) {
    item.layout = &layout;
    item.payload = following.bytes.first(size);
    bytes = padded(size);
  };
  std::span<const PayloadLayout> candidates;
  if (layouts_ != nullptr)
    candidates = layouts_->candidates(item.call.time_ns, item.call.address, item.call.is_entry());
  const PayloadLayout* plausible = nullptr;
  for (const PayloadLayout& layout : candidates) {
    const auto size = layout.size_of(following.bytes);
    if (!size || padded(*size) > std::min(following.bytes.size(), kMaxPayload)) continue;
    const Lookahead follower = following.from(padded(*size));
    const bool is_empty = padded(*size) == 0;
    // fits_at() is also true for a few bytes at the end of the file. Such bytes belong to the payload, so a
    // layout without values is wrong.
    if (is_empty && !follower.bytes.empty() && !resync_.is_timely_at(follower, expected)) continue;
    if (resync_.fits_at(follower, expected)) {
      if (is_empty || !resync_.find_sure(following, padded(*size) - sizeof(std::uint64_t), expected))
        return accept(layout, *size);
    } else if (plausible == nullptr && resync_.is_timely_at(follower, expected)) {
      plausible = &layout;
    }
  }
  if (plausible != nullptr) {
    const std::size_t size = plausible->size_of(following.bytes).value_or(0), end = padded(size);
    const auto sure = resync_.find_sure(following, kMaxPayload, expected);
    if (!sure || *sure == end || (*sure > end && resync_.is_outer_exit(following.from(end), expected)))
      return accept(*plausible, size);
  }
  bytes = resync_.find_after_payload(following, expected).value_or(0);
}

Expectation RecordCursor::expectation() const {
  const std::size_t depth = open_.depth();
  return {.time_ns = seen_ns(), .depth = depth, .top_address = depth == 0 ? 0 : open_.address_at(depth - 1)};
}

// ---- Unreadable bytes ----

// Searches for the next record from offset `from` on. If the rest of the block is too short to decide,
// continues with the next block.
void RecordCursor::skip_damage(Lookahead rest, std::size_t from) {
  constexpr std::size_t kJudged = kMaxPayload + 8 * kRecordSize;
  static_assert(kJudged + sizeof(std::uint64_t) < kLookahead);
  const std::size_t reach = rest.at_end ? rest.bytes.size() : rest.bytes.size() - kJudged;
  Expectation expected = expectation();
  expected.time_ns = times_.after_damage_ns();
  const auto found = resync_.find_likely(rest, from, reach, expected);
  damage_.goes_on = !found && !rest.at_end;
  const std::size_t whole = reach - reach % sizeof(std::uint64_t) + sizeof(std::uint64_t);
  extend_damage(RecordItem::What::NotRecords, found ? *found : rest.at_end ? rest.bytes.size() : whole);
}

// Returns the number of zero bytes at the start of `rest`, in whole words. The last zero word is not counted
// if it is the time of a LOST record.
std::size_t RecordCursor::zero_bytes(Lookahead rest) const {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto first = std::ranges::find_if(rest.bytes, [](std::byte b) { return b != std::byte{0}; });
  const auto count = static_cast<std::size_t>(first - rest.bytes.begin());
  const std::size_t zeros = count - count % kWord;
  if (zeros == 0) return 0;
  if (rest.bytes.size() - zeros < kWord) return rest.at_end ? zeros : zeros - kWord;
  const Record last = load_record(rest.bytes.data() + zeros - kWord, facts_.order);
  return last.has_magic() && last.type() == RecordType::Lost ? zeros - kWord : zeros;
}

// Skips a hole in the file without reading it, because it can be huge. Keeps the last word, because it may be
// the time of a LOST record.
void RecordCursor::skip_hole() {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  const std::uint64_t end = std::min(block_.file().end_of_hole(offset()), block_.file_end()) / kWord * kWord;
  if (end < offset() + 2 * kWord) return;
  damage_.item->end = end - kWord;
  block_.jump_to(end - kWord);
}

void RecordCursor::extend_damage(RecordItem::What what, std::size_t bytes) {
  if (!damage_.item) damage_.item = RecordItem{.what = what, .begin = offset(), .end = 0};
  block_.consume(bytes);
  damage_.item->end = offset();
}

std::optional<RecordItem> RecordCursor::end_damage() { return std::exchange(damage_.item, std::nullopt); }

}  // namespace convert::uftrace
