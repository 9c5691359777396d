#!/usr/bin/env python3
"""Compares conversions of GDB trace files with the output of GDB, frame by frame.

    compare_tfile.py FXT_CONVERT CASE...

A CASE is one of these:
  - a directory with the files out.tfile and oracle.jsonl. Each line of oracle.jsonl is an object for one frame, with pc,
    registers, memory and variables. The directory may also have live.jsonl, from the recording session, with the values
    of `tdump`;
  - a file <name>.tfile, with <name>.oracle.jsonl next to it.
Prints the differences and the number of comparisons. The exit code is 1 if anything differs.
"""

import argparse
import collections
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import fxt_reader
import tdump

OWN_NAMES = ("frame", "tracepoint", "pc", "loc", "inlined", "time", "thread", "mem")


class Frame:
    """All records of one frame: their arguments and names, and the time, thread and place of the first one."""

    def __init__(self):
        self.args = {}
        self.names = set()
        self.time = None
        self.thread = None  # ids of process and thread
        self.place = None  # index of the frame's first record among all events


def frames_of(trace):
    frames = collections.defaultdict(Frame)
    open_frames = collections.defaultdict(list)  # by thread: numbers of frames whose duration is open
    for place, event in enumerate(trace.events):
        if event.category != "tracepoint":
            continue
        if event.type == fxt_reader.END:
            number = open_frames[event.thread].pop()
        else:
            number = event.args["frame"]
            if event.type == fxt_reader.BEGIN:
                open_frames[event.thread].append(number)
        frame = frames[number]
        frame.args.update(event.args)
        frame.names.add(event.name)
        if frame.time is None:
            frame.time, frame.thread, frame.place = event.time, event.thread, place
    return frames


def as_number(value, size):
    """An argument as an unsigned number of `size` bytes."""
    if isinstance(value, float):
        import struct
        return int.from_bytes(struct.pack("<f" if size == 4 else "<d", value), "little")
    if isinstance(value, str):
        value = int(value.split()[0], 16)
    return int(value) & (1 << 8 * size) - 1


