#include "converters/uftrace/events/event_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(EventNames, OneALine) {
  Notes notes;
  EXPECT_THAT(parse_event_names("# comment\n\nEVENT: 1000000 uftest:step\nEVENT: 1000001 uftest:a b\n",
                                "events.txt", notes),
              ElementsAre(Pair(1000000, "uftest:step"), Pair(1000001, "uftest:a b")));
  EXPECT_TRUE(notes.empty());
}

TEST(EventNames, TheLastOneCounts) {
  Notes notes;
  EXPECT_THAT(parse_event_names("EVENT: 1 a:b\nEVENT: 1 c:d", "events.txt", notes),
              ElementsAre(Pair(1, "c:d")));
}

TEST(EventNames, DamagedLinesArePassed) {
  Notes notes;
  EXPECT_THAT(
      parse_event_names("EVENT: x a:b\nEVENT: 7 \nEVENT: 8\n1 a:b\nEVENT: 1 c:d", "events.txt", notes),
      ElementsAre(Pair(1, "c:d")));
  EXPECT_EQ(notes.count(kDamagedLine), 4u);
}

TEST(EventNames, OfARecording) {
  TextRecording recording;
  Notes notes;
  EXPECT_THAT(read_event_names(recording.path(), notes), IsEmpty());
  recording.file("events.txt", "EVENT: 1000000 uftest:step\n");
  EXPECT_THAT(read_event_names(recording.path(), notes), ElementsAre(Pair(1000000, "uftest:step")));
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace convert::uftrace
