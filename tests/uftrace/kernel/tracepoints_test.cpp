// Tests decoding the kernel's tracepoints with the formats in the recording.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "converters/uftrace/kernel/tracepoint.h"
#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using R = RecordingBuilder;

std::string event_block(std::string_view path, int id, std::string_view fields, std::string_view print) {
  return block(fmt::format("events/{}/format", path),
               fmt::format("name: {}\n{}{}\nprint fmt: {}\n", path.substr(path.find('/') + 1),
                           common_fields(id), fields, print));
}

const std::string kSwitch = event_block(
    "sched/sched_switch", 319,
    field("char prev_comm[16]", 8, 16, true) + field("pid_t prev_pid", 24, 4, true) +
        field("long prev_state", 32, 8, true) + field("pid_t next_pid", 40, 4, true),
    R"("prev_comm=%s prev_pid=%d prev_state=%s%s ==> next_pid=%d", REC->prev_comm, REC->prev_pid, )"
    R"((REC->prev_state & ((0x80 << 1) - 1)) ? __print_flags(REC->prev_state & ((0x80 << 1) - 1), "|", )"
    R"({ 0x00000001, "S" }, { 0x00000002, "D" }) : "R", REC->prev_state & 0x100 ? "+" : "", REC->next_pid)");

class UftraceTracepoints : public testing::Test {
 protected:
  UftraceTracepoints() { r.entry(10, 0, R::kMain).exit(90, 0, R::kMain); }
  // Converts events of thread 100, which are at 20 ns, 21 ns, and so on.
  std::vector<std::string> lines_of(std::string_view formats, const std::vector<std::string>& payloads) {
    r.file("kernel_header", header_text(kLayout) + std::string(formats));
    KernelBytes bytes(kLayout);
    bytes.page(19);
    for (const std::string& payload : payloads) bytes.event(1, payload);
    r.file("kernel-cpu2.dat", bytes.text());
    auto lines = r.lines();
    std::erase(lines, "100/100 [10, 90] demo:main");
    return lines;
  }
  static Numbers common(std::uint16_t id, std::int32_t tid = 100) {
    return KernelBytes(kLayout).common(id, tid);
  }
  static std::string switched(std::int32_t tid, std::int32_t previous, std::int64_t state,
                              std::int32_t next) {
    std::string name("demo");
    name.resize(16, '\0');
    return common(319, tid)
        .bytes(name)
        .put(previous)
        .put(std::int32_t{0})
        .put(state)
        .put(next)
        .put(std::int32_t{0})
        .text();
  }
  R r;
};

