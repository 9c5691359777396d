// As in uftrace, --kernel-only shows only the calls and events of the kernel.
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using R = RecordingBuilder;

std::string sched_switch_format() {
  return block("events/sched/sched_switch/format", common_fields(318) + field("pid_t prev_pid", 8, 4, true) +
                                                       field("long prev_state", 16, 8, true) +
                                                       field("pid_t next_pid", 24, 4, true));
}

std::string switched(std::int32_t from, std::int32_t to) {
  return KernelBytes(kLayout)
      .common(318, from)
      .put(std::uint64_t(static_cast<std::uint32_t>(from)))
      .put(std::uint64_t{1})
      .put(std::uint64_t(static_cast<std::uint32_t>(to)))
      .text();
}

class KernelOnly : public testing::Test {
 protected:
  KernelOnly() {
    r.file("kernel_header", header_text(kLayout) + sched_switch_format());
    r.file("kallsyms", "ffffffff81000000 T do_syscall\nffffffff81000100 T vfs_read\n");
  }
  std::vector<std::string> lines(RecordingOptions options = {.cpu_tracks = true}) {
    options.kernel_only = true;
    return r.lines({}, options);
  }
  R r;
};

TEST_F(KernelOnly, TheProgramsCallsAreNotShown) {
  r.entry(10, 0, R::kMain).entry(20, 1, 0x123456).exit(60, 1, 0x123456).exit(90, 0, R::kMain);
  r.file("kernel-cpu0.dat", KernelBytes(kLayout)
                                .page(25)
                                .entry(0, 100, kSyscall, 0)
                                .entry(1, 100, kRead, 1)
                                .exit(1, 100, kRead, 1)
                                .exit(1, 100, kSyscall, 0)
                                .entry(67, 100, kRead, 0)  // at 95, after main
                                .exit(1, 100, kRead, 0)
                                .text());
  EXPECT_THAT(lines(),
              ElementsAre("100/100 [25, 28] [kernel]:do_syscall", "100/100 [26, 27] [kernel]:vfs_read",
                          "100/100 [95, 96] [kernel]:vfs_read"));
  EXPECT_THAT(r.notes(), ElementsAre("calls-left-out 2", "DIR/100.dat: 2"));
  EXPECT_THAT(lines({.kernel_skip_out = true}),
              ElementsAre("100/100 [25, 28] [kernel]:do_syscall", "100/100 [26, 27] [kernel]:vfs_read"));
}

// A kernel call overlaps the end of a program call. The hidden program call does not cut the kernel call.
TEST_F(KernelOnly, TheProgramsCallsDoNotCutKernelCalls) {
  r.entry(10, 0, R::kMain).entry(26, 1, R::kF).exit(60, 1, R::kF).exit(61, 0, R::kMain);
  r.file("kernel-cpu0.dat", KernelBytes(kLayout)
                                .page(25)
                                .entry(0, 100, kSyscall, 0)
                                .entry(34, 100, kRead, 1)  // at 59
                                .exit(11, 100, kRead, 1)
                                .exit(1, 100, kSyscall, 0)
                                .text());
  EXPECT_THAT(lines(),
              ElementsAre("100/100 [25, 71] [kernel]:do_syscall", "100/100 [59, 70] [kernel]:vfs_read"));
  EXPECT_THAT(r.notes(), ElementsAre("calls-left-out 2", "DIR/100.dat: 2"));
}

TEST_F(KernelOnly, LossesOfTheProgramAreShownWithoutItsEvents) {
  r.task_line("FORK timestamp=0.000000012 pid=200 ppid=100");
  r.task_line(
      "DLOP timestamp=0.000000015 tid=100 sid=0123456789abcdef base=7f0000000000 libname=\"/lib/x.so\"");
  r.file("extern.dat", "0.000000013 hello\n").event(5, 1000001, 0);
  r.entry(10, 0, R::kMain).entry(11, 1, R::kFork).exit(14, 1, R::kFork).lost(7).exit(90, 0, R::kMain);
  r.thread(200).exit(16, 1, R::kFork).entry(17, 1, R::kF).exit(18, 1, R::kF);
  r.file("kernel-cpu0.dat",
         KernelBytes(kLayout).page(25).entry(0, 200, kRead, 0).exit(1, 200, kRead, 0).text());
  EXPECT_THAT(lines(), ElementsAre("100/100 @14 event:records lost count=7", "100/100 @14 buffer full",
                                   "200/200 [25, 26] [kernel]:vfs_read"));
  EXPECT_EQ(r.lines().size(), 14);
}

// The exit of a call without an entry gives the call a name, but the call is not shown.
TEST_F(KernelOnly, CallsWithoutAnEntryAreNotShown) {
  r.lost(3).entry(10, 2, R::kF).exit(20, 2, R::kF).exit(30, 1, R::kG);
  EXPECT_THAT(lines(), ElementsAre("100/100 @10 event:records lost count=3", "100/100 @10 buffer full"));
}

TEST_F(KernelOnly, SwitchesComeFromTheKernelFiles) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().comm(15, 100, "worker").out(20, 100).in(50, 100).text());
  r.file("kernel-cpu0.dat", KernelBytes(kLayout).page(21).event(0, switched(100, 0)).text());
  EXPECT_THAT(lines(),
              ElementsAre("100/100 @21 event:sched:sched_switch prev_pid=100 prev_state=1 next_pid=0 cpu=0",
                          "100/100 @21 cpu 0: 100 (blocked) -> 0"));
  EXPECT_THAT(lines({.no_event = true}), IsEmpty());
}

TEST_F(KernelOnly, ARecordingWithoutTheKernelHasNothingToShow) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(r.notes(),
              ElementsAre("nothing-of-kernel 1",
                          "DIR: has no kernel events, so --kernel-only shows nothing of this input",
                          "calls-left-out 1", "DIR/100.dat: 1"));
}

}  // namespace
}  // namespace convert::uftrace
