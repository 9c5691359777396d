// Tests how the kernel calls and the switches of a thread are combined with its records.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using R = RecordingBuilder;

constexpr std::uint64_t kFault = 0xffffffff81000210;

KernelBytes kernel() { return KernelBytes(kLayout); }

class UftraceKernel : public testing::Test {
 protected:
  UftraceKernel() {
    r.file("kernel_header", header_text(kLayout));
    r.file("kallsyms",
           "ffffffff81000000 T do_syscall\nffffffff81000100 T vfs_read\nffffffff81000200 T handle_fault\n"
           "ffffffff81000300 T the_end\n");
  }
  R r;
};

TEST_F(UftraceKernel, KernelCallsAreInsideTheProgramsCalls) {
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(60, 1, R::kF).exit(90, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(5)
                                .entry(0, 100, kFault, 0)
                                .exit(2, 100, kFault, 0)
                                .entry(18, 100, kSyscall, 0)
                                .entry(5, 100, kRead, 1)
                                .exit(5, 100, kRead, 1)
                                .exit(5, 100, kSyscall, 0)
                                .text());
  r.file("kernel-cpu1.dat", kernel().page(70).entry(0, 100, kFault, 0).exit(5, 100, kFault, 0).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [5, 7] [kernel]:handle_fault", "100/100 [10, 90] demo:main",
                          "100/100 [20, 60] demo:f", "100/100 [25, 40] [kernel]:do_syscall",
                          "100/100 [30, 35] [kernel]:vfs_read", "100/100 [70, 75] [kernel]:handle_fault"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UftraceKernel, KernelCallsAreOnTheirThreadAndOtherThreadsAreNotShown) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .entry(0, 100, kSyscall, 0)
                                .entry(1, 0, kFault, 0)
                                .exit(1, 0, kFault, 0)
                                .entry(1, 101, kRead, 0)
                                .exit(1, 101, kRead, 0)
                                .exit(6, 100, kSyscall, 0)
                                .text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 90] demo:main", "100/100 [20, 30] [kernel]:do_syscall",
                                     "100/101 [23, 24] [kernel]:vfs_read"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// Open calls end at the last kernel event of the thread, even if extern.dat has later messages, or if another
// thread comes to the CPU.
TEST_F(UftraceKernel, CallsWithoutAnExitLastUntilTheLastKernelEvent) {
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF);
  r.file("kernel-cpu0.dat", kernel()
                                .page(40)
                                .entry(0, 100, kSyscall, 0)
                                .exit(10, 100, kSyscall, 0)
                                .entry(20, 100, kRead, 0)
                                .exit(5, 100, kRead, 0)
                                .text());
  r.file("extern.dat", "0.000000030 a\n0.000000060 b\n0.000000300 c\n");
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 [10, 75] demo:main repaired=\"open-at-end\"",
                  "100/100 [20, 75] demo:f repaired=\"open-at-end\"",
                  "100/100 @30 event:external-data: a message=\"a\"", "100/100 [40, 50] [kernel]:do_syscall",
                  "100/100 @60 event:external-data: b message=\"b\"", "100/100 [70, 75] [kernel]:vfs_read",
                  "100/100 @300 event:external-data: c message=\"c\""));
  r.file("extern.dat", "");
  r.file("perf-cpu0.dat", PerfBytes().in(12, 100).in(60, 999).text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 [10, 75] demo:main repaired=\"open-at-end\"", "100/100 @12 cpu 0: 0 (new) -> 100",
                  "100/100 [20, 75] demo:f repaired=\"open-at-end\"", "100/100 [40, 50] [kernel]:do_syscall",
                  "100/100 @60 cpu 0: 100 (blocked) -> 0", "100/100 [70, 75] [kernel]:vfs_read"));
  r.file("kernel-cpu0.dat", kernel().page(40).entry(0, 100, kSyscall, 0).exit(10, 100, kSyscall, 0).text());
  EXPECT_THAT(r.lines(), Contains("100/100 [10, 50] demo:main repaired=\"open-at-end\""));
}