TEST_F(UftraceTracepoints, FieldsAreTypedArguments) {
  EXPECT_THAT(
      lines_of(event_block("app/numbers", 50,
                           field("u8 small", 8, 1) + field("short two", 10, 2, true) +
                               field("u32 four", 12, 4) + field("long eight", 16, 8, true) +
                               field("void * where", 24, 8) + field("u16 list[2]", 32, 4),
                           R"("small=%u", REC->small)"),
               {common(50)
                    .put(std::uint8_t{200})
                    .put(std::uint8_t{0})
                    .put(std::int16_t{-3})
                    .put(std::uint32_t{0xffff'ffff})
                    .put(std::int64_t{-5})
                    .put(std::uint64_t{0x1000})
                    .put(std::uint16_t{7})
                    .put(std::uint16_t{8})
                    .text()}),
      ElementsAre("100/100 @20 event:app:numbers small=200 two=-3 four=4294967295 eight=-5 where=0x1000 "
                  "list=\"7,8\""));
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UftraceTracepoints, OtherFieldsAreShownAsBytes) {
  EXPECT_THAT(lines_of(event_block("app/keys", 54, field("struct key key", 8, 3) + field("u8 more", 11, 1),
                                   R"("more=%u", REC->more)"),
                       {common(54).bytes(std::string_view("\1\xab\0\7", 4)).text()}),
              ElementsAre("100/100 @20 event:app:keys key=\"01ab00\" more=7"));
}

TEST_F(UftraceTracepoints, StringsMayFollowTheFields) {
  const std::string_view text("a file\0\0", 8);
  EXPECT_THAT(
      lines_of(event_block("app/names", 51,
                           field("__data_loc char[] name", 8, 4) + field("__rel_loc u8[] raw", 12, 4),
                           R"("name=%s", __get_str(name))"),
               {common(51).put(std::uint32_t{7 << 16 | 16}).put(std::uint32_t{2 << 16}).bytes(text).text(),
                common(51).put(std::uint32_t{700 << 16 | 16}).put(std::uint32_t{9999}).text()}),
      ElementsAre("100/100 @20 event:app:names name=\"a file\" raw=\"97,32\"", "100/100 @21 event:app:names"))
      << "values outside the event are not shown";
}

TEST_F(UftraceTracepoints, FlagsAndSymbolsAreShownByName) {
  const std::string formats = event_block(
      "app/words", 52, field("int flags", 8, 4) + field("int kind", 12, 4),
      R"q("flags=%s kind=%s", __print_flags(REC->flags, "|", { 1UL, "READ" }, { 2u, "WRITE" }), )q"
      R"q(__print_symbolic(REC->kind, { 0, "none" }, { 7l, "some" }))q");
  const auto event = [](std::uint32_t flags, std::uint32_t kind) {
    return common(52).put(flags).put(kind).text();
  };
  EXPECT_THAT(lines_of(formats, {event(3, 7), event(0x12, 0), event(0, 9)}),
              ElementsAre("100/100 @20 event:app:words flags=\"READ|WRITE\" kind=\"some\"",
                          "100/100 @21 event:app:words flags=\"WRITE|0x10\" kind=\"none\"",
                          "100/100 @22 event:app:words flags=0 kind=\"0x9\""));
}

// In a print format, the label of a value may differ from the name of the field.
TEST_F(UftraceTracepoints, ATextBelongsToTheFieldInItsExpression) {
  const std::string formats =
      event_block("app/words", 52, field("int flags", 8, 4) + field("int kind", 12, 4),
                  R"q("mode=%s sum=%s", __print_flags(REC->flags, "|", { 1, "READ" }), )q"
                  R"q(__print_symbolic(REC->flags + REC->kind, { 8, "eight" }))q");
  EXPECT_THAT(lines_of(formats, {common(52).put(1).put(7).text()}),
              ElementsAre("100/100 @20 event:app:words flags=\"READ\" kind=7"));
}

TEST_F(UftraceTracepoints, AddressesOfFunctionsHaveASecondArgumentWithTheName) {
  r.file("kallsyms", "ffffffff81000000 T do_it\nffffffff81000100 T the_end\n");
  EXPECT_THAT(lines_of(event_block("app/calls", 53, field("unsigned long site", 8, 8),
                                   R"("site=%pS", (void *)REC->site)"),
                       {common(53).put(std::uint64_t{0xffffffff81000004}).text()}),
              ElementsAre("100/100 @20 event:app:calls site=0xffffffff81000004 site symbol=\"do_it\""));
}

TEST_F(UftraceTracepoints, WithoutAUsableFormatFieldsAreNumbers) {
  EXPECT_THAT(lines_of(event_block("app/odd", 54, field("int a", 8, 4, true),
                                   R"("a=%s", __print_flags(REC->b, nonsense((({ } "%s" ? REC->a)"),
                       {common(54).put(std::int32_t{-1}).text()}),
              ElementsAre("100/100 @20 event:app:odd a=-1"));
  EXPECT_THAT(lines_of("", {common(55).put(std::int32_t{-1}).text()}), IsEmpty());
  EXPECT_THAT(r.notes(),
              ElementsAre("event-skipped 1",
                          "CPU 2: a kernel event of type 55 with 12 bytes is unknown or too short"));
}

// With --no-event, no note reports unknown events.
TEST_F(UftraceTracepoints, UnknownEventsOfThreadsThatAreNotShownAreNotNoted) {
  lines_of("", {common(55, 7)});
  EXPECT_THAT(r.notes(), IsEmpty());
  lines_of("", {common(55)});
  EXPECT_THAT(r.notes(), Contains("event-skipped 1"));
  r.lines({}, {.no_event = true});
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UftraceTracepoints, EventsWithoutThreadOrDepthAreSkipped) {
  const std::string without_thread = Numbers().put(std::uint32_t{11}), without_depth = common(11).put(kRead);
  EXPECT_THAT(lines_of("", {without_thread, without_depth}), IsEmpty());
  EXPECT_THAT(r.notes(),
              ElementsAre("event-skipped 2", "CPU 2: a kernel event of 4 bytes is too short",
                          "CPU 2: a kernel event of type 11 with 16 bytes is unknown or too short"));
}

TEST_F(UftraceTracepoints, ADamagedFormatAffectsOnlyItsOwnNames) {
  const auto state_format = [](int id, std::string_view print) {
    return event_block("app/state", id, field("int a", 8, 4), print);
  };
  const std::string_view damaged = R"("a=%s", __print_flags(REC->b, nonsense((({ } "%s" ? REC->a)";
  const std::string_view good = R"("a=%s", __print_symbolic(REC->a, { 0, "off" }, { 1, "on" }))";
  const auto one = [](std::uint16_t id) { return common(id).put(std::uint32_t{1}).text(); };
  EXPECT_THAT(lines_of(state_format(60, damaged) + state_format(61, good) + state_format(62, damaged) +
                           state_format(63, good),
                       {one(60), one(61), one(62), one(63)}),
              ElementsAre("100/100 @20 event:app:state a=1", "100/100 @21 event:app:state a=\"on\"",
                          "100/100 @22 event:app:state a=1", "100/100 @23 event:app:state a=\"on\""));
}

// If several arguments have the same name, viewers show only one of them.
TEST_F(UftraceTracepoints, OnlyTheFirstFieldWithANameIsShown) {
  EXPECT_THAT(lines_of(event_block("app/damaged", 50, field("u32 a", 8, 4) + field("u32 a", 12, 4), R"("")"),
                       {common(50).put(std::uint32_t{1}).put(std::uint32_t{2}).text()}),
              ElementsAre("100/100 @20 event:app:damaged a=1"));
}

TEST_F(UftraceTracepoints, EventsOfOtherThreadsAreShownIfTheyAreAboutARecordedThread) {
  const std::string wakeup =
      event_block("sched/sched_wakeup", 321, field("pid_t pid", 8, 4, true), R"("pid=%d", REC->pid)");
  EXPECT_THAT(lines_of(wakeup, {common(321, 7).put(std::int32_t{100}).text(),
                                common(321, 7).put(std::int32_t{8}).text(),
                                common(321, 100).put(std::int32_t{8}).text()}),
              ElementsAre("100/100 @20 event:sched:sched_wakeup pid=100",
                          "100/100 @22 event:sched:sched_wakeup pid=8"));
  EXPECT_THAT(r.notes(), IsEmpty());
}

// Together, the traces of single threads have the same events as one trace of all threads.
TEST_F(UftraceTracepoints, EventsAboutOtherThreadsBelongToTheirOwnThread) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  const std::string wakeup =
      event_block("sched/sched_wakeup", 321, field("pid_t pid", 8, 4, true), R"("pid=%d", REC->pid)");
  const std::string by_101 = "100/101 @20 event:sched:sched_wakeup pid=100";
  const std::string by_stranger = "100/100 @21 event:sched:sched_wakeup pid=100";
  EXPECT_THAT(lines_of(wakeup, {common(321, 101).put(std::int32_t{100}).text(),
                                common(321, 7).put(std::int32_t{100}).text()}),
              ElementsAre(by_101, by_stranger));
  EXPECT_THAT(r.lines({.tids = {101}}), ElementsAre(by_101));
  EXPECT_THAT(r.lines({.tids = {100}}), ElementsAre("100/100 [10, 90] demo:main", by_stranger));
}

TEST_F(UftraceTracepoints, EventsOfDeselectedThreadsDoNotSetTheTimeOfTheDescription) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.file("kernel_header",
         header_text(kLayout) +
             event_block("sched/sched_wakeup", 321, field("pid_t pid", 8, 4, true), R"("pid=%d", REC->pid)"));
  const auto begin_with = [&](std::int32_t teller) {
    KernelBytes bytes(kLayout);
    bytes.page(4).event(1, common(321, teller).put(std::int32_t{100}).text());
    r.file("kernel-cpu2.dat", bytes.text()).lines({.tids = {100}});
    return r.description();
  };
  EXPECT_THAT(begin_with(7), Contains(testing::HasSubstr("@5 event:uftrace info")));
  EXPECT_THAT(begin_with(101), Contains(testing::HasSubstr("@10 event:uftrace info")));
}

