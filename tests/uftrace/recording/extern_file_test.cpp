#include "converters/uftrace/recording/extern_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using M = ExternMessage;

constexpr std::string_view kFile =
    "# head\n"
    "\n"
    "1344.5 first\n"
    "1344.9415369871234\ttab \"and\" quotes \n"
    "  1345 \t caf\xc3\xa9\r\n"
    "   # not a message\n"
    "1345.000000001 last";

TEST(ExternFile, LinesHaveATimeOfAnyPrecisionAndAText) {
  Notes notes;
  EXPECT_THAT(parse_extern(kFile, "demo/extern.dat", notes),
              ElementsAre(M{1'344'500'000'000, 3, "first"}, M{1'344'941'536'987, 4, "tab \"and\" quotes "},
                          M{1'345'000'000'000, 5, "caf\xc3\xa9"}, M{1'345'000'000'001, 7, "last"}));
  EXPECT_TRUE(notes.empty());
}

TEST(ExternFile, DamagedLinesAreNotedAndSkipped) {
  Notes notes;
  EXPECT_THAT(parse_extern("1 a\n"
                           "no time\n"
                           "2\n"
                           "3.5 \n"
                           "4,5 comma\n"
                           "5x\n"
                           "-6 negative\n"
                           "9223372036.854775808 2^63 ns\n"
                           "99999999999 too much\n"
                           "9223372036.854775807 b\n",
                           "demo/extern.dat", notes),
              ElementsAre(M{1'000'000'000, 1, "a"}, M{9'223'372'036'854'775'807, 10, "b"}));
  EXPECT_EQ(notes.count(kDamagedLine), 8u);
  EXPECT_THAT(
      notes.groups().front().first,
      ElementsAre(
          "demo/extern.dat:2: expected time, a decimal number, found \"no time\"",
          "demo/extern.dat:3: expected a blank and a message after the time, found the end of the line",
          "demo/extern.dat:4: expected a blank and a message after the time, found the end of the line"));
}

TEST(ExternFile, LongMessagesAreCutAtACharacter) {
  Notes notes;
  const std::string fits(kMaxMessageBytes, 'x');
  const auto messages =
      parse_extern("1 " + fits + "\n2 " + fits.substr(1) + "\xc3\xa9\n3 behind\n", "demo/extern.dat", notes);
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].text, fits);
  EXPECT_EQ(messages[1].text, fits.substr(1));
  EXPECT_EQ(messages[2].text, "behind");
  EXPECT_EQ(notes.count(kMessageCut), 1u);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/extern.dat:2: only 8191 of 8193 bytes are shown"));
}

TEST(ExternFile, MessagesAreSortedByTime) {
  Notes notes;
  std::vector<M> messages{{30, 1, "a"}, {10, 2, "b"}, {10, 3, "c"}, {30, 4, "d"}, {20, 5, "e"}};
  sort_by_time(messages, "demo", notes);
  EXPECT_THAT(messages,
              ElementsAre(M{10, 2, "b"}, M{10, 3, "c"}, M{20, 5, "e"}, M{30, 1, "a"}, M{30, 4, "d"}));
  EXPECT_EQ(notes.count(kMessageOrder), 3u);
  EXPECT_THAT(
      notes.groups().front().first,
      ElementsAre("demo/extern.dat:2: the message is 20 ns earlier than a message on an earlier line",
                  "demo/extern.dat:3: the message is 20 ns earlier than a message on an earlier line",
                  "demo/extern.dat:5: the message is 10 ns earlier than a message on an earlier line"));
  EXPECT_TRUE(kMessageOrder.is_remark);
}

TEST(ExternFile, MessagesThatAreDaysAwayHaveAnotherClock) {
  constexpr std::uint64_t kHour = 3600ULL * 1'000'000'000, kBegin = 1000 * kHour;
  Notes notes;
  std::vector<M> messages{
      {kBegin - 40 * kHour, 1, "a"}, {kBegin - 39 * kHour, 2, "b"}, {kBegin, 3, "c"},
      {kBegin + 39 * kHour, 4, "d"}, {kBegin + 40 * kHour, 5, "e"}, {kBegin + kHour, 6, "f"}};
  const auto all = messages;
  drop_foreign_messages(messages, "demo", kBegin, std::nullopt, notes);
  EXPECT_THAT(messages, ElementsAre(all[1], all[2], all[3], all[5]));
  EXPECT_EQ(notes.count(kForeignClock), 2u);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/extern.dat:1: the message is 144000 s before the start of the recording",
                          "demo/extern.dat:5: the message is 144000 s after the start of the recording"));

  Notes none;
  messages = all;
  // In a long recording, messages may be much later than the start.
  drop_foreign_messages(messages, "demo", kBegin, 20 * kHour, none);
  EXPECT_EQ(messages, all);
  EXPECT_TRUE(none.empty());
}

TEST(ExternFile, EveryPrefixIsAccepted) {
  for (std::size_t size = 0; size <= kFile.size(); ++size) {
    Notes notes;
    EXPECT_LE(parse_extern(kFile.substr(0, size), "demo/extern.dat", notes).size(), 4u);
    EXPECT_LE(notes.count(kDamagedLine), 1u);
  }
}

}  // namespace
}  // namespace convert::uftrace
