#!/usr/bin/env python3
"""The output of --inspect for whole recordings, as goldens. FXT_RENEW_GOLDENS=1 in the environment renews them.

The directory with the programs is in the environment variable PROGRAMS.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
GOLDENS = REPOSITORY / "tests" / "app" / "goldens"
RECORDINGS = {
    # The tests compare the complete output for these recordings.
    "pool": "tests/uftrace/recordings/pool", "shapes": "tests/uftrace/recordings/shapes", "family": "tests/uftrace/recordings/family",
    "calc": "tests/uftrace/recordings/calc", "queue": "samples/gdb/queue.trace",
    # The tests compare only parts of the output for these recordings: 32 bits with arguments, kernel functions, zeros in the
    # middle of a file, no info.
    "i386": "tests/uftrace/recordings/i386", "kernel": "tests/uftrace/recordings/kernel",
    "damaged": "tests/uftrace/recordings/damaged",
}

SHORT = """\
input: tests/uftrace/recordings/pool
kind: uftrace recording
info:
  command: uftrace record --no-sched -d pool.data ./pool
  program: /usr/local/src/fxt-samples/pool
  ended: exited with code 0
  recorded: Sat Nov 21 02:26:49 2026
  elapsed: 0.013595618 sec
  uftrace: v0.13 ( x86_64 dwarf python3 luajit tui perf sched dynamic )
  host: vm
  kernel: Linux 6.18.44-fc-v669
sessions: 1
threads:
  - 28327 pool: 60 records
  - 28329 worker 1: 910 records
  - 28330 worker 2: 880 records
  - 28331 worker 3: 128 records
records:
  records: 1978
  bytes: 31648
  lost records: 0
time:
  of: records
  span: 0.008749623 s
  first ns: 3555020570233
  last ns: 3555029319856
perf: 2
symbols: 1
damage: none
notes: none
"""


class Inspect(unittest.TestCase):
    def inspect(self, *arguments, option="--inspect"):
        return subprocess.run([CONVERT, option, *arguments], capture_output=True, check=False, timeout=120,
                              cwd=REPOSITORY)

    def test_texts_equal_the_goldens(self):
        for name, recording in RECORDINGS.items():
            with self.subTest(name):
                process = self.inspect(recording, option="--inspect=all")
                self.assertEqual((process.returncode, process.stderr), (0, b""))
                golden = GOLDENS / f"inspect-{name}.txt"
                if "FXT_RENEW_GOLDENS" in os.environ:
                    golden.write_bytes(process.stdout)
                self.assertEqual(process.stdout.decode(), golden.read_text())

    def test_by_default_it_is_one_screen(self):
        for recording in RECORDINGS.values():
            with self.subTest(recording):
                self.assertLessEqual(len(self.inspect(recording).stdout.splitlines()), 45)
        self.assertEqual(self.inspect(RECORDINGS["pool"]).stdout.decode(), SHORT)
        self.assertIn("""
tracepoints:
  - 2 put: 3 hits in this file
  - 4 queue.c:14: 3 hits in this file
  - 3 take: 3 hits in this file
frames:
  frames: 15
""", self.inspect(RECORDINGS["queue"]).stdout.decode())

        self.assertIn("""
damage:
  - 24904.dat truncated 0x190 to 0x19a
  - 24906.dat zeros instead of records 0x140 to 0x240
notes: some data are lost, repaired or not shown; see --explain KIND
""", self.inspect(RECORDINGS["damaged"]).stdout.decode())

    def test_only_the_first_threads_are_listed(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "task.txt").write_text("".join(
                f"TASK timestamp=1.000000000 tid={tid} pid=1000\n" for tid in range(1000, 1010)))
            self.assertRegex(self.inspect(directory).stdout.decode(), r"\nthreads:\n(  - 100[0-7].*\n){8}  - and 2 more\n")

    def test_details_are_all_or_none(self):
        process = self.inspect(RECORDINGS["pool"], option="--inspect=threads")
        self.assertEqual((process.returncode, process.stderr.decode()), (2, "fxt-convert: --inspect takes no value or =all, not '=threads'\n"
                         "Try 'fxt-convert --help'.\n"))

    def test_records_equal_those_of_the_conversion(self):
        for recording in RECORDINGS.values():
            with self.subTest(recording):
                found = json.loads(self.inspect("--report=json", recording).stdout)
                report = json.loads(subprocess.run([CONVERT, "--report=json", recording, "/dev/null"], check=True,
                                                   capture_output=True, cwd=REPOSITORY).stdout)
                records = found.get("records") or found["frames"]
                self.assertEqual(records.get("records", records.get("frames")), report["records_read"])

    def test_options_about_converting_are_refused(self):
        for option in "--time-range=1~", "--filter=main", "--tid=1", "--output=x", "--no-kernel":
            with self.subTest(option):
                process = self.inspect(option, RECORDINGS["pool"])
                name = option.partition("=")[0]
                self.assertEqual((process.returncode, process.stdout), (2, b""))
                self.assertEqual(process.stderr.decode(), f"fxt-convert: {name} has no effect with --inspect, which "
                                 "describes the whole INPUT\nTry 'fxt-convert --help'.\n")
        process = self.inspect("-j2", "-q", "--progress=never", "--strict", "--report=none", RECORDINGS["pool"])
        self.assertEqual((process.returncode, process.stderr), (0, b""))

    def test_notes_have_the_shape_of_the_report(self):
        damaged = RECORDINGS["damaged"]
        inspected = json.loads(self.inspect("--report=json", damaged).stdout)["notes"]
        report = json.loads(subprocess.run([CONVERT, "--report=json", damaged, "/dev/null"], check=True,
                                           capture_output=True, cwd=REPOSITORY).stdout)["notes"]
        for note in inspected:
            self.assertEqual(list(note), ["kind", "count", "first"])
            self.assertIn(note, report)

    def test_several_inputs_are_a_list(self):
        both = [RECORDINGS["pool"], RECORDINGS["queue"]]
        found = json.loads(self.inspect("--report=json", *both).stdout)
        self.assertEqual([one["input"] for one in found], both)

    def test_strict_is_about_notes(self):
        self.assertEqual(self.inspect("--strict", RECORDINGS["pool"]).returncode, 0)
        self.assertEqual(self.inspect("--strict", RECORDINGS["damaged"]).returncode, 3)

    def test_every_prefix_of_its_texts_is_accepted(self):
        with tempfile.TemporaryDirectory() as directory:
            recording = Path(shutil.copytree(REPOSITORY / "tests" / "uftrace" / "recordings" / "calc", Path(directory) / "calc"))
            for name in "info", "task.txt", "calc.sym", "sid-2b4b859d9a6c0b5b.map":
                whole = (recording / name).read_bytes()
                for size in range(0, len(whole), 31):
                    (recording / name).write_bytes(whole[:size])
                    process = self.inspect(recording)
                    self.assertIn(process.returncode, (0, 1), f"{name} cut to {size} bytes: {process.stderr}")
                (recording / name).write_bytes(whole)


if __name__ == "__main__":
    unittest.main()