TEST_F(UftraceTracepoints, SwitchesShowWhichThreadIsOnACpu) {
  EXPECT_THAT(
      lines_of(kSwitch, {switched(100, 100, 1, 0), switched(0, 0, 0, 100), switched(100, 100, 0x100, 7)}),
      ElementsAre("100/100 @20 event:sched:sched_switch prev_comm=\"demo\" prev_pid=100 prev_state=\"S\" "
                  "next_pid=0 cpu=2",
                  "100/100 @20 cpu 2: 100 (blocked) -> 0",
                  "100/100 @21 event:sched:sched_switch prev_comm=\"demo\" prev_pid=0 prev_state=\"R\" "
                  "next_pid=100 cpu=2",
                  "100/100 @21 cpu 2: 0 (new) -> 100",
                  "100/100 @22 event:sched:sched_switch prev_comm=\"demo\" prev_pid=100 prev_state=\"R+\" "
                  "next_pid=7 cpu=2",
                  "100/100 @22 cpu 2: 100 (running) -> 0"));
}

TEST_F(UftraceTracepoints, WithoutTracksSwitchesAreInstantsWithTheirCpu) {
  lines_of(kSwitch, {switched(100, 100, 1, 0), switched(0, 0, 0, 100)});
  EXPECT_THAT(r.lines({}, {}),
              ElementsAre("100/100 [10, 90] demo:main",
                          "100/100 @20 event:sched:sched_switch prev_comm=\"demo\" prev_pid=100 "
                          "prev_state=\"S\" next_pid=0 cpu=2",
                          "100/100 @21 event:sched:sched_switch prev_comm=\"demo\" prev_pid=0 "
                          "prev_state=\"R\" next_pid=100 cpu=2"));
  EXPECT_THAT(r.notes(),
              ElementsAre("cpu-tracks-left-out 2",
                          "DIR: 2 context switches; use --cpu-tracks to show which thread ran on which CPU"));
}

