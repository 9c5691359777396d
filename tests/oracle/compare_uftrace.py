#!/usr/bin/env python3
"""Checks that FXT files show exactly the calls that uftrace shows.

Each RECORDING is a directory of uftrace. The script converts the recording with --converter, reads the FXT file with
fxt_reader.py in this folder, and rebuilds the calls as in Perfetto and in Tracy. Then it compares
  - each call with the entries and exits of `uftrace dump`: thread, name, start, end, depth, order;
  - number and total time of calls of each function with `uftrace report`;
  - the names of threads with `uftrace report --task`;
  - the category of each call with the memory map.
If texts of uftrace are next to the recording (RECORDING.dump.txt, .report.txt, .report-task.txt), they are used.
Otherwise, uftrace runs. Data that the recording does not determine, such as the end of a call that longjmp left, are
reported, but not compared. The exit code is 1 if anything differs.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

import fxt_reader as fxt
import judging
import uftrace_reference as uftrace
import viewers

MAX_DEPTH = 512  # the converter omits deeper calls


def is_moved(drawn):
    """True if the call's exit was estimated, and was moved."""
    return "exit-moved" in (drawn.args.get("repaired"), drawn.args.get("repaired_end"))


class CallComparison(judging.Comparison):
    def __init__(self, recording):
        super().__init__(recording)
        self.not_comparable = set()  # functions whose counts may differ from uftrace's, because of a longjmp or too deep calls

    def run(self, trace):
        calls = [event for event in trace.events if event.type in (fxt.BEGIN, fxt.END, fxt.COMPLETE)]
        self.check_order(trace.events)
        perfetto, tracy = viewers.PerfettoView(trace.events), viewers.TracyView(calls)
        for view, name in (perfetto, "Perfetto"), (tracy, "Tracy"):
            for complaint in view.complaints:
                self.problem(f"{name}: {complaint}")
        self.problems.extend(viewers.disagreements(perfetto, tracy))

        dump = self.reference("dump", ["dump"])
        records = uftrace.parse_dump(dump) if dump is not None else uftrace.read_records(self.recording)
        if records:
            matched = self.check_calls(records, perfetto)
            self.check_categories(matched)
            report = self.reference("report", ["report", "-f", "total,self,call"])
            # In the report of uftrace, kernel time is a part of user calls, and times of estimated exits are
            # changed. Such reports are not compared.
            if dump is not None and report is not None and not self.features() & (uftrace.KERNEL | uftrace.ESTIMATED_EXITS):
                self.check_report(uftrace.parse_report(report), matched)
        tasks = self.reference("report-task", ["report", "--task"])
        if tasks is not None:
            self.check_names(uftrace.parse_task_report(tasks), trace)

    def check_order(self, events):
        last = defaultdict(int)
        for event in events:
            if event.time < last[event.thread]:
                self.problem(f"thread {event.thread[1]}: time goes back from {last[event.thread]} to {event.time}")
                return
            last[event.thread] = event.time

    def check_calls(self, records, view):
        """Compares call by call. Returns pairs of the call that uftrace recorded and the call that Perfetto draws."""
        task_text = (self.recording / "task.txt").read_text(errors="replace")
        starts = uftrace.image_starts(task_text)
        drawn = {thread[1]: slices for thread, slices in viewers.by_thread(view.slices).items()}
        matched = []
        for tid, thread_records in sorted(records.items()):
            calls, returned_again = uftrace.calls_of(thread_records, starts.get(tid, ()))
            self.not_comparable |= returned_again
            expected = [call for call in calls if call.depth < MAX_DEPTH]
            self.not_comparable |= {call.name for call in calls if call.depth >= MAX_DEPTH}
            matched += self.check_thread(tid, expected, own_calls(drawn.pop(tid, [])))
        for tid, slices in drawn.items():
            if own_calls(slices):
                self.problem(f"thread {tid}: drawn, but not in uftrace's dump")
        return matched

    def check_thread(self, tid, expected, slices):
        """`slices` are pairs of a slice and its depth among the calls of the recorder."""
        matched, position = [], 0
        repaired = [call for call, _ in slices if "repaired" in call.args]
        for call in expected:
            if call.inherited:
                if not any(other.name == call.name and (other.end == call.end or is_moved(other)) for other in repaired):
                    self.problem(f"thread {tid}: the inherited call {call.name} until {call.end} is missing")
                matched.append((call, None))
                continue
            while position < len(slices) and not same_begin(call, *slices[position]) \
                    and "repaired" in slices[position][0].args:
                position += 1  # this call is a repair, so uftrace does not have it
            if position == len(slices):
                self.problem(f"thread {tid}: {call} is missing")
                return matched
            drawn, depth = slices[position]
            position += 1
            if not same_begin(call, drawn, depth):
                self.problem(f"thread {tid}: {call} is drawn as {drawn} at depth {depth}")
                return matched
            if call.end is None:
                self.compared["ends not on record"] += 1
            elif call.end != drawn.end and not is_moved(drawn):
                self.problem(f"thread {tid}: {call} is drawn until {drawn.end}")
            self.compared["calls"] += 1
            matched.append((call, drawn))
        for drawn, _ in slices[position:]:
            if "repaired" not in drawn.args and not self.uftrace_gave_up():
                self.problem(f"thread {tid}: {drawn} was never recorded")
                return matched
        return matched

    def check_report(self, report, matched):
        totals, counts, uncertain = defaultdict(int), defaultdict(int), set(self.not_comparable)
        for call, drawn in matched:
            counts[call.name] += 1
            if drawn is None or call.end is None or not call.position_known:
                uncertain.add(call.name)
            elif not call.under_itself:
                totals[call.name] += drawn.end - drawn.begin
        for name, (total, unit, count) in report.items():
            if name.startswith("linux:") or name in uncertain:
                continue
            if name not in counts:
                self.compared["functions not of the threads' records"] += 1
                continue
            self.compared["functions"] += 1
            if counts[name] != count:
                self.problem(f"{name}: {counts[name]} calls, uftrace says {count}")
            if abs(totals[name] - total) > unit:
                self.problem(f"{name}: {totals[name]} ns in all, uftrace says {total}")

    def check_names(self, names, trace):
        ours = {thread: name for (_, thread), name in trace.thread_names.items()}
        for tid, name in names.items():
            self.compared["thread names"] += 1
            if ours.get(tid) != name:
                self.problem(f"thread {tid} is called {ours.get(tid)!r}, uftrace says {name!r}")

    def check_categories(self, matched):
        """Checks that the category of a call is the module at its address, if there is one memory map for all."""
        maps = list(self.recording.glob("sid-*.map"))
        if len(maps) != 1:
            return
        modules = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) (?:\S+ +){4}(/.*?)(?: build-id:.*)?$",
                             maps[0].read_text(errors="replace"), re.MULTILINE)
        # In the map, the recorder cuts paths at the first blank. The file task.txt has the whole path of the
        # program.
        program = re.search(r'^SESS .*exename="(.*)"$', (self.recording / "task.txt").read_text(errors="replace"),
                            re.MULTILINE)[1]
        modules = [(int(start, 16), int(end, 16), Path(program if program.startswith(f"{path} ") else path).name)
                   for start, end, path in modules]
        for call, drawn in matched:
            module = next((name for start, end, name in modules if start <= call.address < end), None)
            if drawn is None or module is None:
                continue
            self.compared["categories"] += 1
            if drawn.category != module:
                self.problem(f"{call} is in {module}, but drawn with the category {drawn.category}")
                return


def own_calls(slices):
    """The calls of the program, with their depths. Calls of the kernel and schedule calls do not count for the depth."""
    result, open_others = [], []
    for call in slices:
        del open_others[next((i for i, other in enumerate(open_others) if other.depth >= call.depth),
                             len(open_others)):]
        if call.category == "[kernel]" or (call.category == "sched" and call.name.startswith("linux:schedule")):
            open_others.append(call)
        else:
            result.append((call, call.depth - len(open_others)))
    return result


def same_begin(call, drawn, depth):
    """Compares the starts of two calls. A call that was read from the records, and not from uftrace's dump, has no name."""
    return (call.begin, call.depth) == (drawn.begin, depth) and (
        not call.name or uftrace.is_same_name(drawn.name, call.name))


if __name__ == "__main__":
    sys.exit(judging.judge(__doc__, CallComparison))
