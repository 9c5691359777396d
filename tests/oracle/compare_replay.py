#!/usr/bin/env python3
"""Checks that FXT files show the events of each thread in the same order as `uftrace replay`.

Each RECORDING is a directory of uftrace. The script converts the recording with --converter, and reads the FXT file with
fxt_reader.py in this folder. Each thread is compared, step by step, with `uftrace replay --no-merge`: entries and exits of
the program's and the kernel's functions, and kernel tracepoints. Each step has a time, a name, and the call around it.
With --option=--kernel-only, --option=--kernel-skip-out or --option=--event-skip-out, the events that uftrace shows with
this option are compared.

If a text of uftrace is next to the recording (RECORDING.replay-all.txt, RECORDING.replay-kernel-only.txt), it is used.
Otherwise, uftrace runs. The exit code is 1 if anything differs.

Only the starts of cut calls (`repaired`) are compared, and no event may be inside a cut call. The script uses uftrace's
raw dump to correct two faults of `uftrace replay`:
  - Events of a thread after its last exit on a CPU are assigned to the next thread on this CPU, which may not be shown.
  - An exit on another CPU than the entry is dropped, if the other CPU did not have the function before.
With both --kernel-only and --kernel-skip-out, uftrace drops the exits of kernel calls that are longer than the program's
calls, and assigns their entries to the next exit. The FXT file shows such calls differently.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field

import compare_kernel
import fxt_reader as fxt
import judging

_LINE = re.compile(r".*?\[ *(\d+)\].*? (\d+)\.(\d{9}) .*?\| +(.*)$")
_FORMS = {"entry": re.compile(r"(.*?)\(.*\) \{$"), "exit": re.compile(r"\}.*? /\* (.*) \*/$"),
          "event": re.compile(r"/\* ([\w-]+:[\w-]+)(?: .*)? \*/$")}


@dataclass(slots=True)
class Call:
    name: str
    begin: int
    end: int = None  # end of a complete event, as in its record
    is_cut: bool = False


@dataclass(slots=True)
class Step:
    kind: str  # "entry", "exit" or "event"
    time: int
    name: str
    call: Call = None  # the call that begins or ends; None if its start is unknown
    around: list = field(default_factory=list)  # the open calls, outermost first

    def key(self):
        return self.time, self.kind, self.name

    def ends_cut_call(self):
        return self.kind == "exit" and self.call is not None and self.call.is_cut

    def place(self):
        """The innermost call around the step that is not cut."""
        return next((call for call in reversed(self.around) if not call.is_cut), None)

    def __str__(self):
        place = self.place()
        return f"{self.kind} {self.name} at {self.time}" + (f" in {place.name} of {place.begin}" if place else "")


class ReplayComparison(judging.Comparison):
    def compare(self, arguments, directory):
        self.options = arguments.option
        super().compare(arguments, directory)

    def run(self, trace):
        dump = self.reference("dump", ["dump"]) or compare_kernel.run_uftrace(self.recording, "dump")
        lines = list(kernel_lines(dump))
        self.dropped, self.unsure = dropped_exits(lines), last_of_runs(lines)
        expected, drawn = replayed(self.replay(), lines), drawn_steps(trace)
        self.weak = compare_kernel.weak_functions(self.recording)
        for thread in sorted({thread for _, thread in trace.thread_names}):
            self.check_thread(thread, expected[thread], drawn[thread])

    def replay(self):
        full = [f"--{what}-full" for what in ("kernel", "event") if f"--{what}-skip-out" not in self.options]
        only = "--kernel-only" in self.options
        beside = self.recording.parent / f"{self.recording.name}.replay-{'kernel-only' if only else 'all'}.txt"
        if len(full) == 2 and beside.exists():
            return beside.read_text(errors="replace")
        options = [*full, *(["--kernel-only"] if only else [])]
        return compare_kernel.run_uftrace(self.recording, "replay", "--no-merge", "-f", "tid,time",
                                          *options).decode(errors="replace")

    def check_thread(self, thread, expected, drawn):
        ours, theirs = ({step.key() for step in steps} for steps in (drawn, expected))
        only_one = (ours ^ theirs) & self.unsure
        for step in drawn:
            if step.key() in only_one or (step.kind == "exit" and step.key() in self.dropped):
                if step.call:
                    step.call.is_cut = True
        cut = {step.key() for step in drawn if step.kind == "entry" and step.call.is_cut}
        for step in expected:
            if step.kind == "entry":
                step.call.is_cut = step.key() in cut | only_one
        expected, drawn = ([step for step in steps if step.key() not in only_one and not step.ends_cut_call()]
                           for steps in (expected, drawn))
        for ours, theirs in zip(drawn, expected):
            if (ours.kind, ours.time) != (theirs.kind, theirs.time) or not self.is_same(ours.name, theirs.name):
                self.problem(f"thread {thread}: {ours}; uftrace: {theirs}")
                return
            self.compared[f"{ours.kind}s"] += 1
            if not self.is_same_place(ours.place(), theirs.place()):
                self.problem(f"thread {thread}: {ours}; uftrace: {theirs}")
        if len(drawn) != len(expected):
            self.problem(f"thread {thread}: {len(drawn)} steps, uftrace has {len(expected)}")

    def is_same_place(self, ours, theirs):
        if ours is None or theirs is None:
            return ours is theirs
        return ours.begin == theirs.begin and self.is_same(ours.name, theirs.name)

    def is_same(self, ours, theirs):
        return ours == theirs or ours in self.weak or theirs.startswith("<")  # older versions of uftrace do not find every name


def kernel_lines(dump):
    """(cpu file, time, thread, kind, name) of the dump's lines."""
    source = b""
    for line in dump.splitlines():
        if line.startswith(b"reading "):
            source = line.split()[1]
        elif source.startswith(b"kernel-cpu") and (match := compare_kernel.LINE.match(line)):
            seconds, ns, thread, kind, text = match.groups()
            time = int(seconds) * 10**9 + int(ns)
            record = compare_kernel.Record(time, int(thread), kind.decode().strip(), text)
            yield source, time, int(thread), record.kind, record.name


