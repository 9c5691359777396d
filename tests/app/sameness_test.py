#!/usr/bin/env python3
"""Converts recordings in many ways that must give the same calls.

The number of threads, the number of open files, the name and storage of the input, and the encoding of calls must not change
the calls. A trace that is made as a whole must have the same calls as its parts together. The inputs are recordings, and
random ones from generator.py and trace_file_generator.py. The environment variable PROGRAMS is the directory with the
programs, FAIL_CALL_LIBRARY is the library that reverses directories, and SEEDS=FIRST:END are the seeds to try.
"""

import functools
import gzip
import json
import os
import resource
import subprocess
import tarfile
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path
from unittest import mock

import generator
import trace_file_generator

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
RECORDINGS = [f"samples/uftrace/{name}" for name in ("calc", "family", "pool", "shapes")] + [
    f"tests/uftrace/recordings/{name}" for name in ("args-auto", "damaged", "execs", "kernel", "pool", "sched")
] + ["samples/gdb/heater.tfile", "samples/both/stones.trace"]
VERSION = subprocess.run([PROGRAMS / "fxt-convert", "--version"], capture_output=True, check=True).stdout
MAX_ARGUMENTS = 15
FEW_FILES = 32
EVENT_KINDS = ("instant", "counter", "begin", "end", "complete", "flow-begin", "flow-step", "flow-end")
SEEDS = range(*map(int, os.environ.get("SEEDS", "0:3").split(":")))


def summed(counts):
    """Sums pairs of a key and a count."""
    sums = Counter()
    for key, count in counts:
        sums[key] += count
    return sums


class Events:
    """The calls of a trace, regardless of their encoding, and all its other events."""

    def __init__(self, path):
        dumped = subprocess.run([PROGRAMS / "fxt-dump", "--json", path], capture_output=True, check=True)
        self.calls, self.others, self.switches, stacks = Counter(), Counter(), Counter(), defaultdict(list)
        self.late, latest = set(), 0  # times of context switches that come after later switches in the file
        for record in map(json.loads, dumped.stdout.splitlines()):
            if record["kind"] == "context-switch":
                if record["time"] < latest:
                    self.late.add(record["time"])
                latest = max(record["time"], latest)
                self.switches[(record["time"], *(str(record[name]) for name in sorted(record.keys() - {"offset"})))] += 1
            if record["kind"] not in EVENT_KINDS:
                continue
            thread = (record["thread"]["process"], record["thread"]["thread"])
            values = {argument["name"]: str(argument["value"]) for argument in record.get("arguments", [])}
            call = (thread, record.get("category"), record.get("name"), record["time"])
            if record["kind"] == "complete":
                self.add(call, record["end"], values)
            elif record["kind"] == "begin":
                stacks[thread].append((call, values))
            elif record["kind"] == "end":
                begin, at_begin = stacks[thread].pop()
                self.add(begin, record["time"], at_begin | values)
            else:
                self.others[(record["kind"], *call, record.get("id"), *sorted(values.items()))] += 1
        assert not any(stacks.values()), f"{path}: calls are open at the end"

    def add(self, call, end, values):
        # If both the start and the end of a call were repaired, the call has two reasons.
        reasons = ",".join(values.pop(name) for name in ("repaired", "repaired_end") if name in values)
        self.calls[(*call, end, reasons, *sorted(values.items()))] += 1

    def begins(self):
        """The starts of the calls that begin in this part of a trace."""
        return summed((call[:4], count) for call, count in self.calls.items()
                      if not {("cut", "begin"), ("cut", "both")} & set(call[6:]))

    def ends(self):
        """The ends of the calls that end in this part, without additional calls for flows that continue in a later part."""
        return summed(((*call[:3], call[4]), count) for call, count in self.calls.items()
                      if not {("cut", "end"), ("cut", "both")} & set(call[6:]) and not is_for_an_arrow(call))

    def of_kind(self, kind):
        """Times and other data of events of this kind. The id of a flow is ignored, because it differs between files."""
        return summed(((key[4], key[1:4], *key[6 if kind.startswith("flow") else 5:]), count)
                      for key, count in self.others.items() if key[0] == kind)

    def carried(self):
        """Events that set a state. The state lasts until the next such event, so each part repeats it at its start."""
        return self.of_kind("counter"), self.switches

    def times(self):
        return sorted({*(call[3] for call in self.calls), *(call[4] for call in self.calls), *(key[4] for key in self.others),
                       *(key[0] for key in self.switches)})


def is_of_recording(event):
    """True for events of the whole recording. Each conversion has them on the first thread that is shown."""
    return event[1][2].startswith(("uftrace info", "external-data"))


