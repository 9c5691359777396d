#!/usr/bin/env python3
"""fxt-dump --stats shows the same calls of a recording as `uftrace report`.

The directory with the programs is in the environment variable PROGRAMS.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
COLUMNS = {"total_ns": "total", "average_ns": "total-avg", "min_ns": "total-min", "max_ns": "total-max", "self_ns": "self"}
UNITS_NS = {"us": 1, "ms": 1_000, "s": 1_000_000}


def reported(recording):
    """Calls and times in ns by function, each with the rounding error of uftrace."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(recording, Path(folder) / "copy")
        for symbols in copy.glob("*.sym"):  # uftrace 0.13 can't read symbol files with sizes
            symbols.write_text(re.sub(r"(?m)^([0-9a-f]{16}) [0-9a-f]{8} ", r"\1 ", symbols.read_text()))
        text = subprocess.run(["uftrace", "report", "-d", copy, "-f", ",".join([*COLUMNS.values(), "call"])], check=True,
                              capture_output=True, text=True).stdout
    functions = {}
    for line in text.splitlines():
        times = re.match(r" *" + r" +".join([r"([\d.]+) +(us|ms|s)"] * len(COLUMNS)) + r" +(\d+) +(\S.*)", line)
        if times:
            *parts, calls, name = times.groups()
            numbers = [(round(float(number) * 1000) * UNITS_NS[unit], UNITS_NS[unit])
                       for number, unit in zip(parts[::2], parts[1::2])]
            functions[name] = (int(calls), dict(zip(COLUMNS, numbers)))
    return functions


class Calls(unittest.TestCase):
    def test_statistics_equal_those_of_uftrace(self):
        output = Path(self.enterContext(tempfile.TemporaryDirectory())) / "out.fxt"
        for name in "samples/uftrace/pool", "samples/both/stones", "tests/uftrace/recordings/pool", "tests/app/both/stones":
            with self.subTest(name):
                recording = REPOSITORY / name
                subprocess.run([PROGRAMS / "fxt-convert", "-q", recording, output], check=True)
                found = json.loads(subprocess.run([PROGRAMS / "fxt-dump", "--stats", "--json", output], check=True,
                                                  capture_output=True).stdout)["calls"]
                self.assertEqual(max(Counter(call["name"] for call in found).values()), 1)
                expected = reported(recording)
                self.assertEqual({call["name"] for call in found}, set(expected))
                self.assertGreater(len(expected), 8)
                for call in found:
                    if call["category"] == "sched":
                        continue  # uftrace counts only calls inside other calls; tests/oracle/compare_sched.py compares them
                    calls, times = expected[call["name"]]
                    self.assertEqual(call["calls"], calls, call)
                    for column, (time_ns, unit_ns) in times.items():
                        self.assertEqual(call[column] // unit_ns * unit_ns, time_ns, (call, column))


if __name__ == "__main__":
    unittest.main()
