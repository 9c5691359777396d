// Tests files to which several threads or processes have written. Either they had the same id one after the
// other, or a process that clone() made wrote to the file of its parent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using R = RecordingBuilder;

// Process 100 forks two children with the id 101, one after the other. Each child returns from its fork.
void has_children_in_turn(R& r) {
  r.task_line("FORK timestamp=0.000000020 pid=101 ppid=100");
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(40, 1, R::kFork);
  r.entry(50, 1, R::kF).entry(55, 2, R::kFork).exit(80, 2, R::kFork).exit(85, 1, R::kF).exit(90, 0, R::kMain);
  r.thread(101).exit(22, 1, R::kFork).entry(23, 1, R::kG).exit(24, 1, R::kG);
  r.exit(62, 2, R::kFork).exit(64, 1, R::kF).entry(65, 1, R::kG).exit(66, 1, R::kG);
}

TEST(UftraceReusedIds, EachChildBeginsInTheCallsOfItsOwnFork) {
  R r;
  has_children_in_turn(r);
  EXPECT_THAT(r.lines(),
              IsSupersetOf({"101/101 [22, 24] demo:main repaired=\"inherited-call,open-at-end\"",
                            "101/101 [22 demo:fork repaired=\"inherited-call\"", "101/101 22] demo:fork",
                            "101/101 [23, 24] demo:g",
                            "101/101 [62, 66] demo:main repaired=\"inherited-call,open-at-end\"",
                            "101/101 [62, 64] demo:f repaired=\"inherited-call\"", "101/101 [65, 66] demo:g",
                            "101/101 @22 flow to event:fork #1", "101/101 @62 flow to event:fork #2"}));
  EXPECT_THAT(r.lines(), Not(Contains(HasSubstr("unknown"))));
  r.small_blocks();
  EXPECT_THAT(r.lines({.tids = {101}}), Contains("101/101 [65, 66] demo:g"));
  EXPECT_THAT(r.lines({.tids = {100}}), Not(Contains(HasSubstr("101/"))));
}

TEST(UftraceReusedIds, NotesNameThePositionInTheFile) {
  R r;
  has_children_in_turn(r);
  r.exit(70, 5, R::kG).bytes("garbage!garbage!");
  r.lines();
  EXPECT_THAT(r.notes(), Contains(HasSubstr("DIR/101.dat:+0x30: 3 calls were open before the first record")));
  EXPECT_THAT(r.notes(), Contains(HasSubstr("DIR/101.dat:+0x80: not records, up to the end of the file")));
}

TEST(UftraceReusedIds, AThreadAndALaterProcessMayHaveOneId) {
  R r;
  r.task_line("TASK timestamp=0.000000020 tid=101 pid=100");
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(55, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(21, 0, R::kF).entry(22, 1, R::kG).exit(24, 1, R::kG).exit(25, 0, R::kF);
  r.exit(62, 1, R::kFork).event(63, 100011, 4).entry(65, 1, R::kG).exit(66, 1, R::kG);
  EXPECT_THAT(r.lines(), IsSupersetOf({"100/101 [21, 25] demo:f", "100/101 [22, 24] demo:g",
                                       "101/101 [62, 66] demo:main repaired=\"inherited-call,open-at-end\"",
                                       "101/101 [65, 66] demo:g"}));
  EXPECT_THAT(r.lines(), Contains(HasSubstr("101/101 @63 counter event:cpu #101 ")));
  EXPECT_THAT(r.lines(), Not(Contains(HasSubstr("unknown"))));
  const auto threads = r.inspected()["threads"];
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[1]["process"], 100);
  EXPECT_EQ(threads[1]["records"], 4);
  EXPECT_EQ(threads[2]["process"], 101);
  EXPECT_EQ(threads[2]["thread"], 101);
  EXPECT_EQ(threads[2]["records"], 4);
  EXPECT_EQ(threads[2]["forked by"], 100);
}

