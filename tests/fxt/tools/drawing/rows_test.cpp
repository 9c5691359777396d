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
  // One text for each call: "ROW: BEGIN-END".
  std::vector<std::string> calls() const {
    std::vector<std::string> calls;
    for (std::size_t row = 0; row < rows_.rows().size(); ++row)
      for (const auto& [begin, shape] : rows_.rows()[row].calls())
        calls.push_back(fmt::format("{}: {}-{}", row, shape.begin_ns, shape.end_ns));
    return calls;
  }

  ThreadRows rows_{4};
};

TEST_F(Rows, CallsAreCutAtTheStartOfTheNextCall) {
  rows_.put(0, call(100, 300));
  rows_.put(0, call(200, 400));
  rows_.put(0, call(150, 500));
  EXPECT_THAT(calls(), ElementsAre("0: 100-150", "0: 150-200", "0: 200-400"));
}

TEST_F(Rows, CallsBelowTheLastRowAreCounted) { EXPECT_EQ(rows_.put(4, call(300, 400, 7)), 7); }

}  // namespace
}  // namespace fxt::tools
