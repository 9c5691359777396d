#!/usr/bin/env python3
"""fxt-convert as it is built without optional parts: -DFXT_CONVERT_TFILE=OFF -DFXT_CONVERT_TAR=OFF.

The program is in the environment variable PROGRAM.
"""

import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
WITHOUT_TAR = ("this fxt-convert was built without libarchive and can't read archives or standard input; give a directory or a trace file")


class Least(unittest.TestCase):
    def setUp(self):
        self.output = Path(self.enterContext(tempfile.TemporaryDirectory())) / "out.fxt"

    def convert(self, *arguments):
        return subprocess.run([os.environ["PROGRAM"], "-q", *arguments], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)

    def test_recordings_are_converted(self):
        self.assertEqual(self.convert(SAMPLES / "uftrace" / "calc", self.output).returncode, 0)
        self.assertGreater(self.output.stat().st_size, 1000)

    def test_files_that_it_does_not_read_are_reported(self):
        heater, archive = SAMPLES / "gdb" / "heater.tfile", self.output.with_name("archive")
        with tarfile.open(archive, "w") as tar:
            tar.add(heater, "heater.tfile")
        for path, name, problem in ((heater, heater, "not a uftrace recording"), ("-", "standard input", WITHOUT_TAR), (archive, archive, WITHOUT_TAR),
                                    ("calc.tar.gz", "calc.tar.gz", WITHOUT_TAR), ("calc.tgz", "calc.tgz", WITHOUT_TAR)):
            with self.subTest(path):
                process = self.convert(path, self.output)
                self.assertEqual((process.returncode, process.stderr), (1, f"fxt-convert: {name}: {problem}\n"))

    def test_its_texts_lack_the_options_of_trace_files(self):
        self.assertNotIn("GDB trace file:", self.convert("--help").stdout)
        self.assertIn(", no libarchive, ", self.convert("--version").stdout)


if __name__ == "__main__":
    unittest.main()
