#!/usr/bin/env python3
"""Checks that FXT files show the kernel events that uftrace recorded.

Each RECORDING is a directory of uftrace. The script converts the recording with --converter, reads the FXT file with
fxt_reader.py in this folder, and rebuilds the calls as in Perfetto. Then it compares
  - each kernel call with the entries and exits of `uftrace dump`: thread, name, start, end. A call with `repaired` may
    end before its exit, or later if no exit was recorded. A call that overlaps no other call must not be repaired;
  - each tracepoint with the events of the dump: thread, time, name, and the values in the form name=value;
  - the places where the kernel lost events;
  - wakeups of waiting threads, if the kernel's switches are shown;
  - number and total time of kernel calls with `uftrace report --kernel-full`.
If a text of uftrace is next to the recording (RECORDING.dump.txt), it is used. Otherwise, uftrace runs. The exit code is 1
if anything differs.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict

import fxt_reader as fxt
import judging
import uftrace_reference as uftrace
import viewers

KERNEL = "[kernel]"
LINE = re.compile(rb"(\d+)\.(\d{9}) +(\d+): \[(entry|exit |event|lost )\](?::? )(.*)$")
_CALL = re.compile(rb"(.*)\(([0-9a-f]+)\) depth: (\d+)$")
_EVENT = re.compile(rb"([^ ]+:[^ ]+)\(\d+\) ?(.*)$")
_WAKEUPS = {"sched:sched_waking", "sched:sched_wakeup", "sched:sched_wakeup_new"}
_VALUE = re.compile(r"(\w+)=(\S+)")


class Record:
    def __init__(self, time, thread, kind, text):
        self.time, self.thread, self.kind, self.text, self.name, self.depth = time, thread, kind, text, None, None
        if kind in ("entry", "exit"):
            name, _, depth = _CALL.match(text).groups()
            self.name, self.depth = name.decode(errors="replace"), int(depth)
        elif kind == "event":
            name, values = _EVENT.match(text).groups()
            self.name, self.text = name.decode(errors="replace"), values.decode(errors="replace")


class Call:
    def __init__(self, entry):
        self.name, self.begin, self.depth, self.end = entry.name, entry.time, entry.depth, None


class KernelComparison(judging.Comparison):
    def run(self, trace):
        dump = self.reference("dump", ["dump"])
        if dump is None:
            dump = run_uftrace(self.recording, "dump") if self.features() & uftrace.KERNEL else b""
        view = viewers.PerfettoView([event for event in trace.events
                                     if event.type in (fxt.BEGIN, fxt.END, fxt.COMPLETE)])
        for complaint in view.complaints:
            self.problem(f"Perfetto: {complaint}")
        records, own = parse_kernel(dump), own_times(dump)
        slices = {thread[1]: calls for thread, calls in viewers.by_thread(view.slices).items()}
        instants = defaultdict(list)
        for event in trace.events:
            if event.type == fxt.INSTANT:
                instants[event.thread[1]].append(event)
        # The dump also has kernel events of other programs, so only threads of the trace are compared.
        for thread in sorted({thread for _, thread in trace.thread_names}):
            drawn = [call for call in slices.get(thread, ()) if call.category == KERNEL]
            others = [call for call in slices.get(thread, ()) if call.category != KERNEL]
            self.check_calls(thread, calls_of(records.get(thread, ())), drawn, others, own.get(thread, []))
            self.check_events(thread, records.get(thread, ()), instants.get(thread, ()))
        if trace.switches and not any(call.name.startswith("linux:schedule") for call in view.slices):
            self.check_wakeups(records, trace)
        self.check_report(view, self.uncertain(slices, trace.switches), records)

    def check_calls(self, thread, expected, drawn, others, own):
        edges = sorted([call.begin for call in others] + [call.end for call in others] + own)
        waiting, at, weak = defaultdict(list), defaultdict(list), weak_functions(self.recording)
        for call in drawn:
            at[call.begin].append(call)
            waiting[call.name, call.begin].append(call)
        for call in expected:
            self.compared["kernel calls"] += 1
            found = waiting.get((call.name, call.begin))
            for name in () if found else weak & {drawn.name for drawn in at[call.begin]}:
                found = waiting[name, call.begin]  # uftrace does not support weak functions, and shows the name of the previous function
                self.compared["of weak functions"] += 1
            if not found:
                self.problem(f"thread {thread}: the kernel call {call.name} at {call.begin} is missing")
                continue
            exact = next((other for other in found if other.end == call.end), found[0])
            found.remove(exact)
            repaired = exact.args.get("repaired")
            if repaired is None and exact.end != call.end:
                self.problem(f"thread {thread}: {call.name} {call.begin}..{call.end} is drawn until {exact.end}")
            elif repaired is None:
                self.compared["with their ends"] += 1
            elif repaired == "kernel-clipped":
                self.compared["clipped"] += 1
                if not any(call.begin <= edge <= (call.end or edge) for edge in edges):
                    self.problem(f"thread {thread}: {call.name} {call.begin}..{call.end} is cut without a reason")
        for (name, begin), calls in waiting.items():
            for _ in calls:
                self.problem(f"thread {thread}: the kernel call {name} at {begin} was not recorded")

    def check_events(self, thread, records, instants):
        expected = Counter((record.time, record.name) for record in records if record.kind == "event")
        drawn = defaultdict(list)
        for event in instants:
            if ":" in event.name and (event.time, event.name) in expected:
                drawn[event.time, event.name].append(event)
        for record in records:
            if record.kind != "event":
                continue
            self.compared["tracepoints"] += 1
            candidates = drawn[record.time, record.name]
            if not candidates:
                self.problem(f"thread {thread}: {record.name} at {record.time} is missing")
                continue
            event = candidates.pop(0)
            for name, text in _VALUE.findall(record.text):
                if name in event.args:
                    self.compared["values"] += 1
                    if not same_value(event.args[name], text):
                        self.problem(f"{record.name} at {record.time}: {name}={event.args[name]!r}, uftrace: {text}")
        lost = sum(record.kind == "lost" for record in records)
        told = sum(event.name == "records lost" and "cpu" in event.args for event in instants)
        self.compared["losses"] += lost
        if told < lost:
            self.problem(f"thread {thread}: {lost} losses, {told} of them told")

    def check_wakeups(self, records, trace):
        known = {thread for _, thread in trace.thread_names}
        expected = [(time, thread) for time, thread in wakeups_of(records) if thread in known]
        drawn = [(time, thread) for time, _, thread, _ in trace.wakeups]
        self.compared["wakeups"] += len(expected)
        if drawn != expected:
            self.problem(f"wakeups {drawn}, uftrace's events tell {expected}")

    def uncertain(self, slices, switches):
        """Functions with a repaired call, or in which the thread was off the CPU. uftrace reads one CPU after the
        other, and has another time for functions that continued on another CPU."""
        times, names = defaultdict(list), set()
        for time, _, outgoing, incoming, _ in switches:
            for thread in outgoing, incoming:
                times[thread[1]].append(time)
        for thread, calls in slices.items():
            for call in calls:
                if "repaired" in call.args or any(call.begin <= time <= call.end for time in times[thread]):
                    names.add(call.name)
        return names

    def check_report(self, view, uncertain, records):
        if any(record.kind == "lost" for thread in records.values() for record in thread) or not shutil.which("uftrace"):
            return
        if not self.features() & uftrace.KERNEL:
            return
        report = uftrace.parse_report(run_uftrace(self.recording, "report", "--kernel-full", "-f", "total,self,call"))
        totals, counts = defaultdict(int), Counter()
        for slices in viewers.by_thread(view.slices).values():
            open_calls = []
            for call in slices:
                del open_calls[call.depth:]
                if call.category == KERNEL:
                    counts[call.name] += 1
                    if call.name not in open_calls:
                        totals[call.name] += call.end - call.begin
                open_calls.append(call.name)
        for name, (total, unit, count) in report.items():
            if name not in counts or name in uncertain:
                continue
            self.compared["functions of the report"] += 1
            if counts[name] != count or abs(totals[name] - total) > unit:
                self.problem(f"{name}: {counts[name]} calls, {totals[name]} ns; uftrace: {count}, {total} ns")


def run_uftrace(recording, command, *options):
    return subprocess.run(["uftrace", command, "--no-pager", "-d", recording, *options], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def parse_kernel(dump):
    """{thread: [Record]} from the kernel's files, sorted by time."""
    threads, is_kernel = defaultdict(list), False
    for line in dump.splitlines():
        if line.startswith(b"reading "):
            is_kernel = line.startswith(b"reading kernel-cpu")
        elif is_kernel and (match := LINE.match(line)):
            seconds, ns, thread, kind, text = match.groups()
            threads[int(thread)].append(Record(int(seconds) * 10**9 + int(ns), int(thread),
                                               kind.decode().strip(), text))
    for records in threads.values():
        records.sort(key=lambda record: record.time)
    return threads