TEST_F(UftraceTracepoints, ACpuFieldOfTheKernelIsKept) {
  const std::string format =
      event_block("sched/sched_wakeup", 321, field("pid_t pid", 8, 4, true) + field("int cpu", 12, 4, true),
                  R"("pid=%d", REC->pid)");
  EXPECT_THAT(
      lines_of(kSwitch + format, {common(321, 100).put(std::int32_t{100}).put(std::int32_t{5}).text()}),
      Contains("100/100 @20 event:sched:sched_wakeup pid=100 cpu=5"));
}

TEST_F(UftraceTracepoints, WakeupsOfWaitingThreadsHaveTheirWakers) {
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  const auto format = [](std::string_view name, int id) {
    return event_block(name, id, field("pid_t pid", 8, 4, true), R"("pid=%d", REC->pid)");
  };
  const std::string formats = format("sched/sched_wakeup", 321) + format("sched/sched_waking", 322) +
                              format("sched/sched_wakeup_new", 323);
  const auto woken = [](std::uint16_t id, std::int32_t by, std::int32_t pid, std::uint16_t flags = 0) {
    return Numbers().put(id).put(flags).put(by).put(pid).text();
  };
  const std::vector<std::string> events{
      woken(323, 100, 101, 0x27),  // at 20, by the thread that created 101
      switched(0, 0, 0, 101),      // at 21
      woken(321, 100, 101),        // at 22, while it runs
      switched(101, 101, 1, 0),    // at 23
      woken(322, 7, 101),          // at 24, by a thread of another program
      woken(321, 100, 101),        // at 25, the same wakeup again
      switched(0, 0, 0, 101),      // at 26
      switched(101, 101, 0, 100),  // at 27, preempted
      woken(321, 100, 101),        // at 28
      switched(100, 100, 1, 101),  // at 29
      woken(322, 101, 100, 0x08),  // at 30, by an interrupt
  };
  const auto wakeups = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> found;
    for (const std::string& line : lines)
      if (line.find(" wakes ") != std::string::npos) found.push_back(line);
    return found;
  };
  EXPECT_THAT(wakeups(lines_of(kSwitch + formats, events)),
              ElementsAre("100/101 @20 cpu 2: 100 wakes 101", "100/101 @24 cpu 2: 0 wakes 101",
                          "100/100 @30 cpu 2: 0 wakes 100"));
  EXPECT_THAT(wakeups(r.lines({}, {})), IsEmpty()) << "they have no record without tracks";
  EXPECT_THAT(wakeups(r.lines({}, {.no_sched = true, .cpu_tracks = true})), IsEmpty());
  EXPECT_THAT(wakeups(r.lines({}, {.no_event = true, .cpu_tracks = true})), IsEmpty());
  EXPECT_THAT(wakeups(lines_of(formats, events)),
              IsEmpty());  // only switches show which threads wait
}

