#!/usr/bin/env python3
"""--offset: which input is shifted, by how much, and the messages for impossible offsets.

The directory with the programs is in the environment variable PROGRAMS.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader as fxt  # noqa: E402

CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
POOL = "tests/uftrace/recordings/pool"
HEATER = "samples/gdb/heater.tfile"
QUEUE = "samples/gdb/queue.trace"


class Offset(unittest.TestCase):
    def setUp(self):
        self.output = Path(self.enterContext(tempfile.TemporaryDirectory())) / "out.fxt"

    def convert(self, *arguments):
        return subprocess.run([CONVERT, "--report=json", *arguments, self.output], capture_output=True, check=False,
                              timeout=120, cwd=REPOSITORY)

    def span(self, *arguments):
        """First and last time, and the notes, by kind."""
        process = self.convert(*arguments)
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        report = json.loads(process.stdout)
        return report["first_ns"], report["last_ns"], {note["kind"]: note["first"] for note in report["notes"]}

    def assert_wrong(self, problem, *arguments):
        process = self.convert(*arguments)
        self.assertEqual((process.stderr.decode(), process.returncode),
                         (f"fxt-convert: {problem}\nTry 'fxt-convert --help'.\n", 2))
        self.assertFalse(self.output.exists())

    def test_every_kind_of_input_can_be_moved(self):
        for recording in POOL, QUEUE:
            first, last, _ = self.span(recording)
            events = [(event.time, event.extra) for event in fxt.read(self.output).events if event.type == fxt.COMPLETE]
            for offset, ns in {"=5": 5, "=-20us": -20_000, "=+3ms": 3_000_000, "=2s": 2_000_000_000, "=7ns": 7,
                               "=1.5ms": 1_500_000, "=-0.25us": -250, "=1m": 60_000_000_000}.items():
                self.assertEqual(self.span("--offset", recording + offset, recording)[:2], (first + ns, last + ns))
                self.assertEqual([(event.time - ns, event.extra - ns) for event in fxt.read(self.output).events
                                  if event.type == fxt.COMPLETE], events)

    def test_without_an_input_gdb_trace_files_are_moved(self):
        pool, heater = self.span(POOL), self.span(HEATER)
        together = self.span("--offset=-10", POOL, HEATER)
        self.assertEqual(together[:2], (min(pool[0], heater[0] - 10), max(pool[1], heater[1] - 10)))
        self.assertEqual(self.span("--offset", "-10", HEATER)[:2], (heater[0] - 10, heater[1] - 10))

    def test_shared_cpus_are_noted(self):
        """A CPU has one track. A recording that is converted twice uses each CPU twice, and so do recordings that are
        shifted to the same time."""
        self.assertNotIn("shared-cpus", self.span("--cpu-tracks", POOL, QUEUE)[2])
        self.assertEqual(self.span("--cpu-tracks", POOL, POOL)[2]["shared-cpus"],
                         f"{POOL}: has the same machine and times as an earlier input, so each CPU seems to run two threads at the same time")
        self.assertEqual(self.span("--cpu-tracks", "--offset=2=1us", POOL, POOL)[2]["shared-cpus"],
                         f"{POOL}: overlaps another input because of --offset, so each CPU seems to run two threads at the same time")
        self.assertNotIn("shared-cpus", self.span("--cpu-tracks", "--offset=1=3600s", POOL, POOL)[2], "they never meet")
        self.assertNotIn("shared-cpus", self.span("--cpu-tracks", "--no-sched", POOL, POOL)[2])
        self.assertNotIn("shared-cpus", self.span(POOL, POOL)[2], "there are no tracks")

    def test_inputs_are_named_by_path_or_number(self):
        first, last, _ = self.span(POOL)
        self.assertEqual(self.span(f"--offset={POOL}/=1s", POOL)[0], first + 1_000_000_000)
        self.assertEqual(self.span("--offset=1=1s", POOL)[0], first + 1_000_000_000)

    def test_a_named_input_is_moved_only_by_its_own_offset(self):
        queue, heater = self.span(QUEUE), self.span(HEATER)
        both = self.span("--offset=100", "--offset=2=-1ms", QUEUE, HEATER)
        self.assertEqual(both[:2], (min(queue[0] + 100, heater[0] - 1_000_000), max(queue[1] + 100, heater[1] - 1_000_000)))

    def test_the_advice_for_distant_inputs_works(self):
        _, _, notes = self.span(POOL, HEATER)
        self.assertRegex(notes["apart-in-time"], rf"^{HEATER}: (starts|ends) [0-9.]+ s (after|before) {POOL} (ends|starts); if "
                                                 r"the clocks of the two inputs differ, use --offset 2=-?\d+ to let both start together$")
        advice = notes["apart-in-time"].split("--offset ")[1].split()[0]
        first, _, notes = self.span("--offset", advice, POOL, HEATER)
        self.assertNotIn("apart-in-time", notes)
        self.assertEqual(first, self.span(POOL)[0])

    def test_no_input_begins_before_time_zero(self):
        first, last, _ = self.span(POOL)
        moved_first, moved_last, notes = self.span("--offset=1=-1000000s", POOL)
        self.assertEqual((moved_first, moved_last), (0, last - first))
        self.assertEqual(notes["offset-cut"],
                         f"{POOL}: an offset of -1000000000000000 ns would lead to times below 0, so -{first} ns is used")

    def test_invalid_times_are_refused(self):
        for text in "", "x", "5 min", "--5", "5 s", "+-5", "9223372036854775808", "9223372037s":
            self.assert_wrong("--offset takes a time such as 250, 1.5us, 20ms or 2s (units: ns, us, ms, "
                              f"s, m, h; default: ns), optionally with a sign, and less than 292 years, not '{text}'",
                              f"--offset=1={text}", POOL)

    def test_offsets_of_other_inputs_are_refused(self):
        self.assert_wrong("--offset: 'tests/uftrace/recordings/poo' is not one of the INPUTs", "--offset=tests/uftrace/recordings/poo=5", POOL)
        self.assert_wrong("--offset: '' is not one of the INPUTs", "--offset==5", POOL)
        self.assert_wrong("--offset: there is no INPUT number 2", "--offset=2=5", POOL)
        self.assert_wrong("--offset: there is no INPUT number 0", "--offset=0=5", POOL)
        self.assert_wrong("--offset: no INPUT is a GDB trace file; use --offset INPUT=TIME", "--offset=5", POOL)


if __name__ == "__main__":
    unittest.main()
