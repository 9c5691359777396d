// Tests reading the events of a kernel file. From a damaged file, the undamaged pages are read.
#include "converters/uftrace/kernel/kernel_cursor.h"

#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Layout = KernelBytes::Layout;

struct Events {
  std::vector<std::string> lines;
  std::vector<std::string> notes;
};

Events events_of(std::string_view bytes, const Layout& layout = {}, std::size_t block = 4096) {
  static TextRecording directory;
  directory.file("kernel-cpu3.dat", bytes);
  const auto path = directory.path() / "kernel-cpu3.dat";
  Notes notes;
  KernelCursor cursor({.cpu = 3, .place = fxt::FilePlace(path), .size_bytes = bytes.size()},
                      {.pages = {layout.page_bytes, layout.long_bytes, layout.order}, .notes = &notes},
                      block);
  Events events;
  while (cursor.next()) {
    const KernelEvent& event = cursor.event();
    const std::string text(reinterpret_cast<const char*>(event.payload.data()), event.payload.size());
    events.lines.push_back(event.kind == KernelEvent::Kind::Lost
                               ? fmt::format("{} lost {}", event.order_ns, event.lost)
                               : fmt::format("{} {}", event.order_ns, text));
  }
  EXPECT_EQ(cursor.offset(), bytes.size());
  for (const auto& group : notes.groups()) {
    events.notes.push_back(fmt::format("{} {}", group.kind->name, group.count));
    for (const std::string& first : group.first) {
      const auto directory_size = directory.path().native().size() + 1;
      events.notes.push_back(first.starts_with('/') ? first.substr(directory_size) : first);
    }
  }
  return events;
}

TEST(KernelCursor, ReadsEventsOfAllLengths) {
  const std::string largest_short(112, 'y'), large(116, 'x');
  const Events events = events_of(KernelBytes()
                                      .page(1000)
                                      .event(0, "1234")
                                      .event(5, "12345678")
                                      .long_event(1, large)
                                      .page(2000)
                                      .event(7, "abcd")
                                      .event(1, largest_short)
                                      .event(1, "last")
                                      .text());
  EXPECT_THAT(events.lines, ElementsAre("1000 1234", "1005 12345678", "1006 " + large, "2007 abcd",
                                        "2008 " + largest_short, "2009 last"));
  EXPECT_THAT(events.notes, IsEmpty());
}