// The thread's end must be known before the piece that contains this end is written.
TEST_F(UftraceKernel, AThreadThatHasEndedLeavesItsCpuBeforeLaterEvents) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.task_line("TASK timestamp=0.000000003 tid=102 pid=100");
  r.small_blocks();
  r.split();
  r.entry(10, 0, R::kMain).exit(20000, 0, R::kMain).thread(101).entry(10, 0, R::kF).exit(20, 0, R::kF);
  r.thread(102).entry(10, 0, R::kF).exit(15, 0, R::kF);
  KernelBytes bytes = kernel();
  bytes.page(25).entry(0, 101, kRead, 0).exit(5, 101, kRead, 0);
  for (std::uint64_t time = 100; time < 20000; time += 50)
    bytes.page(time).entry(0, 100, kSyscall, 0).exit(10, 100, kSyscall, 0);
  r.file("kernel-cpu0.dat", bytes.text());
  r.file("perf-cpu1.dat", PerfBytes().in(5, 101).text());
  r.file("perf-cpu2.dat", PerfBytes().in(6, 102).text());
  const std::vector<std::string> lines = r.lines();
  const auto line = [&](std::string_view text) { return std::ranges::find(lines, text) - lines.begin(); };
  const auto later = line("100/100 [10000, 10010] [kernel]:do_syscall");
  EXPECT_LT(line("100/101 @30 cpu 1: 101 (dead) -> 0"), later);
  EXPECT_LT(line("100/102 @15 cpu 2: 102 (dead) -> 0"), later);
  EXPECT_THAT(lines, Contains("100/100 [19950, 19960] [kernel]:do_syscall"));
}

// Kernel calls overlap program calls, because the kernel also traces the recorder's own reads of the clock.
TEST_F(UftraceKernel, CallsThatOverlapProgramCallsAreCut) {
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(40, 1, R::kF).exit(90, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(18)
                                .entry(0, 100, kSyscall, 0)
                                .entry(1, 100, kRead, 1)
                                .exit(4, 100, kRead, 1)
                                .entry(1, 100, kFault, 1)
                                .exit(1, 100, kFault, 1)
                                .exit(1, 100, kSyscall, 0)  // at 26
                                .entry(12, 100, kSyscall, 0)
                                .exit(4, 100, kSyscall, 0)
                                .text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 90] demo:main",
                                     "100/100 [18, 20] [kernel]:do_syscall repaired=\"kernel-clipped\"",
                                     "100/100 [19, 20] [kernel]:vfs_read repaired=\"kernel-clipped\"",
                                     "100/100 [20, 40] demo:f", "100/100 [24, 25] [kernel]:handle_fault",
                                     "100/100 [38, 40] [kernel]:do_syscall repaired=\"kernel-clipped\""));
  EXPECT_THAT(r.notes(),
              ElementsAre("kernel-clipped 3", "DIR: thread 100: a kernel call of vfs_read is cut at 20 ns",
                          "DIR: thread 100: a kernel call of do_syscall is cut at 20 ns",
                          "DIR: thread 100: a kernel call of do_syscall is cut at 40 ns"));
}

TEST_F(UftraceKernel, AtEqualTimesCallsNest) {
  r.entry(10, 0, R::kMain).entry(20, 1, R::kF).exit(30, 1, R::kF).exit(40, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(10)
                                .entry(0, 100, kSyscall, 0)
                                .exit(10, 100, kSyscall, 0)  // at 20
                                .entry(0, 100, kRead, 0)
                                .exit(10, 100, kRead, 0)  // at 30
                                .entry(0, 100, kFault, 0)
                                .exit(10, 100, kFault, 0)  // at 40
                                .text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 40] demo:main", "100/100 [10, 20] [kernel]:do_syscall",
                                     "100/100 [20, 30] demo:f", "100/100 [20, 30] [kernel]:vfs_read",
                                     "100/100 [30, 40] [kernel]:handle_fault"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UftraceKernel, AThreadIsSwitchedOffInsideKernelCalls) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(50, 100).text());
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .entry(0, 100, kSyscall, 0)
                                .entry(5, 100, kRead, 1)    // the thread is switched out at 30
                                .exit(7, 100, kRead, 1)     // at 32
                                .entry(1, 100, kRead, 1)    // while the thread is off the CPU
                                .exit(1, 100, kRead, 1)     // at 34
                                .entry(14, 100, kFault, 1)  // at 48; the thread is back at 50
                                .exit(4, 100, kFault, 1)
                                .exit(8, 100, kSyscall, 0)  // at 60
                                .text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 90] demo:main",
                          "100/100 [20, 60] [kernel]:do_syscall",
                          "100/100 [25, 30] [kernel]:vfs_read repaired=\"kernel-clipped\"",
                          "100/100 @30 cpu 0: 100 (blocked) -> 0",
                          "100/100 [30, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 [33, 34] [kernel]:vfs_read",
                          "100/100 [48, 50] [kernel]:handle_fault repaired=\"kernel-clipped\"",
                          "100/100 @50 cpu 0: 0 (new) -> 100", "100/100 @90 cpu 0: 100 (dead) -> 0"));
  EXPECT_THAT(r.notes(), Contains("kernel-clipped 2"));
}

