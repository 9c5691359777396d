// Tests the description of a recording: an instant, and the text files as blobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using R = RecordingBuilder;

TEST(UftraceDescription, NoteAndDefaultOptionsAreKept) {
  R r;
  r.file("note.txt", "slow run\n").file("default.opts", "-t 5us\n");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines();
  EXPECT_THAT(r.description(), Contains(AllOf(StartsWith("100/100 @10 event:uftrace info"),
                                              HasSubstr("note=\"slow run\n\""), Not(HasSubstr("5us")))));
  EXPECT_THAT(r.description(), Contains(HasSubstr("blob uftrace/note.txt")));
  EXPECT_THAT(r.description(), Contains(HasSubstr("blob uftrace/default.opts")));
  EXPECT_THAT(r.notes(), IsEmpty());

  r.lines({.blobs = Blobs::None});
  EXPECT_THAT(r.description(), SizeIs(1));
}

TEST(UftraceDescription, EmptyFilesAreNotShown) {
  R r;
  r.file("note.txt", "").file("default.opts", "");
  r.entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines();
  EXPECT_THAT(r.description(), Not(Contains(HasSubstr("note"))));
  EXPECT_THAT(r.description(), Not(Contains(HasSubstr("default.opts"))));
}

// The description comes before all other events, including messages and names.
TEST(UftraceDescription, IsAtTheTimeOfTheFirstEvent) {
  R r;
  r.file("extern.dat", "0.000000005 early\n").entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines();
  EXPECT_THAT(r.description(), Contains(StartsWith("100/100 @5 event:uftrace info")));
  r.file("perf-cpu0.dat", PerfBytes().comm(3, 100, "named").text()).lines();
  EXPECT_THAT(r.description(), Contains(StartsWith("100/100 @3 event:uftrace info")));
}

// If no record is near the start of the file, the description has the time at which the program started.
TEST(UftraceDescription, ComesBeforeDamage) {
  R r;
  r.bytes(std::string(5000, '\0')).entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines();
  EXPECT_THAT(r.description(), Contains(StartsWith("100/100 @10 event:uftrace info")));
  R damaged;
  damaged.bytes(std::string(2 << 20, '\0')).entry(10, 0, R::kMain).exit(20, 0, R::kMain).lines();
  EXPECT_THAT(damaged.description(), Contains(StartsWith("100/100 @1 event:uftrace info")));
  EXPECT_THAT(R().thread(100).lines(), IsEmpty());
}

}  // namespace
}  // namespace convert::uftrace
