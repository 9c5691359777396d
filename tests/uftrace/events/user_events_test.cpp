#include "converters/uftrace/events/user_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using R = RecordingBuilder;

TEST(EventNames, EachLineHasOneName) {
  Notes notes;
  EXPECT_THAT(parse_event_names("# comment\n\nEVENT: 1000000 uftest:step\nEVENT: 1000001 uftest:a b\n",
                                "events.txt", notes),
              ElementsAre(Pair(1000000, "uftest:step"), Pair(1000001, "uftest:a b")));
  EXPECT_TRUE(notes.empty());
}

TEST(EventNames, TheLastNameOfAnEventIsUsed) {
  Notes notes;
  EXPECT_THAT(parse_event_names("EVENT: 1 a:b\nEVENT: 1 c:d", "events.txt", notes),
              ElementsAre(Pair(1, "c:d")));
}

TEST(EventNames, DamagedLinesAreSkipped) {
  Notes notes;
  EXPECT_THAT(
      parse_event_names("EVENT: x a:b\nEVENT: 7 \nEVENT: 8\n1 a:b\nEVENT: 1 c:d", "events.txt", notes),
      ElementsAre(Pair(1, "c:d")));
  EXPECT_EQ(notes.count(kDamagedLine), 4u);
}

// ---- Several programs with user events; events.txt has the names of only one program ----

constexpr std::uint64_t kStep = 1000000, kUnlisted = 1000001;

class UserEventsTest : public testing::Test {
 protected:
  // Process 100 runs demo until time 50, and then `program`.
  void exec(std::string_view program) {
    r.task_line("SESS timestamp=0.000000050 pid=100 sid=0123456789abcdef exename=\"" + std::string(program) +
                "\"");
    r.task_line("TASK timestamp=0.000000051 tid=100 pid=100");
    r.file("events.txt", "EVENT: 1000000 app:step\n");
  }
  R r;
};

TEST_F(UserEventsTest, TheProgramThatStartedLastWroteTheNames) {
  exec("/bin/other");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).event(21, kStep, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, kStep, 0).exit(80, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::IsSupersetOf({"100/100 @20 event:app:step", "100/100 @70 event:app:step"}));
  EXPECT_THAT(r.notes(),
              ElementsAre("unsure-event-names 1",
                          "DIR/events.txt: overwritten by /bin/other, which started later than /bin/demo"));
}

TEST_F(UserEventsTest, EachProgramIsNotedOnce) {
  exec("/bin/other");
  r.task_line("SESS timestamp=0.000000100 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"");
  r.task_line("SESS timestamp=0.000000150 pid=100 sid=0123456789abcdef exename=\"/bin/other\"");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).event(60, kStep, 0).event(110, kStep, 0).event(160, kStep, 0);
  r.lines();
  EXPECT_THAT(r.notes(), testing::Contains("unsure-event-names 1"));
}

TEST_F(UserEventsTest, AProgramThatStartsAgainHasTheSameNames) {
  exec("/bin/demo");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, kStep, 0).exit(80, 0, R::kMain).lines();
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UserEventsTest, AProgramWithoutEventsIsNotNoted) {
  exec("/bin/other");
  r.entry(10, 0, R::kMain).event(20, kStep, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, 100013, 8).exit(80, 0, R::kMain).lines();
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UserEventsTest, EventsWithoutANameAreNotNoted) {
  exec("/bin/other");
  r.entry(10, 0, R::kMain).event(20, kUnlisted, 0).exit(30, 0, R::kMain);
  r.entry(60, 0, R::kMain).event(70, kStep, 0).exit(80, 0, R::kMain);
  EXPECT_THAT(r.lines(), testing::Contains("100/100 @20 event:event:1000001"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
