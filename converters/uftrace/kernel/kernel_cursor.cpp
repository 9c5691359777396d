#include "converters/uftrace/kernel/kernel_cursor.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/kernel/integer_field.h"
#include "converters/uftrace/kernel/ring_page.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kWord = sizeof(std::uint32_t);

// Clocks of the kernel may go back by a little, from one page to the next.
constexpr std::uint64_t kClockSlackNs = 1'000'000;
// Pages that are asked whether a page's time may be right.
constexpr std::size_t kWitnesses = 3;

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

KernelCursor::KernelCursor(const CpuFile& file, const KernelReading& reading)
    : cpu_(file.cpu),
      file_(file.path.string(), FileWindow::EarlyEnd::Error, reading.keep_open, reading.block_bytes),
      reading_(reading) {}

template <typename Describe>
void KernelCursor::note(const NoteKind& kind, std::uint64_t count, Describe&& describe) {
  if (reading_.notes != nullptr) reading_.notes->add(kind, std::forward<Describe>(describe), count);
}

bool KernelCursor::next() {
  try {
    for (;;) {
      if (page_.empty() && !open_page()) return false;
      if (!page_.empty() && next_in_page()) return true;
    }
  } catch (const InputError& unreadable) {
    note(kUnreadableFile, 1, [&] { return std::string(unreadable.what()); });
    file_.skip_to_end();
    page_ = {};
    return false;
  }
}

// ---- Pages ----

KernelCursor::PageHead KernelCursor::head_of(std::span<const std::byte> page) const {
  const PageLayout& layout = reading_.pages;
  const IntegerField commit{.offset = sizeof(std::uint64_t),
                            .size = static_cast<std::uint8_t>(layout.long_bytes)};
  return {.time_ns = load<std::uint64_t>(page.data(), layout.order),
          .commit = commit.load_from(page, layout.order)};
}

// Goes to the next page; one that has no events that can be read stays closed. False at the end of the file.
bool KernelCursor::open_page() {
  const PageLayout& layout = reading_.pages;
  const auto bytes = file_.at_least(layout.page_bytes * (1 + kWitnesses));
  if (bytes.empty()) return false;
  ++pages_;
  const auto page = bytes.first(std::min(bytes.size(), layout.page_bytes));
  const auto behind = bytes.subspan(page.size());
  page_bytes_ = page.size();
  at_ = layout.data_offset();
  if (page.size() < layout.page_bytes)
    note(kTruncatedTail, page.size(), [&] {
      return fmt::format("{}: truncated: a page needs {} bytes, {} left",
                         Location::byte(file_.path(), file_.offset()).text(), layout.page_bytes, page.size());
    });
  if (page.size() < layout.data_offset()) {
    close_page();
    return true;
  }
  const PageHead head = head_of(page);
  const std::size_t size = PageCommit::Size::get(head.commit);
  if (is_zero(page)) {
    leave_page(kZeroFilled, 0, "zeros instead of a page");
  } else if (size > layout.page_bytes - layout.data_offset()) {
    leave_page(kDamagedBytes, 0, fmt::format("not a page, which can't hold {} bytes of events", size));
  } else if (!has_good_time(head.time_ns, behind)) {
    leave_page(kDamagedBytes, 0, fmt::format("a page's time of {} ns is impossible here", head.time_ns));
  } else {
    limit_ns_ = limit_of(head.time_ns, behind);
    time_ns_ = head.time_ns;
    lost_ = lost_before(head, page);
    page_ = page.first(std::min(layout.data_offset() + size, page.size()));
  }
  return true;
}

void KernelCursor::close_page() {
  file_.consume(page_bytes_);
  page_ = {};
}

// What is left of the page from there on is of no use.
void KernelCursor::leave_page(const NoteKind& kind, std::size_t from, std::string_view problem) {
  note(kind, page_bytes_ - from, [&] {
    return fmt::format("{}: {}", Location::byte(file_.path(), file_.offset() + from).text(), problem);
  });
  close_page();
}

// A page is believed unless most of those behind it are earlier. They have no say where they are earlier than
// what was read.
bool KernelCursor::has_good_time(std::uint64_t time_ns, std::span<const std::byte> behind) const {
  if (time_ns >= kTimeLimitNs || time_ns + kClockSlackNs < last_ns_) return false;
  int votes = 0;
  for (; behind.size() >= reading_.pages.data_offset();
       behind = behind.subspan(std::min(behind.size(), reading_.pages.page_bytes))) {
    const std::uint64_t other_ns = head_of(behind).time_ns;
    if (other_ns == 0 || other_ns >= kTimeLimitNs || other_ns + kClockSlackNs < last_ns_) continue;
    votes += other_ns + kClockSlackNs >= time_ns ? 1 : -1;
  }
  return votes >= 0;
}

