#include "converters/uftrace/records/record_times.h"

#include <gtest/gtest.h>

namespace convert::uftrace {
namespace {

TEST(RecordTimes, TimesShortlyAfterTheLatestItemAreTrusted) {
  RecordTimes times;
  EXPECT_EQ(times.trusted_until_ns(), 0u);
  times.add_item(5000, true);
  times.add_item(4000, true);
  times.add_plain(4500);
  EXPECT_EQ(times.seen_ns(), 5000u);
  EXPECT_EQ(times.trusted_until_ns(), 5000u + kExaminedGapNs);
  times.add_item(9000, false);
  EXPECT_EQ(times.seen_ns(), 5000u) << "events may be estimates";
}

TEST(RecordTimes, AfterDamageATimeMayBeSlightlyBeforeTheLastTwoTimes) {
  RecordTimes times;
  times.add_plain(10 * kCloseNs);
  EXPECT_EQ(times.after_damage_ns(), 9 * kCloseNs);
  times.add_item(20 * kCloseNs, true);
  EXPECT_EQ(times.after_damage_ns(), 9 * kCloseNs);
  times.add_item(30 * kCloseNs, true);
  EXPECT_EQ(times.after_damage_ns(), 19 * kCloseNs);
}

}  // namespace
}  // namespace convert::uftrace
