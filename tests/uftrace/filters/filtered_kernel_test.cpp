// Filters also apply to kernel calls, and to the switches and tracepoints inside them.
#include <cstdint>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/uftrace/filters/tree.h"
#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using R = RecordingBuilder;

constexpr std::uint64_t kIrq = 0xffffffff81000210;
class FilteredKernel : public testing::Test {
 protected:
  FilteredKernel() {
    recording_.file("kernel_header",
                    header_text(kLayout) + block("events/demo/tick/format", common_fields(318)));
    recording_.file("kallsyms",
                    "ffffffff81000000 T do_syscall\nffffffff81000100 T vfs_read\nffffffff81000200 T irq\n");
    recording_.entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  }
  void kernel(KernelBytes& bytes) { recording_.file("kernel-cpu0.dat", bytes.text()); }
  // Returns the lines of calls and events, without the process and the thread.
  std::vector<std::string> shown(const std::vector<std::string>& words) {
    RecordingOptions options{.cpu_tracks = true};
    options.filters = filters_of(words);
    std::vector<std::string> found;
    for (std::string line : recording_.lines({}, options)) {
      if (line.find(" cpu ") != std::string::npos) continue;
      line.erase(0, line.find_first_of("[@"));
      found.push_back(line);
    }
    return found;
  }
  static std::string tick() { return KernelBytes(kLayout).common(318, 100).text(); }
  R recording_;
};

// A tracepoint is inside a call of 20 ns. A second tracepoint is inside a call of 5 ns, which is inside a
// call of 6 ns.
class FilteredTracepoints : public FilteredKernel {
 protected:
  FilteredTracepoints() {
    kernel(KernelBytes(kLayout)
               .page(20)
               .entry(0, 100, kSyscall, 0)
               .event(5, tick())
               .exit(15, 100, kSyscall, 0)  // at 40
               .entry(5, 100, kSyscall, 0)
               .entry(0, 100, kRead, 1)
               .event(2, tick())  // at 47
               .exit(3, 100, kRead, 1)
               .exit(1, 100, kSyscall, 0));
  }
};

TEST_F(FilteredTracepoints, TheTimeActionOfAFunctionHidesShortKernelCallsInIt) {
  const auto by_option = shown({"-F", "main", "-t", "7"});
  EXPECT_THAT(by_option, testing::Not(testing::Contains("[45, 51] [kernel]:do_syscall")));
  EXPECT_EQ(shown({"-F", "main@time=7"}), by_option);
  EXPECT_EQ(shown({"-T", "main@time=7"}), by_option);
  EXPECT_EQ(shown({"-T", "main@time=0", "-t", "7"}), shown({}));
}

TEST_F(FilteredTracepoints, DoNotKeepTheCallsAroundThem) {
  EXPECT_THAT(shown({"-t", "7"}), ElementsAre("[10, 90] demo:main", "[20, 40] [kernel]:do_syscall",
                                              "@25 event:demo:tick", "@47 event:demo:tick"));
  EXPECT_THAT(recording_.notes(), ElementsAre("calls-left-out 2", "DIR/100.dat: 2"));
  EXPECT_THAT(shown({"-t", "6"}),
              ElementsAre("[10, 90] demo:main", "[20, 40] [kernel]:do_syscall", "@25 event:demo:tick",
                          "[45, 51] [kernel]:do_syscall", "@47 event:demo:tick"));
  EXPECT_THAT(shown({"-C", "main"}),
              ElementsAre("[10, 90] demo:main", "@25 event:demo:tick", "@47 event:demo:tick"));
}

