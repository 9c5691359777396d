// Calls that do not lie well in each other, and those that are told of late, among what is merged already.
#include "fxt/tools/drawing/rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>

namespace fxt::tools {
namespace {

using testing::ElementsAre;

class Rows : public testing::Test {
 protected:
  static Shape call(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t count = 1) {
    return {.begin_ns = begin_ns, .end_ns = end_ns, .longest_ns = end_ns - begin_ns, .count = count};
  }
  // "ROW: BEGIN-END"
  std::vector<std::string> calls() const {
    std::vector<std::string> calls;
    for (std::size_t row = 0; row < rows_.rows().size(); ++row)
      for (const auto& [begin, shape] : rows_.rows()[row].calls())
        calls.push_back(fmt::format("{}: {}-{}", row, shape.begin_ns, shape.end_ns));
    return calls;
  }

  ThreadRows rows_{4};
};

TEST_F(Rows, CallsAreCutWhereTheNextOneBegins) {
  rows_.put(0, call(100, 300));
  rows_.put(0, call(200, 400));
  rows_.put(0, call(150, 500));
  EXPECT_THAT(calls(), ElementsAre("0: 100-150", "0: 150-200", "0: 200-400"));
}

TEST_F(Rows, CallsOfLengthZeroOccupyTheirRow) {
  rows_.put_late(0, call(100, 100));
  rows_.put_late(0, call(100, 200));
  rows_.put_late(0, call(200, 200));
  EXPECT_THAT(calls(), ElementsAre("0: 100-200", "0: 200-200", "1: 100-100"));
}

TEST_F(Rows, LateCallsMoveMergedShapesInsideThem) {
  rows_.put(0, call(80, 120, 5));
  rows_.put(0, call(180, 210, 5));
  rows_.put(1, call(185, 190));
  EXPECT_EQ(rows_.put_late(0, call(100, 200)), 0);
  EXPECT_THAT(calls(), ElementsAre("0: 80-100", "0: 100-200", "1: 180-210", "2: 185-190"));
}

TEST_F(Rows, CallsPushedOutByLateCallsAreCounted) {
  for (std::uint64_t row = 0; row < 4; ++row) rows_.put(row, call(100 + row, 200 - row, row + 1));
  EXPECT_EQ(rows_.put_late(0, call(90, 210)), 4);
  EXPECT_EQ(rows_.put_late(0, call(110, 120)), 1) << "below all of them";
  EXPECT_EQ(rows_.put(4, call(300, 400, 7)), 7);
  EXPECT_THAT(calls(), ElementsAre("0: 90-210", "1: 100-200", "2: 101-199", "3: 102-198"));
}

}  // namespace
}  // namespace fxt::tools
