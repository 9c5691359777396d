#!/usr/bin/env python3
"""The programs are hardened like software that reads untrusted input.

The directory with the programs is in the environment variable PROGRAMS.
"""

import os
import subprocess
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["PROGRAMS"])


class Programs(unittest.TestCase):
    def told(self, option):
        """The output of readelf for each program."""
        for program in "fxt-convert", "fxt-dump", "fxt-cut", "fxt-draw":
            yield subprocess.run(["readelf", "--wide", option, PROGRAMS / program], capture_output=True, text=True, check=True).stdout

    def test_they_are_position_independent(self):
        for header in self.told("--file-header"):
            self.assertRegex(header, r"Type: +DYN \(Position-Independent Executable file\)")

    def test_tables_of_functions_are_read_only(self):
        for segments in self.told("--segments"):
            self.assertIn("GNU_RELRO", segments)
            self.assertRegex(segments, r"GNU_STACK.* RW +0x")
        for entries in self.told("--dynamic"):
            self.assertIn("BIND_NOW", entries)

    def test_stacks_and_copies_are_checked(self):
        programs = list(self.told("--dyn-syms"))
        for symbols in programs:
            self.assertIn("__stack_chk_fail", symbols)
        # The compiler checks copies only where this is needed. One program with such checks is enough, because all programs are
        # built in the same way.
        self.assertIn("_chk@", "".join(programs).replace("__stack_chk_fail@", ""))


if __name__ == "__main__":
    unittest.main()