def is_for_an_arrow(call):
    """True for an additional call of no length. If a flow continues in a later part, it ends in such a call here."""
    return call[1] == "event" and call[3] == call[4]


def cut_of(call, edges):
    """The edges where a range cuts a call. A call with the maximum number of arguments has no argument for this."""
    values = dict(call[6:])
    if "cut" in values or len(values) < MAX_ARGUMENTS:
        return values.get("cut", "")
    return {(True, False): "begin", (False, True): "end", (True, True): "both"}.get((call[3] in edges, call[4] in edges), "")


def joined(parts, edges=()):
    """Joins the calls of a trace from its consecutive parts: thread, category, name, start and end. No event is at an edge."""
    calls, begun = Counter(), defaultdict(list)
    for part in parts:
        going_on = defaultdict(list)  # for calls that began in an earlier part: their ends, and whether they continue
        begins = defaultdict(list)
        for call, count in part.calls.items():
            name, cut = call[:3], cut_of(call, edges)
            if cut in ("begin", "both"):
                going_on[name] += count * [(call[4], cut == "both")]
            elif cut == "end":
                begins[name] += count * [call[3]]
            else:
                calls[call[:5]] += count
        for name in begun.keys() | going_on.keys():
            # Calls with the same name are nested: the outermost call begins first and ends last.
            for begin, (end, goes_on) in zip(sorted(begun[name]), sorted(going_on[name], reverse=True), strict=True):
                if goes_on:
                    begins[name].append(begin)
                else:
                    calls[(*name, begin, end)] += 1
        begun = begins
    assert not any(begun.values()), f"calls go on behind the last part: {begun}"
    return calls


