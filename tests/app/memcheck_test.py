#!/usr/bin/env python3
"""The released programs under valgrind: they read no uninitialized memory, and leak none.

The directory with the programs is in the environment variable PROGRAMS.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from needs import needs

PROGRAMS = Path(os.environ["PROGRAMS"])
SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@needs("valgrind")
class Memcheck(unittest.TestCase):
    def setUp(self):
        self.trace = Path(self.enterContext(tempfile.TemporaryDirectory())) / "out.fxt"

    def check(self, program, *arguments):
        process = subprocess.run(["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", PROGRAMS / program, *arguments],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        # Some versions of valgrind do not support openat2, and report this in lines that begin with "--". The programs also
        # work without openat2.
        errors = re.sub(r"^--\d+-- .*\n", "", process.stderr, flags=re.MULTILINE)
        self.assertEqual((process.returncode, errors), (0, ""))

    def test_conversions_have_no_memory_errors(self):
        for inputs in [["uftrace/family"], ["uftrace/calc"], ["gdb/queue.trace"], ["both/stones", "both/stones.trace"]]:
            for jobs in 1, 2:
                self.check("fxt-convert", f"-j{jobs}", "--report=none", "-o", self.trace, *(SAMPLES / name for name in inputs))

    def test_inspection_has_no_memory_errors(self):
        self.check("fxt-convert", "--inspect", SAMPLES / "uftrace/shapes", SAMPLES / "gdb/heater.tfile")

    def test_the_tools_for_traces_have_no_memory_errors(self):
        self.check("fxt-convert", "-q", SAMPLES / "uftrace/family", self.trace)
        for options in [], ["--check"], ["--stats"], ["--tree"], ["--json"]:
            self.check("fxt-dump", *options, self.trace)
        self.check("fxt-cut", "-q", "--split-time=10us", self.trace, f"{self.trace}.gz")


if __name__ == "__main__":
    unittest.main()
