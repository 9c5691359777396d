// Tests how --fit finds the records that fit.
#include "fxt/support/call_lengths.h"

#include <array>
#include <gtest/gtest.h>

namespace fxt {
namespace {

TEST(CallLengths, ARecordMayBeLargerWithoutOneOfItsParts) {
  CallLengths lengths;
  lengths.add(std::array<CallLengths::Entry, 2>{{{100, 6, 0}, {10, -2, 0}}});
  EXPECT_EQ(lengths.fit(5, 0, {}).words, 0);
  EXPECT_EQ(lengths.fit(5, 0, {}).too_short.begin_ns, 100u);
  EXPECT_EQ(lengths.fit(6, 0, {}).words, 4);
  EXPECT_EQ(lengths.fit(6, 0, {}).shortest_ns, 0u);
}

TEST(CallLengths, TheNextPlanIsForASmallerTrace) {
  EXPECT_EQ(next_target(1000, 100, 8), 792u) << "below the 800 bytes of the last plan";
  EXPECT_EQ(next_target(700, 100, 8), 692u) << "below the last target";
  EXPECT_EQ(next_target(1000, 1, 9), 0u);
}

}  // namespace
}  // namespace fxt
