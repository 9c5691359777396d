#include "converters/uftrace/recording/task_file.h"

#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

constexpr std::string_view kRecording =
    "SESS timestamp=1061.683386530 pid=100 sid=3e90708389db044b exename=\"/home/u/a \"quoted\" program\"\n"
    "TASK timestamp=1061.683443761 tid=101 pid=100\n"
    "FORK timestamp=1061.700000000 pid=102 ppid=100\n"
    "DLOP timestamp=1061.8 tid=101 sid=3e90708389db044b base=7fe0255cc000 libname=\"d1/libplug.so\"\n";

TEST(TaskFile, AllKindsOfLinesAreRead) {
  Notes notes;
  EXPECT_THAT(parse_task_text(kRecording, "demo/task.txt", notes),
              ElementsAre(TaskEvent(SessionStart{1'061'683'386'530, ProcessId{100}, "3e90708389db044b",
                                                 "/home/u/a \"quoted\" program"}),
                          TaskEvent(TaskStart{1'061'683'443'761, ThreadId{101}, ProcessId{100}}),
                          TaskEvent(Fork{1'061'700'000'000, ProcessId{102}, ProcessId{100}}),
                          TaskEvent(LibraryLoad{1'061'800'000'000, ThreadId{101}, "3e90708389db044b",
                                                0x7fe0255cc000, "d1/libplug.so"})));
  EXPECT_TRUE(notes.empty());
}

TEST(TaskFile, OldSessionsHaveATid) {
  Notes notes;
  EXPECT_THAT(parse_task_text("SESS timestamp=0.0 tid=7 sid=0 exename=\"cpu0\"\n", "demo/task.txt", notes),
              ElementsAre(TaskEvent(SessionStart{0, ProcessId{7}, "0", "cpu0"})));
}

TEST(TaskFile, DamagedLinesAreNotedAndSkipped) {
  Notes notes;
  const auto events = parse_task_text(
      "TASK timestamp=1.000000001 tid= pid=1\n"
      "garbage\n"
      "SESS timestamp=1.0 pid=1 sid=0 exename=\"unfinished\n"
      "TASK timestamp=1.0 tid=1 pid=99999999999\n"
      "TASK timestamp=99999999999999999999.0 tid=1 pid=1\n"
      "TASK timestamp=2.000000002 tid=5 pid=5",
      "demo/task.txt", notes);
  EXPECT_THAT(events, ElementsAre(TaskEvent(TaskStart{2'000'000'002, ThreadId{5}, ProcessId{5}})));
  EXPECT_EQ(notes.count(kDamagedLine), 5u);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/task.txt:1: expected tid, a decimal number, found \" pid=1\"",
                          "demo/task.txt:2: expected SESS, TASK, FORK or DLOP, found \"garbage\"",
                          "demo/task.txt:3: expected exename in quotes, found \"\"unfinished\""));
}

TEST(TaskFile, PidsHave31Bits) {
  Notes notes;
  EXPECT_THAT(parse_task_text("TASK timestamp=0.1 tid=2147483647 pid=2147483647\n"
                              "TASK timestamp=0.1 tid=2147483648 pid=1\n",
                              "demo/task.txt", notes),
              ElementsAre(TaskEvent(TaskStart{100'000'000, ThreadId{0x7fffffff}, ProcessId{0x7fffffff}})));
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/task.txt:2: tid 2147483648 is too large, found \" pid=1\""));
}

TEST(TaskFile, EveryPrefixIsAccepted) {
  for (std::size_t size = 0; size <= kRecording.size(); ++size) {
    Notes notes;
    EXPECT_LE(parse_task_text(kRecording.substr(0, size), "demo/task.txt", notes).size(), 4u);
  }
}

// ---- The binary form of v0.5 ----

