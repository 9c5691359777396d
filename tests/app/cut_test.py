#!/usr/bin/env python3
"""--time-range, --split-time and --split-size: the written part, the files, and the messages.

The directory with the programs is in the environment variable PROGRAMS.
"""

import gzip
import json
import os
import resource
import struct
import subprocess
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from recording import entry, leave, write_recording

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
DUMP = Path(os.environ["PROGRAMS"]) / "fxt-dump"
POOL = "tests/uftrace/recordings/pool"
BOTH = ["tests/app/both/stones", "tests/app/both/stones.trace"]
HEATER = REPOSITORY / "samples/gdb/heater.tfile"


def call(time):
    return entry(time, 0, 0x400100) + leave(time + 50, 0, 0x400100)


def records(path):
    dumped = subprocess.run([DUMP, "--json", "--type=event", path], capture_output=True, check=True)
    return [json.loads(line) for line in dumped.stdout.splitlines()]


def thread_of(record):
    return record["thread"]["process"], record["thread"]["thread"]


def calls_of(path):
    """The calls of a trace, in any encoding, as [(thread, name, begin, end, cut)]."""
    calls, stacks = [], defaultdict(list)
    for record in records(path):
        stack = stacks[thread_of(record)]
        cut = {argument["name"]: argument["value"] for argument in record.get("arguments", [])}.get("cut")
        if record["kind"] == "complete":
            calls.append((thread_of(record), record["name"], record["time"], record["end"], cut))
        elif record["kind"] == "begin":
            stack.append(record)
        elif record["kind"] == "end":
            begin = stack.pop()
            assert begin["name"] == record["name"]
            calls.append((thread_of(record), record["name"], begin["time"], record["time"], cut))
    assert not any(stacks.values())
    return calls


