// The option --utc converts the recorder's times to times of the wall clock.
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

class WallClock : public testing::Test {
 protected:
  WallClock() { recording_.entry(10, 0, R::kMain).exit(20, 0, R::kMain); }
  std::vector<std::string> lines(bool utc = true) { return recording_.lines({}, {.utc = utc}); }
  R recording_;
};

TEST_F(WallClock, IsAheadByTheRecordedOffset) {
  recording_.utc_offset("1795199419");
  EXPECT_THAT(lines(), ElementsAre("100/100 [1795199419000000010, 1795199419000000020] demo:main"));
  EXPECT_THAT(recording_.notes(), IsEmpty());
  EXPECT_THAT(lines(false), ElementsAre("100/100 [10, 20] demo:main"));
}

TEST_F(WallClock, OfQemuNeedsNoOffset) {
  recording_.utc_offset("");
  EXPECT_THAT(lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(recording_.notes(), IsEmpty());
}

TEST_F(WallClock, IsNotedIfItIsUnknown) {
  const auto note =
      ElementsAre("no-wall-clock 1", "DIR/info: has no utc_offset, which uftrace writes since v0.17");
  EXPECT_THAT(lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(recording_.notes(), note);
  recording_.utc_offset("9223372037");  // more nanoseconds than 63 bits can hold
  EXPECT_THAT(lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(recording_.notes(), note);
  EXPECT_THAT(lines(false), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(recording_.notes(), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
