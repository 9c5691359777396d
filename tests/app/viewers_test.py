#!/usr/bin/env python3
"""Tests fxt-open with the viewers besides Perfetto. Programs that stand for the viewers print the files that they get.

The directory with the programs is in the environment variable PROGRAMS.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
SCRIPT = REPOSITORY / "scripts" / "open-in-perfetto"
POOL = REPOSITORY / "tests" / "uftrace" / "recordings" / "pool"


class Viewers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.trace = self.folder / "pool.fxt"
        subprocess.run([PROGRAMS / "fxt-convert", "-q", POOL, self.trace], check=True)

    def add(self, name, script):
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def opened(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.bin}:/usr/bin:/bin", "FXT_CONVERT": str(PROGRAMS / "fxt-convert"),
                       "FXT_CUT": str(PROGRAMS / "fxt-cut"), "TMPDIR": str(self.folder)}
        return subprocess.run([SCRIPT, *arguments], check=False, capture_output=True, text=True, env=environment, timeout=60)

    def assert_nothing_is_left(self):
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"bin", "pool.fxt"})

    def test_speedscope_gets_json_of_traces_and_recordings(self):
        self.add("speedscope", 'echo "$1"; cat "$1"')
        for given, name in (self.trace, "pool.fxt.json"), (POOL, "pool.json"):
            with self.subTest(name):
                said = self.opened("--viewer", "speedscope", given)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                path, _, content = said.stdout.partition("\n")
                self.assertEqual(Path(path).name, name)
                events = json.loads(content)["traceEvents"]
                self.assertIn("main", {event["name"] for event in events})
                self.assert_nothing_is_left()

    def test_tracy_gets_files_of_its_importer(self):
        self.add("tracy-profiler", 'echo "$1"; cat "$1"')
        self.add("tracy-import-fuchsia", 'head -c 8 "$1" | od -An -tx1 >"$2"')
        for given, name in (self.trace, "pool.tracy"), (POOL, "pool.tracy"):
            with self.subTest(given):
                said = self.opened("--viewer", "tracy", given, given)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                lines = said.stdout.splitlines()
                self.assertEqual([Path(line).name for line in lines[::2]], [name, name])
                self.assertEqual(lines[1::2], [" 10 00 04 46 78 54 16 00"] * 2)
                self.assert_nothing_is_left()

    def test_missing_and_failing_programs_are_named(self):
        for viewer, advice in (("tracy", "tracy-profiler is not in PATH; on Debian 13 and later: apt install tracy-profiler tracy-import-fuchsia"),
                               ("speedscope", "speedscope is not in PATH; npm install -g speedscope")):
            said = self.opened("--viewer", viewer, self.trace)
            self.assertEqual((said.returncode, said.stderr), (1, f"open-in-perfetto: {advice}\n"))
        self.add("speedscope", "exit 7")
        said = self.opened("--viewer", "speedscope", self.trace)
        self.assertEqual((said.returncode, said.stderr), (1, "open-in-perfetto: speedscope failed (exit code 7)\n"))
        said = self.opened("--viewer", "speedscope", self.folder / "none.fxt")
        self.assertEqual((said.returncode, said.stderr), (1, f"open-in-perfetto: {self.folder}/none.fxt: No such file or directory\n"))
        (self.bin / "text").write_text("text")
        said = self.opened("--viewer", "speedscope", self.bin / "text")
        self.assertEqual(said.returncode, 1)
        self.assertIn("text: could not be converted (exit code 1)\n", said.stderr)

    def test_options_for_pages_have_no_effect_on_programs(self):
        for option in "--no-browser", "--fetch", "--ui=http://localhost:1", "--port=9001":
            said = self.opened("--viewer", "tracy", option, self.trace)
            self.assertEqual(said.returncode, 2)
            self.assertIn(f"{option.partition('=')[0]} has no effect with --viewer tracy, which is a program\n", said.stderr)
        self.assertEqual(self.opened("--viewer", "other", self.trace).returncode, 2)


if __name__ == "__main__":
    unittest.main()