TEST_F(FilteredTracepoints, ACallerFilterKeepsTheCallsAroundAKernelCall) {
  const auto outer = Contains("[45, 51] [kernel]:do_syscall"), inner = Contains("[45, 50] [kernel]:vfs_read");
  const auto first = Contains("[20, 40] [kernel]:do_syscall");
  EXPECT_THAT(shown({"-C", "vfs_read@kernel"}), testing::AllOf(outer, inner, Not(first)));
  EXPECT_THAT(shown({"-C", "vfs_read@kernel", "-H", "vfs_read@kernel"}),
              testing::AllOf(outer, Not(inner), Not(first)));
  EXPECT_THAT(shown({"-t", "1s", "-T", "vfs_read@kernel,trace"}), testing::AllOf(outer, inner, Not(first)));
  EXPECT_THAT(shown({"-t", "1s", "-T", "vfs_read@kernel,time=5"}), testing::AllOf(outer, inner, Not(first)));
  EXPECT_THAT(shown({"-t", "1s", "-T", "vfs_read@kernel,time=6"}), Not(Contains(HasSubstr("kernel"))));
  EXPECT_THAT(shown({"-C", "vfs_read@kernel", "-T", "vfs_read@kernel,size=4096"}),
              Not(Contains(HasSubstr("kernel"))));
}

class FilteredSwitches : public FilteredKernel {
 protected:
  FilteredSwitches() {
    kernel(KernelBytes(kLayout)
               .page(20)
               .entry(0, 100, kSyscall, 0)
               .entry(5, 100, kRead, 1)  // at 25
               .exit(20, 100, kRead, 1)
               .exit(5, 100, kSyscall, 0));  // at 50
    recording_.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(40, 100).out(60, 100).in(70, 100).text());
  }
};

TEST_F(FilteredSwitches, AreShownWithTheKernelsCalls) {
  const std::string inside = "[30, 40] sched:linux:schedule cpu=0 state='blocked' next_cpu=0",
                    outside = "[60, 70] sched:linux:schedule cpu=0 state='blocked' next_cpu=0";
  EXPECT_THAT(shown({"-N", "vfs_read@kernel"}), testing::AllOf(Not(Contains(inside)), Contains(outside)));
  EXPECT_THAT(shown({"-F", "vfs_read@kernel"}), ElementsAre("[25, 45] [kernel]:vfs_read", inside));
  EXPECT_THAT(shown({"-D", "3"}), testing::AllOf(Not(Contains(inside)), Contains(outside)));
  EXPECT_THAT(shown({"-D", "4"}), Contains(inside));
  // -t also hides short times off the CPU.
  EXPECT_THAT(shown({"-t", "10"}), Contains(inside));
  EXPECT_THAT(shown({"-t", "11"}), Not(Contains(HasSubstr("schedule"))));
}