// The kernel calls start when the thread leaves the CPU, and have recorded ends before the thread returns.
// They are shown until the thread returns.
TEST_F(UftraceKernel, CallsThatBeginAtASwitchEndWhenTheThreadIsBack) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().out(20, 100).in(50, 100).text());
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .entry(0, 100, kSyscall, 0)
                                .entry(0, 100, kRead, 1)
                                .exit(2, 100, kRead, 1)
                                .exit(3, 100, kSyscall, 0)
                                .entry(40, 100, kFault, 0)
                                .exit(1, 100, kFault, 0)
                                .text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 @10 cpu 0: 0 (new) -> 100", "100/100 [10, 90] demo:main",
                          "100/100 [20, 50] [kernel]:do_syscall repaired=\"kernel-clipped\"",
                          "100/100 [20, 50] [kernel]:vfs_read repaired=\"kernel-clipped\"",
                          "100/100 @20 cpu 0: 100 (blocked) -> 0",
                          "100/100 [20, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                          "100/100 @50 cpu 0: 0 (new) -> 100", "100/100 [65, 66] [kernel]:handle_fault",
                          "100/100 @90 cpu 0: 100 (dead) -> 0"));
}

TEST_F(UftraceKernel, MissingEventsAreRepaired) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .exit(0, 100, kRead, 1)      // no entry is recorded
                                .entry(1, 100, kSyscall, 0)  // at 21
                                .entry(1, 100, kRead, 1)     // at 22; no exit is recorded
                                .entry(2, 100, kFault, 1)    // at 24
                                .exit(2, 100, kFault, 1)     // at 26
                                .entry(1, 100, kRead, 1)     // at 27; no exit is recorded
                                .exit(3, 100, kSyscall, 0)   // at 30
                                .entry(1, 100, kSyscall, 0)  // at 31
                                .entry(1, 100, kRead, 1)     // at 32; no exit is recorded
                                .exit(1, 100, kSyscall, 0)   // at 33
                                .entry(2, 100, kFault, 0)    // at 35; no exit is recorded
                                .text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 90] demo:main", "100/100 [21, 30] [kernel]:do_syscall",
                                     "100/100 [22, 24] [kernel]:vfs_read repaired=\"exit-missing\"",
                                     "100/100 [24, 26] [kernel]:handle_fault",
                                     "100/100 [27, 30] [kernel]:vfs_read repaired=\"exit-missing\"",
                                     "100/100 [31, 33] [kernel]:do_syscall",
                                     "100/100 [32, 33] [kernel]:vfs_read repaired=\"exit-missing\"",
                                     "100/100 [35, 90] [kernel]:handle_fault repaired=\"kernel-clipped\""));
  EXPECT_THAT(r.notes(), Contains("kernel-exit-without-entry 1"));
  EXPECT_THAT(r.notes(), Contains("exit-missing 3"));
}

// If the recorder limits the depth, the functions of an interrupt may have the same depths as the interrupted
// calls.
TEST_F(UftraceKernel, InterruptsNestInTheInterruptedCalls) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .entry(0, 100, kSyscall, 0)
                                .entry(1, 100, kRead, 1)
                                .entry(1, 100, kFault, 0)  // at 22, inside both calls
                                .entry(1, 100, kFault, 0)  // at 23, inside the interrupt
                                .exit(1, 100, kFault, 0)
                                .exit(1, 100, kFault, 0)  // at 25
                                .exit(1, 100, kRead, 1)
                                .entry(1, 100, kFault, 0)  // at 27
                                .exit(1, 100, kFault, 0)
                                .exit(1, 100, kSyscall, 0)  // at 29
                                .text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 [10, 90] demo:main", "100/100 [20, 29] [kernel]:do_syscall",
                  "100/100 [21, 26] [kernel]:vfs_read", "100/100 [22, 25] [kernel]:handle_fault",
                  "100/100 [23, 24] [kernel]:handle_fault", "100/100 [27, 28] [kernel]:handle_fault"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// The second call could be an interrupt inside the first call. However, the next record of the program, or
