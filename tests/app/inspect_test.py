#!/usr/bin/env python3
"""What --inspect says about whole recordings, as goldens. FXT_RENEW_GOLDENS=1 in the environment writes them anew.

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
    # Whole ones.
    "pool": "samples/uftrace/pool", "shapes": "samples/uftrace/shapes", "family": "samples/uftrace/family",
    "calc": "samples/uftrace/calc", "queue": "samples/gdb/queue.trace",
    # Pieces of others: 32 bits with arguments; kernel functions; zeros in the middle of a file; no info.
    "i386": "tests/uftrace/recordings/i386", "kernel": "tests/uftrace/recordings/kernel",
    "damaged": "tests/uftrace/recordings/damaged",
}


class Inspect(unittest.TestCase):
    def inspect(self, *arguments):
        return subprocess.run([CONVERT, "--inspect", *arguments], capture_output=True, check=False, timeout=120,
                              cwd=REPOSITORY)

    def test_texts(self):
        for name, recording in RECORDINGS.items():
            with self.subTest(name):
                process = self.inspect(recording)
                self.assertEqual((process.returncode, process.stderr), (0, b""))
                golden = GOLDENS / f"inspect-{name}.txt"
                if "FXT_RENEW_GOLDENS" in os.environ:
                    golden.write_bytes(process.stdout)
                self.assertEqual(process.stdout.decode(), golden.read_text())

    def test_records_are_those_of_the_conversion(self):
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

    def test_every_cut_of_its_texts_is_survived(self):
        with tempfile.TemporaryDirectory() as directory:
            recording = Path(shutil.copytree(REPOSITORY / "samples" / "uftrace" / "calc", Path(directory) / "calc"))
            for name in "info", "task.txt", "calc.sym", "sid-2b4b859d9a6c0b5b.map":
                whole = (recording / name).read_bytes()
                for size in range(0, len(whole), 31):
                    (recording / name).write_bytes(whole[:size])
                    process = self.inspect(recording)
                    self.assertIn(process.returncode, (0, 1), f"{name} cut to {size} bytes: {process.stderr}")
                (recording / name).write_bytes(whole)


if __name__ == "__main__":
    unittest.main()
