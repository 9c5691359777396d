#!/usr/bin/env python3
"""What the programs say of themselves: help, manual pages, and the completions of three shells tell of the same options.

The directory with the programs is in the environment variable PROGRAMS.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
NAMES = ["fxt-convert", "fxt-cut", "fxt-draw", "fxt-dump"]


def text_of(program, *arguments):
    return subprocess.run([PROGRAMS / program, *arguments], check=True, capture_output=True, text=True).stdout


def options_of(program):
    return re.findall(r"^  (?:-\w, )?--([\w-]+)", text_of(program, "--help"), re.MULTILINE)


def output_of(*command):
    process = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (0, ""), (command, process)
    return process.stdout


class Texts(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file_of(self, program, *arguments):
        path = self.folder / f"{program}{'.'.join(arguments)}"
        path.write_text(text_of(program, *arguments))
        return path

    def test_all_tell_of_the_same_options(self):
        patterns = {
            ("--manual",): r"^(?:\\fB\\-\w\\fR, )?\\fB\\-\\-(.+?)\\fR",
            ("--completion=bash",): r"(?<=words=')--(.*--completion)",
            ("--completion=zsh",): r"^  '(?:\*|\(.*\))?--([\w-]+)",
            ("--completion=fish",): r"^complete -c \S+ -l ([\w-]+)",
        }
        for program in NAMES:
            options = options_of(program)
            self.assertGreater(len(options), 11)
            for arguments, pattern in patterns.items():
                with self.subTest(program, arguments=arguments):
                    found = re.findall(pattern, text_of(program, *arguments), re.MULTILINE)
                    if arguments == ("--completion=bash",):
                        found = found[0].split(" --")
                    self.assertEqual([name.replace("\\-", "-") for name in found], options)

    def test_pages_written_by_hand_tell_of_all_options(self):
        for script, name in {"convert-all": "fxt-convert-all", "open-in-perfetto": "fxt-open"}.items():
            said = output_of(REPOSITORY / "scripts" / script, "--help")
            options = re.findall(r"^  (?:-\w(?: \w+)?, )?(--[\w-]+)", said, re.MULTILINE)
            page = (REPOSITORY / "packaging" / f"{name}.1").read_text()
            told = re.findall(r"^\.TP\n(?:\\fB\\-\w\\fR, )?\\fB(\\-\\-.+?)\\fR", page, re.MULTILINE)
            self.assertEqual(sorted(option.replace("\\", "") for option in told), sorted(options))

    def test_manual_pages_are_roff(self):
        for page in (REPOSITORY / "packaging").glob("*.1"):
            output_of("groff", "-man", "-Tascii", "-ww", "-P-cbou", page)
        for program in NAMES:
            page = output_of("groff", "-man", "-Tascii", "-ww", "-P-cbou", self.file_of(program, "--manual"))
            self.assertTrue(page.startswith(f"{program.upper()}(1)"), page[:100])
            self.assertIn("\nEXIT STATUS\n", page)
        self.assertIn("       -r, --time-range A~B\n", page)

    def completed_by_bash(self, *words):
        script = self.file_of(words[0], "--completion=bash")
        function = "_" + words[0].replace("-", "_")
        return output_of("bash", "-c", 'script=$1 function=$2; shift 2; source "$script"; COMP_WORDS=("$@"); '
                         'COMP_CWORD=$(($# - 1)); "$function"; echo "${COMPREPLY[@]}"',
                         "bash", script, function, *words).split()

    def test_bash(self):
        self.assertEqual(self.completed_by_bash("fxt-convert", "--no-k"), ["--no-kernel"])
        self.assertEqual(self.completed_by_bash("fxt-convert", "in", "--report", "j"), ["json"])
        self.assertEqual(self.completed_by_bash("fxt-convert", "--report", "="), ["text", "json", "none"])
        self.assertEqual(self.completed_by_bash("fxt-convert", "--report", "=", "n"), ["none"])
        self.assertEqual(self.completed_by_bash("fxt-dump", "-r", ""), [])
        self.assertEqual(self.completed_by_bash("fxt-cut", "--split-"), ["--split-time", "--split-size"])
        self.assertEqual(self.completed_by_bash("fxt-draw", "--format", ""), ["auto", "svg", "html"])

    def test_zsh(self):
        for program in NAMES:
            output_of("zsh", "-n", self.file_of(program, "--completion=zsh"))

    def completed_by_fish(self, program, line):
        script = self.file_of(program, "--completion=fish")
        found = output_of("fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, line)
        return [row.partition("\t")[0] for row in found.splitlines()]

    def test_fish(self):
        self.assertEqual(self.completed_by_fish("fxt-convert", "fxt-convert --no-k"), ["--no-kernel"])
        self.assertEqual(self.completed_by_fish("fxt-convert", "fxt-convert --report "), ["json", "none", "text"])
        self.assertEqual(self.completed_by_fish("fxt-dump", "fxt-dump -r "), [])


if __name__ == "__main__":
    unittest.main()
