#!/usr/bin/env python3
"""Checks Perfetto's first screen for the inputs on the command line, each converted with several sets of options.

  - Only processes are at the top level of Perfetto's window, also with --frames tracks. If something else is at the top
    level, Perfetto expands no process. With --utc, a date is allowed, and with --cpu-tracks, the tracks of CPUs.
  - The first view, according to the report, is from the first start to the last end of the program's calls. Without
    calls, it is from the first to the last GDB frame, with a margin of 5 %.
  - Perfetto can show the arguments of all events.

If TRACE_PROCESSOR_SHELL in the environment names Perfetto's trace processor, it loads the traces. The answers to SQL
queries must have the same groups and calls as viewers.py, and the first view of the report. The importer must report no
errors. The exit code is 1 if anything differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import fxt_reader as fxt
import viewers

# Each entry has options of the converter, and the groups that these options add to the top level of the
# tracks.
WAYS = ([], set()), (["--frames=tracks"], set()), (["--utc"], {"System"}), (["--cpu-tracks"], {"CPU Scheduling", "Scheduler"})

# Finds the names at the top level of the tracks, like these plugins of Perfetto: ProcessThreadGroups, Sched,
# TraceMetadata and TraceProcessorTrack. A track that belongs to no process and no thread is at the top level
# alone, or in a group.
GROUPS = """
  INCLUDE PERFETTO MODULE viz.summary.processes;
  INCLUDE PERFETTO MODULE viz.summary.threads;
  WITH groups AS (
    SELECT ifnull(name, 'Process') || ' ' || pid AS name
      FROM _process_available_info_summary JOIN process USING (upid)
    UNION ALL SELECT ifnull(name, 'Thread') || ' ' || tid
      FROM _thread_available_info_summary JOIN thread USING (utid) WHERE upid IS NULL
    UNION ALL SELECT 'CPU Scheduling' WHERE EXISTS (SELECT 1 FROM sched)
    UNION ALL SELECT 'Scheduler' WHERE EXISTS (SELECT 1 FROM sched)
    UNION ALL SELECT 'System' WHERE EXISTS (SELECT 1 FROM clock_snapshot)
    UNION ALL SELECT DISTINCT iif(type = 'legacy_async_global_slice', 'Global Legacy Events', type || ' ' || ifnull(name, ''))
      FROM track
      WHERE (id IN (SELECT track_id FROM slice) OR id IN (SELECT track_id FROM counter))
        AND id NOT IN (SELECT id FROM process_track UNION SELECT id FROM thread_track
                       UNION SELECT id FROM process_counter_track UNION SELECT id FROM thread_counter_track))
  SELECT hex(json_group_array(name)) FROM groups
"""
# Selects the start and the end of the whole trace, and of the traced time in the metadata. The first view of
# Perfetto is the time that is in both.
VIEW = """
  WITH traced AS (
    SELECT max(iif(name = 'tracing_started_ns', int_value, NULL)) AS start,
           max(iif(name = 'tracing_disabled_ns', int_value, NULL)) AS end
      FROM metadata)
  SELECT hex(json_array(json_array(trace_start(), trace_end()), json_array(ifnull(start, trace_start()), ifnull(end, trace_end()))))
    FROM traced
"""
ERRORS = "SELECT hex(json_group_array(name || ': ' || value)) FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
CALLS = """
  SELECT hex(json_group_array(json_array(tid, slice.name, ts, ts + dur, depth)))
    FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