// the end of the thread, shows that the exit of the first call is missing.
TEST_F(UftraceKernel, ACallWithoutAnExitEndsAtTheStartOfTheNextCall) {
  r.entry(10, 0, R::kMain).exit(15, 0, R::kMain);
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .entry(0, 100, kSyscall, 0)
                                .entry(5, 100, kFault, 0)  // at 25
                                .exit(5, 100, kFault, 0)
                                .text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 15] demo:main",
                                     "100/100 [20, 25] [kernel]:do_syscall repaired=\"exit-missing\"",
                                     "100/100 [25, 30] [kernel]:handle_fault"));
  EXPECT_THAT(r.notes(), Contains("exit-missing 1"));
  r.entry(50, 0, R::kMain).exit(60, 0, R::kMain);
  EXPECT_THAT(r.lines(), Contains("100/100 [20, 25] [kernel]:do_syscall repaired=\"exit-missing\""));
}

TEST_F(UftraceKernel, ALossCutsOpenCalls) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel-cpu2.dat", kernel()
                                .page(20)
                                .entry(0, 100, kSyscall, 0)
                                .entry(2, 100, kRead, 1)
                                .exit(2, 100, kRead, 1)  // at 24
                                .page(50)
                                .lost(5151)
                                .entry(1, 101, kFault, 3)  // at 51
                                .exit(1, 101, kFault, 3)
                                .exit(3, 100, kSyscall, 0)  // at 55
                                .text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 [10, 90] demo:main",
                  "100/100 [20, 24] [kernel]:do_syscall repaired=\"cut-by-loss\"",
                  "100/100 [22, 24] [kernel]:vfs_read", "100/100 @50 event:records lost count=5151 cpu=2",
                  "100/100 @50 buffer full", "100/101 @51 event:records lost count=5151 cpu=2",
                  "100/101 @51 buffer full", "100/101 [51, 52] [kernel]:handle_fault"));
  EXPECT_THAT(r.notes(),
              ElementsAre("kernel-events-lost 5151", "CPU 2: the kernel lost 5151 events", "cut-by-loss 1",
                          "DIR: thread 100: a kernel call of do_syscall is cut at 24 ns"));
}