def dropped_exits(lines):
    """Keys of exits for which the CPU had no entry of the function before."""
    entered, dropped = set(), set()
    for source, time, _, kind, name in lines:
        if kind == "entry":
            entered.add((source, name))
        elif kind == "exit" and (source, name) not in entered:
            dropped.add((time, kind, name))
    return dropped


def last_of_runs(lines):
    """Keys of the last events of a thread on a CPU, after the thread's last exit there."""
    last, runs = set(), {}
    for source, time, thread, kind, name in lines:
        runner, run = runs.setdefault(source, (thread, []))
        if runner != thread:
            last.update(run)
            run = []
        runs[source] = thread, [] if kind == "exit" else [*run, (time, kind, name)]
    for _, run in runs.values():
        last.update(run)
    return last


def replayed(text, lines):
    """{thread: [Step]} of `uftrace replay --no-merge`. The lines of the dump identify the threads of kernel events."""
    threads_of_lines = {(time, kind, name): thread for _, time, thread, kind, name in lines}
    threads, stacks = defaultdict(list), defaultdict(list)
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        time, said = int(match[2]) * 10**9 + int(match[3]), match[4]
        kind, name = next(((kind, found[1]) for kind, form in _FORMS.items() if (found := form.match(said))), (None, ""))
        if kind is None or name.startswith("linux:"):  # an event of perf
            continue
        is_kernel = (time, kind, name) in threads_of_lines
        thread = threads_of_lines[time, kind, name] if is_kernel else int(match[1])
        steps, stack = threads[thread], stacks[thread]
        call = None
        if kind == "entry":
            call = Call(name, time)
        elif kind == "exit":
            call = next((call for call in reversed(stack) if call.name == name), None)
            if call is None and is_kernel:
                continue  # the entry of this exit is missing, or was omitted
            stack[:] = [other for other in stack if other is not call]
        steps.append(Step(kind, time, name, call, list(stack)))
        if kind == "entry":
            stack.append(call)
    return threads


def drawn_steps(trace):
    """{thread: [Step]} of a file. A complete event ends at the first event at or after its end."""
    threads, stacks = defaultdict(list), defaultdict(list)

    def end(thread, time):
        call = stacks[thread].pop()
        threads[thread].append(Step("exit", time, call.name, call, list(stacks[thread])))

    for event in trace.events:
        thread = event.thread[1]
        steps, stack = threads[thread], stacks[thread]
        while stack and stack[-1].end is not None and stack[-1].end <= event.time:
            end(thread, stack[-1].end)
        if event.name.startswith("linux:"):
            continue
        if event.type in (fxt.BEGIN, fxt.COMPLETE):
            call = Call(event.name, event.time, event.extra if event.type == fxt.COMPLETE else None,
                        "repaired" in event.args)
            steps.append(Step("entry", event.time, call.name, call, list(stack)))
            stack.append(call)
        elif event.type == fxt.END:
            stack[-1].is_cut |= "repaired" in event.args
            end(thread, event.time)
        elif event.type == fxt.INSTANT and ":" in event.name:
            steps.append(Step("event", event.time, event.name, None, list(stack)))
    for thread, stack in stacks.items():
        while stack:
            end(thread, stack[-1].end)
    return threads


if __name__ == "__main__":
    sys.exit(judging.judge(__doc__, ReplayComparison))