class Comparison:
    def __init__(self, case):
        self.case = case
        self.counts = collections.Counter()
        self.problems = []
        self.unnamed = []

    def check(self, what, number, name, expected, found):
        self.counts[what] += 1
        if expected != found:
            self.problems.append(f"{self.case}: frame {number}: {what} {name}: expected {expected}, found {found}")

    def registers(self, number, oracle, frame):
        for name, text in oracle.get("regs", {}).items():
            found = frame.args.get("reg." + name)
            if not re.fullmatch("0x[0-9a-f]+", text):
                continue
            size = (len(text) - 2) // 2
            if found is None:
                # GDB also shows registers that were not recorded: zeros for a fast tracepoint, and the pc for a frame without
                # registers.
                if int(text, 16) != 0 and name not in ("rip", "eip", "pc", "pswa"):
                    self.check("register", number, name, text, None)
                continue
            try:
                value = as_number(found, size)
            except ValueError:
                value = found
            if value != int(text, 16) and value != value:
                continue
            self.check("register", number, name, int(text, 16), value)

    def memory(self, number, oracle, trace):
        blocks = {}
        prefix = f"gdb/frame/{number}/memory/"
        for name, content in self.blobs_of[number]:
            for i, byte in enumerate(content):
                blocks.setdefault(int(name[len(prefix):], 16) + i, byte)
        for address, size, content in oracle.get("memory", []):
            start = int(address, 16)
            found = bytes(blocks.get(start + i & (1 << 64) - 1, 0x100) & 0xff for i in range(size))
            complete = all((start + i) & (1 << 64) - 1 in blocks for i in range(size))
            self.check("memory", number, address, content, found.hex() if complete else "incomplete " + found.hex())

    def variables(self, number, oracle, frame):
        for name, value in (oracle.get("tsv") or {}).items():
            if value is not None:
                self.check("variable", number, "$" + name, int(value), frame.args.get("$" + name))

    def times(self, oracle, frames):
        """A frame is at its $trace_timestamp (us), and a frame without one is between its neighbors. If the timestamps
        never decrease, the records of a thread are in the order of the frames."""
        stamps = {line["n"]: int(stamp) * 1000 for line in oracle
                  if (stamp := (line.get("tsv") or {}).get("trace_timestamp")) not in (None, "0")}
        for number, stamp in stamps.items():
            if number in frames:
                self.check("time", number, "", stamp, frames[number].time)
        ordered = list(stamps.values())
        if ordered != sorted(ordered):
            return
        numbers = sorted(frames)
        for before, after in zip(numbers, numbers[1:]):
            self.check("order of times", after, f"after {before}", True, frames[before].time <= frames[after].time)
            if frames[before].thread == frames[after].thread:
                self.check("order of records", after, f"after {before}", True,
                           frames[before].place < frames[after].place)

    def threads(self, live, frames, are_tracepoints):
        """If the program's own gettid() was collected as `tid`, it corresponds one to one to our threads. If
        tracepoints are threads, this is true for each tracepoint."""
        threads_of, tids_of = collections.defaultdict(set), collections.defaultdict(set)
        for line in live:
            tid = re.search(r"^tid = (\d+)$", line.get("tdump") or "", re.M)
            if tid and line["n"] in frames:
                frame = frames[line["n"]]
                threads_of[tid[1], frame.args["tracepoint"] if are_tracepoints else None].add(frame.thread)
                tids_of[frame.thread].add(tid[1])
        for (tid, _), threads in threads_of.items():
            self.check("thread", "any", f"of tid {tid}", 1, len(threads))
        for thread, tids in tids_of.items():
            self.check("thread", "any", f"{thread}", 1, len(tids))

    def dumped(self, number, live, frame):
        """Every value that tdump shows, leaf by leaf, must be an argument with the same name, type and value."""
        def first_of(name):
            """The first index of an array, according to the arguments."""
            begin = re.compile(re.escape(name) + r"\[(-?\d+)\]")
            fortran, *outer = re.split(r"\[", name)
            of_fortran = re.compile(re.escape(fortran) + r"\(([-\d,]+)\)")
            firsts = [int(found[1]) for known in frame.args if (found := begin.match(known))]
            # Fortran's a(i,j) is a[j][i] in GDB's output.
            firsts += [int(found[1].split(",")[-1 - len(outer)]) for known in frame.args
                       if (found := of_fortran.match(known)) and len(outer) <= found[1].count(",")]
            return min(firsts, default=0)

        for names, expected in tdump.leaves_of(live.get("tdump"), first_of):
            if expected is None or isinstance(expected, tdump.Variant) and not {names[0], f"{names[0]} (whole)"} & frame.args.keys():
                continue
            # If GDB can't read the characters of a Pascal text, only the address is compared.
            is_unread = isinstance(expected, tdump.Pointer) and (expected.symbol or "").startswith("error: ")
            if is_unread and not str(frame.args.get(names[0], "")).startswith("0x") and not any(
                    isinstance(frame.args.get(name), fxt_reader.Pointer) for name in names):
                continue
            self.counts["leaves"] += 1
            spelled = names + [re.sub(r"(?:\[-?\d+\])+", lambda all: f"({','.join(re.findall('-?[0-9]+', all[0])[::-1])})", name)
                               for name in names]
            names = [argument_name(name) + whole for whole in ("", " (whole)") for name in spelled]
            if isinstance(expected, tdump.Text) and (parts := elements_of(expected, spelled, frame.args)):
                self.counts["leaves"] += len(parts) - 1
                for name, byte in parts:
                    if int(frame.args[name]) & 0xff != byte:
                        self.counts["wrong leaves"] += 1
                        self.problems.append(f"{self.case}: frame {number}: tdump {name}: expected {byte}, found {frame.args[name]!r}")
                continue
            name = next((name for name in names if name in frame.args), None)
            if name is None:
                self.counts["missing leaves"] += 1
                self.unnamed.append(f"{self.case}: frame {number}: {names[0]} = {expected}")
            elif not same(expected, frame.args[name]):
                self.counts["wrong leaves"] += 1
                self.problems.append(f"{self.case}: frame {number}: tdump {name}: expected {expected}, "
                                     f"found {frame.args[name]!r}")


