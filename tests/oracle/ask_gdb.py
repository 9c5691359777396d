#!/usr/bin/env python3
"""Writes the data that GDB shows for a trace file, frame by frame, for compare_tfile.py.

Takes a trace file, and optionally its program. Writes <name>.oracle.jsonl next to the trace file. Only the GDB of a
recording session knows the addresses of position-independent programs. There, use:

    source ask_gdb.py
    python live_dump("out.live.jsonl")
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

try:
    import gdb
except ImportError:
    gdb = None


def said(command):
    return gdb.execute(command, to_string=True)


def number_of_frame():
    return int(gdb.parse_and_eval("$trace_frame"))


def registers():
    """The recorded raw values as GDB prints them, by name."""
    rows = re.findall(r"^ (\S+)\s+\d+\s+\d+\s+\d+\s+\d+\s+\S.*?\s(0x[0-9a-f]+)\s*$", said("maint print raw-registers"), re.M)
    return dict(rows)


def variables():
    rows = re.findall(r"^\$(\S+)\s+-?\d+\s+(-?\d+|<\w+>)\s*$", said("info tvariables"), re.M)
    return {name: None if value.startswith("<") else value for name, value in rows}


def memory():
    """Ranges with their bytes."""
    answer = said('interpreter-exec mi "-trace-frame-collected --memory-contents"')
    ranges = re.findall(r'address="(0x[0-9a-f]+)",length="(\d+)",contents="([0-9a-f]*)"', answer)
    return [[address, int(length), contents] for address, length, contents in ranges]


def pc():
    return hex(int(gdb.parse_and_eval("$pc")) & (1 << 64) - 1)


def frames(limit):
    """Selects each frame in turn, and yields its number."""
    for number in range(limit):
        try:
            said(f"tfind {number}")
        except gdb.error as error:
            yield number, str(error)
            tried(lambda: said("tfind none"))  # otherwise GDB stays at a damaged frame
            continue
        if number_of_frame() != number:
            return
        yield number, None


def tried(question):
    try:
        return question()
    except gdb.error:
        return None


def oracle_dump(path, limit=100_000):
    with open(path, "w", encoding="utf-8") as out:
        failures = 0
        for number, error in frames(limit):
            line = {"n": number}
            failures = failures + 1 if error else 0
            if failures > 1:  # two failures in a row mean the end of the frames
                break
            if error:
                line["tfind_error"] = error
            else:
                line |= {"pc": tried(pc), "regs": tried(registers) or {}, "tsv": tried(variables),
                         "memory": tried(memory) or []}
            out.write(json.dumps(line) + "\n")


def live_dump(path, limit=100_000):
    with open(path, "w", encoding="utf-8") as out:
        for number, error in frames(limit):
            if error:
                break
            name = tried(lambda: gdb.selected_frame().name())
            out.write(json.dumps({"n": number, "name": name, "pc": tried(pc), "tdump": tried(lambda: said("tdump"))}) + "\n")


def without_string_limits(trace, folder):
    """GDB 13 does not open a file with `collect/s` that it wrote. Without `collect/s`, the frames are the same."""
    copy = Path(folder) / trace.name
    shutil.copy(trace, copy)
    content = copy.read_bytes()
    with_limit = re.compile(b"(" + b"collect".hex().encode() + b")(" + b"/s".hex().encode() + b"(?:3[0-9])*)")
    copy.write_bytes(with_limit.sub(lambda found: found[1] + b"20" * (len(found[2]) // 2), content))
    return copy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", metavar="TRACE-FILE", type=lambda path: Path(path).resolve())
    parser.add_argument("program", metavar="PROGRAM", nargs="?")
    options = parser.parse_args()
    trace = options.trace
    with tempfile.TemporaryDirectory() as folder:
        commands = ["set pagination off", "set confirm off", "set width 0"]
        if options.program:
            commands.append(f"file {options.program}")
        commands += [f"target tfile {without_string_limits(trace, folder)}", f"source {__file__}",
                     f"python oracle_dump({str(trace.with_suffix('.oracle.jsonl'))!r})"]
        arguments = [argument for command in commands for argument in ("-ex", command)]
        subprocess.run(["gdb", "-nx", "-batch", *arguments], check=True, env=os.environ | {"LC_ALL": "C"})


if gdb is None:
    main()
