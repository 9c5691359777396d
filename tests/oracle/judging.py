"""Converts recordings and compares them with the output of uftrace, one after the other."""

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import fxt_reader as fxt
import uftrace_reference as uftrace

SHOWN = 10  # maximum number of shown problems per recording


class Comparison:
    """A recording and its conversion. run(trace) compares them, and `problems` has the differences."""

    def __init__(self, recording):
        self.recording, self.problems, self.notes = recording, [], []
        self.directory = None  # the folder for temporary files
        self.compared = defaultdict(int)
        self.options = []  # options for the converter

    def problem(self, text):
        self.problems.append(text)

    def reference(self, kind, command):
        """uftrace's text, from a file next to the recording or from uftrace itself; None if neither exists."""
        beside = self.recording.parent / f"{self.recording.name}.{kind}.txt"
        if beside.exists():
            return beside.read_bytes()
        if list(self.recording.parent.glob(f"{self.recording.name}.*")):
            return None  # other texts of uftrace exist next to the recording, but not this one
        if not (self.recording / "info").exists():
            return None  # uftrace can't read the recording without this file
        readable = uftrace.readable_copy(self.recording, self.directory)
        process = subprocess.run(["uftrace", *command, "--no-pager", "-d", readable], check=False,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if process.returncode < 0:
            print(f"{self.recording.name}: uftrace {command[0]} was ended by signal {-process.returncode}")
            return None
        process.check_returncode()
        return process.stdout

    def features(self):
        info = self.recording / "info"
        return uftrace.features(info.read_bytes()) if info.exists() else 0

    def uftrace_gave_up(self):
        """True if uftrace stopped reading a thread, because it does not support a record."""
        beside = self.recording.parent / f"{self.recording.name}.err.txt"
        return beside.exists() and "invalid rstack read" in beside.read_text(errors="replace")

    def take_notes(self, notes):
        self.notes = [f"{note['kind']} {note['count']}" for note in notes]

    def compare(self, arguments, directory):
        """Converts the recording with the arguments of the command line, and checks the result."""
        self.directory = Path(directory)
        self.options = arguments.option
        output = self.directory / "out.fxt"
        process = subprocess.run([arguments.converter, "--report=json", *arguments.option, self.recording, output],
                                 capture_output=True, text=True, check=False)
        if process.returncode != 0:
            self.problem(f"exit code {process.returncode}: {process.stderr.strip()}")
            return
        self.take_notes(json.loads(process.stdout)["notes"])
        try:
            self.run(fxt.read(output))
        except fxt.FxtError as error:
            self.problem(f"not a good FXT file: {error}")


def judge(description, kind):
    """Parses the command line, and compares each recording. Returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--converter", required=True, help="the program fxt-convert")
    parser.add_argument("--option", action="append", default=[], help="an option for fxt-convert")
    arguments, failed = parser.parse_args(), 0
    for recording in arguments.recordings:
        comparison = kind(recording)
        with tempfile.TemporaryDirectory() as directory:
            comparison.compare(arguments, directory)
        done = ", ".join(f"{count} {what}" for what, count in comparison.compared.items() if count)
        print(f"{recording.name}: {'DIFFERS' if comparison.problems else 'equal'}: {done}")
        if comparison.notes:
            print(f"  notes: {', '.join(comparison.notes)}")
        for problem in comparison.problems[:SHOWN]:
            print(f"  {problem}")
        if len(comparison.problems) > SHOWN:
            print(f"  … and {len(comparison.problems) - SHOWN} more")
        failed += bool(comparison.problems)
    return 1 if failed else 0