TEST_F(UftraceTracepoints, SwitchesHaveTheirPrioritiesAndStates) {
  const std::string format =
      event_block("sched/sched_switch", 320,
                  field("pid_t prev_pid", 8, 4, true) + field("int prev_prio", 12, 4, true) +
                      field("long prev_state", 16, 8, true) + field("pid_t next_pid", 24, 4, true) +
                      field("int next_prio", 28, 4, true),
                  R"("")");
  const auto change = [](int from, int from_priority, int state, int to, int to_priority) {
    return common(320, from)
        .put(from)
        .put(from_priority)
        .put(std::int64_t{state})
        .put(to)
        .put(to_priority)
        .text();
  };
  const auto lines = lines_of(format, {change(7, 120, 1, 100, 98), change(100, 98, 0x20, 7, 120)});
  EXPECT_THAT(lines, Contains("100/100 @20 cpu 2: 0 (new) -> 100 of priority 98"));
  EXPECT_THAT(lines, Contains("100/100 @21 cpu 2: 100 (dead) -> 0 of priority 98"));
}

// If a field were read after the end of the short event, its value would be 100, from the header of the next
// event.
TEST_F(UftraceTracepoints, NothingIsReadAfterAShortEvent) {
  const std::string wakeup =
      event_block("sched/sched_wakeup", 321, field("pid_t pid", 8, 4, true), R"("pid=%d", REC->pid)");
  r.file("kernel_header", header_text(kLayout) + kSwitch + wakeup);
  const std::string next = common(400, 7).put(std::uint64_t{0}).text();
  r.file("kernel-cpu2.dat", KernelBytes(kLayout)
                                .page(20)
                                .event(0, switched(7, 7, 1, 8).substr(0, 40))
                                .event(3, next)
                                .event(0, common(321, 7).text())
                                .event(3, next)
                                .text());
  EXPECT_THAT(r.lines(), ElementsAre("100/100 [10, 90] demo:main"));
}

TEST_F(UftraceTracepoints, SwitchesOfPerfReplaceTheKernelsSwitches) {
  r.file("perf-cpu0.dat", PerfBytes().out(50, 100).in(60, 100).text());
  EXPECT_THAT(lines_of(kSwitch, {switched(100, 100, 1, 0)}),
              Not(Contains("100/100 @20 cpu 2: 100 (blocked) -> 0")));
}

