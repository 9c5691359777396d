#!/usr/bin/env python3
"""Checks that FXT files show the same calls as uftrace with the same options.

Each RECORDING is a directory of uftrace. The script converts the recording with --converter and up to about forty sets
of options, and reads the FXT files with fxt_reader.py in this folder. The calls are rebuilt as in Perfetto, and compared with
the entries of `uftrace replay --no-merge`: thread, time, name, depth. The functions in the options are functions of the
recording. Without uftrace, nothing is compared. The exit code is 1 if anything differs.

Filters of uftrace have known errors at fork, exec, longjmp and losses. For recordings with these errors, only the sets of
options without errors are compared. If a signal ends uftrace, the set is counted, but not compared. Some names are
compared in their mangled form, because uftrace demangles them differently or not at all: Rust's v0 names and coroutines.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import fxt_reader as fxt
import judging
import uftrace_reference as uftrace
import viewers

MAX_DEPTH = 512  # the converter omits deeper calls
REPAIRED_ENDS = ("open-at-end", "exit-missing", "exit-moved", "longjmp", "closed-by-exec", "cut-by-loss")
_ENTRY = re.compile(r" *\[ *(\d+)\] +(\d+)\.(\d{9}) \| ( *)([^ /}].*?)(?:\(\))? \{$")
_EXIT = re.compile(r" *\[ *(\d+)\] .* \| +\} /\* (.*) \*/$")


class FilterComparison(judging.Comparison):
    def __init__(self, recording):
        super().__init__(recording)
        self.is_simple = True
        self.common = []

    def compare(self, arguments, directory):
        if not shutil.which("uftrace"):
            print(f"{self.recording.name}: skipped: there is no uftrace")
            return
        older = uftrace.readable_copy(self.recording, Path(directory))
        symbols = "".join(path.read_text(errors="replace") for path in older.glob("*.sym"))
        if re.search(r"^\w+ [Tt] (?:_R|\S+\.actor$)", symbols, re.MULTILINE) or any(
                call.name.startswith("_Z") for calls in (self.replay(older, []) or {}).values() for call in calls):
            self.common.append("--demangle=no")
        if self.features() & uftrace.KERNEL and has_overlaps(self.replayed_lines(older, [])):
            for path in older.glob("kernel*"):
                path.unlink()
            self.common.append("--no-kernel")
        elif self.features() & uftrace.KERNEL:
            self.common.append("--kernel-skip-out")
        calls = self.replay(older, []) or {}
        if all(call.name.startswith("<") for thread in calls.values() for call in thread):
            print(f"{self.recording.name}: skipped: this uftrace can't read it")
            return
        self.is_simple = is_simple(self.recording, calls)
        sets = option_sets(Landmarks(calls, plt_names(older), kernel_names(older)), self.is_simple) + location_sets(older)
        if self.features() & uftrace.ESTIMATED_EXITS:
            # With -D and -t, `uftrace replay` may end a call at the exit of another call that -D hides. Therefore, these
            # options are not tested together.
            sets = [words for words in sets if not {"-D", "-t"} <= set(words)]
        if "--kernel-skip-out" in self.common:
            # In uftrace, a hidden library call counts as a level for kernel calls inside it, but not for
            # program calls inside it. Therefore, -D and --no-libcall are not tested together.
            sets = [words for words in sets if not {"-D", "--no-libcall"} <= set(words)]
        for words in sets:
            self.compare_set(arguments, older, words, Path(directory) / "out.fxt")

    def compare_set(self, arguments, older, words, output):
        command = [arguments.converter, "--quiet", *arguments.option, *self.common, *words, self.recording, output]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        is_empty = process.returncode == 1 and "no call is shown, because the options omit" in process.stderr
        if process.returncode != 0 and not is_empty:
            self.problem(f"{' '.join(words)}: exit code {process.returncode}: {process.stderr.strip()}")
            return
        view = viewers.PerfettoView([event for event in ([] if is_empty else fxt.read(output).events)
                                     if event.type in (fxt.BEGIN, fxt.END, fxt.COMPLETE)])
        for complaint in view.complaints:
            self.problem(f"{' '.join(words)}: Perfetto: {complaint}")
        # Depths are not always comparable. If tracing begins inside a call, uftrace shows the calls at their depth
        # in the stack. After a fork, the depth in the child starts at 0.
        has_depth = self.is_simple and not any("trace_o" in word for word in words)
        replayed = self.replay(older, words)
        if replayed is None:
            self.compared["sets at which uftrace was ended by a signal"] += 1
            return
        expected = {tid: [key(call, has_depth) for call in calls if call.depth < MAX_DEPTH]
                    for tid, calls in replayed.items()}
        drawn = {}
        for thread, calls in viewers.by_thread(view.slices).items():
            known = set(expected.get(thread[1], ()))
            drawn[thread[1]] = [key(call, has_depth) for call in own_calls(calls)
                                if not call.is_jumped_out_of or key(call, has_depth) in known]
        self.compared["sets of options"] += 1
        for tid in sorted(expected.keys() | drawn.keys()):
            self.compare_thread(words, tid, expected.get(tid, []), drawn.get(tid, []))

    def replayed_lines(self, recording, words):
        """The output of uftrace; None if it crashes."""
        options = [word for word in self.common if word.startswith("--demangle")]
        process = subprocess.run(["uftrace", "replay", "--no-pager", "--no-merge", "--no-args", "--no-event",
                                  "--color=no", "-f", "time,tid", *options, *for_uftrace(words), "-d", recording],
                                 check=False, capture_output=True)
        if process.returncode < 0:
            return None
        if process.returncode > 0 or b"invalid rstack read" in process.stderr:
            return []
        return process.stdout.decode(errors="replace").splitlines()

    def replay(self, recording, words):
        """{tid: [Call]} as uftrace shows them; None if it crashes."""
        lines = self.replayed_lines(recording, words)
        if lines is None:
            return None
        threads = defaultdict(list)
        for line in lines:
            if match := _ENTRY.match(line):
                tid, seconds, ns, indent, name = match.groups()
                threads[int(tid)].append(Call(int(seconds) * 10**9 + int(ns), len(indent) // 2, name))
        return threads

    def compare_thread(self, words, tid, expected, drawn):
        self.compared["calls"] += len(expected)
        if expected == drawn:
            return
        where = next((i for i, pair in enumerate(zip(expected, drawn)) if pair[0] != pair[1]),
                     min(len(expected), len(drawn)))
        self.problem(f"{' '.join(words)}: thread {tid}: uftrace shows {len(expected)} calls, {len(drawn)} are drawn; "
                     f"at {where}: {expected[where:where + 2]} and {drawn[where:where + 2]}")


class Call:
    def __init__(self, begin, depth, name, repaired=""):
        self.begin, self.depth, self.name = begin, depth, name.removesuffix("()")  # the name may already end with "()", which uftrace does not repeat
        self.is_jumped_out_of = "longjmp" in repaired  # if the end was not recorded, uftrace may omit the call


class Landmarks:
    """Functions of a recording for the options: called often or rarely, with calls inside them or without."""

    def __init__(self, threads, libcalls, kernel):
        counts, with_children, depths = Counter(), Counter(), defaultdict(int)
        for calls in threads.values():
            for call, after in zip(calls, [*calls[1:], None]):
                counts[call.name] += 1
                depths[call.name] = max(depths[call.name], call.depth)
                if after is not None and after.depth > call.depth:
                    with_children[call.name] += 1
        plain = [name for name, _ in counts.most_common()
                 if re.fullmatch(r"\w+", name) and name not in kernel] or ["main"]
        parents = [name for name in plain if with_children[name]] or plain
        leaves = [name for name in plain if not with_children[name]] or plain
        self.parent = max(parents, key=lambda name: depths[name])
        self.outer = next((name for name in reversed(parents) if depths[name] >= 1), parents[-1])
        self.leaf, self.rare = leaves[0], leaves[-1]
        self.libcall = next((name for name in plain if name in libcalls), None)


def option_sets(at, all_of_them):
    """About forty sets for a recording with complete stacks, and fewer for others."""
    sets = [["-t", "1us"], ["-t", "5us"], ["-t", "100us"], ["-t", "0.5ms"], ["-t", "5ms"], ["-C", at.leaf],
            ["-C", at.parent], ["-C", at.parent, "-t", "2us"], ["-H", at.parent], ["-H", at.leaf], ["-H", "."],
            ["--no-libcall"], ["--no-libcall", "-H", at.outer], ["-t", "10us", "-T", f"{at.leaf}@trace"]]
    if not all_of_them:
        return sets
    return sets + [
        ["-T", f"{at.outer}@time=10us"], ["-t", "50us", "-T", f"{at.outer}@time=0"], ["-F", at.parent],
        ["-F", at.parent, "-D", "2"], ["-F", at.outer, "-N", at.leaf], ["-F", f"{at.parent};{at.rare}"],
        ["-F", "^[a-m]"], ["-F", "[a-m]*", "--match", "glob"], ["-N", at.parent], ["-N", at.leaf, "-D", "3"],
        ["-D", "1"], ["-D", "2"], ["-D", "4", "--no-libcall"], ["-D", "3", "-t", "3us"], ["-H", at.outer, "-D", "2"],
        ["-T", f"{at.parent}@depth=1"], ["-D", "1", "-T", f"{at.leaf}@depth=1"], ["-T", f"{at.parent}@notrace"],
        ["-F", f"{at.parent}@depth=2"], ["-F", f"{at.libcall or at.leaf}{'@plt' if at.libcall else ''}"],
        ["-C", at.leaf, "-N", at.rare],
        ["-F", "main", "-F", at.parent, "-D", "2"], ["-T", f"{at.outer}@filter,depth=2"],
        ["-F", at.outer, "-H", at.parent, "-t", "1us"]]


def location_sets(recording):
    """Sets of options that choose functions by their source files."""
    texts = [path.read_text(errors="replace") for path in recording.glob("*.dbg")]
    files = sorted({file for text in texts for file in re.findall(r"^L: \d+ (.+)$", text, re.MULTILINE)})
    known = subprocess.run(["uftrace", "--help"], capture_output=True, text=True, check=False).stdout
    if not files or "--loc-filter" not in known:
        return []
    first, last = files[0], files[-1]
    return [["-L", first], ["-L", f"{last}@hide"], ["-L", Path(first).stem + "."], ["-L", first, "-D", "2"],
            ["-L", f"*{Path(last).suffix}", "--match", "glob"]]


def for_uftrace(words):
    """uftrace treats a whole path as a regular expression because of its dot. The `c++` in a path then means one or more
    c, so the path does not match itself. We take a whole path literally."""
    is_path = words[:1] == ["-L"] and re.fullmatch(r"[\w+./-]*\w(@hide)?", words[1])
    return [words[0], words[1].replace("+", "[+]"), *words[2:]] if is_path else words


def is_simple(recording, threads):
    """True if uftrace can track the calls: one process, no exec, no longjmp, no losses."""
    task_text = (recording / "task.txt").read_text(errors="replace")
    if any(has_losses(path.read_bytes()) for path in recording.glob("[0-9]*.dat")):
        return False
    jumps = any("setjmp" in call.name for calls in threads.values() for call in calls)
    return "FORK" not in task_text and task_text.count("SESS") == 1 and not jumps


def kernel_names(recording):
    """Names that mean a kernel function only with @kernel."""
    kallsyms = recording / "kallsyms"
    lines = kallsyms.read_text(errors="replace").splitlines() if kallsyms.exists() else []
    return {line.split()[2] for line in lines}


def has_losses(data):
    """True if a record reports lost records: its time is 0, its type 2."""
    words = memoryview(data)[:len(data) // 8 * 8].cast("Q")
    return any(time == 0 and word & 0x3F == 0x2A and word >> 16 for time, word in zip(words, words[1:]))


def has_overlaps(lines):
    """True if calls of the kernel and of the program overlap in uftrace's output without being nested. If the recorder
    reads the clock with a system call, this call crosses the program's calls."""
    stacks = defaultdict(list)
    for line in lines:
        if match := _ENTRY.match(line):
            stacks[match[1]].append(match[5].removesuffix("()"))
        elif (match := _EXIT.match(line)) and stacks[match[1]] and stacks[match[1]].pop() != match[2].removesuffix("()"):
            return True
    return False


def plt_names(recording):
    """Library functions that the program calls."""
    texts = [path.read_text(errors="replace") for path in recording.glob("*.sym")]
    return {name for text in texts for name in re.findall(r"^[0-9a-f]+ (?:[0-9a-f]+ )?P (\w+)$", text, re.MULTILINE)}


def own_calls(slices):
    """The calls whose entry was recorded. Schedule calls do not count for the depth."""
    calls, others = [], []
    for call in slices:
        del others[next((i for i, other in enumerate(others) if other.depth >= call.depth), len(others)):]
        if call.category == "sched" and call.name.startswith("linux:schedule"):
            others.append(call)
        elif call.args.get("repaired", "longjmp") in REPAIRED_ENDS:
            calls.append(Call(call.begin, call.depth - len(others), call.name, call.args.get("repaired", "")))
    return calls


def key(call, has_depth):
    return (call.begin, call.name, call.depth if has_depth else None)


if __name__ == "__main__":
    sys.exit(judging.judge(__doc__, FilterComparison))
