#!/usr/bin/env python3
"""Checks that FXT files show the scheduling that uftrace recorded.

Each RECORDING is a directory of uftrace. The script converts the recording with --converter, reads the FXT file with
fxt_reader.py in this folder, and rebuilds the calls as in Perfetto. Then it compares
  - each context switch with the perf events of `uftrace dump`, or without perf events, with the kernel's switches: time,
    CPU, thread, direction, and the state of the thread that leaves;
  - each schedule call and its arguments with a pair of switches. No schedule call may cross another call;
  - number and total time of schedule calls inside other calls, and the self time of all functions, with
    `uftrace report`;
  - the end of calls that never returned, with the last recorded event of their thread.
Without --option=--cpu-tracks, the FXT file has no switches, so a call or an instant must show each switch. If texts of
uftrace are next to the recording (RECORDING.dump.txt, .report.txt), they are used. Otherwise, uftrace runs. The exit code
is 1 if anything differs.
"""

import re
import sys
from collections import Counter, defaultdict

import fxt_reader as fxt
import judging
import uftrace_reference as uftrace
import viewers

RUNNING, BLOCKED, DEAD = 1, 3, 5  # FXT's thread states
STATES = {"blocked": "out", "runnable": "preempted"}  # the argument `state`
NAMES = {False: "linux:schedule", True: "linux:schedule (pre-empted)"}
_FILE = re.compile(rb"reading (?:perf-cpu(\d+)|.*)\.dat$")
_KERNEL_FILE = re.compile(rb"reading kernel-cpu(\d+)\.dat$")
_SWITCH = re.compile(rb"(\d+)\.(\d{9}) +\d+: \[event\] sched:sched_switch\(.* prev_pid=(\d+) .*prev_state=(\S+) .*"
                     rb"next_pid=(\d+) ")
_EVENT = re.compile(rb"(\d+)\.(\d{9}) +(\d+): \[\w+ *\] (?:linux:(sched-out|sched-in|task-exit)( \(pre-empted\))?)?")


