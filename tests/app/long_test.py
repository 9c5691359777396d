#!/usr/bin/env python3
"""Recordings that are too large for a disk, whose records are generated while they are read.

All records must be shown, at the right times, and the memory must not depend on the number of records. The environment
variable PROGRAMS is the directory with the programs, LONG_RECORDS_LIBRARY is the library that generates records, and
LONG_RECORDS is the number of records.
"""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["PROGRAMS"])
LIBRARY = os.environ["LONG_RECORDS_LIBRARY"]
RECORDS = int(os.environ.get("LONG_RECORDS", "4_000_000"))
THREADS = 4
FIRST_NS, STEP_NS = 10**12, 9
GROUP_NS = 8 * STEP_NS  # duration of a group of four calls, as in long_records.cpp
MOST_MIB = 64
STACK = "7ffdb63dc000-7ffdb63fd000 rw-p 00000000 00:00 0    [stack]\n"


class Long(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def recording(self, records, with_arguments):
        """A recording with this number of records per thread: eight records for each group of four calls."""
        directory = self.folder / f"{records}.data"
        directory.mkdir()
        if with_arguments:
            header = struct.pack("<8sIHBBQQH6x", b"Ftrace!", 4, 40, 1, 2, 0x107b, 1 << 10, 1024)
            arguments = ";".join(f"f{i}@arg1/u64" for i in range(3))
            (directory / "info").write_bytes(header + f"argspec:lines=1\nargspec:{arguments}\n".encode())
        (directory / "task.txt").write_text('SESS timestamp=1.0 pid=1000 sid=00000000000000aa exename="/opt/app"\n' + "".join(
            f"TASK timestamp=1.{i} tid={1000 + i} pid=1000\n" for i in range(THREADS)))
        (directory / "sid-00000000000000aa.map").write_text(f"400000-500000 r-xp 00000000 00:00 0 /opt/app\n{STACK}")
        (directory / "app.sym").write_text("".join(f"{0x1000 + 0x40 * i:016x} 00000040 T f{i}\n" for i in range(3)))
        for i in range(THREADS):
            with (directory / f"{1000 + i}.dat").open("wb") as file:
                file.truncate((20 if with_arguments else 16) * records)
        return directory

    def convert(self, records, output, first_ns=FIRST_NS, with_arguments=False):
        """The report, and the peak memory in MiB."""
        command = [PROGRAMS / "fxt-convert", "--report=json", "--progress=never", self.recording(records, with_arguments), output]
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "LONG_FIRST_NS": str(first_ns)} | ({"LONG_ARGUMENTS": "1"} if with_arguments else {})
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as run:
            report, errors, memory = self.end_of(run)
        self.assertEqual((run.returncode, errors), (0, b""))
        return json.loads(report), memory

    @staticmethod
    def end_of(run):
        """The output of the run, and its peak memory in MiB."""
        output, errors = run.stdout.read(), run.stderr.read()
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        return output, errors, usage.ru_maxrss // 1024

    def check_all(self, records, notes, **recorded):
        few, _ = self.convert(8, "/dev/null", **recorded)
        report, memory = self.convert(records, "/dev/null", **recorded)
        self.assertEqual([note["kind"] for note in report["notes"]], notes)
        self.assertEqual(report["records_read"], THREADS * records)
        self.assertEqual(report["events_written"] - few["events_written"], THREADS * (records - 8) // 2)
        first_ns = recorded.get("first_ns", FIRST_NS)
        self.assertEqual((report["first_ns"], report["last_ns"]), (first_ns, first_ns + (records - 1) * STEP_NS))
        self.assertGreater(report["bytes_written"], 12 * THREADS * records)
        self.assertLess(memory, MOST_MIB)

    def test_all_records_are_shown_in_little_memory(self):
        self.check_all(RECORDS // THREADS // 8 * 8, ["no-info"])

    def test_arguments_are_shown_until_the_last_time_that_a_trace_can_hold(self):
        records = RECORDS // 4 // THREADS // 8 * 8
        self.check_all(records, [], with_arguments=True, first_ns=2**63 - 1 - (records - 1) * STEP_NS)

    def test_parts_and_pictures_are_made_in_little_memory(self):
        records = min(RECORDS, 400_000_000) // THREADS // 8 * 8
        groups = records // 8
        edges = [FIRST_NS + groups // 3 * GROUP_NS, FIRST_NS + groups // 3 * 2 * GROUP_NS - 1]
        pipe, part = self.folder / "pipe", self.folder / "part.fxt"
        os.mkfifo(pipe)
        for *command, output in (["fxt-cut", "-r", "~".join(f"{edge // 10**9}.{edge % 10**9:09}" for edge in edges), pipe, part],
                                 ["fxt-draw", pipe, self.folder / "out.svg"], ["fxt-draw", pipe, self.folder / "out.html"]):
            with subprocess.Popen([PROGRAMS / command[0], *command[1:], output], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                self.addCleanup(run.kill)
                self.convert(records, pipe)
                shutil.rmtree(self.folder / f"{records}.data")
                _, messages, memory = self.end_of(run)
            self.assertEqual(run.returncode, 0, messages)
            self.assertLess(memory, MOST_MIB, command)
            if command[0] == "fxt-draw":
                self.assertIn(f"{THREADS * records // 2:,} calls".replace(",", ""), messages.decode().replace(",", ""))
        stats = json.loads(subprocess.run([PROGRAMS / "fxt-dump", "--stats", "--json", part], capture_output=True, check=True).stdout)
        self.assertEqual({call["name"]: call["calls"] for call in stats["calls"]},
                         {name: THREADS * times * (groups // 3) for name, times in (("f0", 1), ("f1", 2), ("f2", 1))})

    def test_a_viewer_gets_the_whole_trace(self):
        records = min(RECORDS, 100_000_000) // 10 // THREADS // 8 * 8
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        # If the conversion failed before it opened the pipe, fxt-dump would wait forever.
        dump = self.enterContext(subprocess.Popen([PROGRAMS / "fxt-dump", "--stats", "--json", pipe], stdout=subprocess.PIPE))
        self.addCleanup(dump.kill)
        self.convert(records, pipe)
        stats = json.loads(dump.communicate()[0])
        self.assertEqual(dump.returncode, 0)
        times = {call["name"]: (call["calls"], call["total_ns"], call["self_ns"]) for call in stats["calls"]}
        groups = THREADS * records // 8
        self.assertEqual(times, {"f0": (groups, groups * 7 * STEP_NS, groups * 3 * STEP_NS),
                                 "f1": (2 * groups, groups * 4 * STEP_NS, groups * 3 * STEP_NS),
                                 "f2": (groups, groups * STEP_NS, groups * STEP_NS)})
        self.assertEqual(stats["problems"], 0)


if __name__ == "__main__":
    unittest.main()
