#!/usr/bin/env python3
"""Tests --index: with an index of the recording, the trace of a range of time has the same bytes as without an index.

The environment variable PROGRAMS is the directory with the programs. RECORDINGS may name a folder with more recordings.
SEEDS=FIRST:END are the seeds of random recordings.
"""

import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import generator
from recording import entry, leave, write_recording

PROGRAMS = Path(os.environ["PROGRAMS"])
REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = [REPOSITORY / "tests/uftrace/recordings", REPOSITORY / "samples/uftrace", *map(Path, filter(None, [os.environ.get("RECORDINGS")]))]
SEEDS = range(*map(int, os.environ.get("SEEDS", "0:20").split(":")))


def recordings_in(folder):
    """The folders with record files."""
    return sorted({path.parent for path in folder.rglob("*.dat") if path.is_file() and path.name[0].isdigit()})


class Index(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.index = self.folder / "index"
        self.index.mkdir()

    def converted(self, recording, part, *options):
        """The bytes and the report; (b"", None) if the recording has nothing in this range of time."""
        output = self.folder / "out.fxt"
        output.unlink(missing_ok=True)
        run = subprocess.run([PROGRAMS / "fxt-convert", "-f", "--report=json", f"-r{part}", *options, "-o", output, recording],
                             capture_output=True, check=False)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return (output.read_bytes(), json.loads(run.stdout)) if run.returncode == 0 else (b"", None)

    def indexed(self, recording, part, *options, step=256):
        return self.converted(recording, part, f"--index={self.index}", f"--index-step={step}", *options)

    def check(self, recording, shares=(0.3, 0.7, 0.95), steps=(256, 4096), options=("--cpu-tracks",)):
        """Returns the number of conversions that read less because of the index."""
        run = subprocess.run([PROGRAMS / "fxt-convert", "-q", "--report=json", "-o", self.folder / "whole.fxt", "-f", recording],
                             capture_output=True, check=False)
        run = subprocess.run([PROGRAMS / "fxt-dump", "--stats", "--json", self.folder / "whole.fxt"], capture_output=True, check=False)
        if run.returncode != 0 or "first_ns" not in (whole := json.loads(run.stdout)):
            return 0
        first, last = whole["first_ns"], whole["last_ns"]
        used = 0
        for share in shares:
            begin = int(first + (last - first) * share)
            end = int(begin + (last - first) * 0.03)
            part = "~".join(f"{ns // 10**9}.{ns % 10**9:09}" for ns in (begin, end))
            expected, expected_report = self.converted(recording, part, *options)
            for step in steps:
                found, report = self.indexed(recording, part, *options, step=step)
                self.assertEqual(found, expected, (recording, part, step))
                if report:
                    self.assertEqual([note for note in report["notes"] if note["kind"] == "index-ignored"], [])
                    used += report["records_read"] < expected_report["records_read"]
        return used

    def test_recordings_give_the_same_with_an_index(self):
        used = 0
        for folder in FOLDERS:
            for recording in recordings_in(folder):
                with self.subTest(str(recording)):
                    used += self.check(recording)
        self.assertGreater(used, 10)

    def test_random_recordings_give_the_same_with_an_index(self):
        for seed in SEEDS:
            with self.subTest(seed):
                recording = Path(generator.Recording(seed).write(self.folder / f"random-{seed}"))
                self.check(recording)
                rand = random.Random(seed)
                for file in recordings_in(recording)[0].glob("[0-9]*.dat"):
                    file.write_bytes(generator.damage(file.read_bytes(), rand)[1])
                self.check(recording)

    def long_recording(self, calls=40_000, gap=0):
        """main calls work, which calls many functions."""
        time, records = 2_000_000_000, []
        records += [entry(time, 0, 0x400100), entry(time + 1, 1, 0x400200)]
        for number in range(calls):
            time += 50 + gap
            records += [entry(time, 2, 0x400300), entry(time + 10, 3, 0x400400), leave(time + 20, 3, 0x400400), leave(time + 30, 2, 0x400300)]
        records += [leave(time + 100, 1, 0x400200), leave(time + 110, 0, 0x400100)]
        return write_recording(self.folder / "recording", records)

    def test_records_before_the_range_are_not_read(self):
        recording = self.long_recording()
        self.assertEqual(self.check(recording, steps=(4096, 1 << 16)), 6)
        part = "1900us~1910us"
        _, report = self.indexed(recording, part, step=4096)
        _, whole = self.converted(recording, part)
        self.assertLess(report["records_read"], whole["records_read"] / 10)
        self.assertEqual(report["bytes_read"], whole["bytes_read"])

    def test_a_recording_that_changed_gets_a_new_index(self):
        recording = self.long_recording()
        part = "1900us~1910us"
        self.indexed(recording, part)
        [index] = self.index.iterdir()
        before = index.read_bytes()
        self.indexed(recording, part)
        self.assertEqual(index.read_bytes(), before)
        file = recording / "1000.dat"
        content = file.read_bytes()
        file.write_bytes(content[:32] + content[32 + 64:])  # the first call is removed
        found, report = self.indexed(recording, part)
        self.assertEqual(found, self.converted(recording, part)[0])
        self.assertNotEqual(index.read_bytes(), before)

    def test_a_damaged_index_does_no_harm(self):
        recording = self.long_recording(5000)
        part = "240us~245us"
        expected = self.converted(recording, part)[0]
        self.assertEqual(self.indexed(recording, part)[0], expected)
        [index] = self.index.iterdir()
        content = index.read_bytes()
        rand = random.Random(1)
        damaged = [b"", b"x", bytes(len(content)), content[:-1], content[:-8], content + bytes(8), content[8:]]
        for _ in range(60):
            changed = bytearray(content)
            changed[rand.randrange(len(content))] ^= 1 << rand.randrange(8)
            damaged.append(bytes(changed))
            damaged.append(content[:rand.randrange(len(content))])
        for bad in damaged:
            index.write_bytes(bad)
            found, report = self.indexed(recording, part)
            self.assertEqual(found, expected)
            self.assertIn("index-ignored", [note["kind"] for note in report["notes"]])
            self.assertEqual(index.read_bytes(), content, "a new one is written")

    def test_an_index_of_another_file_does_no_harm(self):
        """The checksum of the index is right, but the index refers to other places of the file."""
        def with_sum(words):
            total = 0xcbf29ce484222325
            for word in words:
                total = (total ^ word) * 0x100000001b3 & 2**64 - 1
                total ^= total >> 32
            return b"".join(word.to_bytes(8, "little") for word in [*words, total])
        recording = self.long_recording(5000)
        part = "240us~245us"
        expected = self.converted(recording, part)[0]
        self.indexed(recording, part)
        [index] = self.index.iterdir()
        content = index.read_bytes()
        words = [int.from_bytes(content[at:at + 8], "little") for at in range(0, len(content) - 8, 8)]
        self.assertEqual(with_sum(words), content)
        rand = random.Random(2)
        for _ in range(100):
            changed = list(words)
            for _ in range(rand.randrange(1, 4)):
                at = rand.randrange(16, len(changed))
                changed[at] = rand.choice([0, 1, 2**64 - 1, 2**63, changed[at] + 1, changed[at] + 16, changed[at] ^ 1 << rand.randrange(64)]) & 2**64 - 1
            index.write_bytes(with_sum(changed))
            output = self.indexed(recording, part)[0]  # the program ends normally
            self.assertTrue(output.startswith(expected[:8]) or not output)

    def test_the_folder_must_exist_but_need_not_be_writable(self):
        recording = self.long_recording(5000)
        part = "240us~245us"
        shutil.rmtree(self.index)
        run = subprocess.run([PROGRAMS / "fxt-convert", f"--index={self.index}", recording, self.folder / "out.fxt"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--index takes a directory", run.stderr)
        self.index.symlink_to("/proc")
        found, report = self.indexed(recording, part)
        self.assertEqual(found, self.converted(recording, part)[0])
        self.assertIn("index-ignored", [note["kind"] for note in report["notes"]])


if __name__ == "__main__":
    unittest.main()