// The call ends while the thread is off the CPU, so it is cut at the switch. Filters still apply to the call.
TEST_F(FilteredKernel, FiltersHideKernelCallsThatAreCutAtASwitch) {
  kernel(KernelBytes(kLayout).page(20).entry(0, 100, kSyscall, 0).exit(15, 100, kSyscall, 0));
  recording_.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(50, 100).text());
  EXPECT_THAT(shown({"-N", "irq@kernel"}), Contains(HasSubstr("kernel-clipped")));
  EXPECT_THAT(shown({"-t", "15"}), Contains(HasSubstr("kernel-clipped")));
  EXPECT_THAT(
      shown({"-t", "16"}),
      ElementsAre("[10, 90] demo:main", "[30, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
  EXPECT_THAT(shown({"-C", "main"}), ElementsAre("[10, 90] demo:main"));
}

TEST_F(FilteredKernel, FiltersHideNestedKernelCallsThatAreCutAtASwitch) {
  kernel(KernelBytes(kLayout)
             .page(20)
             .entry(0, 100, kSyscall, 0)
             .entry(5, 100, kRead, 1)
             .exit(10, 100, kRead, 1)      // at 35
             .exit(5, 100, kSyscall, 0));  // at 40
  recording_.file("perf-cpu0.dat", PerfBytes().out(30, 100).in(50, 100).text());
  EXPECT_THAT(shown({"-t", "15"}),
              ElementsAre("[10, 90] demo:main", "[20, 30] [kernel]:do_syscall repaired=\"kernel-clipped\"",
                          "[30, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
  EXPECT_THAT(shown({"-C", "main"}), ElementsAre("[10, 90] demo:main"));
  EXPECT_THAT(
      shown({"-t", "20", "-T", "do_syscall@kernel,time=1s"}),
      ElementsAre("[10, 90] demo:main", "[30, 50] sched:linux:schedule cpu=0 state='blocked' next_cpu=0"));
}

TEST_F(FilteredKernel, FiltersHideKernelCallsThatAreCutByAProgramCall) {
  kernel(KernelBytes(kLayout).page(80).entry(0, 100, kSyscall, 0).exit(15, 100, kSyscall, 0));
  EXPECT_THAT(shown({"-t", "20"}), Contains(HasSubstr("kernel-clipped")));  // the length is unknown
  EXPECT_THAT(shown({"-C", "main"}), ElementsAre("[10, 90] demo:main"));
}

TEST_F(FilteredKernel, HiddenProgramCallsDoNotCutKernelCalls) {
  recording_.entry(100, 0, R::kMain).entry(110, 1, R::kF).exit(130, 1, R::kF).exit(150, 0, R::kMain);
  kernel(KernelBytes(kLayout)
             .page(105)
             .entry(0, 100, kSyscall, 0)
             .entry(10, 100, kRead, 1)  // at 115
             .exit(10, 100, kRead, 1)
             .exit(10, 100, kSyscall, 0)  // at 135
             .entry(5, 100, kIrq, 0)
             .exit(20, 100, kIrq, 0));  // at 160
  EXPECT_THAT(shown({"-N", "f"}),
              ElementsAre("[10, 90] demo:main", "[100, 150] demo:main", "[105, 135] [kernel]:do_syscall",
                          "[140, 150] [kernel]:irq repaired=\"kernel-clipped\""));
  EXPECT_THAT(shown({"-F", "f"}), ElementsAre("[110, 130] demo:f", "[115, 125] [kernel]:vfs_read"));
  EXPECT_THAT(shown({"-t", "1s"}), testing::IsEmpty());
}

// The exit of `g` is not recorded. The entry of `f` ends `g`, and cuts the kernel call inside `g`.
TEST_F(FilteredKernel, AnEntryThatEndsCallsCutsThem) {
  recording_.entry(100, 0, R::kMain)
      .entry(105, 1, R::kG)
      .entry(120, 1, R::kF)
      .exit(130, 1, R::kF)
      .exit(150, 0, R::kMain);
  kernel(KernelBytes(kLayout).page(110).entry(0, 100, kSyscall, 0).exit(30, 100, kSyscall, 0));
  EXPECT_THAT(shown({"-N", "f"}), Contains("[110, 120] [kernel]:do_syscall repaired=\"kernel-clipped\""));
}

TEST_F(FilteredKernel, ACallWithoutAnExitEndsEvenIfACallInsideItIsHidden) {
  kernel(KernelBytes(kLayout)
             .page(20)
             .entry(0, 100, kIrq, 0)
             .entry(1, 100, kSyscall, 1)  // no exit is recorded
             .entry(1, 100, kRead, 2)
             .entry(5, 100, kIrq, 1)  // at 27
             .exit(9, 100, kIrq, 1)
             .exit(4, 100, kIrq, 0));
  EXPECT_THAT(shown({"-H", "vfs_read@kernel"}),
              ElementsAre("[10, 90] demo:main", "[20, 40] [kernel]:irq",
                          "[21, 27] [kernel]:do_syscall repaired=\"exit-missing\"", "[27, 36] [kernel]:irq"));
}

TEST_F(FilteredKernel, KernelCallsWithoutAnExitAreNotTooShort) {
  kernel(KernelBytes(kLayout).page(20).entry(0, 100, kIrq, 0).entry(1, 100, kRead, 1).exit(9, 100, kIrq, 0));
  EXPECT_THAT(shown({"-t", "1s"}),
              testing::AllOf(Contains(HasSubstr("irq")), Contains(HasSubstr("vfs_read"))));
}

}  // namespace
}  // namespace convert::uftrace
