#!/usr/bin/env python3
"""Small files that request a lot of memory or time.

For a file of less than 10 MB, a program may need at most 256 MiB and 20 s. The message has the file and the limit.
The directory with the programs is in the environment variable PROGRAMS.
"""

import gzip
import os
import shutil
import struct
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path
from random import Random

from recording import entry, leave, write_recording

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"]).resolve()
HEATER = REPOSITORY / "samples/gdb/heater.tfile"
MAX_BYTES = 256 << 20
MAX_SECONDS = 20
GIB = 1 << 30


def word(*fields):
    """A word made of pairs (value, first bit)."""
    return sum(value << bit for value, bit in fields).to_bytes(8, "little")


class Trace:
    """An FXT trace of thread 1 of process 1."""

    def __init__(self):
        self.bytes = bytearray(word((0x0016547846040010, 0))) + word((3, 0), (3, 4), (1, 16)) + word((1, 0)) + word((1, 0))

    def string(self, index, text):
        padded = text.ljust(-(-len(text) // 8) * 8, "\0").encode()
        self.bytes += word((2, 0), (1 + len(padded) // 8, 4), (index, 16), (len(text), 32)) + padded

    def event(self, kind, time, *more, name=2, arguments=0, thread=1):
        self.bytes += word((4, 0), (2 + len(b"".join(more)) // 8, 4), (kind, 16), (arguments, 20), (thread, 24), (1, 32), (name, 48))
        self.bytes += word((time, 0)) + b"".join(more)


def switch(time, tid):
    """A record of perf: the thread gets the CPU."""
    return struct.pack("<IHHIIQ", 14, 0, 24, tid, tid, time)


def colliding_texts(count):
    """Texts of 16 bytes with the same hash in libstdc++ (MurmurHash64A, whose seed is always the same)."""
    multiplier, whole = 0xc6a4a7935bd1e995, (1 << 64) - 1
    inverse = pow(multiplier, -1, 1 << 64)

    def mix(number):
        return number ^ number >> 47

    for i in range(count):
        first = b"%08x" % i
        block = mix(int.from_bytes(first, "little") * multiplier & whole) * multiplier & whole
        before = (0xc70f6907 ^ 16 * multiplier & whole ^ block) * multiplier & whole
        yield first + (mix((before ^ 1) * inverse & whole) * inverse & whole).to_bytes(8, "little")


class Limits(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)

    def run_within_limits(self, program, *arguments):
        """Returns the exit code, and the printed text."""
        with (self.directory / "printed").open("w+b") as printed:
            process = subprocess.Popen([PROGRAMS / program, *arguments], stdout=printed, stderr=subprocess.STDOUT, cwd=self.directory)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertLess(used.ru_utime + used.ru_stime, MAX_SECONDS)
            self.assertLess(used.ru_maxrss * 1024, MAX_BYTES)
            printed.seek(0)
            return process.returncode, printed.read(100_000).decode()

    def recording_with_hole(self, name):
        """A recording of two calls, with a file of 6 GiB. Only the start of the file has data; the rest is a hole."""
        calls = [entry(1_000_000_100, 0, 0x400100), leave(1_000_000_200, 0, 0x400100)]
        directory = write_recording(self.directory / f"with-{name}", calls)
        with (directory / name).open("ab") as file:
            if file.tell() == 0:
                file.write(b"0000000000000100 00000010 T work\n")
            file.truncate(6 * GIB)
        return directory

    def assert_note(self, note, *arguments):
        code, printed = self.run_within_limits("fxt-convert", "-f", *arguments, "out.fxt")
        self.assertEqual(code, 0, printed)
        self.assertIn(note, printed)

    def test_the_size_of_files_with_holes_is_limited(self):
        note = "more than 4 MiB of a file with holes: only "
        for name in "app.sym", "default.opts", "perf-cpu0.dat":
            with self.subTest(name):
                self.assert_note(f"{name}: {note}", self.recording_with_hole(name))
        self.assertEqual(self.run_within_limits("fxt-convert", self.recording_with_hole("1000.dat"), "of_calls.fxt")[0], 0)

        shutil.copy(HEATER, self.directory / "a.tfile")
        os.truncate(self.directory / "a.tfile", 6 * GIB)
        code, printed = self.run_within_limits("fxt-convert", "a.tfile", "b.fxt")
        self.assertEqual((code, printed[:len("fxt-convert: a.tfile: " + note)]), (1, "fxt-convert: a.tfile: " + note))

        (self.directory / "symbols").write_bytes(b"ffffffff81000000 T start\n")
        os.truncate(self.directory / "symbols", 6 * GIB)
        self.assert_note("symbols: " + note, HEATER, "--symbols", "symbols")

    def test_a_program_over_a_limit_loses_only_its_names(self):
        (self.directory / "lines").write_bytes(bytes(4 << 20))
        subprocess.run(["objcopy", "--add-section=.debug_line=lines", PROGRAMS / "fxt-cut", "large"], cwd=self.directory, check=True)
        self.assert_note("large: more than 3 MiB of line tables of a program; the names, lines and types of this file are not shown",
                         HEATER, "--program", "large")

    def test_files_to_which_a_program_refers_are_checked_first(self):
        """libdw opens them itself, and would wait for a FIFO."""
        source = self.directory / "source"
        source.mkdir()
        subprocess.run(["cc", "-x", "c", "-g", "-gsplit-dwarf", "-c", "-o", "large.o", "-"], input="int main(void) { return 0; }", text=True,
                       cwd=source, check=True)
        subprocess.run(["cc", "-o", "../large", "large.o"], cwd=source, check=True)
        unused = "; the types in that file are not used"
        for name in "large.dwo", "large.dwp":
            os.mkfifo(self.directory / name)
            self.assert_note(f"{name}: not a regular file{unused}", HEATER, "--program", "large")
            (self.directory / name).unlink()
        (source / "lines").write_bytes(bytes(4 << 20))
        subprocess.run(["objcopy", "--add-section=.debug_line=lines", "large.dwo"], cwd=source, check=True)
        self.assert_note(f"source/large.dwo: more than 3 MiB of line tables of a program{unused}", HEATER, "--program", "large")

    def test_variables_of_a_function_are_limited(self):
        source = "int main(void) {\n" + "".join(f"  volatile int v{i} = {i};\n" for i in range(5000)) + "  return v1;\n}\n"
        subprocess.run(["cc", "-x", "c", "-g", "-no-pie", "-o", "large", "-"], input=source, text=True, cwd=self.directory, check=True)
        symbols = subprocess.run(["nm", "large"], capture_output=True, text=True, cwd=self.directory, check=True).stdout
        address = next(line.split()[0].lstrip("0") for line in symbols.splitlines() if line.endswith(" T main"))
        collect = "collect $locals".encode().hex()
        frame = b"M" + struct.pack("<QH", 0x1000, 1) + b"x"
        description = f"R 0\nstatus 0;tstop::0\ntp T1:{address}:E:0:0\ntp A1:{address}:M-1,1000,1\n" \
            f"tp Z1:{address}:at:0:4:{b'main'.hex()}\ntp Z1:{address}:cmd:0:{len(collect) // 2:x}:{collect}\n\n"
        (self.directory / "a.tfile").write_bytes(b"\x7fTRACE0\n" + description.encode() + (struct.pack("<HI", 1, len(frame)) + frame) * 20_000
                                                 + b"\0\0")
        self.assert_note("large: more than 4096 variables of a function; the other variables are unknown", "a.tfile", "--program", "large")

    def test_long_names_in_many_lines_need_an_option(self):
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n" * 32000)
        argument = word((6, 0), (1, 4), (2, 16), (2, 32))
        for i in range(1000):
            trace.event(0, i, *[argument] * 15, arguments=15)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        for options in [], ["--json"]:
            code, printed = self.run_within_limits("fxt-dump", *options, "a.fxt")
            self.assertEqual(code, 1)
        whole = subprocess.run([PROGRAMS / "fxt-dump", "a.fxt"], cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(whole.stderr, "fxt-dump: a.fxt: more than 256 MiB of text, which is more than a hundred times the size of the trace; use --any-size to print all of it\n")
        asked = subprocess.run([PROGRAMS / "fxt-dump", "--any-size", "a.fxt"], cwd=self.directory, stdout=subprocess.DEVNULL)
        self.assertEqual(asked.returncode, 0)

    def test_traces_with_a_large_unpacked_size_are_refused(self):
        with gzip.open(self.directory / "a.fxt.gz", "wb", compresslevel=1) as file:
            file.write(Trace().bytes)
            for _ in range(257):
                file.write(word((1, 4)) * (1 << 17))
        for program, *arguments in ["fxt-dump", "--stats", "a.fxt.gz"], ["fxt-cut", "--time-range=0~1", "a.fxt.gz", "b.fxt"]:
            code, printed = self.run_within_limits(program, *arguments)
            self.assertEqual(code, 1)
            self.assertIn(f"{program}: a.fxt.gz: more than 256 MiB of an unpacked trace; unpack it with another program first\n", printed)

    MEMORY = "more than 112 MiB of memory for a compressed input; unpack it with another program first\n"

    def test_compressed_traces_may_have_very_many_open_calls(self):
        """In the compressed file, an open call takes less than a tenth of a byte."""
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        trace.event(2, 1)
        with gzip.open(self.directory / "a.fxt.gz", "wb", compresslevel=1) as file:
            file.write(trace.bytes)
            for _ in range(500):
                file.write(trace.bytes[-16:] * 10_000)
        for program, *arguments in ["fxt-dump", "--stats", "a.fxt.gz"], ["fxt-cut", "--time-range=1~", "a.fxt.gz", "b.fxt"], \
                ["fxt-draw", "a.fxt.gz", "b.svg"]:
            code, printed = self.run_within_limits(program, *arguments)
            self.assertEqual(code, 1)
            self.assertIn(f"{program}: a.fxt.gz: {self.MEMORY}", printed)

        # The limits of all input files are added. The limit of an uncompressed file is larger.
        (self.directory / "a.fxt").write_bytes(trace.bytes + trace.bytes[-16:] * 2_500_000)
        with gzip.open(self.directory / "small.fxt.gz", "wb") as file:
            file.write(trace.bytes)
        diff = subprocess.run([PROGRAMS / "fxt-dump", "--diff", "a.fxt", "small.fxt.gz"], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual((diff.returncode, diff.stderr), (0, ""))

    def pack_recording(self, directory):
        with tarfile.open(self.directory / "r.tar.gz", "w:gz", compresslevel=1) as archive:
            archive.add(directory, "r")

    def test_compressed_recordings_may_have_very_many_parts(self):
        header = struct.pack("<8sIHBBQQH6x", b"Ftrace!", 4, 40, 1, 2, 0x107b, 7 << 10, 1024)
        for name, head, part in ("app.sym", b"", b"100 10 T f\n"), \
                ("sid-00000000000000aa.map", b"", b"1-2 r 0 0 0 /a\n1-2 r 0 0 0 /b\n"), \
                ("task", b"", struct.pack("<HHIQii", 0xface, 3, 16, 5, 1000, 1000)), \
                ("task.txt", b"", b"TASK timestamp=1.0 tid=1 pid=1\n"), \
                ("info", header + b"argspec:lines=1\nargauto:", b"f@arg1;"), \
                ("perf-cpu0.dat", b"", struct.pack("<IHHII16sIIQ", 3, 0, 48, 1000, 1000, b"n", 1000, 1000, 1_000_000_150)):
            with self.subTest(name):
                shutil.rmtree(self.directory / "r", ignore_errors=True)
                directory = write_recording(self.directory / "r", [entry(1_000_000_100, 0, 0x400100), leave(1_000_000_200, 0, 0x400100)])
                with (directory / name).open("wb") as file:
                    file.write(head)
                    for _ in range(25):
                        file.write(part * 100_000)
                self.pack_recording(directory)
                code, printed = self.run_within_limits("fxt-convert", "-f", "r.tar.gz", "b.fxt")
                self.assertEqual((code, printed), (1, f"fxt-convert: r.tar.gz: {self.MEMORY}"))

    def test_recordings_next_to_compressed_recordings(self):
        """The memory for recordings that are not compressed is added to the limit."""
        directory = write_recording(self.directory / "large", [entry(1_000_000_100, 0, 0x400100), leave(1_000_000_200, 0, 0x400100)])
        self.pack_recording(directory)
        with (directory / "app.sym").open("wb") as file:
            for _ in range(25):
                file.write(b"100 10 T f\n" * 100_000)
        whole = subprocess.run([PROGRAMS / "fxt-convert", "large", "r.tar.gz", "b.fxt"], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))

    def test_archives_that_unpack_in_much_memory_are_refused(self):
        """The memory is needed for a large dictionary, or for a long file name in a gzip file that is compressed once more."""
        packed = subprocess.run(["xz", "-c", "--lzma2=preset=0,dict=1GiB"], input=b"x" * 10_000, capture_output=True, check=True).stdout
        (self.directory / "a.tar.xz").write_bytes(packed)
        with gzip.open(self.directory / "a.gz.gz", "wb", compresslevel=1) as file:
            file.write(b"\x1f\x8b\x08\x08" + bytes(6))
            for _ in range(400):
                file.write(b"n" * (1 << 20))
        for name, problem in (("a.tar.xz", "unpacking needs more than 100 MiB of memory; unpack it with another program first\n"),
                              ("a.gz.gz", "neither a uftrace recording nor a GDB trace file")):
            code, printed = self.run_within_limits("fxt-convert", name, "b.fxt")
            self.assertEqual(code, 1)
            self.assertIn(f"fxt-convert: {name}: {problem}", printed)

    def test_open_calls_may_repeat_long_texts(self):
        """A record refers to a long text with only two bytes."""
        for kind, id_words in ("begin", []), ("counter", [0]), ("async", [0]), ("flow", [0]):
            trace = Trace()
            trace.string(1, "c")
            for i in range(31):
                trace.string(2 + i, chr(65 + i) + "x" * 31990)
            arguments = [word((6, 0), (1, 4), (3 + i, 16), (18 + i, 32)) for i in range(15)]
            for i in range(4000):
                ids = [word((i, 0)) for _ in id_words]
                trace.event({"begin": 2, "counter": 1, "async": 5, "flow": 8}[kind], i, *arguments, *ids, arguments=15)
            (self.directory / "a.fxt").write_bytes(trace.bytes)
            for options in [], ["--time-range=2us~3us"], ["--split-size=500M"]:
                with self.subTest(kind, options=options):
                    self.assertEqual(self.run_within_limits("fxt-cut", "-f", *options, "a.fxt", "b.fxt")[0], 0)

    def test_many_records_may_refer_to_similar_long_texts(self):
        trace = Trace()
        for i in range(15):
            trace.string(2 + i, "x" * 31990 + f"{i:02}")
        names = [word((1, 4), (2 + i, 16)) for i in range(15)]
        for i in range(20_000):
            trace.event(0, i, *names, arguments=15)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        code, printed = self.run_within_limits("fxt-dump", "--check", "a.fxt")
        self.assertEqual(code, 1)
        self.assertIn("fxt-dump: a.fxt: more than 4096 MiB of long texts in records\n", printed)

    def test_very_many_threads(self):
        """Each thread has a long name, or a call."""
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n" * 32000)
        for i in range(70_000):
            trace.bytes += word((7, 0), (2, 4), (2, 16), (2, 24)) + word((1000 + i, 0))
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        code, printed = self.run_within_limits("fxt-dump", "--stats", "a.fxt")
        self.assertEqual(code, 1)
        self.assertIn("fxt-dump: a.fxt: more than 224 MiB of memory for an input\n", printed)

        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        for i in range(70_000):
            trace.event(4, i, word((1, 0)), word((1000 + i, 0)), word((i + 1, 0)), thread=0)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-cut", "--fit=300k", "a.fxt", "b.fxt")[0], 0)

    def test_damaged_lines_are_limited(self):
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
        (directory / "task.txt").write_bytes(b"X\n" * 4_000_000)
        code, printed = self.run_within_limits("fxt-convert", "--fit=100k", directory, "out.fxt")
        self.assertEqual((code, printed), (1, f"fxt-convert: {directory}/task.txt: more than 2000000 damaged lines in all text files\n"))

    def write_program(self, abbreviations, debug_info, more=""):
        """Writes the program `large`, whose DWARF has the DIEs of debug_info after the type `int`. Returns main's address."""
        source = f"""
            .globl main
            main: .skip 4000, 0x90
            .Lend: .size main, .Lend - main
            .section .note.GNU-stack,"",@progbits
            .section .debug_abbrev,"",@progbits
            .byte 1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x07, 0, 0
            .byte 2, 0x2e, 1, 0x03, 0x08, 0x3f, 0x19, 0x11, 0x01, 0x12, 0x07, 0, 0
            .byte 3, 0x34, 0, 0x03, 0x0e, 0x49, 0x13, 0x02, 0x18, 0x3f, 0x19, 0, 0
            .byte 4, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0
            {abbreviations}
            .byte 0
            .section .debug_info,"",@progbits
            .Lunit: .long .Lunit_end - .Lunit - 4
            .short 5
            .byte 1, 8, 0, 0, 0, 0, 1
            .asciz "a.c"
            .byte 0x1d
            .quad main, .Lend - main
            .Ltype: .byte 4
            .asciz "int"
            .byte 4, 5
            {debug_info}
            .byte 0
            .Lunit_end:
            {more}
            """
        subprocess.run(["cc", "-x", "assembler", "-no-pie", "-o", "large", "-"], input=source, text=True, cwd=self.directory, check=True)
        symbols = subprocess.run(["nm", "large"], capture_output=True, text=True, cwd=self.directory, check=True).stdout
        return next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" T main"))

    FUNCTION = '.byte 2\n.asciz "main"\n.quad main, .Lend - main\n'

    def write_frames(self, start, count, action="collect $locals"):
        """Writes `a.tfile`, with a frame at each of the addresses from `start`."""
        action = action.encode().hex()
        frame = b"M" + struct.pack("<QH", 0x1000, 1) + b"x"
        tracepoints = "".join(f"tp T{i + 1:x}:{start + i:x}:E:0:0\ntp A{i + 1:x}:{start + i:x}:M-1,1000,1\n"
                              f"tp Z{i + 1:x}:{start + i:x}:at:0:4:{b'main'.hex()}\n"
                              f"tp Z{i + 1:x}:{start + i:x}:cmd:0:{len(action) // 2:x}:{action}\n" for i in range(count))
        (self.directory / "a.tfile").write_bytes(
            f"\x7fTRACE0\nR 0\nstatus 0;tstop::0\n{tracepoints}\n".encode()
            + b"".join(struct.pack("<HI", i + 1, len(frame)) + frame for i in range(count)) + b"\0\0")

    def test_lists_of_locations_are_searched_for_many_addresses(self):
        entries, variables = 1_000_000, 1
        variable = ".byte 5\n.asciz \"v\"\n.long .Ltype - .Lunit, {}\n"
        start = self.write_program(
            ".byte 5, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x17, 0, 0",
            self.FUNCTION + "".join(variable.format(12 + 5 * i) for i in range(variables)) + ".byte 0",
            f"""
            .section .debug_loclists,"",@progbits
            .long 8 + 5 * {entries} + 1
            .short 5
            .byte 8, 0, 0, 0, 0, 0
            .rept {entries}
            .byte 4, 0, 1, 1, 0x50
            .endr
            .byte 0
            """)
        self.write_frames(start, 2000)
        self.assert_note("large: more than 512 MiB of lists of locations to search; some variables are unknown", "a.tfile", "--program", "large")

    def test_nested_blocks_are_searched_for_many_addresses(self):
        depth = 100_000
        start = self.write_program(".byte 5, 0x0b, 1, 0x11, 0x01, 0x12, 0x07, 0, 0",
                                   f"{self.FUNCTION}\n.rept {depth}\n.byte 5\n.quad main, .Lend - main\n.endr\n.fill {depth + 1}, 1, 0")
        self.write_frames(start, 100)
        self.assert_note("large: more than 2048 MiB of debug information to search; some names and types are unknown",
                         "a.tfile", "--program", "large")

    def test_abbreviations_that_units_share_are_limited(self):
        table = "".join(f".uleb128 {100 + i}\n.byte 0x34, 0, 3, 8, 0, 0\n" for i in range(60_000))
        units = "".join(f".Lq{i}: .long .Lw{i} - .Lq{i} - 4\n.short 5\n.byte 1, 8, 0, 0, 0, 0, 1, 0x62, 0, 0x1d\n"
                        f".quad main + {i}, 1\n.uleb128 60099\n.byte 0x7a, 0, 0\n.Lw{i}:\n" for i in range(100))
        start = self.write_program(table, self.FUNCTION + ".byte 0", '.section .debug_info,"",@progbits\n' + units)
        self.write_frames(start, 100)
        self.assert_note("large: more than 8 MiB of abbreviations in debug information; the names, lines and types of this file are not shown",
                         "a.tfile", "--program", "large")

    def test_names_that_are_parts_of_one_long_text_are_limited(self):
        length, names = 1_000_000, 100_000
        text = f'.section .debug_str,"MS",@progbits,1\n.fill {length}, 1, 0x61\n.byte 0\n'
        start = self.write_program(
            "", "".join(f".byte 3\n.long {i}, .Ltype - .Lunit\n.byte 2, 0x91, 0\n" for i in range(names)) + self.FUNCTION + ".byte 0", text)
        self.write_frames(start, 10, "collect other")
        self.assert_note("large: more than 64 MiB of long names in debug information; some names and types are unknown",
                         "a.tfile", "--program", "large")

    def test_many_names_are_searched_among_many(self):
        names = 200_000
        texts = '.section .debug_str,"MS",@progbits,1\n' + "".join(f'.asciz "{i:07}"\n' for i in range(names))
        start = self.write_program(
            "", "".join(f".byte 3\n.long {8 * i}, .Ltype - .Lunit\n.byte 2, 0x91, 0\n" for i in range(names)) + self.FUNCTION + ".byte 0", texts)
        self.write_frames(start, 1, "collect " + ", ".join(f"x{i}" for i in range(10_000)))
        self.assertEqual(self.run_within_limits("fxt-convert", "-f", "a.tfile", "--program", "large", "b.fxt")[0], 0)

    def recording_with_specs(self, specs, values, enumerators="A", functions=3000, rounds=2):
        """A recording of functions that are called several times. The first arguments of the calls are the values, in turn."""
        calls = []
        for i in range(rounds * functions):
            address = 0x400100 + 16 * (i % functions)
            begin = bytearray(entry(1_000_000_100 + 2 * i, 0, address))
            begin[8] |= 4  # a flag: a payload follows
            calls += [bytes(begin) + struct.pack("<Q", values[i % len(values)]), leave(1_000_000_101 + 2 * i, 0, address)]
        directory = write_recording(self.directory / "recording", calls)
        header = struct.pack("<8sIHBBQQH6x", b"Ftrace!", 4, 40, 1, 2, 0x107b, 7 << 10, 1024)
        (directory / "info").write_bytes(header + f"argspec:lines=1\nargspec:{specs}\nauto-args:lines=1\n"
                                         f"enumauto:enum big {{ {enumerators} }}\npattern_type:glob\n".encode())
        (directory / "sid-00000000000000aa.map").write_text("400000-500000 r-xp 00000000 00:00 0 /usr/bin/app\n")
        (directory / "app.sym").write_text("".join(f"{0x100 + 16 * i:016x} 00000010 T f{i}\n" for i in range(functions)))
        return directory

    def test_patterns_for_functions_are_limited(self):
        specs = ";".join(f"*a*b{i}*@arg1" for i in range(60_000)) + ";" + ";".join(f"f{i}@arg1" for i in range(60_000))
        self.assert_note("info: more than 256 patterns for functions with arguments or results; the other patterns are ignored",
                         self.recording_with_specs(specs, [1]))

    def test_a_module_is_found_among_many(self):
        """The specs name the modules `module0` and `module1`. The names of many other modules begin with `module0`."""
        directory = self.recording_with_specs(";".join(f"f{i}@arg1,module{i % 2}" for i in range(60_000)), [1], functions=60_000)
        (directory / "sid-00000000000000aa.map").write_text("".join(
            f"{0x1000 + 0x40 * i:x}-{0x1040 + 0x40 * i:x} r-xp 00000000 00:00 0 /module0{i:05}.so\n" for i in range(60_000)) +
            "400000-500000 r-xp 00000000 00:00 0 /usr/bin/module1\n")
        (directory / "app.sym").rename(directory / "module1.sym")
        self.assertEqual(self.run_within_limits("fxt-convert", "-f", directory, "out.fxt")[0], 0)
        _, printed = self.run_within_limits("fxt-dump", "out.fxt")
        self.assertIn("arg1", printed)

    def test_values_may_be_sums_of_very_many_enumerators(self):
        enumerators = ",".join(f"E{i}={i // 2 + 2}" for i in range(60_000))
        directory = self.recording_with_specs(";".join(f"f{i}@arg1/e:big" for i in range(3000)), [400_000_001 + i for i in range(1000)],
                                              enumerators)
        self.assertEqual(self.run_within_limits("fxt-convert", "-f", directory, "out.fxt")[0], 0)

    def test_blocks_of_a_frame_are_limited(self):
        blocks = b"".join(b"M" + struct.pack("<QH", 0x1000 + i, 1) + b"x" for i in range(700_000))
        (self.directory / "a.tfile").write_bytes(b"\x7fTRACE0\nR 0\nstatus 0;tstop::0\ntp T1:401000:E:0:0\n\n"
                                                 + struct.pack("<HI", 1, len(blocks)) + blocks + b"\0\0")
        self.assert_note("frame 0: more than 131072 blocks of a frame; the blocks after these are left out", "a.tfile")

    def test_calls_of_very_many_names_may_be_nested(self):
        trace = Trace()
        trace.string(1, "c")
        for i in range(400_000):
            trace.event(2, i, b"%08x" % i, name=0x8008)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        for options in [], ["--json"], ["--csv"]:
            with self.subTest(options=options):
                self.assertEqual(self.run_within_limits("fxt-dump", "--stats", *options, "a.fxt")[0], 0)

    def test_providers_are_limited_when_a_trace_is_cut(self):
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        trace.event(0, 1)
        for i in range(600_000):
            trace.bytes += word((2, 4), (1, 16), (i + 2, 20), (4, 52)) + b"prov\0\0\0\0"
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-dump", "--stats", "a.fxt")[0], 0)
        code, printed = self.run_within_limits("fxt-cut", "-f", "a.fxt", "b.fxt")
        self.assertEqual((code, printed), (1, "fxt-cut: a.fxt: more than 10000 providers of a trace\n"))

    def test_comparisons_hold_one_trace(self):
        for file in "a", "b":
            trace = Trace()
            trace.string(1, "c")
            for i in range(400_000):
                trace.event(2, i, file.encode() + b"%07x" % i, name=0x8008)
            (self.directory / file).write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-dump", "--diff", "a", "b")[0], 0)

    def test_keys_may_have_the_same_hash(self):
        collisions = Trace()
        collisions.string(1, "c")
        for i, text in enumerate(colliding_texts(150_000)):
            collisions.event(2, i, text, name=0x8010)
        (self.directory / "texts.fxt").write_bytes(collisions.bytes)
        threads = Trace()
        threads.string(1, "c")
        threads.string(2, "n")
        threads.event(0, 1000)
        for i in range(220_000):  # the two factors are prime numbers, which libstdc++ uses as sizes of tables
            threads.event(4, 5, struct.pack("<QQQ", 0, 172_933 * 351_061 * (i + 1), 10), thread=0)
        (self.directory / "threads.fxt").write_bytes(threads.bytes)
        for arguments in ["--stats", "texts.fxt"], ["--stats", "threads.fxt"], ["--check", "threads.fxt"]:
            with self.subTest(arguments=arguments):
                self.assertLess(self.run_within_limits("fxt-dump", *arguments)[0], 2)
        self.assertEqual(self.run_within_limits("fxt-cut", "--time-range=0~1s", "texts.fxt", "part.fxt")[0], 0)

    def test_names_of_functions_may_have_the_same_hash(self):
        names = [text for text in colliding_texts(100_000) if not set(text) & set(b"\0\n\r \t")]
        directory = write_recording(self.directory / "recording", [
            record(1_000_000_100 + i, 0, 0x400100 + 16 * i) for i in range(len(names)) for record in (entry, leave)])
        (directory / "sid-00000000000000aa.map").write_text("400000-40000000 r-xp 00000000 00:00 0 /usr/bin/app\n")
        (directory / "app.sym").write_bytes(b"".join(b"%016x 00000010 T %s\n" % (0x100 + 16 * i, name) for i, name in enumerate(names)))
        self.assertEqual(self.run_within_limits("fxt-convert", directory, "out.fxt")[0], 0)

    def test_operations_may_end_that_did_not_begin(self):
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        trace.string(3, "other")
        for kind, name in (5, 2), (7, 3):
            for i in range(190_000):
                trace.event(kind, i, word((7, 0)), name=name)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-dump", "--stats", "a.fxt")[0], 0)

    def test_records_of_many_providers_may_be_late(self):
        trace = Trace()
        trace.string(1, "c")
        trace.event(0, 1000)
        for i in range(30_000):
            trace.string(2 + i, f"{i:07}")
        for i in range(30_000):
            trace.event(0, 5, name=2 + i)
        for i in range(60_000):
            trace.bytes += word((1, 4), (1, 16), (i + 2, 20))
            trace.string(1, f"{i:07}")
            trace.event(0, 6, struct.pack("<QQ", 1, 1), name=1, thread=0)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-dump", "--stats", "a.fxt")[0], 0)

    def test_a_thread_may_have_names_in_many_processes(self):
        trace = Trace()
        trace.string(1, "process")
        trace.string(2, "n")
        for i in range(130_000):
            trace.bytes += word((7, 0), (4, 4), (2, 16), (2, 24), (1, 40)) + word((5, 0)) + word((8, 0), (2, 4), (1, 16)) + word((1000 + i, 0))
        for i in range(130_000):
            trace.event(0, 5, struct.pack("<QQ", 10_000_000 + i, 5), thread=0)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-dump", "--check", "a.fxt")[0], 1)

    def test_pieces_that_repeat_many_open_calls_are_refused(self):
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        for i in range(60_000):
            trace.event(2, i)
        for i in range(9000):
            trace.event(0, 1_000_000 + 1000 * i)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        code, printed = self.run_within_limits("fxt-cut", "--split-time=1us", "a.fxt", "b.fxt")
        self.assertEqual(code, 1)
        self.assertIn("fxt-cut: b.fxt: more than 256 MiB of output, which is more than a hundred times the size of the trace; use --force to write all of it\n", printed)

    def test_pieces_may_have_many_threads(self):
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        for i in range(280_000):
            trace.event(0, i // 100, struct.pack("<QQ", 1, 100 + i), thread=0)
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-cut", "-q", "--split-time=1ns", "a.fxt", "b.fxt")[0], 0)

    def test_archives_may_have_many_files(self):
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
        with tarfile.open(self.directory / "a.tar.gz", "w:gz", compresslevel=1) as archive:
            archive.add(directory, "recording")
            for i in range(49_000):
                archive.addfile(tarfile.TarInfo(f"recording/{2000 + i}.dat"))
        self.assertEqual(self.run_within_limits("fxt-convert", "a.tar.gz", "b.fxt")[0], 0)

    def test_archives_with_many_access_control_entries(self):
        """libarchive compares each of them with all earlier ones."""
        for count, problem in (10_000, "/x: more than 100 access control entries of a file in an archive\n"), (62_000, ": more than 262144 bytes of headers"):
            with tarfile.open(self.directory / "a.tar", "w") as archive:
                file = tarfile.TarInfo("x")
                file.pax_headers = {"SCHILY.acl.access": ",".join(f"user:u{i}:r" for i in range(count))}
                archive.addfile(file)
            code, printed = self.run_within_limits("fxt-convert", "a.tar", "b.fxt")
            self.assertEqual(code, 1)
            self.assertIn(f"fxt-convert: a.tar{problem}", printed)

    def test_archives_with_damaged_headers(self):
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
        with tarfile.open(self.directory / "a.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            archive.add(directory, "recording")
        damaged = bytearray((self.directory / "a.tar").read_bytes())
        damaged[512 + 100] ^= 1  # changes the mode of the second file
        (self.directory / "a.tar").write_bytes(damaged)
        code, printed = self.run_within_limits("fxt-convert", "a.tar", "b.fxt")
        self.assertEqual(code, 1)
        self.assertIn("fxt-convert: a.tar: can't unpack: Damaged tar archive", printed)
        damaged[100] ^= 1
        (self.directory / "a.tar").write_bytes(damaged)
        self.assertEqual(self.run_within_limits("fxt-convert", "a.tar", "b.fxt")[1],
                         "fxt-convert: a.tar: neither a uftrace recording nor a GDB trace file, but a damaged tar archive\n")

    def test_regular_expressions(self):
        """The time to match some of them is quadratic, and others need memory for each character of a name."""
        random = Random(3)
        for specs, name in ((";".join(f"a.*c{i}@arg1" for i in range(200)), lambda i: "a" * 900 + str(i)),
                            (";".join(f"[ab]*a[ab]{{{700 + i}}}c@arg1" for i in range(200)), lambda i: "".join(random.choices("ab", k=100)))):
            shutil.rmtree(self.directory / "recording", ignore_errors=True)
            directory = self.recording_with_specs(specs, [1], functions=200, rounds=100)
            info = (directory / "info").read_bytes()
            (directory / "info").write_bytes(info.replace(b"pattern_type:glob", b"pattern_type:regex"))
            (directory / "app.sym").write_text("".join(f"{0x100 + 16 * i:016x} 00000010 T {name(i)}\n" for i in range(200)))
            code, printed = self.run_within_limits("fxt-convert", "-f", directory, "out.fxt")
            self.assertEqual(code, 0)
        note = "info: more than 10000000 microseconds to compare functions with patterns"
        self.assertIn(note, printed)
        self.assert_note(note, "--fit=100k", directory)

    def test_functions_with_very_many_values(self):
        directory = self.recording_with_specs("f.*@" + ",".join(f"arg{i % 65535 + 1}" for i in range(400_000)), [1])
        info = (directory / "info").read_bytes()
        (directory / "info").write_bytes(info.replace(b"pattern_type:glob", b"pattern_type:regex"))
        self.assert_note("info: more than 10000000 microseconds to compare functions with patterns", directory)

    def test_switches_of_many_threads(self):
        """Each record in the file of a CPU is about a different thread than the record before it."""
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
        threads = range(1001, 20_000)
        with (directory / "task.txt").open("a") as file:
            file.writelines(f"TASK timestamp=1.000000001 tid={tid} pid=1000\n" for tid in threads)
        for tid in threads:
            (directory / f"{tid}.dat").write_bytes(entry(1_000_000_100, 0, 0x400100))
        (directory / "perf-cpu0.dat").write_bytes(b"".join(switch(1_000_001_000 + i, 1000 + i * 7919 % 20_000) for i in range(360_000)))
        self.assertEqual(self.run_within_limits("fxt-convert", directory, "out.fxt")[0], 0)
        code, printed = self.run_within_limits("fxt-convert", "--fit=200k", directory, "fits.fxt")
        self.assertEqual(code, 1)
        self.assertIn("use a larger --fit", printed)

    def test_switches_of_other_threads(self):
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
        (directory / "perf-cpu0.dat").write_bytes(b"".join(switch(1_000_001_000 + i, 2000 + i) for i in range(400_000)))
        self.assertEqual(self.run_within_limits("fxt-convert", directory, "out.fxt")[0], 0)

    def test_texts_for_kernel_events(self):
        """The format of an event replaces the number in a field by a long text, or by many texts."""
        flags = ", ".join(f'__print_flags(REC->a, "|", {{ 1, "n{i}" }})' for i in range(1000))
        for print_format in f'"a=%s", REC->a ? "{"x" * 60_000}" : "y"', f'"a={"%s" * 1000}", {flags}':
            text = "ID: 300\nfield:u16 common_type; offset:0; size:2;\nfield:int common_pid; offset:4; size:4;\n" \
                f"field:int a; offset:8; size:4;\nprint fmt: {print_format}\n"
            header = f"PAGE_SIZE: 4096\nLONG_SIZE: 8\nENDIAN: LE\nTRACEFS: events/a/b/format: {len(text)}\n{text}"
            events = struct.pack("<IHHiI", 1 << 5 | 3, 300, 0, 1000, 1) * 255
            page = (struct.pack("<Q", len(events)) + events).ljust(4088, b"\0")
            shutil.rmtree(self.directory / "recording", ignore_errors=True)
            directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
            (directory / "kernel_header").write_text(header)
            (directory / "kernel-cpu0.dat").write_bytes(b"".join(struct.pack("<Q", 1_000_001_000 + 1000 * i) + page for i in range(1960)))
            self.assertEqual(self.run_within_limits("fxt-convert", "-f", directory, "out.fxt")[0], 0)

    def test_lists_of_very_many_threads(self):
        directory = self.recording_with_specs("f@arg1", [1])
        with (directory / "info").open("a") as file:
            file.write(f"taskinfo:tids={','.join(map(str, range(1, 1_200_000)))}\n")
        self.assert_note("more than 200000 threads in the list of a recording, so the list is ignored", directory)

    TYPES = """
            .byte 5, 0x0f, 0, 0x49, 0x13, 0, 0
            .byte 6, 0x01, 1, 0x49, 0x13, 0, 0
            .byte 7, 0x21, 0, 0x37, 0x0b, 0, 0
            .byte 8, 0x04, 1, 0x0b, 0x0b, 0, 0
            .byte 9, 0x28, 0, 0x03, 0x08, 0x1c, 0x06, 0, 0
            .byte 10, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0
    """

    def test_large_types(self):
        """A chain of pointers, an array of very many dimensions, and an enumeration."""
        pointers = ".Lx: .rept 900000\n.byte 5\n.long . - .Lunit + 4\n.endr\n.byte 5\n.long .Ltype - .Lunit\n"
        array = ".Lx: .byte 6\n.long .Ltype - .Lunit\n.rept 900000\n.byte 7, 1\n.endr\n.byte 0\n"
        enumeration = '.Lx: .byte 8, 4\n.set i, 0\n.rept 600000\n.byte 9\n.asciz "e"\n.long i\n.set i, i + 1\n.endr\n.byte 0\n'
        for types in pointers, array, enumeration:
            variable = '.byte 10\n.asciz "v"\n.long .Lx - .Lunit\n.byte 9, 3\n.quad 0x1000\n'
            start = self.write_program(self.TYPES, types + variable + self.FUNCTION + ".byte 0")
            self.write_frames(start, 1, "collect v")
            description, frames = (self.directory / "a.tfile").read_bytes().split(b"\n\n", 1)
            description = description.replace(b"M-1,1000,1", b"M-1,1000,4")
            frame = struct.pack("<HI", 1, 15) + b"M" + struct.pack("<QHI", 0x1000, 4, 599_999)
            (self.directory / "a.tfile").write_bytes(description + b"\n\n" + frame * 100_000 + b"\0\0")
            code, printed = self.run_within_limits("fxt-convert", "-f", "a.tfile", "--program", "large", "b.fxt")
            self.assertEqual(code, 0, printed)

    def test_threads_of_a_recording_are_limited(self):
        tasks = [f"TASK timestamp=1.{i:09d} tid={2000 + i} pid=1000\n" for i in range(50_000)]
        for has_records in False, True:
            directory = write_recording(self.directory / f"records-{has_records}", [entry(1_000_000_100, 0, 0x400100)])
            with (directory / "task.txt").open("a") as file:
                file.writelines(tasks)
            if has_records:
                for i in range(50_000):
                    (directory / f"{2000 + i}.dat").write_bytes(entry(1_000_000_100 + i, 0, 0x400100))
            self.assert_note("task.txt: more than 9500 threads; the other threads are left out", directory)

    def test_calls_before_the_first_records_of_threads_are_limited(self):
        """A record of 16 bytes may need a thousand calls around it."""
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x400100)])
        for i in range(9_000):
            (directory / f"{2000 + i}.dat").write_bytes(entry(1_000_000_100 + i, 1000, 0x400100) + leave(1_000_000_200 + i, 1000, 0x400100))
        self.assert_note("2000.dat: more than 1000000 open calls before the first records of threads; calls of this thread deeper than 111 are left out",
                         directory)

    def test_calls_around_forks_are_limited(self):
        depth, forks = 60_000, 20_000
        calls = [entry(1_000_000_100 + i, i % 1024, 0x400100) for i in range(depth)]
        for i in range(forks):
            calls += [entry(1_000_100_000 + 2 * i, depth % 1024, 0x400200), leave(1_000_100_001 + 2 * i, depth % 1024, 0x400200)]
        directory = write_recording(self.directory / "recording", calls)
        (directory / "app.sym").write_text("0000000000000100 00000010 T recursive\n0000000000000200 00000010 T fork\n")
        with (directory / "task.txt").open("a") as file:
            file.writelines(f"FORK timestamp=1.{100_000 + 2 * i:09} pid={2000 + i} ppid=1000\n" for i in range(forks))
        self.assert_note("1000.dat: more than 799744 calls that are open at the forks of a thread; some forked children begin without the open calls of their parent", directory)

    def test_addresses_may_be_in_many_libraries(self):
        calls = []
        for i in range(100_000):
            calls += [entry(1_100_000_000 + 2 * i, 0, 0x7000_0000_0000 + 64 * i), leave(1_100_000_001 + 2 * i, 0, 0x7000_0000_0000 + 64 * i)]
        directory = write_recording(self.directory / "recording", calls)
        with (directory / "task.txt").open("a") as file:
            file.writelines(f'DLOP timestamp=1.{1 + i:09} tid=1000 sid=00000000000000aa base={0x1_0000_0000 + 0x1000 * i:x} libname="lib.so"\n'
                            for i in range(60_000))
        (directory / "lib.so.sym").write_text("0000000000000100 00000010 T f\n")
        self.assertEqual(self.run_within_limits("fxt-convert", directory, "out.fxt")[0], 0)

    def test_files_read_again_through_links_are_limited(self):
        directory = write_recording(self.directory / "recording", [entry(1_000_000_100, 0, 0x1000_0100)])
        (directory / "big").write_text("".join(f"{0x100 + 16 * i:016x} 00000010 T f{i}\n" for i in range(200_000)))
        libraries = 300
        (directory / "sid-00000000000000aa.map").write_text("".join(
            f"{0x1000_0000 + 0x10_0000 * i:x}-{0x1010_0000 + 0x10_0000 * i:x} r-xp 00000000 00:00 0 /lib{i:03}.so\n" for i in range(libraries)))
        (directory / "1000.dat").write_bytes(b"".join(entry(1_000_000_100 + i, 0, 0x1000_0100 + 0x10_0000 * i) for i in range(libraries)))
        for i in range(libraries):
            (directory / f"lib{i:03}.so.sym").symlink_to("big") if i % 2 else (directory / f"lib{i:03}.so.sym").hardlink_to(directory / "big")
        self.assert_note(".so.sym: more than 32 MiB of files of a recording that are read again through links", directory)

    def test_many_operations_may_be_open(self):
        """Each operation has its own row, and its own stack."""
        trace = Trace()
        trace.string(1, "c")
        trace.string(2, "n")
        for i in range(400_000):
            trace.event(5, i, word((i, 0)))
        (self.directory / "a.fxt").write_bytes(trace.bytes)
        self.assertEqual(self.run_within_limits("fxt-draw", "a.fxt", "a.svg")[0], 0)
        code, printed = self.run_within_limits("fxt-cut", "--fit=1M", "a.fxt", "b.fxt")
        self.assertEqual(code, 1)
        self.assertIn("records other than durations, counters, switches and instants take 9600096 bytes", printed)


if __name__ == "__main__":
    unittest.main()
