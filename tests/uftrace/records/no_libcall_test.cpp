// As in uftrace, --no-libcall hides the calls of PLT symbols.
#include <cstdint>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

class NoLibcall : public testing::Test {
 protected:
  static constexpr std::uint64_t kQsort = 0x401300;
  NoLibcall() {
    recording_.file("demo.sym",
                    "0000000000001000 00000100 T main\n0000000000001100 00000100 T compare\n"
                    "0000000000001200 00000100 P _setjmp\n0000000000001300 00000100 P qsort\n");
  }
  std::vector<std::string> lines(bool no_libcall = true) {
    RecordingOptions options;
    options.filters.no_libcall = no_libcall;
    return recording_.lines({}, options);
  }
  R recording_;
};

TEST_F(NoLibcall, CallbacksAreShown) {
  recording_.entry(10, 0, R::kMain).entry(11, 1, kQsort).entry(12, 2, R::kF).exit(13, 2, R::kF);
  recording_.exit(14, 1, kQsort).exit(20, 0, R::kMain);
  EXPECT_THAT(lines(), ElementsAre("100/100 [10, 20] demo:main", "100/100 [12, 13] demo:compare"));
  EXPECT_THAT(recording_.notes(), ElementsAre("calls-left-out 1", "DIR/100.dat: 1"));
  EXPECT_THAT(lines(false), ElementsAre("100/100 [10, 20] demo:main", "100/100 [11, 14] demo:qsort",
                                        "100/100 [12, 13] demo:compare"));
  EXPECT_THAT(recording_.notes(), IsEmpty());
}

// The call of qsort has no length, so it is a pair.
TEST_F(NoLibcall, BothPartsOfAPairAreLeftOut) {
  recording_.entry(10, 0, R::kMain).entry(11, 1, kQsort).exit(11, 1, kQsort).exit(20, 0, R::kMain);
  EXPECT_THAT(lines(), ElementsAre("100/100 [10, 20] demo:main"));
  EXPECT_THAT(lines(false),
              ElementsAre("100/100 [10, 20] demo:main", "100/100 [11 demo:qsort", "100/100 11] demo:qsort"));
}

// longjmp restores the calls that were open at the setjmp, even if the setjmp is hidden. In uftrace, a hidden
// setjmp has no effect.
TEST_F(NoLibcall, HiddenCallsOfSetjmpStillHaveAnEffect) {
  recording_.entry(10, 0, R::kMain).entry(11, 1, R::kG).exit(12, 1, R::kG);
  recording_.entry(13, 1, R::kF).exit(15, 1, R::kG).exit(20, 0, R::kMain);
  EXPECT_THAT(lines(), ElementsAre("100/100 [10, 20] demo:main",
                                   "100/100 [13, 15] demo:compare repaired=\"longjmp\""));
}

}  // namespace
}  // namespace convert::uftrace