// A child runs for a short time before it writes its FORK line. Kernel events of this time belong to the
// child.
TEST(UftraceReusedIds, KernelEventsBelongToTheOwnerOfTheIdAtThatTime) {
  R r;
  r.task_line("TASK timestamp=0.000000020 tid=101 pid=100");
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(55, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(21, 0, R::kF).exit(40, 0, R::kF).exit(62, 1, R::kFork);
  r.file("perf-cpu0.dat", PerfBytes()
                              .fork(19, 101, 100)
                              .in(20, 101)
                              .out(30, 101)
                              .in(35, 101)
                              .exit(45, 101)
                              .out(46, 101)
                              .fork(56, 101, 100)
                              .in(57, 101)
                              .preempted(58, 101)
                              .in(61, 101)
                              .exit(70, 101)
                              .text());
  EXPECT_THAT(
      r.lines(),
      IsSupersetOf({"100/101 [30, 35] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                    "101/101 [58, 61] sched:linux:schedule (pre-empted) cpu=0 state='runnable' next_cpu=0",
                    "101/101 @57 cpu 0: 0 (new) -> 101"}));
  EXPECT_THAT(r.notes(), Not(Contains(HasSubstr("bad-time"))));
}

// In Perfetto, an id on a CPU track belongs to the last process that had this id.
TEST(UftraceReusedIds, CpuTracksShowOnlyTheLastProcessWithAnId) {
  R r;
  r.task_line("TASK timestamp=0.000000020 tid=101 pid=100");
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(55, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(21, 0, R::kF).exit(40, 0, R::kF).exit(62, 1, R::kFork);
  PerfBytes perf;
  perf.fork(19, 101, 100).in(20, 101).exit(45, 101).out(46, 101).fork(56, 101, 100).in(57, 101).out(70, 101);
  r.file("perf-cpu0.dat", perf.text());
  EXPECT_THAT(r.lines(),
              IsSupersetOf({"100/101 @20 sched:linux:sched-in cpu=0", "101/101 @57 cpu 0: 0 (new) -> 101",
                            "101/101 @70 cpu 0: 101 (blocked) -> 0"}));
  EXPECT_THAT(r.lines(), Not(Contains(HasSubstr("100/101 @20 cpu"))));
  EXPECT_THAT(
      r.notes(),
      Contains(HasSubstr("2 context switches of threads whose ids were later used by other processes")));
}

// A program that posix_spawn starts has no FORK line. It must not be shown as an exec of the process that had
// the id before.
TEST(UftraceReusedIds, AProgramStartedByPosixSpawnIsNotAnExec) {
  R r;
  r.task_line("SESS timestamp=0.000000020 pid=101 sid=0123456789abcdef exename=\"/bin/demo\"");
  r.task_line("TASK timestamp=0.000000020 tid=101 pid=101");
  r.task_line("SESS timestamp=0.000000060 pid=101 sid=0123456789abcdef exename=\"/bin/demo\"");
  r.task_line("TASK timestamp=0.000000060 tid=101 pid=101");
  r.entry(10, 0, R::kMain).entry(15, 1, R::kFork).exit(40, 1, R::kFork);
  r.entry(50, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(21, 0, R::kMain).entry(22, 1, R::kF).entry(61, 0, R::kMain).exit(70, 0, R::kMain);
  PerfBytes perf;
  perf.fork(17, 101, 100).in(18, 101).exec(19, 101, "demo").exit(30, 101);
  r.file("perf-cpu0.dat", PerfBytes(perf).fork(55, 101, 100).in(56, 101).exec(58, 101, "demo").text());
  EXPECT_THAT(r.lines(), IsSupersetOf({"101/101 [21, 30] demo:main repaired=\"open-at-end\"",
                                       "101/101 [61, 70] demo:main"}));
  EXPECT_THAT(r.lines(), Not(Contains(HasSubstr("event:exec"))));
  EXPECT_THAT(r.lines(), Contains(HasSubstr("flow to event:fork #2")));
  r.file("perf-cpu0.dat", perf.exec(58, 101, "demo").text());
  EXPECT_THAT(r.lines(), Contains(HasSubstr("101/101 @60 event:exec /bin/demo")));
}

TEST(UftraceReusedIds, KernelCallsBelongToTheOwnerOfTheIdAtThatTime) {
  R r;
  r.file("kernel_header", header_text(kLayout));
  r.file("kallsyms",
         "ffffffff81000000 T do_syscall\nffffffff81000100 T vfs_read\nffffffff81000300 T the_end\n");
  r.task_line("TASK timestamp=0.000000020 tid=101 pid=100");
  r.task_line("FORK timestamp=0.000000060 pid=101 ppid=100");
  r.entry(10, 0, R::kMain).entry(55, 1, R::kFork).exit(80, 1, R::kFork).exit(90, 0, R::kMain);
  r.thread(101).entry(21, 0, R::kF).exit(40, 0, R::kF).exit(72, 1, R::kFork);
  r.file("kernel-cpu0.dat", KernelBytes(kLayout)
                                .page(25)
                                .entry(0, 101, 0xffffffff81000010, 0)
                                .exit(5, 101, 0xffffffff81000010, 0)
                                .entry(35, 101, 0xffffffff81000110, 0)
                                .exit(5, 101, 0xffffffff81000110, 0)
                                .text());
  EXPECT_THAT(r.lines(),
              IsSupersetOf({"100/101 [25, 30] [kernel]:do_syscall", "101/101 [65, 70] [kernel]:vfs_read"}));
}

// After clone() without CLONE_VM, two processes write to one file. The child writes the entry of f again.
TEST(UftraceSharedFile, TwoProcessesThatWriteToOneFileAreNoted) {
  R r;
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(25, 1, R::kF).entry(40, 1, R::kG).exit(50, 1, R::kG);
  r.entry(20, 1, R::kF).entry(55, 2, R::kG).exit(60, 2, R::kG).exit(58, 0, R::kMain);
  const auto lines = r.lines();
  EXPECT_THAT(
      r.notes(),
      IsSupersetOf({"shared-file 2",
                    "DIR/100.dat:+0x50: the record's time is 30 ns before the time of a previous record",
                    "DIR/100.dat:+0x80: the record's time is 2 ns before the time of a previous record"}));
  r.inspected();
  EXPECT_THAT(r.notes(), Contains("shared-file 2"));
  r.small_blocks();
  EXPECT_EQ(r.lines(), lines);
}

TEST(UftraceSharedFile, AnEarlierEntryThatIsNotARepetitionDoesNotShowTwoProcesses) {
  R r;
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(25, 1, R::kF).entry(20, 1, R::kG).exit(30, 1, R::kG);
  r.exit(40, 0, R::kMain).lines();
  EXPECT_THAT(r.notes(), Contains("time-went-back 1"));
}

}  // namespace
}  // namespace convert::uftrace
