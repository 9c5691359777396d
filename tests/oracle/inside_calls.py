#!/usr/bin/env python3
"""Checks a uftrace recording and a GDB trace file of one run on one timeline.

Each frame must be inside the call and thread in which it was recorded. Unless the inputs are kept apart, the frame must
also be on this thread. The program collects its own gettid() as `tid`, which connects GDB's threads with uftrace's threads.
A frame of a function has the name of the function. A frame of a source line is in the function that collects `tid`.
"""

import argparse
import collections
import subprocess
import sys
import tempfile
from pathlib import Path

import fxt_reader as fxt


def calls_of(trace):
    """(begin, end, name) of every call, by thread id."""
    calls, open_calls = collections.defaultdict(list), collections.defaultdict(list)
    for event in trace.events:
        if event.category in ("tracepoint", "sched"):  # GDB stops a thread at each hit, so the thread is off the CPU
            continue
        if event.type == fxt.COMPLETE:
            calls[event.thread[1]].append((event.time, event.extra, event.name))
        elif event.type == fxt.BEGIN:
            open_calls[event.thread].append(event)
        elif event.type == fxt.END:
            begin = open_calls[event.thread].pop()
            calls[event.thread[1]].append((begin.time, event.time, begin.name))
    return calls


def innermost(calls, time):
    around = [call for call in calls if call[0] <= time <= call[1]]
    return max(around, key=lambda call: (call[0], -call[1]))[2] if around else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="FXT_CONVERT")
    parser.add_argument("recording", metavar="RECORDING")
    parser.add_argument("trace_file", metavar="TRACE-FILE")
    given = parser.parse_args()
    return max(judge(given.program, given.recording, given.trace_file, *options) for options in ([], ["--apart"]))


def judge(program, recording, trace_file, *options):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.fxt"
        subprocess.run([program, "--report=none", *options, recording, trace_file, output], check=True)
        trace = fxt.read(output)
    calls = calls_of(trace)
    frames = [event for event in trace.events
              if event.category == "tracepoint" and event.type in (fxt.INSTANT, fxt.BEGIN) and "tracepoint" in event.args]
    tids = collections.defaultdict(set)
    for frame in frames:
        if "tid" in frame.args:
            tids[frame.thread].add(frame.args["tid"])
    problems = []
    if sorted(len(own) for own in tids.values()) != [1] * len({frame.thread for frame in frames}):
        problems.append(f"GDB's threads are not uftrace's: {dict(tids)}")
    if not options and any(own != {thread[1]} for thread, own in tids.items()):
        problems.append(f"GDB's threads are not drawn on uftrace's: {dict(tids)}")
    functions = {name for own in calls.values() for _, _, name in own}
    for frame in frames if not problems else []:
        tid, = tids[frame.thread]
        found = innermost(calls[tid], frame.time)
        expected = frame.name if frame.name in functions else "carry"
        if found != expected:
            problems.append(f"frame {frame.args['frame']}, {frame.name} at {frame.time} ns, lies in {found} of thread {tid}")
    print(f"{' '.join(options)} {trace_file}: {len(frames)} frames of {len(tids)} threads, {len(problems)} outside of their calls")
    print("\n".join(problems[:10]))
    return 1 if problems or not frames else 0


if __name__ == "__main__":
    sys.exit(main())
