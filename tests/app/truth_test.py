#!/usr/bin/env python3
"""Converts random recordings and trace files, and compares the trace with their contents.

generator.py and trace_file_generator.py make the inputs. The trace must have every call with its times, depth and arguments,
and every frame with its values. For a damaged input, the exit code must be a documented one, and the undamaged parts must be
shown. The environment variable PROGRAMS is the directory with the programs, and SEEDS=FIRST:END are the seeds to try.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

import generator
import trace_file_generator

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader as fxt  # noqa: E402
import viewers  # noqa: E402

PROGRAMS = Path(os.environ["PROGRAMS"])
# Notes about values that can't be shown without the program, and about registers that were not requested.
KINDS_OF_UNTYPED = {"untyped-values", "registers-left-out", "register-layout", "byte-order", "item-not-recorded"}
RUNNING, DEAD = 1, 5  # states in FXT
SEEDS = range(*map(int, os.environ.get("SEEDS", "0:25").split(":")))


def key(call):
    """The key of a call as Perfetto draws it, like generator.Call.key()."""
    return (*call.thread, call.category, call.name, call.begin, call.end, call.depth,
            *sorted((name, str(value)) for name, value in call.args.items()))


def inherits(thread, damaged, at):
    """True if the damage is before the data that determine the inherited calls of the thread."""
    return thread.parent is not None and (thread.parent is damaged and at < thread.forked_at or inherits(thread.parent, damaged, at))


class ShownFrames:
    """Frames of a trace by number: their arguments, memory, threads and times, and the time at which the steps of a hit
    end."""

    def __init__(self, trace):
        self.values, self.times, self.threads, self.ends = defaultdict(dict), defaultdict(set), {}, {}
        self.memory = defaultdict(dict)
        for name, content in trace.blobs.items():
            match name.split("/"):
                case ["gdb", "frame", number, "memory", address]:
                    self.memory[int(number)][int(address, 0)] = content
        for event in trace.events:
            if event.type == fxt.INSTANT:
                self.add(event.time, event.thread, event.args)
        for call in viewers.PerfettoView(trace.events).slices:
            self.add(call.begin, call.thread, call.args)
            if "frame" in call.args and call.category == "tracepoint":
                self.ends[call.args["frame"]] = max(call.end, self.ends.get(call.args["frame"], 0))

    def add(self, time, thread, arguments):
        if (number := arguments.get("frame")) is not None:
            self.values[number] |= arguments
            self.times[number].add(time)
            self.threads.setdefault(number, thread)


class Truth(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.output = self.folder / "output" / "out.fxt"

    def run_program(self, program, *arguments):
        done = subprocess.run([PROGRAMS / program, *map(str, arguments)], capture_output=True, check=False, timeout=120)
        self.assertNotIn(b"terminate", done.stderr)
        return done

    def convert(self, *arguments, codes=(0,)):
        """The report and the content of the trace; nothing if there is no trace."""
        shutil.rmtree(self.output.parent, ignore_errors=True)
        self.output.parent.mkdir()
        done = self.run_program("fxt-convert", "--report=json", *arguments, self.output)
        self.assertIn(done.returncode, codes, done.stderr)
        if done.returncode in (1, 2):
            self.assertRegex(done.stderr.decode(errors="replace"), "^fxt-convert: ")
            self.assertEqual(list(self.output.parent.iterdir()), [])
            return None, None
        self.assertEqual(list(self.output.parent.iterdir()), [self.output])
        report = json.loads(done.stdout)
        # A damaged time can make the trace too long for Tracy. A note reports this.
        readers = "perfetto,fuchsia-cpp,fuchsia-rust,spec"
        if not any(note["kind"] == "long-span" for note in report["notes"]):
            readers += ",tracy"
        checked = self.run_program("fxt-dump", "--check", "--werror", "--for", readers, self.output).stdout.splitlines()
        self.assertEqual([line for line in checked if b": note W29 " not in line], [])
        return report, fxt.read(self.output)

    def test_recordings_are_shown_with_their_contents(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                recording = generator.Recording(seed)
                truth = recording.truth
                path = recording.write(self.folder / f"{seed}.data")
                report, trace = self.convert("--cpu-tracks", path)
                view = viewers.PerfettoView(trace.events)
                self.assertEqual(view.complaints, [])
                shown, expected = Counter(map(key, view.slices)), Counter(call.key() for call in truth.calls)
                self.assertEqual((sorted(expected - shown), sorted(shown - expected)), ([], []))
                self.assertEqual(report["records_read"], truth.records)
                lost = sum(note["count"] for note in report["notes"] if note["kind"] == "records-lost")
                self.assertEqual(lost, truth.lost)
                kernels = Counter({note["kind"]: note["count"] for note in report["notes"] if note["kind"] in ("kernel-events-lost", "switches-lost")})
                self.assertEqual(kernels, truth.lost_by_kernel)
                instants = Counter((*event.thread, event.category, event.name, event.time, *sorted((name, str(value)) for name, value in event.args.items()))
                                   for event in trace.events if event.type == fxt.INSTANT)
                marks = Counter((thread.process.tid, thread.tid, category, name, time,
                                 *sorted((argument, str(getattr(value, "tid", value))) for argument, value in arguments.items()))
                                for thread, category, name, time, arguments in truth.marks)
                self.assertEqual(sorted(marks - instants), [])
                for thread in recording.threads:
                    if (thread.process.tid, thread.tid) in trace.thread_names:
                        self.assertEqual(trace.thread_names[thread.process.tid, thread.tid], truth.names.get(thread, thread.image))
                counters = Counter((*event.thread, event.name, event.time, *sorted(event.args.items()))
                                   for event in trace.events if event.type == fxt.COUNTER)
                self.assertEqual(counters, Counter((thread.process.tid, thread.tid, name, time, *sorted(values.items()))
                                                   for thread, name, time, values in truth.counters))
                self.check_switches(recording, trace)
                self_times = Counter()
                for call in json.loads(self.run_program("fxt-dump", "--stats", "--json", self.output).stdout)["calls"]:
                    self_times[call["name"]] += call["self_ns"]
                self.assertEqual(+self_times, +truth.self_times())
                self.check_without_tracks(path, trace, view)

    def check_without_tracks(self, path, trace, view):
        """Checks a trace without CPU tracks. It has no switches and wakeups. All other records are the same, and instants
        show the switches of perf that no call shows."""
        report, calls_only = self.convert(path)
        self.assertEqual((calls_only.switches, calls_only.wakeups), ([], []))
        self.assertEqual(Counter(map(key, viewers.PerfettoView(calls_only.events).slices)), Counter(map(key, view.slices)))
        with_tracks, without = ([(*event.thread, event.type, event.category, event.name, event.time, event.extra, *sorted(event.args.items()))
                                 for event in events if event.type in (fxt.INSTANT, fxt.COUNTER)]
                                for events in (trace.events, calls_only.events))
        added = Counter(without)
        added.subtract(Counter(with_tracks))
        self.assertEqual({(event[3], event[4]) for event in added if added[event] != 0}
                         - {("sched", f"linux:{name}") for name in ("sched-in", "sched-out", "task-exit")}, set())
        self.assertTrue(all(count >= 0 for count in added.values()))
        has_note = any(note["kind"] == "cpu-tracks-left-out" for note in report["notes"])
        self.assertEqual(has_note, any(state != DEAD for *_, state in trace.switches))

    def check_switches(self, recording, trace):
        """Checks the switches of perf, or of the kernel if perf recorded none. In addition, the trace may show that a thread
        leaves its CPU at its end. With perf, it may also show the first time on a CPU, which perf does not record."""
        teller = "perf" if recording.perf else "kernel"
        expected = Counter((time, thread.cpu, thread.tid, how) for time, thread, how in recording.truth.switches[teller])
        shown, dead = Counter(), Counter()
        for time, cpu, (_, outgoing), (_, incoming), state in trace.switches:
            if incoming:
                shown[time, cpu, incoming, "comes"] += 1
            elif state == DEAD:
                dead[outgoing] += 1
            else:
                shown[time, cpu, outgoing, "preempted" if state == RUNNING else "waits"] += 1
        self.assertEqual(sorted(expected - shown), [])
        begins = {thread for _, _, thread, _ in shown - expected}
        self.assertEqual((shown - expected).total(), len(begins) if teller == "perf" else 0)
        self.assertLessEqual(max(dead.values(), default=0), 1)
        wakeups = Counter((time, cpu, thread.tid, waker.tid if waker else None) for time, cpu, thread, waker in recording.truth.wakeups
                          if teller == "kernel")
        self.assertEqual(Counter((time, cpu, thread, waker) for time, cpu, thread, waker in trace.wakeups), wakeups)

    def test_trace_files_are_shown_with_their_contents(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                file = trace_file_generator.TraceFile(seed)
                path = file.write(self.folder / f"{seed}.tfile")
                report, trace = self.convert(path)
                shown = ShownFrames(trace)
                self.check_numbers_of_frames(file, report)
                # If the buffer wraps inside a frame, only the start of the frame is left. An incomplete frame may also be
                # shown.
                lost = len(file.frames) - report["records_read"]
                self.assertEqual(shown.times.keys(), {*range(report["records_read"])})
                numbers, is_behind = {}, False
                for i, frame in enumerate(file.frames):
                    is_behind |= frame.is_lost
                    if not frame.is_lost:
                        numbers[i - lost * is_behind] = frame
                self.check_frames(file, shown, numbers)
                self.check_times(file, shown, numbers)
                if not lost:  # the rest of a frame may have another thread's registers
                    self.check_threads(shown, numbers)
                self.check_tracepoints(file, path)

    def check_numbers_of_frames(self, file, report):
        lost = sum(frame.is_lost for frame in file.frames)
        missing = len(file.frames) - report["records_read"]
        self.assertIn(missing, (lost, lost - 1) if lost else (0,))
        notes = Counter({note["kind"]: note["count"] for note in report["notes"] if note["kind"] not in KINDS_OF_UNTYPED})
        expected = file.notes + Counter({"frames-missing": missing})
        if lost:  # the note about a range without frames depends on its content
            for kind in "skipped-bytes", "damaged-frame", "synthetic-time", "no-time-stamps", "time-reversed", "bad-time":
                del notes[kind], expected[kind]
        self.assertEqual(notes, +expected)

    def check_frames(self, file, shown, numbers):
        has_lost = len(numbers) < len(file.frames)
        for number, frame in numbers.items():
            if frame.end is not None and not has_lost:
                self.assertEqual(shown.ends[number], frame.end)
            arguments = shown.values[number]
            for name, value in {"tracepoint": frame.tracepoint, **frame.values}.items():
                # If a value can be shown in several ways, the trace must have exactly one of them.
                expected = value if isinstance(value, dict) else {name: value}
                found = {name: arguments[name] for name in expected if name in arguments}
                self.assertEqual(len(found), 1, (number, name))
                self.assertLessEqual(found.items(), expected.items(), number)
            self.assertEqual(shown.memory[number], frame.memory, number)
            self.assertEqual(arguments.get("pc"), frame.pc, number)
            self.assertEqual(arguments.get("time"), None if frame.time is not None else "synthetic", number)
            registers = {name for name in arguments if name.startswith("reg.")} - {f"reg.{name}" for name in trace_file_generator.SPECIAL | {"eflags"}}
            self.assertLessEqual(registers, frame.values.keys())

    def check_times(self, file, shown, numbers):
        """Frames without a timestamp are between their neighbors."""
        latest = 0
        for number, frame in sorted(numbers.items()):
            if number - 1 not in numbers:  # only the start of this frame is left; its timestamp may be garbage
                latest = 0
            if frame.time is not None:
                self.assertEqual(shown.times[number], {frame.time}, number)
            self.assertEqual(len(shown.times[number]), 1)
            time, = shown.times[number]
            if not file.has("unordered"):
                self.assertLessEqual(latest, time, number)
            latest = time

    def check_threads(self, shown, numbers):
        """Frames are in one thread if their identifying data are the same."""
        pairs = {(frame.thread, shown.threads[number]) for number, frame in numbers.items() if frame.thread is not None}
        self.assertEqual(len({thread for thread, _ in pairs}), len(pairs), pairs)
        self.assertEqual(len({thread for _, thread in pairs}), len(pairs), pairs)

    def check_tracepoints(self, file, path):
        outline = json.loads(self.run_program("fxt-convert", "--inspect=all", "--report", "json", path).stdout)
        locations = [(tracepoint, address) for tracepoint in file.tracepoints for address in tracepoint.addresses]
        self.assertEqual(
            sorted((told["tracepoint"], told["address"], told["kind"], told.get("steps", 0), told.get("condition", "")) for told in outline["tracepoints"]),
            sorted((tracepoint.number, f"{address:#x}", "fast" if tracepoint.is_fast else "static" if tracepoint.is_static else "trap",
                    tracepoint.steps, f"${tracepoint.condition}" if tracepoint.condition else "") for tracepoint, address in locations))
        initial = {told["name"]: told["initial"] for told in outline["variables"] if not told["computed"]}
        self.assertEqual(initial, {f"${name}": file.initial[i] for i, name in file.variables.items()})

    def test_calls_before_the_damage_and_in_other_threads_are_shown(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                recording, rng = generator.Recording(seed), random.Random(seed)
                directory = recording.write(self.folder / f"{seed}.data")
                damaged = rng.choice([thread for thread in recording.threads if thread.data])
                at, content = generator.damage(bytes(damaged.data), rng)
                (directory / f"{damaged.tid}.dat").write_bytes(content)
                _, trace = self.convert(directory)
                shown = Counter(map(key, viewers.PerfettoView(trace.events).slices))
                for call in recording.truth.calls:
                    if call.thread is damaged and (call.end_at is None or call.end_at > at):
                        continue
                    # The damage may change the calls that the child inherits.
                    if inherits(call.thread, damaged, at) and "inherited-call" in call.arguments.get("repaired", "") and (
                            call.end_at is None or recording.has("losses")):
                        continue
                    keys = [call.key()]
                    if call.thread is damaged and call.end_at + 16 > at:
                        # The record after a payload shows where the payload ends. If that record is damaged, the payload is
                        # skipped, and a note reports this.
                        keys.append(call.key(without="retval"))
                    self.assertTrue(any(shown[key] for key in keys), keys[0])

    def test_damage_anywhere_ends_with_a_documented_exit_code(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                recording, file = generator.Recording(seed, 100), trace_file_generator.TraceFile(seed, 50)
                directory = recording.write(self.folder / f"{seed}.data")
                for _ in range(rng.randrange(1, 4)):
                    path = rng.choice(sorted(directory.iterdir()))
                    path.write_bytes(generator.damage(path.read_bytes(), rng)[1])
                    if rng.random() < 0.1:
                        path.unlink()
                trace_file = self.folder / f"{seed}.tfile"
                trace_file.write_bytes(generator.damage(file.content(), rng)[1])
                for damaged in directory, trace_file:
                    self.convert(damaged, codes=(0, 1))
                    self.convert("--strict", "-j4", damaged, codes=(0, 1, 3))
                    self.assertIn(self.run_program("fxt-convert", "--inspect", damaged).returncode, (0, 1))
                if self.output.exists():
                    self.output.write_bytes(generator.damage(self.output.read_bytes(), rng)[1])
                    for options in (), ("--check",), ("--stats",), ("--tree",):
                        self.assertIn(self.run_program("fxt-dump", *options, self.output).returncode, (0, 1))
                    self.assertIn(self.run_program("fxt-cut", "-q", "-r", "0.1us~1s", self.output, self.folder / "cut.fxt").returncode,
                                  (0, 1))


if __name__ == "__main__":
    unittest.main()