class Sameness(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        made = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.recordings = [REPOSITORY / name for name in RECORDINGS]
        for seed in SEEDS:
            cls.recordings.append(generator.Recording(seed, 150).write(made / f"{seed}.data"))
            cls.recordings.append(trace_file_generator.TraceFile(seed, 50).write(made / f"{seed}.tfile"))

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_program(self, program, *arguments, folder=REPOSITORY):
        done = subprocess.run([PROGRAMS / program, *map(str, arguments)], capture_output=True, check=False, timeout=120,
                              cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def convert(self, *arguments, output="out.fxt", folder=REPOSITORY):
        path = self.folder / output
        self.run_program("fxt-convert", "-f", "-q", "--cpu-tracks", *arguments, path, folder=folder)
        self.assertEqual(self.run_program("fxt-dump", "--check", "--werror", path), b"", arguments)
        return path

    def cut(self, *arguments):
        path = self.folder / "cut.fxt"
        self.run_program("fxt-cut", "-q", "-f", *arguments, path)
        # With --tid, a flow that ends in an omitted thread has no end, so the check would report it.
        if "--tid" not in arguments:
            self.assertEqual(self.run_program("fxt-dump", "--check", "--werror", path), b"", arguments)
        return Events(path)

    def assert_joined(self, parts, whole):
        """Compares the consecutive parts of a trace with the whole trace: all events except calls."""
        def together(kind):
            return sum((part.of_kind(kind) for part in parts), Counter())

        for kind in "instant", "flow-begin":
            self.assertEqual(together(kind), whole.of_kind(kind))
        # If a flow begins in one part and ends in a later part, it ends at the edge of the part in which it begins. Therefore,
        # only the numbers of ends are compared.
        self.assertEqual(together("flow-end").total(), whole.of_kind("flow-end").total())
        for of_whole, *of_parts in zip(whole.carried(), *(part.carried() for part in parts)):
            self.assert_none(of_whole - sum(of_parts, Counter()))
            for part, events in zip(parts, of_parts):
                # If events come late in the trace, a piece may contain events from before its start.
                begin = next((time for time in part.times() if time not in whole.late), None)
                self.assertEqual({event[0] for event in events - of_whole} - {begin}, set())

    def assert_none(self, calls):
        self.assertEqual(sorted(map(str, calls)), [])

    def for_all(self, check):
        for recording in self.recordings:
            with self.subTest(recording.name):
                check(recording)

    def report(self, recording):
        return json.loads(self.run_program("fxt-convert", "-f", "--cpu-tracks", "--report=json", recording, self.folder / "span.fxt"))

    def span(self, recording):
        report = self.report(recording)
        return report["first_ns"], report["last_ns"]

    def first_call(self, recording):
        """The start of the view. Times with a unit count from there. For a trace file, which has no calls, it is the time of
        the first event."""
        report = self.report(recording)
        return report["view_ns"][0] if recording.is_dir() and "view_ns" in report else report["first_ns"]

    def test_threads_compression_and_names_do_not_matter(self):
        def check(recording):
            expected = self.convert("-j1", recording).read_bytes()
            for jobs in ("-j2", "-j4"):
                self.assertEqual(self.convert(jobs, recording).read_bytes(), expected, jobs)
            packed = self.folder / "out.fxt.gz"
            self.run_program("fxt-convert", "-f", "-q", "--cpu-tracks", recording, packed)
            self.assertEqual(gzip.decompress(packed.read_bytes()), expected)
            link = self.folder / recording.name
            link.symlink_to(recording)
            names = [link, recording.name, f"./{recording.name}"]
            if recording.is_dir():
                names += [f"{recording.name}/", f"{recording.name}/.", f"../{recording.parent.name}//{recording.name}"]
                self.assertEqual(self.convert(".", folder=recording).read_bytes(), expected)
            for name in names:
                self.assertEqual(self.convert(name, folder=recording.parent).read_bytes(), expected, name)
            link.unlink()

        self.for_all(check)

    @unittest.skipIf(b"no libarchive" in VERSION, "built without libarchive")
    def test_an_archive_gives_the_same_as_its_recording(self):
        def check(recording):
            expected = Events(self.convert(recording))
            archive = self.folder / "run.tar.gz"
            with tarfile.open(archive, "w:gz") as tar:
                tar.add(recording, f"some/{recording.name}")
            packed = Events(self.convert(archive))
            self.assertEqual((packed.calls, packed.others), (expected.calls, expected.others))

        self.for_all(check)

    @unittest.skipIf("FAIL_CALL_LIBRARY" not in os.environ, "sanitizers want to be the first library that is loaded")
    def test_the_order_of_a_directorys_entries_does_not_matter(self):
        def check(recording):
            expected = self.convert(recording).read_bytes()
            with mock.patch.dict(os.environ, {"LD_PRELOAD": os.environ["FAIL_CALL_LIBRARY"], "REVERSE_ENTRIES": "1"}):
                listed = subprocess.run(["ls", "-U", recording], capture_output=True, check=True).stdout
                self.assertEqual(self.convert(recording).read_bytes(), expected)
            self.assertNotEqual(listed, subprocess.run(["ls", "-U", recording], capture_output=True, check=True).stdout)

        for recording in self.recordings:
            if recording.is_dir():
                with self.subTest(recording.name):
                    check(recording)

    def test_the_number_of_files_that_may_be_open_does_not_matter(self):
        """If so few files may be open, each file is opened again for each read."""
        def check(recording):
            expected = self.convert(recording).read_bytes()
            with mock.patch.object(subprocess, "run", functools.partial(
                    subprocess.run, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, FEW_FILES)))):
                self.assertEqual(self.convert(recording).read_bytes(), expected)

        self.for_all(check)

    def test_the_encoding_of_calls_does_not_matter(self):
        def check(recording):
            mixed, pairs = Events(self.convert(recording)), Events(self.convert("--durations=pairs", recording))
            self.assertEqual(mixed.calls, pairs.calls)
            self.assertEqual(mixed.others, pairs.others)

        self.for_all(check)

    def test_tracks_of_cpus_add_only_switches(self):
        def check(recording):
            with_tracks = Events(self.convert(recording))
            path = self.folder / "without.fxt"
            self.run_program("fxt-convert", "-f", "-q", recording, path)
            without = Events(path)
            self.assertEqual(without.calls, with_tracks.calls)
            self.assertFalse(without.switches)
            self.assert_none(with_tracks.others - without.others)
            names = {event[3] for event in without.others - with_tracks.others}
            self.assert_none(names - {"linux:sched-in", "linux:sched-out", "linux:task-exit"})

        self.for_all(check)

    def test_inputs_together_have_the_events_of_each(self):
        """In the combination, the threads of the second input may have other numbers, and frames without a timestamp
        may have other times."""
        def without_places(calls):
            return summed(((*call[1:3], call[4] - call[3], *call[5:]), count) for call, count in calls.items())

        def check(first, second):
            one, other = Events(self.convert(first)), Events(self.convert(second))
            path = self.folder / "both.fxt"
            self.run_program("fxt-convert", "-f", "-q", "--cpu-tracks", first, second, path)  # the inputs' clocks may be too far apart for some viewers
            both = Events(path)
            self.assert_none(one.calls - both.calls)
            self.assert_none(one.switches - both.switches)
            self.assertEqual(without_places(both.calls - one.calls), without_places(other.calls))
            for kind in "instant", "counter":
                self.assert_none(one.of_kind(kind) - both.of_kind(kind))
                self.assertEqual(both.of_kind(kind).total(), one.of_kind(kind).total() + other.of_kind(kind).total())

        for first, second in zip(self.recordings, self.recordings[1:]):
            with self.subTest(f"{first.name} {second.name}"):
                check(first, second)

    def test_a_range_of_the_input_is_a_range_of_the_trace(self):
        def check(recording):
            whole = self.convert(recording, output="whole.fxt")
            (first, last), first_call = self.span(recording), self.first_call(recording)
            for eighths in ((0, 3), (3, 6), (6, 8)):
                edges = [first + (last - first) * eighth // 8 for eighth in eighths]
                asked = "~".join(f"{edge // 10**9}.{edge % 10**9:09}" for edge in edges)
                part, of_trace = Events(self.convert("-r", asked, recording)), self.cut("-r", asked, whole)
                self.assertEqual(part.calls, of_trace.calls, asked)
                self.assertEqual((part.others, part.switches), (of_trace.others, of_trace.switches), asked)
                since_start = "~".join(f"{edge - first}ns" for edge in edges)
                self.assertEqual(self.cut("-r", since_start, whole).calls, part.calls)
                edges = [max(edge, first_call) for edge in edges]
                since_call = "~".join(f"{edge - first_call}ns" for edge in edges)
                seconds = "~".join(f"{edge // 10**9}.{edge % 10**9:09}" for edge in edges)
                self.assertEqual(Events(self.convert("-r", since_call, recording)).calls,
                                 Events(self.convert("-r", seconds, recording)).calls)

        self.for_all(check)

    def test_adjacent_ranges_make_the_range(self):
        def check(recording):
            whole = Events(self.convert(recording))
            times = whole.times()
            # The edges are at times without events.
            middles = [(a + b) // 2 for a, b in zip(times, times[1:]) if b - a > 1]
            edges = [times[0], *middles[len(middles) // 3::len(middles) // 3 + 1], times[-1]]
            ranges = ["~".join(f"{edge // 10**9}.{edge % 10**9:09}" for edge in pair) for pair in zip(edges, edges[1:])]
            parts = [Events(self.convert("-r", asked, recording)) for asked in ranges]
            calls, expected = joined(parts, edges[1:-1]), joined([whole])
            self.assert_none(expected - calls)
            self.assert_none(call for call in calls - expected if not is_for_an_arrow(call))
            self.assert_joined(parts, whole)

        self.for_all(check)

    def test_pieces_make_the_whole(self):
        def check(recording):
            trace = self.convert(recording, output="whole.fxt")
            whole = Events(trace)
            first, last = self.span(recording)
            for option in f"--split-time={(last - first) // 7 + 1}ns", "--split-size=8k":
                for program, of_all in (["fxt-convert", "--cpu-tracks"], recording), (["fxt-cut"], trace):
                    parts = []
                    self.run_program(*program, "-f", "-q", option, of_all, self.folder / "piece.fxt")
                    for path in sorted(self.folder.glob("piece.*.fxt")):
                        self.assertEqual(self.run_program("fxt-dump", "--check", "--werror", path), b"")
                        parts.append(Events(path))
                        path.unlink()
                    self.assert_none(whole.begins() - sum((part.begins() for part in parts), Counter()))
                    self.assert_joined(parts, whole)
                    self.assertEqual(sum((part.ends() for part in parts), Counter()), whole.ends())

        self.for_all(check)

    def test_single_threads_make_the_whole(self):
        def check(recording):
            trace = self.convert(recording, output="whole.fxt")
            whole, parts = Events(trace), []
            for thread in {call[0][1] for call in whole.calls}:
                parts.append(part := Events(self.convert("--tid", thread, recording)))
                of_trace = self.cut("--tid", thread, trace)
                # At the start of a flow, fxt-cut does not know yet whether the flow ends in an omitted thread. If so, fxt-cut adds
                # a call of no length on the kept thread, at the time of the end. Added calls are not compared.
                calls = Counter({call: count for call, count in of_trace.calls.items() if call[1] != "event" or call[3] != call[4]})
                self.assertEqual((part.calls, part.carried()), (calls, of_trace.carried()))
                for more, less in (part, of_trace), (of_trace, part):
                    self.assert_none(event for event in more.of_kind("instant") - less.of_kind("instant") if not is_of_recording(event))
            self.assertEqual(sum((part.calls for part in parts), Counter()), whole.calls)
            for kind in "instant", "counter":
                events = sum((part.of_kind(kind) for part in parts), Counter())
                self.assert_none(event for event in whole.of_kind(kind) - events if not is_of_recording(event))
                self.assert_none(event for event in events - whole.of_kind(kind) if not is_of_recording(event))
            self.assertEqual(sum((part.switches for part in parts), Counter()), whole.switches)

        for recording in self.recordings:
            if recording.suffix not in (".tfile", ".trace"):  # in trace files, ids are made up
                with self.subTest(recording.name):
                    check(recording)


if __name__ == "__main__":
    unittest.main()
