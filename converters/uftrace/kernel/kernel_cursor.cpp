#include "converters/uftrace/kernel/kernel_cursor.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/field.h"

namespace convert::uftrace {
namespace {

struct PageCommit {
  using Size = fxt::Field<0, 26>;      // size of the events in bytes
  using CountStored = fxt::Field<30>;  // the number of lost events is stored after the events, as a `long`
  using Lost = fxt::Field<31>;         // events were lost before this page
};

// Values of `type_len` in the header of an event. Values from 1 to kMaxWords are the size of the payload in
// words. With kLong, the header is followed by a u32 with the size of the payload in bytes, plus 4.
namespace type_len {
constexpr std::uint32_t kLong = 0;
constexpr std::uint32_t kMaxWords = 28;
constexpr std::uint32_t kPadding = 29;
constexpr std::uint32_t kTimeExtend = 30;
constexpr std::uint32_t kTimeStamp = 31;
}  // namespace type_len

// The kernel uses a C bit field here, so the order of the fields depends on the byte order.
struct RingHeader {
  using LittleTypeLen = fxt::Field<0, 4>;
  using LittleDelta = fxt::Field<5, 31>;  // ns since the previous event
  using BigTypeLen = fxt::Field<27, 31>;
  using BigDelta = fxt::Field<0, 26>;

  std::uint32_t type_len;
  std::uint32_t delta;

