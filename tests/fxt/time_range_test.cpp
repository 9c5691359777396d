// Tests how ranges are parsed, and how times are compared with them.
#include "fxt/time_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace fxt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Side = TimeWindow::Side;

TEST(TimeRanges, WithUnitsCountFromTheStart) {
  EXPECT_EQ(parse_time_range("1.5us~20ms"),
            (TimeRange{.from = TraceTime{1'500, true}, .to = TraceTime{20'000'000, true}}));
  EXPECT_EQ(parse_time_range("1061.4004~1062"),
            (TimeRange{.from = TraceTime{1'061'400'400'000}, .to = TraceTime{1'062'000'000'000}}));
  EXPECT_EQ(parse_time_range("5s~"), (TimeRange{.from = TraceTime{5'000'000'000, true}}));
  EXPECT_EQ(parse_time_range("~.5"), (TimeRange{.to = TraceTime{500'000'000}}));
  EXPECT_EQ(parse_time_range("~"), TimeRange{});
  EXPECT_EQ(parse_time_range("5~3s"),
            (TimeRange{.from = TraceTime{5'000'000'000}, .to = TraceTime{3'000'000'000, true}}));
}

TEST(TimeRanges, InvalidRangesAreExplained) {
  const auto error = [](std::string_view text) { return [text] { parse_time_range(text); }; };
  EXPECT_THAT(error("5"),
              ThrowsMessage<std::invalid_argument>("'5' is not a range of time; use A~B, A~ or ~B"));
  EXPECT_THAT(error("5~3"), ThrowsMessage<std::invalid_argument>("'5~3' ends before it starts"));
  EXPECT_THAT(error("5us~3ns"), ThrowsMessage<std::invalid_argument>("'5us~3ns' ends before it starts"));
  EXPECT_THAT(error("abc~"),
              ThrowsMessage<std::invalid_argument>(
                  "'abc' is not a time below 292 years; use seconds on the trace's clock (1061.4004), or "
                  "time since the start with a unit (20ms; ns, us, ms, s, m, h)"));
  EXPECT_THAT(error("1~2~3"), ThrowsMessage<std::invalid_argument>(HasSubstr("'2~3' is not a time")));
  EXPECT_THAT(error("-1~"), ThrowsMessage<std::invalid_argument>(HasSubstr("'-1' is not a time")));
}

TEST(TimeWindows, HaveTimesOnceTheStartIsKnown) {
  TimeWindow window(parse_time_range("10ns~20ns"));
  EXPECT_EQ(window.start(), std::nullopt);
  EXPECT_EQ(window.side_of(1'000), Side::Before);
  EXPECT_EQ(window.start(), 1'000U);
  EXPECT_EQ(window.from(), 1'010U);
  EXPECT_EQ(window.to(), 1'020U);
  EXPECT_EQ(window.side_of(1'009), Side::Before);
  EXPECT_EQ(window.side_of(1'010), Side::Inside);
  EXPECT_EQ(window.side_of(1'020), Side::Inside);
  EXPECT_EQ(window.side_of(1'021), Side::After);
  EXPECT_EQ(window.side_of(5), Side::Before);  // late
  EXPECT_EQ(window.start(), 1'000U);
}

TEST(TimeWindows, EndAfterTheirStart) {
  TimeWindow window(parse_time_range("20ns~0.000000100"));
  EXPECT_THAT([&] { window.side_of(90); },
              ThrowsMessage<std::invalid_argument>("the range ends before it starts"));
  EXPECT_EQ(TimeWindow(parse_time_range("20ns~0.000000100")).side_of(80), Side::Before);
}

TEST(TimeWindows, MayBeOpenOrAbsolute) {
  TimeWindow open(parse_time_range("~"));
  EXPECT_EQ(open.side_of(7), Side::Inside);
  EXPECT_EQ(open.side_of(~std::uint64_t{0}), Side::Inside);
  TimeWindow absolute(parse_time_range("1~20ms"));
  EXPECT_EQ(absolute.from(), 1'000'000'000U) << "known before the start";
  EXPECT_EQ(absolute.to(), ~std::uint64_t{0}) << "as this is not";
  EXPECT_EQ(absolute.side_of(999'999'999), Side::Before);
  EXPECT_EQ(absolute.to(), 1'019'999'999U);
  EXPECT_EQ(absolute.side_of(1'000'000'000), Side::Inside);
  EXPECT_EQ(TimeWindow(parse_time_range("~2")).to(), 2'000'000'000U);
  TimeWindow far(parse_time_range("100h~"));  // the earliest time plus 100 h exceeds the maximum time
  EXPECT_EQ(far.side_of(~std::uint64_t{0} - 5), Side::Before);
  EXPECT_EQ(far.from(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace fxt
