#!/usr/bin/env python3
"""Tests --fit of fxt-convert and fxt-cut.

The trace has at most the requested size, and the longest calls. Each call has the number and time of the omitted calls inside
it. The environment variable PROGRAMS is the directory with the programs, and SEEDS=FIRST:END are the seeds to try.
"""

import gzip
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

import generator
from recording import entry, leave, record, write_recording

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader as fxt  # noqa: E402
import viewers  # noqa: E402

PROGRAMS = Path(os.environ["PROGRAMS"])
RECORDINGS = [f"samples/uftrace/{name}" for name in ("calc", "family", "pool", "shapes")] + [
    f"tests/uftrace/recordings/{name}"
    for name in ("args-auto", "callsite", "damaged", "exec-args", "execs", "family", "i386-args", "kernel", "kernel-events", "pool", "read-mixed",
                 "sched", "sdt", "watch-var")]
MISSING = ("left_out", "left_out_ns")
SLACK = 64  # maximum error of the estimated size of a whole trace, in bytes
SEEDS = range(*map(int, os.environ.get("SEEDS", "0:4").split(":")))
MAIN, WORK, LEAF = 0x400100, 0x400200, 0x400300


class TooSmall(Exception):
    """The size is too small for any call."""


class Trace:
    """The calls of a trace, with the calls directly inside each."""

    def __init__(self, path):
        self.size = path.stat().st_size
        view = viewers.PerfettoView(fxt.read(path).events)
        assert not view.complaints, view.complaints
        self.calls = view.slices
        self.inside = defaultdict(list)
        stacks = defaultdict(list)
        for call in self.calls:
            stack = stacks[call.thread][:call.depth]
            self.inside[id(stack[-1]) if stack else call.thread].append(call)
            stacks[call.thread] = [*stack, call]

    def self_ns(self, call):
        return call.end - call.begin - sum(inner.end - inner.begin for inner in self.inside[id(call)])


def key(call):
    """A call without its depth, and without the arguments of --fit."""
    return (call.thread, call.category, call.name, call.begin, call.end,
            *sorted((name, str(value)) for name, value in call.args.items() if name not in MISSING))


COUNTER, INSTANT = 100005, 1000000  # events of uftrace: read:pmu-cycle, and an event of a program


def write_others(folder, counters=0, instants=0, switches=0, calls=0):
    """Writes a recording with these numbers of counter values, instants, slices on a CPU, and calls, all inside `main`."""
    rand, time, records, perf = random.Random(1), 1_000_000_000, [entry(999_999_000, 0, MAIN)], []
    events = [COUNTER] * counters + [INSTANT] * instants + [0] * switches + [LEAF] * calls
    rand.shuffle(events)
    for event in events:
        time += rand.choice((10, 1000, 3000, 100_000))
        if event == LEAF:
            records += [entry(time, 1, LEAF), leave(time + rand.randrange(1, 9), 1, LEAF)]
        elif event == COUNTER:
            records.append(record(time, 7, 0, COUNTER) + struct.pack("<HQQ6x", 16, rand.randrange(1000), time))
        elif event == INSTANT:
            records.append(record(time, 3, 0, INSTANT))
        else:
            length = rand.randrange(1, 1_000_000)
            for misc, at in ((0, time), (0x2000, time + length)):
                perf.append(struct.pack("<IHHIIQ", 14, misc, 24, 1000, 1000, at))
            time += length
        time += 10
    write_recording(folder, [*records, leave(time, 0, MAIN)])
    (folder / "events.txt").write_text(f"EVENT: {INSTANT} app:tick\n")
    if switches:
        (folder / "perf-cpu0.dat").write_bytes(b"".join(perf))
    return folder