class SchedComparison(judging.Comparison):
    hidden = False  # true if calls are too deep to be shown
    away = Counter()  # for each name, the number of schedule calls that do not end

    def take_notes(self, notes):
        self.hidden = any(note["kind"] == "too-deep" for note in notes)
        super().take_notes(note for note in notes if "perf-cpu" in note["first"]
                           or note["kind"] in ("schedule-cut", "switches-lost"))

    def run(self, trace):
        dump = self.reference("dump", ["dump"])
        if dump is None or not (self.recording / "info").exists():
            return  # uftrace reads no perf data of such recordings
        switches, last, exits = parse_perf(dump)
        # uftrace omits threads without records.
        threads = {int(path.stem) for path in self.recording.glob("[0-9]*.dat")}
        trace.switches = [switch for switch in trace.switches if {switch[2][1], switch[3][1]} & threads]
        of_kernel = [] if switches else [switch for switch in parse_kernel(dump) if switch[2] in threads]
        trace.events = [event for event in trace.events if event.thread[1] in threads]
        if "--cpu-tracks" in self.options:
            self.check_switches(switches or of_kernel, trace)
        view = viewers.PerfettoView([event for event in trace.events
                                     if event.type in (fxt.BEGIN, fxt.END, fxt.COMPLETE)])
        for complaint in view.complaints:
            self.problem(f"Perfetto: {complaint}")
        if "--cpu-tracks" not in self.options:
            self.check_marks(switches, exits, trace, view)
        self.check_calls(switches, view)
        self.check_ends(last, exits, view)
        report = self.reference("report", ["report", "-f", "total,self,call"])
        # If another thread gets the id of an ended thread, uftrace continues the calls of the ended thread.
        # Such reports are not compared.
        comes_again = any(time < last[thread] for thread, time in exits)
        if report is not None and not comes_again and not self.features() & uftrace.KERNEL:
            # If a thread never comes back to a CPU, uftrace also reports a schedule call until the end of the
            # recording.
            last_switches = {thread: kind for _, _, thread, kind in switches}
            over = {thread for thread, _ in exits}
            self.away = Counter(NAMES[kind == "preempted"] for thread, kind in last_switches.items()
                                if kind != "in" and thread not in over)
            self.check_report(parse_report(report), view)

    def check_switches(self, switches, trace):
        expected = Counter((time, cpu, thread, kind) for time, cpu, thread, kind in switches)
        drawn, on_cpu = Counter(), {}
        for time, cpu, outgoing, incoming, state in trace.switches:
            if (outgoing[1] == 0) == (incoming[1] == 0):
                self.problem(f"a switch at {time} with two threads, or none")
            elif outgoing[1] == 0:
                drawn[time, cpu, incoming[1], "in"] += 1
                if incoming[1] in on_cpu:
                    self.problem(f"{incoming[1]} comes to a cpu at {time}, but is on one")
                on_cpu[incoming[1]] = cpu
            else:
                kind = {RUNNING: "preempted", BLOCKED: "out", DEAD: "dead"}.get(state, f"out with state {state}")
                drawn[time, cpu, outgoing[1], kind] += 1
                on_cpu.pop(outgoing[1], None)
        for thread in on_cpu:
            self.problem(f"{thread} never leaves its cpu")
        self.compared["switches"] += len(switches)
        # The converter infers three kinds of switches that are not recorded. The first is the exit of a
        # thread. The second is the start of a thread whose first switch leaves the CPU. The third is the end
        # of a run when another thread comes to the CPU.
        first, comes = {}, {(time, cpu) for time, cpu, _, kind in switches if kind == "in"}
        for time, cpu, thread, kind in switches:
            first.setdefault(thread, (time, kind))
        for time, cpu, thread, kind in list(drawn):
            inferred = kind == "dead" or (kind == "out" and (time, cpu) in comes) or (
                kind == "in" and first.get(thread, (0, "in"))[1] != "in" and time < first[thread][0])
            if inferred and not expected[time, cpu, thread, kind]:
                self.compared["inferred switches"] += 1
                del drawn[time, cpu, thread, kind]
        for switch in sorted(expected - drawn):
            self.problem(f"not drawn: {switch}")
        for switch in sorted(drawn - expected):
            self.problem(f"drawn, but not recorded: {switch}")

    def check_marks(self, switches, exits, trace, view):
        if trace.switches:
            self.problem("there are tracks of cpus")
        shown, shown_exits = Counter(), set()
        for slices in viewers.by_thread(view.slices).values():
            for call in filter(is_schedule, slices):
                shown[call.begin, call.args["cpu"], call.thread[1], STATES[call.args["state"]]] += 1
                if "next_cpu" in call.args:
                    shown[call.end, call.args["next_cpu"], call.thread[1], "in"] += 1
        for event in trace.events:
            if event.type != fxt.INSTANT or event.category != "sched":
                continue
            if event.name == "linux:task-exit":
                self.compared["exits"] += 1
                shown_exits.add((event.thread[1], event.time))
                if (event.thread[1], event.time) not in exits:
                    self.problem(f"{event} was not recorded")
                continue
            kind = "in" if event.name == "linux:sched-in" else STATES[event.args["state"]]
            shown[event.time, event.args["cpu"], event.thread[1], kind] += 1
        expected, over = Counter(), set()
        events = sorted([*switches, *((time, -1, thread, "exit") for thread, time in shown_exits)], key=lambda event: event[0])
        for time, cpu, thread, kind in events:
            if kind == "exit":
                over.add(thread)
            elif kind == "in":
                over.discard(thread)
            if kind != "exit" and thread not in over:  # a switch out after the exit of a thread is not shown
                expected[time, cpu, thread, kind] += 1
        self.compared["switches"] += expected.total()
        for switch in sorted(expected - shown):
            self.problem(f"not shown: {switch}")
        for switch in sorted(shown - expected):
            self.problem(f"shown, but not recorded: {switch}")

    def check_calls(self, switches, view):
        expected, pieces = Counter(pairs_of(switches)), Counter()
        drawn = Counter()
        for thread, slices in viewers.by_thread(view.slices).items():
            for call in (call for call in slices if is_schedule(call)):
                if call.args.get("repaired") == "schedule-cut":
                    pieces[call.name] += 1
                else:
                    drawn[thread[1], call.begin, call.end, call.name] += 1
        self.compared["schedule calls"] += sum(expected.values())
        if pieces or self.hidden:
            return  # the records of the thread show that switches are missing
        for call in sorted(expected - drawn):
            self.problem(f"schedule call not drawn: {call}")
        for call in sorted(drawn - expected):
            self.problem(f"schedule call drawn, but not recorded: {call}")

    def check_ends(self, last, exits, view):
        for call in view.slices:
            if "open-at-end" in call.args.get("repaired", "").split(","):
                self.compared["open ends"] += 1
                if call.end != last[call.thread[1]] and (call.thread[1], call.end) not in exits:
                    self.problem(f"{call} ends at {call.end}, its thread at {last[call.thread[1]]}")

    def check_report(self, report, view):
        own, totals, counts = defaultdict(int), defaultdict(int), defaultdict(int)
        before_exec = defaultdict(lambda: [0, 0])  # time and number of schedule calls in a call of exec; uftrace does not report them
        if self.features() & uftrace.ESTIMATED_EXITS or self.uftrace_gave_up() or self.hidden:
            return  # uftrace changes estimated exits in its report, stops at damage, and has its own limit of depth
        for thread, slices in viewers.by_thread(view.slices).items():
            # In uftrace, a forked child has no open call before its first record. Therefore, earlier schedule
            # calls are not counted.
            begin = int.from_bytes((self.recording / f"{thread[1]}.dat").read_bytes()[:8], "little")
            around = []
            for call, inside in with_children(slices):
                around = [*around[:call.depth], call]
                own[call.name] += call.end - call.begin - inside
                if is_schedule(call) and call.depth > 0 and "repaired" not in call.args and call.begin >= begin:
                    totals[call.name] += call.end - call.begin
                    counts[call.name] += 1
                    if around[-2].args.get("repaired") == "closed-by-exec" and around[-2].name.startswith("exec"):
                        before_exec[call.name][0] += call.end - call.begin
                        before_exec[call.name][1] += 1
        # setjmp returns twice, and uftrace adds the second time to the total time of setjmp.
        uncertain = {call.name for call in view.slices if "repaired" in call.args or "setjmp" in call.name}
        for name, (total, total_unit, self_time, self_unit, count) in report.items():
            if name in NAMES.values():
                self.compared["report rows"] += 1
                is_same = any(counts[name] - calls == count and abs(totals[name] - time - total) <= total_unit
                              for time, calls in ((0, 0), before_exec[name]))
                if not is_same and not counts[name] < count <= counts[name] + self.away[name]:
                    self.problem(f"{name}: {counts[name]} calls, {totals[name]} ns; uftrace: {count}, {total} ns")
            elif name in own and name not in uncertain and name not in NAMES.values():
                self.compared["self times"] += 1
                if abs(own[name] - self_time) > self_unit:
                    self.problem(f"{name}: {own[name]} ns itself, uftrace says {self_time}")


