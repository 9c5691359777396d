#!/usr/bin/env python3
"""Recordings that no disk would hold: their records are made up while they are read. All are shown, at the right times, in memory that
does not grow with them.

The directory with the programs is in the environment variable PROGRAMS, the library that makes up records in LONG_RECORDS_LIBRARY;
LONG_RECORDS=N is their number.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["PROGRAMS"])
LIBRARY = os.environ["LONG_RECORDS_LIBRARY"]
RECORDS = int(os.environ.get("LONG_RECORDS", "4_000_000"))
THREADS = 4
FIRST_NS, STEP_NS = 10**12, 9   # as in long_records.cpp
MOST_MIB = 64
STACK = "7ffdb63dc000-7ffdb63fd000 rw-p 00000000 00:00 0    [stack]\n"


class Long(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def recording(self, records):
        """Of so many records a thread, eight times as many as there are groups of four calls."""
        directory = self.folder / f"{records}.data"
        directory.mkdir()
        (directory / "task.txt").write_text('SESS timestamp=1.0 pid=1000 sid=00000000000000aa exename="/opt/app"\n' + "".join(
            f"TASK timestamp=1.{i} tid={1000 + i} pid=1000\n" for i in range(THREADS)))
        (directory / "sid-00000000000000aa.map").write_text(f"400000-500000 r-xp 00000000 00:00 0 /opt/app\n{STACK}")
        (directory / "app.sym").write_text("".join(f"{0x1000 + 0x40 * i:016x} 00000040 T f{i}\n" for i in range(3)))
        for i in range(THREADS):
            with (directory / f"{1000 + i}.dat").open("wb") as file:
                file.truncate(16 * records)
        return directory

    def convert(self, records, output):
        """The report, the peak of memory in MiB, and what standard output's reader says."""
        command = [PROGRAMS / "fxt-convert", "--report=json", "--progress=never", self.recording(records), output]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "LD_PRELOAD": LIBRARY}) as run:
            report = run.stdout.read()
            errors = run.stderr.read()
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((run.returncode, errors), (0, b""))
        return json.loads(report), usage.ru_maxrss // 1024

    def test_all_records_in_little_memory(self):
        records = RECORDS // THREADS // 8 * 8
        few, _ = self.convert(8, "/dev/null")
        report, memory = self.convert(records, "/dev/null")
        self.assertEqual([note["kind"] for note in report["notes"]], ["no-info"])
        self.assertEqual(report["records_read"], THREADS * records)
        self.assertEqual(report["events_written"] - few["events_written"], THREADS * (records - 8) // 2)
        self.assertEqual((report["first_ns"], report["last_ns"]), (FIRST_NS, FIRST_NS + (records - 1) * STEP_NS))
        self.assertGreater(report["bytes_written"], 12 * THREADS * records)
        self.assertLess(memory, MOST_MIB)

    def test_a_viewer_gets_all_of_it(self):
        records = min(RECORDS, 100_000_000) // 10 // THREADS // 8 * 8
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        # It waits for ever where the conversion fails before it opens the pipe.
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