class Cut(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.whole = self.folder / "whole.fxt"
        self.output = self.folder / "out.fxt"

    def convert(self, *arguments, **options):
        return subprocess.run([CONVERT, *arguments], capture_output=True, check=False, timeout=120, cwd=REPOSITORY,
                              **options)

    def report(self, *arguments):
        process = self.convert("--report=json", *arguments)
        self.assertEqual((process.stderr, process.returncode), (b"", 0))
        for path in self.folder.glob("*.fxt"):
            check = subprocess.run([DUMP, "--check", path], capture_output=True, check=False)
            self.assertEqual((path.name, check.stdout, check.returncode), (path.name, b"", 0))
        return json.loads(process.stdout)

    def pieces(self):
        return sorted(self.folder.glob("out.*.fxt"))

    def test_a_range_shows_calls_that_overlap_it(self):
        start = self.report(*BOTH, self.whole)["first_ns"]
        calls = calls_of(self.whole)
        first, last = start + 4_487_000_000, start + 4_491_500_000
        report = self.report("-r", "4487ms~4.4915s", *BOTH, self.output)
        self.assertGreaterEqual(report["first_ns"], first)
        self.assertLessEqual(report["last_ns"], last)
        self.assertEqual([note["kind"] for note in report["notes"] if note["kind"] == "outside-range"],
                         ["outside-range"])
        marks = {(False, False): None, (True, False): "begin", (False, True): "end", (True, True): "both"}
        expected = [(thread, name, max(begin, first), min(end, last), marks[begin < first, end > last])
                    for thread, name, begin, end, _ in calls if begin <= last and end >= first]
        self.assertTrue(any(call[-1] == "both" for call in expected))
        self.assertCountEqual(calls_of(self.output), expected)

        seconds = [f"{time // 10**9}.{time % 10**9:09}" for time in (first, last)]
        self.report("--time-range", "~".join(seconds), *BOTH, self.folder / "absolute.fxt")
        self.assertEqual((self.folder / "absolute.fxt").read_bytes(), self.output.read_bytes())

    def test_pieces_make_the_whole(self):
        self.report(POOL, self.whole)
        for options, edges in (["--split-time=200us"], 200_000), (["--split-size=12k"], None):
            for path in self.pieces():
                path.unlink()
            report = self.report(*options, POOL, self.output)
            self.assertEqual(report["pieces"], [str(path) for path in self.pieces()])
            self.assertIsNone(report["output"])
            self.assertGreater(len(report["pieces"]), 2)
            self.assertEqual(report["bytes_written"], sum(path.stat().st_size for path in self.pieces()))
            joined, going_on = [], []
            for path in self.pieces():
                here, next_on = calls_of(path), []
                if edges is not None:
                    self.assertLessEqual(max(call[3] for call in here) - min(call[2] for call in here), edges)
                else:
                    self.assertLess(path.stat().st_size, 12_200)
                for thread, name, begin, end, cut in sorted(here, key=lambda call: call[3]):
                    if cut in ("begin", "both"):
                        before = next(call for call in going_on if call[:2] == (thread, name))
                        going_on.remove(before)
                        begin = before[2]
                    (next_on if cut in ("end", "both") else joined).append((thread, name, begin, end))
                self.assertEqual(going_on, [])
                going_on = next_on
            self.assertEqual(going_on, [])
            # If a flow continues in a later piece, the earlier piece has an additional call with the flow's name, "thread".
            # In this piece, the flow ends in this call.
            joined = [call for call in joined if call[1] != "thread"]
            self.assertCountEqual(joined, [call[:4] for call in calls_of(self.whole)])

    def test_the_report_lists_the_pieces(self):
        process = self.convert("--split-time=1h", POOL, self.output)
        lines = process.stdout.decode().splitlines()
        self.assertRegex(lines[1], r"^written  1 piece: ")
        self.assertEqual(lines[2], f"         {self.folder}/out.000.fxt")

    def test_jobs_and_compression_change_nothing(self):
        options = ["-q", "--split-size=20k", POOL]
        self.assertEqual(self.convert("-j1", *options, self.output).returncode, 0)
        self.assertEqual(self.convert("-j4", *options, self.folder / "four.fxt").returncode, 0)
        self.assertEqual(self.convert(*options, self.folder / "zipped.fxt.gz").returncode, 0)
        for path in self.pieces():
            number = path.name.split(".")[1]
            self.assertEqual((self.folder / f"four.{number}.fxt").read_bytes(), path.read_bytes())
            self.assertEqual(gzip.decompress((self.folder / f"zipped.{number}.fxt.gz").read_bytes()),
                             path.read_bytes())

    def test_records_after_a_range_are_not_read(self):
        recording = write_recording(self.folder / "large", (call(2_000_000_000 + 100 * i) for i in range(400_000)))
        report = self.report("-r", "5us~5.9us", recording, self.output)
        self.assertLess(report["bytes_read"], 3_000_000)
        self.assertEqual(report["events_written"], 10)
        self.assertEqual(len(calls_of(self.output)), 10)
        self.assertEqual(self.report("-r", "2~", recording, self.output)["bytes_read"], 12_800_000)

    def waiting(self):
        """A recording of a process that came to its CPU a second before its first call. The process
        has no calls for about a second before its last one."""
        recording = write_recording(self.folder / "waiting", map(call, (2_000_000_000, 2_000_900_000, 3_000_000_000)))
        switch_in = struct.pack("<IHHIIQ", 14, 0, 24, 1000, 1000, 1_000_000_000)
        (recording / "perf-cpu0.dat").write_bytes(switch_in)
        return recording

    def test_a_time_since_the_start_counts_from_the_first_call(self):
        recording = self.waiting()
        self.report("-r", "0ms~1ms", recording, self.output)
        self.assertEqual([call[2:4] for call in calls_of(self.output)],
                         [(2_000_000_000, 2_000_000_050), (2_000_900_000, 2_000_900_050)])
        self.report("-r", "1s~", recording, self.output)
        self.assertEqual([call[2] for call in calls_of(self.output)], [3_000_000_000])
        self.report("-r", "1s~", "--offset", f"{recording}=1000000", recording, self.output)
        self.assertEqual([call[2] for call in calls_of(self.output)], [3_001_000_000])
        self.assertEqual(self.convert("-r", "2ms~1ms", recording, self.output).returncode, 2)

    def test_a_range_without_an_event_is_an_error(self):
        recording = self.waiting()
        for asked in ("1ms~2ms", "1ms~900ms", "2s~", "0.5~0.7", "2.5~2.6", "4~"):
            with self.subTest(asked):
                process = self.convert("-r", asked, recording, self.output)
                self.assertRegex(process.stderr.decode(),
                                 f"^fxt-convert: {recording}: no event is in the requested range; the trace "
                                 "(starts at 1.000000000 s|is from 1 s to 3.00000005 s)\n$")
                self.assertEqual(process.returncode, 1)
                self.assertFalse(self.output.exists())
                self.assertEqual(self.convert("-r", asked, recording, "-").returncode, 1)
        self.report(recording, self.whole)
        for tool, output in ("fxt-cut", [self.output]), ("fxt-dump", []), ("fxt-draw", [self.output.with_suffix(".svg")]):
            with self.subTest(tool):
                process = subprocess.run([CONVERT.with_name(tool), "-r", "1ms~2ms", self.whole, *output], capture_output=True, text=True, check=False)
                self.assertEqual((process.returncode, process.stdout), (1, ""))
                self.assertEqual(process.stderr, f"{tool}: {self.whole}: no event is in the requested range; the trace is from 1 s to "
                                                 "3.00000005 s\n")
                self.assertFalse(any(path.exists() for path in output))

    def test_a_time_may_be_on_the_wall_clock_or_the_recordings_own_clock(self):
        recording, shift = "tests/uftrace/recordings/args-auto", 1795199419
        whole = self.report("--utc", recording, self.whole)
        middle = (whole["first_ns"] + whole["last_ns"]) // 2
        seconds = [f"{ns // 10**9}.{ns % 10**9:09}" for ns in (middle, middle - shift * 10**9)]
        outputs = []
        for asked, text in zip(seconds, ["{0} s is a time of the wall clock",
                                         "{1} s is a time of the recording's own clock; the same time on the wall clock is {0} s"]):
            report = self.report("--utc", "-r", f"{asked}~", recording, self.output)
            notes = {note["kind"]: note for note in report["notes"]}
            self.assertEqual((notes["range-clock"]["count"], notes["range-clock"]["first"]),
                             (1, f"{recording}: {text.format(*seconds)}"))
            outputs.append(self.output.read_bytes())
        self.assertEqual(outputs[0], outputs[1])
        for asked in (["-r", f"{seconds[1]}~"], ["--utc", "-r", "1ms~2ms"]):
            kinds = [note["kind"] for note in self.report(*asked, recording, self.output)["notes"]]
            self.assertNotIn("range-clock", kinds, "there is one clock")

    def test_a_range_goes_to_standard_output(self):
        self.convert("-q", "-r", "~1ms", POOL, self.output)
        self.assertEqual(self.convert("-q", "-r", "~1ms", POOL, "-").stdout, self.output.read_bytes())

    def test_a_failed_run_leaves_the_complete_pieces_and_names_them(self):
        self.convert("-q", "--split-size=20k", POOL, self.folder / "good.fxt")
        first = (self.folder / "good.000.fxt").read_bytes()
        (self.folder / "out.001.fxt").mkdir()
        process = self.convert("--split-size=20k", POOL, self.output)
        self.assertEqual((process.stdout, process.returncode), (b"", 1))
        self.assertEqual(process.stderr.decode(),
                         f"fxt-convert: these pieces are complete: {self.folder}/out.000.fxt\n"
                         f"fxt-convert: {self.folder}/out.001.fxt: can't write: Is a directory\n")
        self.assertEqual((self.folder / "out.000.fxt").read_bytes(), first)
        self.assertFalse((self.folder / "out.002.fxt").exists())

    def test_no_input_becomes_a_piece(self):
        session = self.folder / "out.001.fxt"
        session.write_bytes(HEATER.read_bytes())
        process = self.convert("--force", "--split-time=1ms", session, self.output)
        self.assertEqual((process.stderr.decode(), process.returncode),
                         (f"fxt-convert: '{session}' is an input, and would be overwritten; choose another output\n"
                          "Try 'fxt-convert --help'.\n", 2))
        self.assertEqual(session.read_bytes(), HEATER.read_bytes())

    def test_pieces_of_an_earlier_trace_are_named(self):
        pieces = self.report("--split-size=20k", POOL, self.output)["pieces"]
        report = self.report("--split-size=1M", POOL, self.output)
        self.assertEqual(report["pieces"], pieces[:1])
        note = next(note for note in report["notes"] if note["kind"] == "older-pieces")
        self.assertEqual(note["count"], len(pieces) - 1)
        self.assertEqual(note["first"], f"{self.output}: {', '.join(pieces[1:])}")

    def test_a_full_disk_leaves_nothing(self):
        process = self.convert("-r", "0s~", POOL, self.output,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual((process.stderr.decode(), process.returncode),
                         (f"fxt-convert: {self.output}: can't write: File too large\n", 1))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_wrong_values_are_explained(self):
        for options, problem in (
                (["-r", "5~3"], "--time-range: '5~3' ends before it starts"),
                (["-r", "1us~0.000000001"], "--time-range: the range ends before it starts"),
                (["-r", "5"], "--time-range: '5' is not a range of time; use A~B, A~ or ~B"),
                (["--split-time", "abc"], "--split-time takes a time such as 250, 1.5us, 20ms or 2s (units: ns, us, ms, "
                                          "s, m, h; default: ns), not 'abc'"),
                (["--split-time=0"], "--split-time takes more than 0, not '0'"),
                (["--split-size=0"], "--split-size takes more than 0, not '0'"),
                (["--split-size=many"], "--split-size takes a size such as 500k, 100M or 1.5GiB (k, M and G are "
                                        "powers of 1000, Ki, Mi and Gi are powers of 1024), not 'many'")):
            process = self.convert(*options, POOL, self.output)
            self.assertEqual((process.stderr.decode(), process.returncode),
                             (f"fxt-convert: {problem}\nTry 'fxt-convert --help'.\n", 2))
        process = self.convert("--split-size=1M", POOL, "-")
        self.assertEqual(process.stderr.decode(), "fxt-convert: --split-size and --split-time write several files, so OUTPUT "
                                                  "can't be -\nTry 'fxt-convert --help'.\n")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