def extremes(samples, width, series):
    """The indices of the samples that are the lowest, the highest or the last one of their slot, in any series."""
    slots = defaultdict(list)
    for number, sample in enumerate(samples):
        slots[sample.time // width].append(number)
    return {pick for numbers in slots.values() for name in series
            for pick in (min(numbers, key=lambda n: (samples[n].args[name], n)), max(numbers, key=lambda n: (samples[n].args[name], -n)), numbers[-1])}


def slices(trace):
    """The times in which a thread is on a CPU: CPU, thread, begin and end. Times without an end are left out."""
    running, found = {}, set()
    for time, cpu, _, incoming, _ in trace.switches:
        if cpu in running:
            found.add((cpu, *running.pop(cpu), time))
        if incoming[1] != 0:
            running[cpu] = incoming, time
    return found


class Fit(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def convert(self, recording, *options, name="out.fxt"):
        """Returns the path of the trace and the report."""
        output = self.directory / name
        done = subprocess.run([PROGRAMS / "fxt-convert", "--report=json", *options, "-o", output, recording],
                              cwd=REPOSITORY, capture_output=True, text=True)
        if "but --fit allows" in done.stderr:
            raise TooSmall
        self.assertEqual(done.returncode, 0, done.stderr)
        return output, json.loads(done.stdout)

    def checked(self, recording, size, *options):
        """Returns the trace and its report, after the checks that a trace of every size must pass."""
        path, report = self.convert(recording, f"--fit={size}", *options)
        self.assertLessEqual(path.stat().st_size, size)
        trace = Trace(path)
        if "fitted" not in report:
            self.assertNotIn("fitted", [note["kind"] for note in report["notes"]])
            return trace, report
        fitted = report["fitted"]
        note = next(note for note in report["notes"] if note["kind"] == "fitted")
        self.assertEqual(note["count"], fitted["left_out"])
        missing = [call for call in trace.calls if "left_out" in call.args]
        self.assertLessEqual(sum(call.args["left_out"] for call in missing), fitted["left_out"])
        self.assertEqual(sum(call.args["left_out_ns"] for call in missing), fitted["left_out_ns"] - fitted["outside_ns"])
        return trace, report

    def assert_same_times(self, full, fitted):
        """Checks the self time of each shown call. It is the self time in the full trace, plus the self times of the missing
        calls. Each missing call counts only for the innermost shown call around it."""
        counts = Counter(map(key, fitted.calls))
        shown = {}
        for call in full.calls:
            if counts[key(call)] > 0:
                counts[key(call)] -= 1
                shown.setdefault(key(call), []).append(call)
        self.assertEqual(+counts, Counter())
        is_shown = {id(call) for calls in shown.values() for call in calls}

        def missing_in(call):
            """The calls that are missing in a shown one, with their self times."""
            for inner in full.inside[id(call)]:
                if id(inner) not in is_shown:
                    yield inner
                    yield from missing_in(inner)

        for call in fitted.calls:
            same = shown[key(call)].pop(0)
            missing = list(missing_in(same))
            self.assertEqual(call.args.get("left_out", 0), len(missing), call)
            self.assertEqual(call.args.get("left_out_ns", 0), sum(map(full.self_ns, missing)), call)
            self.assertEqual(fitted.self_ns(call) - call.args.get("left_out_ns", 0), full.self_ns(same), call)

    def test_short_calls_are_left_out_until_the_trace_fits(self):
        # main lasts from 0 to 1000. main calls work from 100 to 400, and leaf from 500 to 501. work calls leaf twice.
        recording = write_recording(self.directory / "run", [
            entry(1000, 0, MAIN), entry(1100, 1, WORK), entry(1150, 2, LEAF), leave(1160, 2, LEAF), entry(1200, 2, LEAF),
            leave(1290, 2, LEAF), leave(1400, 1, WORK), entry(1500, 1, LEAF), leave(1501, 1, LEAF), leave(2000, 0, MAIN)])
        whole, report = self.convert(recording, name="whole.fxt")
        size = whole.stat().st_size
        self.assertNotIn("fitted", report)
        same, report = self.convert(recording, f"--fit={size + SLACK}")
        self.assertNotIn("fitted", report)
        self.assertEqual(same.read_bytes(), whole.read_bytes())
        seen = set()
        for bytes_left in range(size + 8, size - 120, -8):
            done = subprocess.run([PROGRAMS / "fxt-convert", f"--fit={bytes_left}", "-q", "-o", self.directory / "out.fxt", recording],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                self.assertIn("but --fit allows", done.stderr)
                break
            trace, report = self.checked(recording, bytes_left)
            if "fitted" not in report:
                continue
            calls = [(call.begin - 1000, call.end - 1000, call.args.get("left_out"), call.args.get("left_out_ns")) for call in trace.calls]
            seen.add((report["fitted"]["shortest_ns"], *calls))
        work, long_leaf, main = (100, 400), (200, 290), (0, 1000)
        self.assertIn((300, (*main, 1, 1), (*work, 2, 100)), seen)
        self.assertIn((1000, (*main, 4, 301)), seen)
        self.assertLessEqual({shown for shown in seen if len(shown) > 1}, {
            (10, (*main, 1, 1), (*work, None, None), (150, 160, None, None), (*long_leaf, None, None)),
            (90, (*main, 1, 1), (*work, 1, 10), (*long_leaf, None, None)),
            (300, (*main, 1, 1), (*work, 2, 100)),
            (1000, (*main, 4, 301))})

    def assert_best(self, recording, *options):
        """Checks that a trace of each size up to the whole has the longest calls that fit, and shows them like -t."""
        whole, _ = self.convert(recording, *options, name="whole.fxt")
        full, size = Trace(whole), whole.stat().st_size
        sizes_of = {}
        for parts in range(1, 33):
            limit = size * parts // 32 + (SLACK if parts == 32 else 0)
            done = subprocess.run([PROGRAMS / "fxt-convert", f"--fit={limit}", "-q", *options, "-o", self.directory / "out.fxt", recording],
                                  cwd=REPOSITORY, capture_output=True, text=True)
            if "but --fit allows" in done.stderr:
                continue
            trace, report = self.checked(recording, limit, *options)
            self.assert_same_times(full, trace)
            if parts == 32:
                self.assertNotIn("fitted", report)
                self.assertEqual((self.directory / "out.fxt").read_bytes(), whole.read_bytes())
            elif not any(note["kind"] == "thinned" for note in report["notes"]):
                sizes_of[limit] = (report["fitted"]["shortest_ns"] if "fitted" in report else 0, trace.size)
        for limit, (shortest, _) in sizes_of.items():
            fitting = [other for other, other_size in sizes_of.values() if other_size <= limit]
            self.assertEqual(shortest, min(fitting), limit)

    def cut(self, trace, *options, name="cut.fxt", code=0):
        """Returns the path of the new trace and the messages."""
        output = self.directory / name
        output.unlink(missing_ok=True)
        done = subprocess.run([PROGRAMS / "fxt-cut", *options, trace, output], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return output, done.stderr

    def test_fxt_cut_does_the_same(self):
        """fxt-cut does the same to traces, also if calls have separate starts and ends."""
        for recording in ("samples/uftrace/pool", "samples/uftrace/family", "tests/uftrace/recordings/sched"):
            for form in "mixed", "pairs":
                whole, _ = self.convert(recording, f"--durations={form}", name="whole.fxt")
                copy, _ = self.cut(whole, name="copy.fxt")
                full, size = Trace(copy), copy.stat().st_size
                fitted, _ = self.cut(whole, f"--fit={size}")
                self.assertEqual(fitted.read_bytes(), copy.read_bytes())
                for percent in range(40, 100, 6):
                    limit = size * percent // 100
                    done = subprocess.run([PROGRAMS / "fxt-cut", f"--fit={limit * 9 // 10}", whole, self.directory / "try.fxt"],
                                          capture_output=True, text=True)
                    if "records other than durations, counters" in done.stderr:
                        continue
                    with self.subTest(f"{recording} {form} {percent}"):
                        fitted, messages = self.cut(whole, f"--fit={limit}")
                        self.assertLessEqual(fitted.stat().st_size, limit)
                        self.assertIn("omitted, with a total time of", messages)
                        self.assert_same_times(full, Trace(fitted))
                        again, _ = self.cut(fitted, f"--fit={limit * 9 // 10}", name="again.fxt")
                        self.assert_same_times(full, Trace(again))

    def test_cut_refuses_what_it_cannot_read_again(self):
        whole, _ = self.convert("samples/uftrace/pool", name="whole.fxt")
        for paths in (["-", "out.fxt"], [whole, "-"]):
            done = subprocess.run([PROGRAMS / "fxt-cut", "--fit=10k", *paths], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, cwd=self.directory)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--fit reads and writes the trace several times", done.stderr)
        _, messages = self.cut(whole, "--fit=1k", code=1)
        self.assertIn("records other than durations, counters, switches and instants take", messages)

    @unittest.skipIf("FAIL_CALL_LIBRARY" not in os.environ, "sanitizers keep freed memory")
    def test_memory_is_bounded(self):
        """The memory does not grow with the number of shown calls."""
        peaks = []
        for calls in 600_000, 1_500_000:
            records = b"".join(one for number in range(calls // 2) for one in (
                entry(1000 + 40 * number, 1, WORK), entry(1001 + 40 * number, 2, LEAF), leave(1002 + 40 * number, 2, LEAF),
                leave(1015 + 40 * number + number % 25, 1, WORK)))
            recording = write_recording(self.directory / f"{calls}", [entry(999, 0, MAIN), records, leave(1000 + 40 * calls, 0, MAIN)])
            whole, _ = self.convert(recording, "--durations=pairs", name="whole.fxt")
            limit = whole.stat().st_size * 8 // 10
            # The peak memory of a child includes its parent's memory until exec(), so a small program starts the child.
            script = ("import os, resource, sys; code = os.spawnv(os.P_WAIT, sys.argv[1], sys.argv[1:]); "
                      "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)")
            done = subprocess.run([sys.executable, "-c", script, PROGRAMS / "fxt-cut", "-qf", f"--fit={limit}", whole, self.directory / "cut.fxt"],
                                  check=True, capture_output=True, text=True)
            self.assertGreater((self.directory / "cut.fxt").stat().st_size, limit * 0.6)
            peaks.append(int(done.stdout))
        self.assertLess(peaks[1] - peaks[0], 4000, peaks)

    def test_a_call_that_is_cut_says_what_is_missing(self):
        """The range ends inside of the call."""
        records = [entry(1000, 0, MAIN), entry(1100, 1, WORK)]
        for time in range(1200, 1800, 20):
            records += [entry(time, 2, LEAF), leave(time + 5, 2, LEAF)]
        recording = write_recording(self.directory / "run", [*records, leave(3000, 1, WORK), leave(4000, 0, MAIN)])
        for form in "mixed", "pairs":
            whole, _ = self.convert(recording, f"--durations={form}", name="whole.fxt")
            part, _ = self.cut(whole, "-r~1000ns", name="part.fxt")
            fitted, _ = self.cut(whole, "-r~1000ns", f"--fit={part.stat().st_size - 100}")
            calls = Trace(fitted).calls
            self.assertEqual([(call.name, call.args.get("left_out"), call.args.get("left_out_ns"), call.args.get("cut")) for call in calls],
                             [(calls[0].name, None, None, "end"), (calls[1].name, 30, 150, "end")], form)

    def test_the_times_of_a_range_add_up(self):
        """Calls begin before the range or end after it, and the end of some of them is not read. An index changes nothing."""
        rand, time, records = random.Random(1), 1_000_000_000, [entry(999_999_990, 0, MAIN)]
        phase = 0x400400
        for number in range(24_000):
            if number % 1000 == 0:
                records += [*([leave(time, 1, phase)] if number else []), entry(time, 1, phase)]
            records.append(entry(time, 2, WORK))
            for _ in range(3):
                time += 10
                records.append(entry(time, 3, LEAF))
                time += 10 * rand.choice((1, 2, 5, 300 if number % 7 == 0 else 4))
                records.append(leave(time, 3, LEAF))
            time += 10
            records.append(leave(time, 2, WORK))
        recording = write_recording(self.directory / "run", [*records, leave(time, 1, phase), leave(time + 10, 0, MAIN)])
        index = self.directory / "index"
        index.mkdir()
        full = Trace(self.convert(recording, name="whole.fxt")[0])
        length = time - 1_000_000_000
        for from_percent, to_percent in ((20, 21), (50, 54), (98, 101)):
            begin, end = (1_000_000_005 + length * percent // 1000 * 10 for percent in (from_percent, to_percent))
            part = "~".join(f"{ns // 10**9}.{ns % 10**9:09}" for ns in (begin, end))

            def part_of(call):
                return call.name, max(call.begin, begin), min(call.end, end)

            def length_of(call):
                return max(0, min(call.end, end) - max(call.begin, begin))
            self_ns = {part_of(call): length_of(call) - sum(map(length_of, full.inside[id(call)])) for call in full.calls if length_of(call)}
            size = self.convert(recording, f"-r{part}", name="part.fxt")[0].stat().st_size
            for percent in (5, 30, 80):
                with self.subTest(f"{part} {percent}"):
                    options = (f"-r{part}", f"--fit={size * percent // 100}")
                    path, report = self.convert(recording, *options)
                    trace = Trace(path)
                    for call in trace.calls:
                        self.assertEqual(trace.self_ns(call) - call.args.get("left_out_ns", 0), self_ns[part_of(call)], call)
                    left_out = sum(call.args.get("left_out", 0) for call in trace.calls)
                    self.assertEqual(len(trace.calls) + left_out, len(self_ns))
                    self.assertEqual(report["fitted"]["left_out"], left_out)
                    if from_percent == 20:  # each round of reading takes some MiB
                        self.assertLess(report["records_read"], len(records) * 0.95)
                    for more in (["-j1"], [f"--index={index}", "--index-step=64Ki"], [f"--index={index}", "--index-step=64Ki"]):
                        self.assertEqual(self.convert(recording, *options, *more, name="again.fxt")[0].read_bytes(), path.read_bytes())

    def test_recordings_get_the_longest_calls_that_fit(self):
        for recording in RECORDINGS:
            with self.subTest(recording):
                self.assert_best(recording)

    def test_the_calls_are_those_of_the_time_filter(self):
        """The calls are those of -t with the length that --fit chose."""
        for recording in ("samples/uftrace/calc", "samples/uftrace/pool", "samples/uftrace/shapes"):
            whole, _ = self.convert(recording, name="whole.fxt")
            for percent in range(40, 100, 10):
                with self.subTest(f"{recording} {percent}"):
                    try:
                        path, report = self.convert(recording, f"--fit={whole.stat().st_size * percent // 100}")
                    except TooSmall:
                        continue
                    filtered, _ = self.convert(recording, f"-t{report['fitted']['shortest_ns']}", name="filtered.fxt")
                    self.assertEqual(Counter(map(key, Trace(path).calls)), Counter(map(key, Trace(filtered).calls)))

    def test_traces_with_other_options_fit(self):
        pool = "tests/uftrace/recordings/pool"
        for options in (["-r1ms~3ms"], ["--cpu-tracks"], ["--durations=pairs"], ["-t1us"], ["--no-event"], ["--max-depth=3"], ["-j1"]):
            whole, _ = self.convert(pool, *options, name="whole.fxt")
            for percent in (60, 75, 90, 100):
                with self.subTest(f"{options} {percent}"):
                    limit = whole.stat().st_size * percent // 100 + (SLACK if percent == 100 else 0)
                    try:
                        path, report = self.convert(pool, f"--fit={limit}", *options)
                    except TooSmall:
                        continue
                    self.assertLessEqual(path.stat().st_size, limit)
                    self.assertEqual("fitted" in report, percent != 100)
                    if percent == 100:
                        self.assertEqual(path.read_bytes(), whole.read_bytes())

    def test_other_kinds_of_outputs_fit(self):
        pool = "tests/uftrace/recordings/pool"
        plain, report = self.convert(pool, "--fit=9k")
        self.assertIn("fitted", report)
        done = subprocess.run([PROGRAMS / "fxt-convert", "-q", "--fit=9k", "-o", "-", pool], cwd=REPOSITORY, capture_output=True, check=True)
        self.assertEqual(done.stdout, plain.read_bytes())
        packed, _ = self.convert(pool, "--fit=9k", name="out.fxt.gz")
        self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes())
        self.convert(pool, "--fit=12k", "--split-size=4k", "--force", name="piece.fxt")
        pieces = list(self.directory.glob("piece.*.fxt"))
        self.assertGreater(len(pieces), 1)
        self.assertLessEqual(sum(piece.stat().st_size for piece in pieces), 12_000)

    # ---- Other events than calls ----

    def assert_thinned(self, whole, fitted, limit):
        """Checks which records of each kind stay. Returns the number of records of each kind that were left out."""
        self.assertLessEqual(fitted.stat().st_size, limit)
        full, thin = fxt.read(whole), fxt.read(fitted)
        left_out = []
        for kind in (1, 0):  # counters and instants
            both = [[event for event in trace.events if event.type == kind and event.name != "first" and event.category != "uftrace"]
                    for trace in (full, thin)]
            places = {(event.time, event.name): number for number, event in enumerate(both[0])}
            kept = {places[event.time, event.name] for event in both[1]}
            self.assertEqual(len(kept), len(both[1]))
            left_out.append(len(both[0]) - len(kept))
            if not left_out[-1]:
                continue
            named = defaultdict(list)
            for event in both[0]:
                named[event.name].append(event)
            expected = []
            for width in (1 << bits for bits in range(45)):
                stays = set()
                for events in named.values():
                    numbers = extremes(events, width, events[0].args) if kind == 1 else \
                        {number for number in range(len(events)) if number == 0 or events[number].time // width != events[number - 1].time // width}
                    stays |= {places[events[number].time, events[number].name] for number in numbers}
                expected.append(stays)
            # `expected` has the records that stay for each length of time slots. The trace has all records that stay for one length,
            # and perhaps some of those that also stay for half of this length.
            self.assertTrue(any(longer - {0} <= kept - {0} <= shorter for shorter, longer in zip(expected, expected[1:])))
        full_slices, thin_slices = slices(full), slices(thin)
        self.assertLessEqual(thin_slices, full_slices)
        lost = [end - begin for *_, begin, end in full_slices - thin_slices]
        if lost:
            # The first slice is never omitted.
            self.assertLess(max(lost), min((end - begin for *_, begin, end in sorted(thin_slices, key=lambda one: one[2])[1:]), default=1 << 60))
        return [*left_out, len(full.switches) + len(full.wakeups) - len(thin.switches) - len(thin.wakeups)]

    def test_other_events_are_thinned(self):
        kinds = {"counters": {"counters": 4000}, "instants": {"instants": 4000}, "switches": {"switches": 3000},
                 "mixed": {"counters": 1500, "instants": 3000, "switches": 1500, "calls": 2000}, "one": {"counters": 3, "instants": 4000}}
        for name, counts in kinds.items():
            recording = write_others(self.directory / name, **counts)
            whole, _ = self.convert(recording, "--cpu-tracks", name="whole.fxt")
            copy, _ = self.cut(whole, name="copy.fxt")
            size = whole.stat().st_size
            for percent in (95, 70, 40, 20, 5):
                limit = max(size * percent // 100, 2500)
                with self.subTest(f"{name} {percent}"):
                    fitted, report = self.convert(recording, "--cpu-tracks", f"--fit={limit}")
                    numbers = self.assert_thinned(whole, fitted, limit)
                    notes = [note for note in report["notes"] if note["kind"] == "thinned"]
                    self.assertEqual([note["count"] for note in notes], [sum(numbers)] if any(numbers) else [])
                    fitted_cut, messages = self.cut(whole, f"--fit={limit}")
                    self.assertEqual(any(self.assert_thinned(copy, fitted_cut, limit)), "left out\n" in messages)
                    if percent <= 40 and name != "mixed":
                        self.assertTrue(any(numbers))
                        self.assertGreater(fitted.stat().st_size, limit * 0.4)
                    if name == "one":
                        self.assertEqual(numbers[0], 0)
                    if name == "mixed":
                        self.assertGreater(sum(call.name != "main" for call in Trace(fitted).calls), 0)

    def test_parts_and_pieces_are_thinned(self):
        recording = write_others(self.directory / "mixed", 1000, 1000, 1000, 100)
        whole, _ = self.convert(recording, "-r10ms~200ms", "--cpu-tracks", name="whole.fxt")
        limit = whole.stat().st_size // 2
        fitted, _ = self.convert(recording, "-r10ms~200ms", "--cpu-tracks", f"--fit={limit}")
        self.assert_thinned(whole, fitted, limit)
        self.convert(recording, "--split-size=8k", "--cpu-tracks", f"--fit={limit}", "--force", name="piece.fxt")
        self.assertLessEqual(sum(piece.stat().st_size for piece in self.directory.glob("piece.*.fxt")), limit)
        packed = self.directory / "out.json"
        self.convert(recording, f"--fit={limit}", name="out.json")
        json.loads(packed.read_text())

    def test_traces_with_strings_in_records_are_thinned(self):
        """The strings stay in the records. The trace also has the newer kind of context switch."""
        rand, time, words = random.Random(3), 1000, [0x0016547846040010, 1 | 2 << 4, 10**9]
        for number in range(3000):
            time += rand.choice((1, 10, 3000, 20000))
            words += [(4 | 9 << 4 | 1 << 16 | 1 << 20 | 0x8001 << 32 | 0x8003 << 48), time, 5, 50, 0x63, 0x6d656d, 2 | 2 << 4 | 0x8001 << 16 | number << 32,
                      0x61, 7]
            words += [(4 | 6 << 4 | 0x8001 << 32 | 0x8004 << 48), time, 5, 50, 0x63, 0x6b636974]
            words += [8 | 4 << 4 | 2 << 36 | 1 << 60, time, 50 + number % 3, 50 + (number + 1) % 3]
        trace = self.directory / "foreign.fxt"
        trace.write_bytes(struct.pack(f"<{len(words)}Q", *words))
        whole, _ = self.cut(trace, name="whole.fxt")
        for percent in (90, 50, 20, 3):
            limit = whole.stat().st_size * percent // 100
            fitted, _ = self.cut(trace, f"--fit={limit}")
            self.assertTrue(any(self.assert_thinned(whole, fitted, limit)))
            self.assertGreater(fitted.stat().st_size, limit * 0.7)

    def test_random_recordings_get_the_longest_calls_that_fit(self):
        for seed in SEEDS:
            with self.subTest(seed):
                generator.Recording(seed).write(self.directory / f"{seed}")
                self.assert_best(self.directory / f"{seed}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
