#!/usr/bin/env python3
"""Checks that FXT files show the same arguments, return values and events as uftrace.

Each RECORDING is a directory of uftrace. The script converts the recording with --converter, and reads the FXT file with
fxt_reader.py in this folder. Then it compares
  - each call with `uftrace replay`, thread by thread and in order: the name, all arguments, and the return value;
  - each event with `uftrace dump`: counters, user events, differences, and call sites.
If texts of uftrace are next to the recording (RECORDING.replay.txt, .dump.txt), they are used. Otherwise, uftrace runs.
If uftrace fails, for example at a wrong spec, only the part that uftrace shows is compared. Calls deeper than 1024
levels are not compared. The exit code is 1 if anything differs.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import fxt_reader as fxt
import uftrace_reference as uftrace

BEGIN, END, COMPLETE, INSTANT, COUNTER = 2, 3, 4, 0, 1
VALUE = re.compile(r"(arg|fparg)\d+|retval")
REPLAY = re.compile(r"^ *(?:[0-9.]+ +[a-z]+ +)?\[ *(\d+)\] \| +(.*)$", re.S)
CALLER = re.compile(r" /\* from \S+ \*/$")
CALL_SITE = re.compile(r"\S+(:\d+|\+0x[0-9a-f]+)")
WITHOUT_ENTRY = {"inherited-call", "entry-missing", "exit-without-entry"}
MAX_DEPTH = 1024  # uftrace's replay shows no deeper calls
READ_NAMES = {"proc/statm": "memory"}
FIELDS = {"vmsize": "vmsize KB", "vmrss": "vmrss KB", "shared": "shared KB", "major": "major faults",
          "minor": "minor faults", "cycle": "cycles", "instructions": "instructions"}


class Call:
    def __init__(self, name, args):
        self.name, self.args = name, dict(args)

    def values(self, of_result):
        return [(k, v) for k, v in self.args.items() if VALUE.fullmatch(k) and (k == "retval") == of_result]


def calls_of(trace):
    """The calls of every thread that uftrace shows, in the order of their starts. Each has its start and, if it ended, its
    end."""
    calls, stacks = defaultdict(list), defaultdict(list)
    for event in trace.events:
        if event.category == "[kernel]" or event.name.startswith("linux:schedule"):
            continue
        tid = event.thread[1]
        stack = stacks[tid]
        while stack and stack[-1].end is not None and stack[-1].end <= event.time:
            stack.pop()
        if event.type == COMPLETE or event.type == BEGIN:
            call = Call(event.name, event.args)
            call.begin, call.end = event.time, event.extra if event.type == COMPLETE else None
            stack.append(call)
            if len(stack) <= MAX_DEPTH and not WITHOUT_ENTRY & set(event.args.get("repaired", "").split(",")):
                calls[tid].append(call)
        elif event.type == END and stack:
            call = stack.pop()
            call.args.update(event.args)
            call.end = event.time
    return calls


def raw(text):
    """Decodes a string of our trace. After a backslash, it has an octal number for a byte, or a second backslash."""
    spelled = re.compile(rb"\\([0-7]{3}|\\)")
    whole = spelled.sub(lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 8)]), text.encode())
    return whole.decode(errors="surrogateescape")


def is_same(value, bits):
    """True if the bits that uftrace prints for a variable are the bits of our value, which may be signed."""
    return value == bits or (value < 0 and any(value & (1 << size) - 1 == bits for size in (16, 32, 64)))


def char_text(code):
    """The text that uftrace prints for a character."""
    byte = bytes([code & 0xff])
    known = {b"\n": "\\n", b"\0": "\\0", b"\t": "\\t", b"\r": "\\r", b"\b": "\\b"}
    return f"'{known.get(byte) or byte.decode(errors='surrogateescape')}'"


def texts_of(call, name, value):
    """The texts that uftrace may print for a value of ours."""
    if value is None:
        return ["NULL"]
    if isinstance(value, fxt.Pointer):
        symbol = call.args.get(name + " symbol")
        return [f"&{symbol}"] if symbol is not None else [hex(value), str(int(value))]
    if isinstance(value, float):
        return ["%#f" % value, "-nan" if value != value else "%#f" % value]
    if isinstance(value, int):
        forms = [str(value)]
        for size in (8, 16, 32, 64):
            bits = value & (1 << size) - 1
            if value >= 0 and bits != value:
                continue
            forms += [hex(bits), "0" + oct(bits)[2:], str(bits)]
        return forms + [char_text(value)] * (value == -1)
    char = re.fullmatch(r"'.+' \((-?\d+)\)", value)
    if char:
        return [char_text(int(char[1]))]
    forms = [value]
    inner = fxt.unquoted(value)
    for text in (inner, raw(inner)):
        escaped = text.replace("\n", "\\n")
        printed = escaped.split("\0")[0]
        forms += [f'"{escaped}"s', f'"{escaped}"', f'"{text}"', f'"{printed}"']
    return forms


def is_part_of(value, printed):
    """True if a number of ours, whose type comes from the program, is the low part of the register that uftrace prints."""
    return type(value) is int and any(
        (value - int(printed, 0)) % (1 << size) == 0 and -(1 << size - 1) <= value < 1 << size
        for size in (8, 16, 32))


def match_values(call, values, rest, ends):
    """Removes the printed values from `rest`, and returns the text after them. Raises ValueError with the difference."""
    for index, (name, value) in enumerate(values):
        if index:
            if not rest.startswith(", "):
                raise ValueError(f"{name} = {value!r} is not in uftrace's {rest!r}")
            rest = rest[2:]
        stops = ends if index + 1 == len(values) else (", ",)
        for text in texts_of(call, name, value):
            if rest.startswith(text) and rest[len(text):].startswith(stops):
                rest = rest[len(text):]
                break
        else:
            printed = re.match(r"0x[0-9a-f]+|-?\d+", rest)
            if printed and rest[printed.end():].startswith(stops) and is_part_of(value, printed[0]):
                rest = rest[printed.end():]
                continue
            raise ValueError(f"{name} = {value!r}, uftrace has {rest!r}")
    return rest


def uftrace_text(recording, kind, directory):
    kept = Path(f"{recording}.{kind}.txt")
    info = recording / "info"
    has_kernel = info.exists() and uftrace.features(info.read_bytes()) & uftrace.KERNEL
    if kept.exists() and not (has_kernel and kind == "replay"):
        return kept.read_bytes().decode(errors="surrogateescape")
    command = {"replay": ["replay", "-f", "duration,tid", "--no-event"], "dump": ["dump"]}[kind]
    readable = uftrace.readable_copy(recording, directory)
    if kind == "replay":  # the text does not distinguish the kernel's calls
        for path in readable.glob("kernel*"):
            path.unlink()
    run = subprocess.run(["uftrace", *command, "--no-pager", "-d", readable], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    return run.stdout.decode(errors="surrogateescape")


def lines_of(replay):
    """The lines of calls. Texts may contain line ends."""
    lines = []
    for line in replay.split("\n"):
        if line.startswith("uftrace stopped tracing"):
            break
        if REPLAY.match(line) or not lines:
            lines.append(line)
        elif line:
            lines[-1] += "\n" + line
    return lines


def compare_values(recording, trace, problems, directory):
    calls, taken, stacks = calls_of(trace), defaultdict(int), defaultdict(list)
    compared = 0
    for line in lines_of(uftrace_text(recording, "replay", directory)):
        found = REPLAY.match(line)
        if not found or found[2].startswith("/*"):
            continue
        tid, text = int(found[1]), CALLER.sub("", found[2])
        try:
            if text.startswith("}"):
                if "setjmp */" in text and (not stacks[tid] or "setjmp" not in stacks[tid][-1].name):
                    while stacks[tid] and "longjmp" in stacks[tid][-1].args.get("repaired", ""):
                        stacks[tid].pop()
                    continue  # the function returns once more
                while stacks[tid] and "repaired" in stacks[tid][-1].args:
                    stacks[tid].pop()  # the call has no exit
                call = stacks[tid].pop() if stacks[tid] else None
                if call is None:
                    continue  # the call began before the recording, or in a parent
                rest = text[1:]
                values = call.values(True)
                if values and not rest.startswith(" = "):
                    raise ValueError(f"retval is not in uftrace's {text!r}")
                if values:
                    rest = match_values(call, values, rest[3:], (";",))[1:]
                theirs = re.sub(r"^ /\* | \*/$", "", rest)
                if not (re.fullmatch(r"<[0-9a-f]+>", theirs) or uftrace.is_same_name(call.name, theirs)):
                    raise ValueError(f"uftrace has {text!r}")
                compared += len(values)
                continue
            if taken[tid] == len(calls[tid]):
                problems.append(f"thread {tid}: uftrace has one more call: {text}")
                break
            call = calls[tid][taken[tid]]
            taken[tid] += 1
            if re.match(r"<[0-9a-f]+>\(", text):  # we have these names from ELF files
                if text.endswith("{"):
                    stacks[tid].append(call)
                continue
            name, theirs = call.name, re.sub(r"(?:\(\))?(?: \{|;)$", "", text)
            if re.match(r"_[RZ]\w+\(", text):
                text = name + text[text.index("("):]
            elif theirs != text and uftrace.is_same_name(call.name, theirs):
                text = f"{name}() {{" if text.endswith("{") else f"{name}();"  # uftrace prints no second pair of brackets
            if not text.startswith(name + "("):
                name = re.sub(r"\(\)$|\.(?:actor|destroy|ramp)$", "", name)
            if not text.startswith(name + "("):
                raise ValueError(f"uftrace has {text!r}")
            values = call.values(False)
            rest = match_values(call, values, text[len(name) + 1:], (")",))
            compared += len(values)
            if rest == ") {":
                stacks[tid].append(call)
                continue
            values = call.values(True)
            if values and not rest.startswith(") = "):
                raise ValueError(f"retval is not in uftrace's {text!r}")
            rest = match_values(call, values, rest[4:], (";",)) if values else rest[1:]
            compared += len(values)
            if rest not in (";", " = ;"):  # 0.13 prints " = " for some calls that return nothing
                raise ValueError(f"uftrace has more: {rest!r}")
        except ValueError as problem:
            problems.append(f"thread {tid}, call {taken[tid]} {call.name}: {problem}")
            if len(problems) > 20:
                break
    return compared


def events_of_dump(text):
    """(tid, time, kind, name, values) of every event. The calls between them are included as events."""
    events = []
    for line in text.split("\n"):
        found = re.match(r"^(\d+)\.(\d{9}) +(\d+): \[(entry|exit |event|data )\] (.*)$", line)
        if found and found[4] != "data ":
            name = re.sub(r"\([0-9a-f]+\) depth: \d+$", "", found[5])
            events.append([int(found[3]), int(found[1] + found[2]), found[4].strip(), name, ""])
        elif events and line.startswith("  ") and events[-1][2] == "event" and not events[-1][4]:
            events[-1][4] = line.split(": ", 1)[1]
        elif line.startswith("reading ") and not line.rstrip().endswith(".dat"):
            break
        elif line.startswith("reading perf") or line.startswith("reading kernel"):
            break
    return events


def compare_events(recording, trace, problems, directory):
    said = defaultdict(list)
    for event in trace.events:
        if event.type == COUNTER or (event.type == INSTANT and event.category == "event"):
            said[event.thread[1], event.time].append(event)
    calls = calls_of(trace)
    begun = {(tid, call.begin, call.name): call for tid, of in calls.items() for call in of}
    ended = {(tid, call.end, call.name): call for tid, of in calls.items() for call in of}
    waiting = defaultdict(list)
    compared = 0
    for tid, time, kind, name, text in events_of_dump(uftrace_text(recording, "dump", directory)):
        values = dict(part.split("=") for part in text.split()) if text else {}
        if kind != "event":
            call = (begun if kind == "entry" else ended).get((tid, time, name))
            for field, value in waiting.pop(tid, []):
                got = call and call.args.get(field)
                if field == "callsite" and isinstance(got, str) and CALL_SITE.fullmatch(got):
                    got = value  # uftrace replay shows the value, and uftrace dump shows its address
                if got is None or got != value:
                    problems.append(f"thread {tid}, {time}: {field} of {name}: {value}, got {call and call.args.get(field)}")
                compared += 1
            continue
        if name.startswith("diff:"):
            waiting[tid] += [(f"diff.{field}", int(value.rstrip("KB"))) for field, value in values.items()
                             if name in ("diff:proc/statm", "diff:page-fault")]
            continue
        if name == "callsite":
            waiting[tid].append(("callsite", int(values["callsite"], 16)))
            continue
        if name.startswith("read:"):
            label = READ_NAMES.get(name[5:], name[5:])
            wanted = {FIELDS.get(field, field): int(value.rstrip("KB")) for field, value in values.items()}
        elif name == "watch:cpu":
            label, wanted = "cpu", {"cpu": int(values["cpu"])}
        elif name == "watch:var":
            label, wanted = "watch", {variable: int(bits, 16) for variable, bits in values.items()}
        else:
            label, wanted = name, {}
        compared += 1
        if not any(event.name == label and event.args.keys() == wanted.keys() and
                   all(is_same(event.args[key], bits) for key, bits in wanted.items()) for event in said[tid, time]):
            got = [(event.name, event.args) for event in said[tid, time]]
            problems.append(f"thread {tid}, {time}: {label} {wanted}, got {got}")
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--converter", required=True, help="the program fxt-convert")
    arguments = parser.parse_args()
    failed = False
    for recording in arguments.recordings:
        problems = []
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "out.fxt"
            subprocess.run([arguments.converter, "-q", "--max-depth", "100000", recording, output], check=True)
            trace = fxt.read(output)
            values = compare_values(recording, trace, problems, Path(folder))
            events = compare_events(recording, trace, problems, Path(folder))
        print(f"{recording.name}: {values} values and {events} events compared, {len(problems)} differ")
        for problem in problems[:10]:
            print(f"  {problem}")
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
