#!/usr/bin/env python3
"""Random recordings and trace files (generator.py) are shown as what they hold: every call at its times and depth, with its arguments, every
frame with its values. Damaged ones end with an exit code as documented, and what is not damaged is shown.

The directory with the programs is in the environment variable PROGRAMS; SEEDS=FIRST:END are the seeds to try.
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

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader as fxt  # noqa: E402
import viewers  # noqa: E402

PROGRAMS = Path(os.environ["PROGRAMS"])
SEEDS = range(*map(int, os.environ.get("SEEDS", "0:25").split(":")))


def key(call):
    """Of a call as Perfetto draws it, as generator.Call.key()."""
    return (*call.thread, call.category, call.name, call.begin, call.end, call.depth,
            *sorted((name, str(value)) for name, value in call.args.items()))


def inherits(thread, damaged, at):
    """Whether the damage lies before what tells which calls the thread inherited."""
    return thread.parent is not None and (thread.parent is damaged and at < thread.forked_at or inherits(thread.parent, damaged, at))


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
        """What the report says, and what the trace holds; nothing if there is none."""
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
        # A damaged time may be so far away that it is noted.
        readers = "perfetto,fuchsia-cpp,fuchsia-rust,spec"
        if not any(note["kind"] == "long-span" for note in report["notes"]):
            readers += ",tracy"
        self.assertEqual(self.run_program("fxt-dump", "--check", "--werror", "--for", readers, self.output).stdout, b"")
        return report, fxt.read(self.output)

    def test_recordings(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                recording = generator.Recording(seed)
                truth = recording.truth
                report, trace = self.convert(recording.write(self.folder / f"{seed}.data"))
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
                self_times = Counter()
                for call in json.loads(self.run_program("fxt-dump", "--stats", "--json", self.output).stdout)["calls"]:
                    self_times[call["name"]] += call["self_ns"]
                self.assertEqual(+self_times, +truth.self_times())

    def test_trace_files(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                file = generator.TraceFile(seed)
                report, trace = self.convert(file.write(self.folder / f"{seed}.tfile"))
                self.assertEqual(report["records_read"], len(file.frames))
                values, times, ends = defaultdict(dict), defaultdict(set), {}
                marks = [(event.time, event.args) for event in trace.events if event.type == fxt.INSTANT]
                for call in viewers.PerfettoView(trace.events).slices:
                    marks.append((call.begin, call.args))
                    if "frame" in call.args and call.category == "tracepoint":
                        ends[call.args["frame"]] = max(call.end, ends.get(call.args["frame"], 0))
                for time, arguments in marks:
                    if "frame" in arguments:
                        values[arguments["frame"]] |= arguments
                        times[arguments["frame"]].add(time)
                self.assertEqual(times, {number: {frame.time} for number, frame in enumerate(file.frames)})
                for number, frame in enumerate(file.frames):
                    if frame.end is not None:
                        self.assertEqual(ends[number], frame.end)
                    for names, value in {"tracepoint": frame.tracepoint, "pc": frame.pc, **frame.values}.items():
                        shown = [values[number][name] for name in ([names] if isinstance(names, str) else names)
                                 if name in values[number]]
                        self.assertEqual(shown, [value], (number, names))

    def test_damage_in_one_thread(self):
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
                    # What the parent's records tell of inherited calls is right if their ends tell the same.
                    if inherits(call.thread, damaged, at) and "inherited-call" in call.arguments.get("repaired", "") and (
                            call.end_at is None or recording.has("losses")):
                        continue
                    keys = [call.key()]
                    if call.thread is damaged and call.end_at + 16 > at:
                        # Only the record behind a payload tells where that ends: it is skipped, with a note.
                        keys.append(call.key(without="retval"))
                    self.assertTrue(any(shown[key] for key in keys), keys[0])

    def test_damage_anywhere(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                recording, file = generator.Recording(seed, 100), generator.TraceFile(seed, 50)
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
