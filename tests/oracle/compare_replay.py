#!/usr/bin/env python3
"""Checks that FXT files tell what happened on every thread as uftrace replays it: what began, ended and occurred, in order.

For every RECORDING (a uftrace directory): converts it with --converter, reads the file with the independent reader
beside this script, and compares every thread, step by step, with `uftrace replay --no-merge`: entries and exits of the
program's functions and of the kernel's, and kernel tracepoints, by time, name and the call that they lie in. With
--option=--kernel-only and --option=--kernel-skip-out, uftrace's own options, what these leave is compared.

Where a text of uftrace lies beside a recording (RECORDING.replay-all.txt, RECORDING.replay-kernel-only.txt) it is used;
otherwise uftrace is run. Exit code 1 when anything differs.

Calls that are cut (`repaired`) are compared by their begins, and other calls lie in none of them.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field

import compare_kernel
import fxt_reader as fxt
import judging

_LINE = re.compile(r".*?\[ *(\d+)\].*? (\d+)\.(\d{9}) .*?\| +(.*)$")
_ENTRY, _EXIT = re.compile(r"(.*?)\(.*\) \{$"), re.compile(r"\}.*? /\* (.*) \*/$")
_EVENT = re.compile(r"/\* ([\w-]+:[\w-]+)(?: .*)? \*/$")
_LONG_AGO = -1


@dataclass(slots=True)
class Call:
    name: str
    begin: int
    end: int = None  # of a complete event, when it was read
    is_cut: bool = False


@dataclass(slots=True)
class Step:
    kind: str  # entry, exit or event
    time: int
    name: str
    call: Call = None  # of an entry or exit
    around: list = field(default_factory=list)  # calls, outermost first

    def place(self):
        """The innermost call around it that is whole."""
        return next(((call.name, call.begin) for call in reversed(self.around) if not call.is_cut), None)

    def __str__(self):
        return f"{self.kind} {self.name} at {self.time} in {self.place()}"


class ReplayComparison(judging.Comparison):
    def compare(self, arguments, directory):
        self.options = arguments.option
        super().compare(arguments, directory)

    def run(self, trace):
        expected, drawn = replayed(self.replay()), drawn_steps(trace)
        self.weak = compare_kernel.weak_functions(self.recording)
        for thread in sorted({thread for _, thread in trace.thread_names}):
            self.check_thread(thread, expected[thread], drawn[thread])

    def replay(self):
        wants_all, only = "--kernel-skip-out" not in self.options, "--kernel-only" in self.options
        beside = self.recording.parent / f"{self.recording.name}.replay-{'kernel-only' if only else 'all'}.txt"
        if wants_all and beside.exists():
            return beside.read_text(errors="replace")
        options = [*(["--kernel-full", "--event-full"] if wants_all else []), *(["--kernel-only"] if only else [])]
        return compare_kernel.run_uftrace(self.recording, "replay", "--no-merge", "-f", "tid,time",
                                          *options).decode(errors="replace")

    def check_thread(self, thread, expected, drawn):
        cut = {(step.name, step.time) for step in drawn if step.kind == "entry" and step.call.is_cut}
        for step in expected:
            if step.kind == "entry":
                step.call.is_cut = (step.name, step.time) in cut
        expected, drawn = ([step for step in steps if step.kind != "exit" or not step.call.is_cut]
                           for steps in (expected, drawn))
        for ours, theirs in zip(drawn, expected):
            if (ours.kind, ours.time) != (theirs.kind, theirs.time) or not self.is_same(ours.name, theirs.name):
                self.problem(f"thread {thread}: {ours}; uftrace: {theirs}")
                return
            self.compared[f"{ours.kind}s"] += 1
            if ours.place() != theirs.place():
                self.problem(f"thread {thread}: {ours}; uftrace: {theirs}")
        if len(drawn) != len(expected):
            self.problem(f"thread {thread}: {len(drawn)} steps, uftrace has {len(expected)}")

    def is_same(self, ours, theirs):
        return ours == theirs or ours in self.weak


def replayed(text):
    """{thread: [Step]} of `uftrace replay --no-merge`."""
    threads, stacks = defaultdict(list), defaultdict(list)
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        thread, time, said = int(match[1]), int(match[2]) * 10**9 + int(match[3]), match[4]
        steps, stack = threads[thread], stacks[thread]
        if entry := _ENTRY.match(said):
            call = Call(entry[1], time)
            steps.append(Step("entry", time, call.name, call, list(stack)))
            stack.append(call)
        elif end := _EXIT.match(said):
            call = next((call for call in reversed(stack) if call.name == end[1]), None) or Call(end[1], _LONG_AGO)
            if call in stack:
                stack.remove(call)
            steps.append(Step("exit", time, call.name, call, list(stack)))
        elif (event := _EVENT.match(said)) and not event[1].startswith("linux:"):
            steps.append(Step("event", time, event[1], None, list(stack)))
    return threads


def drawn_steps(trace):
    """{thread: [Step]} of a file: complete events end where something comes at or behind their ends."""
    threads, stacks = defaultdict(list), defaultdict(list)

    def end(thread, time):
        call = stacks[thread].pop()
        threads[thread].append(Step("exit", time, call.name, call, list(stacks[thread])))

    for event in trace.events:
        thread = event.thread[1]
        steps, stack = threads[thread], stacks[thread]
        while stack and stack[-1].end is not None and stack[-1].end <= event.time:
            end(thread, stack[-1].end)
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