def parse_perf(dump):
    """Switches as [(time, cpu, thread, in|out|preempted)], {thread: last time of any event}, and {(thread, time)} of exits.

    The switches are sorted by thread and time. An id may be used again, for example if another thread calls exec.
    """
    switches, last, exits, cpu = [], defaultdict(int), set(), None
    for line in dump.splitlines():
        if match := _FILE.match(line):
            cpu = None if match[1] is None else int(match[1])
        elif match := _EVENT.match(line):
            time, thread = int(match[1]) * 10**9 + int(match[2]), int(match[3])
            last[thread] = max(last[thread], time)
            if match[4] == b"task-exit":
                exits.add((thread, time))
            if cpu is not None and match[4] in (b"sched-in", b"sched-out"):
                kind = "in" if match[4] == b"sched-in" else "preempted" if match[5] else "out"
                switches.append((time, cpu, thread, kind))
    return sorted(switches, key=lambda switch: (switch[2], switch[0])), last, exits


def parse_kernel(dump):
    """[(time, cpu, thread, in|out|preempted|dead)] from the kernel's sched_switch."""
    switches, cpu = [], None
    for line in dump.splitlines():
        if line.startswith(b"reading "):
            match = _KERNEL_FILE.match(line)
            cpu = int(match[1]) if match else None
        elif cpu is not None and (match := _SWITCH.match(line)):
            time, state = int(match[1]) * 10**9 + int(match[2]), match[4][:1]
            kind = "preempted" if state == b"R" else "dead" if state in b"XZ" else "out"
            switches += [(time, cpu, int(match[3]), kind), (time, cpu, int(match[5]), "in")]
    return sorted(switches, key=lambda switch: (switch[2], switch[0]))


def is_schedule(call):
    return call.category == "sched" and call.name in NAMES.values()  # a program may also have the name `sched`


def pairs_of(switches):
    """(thread, begin, end, name) of every switch out with a following switch in."""
    for (begin, _, thread, kind), (end, _, other, back) in zip(switches, switches[1:]):
        if thread == other and kind != "in" and back == "in":
            yield thread, begin, end, NAMES[kind == "preempted"]


def with_children(slices):
    """Every call of a thread with the time of the calls inside it."""
    inside, open_calls = [0] * len(slices), []
    for i, call in enumerate(slices):
        del open_calls[call.depth:]
        if open_calls:
            inside[open_calls[-1]] += call.end - call.begin
        open_calls.append(i)
    return zip(slices, inside)


def parse_report(text):
    """{function: (total, unit, self, unit, calls)}; a unit is the value of the last digit."""
    rows, columns, bounds = {}, [], []
    for line in text.decode(errors="replace").splitlines():
        if not line.strip():
            continue
        if "Function" in line and "Total time" in line:
            columns = re.split(r"\s{2,}", line.strip())
        elif set(line) <= {" ", "="}:
            bounds = [match.span() for match in re.finditer("=+", line)]
        elif columns:
            cells = {name: line[start:end].strip() for name, (start, end) in zip(columns, bounds[:-1])}
            name = line[bounds[-1][0]:].rstrip()
            total, self_time = time_of(cells.get("Total time", "")), time_of(cells.get("Self time", ""))
            if total and self_time and cells.get("Calls", "").isdigit():
                rows[name] = (*total, *self_time, int(cells["Calls"]))
    return rows


def time_of(cell):
    match = re.match(r"(\d+)\.(\d{3}) *(us|ms|s|m|h)$", cell)
    return match and uftrace.time_of(*match.groups())


if __name__ == "__main__":
    sys.exit(judging.judge(__doc__, SchedComparison))