def own_times(dump):
    """{thread: [times of its own records]}"""
    threads, is_own = defaultdict(list), False
    for line in dump.splitlines():
        if line.startswith(b"reading "):
            is_own = not line.startswith((b"reading kernel", b"reading perf"))
        elif is_own and (match := re.match(rb"(\d+)\.(\d{9}) +(\d+): \[", line)):
            threads[int(match[3])].append(int(match[1]) * 10**9 + int(match[2]))
    return threads


def calls_of(records):
    """The calls whose entry was recorded, with their ends if there are exits."""
    calls, stack = [], []
    for record in records:
        if record.kind == "lost":
            stack = []
        elif record.kind == "entry":
            stack.append(Call(record))
            calls.append(stack[-1])
        elif record.kind == "exit":
            for i in reversed(range(len(stack))):
                if (stack[i].name, stack[i].depth) == (record.name, record.depth):
                    stack[i].end = record.time
                    del stack[i:]
                    break
    return calls


def wakeups_of(records):
    """(time, thread) of every thread that events report as woken, and that waited before."""
    waits = defaultdict(lambda: True)
    events = [record for thread in records.values() for record in thread if record.kind == "event"]
    for record in sorted(events, key=lambda record: record.time):
        values = dict(_VALUE.findall(record.text))
        if record.name == "sched:sched_switch":
            waits[int(values["prev_pid"])] = not values["prev_state"].startswith("R")
            waits[int(values["next_pid"])] = False
        elif record.name in _WAKEUPS and waits[int(values["pid"])]:
            waits[int(values["pid"])] = False
            yield record.time, int(values["pid"])


def weak_functions(recording):
    kallsyms = recording / "kallsyms"
    lines = kallsyms.read_text(errors="replace").splitlines() if kallsyms.exists() else []
    return {line.split()[2] for line in lines if line.split()[1:2] == ["W"]}


def same_value(value, text):
    if isinstance(value, str):
        return fxt.unquoted(value).startswith(text)
    try:
        return int(value) == int(text, 0) if not text.lstrip("-").isdigit() else int(value) == int(text)
    except ValueError:
        return True  # the event has another form


if __name__ == "__main__":
    sys.exit(judging.judge(__doc__, KernelComparison))
