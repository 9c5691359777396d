// Fields in the spec's notation.
#include "fxt/field.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace fxt {
namespace {

TEST(Field, BothEndsAreInclusive) {
  using EventType = Field<16, 19>;
  EXPECT_EQ(EventType::put(0xf), 0xf'0000U);
  EXPECT_EQ(EventType::get(0x1234'5678), 4U);
  EXPECT_EQ(EventType::kMax, 15U);
}

TEST(Field, CanBeTheWholeWord) {
  using Word = Field<0, 63>;
  EXPECT_EQ(Word::put(~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(Field, RejectsAValueThatIsTooWide) { EXPECT_THROW((Field<0, 3>::put(16)), std::logic_error); }

TEST(Field, TilesDetectGapsAndOverlaps) {
  static_assert(kTilesWord<Field<0, 31>, Field<32, 63>>);
  static_assert(!kTilesWord<Field<0, 31>, Field<33, 63>>);
  static_assert(!kTilesWord<Field<0, 32>, Field<32, 63>>);
}

}  // namespace
}  // namespace fxt