def argument_name(name):
    """The name of the argument for a value that GDB prints with this name: argument_name() of the converter."""
    name = re.sub(rf"^({'|'.join(OWN_NAMES)})(?=[.\[]|$)", r"\1 (program)", name)
    is_tree = all(re.fullmatch(r"\d{1,3}", index) for index in re.findall(r"\[([^]]*)", name))
    return name if is_tree else name.translate(str.maketrans("[]", "()"))


def elements_of(expected, names, arguments):
    """For an array of bytes, which GDB shows as text: the names of its elements, with their bytes."""
    for name in names:
        found = [element for i in range(len(expected.text) + 1)
                 if (element := argument_name(tdump.element_name(name, i))) in arguments]
        if found and isinstance(arguments[found[0]], int):
            content = expected.text.ljust(len(found), b"\0")
            return list(zip(found, content))
    return []


def same_bytes(text, found):
    """True if an argument has the bytes that GDB shows. Both show only a part of a long array: "45 00 00 54 … (300 bytes)"."""
    if not (match := re.fullmatch(r"((?:[0-9a-f]{2} ?)+)(?:…|\.\.\.)?(?: ?\(\d+ bytes\))?", found)):
        return False
    shown = bytes.fromhex(match[1])
    size = min(len(shown), len(text))
    return shown[:size] == text[:size] and not any(shown[size:])


def same_text(expected, found):
    """Texts are shown without the NULs at their end. Texts with other NULs, or that are not UTF-8, are escaped like in
    GDB."""
    text, found = expected.text.rstrip(b"\0"), fxt_reader.unquoted(found)
    is_spelled = b"\0" in text
    try:
        text.decode()
    except UnicodeDecodeError:
        is_spelled = True
    if not is_spelled:
        return found == text.decode() or (expected.cut and found.startswith(text.decode()))
    said = re.sub(rb"\\([0-7]{3}|\\)", lambda code: code[1] if code[1] == b"\\" else bytes([int(code[1], 8)]),
                  found.removesuffix("...").encode())
    return said == text or (expected.cut or found.endswith("...")) and (said.startswith(text) or text.startswith(said))


def same(expected, found):
    """True if an argument is equal to GDB's output."""
    if isinstance(expected, tdump.Pointer):
        # GDB prints a pointer as the address and its content: `0x401136 <handler>`, `0x402010 "text"`.
        pattern = r'(0x[0-9a-f]+)(?: <(.*?)>)?(?: "(.*)"((?:\.\.\.)?))?(?:, this adjustment \d+)?'
        if isinstance(found, str) and (parts := re.fullmatch(pattern, found, re.S)):
            address, symbol, text, _ = parts.groups()
            if int(address, 16) != expected.address:
                return False
            if symbol is not None and symbol.startswith("U_$"):  # GDB shows no symbols in Pascal
                return True
            if symbol is not None and re.split("[(<]", symbol)[0] != re.split("[(<]", expected.symbol or "")[0]:
                return False
            # GDB can't read constants of a position-independent program, and prints "<error: Cannot access
            # memory …>".
            if text is not None and expected.text is None:
                return expected.symbol is not None
            if text is not None:
                return expected.text is not None and same_text(tdump.Text(expected.text, True), text)
            return symbol is not None
        if found is None:  # collect/s
            return expected.address == 0
        if isinstance(found, str):  # collect/s
            return expected.text is not None and same(tdump.Text(expected.text, True), found)
        return isinstance(found, fxt_reader.Pointer) and int(found) == expected.address
    if isinstance(expected, tdump.Text):
        return isinstance(found, str) and (same_text(expected, found) or same_bytes(expected.text, found))
    if isinstance(expected, (tdump.Enum, tdump.Variant)):
        return found == expected.name
    if isinstance(expected, tdump.Char):
        if isinstance(found, str):
            return found.endswith(f" ({expected.code})")
        expected = expected.code
    if isinstance(expected, bool) and isinstance(found, str):
        return found == str(expected).lower()
    if isinstance(expected, float) and isinstance(found, str):  # no double is as large, or as small
        return expected in (0, math.inf, -math.inf) and float(found) == expected
    if isinstance(found, str) and isinstance(expected, int) and expected >= 1 << 63:
        return found == str(expected)
    if isinstance(found, (str, fxt_reader.Pointer)):
        return False
    if isinstance(expected, float) or isinstance(found, float):
        return isinstance(found, float) and (math.isclose(found, expected, rel_tol=1e-8) or found != found)
    return int(found) == int(expected)