std::string binary_recording() {
  return std::string(
      "\xce\xfa\x07\0"
      "\x28\0\0\0"  // SESSION, 40 bytes
      "\x0a\0\0\0\0\0\0\0"
      "\x64\0\0\0"
      "\x64\0\0\0"  // time 10, pid 100, tid 100
      "0123456789abcdef"
      "\0\0\0\0"
      "\x06\0\0\0"  // sid, unused, length of the name
      "/bin/a\0\0"  // padded to 8
      "\xce\xfa\x03\0"
      "\x10\0\0\0"  // TASK_START
      "\x0b\0\0\0\0\0\0\0"
      "\x64\0\0\0"
      "\x65\0\0\0"  // time 11, pid 100, tid 101
      "\xce\xfa\x05\0"
      "\x04\0\0\0"
      "\x01\0\0\0"  // an unknown type, ignored
      "\xce\xfa\x06\0"
      "\x10\0\0\0"  // FORK_END
      "\x0c\0\0\0\0\0\0\0"
      "\x64\0\0\0"
      "\x66\0\0\0",  // time 12, parent 100, child 102
      8 + 40 + 8 + 8 + 16 + 12 + 8 + 16);
}

TEST(BinaryTaskFile, AllKindsOfMessagesAreRead) {
  Notes notes;
  EXPECT_THAT(parse_task_binary(binary_recording(), "demo/task", std::endian::little, notes),
              ElementsAre(TaskEvent(SessionStart{10, ProcessId{100}, "0123456789abcdef", "/bin/a"}),
                          TaskEvent(TaskStart{11, ThreadId{101}, ProcessId{100}}),
                          TaskEvent(Fork{12, ProcessId{102}, ProcessId{100}})));
  EXPECT_TRUE(notes.empty());
}

TEST(BinaryTaskFile, TheNameOfASessionIsInsideItsMessageOrAfterIt) {
  const auto session = [](std::string_view name) {
    return std::string(
               "\xce\xfa\x07\0"
               "\x2c\0\0\0"  // 40 bytes and 4 of a name
               "\x0a\0\0\0\0\0\0\0"
               "\x64\0\0\0"
               "\x64\0\0\0"
               "0123456789abcdef"
               "\0\0\0\0",
               8 + 36) +
           static_cast<char>(name.size()) + std::string(3, '\0');
  };
  const std::string next(
      "\xce\xfa\x03\0"
      "\x10\0\0\0"
      "\x0b\0\0\0\0\0\0\0"
      "\x64\0\0\0"
      "\x65\0\0\0",
      8 + 16);
  Notes notes;
  for (const std::string_view name : {"/bin", "/bin/app"}) {
    const std::string bytes =
        name.size() == 4 ? session(name) + "/bin" + next : session(name) + "...." + "/bin/app" + next;
    EXPECT_THAT(
        parse_task_binary(bytes, "demo/task", std::endian::little, notes),
        ElementsAre(TaskEvent(SessionStart{10, ProcessId{100}, "0123456789abcdef", std::string(name)}),
                    TaskEvent(TaskStart{11, ThreadId{101}, ProcessId{100}})));
  }
  EXPECT_TRUE(notes.empty());
}

TEST(BinaryTaskFile, TimesThatCannotBeDrawnAreNoted) {
  std::string bytes = binary_recording();
  const std::size_t time_at = 8 + 40 + 8 + 8;  // time of TASK_START
  bytes.replace(time_at, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f");
  Notes notes;
  EXPECT_EQ(parse_task_binary(bytes, "demo/task", std::endian::little, notes).size(), 3u);
  EXPECT_TRUE(notes.empty());
  bytes.replace(time_at, 8, std::string("\0\0\0\0\0\0\0\x80", 8));
  EXPECT_EQ(parse_task_binary(bytes, "demo/task", std::endian::little, notes).size(), 1u);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/task:+0x38: a timestamp of 9223372036854775808 ns is too large to be shown"));
}

TEST(BinaryTaskFile, EveryPrefixKeepsCompleteMessages) {
  const std::string whole = binary_recording();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Notes notes;
    EXPECT_LE(parse_task_binary(whole.substr(0, size), "demo/task", std::endian::little, notes).size(), 2u);
  }
}

TEST(BinaryTaskFile, DamageIsNotedWithItsPosition) {
  Notes notes;
  EXPECT_TRUE(parse_task_binary(std::string(8, '\x01'), "demo/task", std::endian::little, notes).empty());
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/task:+0x0: not a task message: magic is 0x101, expected 0xface"));
}

}  // namespace
}  // namespace convert::uftrace
