// Recordings of several programs that have user events: events.txt holds the names of one of them (fact sheet
// 10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

constexpr std::uint64_t kStep = 1000000, kUnlisted = 1000001;

class EventProgramsTest : public testing::Test {
 protected:
  // Process 100 runs demo until 50 and then this one.
  void exec(std::string_view program) {
    r.task_line("SESS timestamp=0.000000050 pid=100 sid=0123456789abcdef exename=\"" + std::string(program) +
                "\"");
    r.task_line("TASK timestamp=0.000000051 tid=100 pid=100");
    r.file("events.txt", "EVENT: 1000000 app:step\n");
  }
  R r;
};

TEST_F(EventProgramsTest, TheOneThatStartedLastWroteTheNames) {
  exec("/bin/other");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).event(21, kStep, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, kStep, 0).exit(80, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::IsSupersetOf({"100/100 @20 event:app:step", "100/100 @70 event:app:step"}));
  EXPECT_THAT(r.notes(),
              ElementsAre("unsure-event-names 1",
                          "DIR/events.txt: written anew by /bin/other, which started later than /bin/demo"));
}

TEST_F(EventProgramsTest, EachIsNotedOnce) {
  exec("/bin/other");
  r.task_line("SESS timestamp=0.000000100 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"");
  r.task_line("SESS timestamp=0.000000150 pid=100 sid=0123456789abcdef exename=\"/bin/other\"");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).event(60, kStep, 0).event(110, kStep, 0).event(160, kStep, 0);
  r.lines();
  EXPECT_THAT(r.notes(), testing::Contains("unsure-event-names 1"));
}

TEST_F(EventProgramsTest, TheSameProgramOnceMoreHasTheSameNames) {
  exec("/bin/demo");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, kStep, 0).exit(80, 0, R::kMain).lines();
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(EventProgramsTest, OneWithoutEventsWritesNothing) {
  exec("/bin/other");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, 100013, 8).exit(80, 0, R::kMain).lines();
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(EventProgramsTest, WithoutANameNothingIsWrong) {
  exec("/bin/other");
  r.entry(10, 0, R::kMain).event(20, kUnlisted, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, kStep, 0).exit(80, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @20 event:event:1000001"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
