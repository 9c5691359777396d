#!/usr/bin/env python3
"""The bytes, the report and the exit code do not depend on the number of converting threads.

The directory with the programs is in the environment variable PROGRAMS.
"""

import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from recording import record

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
SAMPLES = REPOSITORY / "samples"
RECORDINGS = REPOSITORY / "tests" / "uftrace" / "recordings"
JOBS = (1, 2, 3, 8)


def write_recording(directory, threads, calls):
    """Writes threads that run at the same time, some of them much longer than others, with unknown addresses and
    damage."""
    directory.mkdir()
    lines = ['SESS timestamp=0.000000001 pid=1000 sid=00000000000000aa exename="/usr/bin/app"\n']
    lines += [f"TASK timestamp=0.000000002 tid={1000 + i} pid=1000\n" for i in range(threads)]
    (directory / "task.txt").write_text("".join(lines))
    (directory / "sid-00000000000000aa.map").write_text(
        "400000-500000 r-xp 00000000 00:00 0 /usr/bin/app\n600000-700000 r-xp 00000000 00:00 0 /lib/b.so\n"
        "700000-800000 r-xp 00000000 00:00 0 /lib/c.so\n")
    (directory / "app.sym").write_text("".join(f"{i * 256:016x} 00000100 T f{i}\n" for i in range(256)))
    chance = random.Random(threads)
    for i in range(threads):
        time, stack, data = 10 + i, [], bytearray()
        for _ in range(calls >> i % 5):
            time += chance.choice((0, 1, 1000))
            if stack and (len(stack) > 20 or chance.random() < 0.5):
                address = stack.pop()
                data += record(time, 1, len(stack), address)
            else:
                address = chance.choice((0x400000, 0x400000, 0x600000, 0x700000)) + chance.randrange(4096) * 256
                data += record(time, 0, len(stack), address)
                stack.append(address)
            if chance.random() < 0.0005:
                data += record(0, 2, 0, 7)
            if chance.random() < 0.0005:
                data += b"these are 24 bad bytes.."
        (directory / f"{1000 + i}.dat").write_bytes(data)


class Threads(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def assert_same(self, *inputs, options=()):
        output = self.directory / "out.fxt"
        first = None
        for jobs in JOBS:
            process = subprocess.run([CONVERT, f"--jobs={jobs}", *options, *inputs, output], capture_output=True,
                                     check=False, timeout=300)
            self.assertEqual(process.stderr, b"")
            result = (process.returncode, process.stdout, output.read_bytes())
            first = first or result
            self.assertEqual(result[:2], first[:2], jobs)
            self.assertTrue(result[2] == first[2], f"other bytes with {jobs} jobs")

    def test_samples_give_the_same_bytes(self):
        for sample in [*(SAMPLES / "uftrace").iterdir(), *(SAMPLES / "gdb").glob("*.t*"), RECORDINGS / "pool", RECORDINGS / "family"]:
            with self.subTest(sample.name):
                self.assert_same(sample)

    def test_several_inputs_give_the_same_bytes(self):
        self.assert_same(SAMPLES / "both" / "stones", SAMPLES / "both" / "stones.trace", SAMPLES / "uftrace" / "pool")

    def test_many_threads_give_the_same_bytes(self):
        write_recording(self.directory / "many", 12, 20000)
        self.assert_same(self.directory / "many")
        self.assert_same(self.directory / "many", options=["--durations=pairs", "--no-libcall", "--strict"])

    def test_one_long_thread_gives_the_same_bytes(self):
        """Two threads take turns at converting the long thread, a MiB each time."""
        write_recording(self.directory / "one", 1, 300_000)
        self.assert_same(self.directory / "one")
        self.assert_same(self.directory / "one", options=["-t", "1us"])

    def test_very_many_threads_give_the_same_bytes(self):
        write_recording(self.directory / "many", 300, 200)
        self.assert_same(self.directory / "many")


if __name__ == "__main__":
    unittest.main()