TEST_F(UftraceKernel, ReturnValuesAndCallersAreArguments) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel_header", layout_text(kLayout) +
                              block("events/ftrace/funcgraph_entry/format",
                                    common_fields(40) + field("unsigned long func", 8, 8) +
                                        field("unsigned long graph_retaddr", 16, 8)) +
                              block("events/ftrace/funcgraph_exit/format",
                                    common_fields(41) + field("unsigned long func", 8, 8) +
                                        field("unsigned long retval", 16, 8)));
  const KernelBytes maker(kLayout);
  const auto event = [&](std::uint16_t id, std::uint64_t function, std::uint64_t value) {
    return maker.common(id, 100).put(function).put(value).text();
  };
  r.file("kernel-cpu0.dat", kernel()
                                .page(20)
                                .event(0, event(40, kSyscall, 0x1234))
                                .event(1, event(40, kRead, kSyscall))
                                .event(1, event(41, kRead, 0xffff'ffea))  // -22 as an int
                                .event(1, event(41, kSyscall, 7))
                                .event(1, event(40, kFault, 0))
                                .event(1, event(41, kFault, 0xffff'8000'0000'0000))
                                .text());
  EXPECT_THAT(
      r.lines(),
      ElementsAre("100/100 [10, 90] demo:main", "100/100 [20, 23] [kernel]:do_syscall caller=0x1234 retval=7",
                  "100/100 [21, 22] [kernel]:vfs_read caller=0xffffffff81000010 retval=-22",
                  "100/100 [24, 25] [kernel]:handle_fault caller=0x0 retval=-140737488355328"));
}

TEST_F(UftraceKernel, AnExecEndsOnlyTheProgramsCalls) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("perf-cpu0.dat", PerfBytes().exec(7, 100, "demo").exec(30, 100, "other").exit(95, 100).text());
  r.file("kernel-cpu0.dat", kernel()
                                .page(5)
                                .entry(0, 100, kSyscall, 0)
                                .exit(4, 100, kSyscall, 0)    // at 9
                                .entry(11, 100, kSyscall, 0)  // at 20
                                .exit(15, 100, kSyscall, 0)   // at 35
                                .entry(57, 100, kSyscall, 0)  // at 92
                                .text());
  const auto lines = r.lines();
  EXPECT_THAT(lines, Contains("100/100 [5, 9] [kernel]:do_syscall"));
  EXPECT_THAT(lines, Contains("100/100 [10, 35] demo:main repaired=\"closed-by-exec\""));
  EXPECT_THAT(lines, Contains("100/100 [20, 35] [kernel]:do_syscall"));
  EXPECT_THAT(lines, Contains("100/100 [92, 95] [kernel]:do_syscall repaired=\"open-at-end\""));
}

// A thread makes kernel calls after perf has recorded the exit of the thread.
class UftraceKernelAtExit : public UftraceKernel {
 protected:
  UftraceKernelAtExit() {
    r.file("perf-cpu0.dat", PerfBytes().in(5, 100).exit(30, 100).out(45, 100).text());
    r.file("kernel-cpu0.dat", kernel()
                                  .page(20)
                                  .entry(0, 100, kSyscall, 0)
                                  .entry(1, 100, kRead, 1)    // at 21
                                  .entry(12, 100, kFault, 2)  // at 33
                                  .exit(2, 100, kFault, 2)    // at 35
                                  .exit(1, 100, kRead, 1)     // at 36
                                  .entry(2, 100, kRead, 1)    // at 38
                                  .exit(2, 100, kRead, 1)     // at 40
                                  .text());
  }
  const std::vector<std::string> kernel_calls_ = {
      "100/100 [20, 40] [kernel]:do_syscall repaired=\"open-at-end\"", "100/100 [21, 36] [kernel]:vfs_read",
      "100/100 [33, 35] [kernel]:handle_fault", "100/100 [38, 40] [kernel]:vfs_read"};
};

TEST_F(UftraceKernelAtExit, KernelCallsAfterTheExitAreShown) {
  r.entry(10, 0, R::kMain).exit(15, 0, R::kMain);
  const auto lines = r.lines({}, {.no_sched = true});
  EXPECT_THAT(lines, IsSupersetOf(kernel_calls_));
  EXPECT_THAT(lines, Contains("100/100 [10, 15] demo:main"));
}

TEST_F(UftraceKernelAtExit, ProgramCallsEndAfterTheKernelCallsInThem) {
  r.entry(10, 0, R::kMain);
  const auto lines = r.lines({}, {.no_sched = true});
  EXPECT_THAT(lines, IsSupersetOf(kernel_calls_));
  EXPECT_THAT(lines, Contains("100/100 [10, 40] demo:main repaired=\"open-at-end\""));
}

TEST_F(UftraceKernel, WithoutFormatsNothingIsShown) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel_header", layout_text(kLayout));
  r.file("kernel-cpu0.dat", kernel().page(20).entry(0, 100, kSyscall, 0).text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 90] demo:main"));
  EXPECT_THAT(r.notes(), ElementsAre("file-skipped 1",
                                     "DIR/kernel-cpu0.dat: 512 bytes of kernel events are skipped, because "
                                     "kernel_header does not have their formats"));
}

TEST_F(UftraceKernel, WithoutSymbolsCallsHaveAddresses) {
  r.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kallsyms", "0000000000000000 T do_syscall\n");
  r.file("kernel-cpu0.dat", kernel().page(20).entry(0, 100, kSyscall, 0).exit(1, 100, kSyscall, 0).text());
  EXPECT_THAT(r.lines(),
              ElementsAre("100/100 [10, 90] demo:main", "100/100 [20, 21] [kernel]:<ffffffff81000010>"));
  EXPECT_THAT(r.notes(),
              ElementsAre("no-symbol 1", "DIR/kallsyms: no symbol at 0xffffffff81000010 in [kernel]"));
}

TEST_F(UftraceKernel, BlocksOfAnySizeGiveTheSameCalls) {
  for (std::uint64_t i = 0; i < 200; ++i) r.entry(1000 * i + 100, 0, R::kF).exit(1000 * i + 900, 0, R::kF);
  KernelBytes bytes(kLayout);
  for (std::uint64_t i = 0; i < 200; ++i)
    bytes.page(1000 * i + 200).entry(0, 100, kSyscall, 0).exit(i % 7 == 0 ? 750 : 300, 100, kSyscall, 0);
  r.file("kernel-cpu0.dat", bytes.text());
  r.file("perf-cpu0.dat", PerfBytes().out(5'300, 100).in(5'400, 100).text());
  const auto kernel_lines = [&] {
    auto lines = r.lines();
    std::erase_if(lines, [](const std::string& line) { return line.find("[kernel]") == std::string::npos; });
    return lines;
  };
  const auto lines = kernel_lines();
  EXPECT_EQ(lines.size(), 200);
  r.small_blocks();
  EXPECT_EQ(kernel_lines(), lines);
}

}  // namespace
}  // namespace convert::uftrace
