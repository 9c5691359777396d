#!/usr/bin/env python3
"""Names on the command line: which one is the output, which files it must not overwrite, and wrong inputs.

The directory with the programs is in the environment variable PROGRAMS.
"""

import gzip
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from needs import bound_by_permissions

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
POOL = REPOSITORY / "tests" / "uftrace" / "recordings" / "pool"
QUEUE = REPOSITORY / "samples" / "gdb" / "queue.trace"


class Paths(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.recording = Path(shutil.copytree(POOL, self.folder / "uftrace.data"))

    def convert(self, *arguments, **options):
        return subprocess.run([CONVERT, "-q", *arguments], capture_output=True, check=False, timeout=120,
                              cwd=self.folder, **options)

    def assert_writes(self, name, *arguments):
        process = self.convert(*arguments)
        self.assertEqual((process.stderr, process.stdout, process.returncode), (b"", b"", 0))
        written = self.folder / name
        self.assertEqual(written.read_bytes()[:8], bytes.fromhex("1000044678541600"))
        written.unlink()
        self.assertEqual([path.name for path in self.folder.rglob("*.fxt")], [])

    def assert_refused(self, problem, *arguments):
        process = self.convert(*arguments)
        self.assertEqual((process.stderr.decode(), process.returncode),
                         (f"fxt-convert: {problem}\nTry 'fxt-convert --help'.\n", 2))

    def assert_no_input(self, problem, path):
        process = self.convert(path, "out.fxt")
        self.assertEqual((process.stderr.decode(), process.returncode), (f"fxt-convert: {path}: {problem}\n", 1))
        self.assertFalse((self.folder / "out.fxt").exists())

    def test_a_single_input_names_the_output(self):
        self.assert_writes("uftrace.data.fxt", "uftrace.data")
        self.assert_writes("uftrace.data.fxt", "uftrace.data/")
        self.assert_writes("uftrace.data.fxt", "./uftrace.data//")
        shutil.copy(QUEUE, self.folder / "queue.trace")
        self.assert_writes("queue.trace.fxt", "queue.trace")
        (self.folder / "runs").mkdir()
        self.recording.rename(self.folder / "runs" / "a")
        self.assert_writes("runs/a.fxt", "runs/a")

    def test_the_default_input_is_uftraces_default_directory(self):
        self.assert_writes("uftrace.data.fxt")
        self.assert_writes("out.fxt", "-o", "out.fxt")
        self.assert_writes("out.fxt", "--output=out.fxt")

    def test_with_an_output_option_all_others_are_inputs(self):
        self.assert_writes("out.fxt", "uftrace.data", QUEUE, "-o", "out.fxt")
        self.assert_writes("out.fxt", "-oout.fxt", "uftrace.data")

    def test_an_output_is_never_an_input_or_inside_one(self):
        self.assert_refused("'uftrace.data' is both INPUT and OUTPUT; choose another OUTPUT", "uftrace.data", "./uftrace.data/")
        self.assert_refused("the OUTPUT 'uftrace.data/out.fxt' is inside the INPUT 'uftrace.data'; choose another OUTPUT", "uftrace.data",
                            "uftrace.data/out.fxt")
        (self.folder / "link").symlink_to("uftrace.data")
        self.assert_refused("the OUTPUT 'link/sub/out.fxt' is inside the INPUT 'uftrace.data'; choose another OUTPUT", "uftrace.data",
                            "link/sub/out.fxt")
        # OUTPUT is a name without a folder, so the file would be in the current folder. The current folder is also INPUT.
        self.folder /= "uftrace.data"
        self.assert_refused("the OUTPUT 'out.fxt' is inside the INPUT '.'; choose another OUTPUT", ".", "out.fxt")
        self.folder = self.folder.parent
        self.assert_writes("uftrace.data.fxt", "uftrace.data", "uftrace.data.fxt")

    def test_only_traces_are_replaced(self):
        output = self.folder / "notes.txt"
        output.write_text("to be kept")
        problem = "'notes.txt' exists and is not an FXT trace; use --force to overwrite it"
        self.assert_refused(problem, "uftrace.data", "notes.txt")
        self.assertEqual(output.read_text(), "to be kept")
        self.assertEqual(self.convert("--force", "uftrace.data", "notes.txt").returncode, 0)
        trace = output.read_bytes()
        for before in b"", trace, trace[:8][::-1], gzip.compress(trace):
            output.write_bytes(before)
            self.assertEqual(self.convert("uftrace.data", "notes.txt").returncode, 0)
            self.assertEqual(output.read_bytes(), trace)
        for before in trace[:7], b"\x1f\x8b", gzip.compress(b"no trace"), gzip.compress(trace)[:30][::-1]:
            output.write_bytes(before)
            self.assert_refused(problem, "uftrace.data", "notes.txt")
            self.assertEqual(output.read_bytes(), before)
        (self.folder / "out.000.fxt").write_text("to be kept")
        self.assert_refused("'out.000.fxt' exists and is not an FXT trace; use --force to overwrite it",
                            "--split-time=1s", "uftrace.data", "out.fxt")

    def test_files_that_are_not_inputs_are_recognized(self):
        neither = "neither a uftrace recording nor a GDB trace file"
        (self.folder / "text").write_text("text")
        (self.folder / "empty").write_text("")
        (self.folder / "perf.data").write_bytes(b"PERFILE2" + bytes(96))
        (self.folder / "program").write_bytes(b"\x7fELF" + bytes(60))
        self.convert("uftrace.data", "trace.fxt")
        os.mkfifo(self.folder / "fifo")
        record_file = next(self.recording.glob("*.dat")).relative_to(self.folder)
        self.assert_no_input(neither, "text")
        self.assert_no_input(f"{neither}, but an empty file", "empty")
        self.assert_no_input(f"{neither}, but a device, FIFO or socket; to read standard input, use -", "fifo")
        self.assert_no_input(f"{neither}, but a file of a uftrace recording; convert its directory, uftrace.data",
                             str(record_file))
        self.assert_no_input(f"{neither}, but an FXT trace; viewers open it, fxt-dump prints it, and fxt-cut takes parts of it",
                             "trace.fxt")
        self.assert_no_input(f"{neither}, but a file of perf record; convert it with `perf data convert --to-ctf` or "
                             "`--to-json`", "perf.data")
        self.assert_no_input(f"{neither}, but a program; record it first, with `uftrace record`, or in GDB with `tstart` and "
                             "`tsave`", "program")
        self.assert_no_input(f"{neither}, but a directory that contains a recording; convert {self.folder}/uftrace.data",
                             str(self.folder))
        deeper = self.folder / "runs/of/today"
        deeper.mkdir(parents=True)
        shutil.copytree(self.recording, deeper / "first.data")
        self.assert_no_input(f"{neither}, but a directory that contains a recording; convert runs/of/today/first.data", "runs")
        self.assert_refused("the name of an INPUT is empty", "", "out.fxt")
        self.assert_no_input("can't open: No such file or directory", "nothing")
        self.assert_refused("'one.fxt' does not exist; only the last path is the OUTPUT, and all others are INPUTs", "uftrace.data", "one.fxt", "two.fxt")

    def test_a_trace_of_lttng_is_recognized(self):
        neither = "neither a uftrace recording nor a GDB trace file"
        ctf = "a trace in the Common Trace Format, as LTTng writes; open it with babeltrace2 or Trace Compass"
        (self.folder / "nothing in it").mkdir()
        self.assert_no_input(f"{neither}, but an empty directory", "nothing in it")
        for name, head in {"text": b"/* CTF 1.8 */\n", "packets": b"\x57\x1d\xd1\x75", "foreign": b"\x75\xd1\x1d\x57"}.items():
            (self.folder / name).mkdir()
            (self.folder / name / "metadata").write_bytes(head + bytes(16))
            self.assert_no_input(f"{neither}, but {ctf}", name)
            self.assert_no_input(f"{neither}, but a file of {ctf}", f"{name}/metadata")
        (self.folder / "text/stream").write_bytes(b"\xc1\x1f\xfc\xc1" + bytes(16))
        self.assert_no_input(f"{neither}, but a file of {ctf}", "text/stream")

    def test_an_unreadable_input_is_reported(self):
        secret = self.folder / "secret"
        secret.write_text("secret")
        secret.chmod(0)
        process = subprocess.run([*bound_by_permissions(), CONVERT, "secret", "-"], capture_output=True, check=False,
                                 cwd=self.folder)
        self.assertEqual((process.stderr, process.returncode),
                         (b"fxt-convert: secret: can't open: Permission denied\n", 1))


if __name__ == "__main__":
    unittest.main()