def convert(program, tfile, extra):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.fxt"
        subprocess.run([program, "--registers", "all", "--report", "none", *extra, tfile, output], check=True)
        return fxt_reader.read(output)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def compare(program, tfile, oracle_path, live_path, use_program, form):
    comparison = Comparison(f"{tfile.parent.name}/{tfile.name}")
    extra = ["--frames", form]
    has_program = use_program and (tfile.parent / "prog").exists()
    if has_program:
        for module in [tfile.parent / "prog", *sorted(tfile.parent.glob("*.so"))]:
            extra += ["--program", module]
    trace = convert(program, tfile, extra)
    comparison.blobs_of = collections.defaultdict(list)
    for name, content in trace.blobs.items():
        parts = name.split("/")
        if parts[:2] == ["gdb", "frame"] and parts[3] == "memory":
            comparison.blobs_of[int(parts[2])].append((name, content))
    frames = frames_of(trace)
    oracle = lines_of(oracle_path)
    comparison.counts["frames"] = len(frames)
    for line in oracle:
        if "tfind_error" in line:
            continue
        number = line["n"]
        if number not in frames:
            comparison.problems.append(f"{comparison.case}: frame {number} is missing")
            continue
        frame = frames[number]
        if line.get("pc"):
            found = frame.args.get("pc")
            comparison.check("pc", number, "", int(line["pc"], 16), found if found is None else int(found))
        comparison.registers(number, line, frame)
        if not line.get("pc_error"):
            comparison.memory(number, line, trace)
        comparison.variables(number, line, frame)
    live = lines_of(live_path)
    without_pc = {line["n"] for line in oracle if line.get("pc") is None}
    comparison.times(oracle, frames)
    comparison.threads(live, frames, form == "tracks")
    for line in live:
        if line["n"] in frames:
            comparison.dumped(line["n"], line, frames[line["n"]])
            # In the recording session, GDB wrongly treats a step without registers as a hit at the
            # tracepoint. The function of such a frame is not compared.
            if has_program and line.get("name") and line["n"] not in without_pc:
                comparison.check("function", line["n"], "", True, line["name"] in " ".join(frames[line["n"]].names))
    return comparison


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with-program", action="store_true", help="give the case's `prog` to --program")
    parser.add_argument("--frames", default="marks", help="the form of frames: marks or tracks")
    parser.add_argument("--unnamed", action="store_true", help="print the items that GDB names and we do not")
    parser.add_argument("--limit", type=int, default=5, help="problems printed per case")
    parser.add_argument("fxt_convert")
    parser.add_argument("case", nargs="+", type=Path)
    arguments = parser.parse_args()
    total = collections.Counter()
    failures = 0
    for case in arguments.case:
        if case.is_dir():
            files = [(case / "out.tfile", case / "oracle.jsonl", case / "live.jsonl")]
        else:
            files = [(case, case.with_suffix(".oracle.jsonl"), case.with_suffix(".live.jsonl"))]
        for tfile, oracle, live in files:
            comparison = compare(arguments.fxt_convert, tfile, oracle, live, arguments.with_program, arguments.frames)
            total.update(comparison.counts)
            failures += len(comparison.problems)
            counts = ", ".join(f"{count} {what}" for what, count in sorted(comparison.counts.items()))
            print(f"{comparison.case}: {counts}; {len(comparison.problems)} differences")
            for problem in comparison.problems[:arguments.limit]:
                print("  " + problem)
            if arguments.unnamed:
                for item in comparison.unnamed:
                    print("  no name: " + item)
    print("all: " + ", ".join(f"{count} {what}" for what, count in sorted(total.items())) + f"; {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
