#!/usr/bin/env python3
"""fxt-convert with a third importer, for the example format. Only the list of importers refers to it.

The program is in the environment variable PROGRAM, and the directory with fxt-dump in PROGRAMS.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
POOL, HEATER = SAMPLES / "uftrace" / "pool", SAMPLES / "gdb" / "heater.tfile"
CALLS = "calls 1\n1000 7 > draw\n1200 7 > line\n1500 7 <\n1900 7 <\n"


class ThirdFormat(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.calls, self.output = self.folder / "run.calls", self.folder / "out.fxt"
        self.calls.write_text(CALLS)

    def run_it(self, *arguments, code=0):
        process = subprocess.run([os.environ["PROGRAM"], *arguments], capture_output=True, text=True, check=False,
                                 stdin=subprocess.DEVNULL)
        self.assertEqual(process.returncode, code, process.stderr)
        return process.stdout if code == 0 else process.stderr

    def names(self):
        dump = subprocess.run([Path(os.environ["PROGRAMS"]) / "fxt-dump", "--json", self.output], capture_output=True, text=True,
                              check=True)
        return {json.loads(line).get("name") for line in dump.stdout.splitlines()}

    def test_it_is_converted_alone_and_with_others(self):
        self.run_it(self.calls, self.output)
        self.assertLessEqual({"draw", "line"}, self.names())
        report = json.loads(self.run_it("--report", "json", self.calls, POOL, HEATER, self.output))
        self.assertEqual(report["inputs"], [str(self.calls), str(POOL), str(HEATER)])
        self.assertLessEqual({"draw", "line", "main"}, self.names())

    def test_help_and_messages_name_it(self):
        help_text = " ".join(self.run_it("--help").split())
        self.assertIn("Converts uftrace recordings (directories) and GDB trace files and call lists into one FXT trace", help_text)
        self.assertIn("Without INPUT, TIME is added to all GDB trace files.", help_text)
        self.assertIn("converts uftrace recordings and GDB trace files and call lists to FXT", self.run_it("-h"))
        other = self.folder / "other"
        other.write_text("neither\n")
        self.assertIn("neither a uftrace recording nor a GDB trace file nor a call list", self.run_it(other, self.output, code=1))

    def test_inspect_shows_it(self):
        self.assertIn("kind: call list", self.run_it("--inspect", self.calls))
        self.assertIn("tid: 7", self.run_it("--inspect=all", self.calls))

    def test_offsets_and_tracks_do_not_apply_to_it(self):
        self.assertIn("--offset: no INPUT is a GDB trace file", self.run_it("--offset=5", self.calls, self.output, code=2))
        self.run_it("--offset", f"{self.calls}=5", self.calls, self.output)
        for inputs, has_effect in (([self.calls], False), ([HEATER], False), ([self.calls, POOL], False), ([self.calls, HEATER], True)):
            with self.subTest(inputs):
                notes = json.loads(self.run_it("-f", "--report", "json", "--apart", *inputs, self.output))["notes"]
                self.assertEqual("option-unused" in [note["kind"] for note in notes], not has_effect)


if __name__ == "__main__":
    unittest.main()
