#!/usr/bin/env python3
"""Checks that no record of a uftrace recording is lost.

`records_read`, and the numbers of records that --inspect prints for each thread, must equal the numbers in `uftrace dump`.
Each RECORDING is a directory of uftrace. If the file RECORDING.dump.txt exists, it is the dump. Otherwise, uftrace runs.
Records of the kernel and of perf files are not counted. The exit code is 1 if anything differs.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SECTION = re.compile(rb"reading (\S+)")
RECORD = re.compile(rb"\d+\.\d{9}\s+(\d+): \[(?:entry|exit |event|lost )\]")


def dump_of(recording):
    beside = recording.parent / f"{recording.name}.dump.txt"
    if beside.exists():
        return beside.read_bytes()
    return subprocess.run(["uftrace", "dump", "--no-pager", "-d", recording], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def records_of(dump):
    """Records by thread."""
    counts, is_thread = Counter(), False
    for line in dump.splitlines():
        if section := SECTION.match(line):
            is_thread = re.fullmatch(rb"\d+\.dat", section[1]) is not None
        elif is_thread and (record := RECORD.match(line)):
            counts[int(record[1])] += 1
    return counts


def report_of(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def compare(recording, converter):
    expected = records_of(dump_of(recording))
    problems = [] if expected else ["the dump has no records"]
    with tempfile.TemporaryDirectory() as directory:
        read = report_of([converter, "--report", "json", recording, Path(directory) / "out.fxt"])["records_read"]
    if read != expected.total():
        problems.append(f"{read} records read, uftrace reads {expected.total()}")
    inspected = report_of([converter, "--inspect", "--report", "json", recording])["threads"]
    counts = {thread["thread"]: thread.get("records", 0) for thread in inspected}
    for tid in sorted(expected.keys() | {tid for tid, count in counts.items() if count}):
        if counts.get(tid, 0) != expected[tid]:
            problems.append(f"thread {tid}: --inspect counts {counts.get(tid, 0)} records, uftrace {expected[tid]}")
    print(f"{recording.name}: {'; '.join(problems) or f'equal: {read} records of {len(expected)} threads'}")
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--converter", required=True, help="the program fxt-convert")
    arguments = parser.parse_args()
    return 0 if all([compare(recording, arguments.converter) for recording in arguments.recordings]) else 1


if __name__ == "__main__":
    sys.exit(main())
