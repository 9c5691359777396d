#!/usr/bin/env python3
"""What must not matter: how many threads convert, how the input is named, how calls are written, and whether a trace
is made whole or in parts. Each recording is converted in all these ways, and the same calls must come out.

The directory with the programs is in the environment variable PROGRAMS.
"""

import gzip
import json
import os
import subprocess
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
RECORDINGS = [f"samples/uftrace/{name}" for name in ("calc", "family", "pool", "shapes")] + [
    f"tests/uftrace/recordings/{name}" for name in ("args-auto", "damaged", "execs", "kernel", "sched")
] + ["samples/gdb/heater.tfile", "samples/both/stones.trace"]


class Events:
    """The calls of a trace, whatever their encoding, and all its other events."""

    def __init__(self, path):
        dumped = subprocess.run([PROGRAMS / "fxt-dump", "--json", "--type=event", path], capture_output=True,
                                check=True)
        self.calls, self.others, stacks = Counter(), Counter(), defaultdict(list)
        for record in map(json.loads, dumped.stdout.splitlines()):
            thread = (record["thread"]["process"], record["thread"]["thread"])
            values = {argument["name"]: str(argument["value"]) for argument in record.get("arguments", [])}
            call = (thread, record.get("category"), record.get("name"), record["time"])
            if record["kind"] == "complete":
                self.add(call, record["end"], values)
            elif record["kind"] == "begin":
                stacks[thread].append((call, values))
            elif record["kind"] == "end":
                begin, at_begin = stacks[thread].pop()
                self.add(begin, record["time"], at_begin | values)
            else:
                self.others[(record["kind"], *call, record.get("id"), *sorted(values.items()))] += 1
        assert not any(stacks.values()), f"{path}: calls are open at the end"

    def add(self, call, end, values):
        # A call that is written as a pair may have two reasons for its repair, one at each end.
        reasons = ",".join(values.pop(name) for name in ("repaired", "repaired_end") if name in values)
        self.calls[(*call, end, reasons, *sorted(values.items()))] += 1

    def begins(self):
        """Of the calls that begin in this part of a trace."""
        return Counter({call[:4]: count for call, count in self.calls.items()
                        if not {("cut", "begin"), ("cut", "both")} & set(call[6:])})


class Sameness(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_program(self, program, *arguments):
        done = subprocess.run([PROGRAMS / program, *map(str, arguments)], capture_output=True, check=False, timeout=120,
                              cwd=REPOSITORY)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def convert(self, *arguments, output="out.fxt"):
        path = self.folder / output
        self.run_program("fxt-convert", "-f", "-q", *arguments, path)
        self.assertEqual(self.run_program("fxt-dump", "--check", path), b"", arguments)
        return path

    def for_all(self, check):
        for recording in RECORDINGS:
            with self.subTest(recording):
                check(recording)

    def span(self, recording):
        report = json.loads(self.run_program("fxt-convert", "-f", "--report=json", recording, self.folder / "span.fxt"))
        return report["first_ns"], report["last_ns"]

    def test_threads_compression_and_the_inputs_name(self):
        def check(recording):
            expected = self.convert("-j1", recording).read_bytes()
            for jobs in ("-j2", "-j4"):
                self.assertEqual(self.convert(jobs, recording).read_bytes(), expected, jobs)
            packed = self.folder / "out.fxt.gz"
            self.run_program("fxt-convert", "-f", "-q", recording, packed)
            self.assertEqual(gzip.decompress(packed.read_bytes()), expected)
            link = self.folder / Path(recording).name
            link.symlink_to(REPOSITORY / recording)
            names = [REPOSITORY / recording, link]
            if (REPOSITORY / recording).is_dir():
                names += [f"{recording}/", f"./{recording}/."]
            for name in names:
                self.assertEqual(self.convert(name).read_bytes(), expected, name)
            link.unlink()

        self.for_all(check)

    def test_the_form_of_calls(self):
        def check(recording):
            mixed, pairs = Events(self.convert(recording)), Events(self.convert("--durations=pairs", recording))
            self.assertEqual(mixed.calls, pairs.calls)
            self.assertEqual(mixed.others, pairs.others)

        self.for_all(check)

    def test_a_range_of_the_input_is_a_range_of_the_trace(self):
        def check(recording):
            whole = self.convert(recording, output="whole.fxt")
            first, last = self.span(recording)
            for eighths in ((0, 3), (3, 6), (6, 8)):
                edges = [first + (last - first) * eighth // 8 for eighth in eighths]
                asked = "~".join(f"{edge // 10**9}.{edge % 10**9:09}" for edge in edges)
                cut = self.folder / "cut.fxt"
                self.run_program("fxt-cut", "-q", "-f", "-r", asked, whole, cut)
                part, of_trace = Events(self.convert("-r", asked, recording)), Events(cut)
                self.assertEqual(part.calls, of_trace.calls, asked)
                self.assertEqual(part.others, of_trace.others, asked)

        self.for_all(check)

    def test_pieces_make_the_whole(self):
        def check(recording):
            whole = Events(self.convert(recording))
            first, last = self.span(recording)
            begins, instants = Counter(), Counter()
            self.run_program("fxt-convert", "-f", "-q", f"--split-time={(last - first) // 7 + 1}ns", recording,
                             self.folder / "piece.fxt")
            for path in self.folder.glob("piece.*.fxt"):
                self.assertEqual(self.run_program("fxt-dump", "--check", path), b"")
                part = Events(path)
                begins += part.begins()
                instants += Counter({key: count for key, count in part.others.items() if key[0] == "instant"})
                path.unlink()
            # An arrow that goes on in a later piece needs a call there: one without length, of the same name.
            self.assertEqual(whole.begins() - begins, Counter())
            self.assertEqual(instants, Counter({key: count for key, count in whole.others.items()
                                                if key[0] == "instant"}))

        self.for_all(check)

    def test_threads_one_by_one_make_the_whole(self):
        def check(recording):
            whole, parts = Events(self.convert(recording)), Counter()
            for thread in {call[0][1] for call in whole.calls}:
                parts += Events(self.convert("--tid", thread, recording)).calls
            self.assertEqual(parts, whole.calls)

        for recording in RECORDINGS:
            if not recording.endswith((".tfile", ".trace")):  # whose own ids are not shown
                with self.subTest(recording):
                    check(recording)


if __name__ == "__main__":
    unittest.main()
