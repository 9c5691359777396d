#!/usr/bin/env python3
"""Tests --format json, and names that end in .json.

The JSON must have the same calls, instants, counters, flows and names as the FXT, for whole traces, ranges and pieces. Every
reader of JSON must accept the JSON. If TRACE_PROCESSOR_SHELL names Perfetto's trace processor, it must find the same slices
in both files. The directory with the programs is in the environment variable PROGRAMS.
"""

import csv
import gzip
import io
import json
import os
import subprocess
import tempfile
import unittest
from collections import Counter
from decimal import Decimal
from pathlib import Path

from recording import entry, leave, write_recording

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"]).resolve()
POOL = REPOSITORY / "samples/uftrace/pool"
SAMPLES = [*sorted((REPOSITORY / "samples/uftrace").iterdir()), *sorted((REPOSITORY / "samples/gdb").iterdir()),
           *(REPOSITORY / "tests/uftrace/recordings" / name for name in ("args-auto", "pool")), REPOSITORY / "tests/app/both/stones"]
PHASES = {"instant": "i", "counter": "C", "begin": "B", "end": "E", "complete": "X", "flow-begin": "s", "flow-end": "f"}
LARGEST = 2**53


def value_of(argument, is_point):
    """The value as in JSON."""
    kind, value = argument["type"], argument["value"]
    if kind == "pointer":
        return hex(value)
    if kind == "f64":
        return value if isinstance(value, str) else Decimal(repr(value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST and not is_point:
        return str(value)
    return value


def events_of_trace(path):
    """The events of an FXT trace as JSON has them, all names, the number of records that are events, and the number of
    records that JSON can't express."""
    dumped = subprocess.run([PROGRAMS / "fxt-dump", "--json", path], capture_output=True, check=True).stdout
    events, names, count, left_out = [], {}, 0, 0
    for record in map(json.loads, dumped.splitlines()):
        kind = record["kind"]
        arguments = record.get("arguments", [])
        if kind == "kernel-object":
            names[arguments[0]["value"] if arguments else None, record["koid"]] = record["name"]
        elif kind in PHASES:
            count += 1
            thread = record["thread"]["process"], record["thread"]["thread"]
            arguments_of = tuple((argument["name"], value_of(argument, kind == "counter")) for argument in arguments)
            if kind == "end":
                begin = next((i for i in reversed(range(len(events))) if events[i][1:3] == thread and events[i][0] == "B"
                              and events[i][3] == record["time"]), None) if events and events[-1][3] == record["time"] else None
                if begin is not None:  # a call of no length is one object
                    events[begin] = ("X", *events[begin][1:4], record["time"], *events[begin][5:8], events[begin][8] + arguments_of)
                    continue
            is_alone = kind == "counter" and len(arguments_of) == 1 and arguments_of[0][0] != record["name"]
            name = f"{record['name']}:{arguments_of[0][0]}" if is_alone else record["name"]
            events.append((PHASES[kind], *thread, record["time"], record.get("end"),
                           record["category"], name, record.get("id") or None,
                           arguments_of))
        elif kind not in {"magic", "provider-info", "initialization", "string", "thread"} and record["name" if kind == "blob" else "kind"] != "perfetto":
            left_out += 1
    return events, names, count, left_out


def text_of(path):
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")


def ns_of(microseconds):
    return int(microseconds * 1000)


def events_of_json(path):
    text = text_of(path)
    if any(character < " " and character != "\n" for character in text):
        raise AssertionError("there are control characters")
    def object_of(pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            raise AssertionError(f"a member comes twice: {pairs}")
        return members
    whole = json.loads(text, parse_float=Decimal, parse_constant=lambda word: 1 / 0, object_pairs_hook=object_of)
    events, names = [], {}
    for event in whole["traceEvents"]:
        if event["ph"] == "M":
            names[(event["pid"], event["tid"]) if event["name"] == "thread_name" else (None, event["pid"])] = event["args"]["name"]
            continue
        time = ns_of(event["ts"])
        events.append((event["ph"], event["pid"], event["tid"], time, time + ns_of(event["dur"]) if event["ph"] == "X" else None, event["cat"],
                       event["name"], int(event["id"], 16) if "id" in event else None, tuple(event.get("args", {}).items())))
    return events, names


class Json(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def convert(self, *arguments):
        process = subprocess.run([PROGRAMS / "fxt-convert", "-f", *arguments], capture_output=True, check=False, timeout=120)
        self.assertEqual((process.stderr.decode(), process.returncode), ("", 0))
        return process.stdout

    def assert_same(self, trace, as_json, report=None):
        events, names, count, left_out = events_of_trace(trace)
        self.assertEqual(events_of_json(as_json), (events, names))
        if report is not None:
            notes = {note["kind"]: note["count"] for note in report["notes"]}
            self.assertEqual(notes.get("not-in-json", 0), left_out)
            self.assertEqual(report["events_written"], count)
        return events

    def test_json_has_all_events_of_the_samples(self):
        phases = Counter()
        for sample in SAMPLES:
            for options in ["--durations=mixed"], ["--durations=pairs", "--cpu-tracks"]:
                with self.subTest(sample.name, options=options):
                    self.convert("-q", *options, sample, self.folder / "out.fxt")
                    report = json.loads(self.convert("--report=json", *options, sample, self.folder / "out.json"))
                    phases.update(event[0] for event in self.assert_same(self.folder / "out.fxt", self.folder / "out.json", report))
        self.assertEqual(phases.keys(), set("iCBEXsf"))

    def test_ranges_and_pieces_have_the_same_events(self):
        for sample in SAMPLES:
            self.convert("-q", sample, self.folder / "whole.fxt")
            times = sorted(event[3] for event in events_of_trace(self.folder / "whole.fxt")[0])
            length = times[-1] - times[0]
            middle = "~".join(f"{time // 10**9}.{time % 10**9:09}" for time in (times[len(times) // 3], times[len(times) * 2 // 3]))
            for options in [f"--time-range={middle}"], [f"--split-time={length // 5 + 1}ns"], ["--split-size=20k", "--durations=mixed"]:
                with self.subTest(sample.name, options=options):
                    self.convert("-q", "--durations=pairs", *options, sample, self.folder / "part.fxt")
                    self.convert("-q", *options, sample, self.folder / "part.json.gz")
                    traces, pieces = (sorted(self.folder.glob(f"part.*{suffix}")) for suffix in ("fxt", "json.gz"))
                    self.assertEqual([path.name.replace(".fxt", ".json.gz") for path in traces], [path.name for path in pieces])
                    self.assertGreater(len(traces), 0)
                    for trace, piece in zip(traces, pieces):
                        self.assert_same(trace, piece)
                        trace.unlink()
                        piece.unlink()

    def test_the_name_or_the_option_chooses(self):
        self.convert("-q", POOL, self.folder / "named.json")
        expected = (self.folder / "named.json").read_bytes()
        self.convert("-q", "--format=json", POOL, self.folder / "other")
        self.assertEqual((self.folder / "other").read_bytes(), expected)
        self.assertEqual(self.convert("-q", "--format=json", POOL, "-"), expected)
        self.convert("-q", "-j4", POOL, self.folder / "packed.json.gz")
        self.assertEqual(gzip.decompress((self.folder / "packed.json.gz").read_bytes()), expected)
        link = self.folder / "pool"
        link.symlink_to(POOL)
        self.convert("-q", "--format=json", link)
        self.assertEqual((self.folder / "pool.json").read_bytes(), expected)
        self.convert("-q", "--durations=pairs", POOL, self.folder / "whole.fxt")
        subprocess.run([PROGRAMS / "fxt-cut", "-q", self.folder / "whole.fxt", self.folder / "cut.json"], check=True)
        self.assertEqual(events_of_json(self.folder / "cut.json"), events_of_json(self.folder / "named.json"))
        cut = [PROGRAMS / "fxt-cut", "-q", "--format=json", self.folder / "whole.fxt"]
        subprocess.run([*cut, self.folder / "other-cut"], check=True)
        as_json = (self.folder / "cut.json").read_bytes()
        self.assertEqual((self.folder / "other-cut").read_bytes(), as_json)
        self.assertEqual(subprocess.run([*cut, "-"], capture_output=True, check=True).stdout, as_json)
        process = subprocess.run([*cut, "x.fxt"], capture_output=True, check=False, cwd=self.folder)
        self.assertIn(b"the output is a JSON trace, not a .fxt file; name it x.json", process.stderr)

    def test_only_json_is_replaced_by_json(self):
        self.convert("-q", POOL, self.folder / "a.json")
        trace = self.folder / "trace"
        self.convert("-q", POOL, trace)
        notes = self.folder / "notes.json"
        notes.write_text("[1]")
        for target, refused in ((self.folder / "a.json", None), (trace, trace), (notes, notes)):
            process = subprocess.run([PROGRAMS / "fxt-convert", "-q", "--format=json", POOL, target], capture_output=True, check=False)
            problem = f"fxt-convert: '{refused}' exists and is not a JSON trace; use --force to overwrite it\nTry 'fxt-convert --help'.\n"
            self.assertEqual(process.stderr.decode(), problem if refused else "")
        for option, name, text in (("fxt", "x.json.gz", "an FXT trace, not a .json file; name it x.fxt.gz"),
                                   ("json", "x.fxt", "a JSON trace, not a .fxt file; name it x.json"),
                                   ("json", "x.pftrace", "a JSON trace, not a .pftrace file; name it x.json")):
            process = subprocess.run([PROGRAMS / "fxt-convert", f"--format={option}", POOL, name], capture_output=True, check=False, cwd=self.folder)
            self.assertEqual(process.stderr.decode(), f"fxt-convert: '{name}': the output is {text}, or use --force to write it under this name\n"
                             "Try 'fxt-convert --help'.\n")

    def test_hostile_names_are_the_same_in_both_formats(self):
        # Names with control characters, a terminal escape, invalid UTF-8, a lone surrogate, characters that reorder text,
        # quotes, and a name of 40,000 bytes.
        names = [b"\x01\x1b[31m", b"\x7f\xc2\x9b", b"\xff\xfe", b"\xed\xa0\x80", "\u202e\u2028\ufeff\uffff".encode(), b'"\\/\',:]}',
                 b"</script>", "\U0001f600 \u00e4".encode(), b"x" * 40_000]
        calls = b"".join(entry(2_000_000_000 + 100 * i, 0, 0x400100 + 16 * i) + leave(2_000_000_000 + 100 * i + 50, 0, 0x400100 + 16 * i)
                         for i in range(len(names)))
        recording = write_recording(self.folder / "hostile", [calls])
        symbols = [f"{0x100 + 16 * i:016x} T ".encode() + name for i, name in enumerate([*names, b"__sym_end"])]
        (recording / "app.sym").write_bytes(b"\n".join(symbols) + b"\n")
        for name in "out.fxt", "out.json":
            self.convert("-q", "--durations=mixed", recording, self.folder / name)
        events = self.assert_same(self.folder / "out.fxt", self.folder / "out.json")
        self.assertIn("\U0001f600 \u00e4", {event[6] for event in events})
        self.assertEqual(len({event[6] for event in events if event[0] == "X"}), len(names))

    def test_a_call_of_no_length_is_one_object(self):
        """If the start and the end were two objects, Perfetto would process the end first."""
        calls = [entry(1000, 0, 0x400100), entry(1000, 1, 0x400110), leave(1000, 1, 0x400110), leave(1000, 0, 0x400100),
                 entry(2000, 0, 0x400120), entry(3000, 1, 0x400110), leave(3000, 1, 0x400110), leave(3000, 0, 0x400120)]
        recording = write_recording(self.folder / "short", calls)
        self.convert("-q", "--durations=pairs", recording, self.folder / "out.fxt")
        self.convert("-q", recording, self.folder / "out.json")
        events = self.assert_same(self.folder / "out.fxt", self.folder / "out.json")
        self.assertEqual([event[0] for event in events if event[0] != "i"], ["X", "X", "B", "X", "E"])

    def test_times_are_exact(self):
        times = [1, 990, 1_000, 1_795_199_419_123_456_789, 9_223_372_036_854_775_000]
        recording = write_recording(self.folder / "exact", (entry(time, 0, 0x400100) + leave(time + 7, 0, 0x400100) for time in times))
        self.convert("-q", "--durations=mixed", recording, self.folder / "out.json")
        calls = [event for event in events_of_json(self.folder / "out.json")[0] if event[0] == "X"]
        self.assertEqual([event[3:5] for event in calls], [(time, time + 7) for time in times])
        self.assertIn('"ts":1795199419123456.789,"dur":0.007,', text_of(self.folder / "out.json"))

    @unittest.skipIf("TRACE_PROCESSOR_SHELL" not in os.environ, "TRACE_PROCESSOR_SHELL does not name Perfetto's trace processor")
    def test_perfetto_draws_the_same(self):
        # At equal times, Perfetto processes the longest call first. The depth of a call without a length may differ, so it is
        # not compared.
        query = """SELECT s.ts, s.dur, iif(s.dur = 0, 0, s.depth), s.category, s.name, t.tid, p.pid, t.name FROM slice s
                   JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid) JOIN process p USING (upid)
                   ORDER BY 1, 2, 3, 4, 5, 6"""
        for sample in SAMPLES:
            with self.subTest(sample.name):
                found = []
                for name in "out.fxt", "out.json":
                    self.convert("-q", sample, self.folder / name)
                    (self.folder / "query").write_text(query)
                    shell = subprocess.run([os.environ["TRACE_PROCESSOR_SHELL"], "-q", self.folder / "query", self.folder / name],
                                           capture_output=True, check=True)
                    found.append(list(csv.reader(io.StringIO(shell.stdout.decode()))))
                self.assertGreater(len(found[0]), 1)
                self.assertEqual(found[0], found[1])


if __name__ == "__main__":
    unittest.main()