  static RingHeader of(std::uint32_t word, std::endian order) {
    const bool is_little = order == std::endian::little;
    return {static_cast<std::uint32_t>(is_little ? LittleTypeLen::get(word) : BigTypeLen::get(word)),
            static_cast<std::uint32_t>(is_little ? LittleDelta::get(word) : BigDelta::get(word))};
  }
};

// A long time: its lower bits are the delta in the header, and the next bits are in the word after the
// header.
struct LongTime {
  using Low = fxt::Field<0, 26>;
  using High = fxt::Field<27, 58>;
  using Epoch = fxt::Field<59, 63>;  // upper bits of an absolute time, taken from the page's time
};
static_assert(fxt::kTilesWord<LongTime::Low, LongTime::High, LongTime::Epoch>);

constexpr std::size_t kKernelWord = sizeof(std::uint32_t);
// The kernel's clock may go back by up to this time from one page to the next.
constexpr std::uint64_t kKernelSlackNs = 1'000'000;
// The time of a page is compared with the times of the next pages. This is their number.
constexpr std::size_t kWitnesses = 3;

}  // namespace

// ---- Pages ----

// Goes to the first event of the next page that has events. Returns false at the end of the file.
bool KernelCursor::next_page() {
  return read_or_end([this] {
    while (open_page())
      if (next_in_page()) return true;
    return false;
  });
}

KernelCursor::PageHead KernelCursor::head_of(std::span<const std::byte> page) const {
  return {.time_ns = load<std::uint64_t>(page.data(), layout_.order),
          .commit = unsigned_bits(page.subspan(sizeof(std::uint64_t), layout_.long_bytes), layout_.order)};
}

// Goes to the next page. A page without readable events stays closed. Returns false at the end of the file.
bool KernelCursor::open_page() {
  const auto bytes = file_.at_least(layout_.page_bytes * (1 + kWitnesses));
  if (bytes.empty()) return false;
  ++pages_;
  const auto page = bytes.first(std::min(bytes.size(), layout_.page_bytes));
  const auto behind = bytes.subspan(page.size());
  page_bytes_ = page.size();
  at_ = layout_.data_offset();
  if (page.size() < layout_.page_bytes)
    note(kTruncatedTail, page.size(), [&] {
      return fmt::format("{}: truncated: a page needs {} bytes, but {} are left",
                         Location::byte(file_.path(), file_.offset()).text(), layout_.page_bytes,
                         page.size());
    });
  if (page.size() < layout_.data_offset()) {
    close_page();
    return true;
  }
  const PageHead head = head_of(page);
  const std::size_t size = PageCommit::Size::get(head.commit);
  if (is_zero(page)) {
    drop_page_from(0, kZeroFilled, "zeros instead of a page");
  } else if (size > layout_.page_bytes - layout_.data_offset()) {
    drop_page_from(0, kDamagedBytes,
                   fmt::format("not a page, because a page can't have {} bytes of events", size));
  } else if (!has_plausible_time(head.time_ns, behind)) {
    drop_page_from(0, kDamagedBytes,
                   fmt::format("the page's time of {} ns is impossible here", head.time_ns));
  } else {
    limit_ns_ = limit_of(head.time_ns, behind);
    time_ns_ = head.time_ns;
    lost_ = lost_before(head, page);
    page_ = page.first(std::min(layout_.data_offset() + size, page.size()));
  }
  return true;
}

void KernelCursor::close_page() {
  file_.consume(page_bytes_);
  page_ = {};
}

void KernelCursor::drop_page_from(std::size_t offset, const NoteKind& kind, std::string_view problem) {
  note(kind, page_bytes_ - offset, [&] {
    return fmt::format("{}: {}", Location::byte(file_.path(), file_.offset() + offset).text(), problem);
  });
  close_page();
}

// The time of a page is plausible unless more than half of the pages after it have earlier times. Pages with
// impossible times do not count. For example, a time is impossible if it is before the events that were read.
bool KernelCursor::has_plausible_time(std::uint64_t time_ns, std::span<const std::byte> behind) const {
  if (time_ns >= kTimeLimitNs || time_ns + kKernelSlackNs < last_ns_) return false;
  int votes = 0;
  for (; behind.size() >= layout_.data_offset();
       behind = behind.subspan(std::min(behind.size(), layout_.page_bytes))) {
    const std::uint64_t other_ns = head_of(behind).time_ns;
    if (other_ns == 0 || other_ns >= kTimeLimitNs || other_ns + kKernelSlackNs < last_ns_) continue;
    votes += other_ns + kKernelSlackNs >= time_ns ? 1 : -1;
  }
  return votes >= 0;
}

// Returns the latest possible time of the page's events: the time of the next page, if plausible.
std::uint64_t KernelCursor::limit_of(std::uint64_t time_ns, std::span<const std::byte> behind) const {
  if (behind.size() < layout_.data_offset()) return kTimeLimitNs - 1;
  const std::uint64_t next_ns = head_of(behind).time_ns;
  const bool is_plausible =
      next_ns >= time_ns &&
      has_plausible_time(next_ns, behind.subspan(std::min(behind.size(), layout_.page_bytes)));
  return is_plausible ? next_ns + kKernelSlackNs : kTimeLimitNs - 1;
}

// Returns the number of events lost before the page; 0 if the number is unknown. Nothing if no events were
// lost.
std::optional<std::uint64_t> KernelCursor::lost_before(const PageHead& head,
                                                       std::span<const std::byte> page) const {
  if (PageCommit::Lost::get(head.commit) == 0) return std::nullopt;
  const IntegerField count{
      .offset = static_cast<std::uint32_t>(layout_.data_offset() + PageCommit::Size::get(head.commit)),
      .size = static_cast<std::uint8_t>(layout_.long_bytes)};
  if (PageCommit::CountStored::get(head.commit) == 0 || !count.fits(page)) return 0;
  return count.load_from(page, layout_.order);
}

// ---- Events ----

// Goes to the next event of the open page. At the end of the page, closes the page and returns false.
bool KernelCursor::next_in_page() {
  if (page_.empty()) return false;
  if (lost_) {
    last_ns_ = std::max(last_ns_, time_ns_);
    event_ = {.kind = KernelEvent::Kind::Lost, .order_ns = last_ns_, .lost = *lost_};
    lost_.reset();
    return true;
  }
  while (page_.size() - at_ >= kKernelWord) {
    start_ = at_;
    const auto header = RingHeader::of(load<std::uint32_t>(page_.data() + at_, layout_.order), layout_.order);
    at_ += kKernelWord;
    std::size_t length = header.type_len * kKernelWord;
    if (header.type_len == type_len::kLong || header.type_len > type_len::kMaxWords) {
      if (header.type_len == type_len::kPadding && header.delta == 0) break;
      if (page_.size() - at_ < kKernelWord) return drop_half_event();
      const auto word = load<std::uint32_t>(page_.data() + at_, layout_.order);
      switch (header.type_len) {
        case type_len::kTimeExtend:
          at_ += kKernelWord;
          if (!set_time(time_ns_ + LongTime::High::put(word) + header.delta)) return false;
          continue;
        case type_len::kTimeStamp:
          at_ += kKernelWord;
          if (!set_time((time_ns_ & LongTime::Epoch::kMask) | LongTime::High::put(word) | header.delta))
            return false;
          continue;
        case type_len::kPadding:  // a discarded event
          if (word < kKernelWord || word > page_.size() - at_) return drop_half_event();
          at_ += word;
          if (!set_time(time_ns_ + header.delta)) return false;
          continue;
        default:  // kLong
          if (word < kKernelWord) return drop_half_event();
          at_ += kKernelWord;
          length = word - kKernelWord;
      }
    }
    return set_time(time_ns_ + header.delta) && emit_payload(length);
  }
  close_page();
  return false;
}

// Emits an event. Payloads are padded to whole words. Returns false if the payload ends after the page.
bool KernelCursor::emit_payload(std::size_t length) {
  const std::size_t left = page_.size() - at_;
  if (length > left) return drop_half_event();
  last_ns_ = std::max(last_ns_, time_ns_);
  event_ = {.kind = KernelEvent::Kind::Data, .order_ns = last_ns_, .payload = page_.subspan(at_, length)};
  at_ += std::min(left, (length + kKernelWord - 1) / kKernelWord * kKernelWord);
  return true;
}

// Drops the page from the current event on. Always returns false.
bool KernelCursor::drop_impossible(std::uint64_t time_ns) {
  drop_page_from(start_, kDamagedBytes, fmt::format("the event's time of {} ns is impossible here", time_ns));
  return false;
}

// Drops an event that ends after its page. Always returns false. Adds no note if the file ends inside the
// page, because the page already has a note.
bool KernelCursor::drop_half_event() {
  if (page_bytes_ < layout_.page_bytes)
    close_page();
  else
    drop_page_from(start_, kDamagedBytes, "an incomplete event");
  return false;
}

}  // namespace convert::uftrace