TEST_F(UftraceTracepoints, CanBeLeftOut) {
  lines_of(kSwitch, {switched(100, 100, 1, 0)});
  const std::vector<std::string> main{"100/100 [10, 90] demo:main"};
  EXPECT_EQ(r.lines({}, {.no_event = true}), main);
  EXPECT_EQ(r.lines({}, {.no_kernel = true}), main);
  EXPECT_THAT(r.notes(), IsEmpty());
}

TEST_F(UftraceTracepoints, KernelCallsOutsideOfProgramCallsCanBeLeftOut) {
  r.thread(100).entry(120, 0, R::kF).exit(140, 0, R::kF);
  r.file("kernel_header", header_text(kLayout));
  r.file("kernel-cpu0.dat", KernelBytes(kLayout)
                                .page(100)
                                .entry(0, 100, 0x1000, 0)
                                .exit(5, 100, 0x1000, 0)
                                .entry(25, 100, 0x1000, 0)
                                .exit(2, 100, 0x1000, 0)
                                .text());
  EXPECT_THAT(r.lines({}, {.cpu_tracks = true, .kernel_skip_out = true}),
              ElementsAre("100/100 [10, 90] demo:main", "100/100 [120, 140] demo:f",
                          "100/100 [130, 132] [kernel]:<1000>"));
}

// The thread's end must be known before the piece that contains this end is written.
TEST_F(UftraceTracepoints, AThreadThatHasEndedLeavesItsCpuBeforeLaterEvents) {
  r.small_blocks();
  r.split();
  r.task_line("TASK timestamp=0.000000003 tid=101 pid=100");
  r.thread(101).entry(10, 0, R::kMain).exit(90, 0, R::kMain);
  r.file("kernel_header", header_text(kLayout) + kSwitch);
  KernelBytes bytes(kLayout);
  bytes.page(2).event(0, switched(0, 0, 0, 101));
  for (std::uint64_t time = 100; time < 20000; time += 50)
    bytes.page(time).entry(0, 100, 0x1000, 0).exit(10, 100, 0x1000, 0);
  r.file("kernel-cpu2.dat", bytes.text());
  const std::vector<std::string> lines = r.lines();
  const auto line = [&](std::string_view text) { return std::ranges::find(lines, text) - lines.begin(); };
  EXPECT_LT(line("100/101 @90 cpu 2: 101 (dead) -> 0"), line("100/100 [10000, 10010] [kernel]:<1000>"));
  EXPECT_THAT(lines, Contains("100/100 [19950, 19960] [kernel]:<1000>"));
}

// Outside of program calls, --event-skip-out hides events, but not kernel calls. Events inside these kernel
// calls are also hidden.
TEST_F(UftraceTracepoints, EventsOutsideOfProgramCallsCanBeLeftOutWithoutKernelCalls) {
  r.file("kernel_header", header_text(kLayout) + kSwitch);
  r.file("kernel-cpu2.dat", KernelBytes(kLayout)
                                .page(2)
                                .entry(0, 100, 0x1000, 0)
                                .event(1, switched(100, 0, 0, 100))
                                .exit(1, 100, 0x1000, 0)
                                .event(16, switched(100, 100, 1, 0))
                                .event(5, switched(0, 0, 0, 100))
                                .event(70, switched(100, 100, 1, 0))
                                .text());
  EXPECT_THAT(r.lines({}, {.cpu_tracks = true, .event_skip_out = true}),
              ElementsAre("100/100 [2, 4] [kernel]:<1000>", "100/100 @10 cpu 2: 0 (new) -> 100",
                          "100/100 [10, 90] demo:main",
                          "100/100 @20 event:sched:sched_switch prev_comm=\"demo\" prev_pid=100 "
                          "prev_state=\"S\" next_pid=0 cpu=2",
                          "100/100 @20 cpu 2: 100 (blocked) -> 0",
                          "100/100 @25 event:sched:sched_switch prev_comm=\"demo\" prev_pid=0 "
                          "prev_state=\"R\" next_pid=100 cpu=2",
                          "100/100 @25 cpu 2: 0 (new) -> 100", "100/100 @90 cpu 2: 100 (dead) -> 0"));
}

}  // namespace
}  // namespace convert::uftrace
