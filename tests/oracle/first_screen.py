#!/usr/bin/env python3
"""Checks that Perfetto has nothing but processes at its top level, in the inputs that are named after the converter,
each converted with default options: only then does it unfold the process. With --utc there may be a date, too.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import fxt_reader as fxt
import viewers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("converter", help="the program fxt-convert")
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    arguments, problems = parser.parse_args(), 0
    dated = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.inputs:
            for options, allowed in ([], set()), (["--utc"], {"System"}):
                trace = Path(folder) / "trace.fxt"
                subprocess.run([arguments.converter, "-q", "-f", *options, path, trace], check=True)
                converted = fxt.read(trace)
                processes = {f"{name} {process}" for process, name in converted.process_names.items()}
                others = set(viewers.perfetto_groups(converted)) - processes
                dated += "System" in others
                if others - allowed:
                    problems += 1
                    print(f"{path} {options}: {sorted(others)}")
    print(f"{len(arguments.inputs)} inputs, {dated} with a date, {problems} problems")
    if not dated:
        print("no input has the date that --utc shows")
    return 1 if problems or not dated else 0


if __name__ == "__main__":
    sys.exit(main())