// No event is later than the page behind, if that may be right.
std::uint64_t KernelCursor::limit_of(std::uint64_t time_ns, std::span<const std::byte> behind) const {
  const PageLayout& layout = reading_.pages;
  if (behind.size() < layout.data_offset()) return kTimeLimitNs - 1;
  const std::uint64_t next_ns = head_of(behind).time_ns;
  const bool is_good = next_ns >= time_ns &&
                       has_good_time(next_ns, behind.subspan(std::min(behind.size(), layout.page_bytes)));
  return is_good ? next_ns + kClockSlackNs : kTimeLimitNs - 1;
}

// How many events are missing before the page, if any; 0 if that is not told.
std::optional<std::uint64_t> KernelCursor::lost_before(const PageHead& head,
                                                       std::span<const std::byte> page) const {
  const PageLayout& layout = reading_.pages;
  if (PageCommit::Lost::get(head.commit) == 0) return std::nullopt;
  const IntegerField count{
      .offset = static_cast<std::uint32_t>(layout.data_offset() + PageCommit::Size::get(head.commit)),
      .size = static_cast<std::uint8_t>(layout.long_bytes)};
  if (PageCommit::CountStored::get(head.commit) == 0 || !count.fits(page)) return 0;
  return count.load_from(page, layout.order);
}

// ---- Events ----

// False when the page is over, and closed.
bool KernelCursor::next_in_page() {
  if (const auto lost = std::exchange(lost_, std::nullopt)) {
    last_ns_ = std::max(last_ns_, time_ns_);
    event_ = {.kind = KernelEvent::Kind::Lost, .order_ns = last_ns_, .lost = *lost};
    return true;
  }
  const std::endian order = reading_.pages.order;
  while (page_.size() - at_ >= kWord) {
    start_ = at_;
    const auto header = RingHeader::of(load<std::uint32_t>(page_.data() + at_, order), order);
    at_ += kWord;
    if (header.type_len >= 1 && header.type_len <= type_len::kMaxWords) {
      if (!has_come(time_ns_ + header.delta)) return false;
      return take_event(header.type_len * kWord);
    }
    if (header.type_len == type_len::kPadding && header.delta == 0) break;
    if (page_.size() - at_ < kWord) return damaged_event();
    const auto word = load<std::uint32_t>(page_.data() + at_, order);
    switch (header.type_len) {
      case type_len::kTimeExtend:
        at_ += kWord;
        if (!has_come(time_ns_ + LongTime::High::put(word) + header.delta)) return false;
        break;
      case type_len::kTimeStamp:
        at_ += kWord;
        if (!has_come((time_ns_ & LongTime::Epoch::kMask) | LongTime::High::put(word) | header.delta))
          return false;
        break;
      case type_len::kPadding:  // an event that was taken back
        if (word < kWord || word > page_.size() - at_) return damaged_event();
        at_ += word;
        if (!has_come(time_ns_ + header.delta)) return false;
        break;
      default:  // kLong
        if (word < kWord) return damaged_event();
        at_ += kWord;
        if (!has_come(time_ns_ + header.delta)) return false;
        return take_event(word - kWord);
    }
  }
  close_page();
  return false;
}

// The payload is here, and filled up to whole words. False if the page does not hold it.
bool KernelCursor::take_event(std::size_t length) {
  const std::size_t left = page_.size() - at_;
  if (length > left) return damaged_event();
  last_ns_ = std::max(last_ns_, time_ns_);
  event_ = {.kind = KernelEvent::Kind::Data, .order_ns = last_ns_, .payload = page_.subspan(at_, length)};
  at_ += std::min(left, (length + kWord - 1) / kWord * kWord);
  return true;
}

// It is that time. False if that can't be: then the page is closed.
bool KernelCursor::has_come(std::uint64_t time_ns) {
  if (time_ns <= limit_ns_) {
    time_ns_ = time_ns;
    return true;
  }
  leave_page(kDamagedBytes, start_, fmt::format("an event's time of {} ns is impossible here", time_ns));
  return false;
}

bool KernelCursor::damaged_event() {
  const bool is_cut = page_bytes_ < reading_.pages.page_bytes;  // which was said
  if (is_cut)
    close_page();
  else
    leave_page(kDamagedBytes, start_, "half an event");
  return false;
}

}  // namespace convert::uftrace