TEST(KernelCursor, AddsUpTheDeltasOfTimes) {
  const std::uint64_t late = std::uint64_t{1} << 40;
  const Events events = events_of(KernelBytes()
                                      .page(1000)
                                      .discarded(3, 12)
                                      .event(1, "one.")
                                      .extend(0x7ff'ffff)
                                      .event(1, "two.")
                                      .extend(late)
                                      .event(2, "3333")
                                      .stamp(3 * late + 17)
                                      .event(1, "4444")
                                      .end_of_page()
                                      .bytes("this is not an event")
                                      .text());
  EXPECT_THAT(events.lines, ElementsAre("1004 one.", fmt::format("{} two.", 1005 + 0x7ff'ffff),
                                        fmt::format("{} 3333", 1007 + 0x7ff'ffff + late),
                                        fmt::format("{} 4444", 3 * late + 18)));
  EXPECT_THAT(events.notes, IsEmpty());
}

// An absolute time in an event has only the lower 59 bits. The page's time has the upper bits.
TEST(KernelCursor, AnAbsoluteTimeGetsItsUpperBitsFromThePage) {
  const std::uint64_t epoch = std::uint64_t{3} << 59;
  EXPECT_THAT(events_of(KernelBytes().page(epoch + 5).stamp(100).event(1, "late").text()).lines,
              ElementsAre(fmt::format("{} late", epoch + 101)));
}

TEST(KernelCursor, OtherKernelsHaveOtherPages) {
  for (const Layout layout : {Layout{.page_bytes = 64, .long_bytes = 4, .order = std::endian::big},
                              Layout{.page_bytes = 512, .long_bytes = 8, .order = std::endian::big},
                              Layout{.page_bytes = 128, .long_bytes = 4}}) {
    KernelBytes bytes(layout);
    bytes.page(10).event(1, "one.").extend(1 << 28).event(3, "two.").page(1 << 29).lost(70'000).long_event(
        2, "long");
    const Events events = events_of(bytes.text(), layout, 1);
    EXPECT_THAT(events.lines,
                ElementsAre("11 one.", fmt::format("{} two.", 14 + (1 << 28)),
                            fmt::format("{} lost 70000", 1 << 29), fmt::format("{} long", 2 + (1 << 29))));
    EXPECT_THAT(events.notes, IsEmpty());
  }
}

TEST(KernelCursor, ReportsLosses) {
  const std::string full(236, 'x');  // leaves no space in its page for the number of lost events
  const Events events = events_of(KernelBytes()
                                      .page(10)
                                      .lost(5151)
                                      .event(1, "one.")
                                      .page(20)
                                      .lost(0)
                                      .event(1, "two.")
                                      .page(30)
                                      .lost(0xffff'ffff)
                                      .long_event(1, full.substr(0, 232))
                                      .text()
                                      .substr(0, 768));
  EXPECT_THAT(events.lines, ElementsAre("10 lost 5151", "11 one.", "20 lost 0", "21 two.", "30 lost 0",
                                        "31 " + full.substr(0, 232)));
  EXPECT_THAT(events.notes, IsEmpty());
}

// A clock may go back slightly. Therefore, an event may be up to a millisecond later than the next page.
TEST(KernelCursor, AnEventIsAtMostAMillisecondLaterThanTheNextPage) {
  const auto with_event_at = [](std::uint64_t time_ns) {
    return events_of(
        KernelBytes().page(100).extend(time_ns - 100).event(0, "late").page(300).event(1, "next").text());
  };
  EXPECT_THAT(with_event_at(1'000'300).lines, ElementsAre("1000300 late", "1000300 next"));
  EXPECT_THAT(with_event_at(1'000'301).lines, ElementsAre("301 next"));
}

TEST(KernelCursor, SkipsEmptyPages) {
  const Events events = events_of(KernelBytes().page(10).page(20).event(0, "two.").text());
  EXPECT_THAT(events.lines, ElementsAre("20 two."));
  EXPECT_THAT(events.notes, IsEmpty());
}

struct Damaged {
  std::string_view name;
  std::string bytes;  // the page in the middle
  std::vector<std::string> lines, notes;

  friend void PrintTo(const Damaged& damaged, std::ostream* out) { *out << damaged.name; }
};

class KernelDamage : public testing::TestWithParam<Damaged> {};

TEST_P(KernelDamage, AffectsOnlyItsPage) {
  const std::string bytes = KernelBytes().page(100).event(1, "one.").text() + GetParam().bytes +
                            KernelBytes().page(300).event(1, "end.").page(400).event(1, "more").text();
  std::vector<std::string> lines = GetParam().lines;
  lines.insert(lines.begin(), "101 one.");
  lines.insert(lines.end(), {"301 end.", "401 more"});
  for (const std::size_t block : {1U, 4096U}) {
    const Events events = events_of(bytes, {}, block);
    EXPECT_EQ(events.lines, lines);
    EXPECT_EQ(events.notes, GetParam().notes);
  }
}

std::string page_of(std::uint64_t time_ns, std::uint64_t commit) {
  std::string page = Numbers().put(time_ns).put(commit).text();
  page.resize(256, '\x55');
  return page;
}

INSTANTIATE_TEST_SUITE_P(
    All, KernelDamage,
    testing::Values(
        Damaged{"Zeros",
                std::string(256, '\0'),
                {},
                {"zero-filled 256", "kernel-cpu3.dat:+0x100: zeros instead of a page"}},
        Damaged{"TooLong",
                page_of(200, 241),
                {},
                {"damaged-bytes 256",
                 "kernel-cpu3.dat:+0x100: not a page, because a page can't have 241 bytes of events"}},
        Damaged{"TooEarly", page_of(1, 0), {}, {}},
        Damaged{"Never",
                page_of(std::uint64_t{1} << 63, 0),
                {},
                {"damaged-bytes 256",
                 "kernel-cpu3.dat:+0x100: the page's time of 9223372036854775808 ns is impossible here"}},
        Damaged{"TooLate",
                KernelBytes().page(5'000'000'000).event(1, "late").text(),
                {},
                {"damaged-bytes 256",
                 "kernel-cpu3.dat:+0x100: the page's time of 5000000000 ns is impossible here"}},
        Damaged{"Leap",
                KernelBytes().page(200).event(1, "two.").extend(1ULL << 40).event(1, "late").text(),
                {"201 two."},
                {"damaged-bytes 232",
                 "kernel-cpu3.dat:+0x118: the event's time of 1099511627977 ns is impossible here"}},
        Damaged{"HalfAnEvent",
                KernelBytes().page(200).event(1, "two.").header(9, 1).bytes("1234").text(),
                {"201 two."},
                {"damaged-bytes 232", "kernel-cpu3.dat:+0x118: an incomplete event"}},
        Damaged{"HalfALength",
                KernelBytes().page(200).event(1, "two.").header(0, 1).text(),
                {"201 two."},
                {"damaged-bytes 232", "kernel-cpu3.dat:+0x118: an incomplete event"}},
        Damaged{"NoLength",
                KernelBytes().page(200).header(0, 1).put(std::uint32_t{3}).text(),
                {},
                {"damaged-bytes 240", "kernel-cpu3.dat:+0x110: an incomplete event"}},
        Damaged{"LongPadding",
                KernelBytes().page(200).header(29, 1).put(std::uint32_t{300}).text(),
                {},
                {"damaged-bytes 240", "kernel-cpu3.dat:+0x110: an incomplete event"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(KernelCursor, ATruncatedPageKeepsItsCompleteEvents) {
  const std::string bytes = KernelBytes().page(100).event(1, "one.").event(1, "two.").text();
  EXPECT_THAT(events_of(bytes.substr(0, 30)).lines, ElementsAre("101 one."));
  EXPECT_THAT(events_of(bytes.substr(0, 30)).notes,
              ElementsAre("truncated-tail 30",
                          "kernel-cpu3.dat:+0x0: truncated: a page needs 256 bytes, but 30 are left"));
  for (std::size_t size = 0; size <= bytes.size(); ++size) events_of(std::string_view(bytes).substr(0, size));
}

TEST(KernelCursor, AFileThatDisappearsEndsWithOneNote) {
  TextRecording directory;
  KernelBytes pages;
  for (std::uint64_t time_ns = 1000; time_ns < 1100; ++time_ns) pages.page(time_ns).event(0, "1234");
  const std::string& bytes = pages.text();
  directory.file("kernel-cpu0.dat", bytes);
  const auto path = directory.path() / "kernel-cpu0.dat";
  Notes notes;
  KernelCursor cursor(
      {.cpu = 0, .place = fxt::FilePlace(path), .size_bytes = bytes.size(), .keep_open = false},
      {.pages = {256, 8, std::endian::little}, .notes = &notes}, 256);
  EXPECT_TRUE(cursor.next());
  std::filesystem::remove(path);
  int more = 0;
  while (cursor.next()) ++more;
  EXPECT_LT(more, 99);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(cursor.next());
  EXPECT_EQ(notes.count(kUnreadableFile), 1u);
}

TEST(KernelCursor, AMissingFileIsAnError) {
  EXPECT_THROW(
      KernelCursor({.cpu = 0, .place = fxt::FilePlace("/nowhere/kernel-cpu0.dat"), .size_bytes = 1}, {}),
      InputError);
}

}  // namespace
}  // namespace convert::uftrace
