// Tests the fields of the status line.
#include "converters/tfile/description/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TraceStatus read(std::string_view payload) {
  std::vector<std::string> problems;
  TraceStatus status = read_status(payload, problems);
  EXPECT_THAT(problems, IsEmpty());
  return status;
}

TEST(TraceStatus, NumbersAreHexadecimal) {
  const TraceStatus status = read(
      "0;tstop::0;tframes:19;tcreated:1a;tfree:4e4928;tsize:500000;circular:1;starttime:9bb364bd;stoptime:"
      "9bb3a056");
  EXPECT_FALSE(status.running);
  EXPECT_EQ(status.frames, 25u);
  EXPECT_EQ(status.frames_created, 26u);
  EXPECT_EQ(status.buffer_free, 0x4e4928u);
  EXPECT_EQ(status.buffer_size, 0x500000u);
  EXPECT_TRUE(status.circular);
  EXPECT_EQ(status.start_us, 2612225213u);
  EXPECT_EQ(status.stop_us, 2612240470u);
  EXPECT_EQ(status.describe(), "stopped by command");
}

TEST(TraceStatus, TextsAreAlsoHexadecimal) {
  const TraceStatus status = read("0;tstop:646f6e65:0;username:4ac3b672673b204f274e65696c;notes:6e6f7465:");
  EXPECT_EQ(status.describe(), "stopped by command: done");
  EXPECT_EQ(status.user, "J\u00f6rg; O'Neil");
  EXPECT_EQ(status.notes, "note");
  EXPECT_THAT(status.others, IsEmpty());
}

struct Reason {
  std::string_view payload, text;

  friend void PrintTo(const Reason& reason, std::ostream* out) { *out << reason.text; }
};
class StopReasons : public testing::TestWithParam<Reason> {};
INSTANTIATE_TEST_SUITE_P(All, StopReasons,
                         testing::Values(Reason{"0;tnotrun:0", "not run"}, Reason{"1;tnotrun:0", "running"},
                                         Reason{"0;tnorrun:0", "not run"},  // as Enea OSE writes it
                                         Reason{"0;tstop:0", "stopped by command"},
                                         Reason{"0;tfull:0", "buffer full"},
                                         Reason{"0;tdisconnected:0", "debugger disconnected"},
                                         Reason{"0;tpasscount:1f", "tracepoint 31 reached its pass count"},
                                         Reason{"0;terror:646976696465206279207a65726f:2",
                                                "error at tracepoint 2: divide by zero"},
                                         Reason{"T0;tunknown:0", "unknown"}, Reason{"0", "unknown"}));
TEST_P(StopReasons, AreDescribed) { EXPECT_EQ(read(GetParam().payload).describe(), GetParam().text); }

TEST(TraceStatus, UnknownFieldsAreKept) {
  EXPECT_THAT(read("0;future:12:ab;lonely").others,
              ElementsAre(testing::Pair("future", "12:ab"), testing::Pair("lonely", "")));
}

TEST(TraceStatus, DamagedFieldsAreProblems) {
  std::vector<std::string> problems;
  const TraceStatus status = read_status("2;tframes:zz;username:6;tfree:10", problems);
  EXPECT_THAT(problems, ElementsAre("status: starts with '2', expected 0 or 1",
                                    "status: tframes is 'zz', expected a hexadecimal number",
                                    "status: username is '6', expected hexadecimal text"));
  EXPECT_EQ(status.buffer_free, 16u);
}

}  // namespace
}  // namespace convert::tfile