"""


def is_of_the_program(event):
    if event.category == "sched":  # a program may also have the name `sched`
        return not event.name.startswith("linux:schedule")
    return event.category not in ("[kernel]", "tracepoint", "session")


def view_problem(trace, view):
    """The problem of the first view, or None."""
    calls = [event for event in trace.events if event.type in (fxt.BEGIN, fxt.END, fxt.COMPLETE) and is_of_the_program(event)]
    if calls:
        begin = min(event.time for event in calls)
        # Some calls are still open at the end of the recording. The view may end before their ends.
        ends = sorted((event.extra if event.type == fxt.COMPLETE else event.time, "open-at-end" not in event.args.values())
                      for event in calls if event.type != fxt.BEGIN)
        known = max((end for end, is_known in ends if is_known), default=begin)
        if view and view[0] == begin and known <= view[1] <= ends[-1][0]:
            return None
        return f"not {begin} to {known} or {ends[-1][0]}"
    frames = [event.time for event in trace.events if event.category == "tracepoint"]
    margin = max((max(frames) - min(frames)) // 20, 1_000) if frames else 0
    expected = [max(min(frames) - margin, 0), max(frames) + margin] if frames else None
    return None if view == expected else f"not {expected}"


def inside(whole, view):
    return [max(whole[0], view[0]), min(whole[1], view[1])]


class Screen:
    """The contents of Perfetto's window for a trace. `problems` has the errors."""

    def __init__(self, path, report, allowed):
        self.path, self.report, self.problems = path, report, []
        self.trace = fxt.read(path)
        self.groups = viewers.perfetto_groups(self.trace)
        processes = {f"{name} {process}" for process, name in self.trace.process_names.items()}
        self.others = set(self.groups) - processes
        if self.others - allowed:
            self.problems.append(f"at the top level are also {sorted(self.others - allowed)}")
        unseen = {viewers.arguments_problem(event.args) for event in self.trace.events} - {None}
        self.problems += [f"Perfetto's window shows no arguments: {problem}" for problem in sorted(unseen)]
        problem = view_problem(self.trace, report["view_ns"])
        if problem:
            self.problems.append(f"the first view is {report['view_ns']}, {problem}")

    def compare(self, trace_processor):
        self.trace_processor = trace_processor
        self.problems += [f"Perfetto's importer: {error}" for error in self.query(ERRORS)]
        found = sorted(self.query(GROUPS))
        if found != self.groups:
            self.problems.append(f"Perfetto has the groups {found}, the model {self.groups}")
        whole, view = self.query(VIEW)
        expected = self.report["view_ns"] or whole
        if inside(whole, view) != inside(whole, expected):
            self.problems.append(f"Perfetto's first view is {view} inside {whole}, not {expected}")
        self.compare_calls(Counter(map(tuple, self.query(CALLS))))

    def compare_calls(self, found):
        """Perfetto stores instants among the calls, with a length of 0."""
        calls = [event for event in self.trace.events if event.type in (fxt.BEGIN, fxt.END, fxt.COMPLETE)]
        expected = Counter((call.thread[1], call.name, call.begin, call.end, call.depth)
                           for call in viewers.PerfettoView(calls).slices)
        self.problems += [f"Perfetto does not draw {call}" for call in expected - found]
        instants = Counter((event.thread[1], event.name, event.time) for event in self.trace.events if event.type == fxt.INSTANT)
        drawn = Counter()
        for (tid, name, begin, _, _), count in (found - expected).items():
            drawn[tid, name, begin] += count
        self.problems += [f"only one of Perfetto and the file has the instant {instant}"
                          for instant in (drawn - instants) + (instants - drawn)]

    def query(self, sql):
        script = self.path.with_suffix(".sql")
        script.write_text(sql + ";\n")
        answer = subprocess.run([self.trace_processor, "-q", script, self.path], check=True, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return json.loads(bytes.fromhex(answer.splitlines()[-1].strip('"')))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("converter", help="the program fxt-convert")
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    arguments, problems, others = parser.parse_args(), 0, Counter()
    trace_processor = os.environ.get("TRACE_PROCESSOR_SHELL")
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.inputs:
            for options, allowed in WAYS:
                trace = Path(folder) / "trace.fxt"
                report = subprocess.run([arguments.converter, "-f", "--report=json", *options, path, trace], check=True,
                                        stdout=subprocess.PIPE, text=True).stdout
                screen = Screen(trace, json.loads(report), allowed)
                if trace_processor:
                    screen.compare(trace_processor)
                others.update(screen.others)
                problems += bool(screen.problems)
                print(f"{path} {' '.join(options)}: {len(screen.groups)} groups")
                print("".join(f"  {problem}\n" for problem in screen.problems[:10]), end="")
    print(f"{len(arguments.inputs)} inputs, {problems} problems; groups besides processes: {dict(others)}")
    missing = set().union(*(allowed for _, allowed in WAYS)) - set(others)
    if missing:
        print(f"no input has {sorted(missing)}, for which there are options")
    return 1 if problems or missing else 0


if __name__ == "__main__":
    sys.exit(main())
