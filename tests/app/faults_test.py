#!/usr/bin/env python3
"""Every system call fails once. Each run must end with the right exit code and a message with the file and the cause.

No run may leave an incomplete or temporary file, or a damaged older output. These environment variables are used: PROGRAMS is
the directory with the programs, FAIL_CALL_LIBRARY is the library that lets calls fail, and MOST_CALLS is the number of
tested calls of each function.
"""

import errno
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import tarfile
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

import generator
import trace_file_generator

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
LIBRARY = os.environ["FAIL_CALL_LIBRARY"]
CALC = REPOSITORY / "tests" / "uftrace" / "recordings" / "calc"
QUEUE = REPOSITORY / "samples" / "gdb" / "queue.trace"
MOST = int(os.environ.get("MOST_CALLS", "12"))  # about this many calls of each function are tested, evenly distributed over the run
ERRORS = {"write": errno.ENOSPC, "open": errno.EACCES, "fopen": errno.EACCES, "fopen64": errno.EMFILE, "open64": errno.EMFILE,
          "pthread_create": errno.EAGAIN, "opendir": errno.EACCES, "mmap": errno.ENOMEM, "access": errno.EACCES,
          "mkdtemp": errno.ENOSPC, "mkdir": errno.ENOSPC, "pipe2": errno.EMFILE, "fork": errno.EAGAIN, "fchmod": errno.EPERM, "fclose": errno.ENOSPC}
ABOUT_NO_FILE = ("mmap", "pthread_create")
# If these functions fail, no message is required. After a failed access(), opening the file fails as well. libarchive creates
# the parents of a folder itself.
WITHOUT_CAUSE = ("access", "mkdir")
ALSO = [(name, error) for name in ("stat", "stat64", "lstat", "statx") for error in (errno.ENOENT, errno.EACCES)]
# The program must continue after these failures: a signal, or a transfer of only some of the requested bytes.
GOES_ON = [(name, error) for name in ("read", "pread", "pread64", "write") for error in (errno.EINTR, 0)]
# openat2 is missing in old kernels and sandboxes, and it fails with EAGAIN if a file is renamed meanwhile.
GOES_ON += [("openat2", error) for error in (errno.ENOSYS, errno.EPERM, errno.EAGAIN)]
READING = ("openat2", "open", "open64", "fopen", "fopen64", "read", "pread", "pread64", "fread", "fstat", "mmap")


def large_trace():
    """8 MB: 200,000 instants."""
    start = struct.pack("<QQQ", 0x0016547846040010, 0x21, 1_000_000_000)
    return start + b"".join(struct.pack("<QQQQQ", 0x8001000000000054, 1_000_000_000 + i, 1, 2, 0x78) for i in range(200_000))


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.trace = self.folder / "trace.fxt"
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        subprocess.run([PROGRAMS / "fxt-convert", "-q", CALC, self.trace], check=True)

    def run_in(self, folder, command, **environment):
        return subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
                              env={**os.environ, "LD_PRELOAD": LIBRARY, "TMPDIR": str(self.temporary), **{name: str(value) for name, value in environment.items()}})

    def files_of(self, folder):
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def count(self, work, command, **environment):
        """Runs the program without a failure. Returns the number of calls of each function."""
        counts_file = self.folder / "counts"
        counts_file.unlink(missing_ok=True)
        run = self.run_in(work, command, FAIL_COUNTS=counts_file, **environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = map(str.split, counts_file.read_text().splitlines())
        return run, Counter({name: int(number) for name, number in lines})

    def try_all(self, *command, older=(), calls=None, **environment):
        """Runs the command with each failure. Files named in `older` exist before each run. `calls` are the functions that fail;
        by default all. Returns the number of runs that failed."""
        def fresh():
            shutil.rmtree(self.folder / "work", ignore_errors=True)
            work = self.folder / "work"
            work.mkdir()
            for name in older:
                shutil.copy(self.trace, work / name)
            return work

        work = fresh()
        before = self.files_of(work)
        whole, counts = self.count(work, command, **environment)
        expected = self.files_of(work)

        def numbers(name):
            count = counts.get(name, 0)
            return sorted({*range(1, count + 1, max(1, count // MOST)), *range(max(1, count - 3), count + 1)})

        for name, error in GOES_ON:
            for number in numbers(name):
                with self.subTest(" ".join(map(str, command)), call=name, number=number, error=error):
                    work = fresh()
                    run = self.run_in(work, command, FAIL_CALL=name, FAIL_AT=number, FAIL_ERRNO=error, **environment)
                    self.assertEqual((run.returncode, run.stderr, run.stdout), (0, whole.stderr, whole.stdout))
                    self.assertEqual(self.files_of(work), expected)
        failures = 0
        paths = [str(word).removesuffix("fxt") for word in command[1:] if not str(word).startswith("-")]
        paths += ["standard output", str(self.temporary)]
        for name, error in [*((name, ERRORS.get(name, errno.EIO)) for name in counts), *ALSO]:
            if calls is not None and name not in calls:
                continue
            for number in numbers(name):
                with self.subTest(" ".join(map(str, command)), call=name, number=number, error=error):
                    work = fresh()
                    run = self.run_in(work, command, FAIL_CALL=name, FAIL_AT=number, FAIL_ERRNO=error, **environment)
                    left = self.files_of(work)
                    self.assertIn(run.returncode, (0, 1), run.stderr)
                    self.assertEqual([name for name in left if name not in expected], [])
                    self.assertEqual(list(self.temporary.iterdir()), [])
                    if run.returncode == 0:
                        # After success, either the failed call was not needed, or a note reports it.
                        self.assertTrue(left.keys() <= expected.keys() and bool(left) == bool(expected), left.keys())
                        if run.stdout == whole.stdout:
                            self.assertEqual(left, expected)
                        continue
                    failures += 1
                    message = run.stderr.decode()
                    self.assertRegex(message, re.compile(r"^fxt-\w+: ", re.MULTILINE))
                    cause = os.strerror(error).lower()
                    # libarchive does not report why gzip failed.
                    others = "can't write all|gzip decompression failed|the archive is damaged"
                    # liblzma does not report why it could not start a thread.
                    is_of_lzma = "lzma error" in message
                    # A missing file needs no message, because the kind of an input depends on which files exist.
                    if name not in WITHOUT_CAUSE and error != errno.ENOENT and not is_of_lzma:
                        self.assertIn(cause, re.sub(others, cause, message.lower()))
                    if name == "pthread_create" and not is_of_lzma:
                        self.assertIn("can't start a thread: ", message)
                    if name not in ABOUT_NO_FILE:
                        self.assertTrue(any(path in message for path in paths), message)
                    if name == "close" and len(expected) == 1:
                        self.assertEqual(left, before)
                    for name, content in left.items():
                        self.assertIn(content, (before.get(name), expected[name]))
        return failures

    def test_a_full_disk_keeps_no_blocks_ahead(self):
        """If fallocate() fails because the disk is full, some blocks may be allocated. The program releases them."""
        system = subprocess.run(["stat", "-f", "-c", "%T", self.folder], capture_output=True, check=True, text=True).stdout.strip()
        if system not in ("ext2/ext3", "xfs"):
            self.skipTest(f"nothing is allocated ahead on {system}")
        large = self.folder / "large.fxt"
        large.write_bytes(large_trace())
        run = self.run_in(self.folder, [PROGRAMS / "fxt-cut", "-r", "0~", large, "out.fxt"], FAIL_CALL="fallocate", FAIL_AT=1,
                          FAIL_ERRNO=errno.ENOSPC)
        self.assertEqual(run.returncode, 0, run.stderr)
        status = (self.folder / "out.fxt").stat()
        self.assertGreater(status.st_size, 4 << 20)
        self.assertLess(status.st_blocks * 512, status.st_size + (1 << 20))

    def test_each_failure_of_a_conversion_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", CALC, "out.fxt"), 10)
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", "--sync", CALC, "out.fxt", older=["out.fxt"]), 10)

    def test_each_failure_of_a_compression_is_reported(self):
        for end in ".gz", ".zst", ".bz2", ".xz":
            self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", CALC, f"out.fxt{end}"), 10)

    def test_each_failure_with_pieces_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", "--split-size=3k", CALC, "out.fxt"), 10)

    def test_each_failure_with_an_archive_is_reported(self):
        if b"no libarchive" in subprocess.run([PROGRAMS / "fxt-convert", "--version"], capture_output=True, check=True).stdout:
            return
        archive = self.folder / "run.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(CALC, "calc")
        command = [PROGRAMS / "fxt-convert", archive, "out.fxt"]
        self.assertGreater(self.try_all(*command), 10)
        for number in range(1, 200, 5):
            self.run_in(self.folder / "work", command, FAIL_CALL="write", FAIL_AT=number, FAIL_ERRNO=-signal.SIGKILL)
            end = time.monotonic() + 60
            while any(self.temporary.iterdir()):  # another process removes it
                self.assertLess(time.monotonic(), end)
                time.sleep(0.001)

    def test_each_failure_in_other_threads_is_reported(self):
        recording = generator.Recording(7, 3000, ["arguments", "kernel", "switches", "losses"]).write(self.folder / "run.data")
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", "-j4", recording, "out.fxt", FAIL_WORKERS=1), 1)
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", "-j4", recording, "out.fxt.gz", FAIL_WORKERS=1), 1)

    def test_files_may_become_shorter_while_they_are_read(self):
        recording = generator.Recording(7, 1000).write(self.folder / "run.data")
        work = self.folder / "work"
        work.mkdir()
        for name in "read", "pread", "pread64":
            for number in range(1, 60):
                run = self.run_in(work, [PROGRAMS / "fxt-convert", "-f", "-j4", recording, "out.fxt"], FAIL_CALL=name, FAIL_AT=number,
                                  FAIL_ERRNO=-1)
                self.assertIn(run.returncode, (0, 1), run.stderr)
                self.assertEqual([*self.files_of(work)], ["out.fxt"][run.returncode:])
                for path in work.iterdir():
                    self.assertEqual(subprocess.run([PROGRAMS / "fxt-dump", "--check", path], capture_output=True, check=False).stdout, b"")
                    path.unlink()

    def assert_old_or_whole(self, work, old, whole):
        """Checks the files after a killed run. A file with a temporary name is allowed."""
        left = self.files_of(work)
        self.assertIn(left.pop("out.fxt", None), (old, whole))
        self.assertEqual([name for name in left if not name.startswith("out.fxt.part-")], [])

    def test_a_run_that_is_killed_leaves_the_old_file_or_the_whole_one(self):
        recording = generator.Recording(7, 1000).write(self.folder / "run.data")
        command = [PROGRAMS / "fxt-convert", "-q", "-j2", recording, "out.fxt"]
        work = self.folder / "work"
        work.mkdir()
        _, counts = self.count(work, command)
        whole = (work / "out.fxt").read_bytes()
        killed = 0
        for old in None, self.trace.read_bytes():
            for name in counts:
                for number in range(1, counts[name] + 1, max(1, counts[name] // MOST)):
                    for path in work.iterdir():
                        path.unlink()
                    if old is not None:
                        (work / "out.fxt").write_bytes(old)
                    run = self.run_in(work, command, FAIL_CALL=name, FAIL_AT=number, FAIL_ERRNO=-signal.SIGKILL)
                    self.assertIn(run.returncode, (0, -signal.SIGKILL))
                    killed += run.returncode != 0
                    self.assert_old_or_whole(work, old, whole)
                    self.assertEqual(self.run_in(work, command).returncode, 0)
                    self.assertEqual((work / "out.fxt").read_bytes(), whole)
        self.assertGreater(killed, 50)

    def test_a_signal_leaves_no_unfinished_file(self):
        """At the time of the signal, the program is still writing, because xz takes seconds."""
        work, large = self.folder / "work", self.folder / "large.fxt"
        work.mkdir()
        large.write_bytes(large_trace())
        for old in None, self.trace.read_bytes():
            for ending in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                if old is not None:
                    (work / "out.fxt.xz").write_bytes(old)
                before = self.files_of(work)
                with subprocess.Popen([PROGRAMS / "fxt-cut", "-r", "0~", large, "out.fxt.xz"], cwd=work) as run:
                    end = time.monotonic() + 60
                    while not list(work.glob("out.fxt.xz.part-*")):
                        self.assertLess(time.monotonic(), end)
                        time.sleep(0.001)
                    run.send_signal(ending)
                    self.assertEqual(run.wait(60), -ending)
                self.assertEqual(self.files_of(work), before)

    def test_a_run_that_is_killed_at_a_random_time_leaves_the_old_file_or_the_whole_one(self):
        recording = generator.Recording(7, 20000).write(self.folder / "run.data")
        command, work = [PROGRAMS / "fxt-convert", "-q", recording, "out.fxt"], self.folder / "work"
        work.mkdir()
        start = time.monotonic()
        subprocess.run(command, cwd=work, check=True)
        length, chance = time.monotonic() - start, random.Random(1)
        whole, old = (work / "out.fxt").read_bytes(), self.trace.read_bytes()
        for _ in range(MOST):
            (work / "out.fxt").write_bytes(old)
            with subprocess.Popen(command, cwd=work) as run:
                time.sleep(chance.random() * length)
                run.kill()
            self.assert_old_or_whole(work, old, whole)

    def test_the_file_is_synced_before_its_folder_has_it(self):
        work, old = self.folder / "work", b"no trace"
        work.mkdir()
        for options, name, pieces in ([], "out.fxt", 1), ([], "out.fxt.gz", 1), (["--split-size=3k"], "out.000.fxt", 4):
            command = [PROGRAMS / "fxt-convert", "-f", *options, CALC, name.replace(".000", "")]
            _, counts = self.count(work, command)
            self.assertEqual((counts["fsync"], counts["fsync_folder"]), (0, 0))
            whole = (work / name).read_bytes()
            _, counts = self.count(work, [*command, "--sync"])
            self.assertEqual((counts["fsync"], counts["fsync_folder"]), (pieces, pieces))
            for call, left in ("fsync", old), ("fsync_folder", whole):
                (work / name).write_bytes(old)
                run = self.run_in(work, [*command, "--sync"], FAIL_CALL=call, FAIL_AT=1, FAIL_ERRNO=-signal.SIGKILL)
                self.assertEqual((run.returncode, (work / name).read_bytes()), (-signal.SIGKILL, left))
        with open(work / "out.fxt", "wb") as output:
            counts = self.folder / "counts"
            counts.unlink()
            subprocess.run([PROGRAMS / "fxt-convert", "-q", "--sync", CALC, "-"], stdout=output, check=True,
                           env={**os.environ, "LD_PRELOAD": LIBRARY, "FAIL_COUNTS": str(counts)})
        self.assertIn("fsync 1", counts.read_text().splitlines())

    def test_a_system_without_openat2_follows_no_link(self):
        recording, work = self.folder / "run.data", self.folder / "work"
        shutil.copytree(CALC, recording)
        work.mkdir()
        command = [PROGRAMS / "fxt-convert", "-f", "--blobs=none", recording, "out.fxt"]
        traces = []
        for call in "", "openat2":
            run = self.run_in(work, command, FAIL_CALL=call, FAIL_AT=0, FAIL_ERRNO=errno.ENOSYS)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertNotIn(b"openat2", run.stderr)
            traces.append((work / "out.fxt").read_bytes())
        self.assertEqual(traces[0], traces[1])
        (recording / "task.txt").rename(recording / "tasks")
        for target in "tasks", "/etc/passwd":
            (recording / "task.txt").unlink(missing_ok=True)
            (recording / "task.txt").symlink_to(target)
            run = self.run_in(work, command, FAIL_CALL="openat2", FAIL_AT=0, FAIL_ERRNO=errno.ENOSYS)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"{recording}/task.txt: a symbolic link, which is not followed because this system has no openat2",
                          (run.stdout + run.stderr).decode())

    def test_each_failure_with_several_inputs_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", CALC, QUEUE, "out.fxt"), 10)

    def test_each_failure_with_standard_output_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", "-q", CALC, "-"), 5)

    def test_each_failure_of_fxt_cut_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-cut", "-r", "0~1s", self.trace, "out.fxt", older=["out.fxt"]), 5)

    def test_an_unreadable_trace_replaces_nothing(self):
        """However, if the trace is truncated, its good part replaces the older output."""
        large, packed, drawn = self.folder / "large.fxt", self.folder / "large.fxt.gz", self.folder / "older.svg"
        subprocess.run([PROGRAMS / "fxt-convert", "-q", generator.Recording(7, 20000).write(self.folder / "run.data"), large], check=True)
        subprocess.run([PROGRAMS / "fxt-cut", "-q", large, packed], check=True)
        subprocess.run([PROGRAMS / "fxt-draw", "-q", self.trace, drawn], check=True)
        work = self.folder / "work"
        work.mkdir()
        for program, older in ("fxt-cut", self.trace), ("fxt-draw", drawn):
            name = "out" + older.suffix
            for source in large, packed:
                with self.subTest(program, source=source):
                    shutil.copy(older, work / name)
                    before = self.files_of(work)
                    command = [PROGRAMS / program, "-q", source, name]
                    _, counts = self.count(work, command)
                    shutil.copy(older, work / name)
                    run = self.run_in(work, command, FAIL_CALL="read", FAIL_AT=counts["read"] - 1, FAIL_ERRNO=errno.EIO)
                    self.assertEqual((run.returncode, run.stderr.decode()), (1, f"{program}: {source}: can't read: Input/output error\n"))
                    self.assertTrue(self.files_of(work) == before)
                    short = self.folder / ("short" + source.suffix)
                    short.write_bytes(source.read_bytes()[:-100])
                    self.assertEqual(self.run_in(work, [PROGRAMS / program, "-q", short, name]).returncode, 1)
                    self.assertFalse(self.files_of(work) == before)
            (work / name).unlink()

    def test_each_failure_of_fxt_dump_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-dump", self.trace), 0)
        self.assertGreater(self.try_all(PROGRAMS / "fxt-dump", "--check", self.trace), 0)

    def test_each_failure_of_fxt_draw_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-draw", self.trace, "out.svg"), 3)
        self.assertGreater(self.try_all(PROGRAMS / "fxt-draw", "-f", self.trace, "out.html", older=["out.html"]), 3)

    def test_failures_in_the_middle_of_large_inputs_are_reported(self):
        recording = generator.Recording(7, 20000, ["arguments", "kernel", "switches", "events"]).write(self.folder / "large.data")
        trace_file, trace = trace_file_generator.TraceFile(7, 30000).write(self.folder / "large.tfile"), self.folder / "large.fxt"
        subprocess.run([PROGRAMS / "fxt-convert", "-q", trace_file, trace], check=True)
        for command in (["fxt-convert", recording, "out.fxt"], ["fxt-convert", "--split-size=100k", recording, "out.fxt"],
                        ["fxt-convert", trace_file, "out.fxt"], ["fxt-dump", "--stats", trace], ["fxt-dump", "--check", trace]):
            self.assertGreater(self.try_all(PROGRAMS / command[0], *command[1:], calls=READING), 2)

    def test_the_result_is_the_same_if_nobody_reads_the_messages(self):
        damaged = self.folder / "damaged.fxt"
        damaged.write_bytes(self.trace.read_bytes()[:-4])
        for code, *command in ((0, "fxt-convert", CALC, "out.fxt"), (0, "fxt-convert", "--split-size=3k", CALC, "out.fxt"),
                               (0, "fxt-convert", "--progress=always", CALC, "-"), (1, "fxt-convert", self.folder / "none", "out.fxt"),
                               (2, "fxt-convert", "--none"), (0, "fxt-cut", "-r", "0~1s", self.trace, "out.fxt"),
                               (0, "fxt-cut", "--split-size=3k", self.trace, "out.fxt"), (1, "fxt-cut", "-r", "0~1s", damaged, "out.fxt"),
                               (0, "fxt-draw", self.trace, "out.svg"), (1, "fxt-draw", damaged, "out.svg"), (1, "fxt-dump", damaged)):
            results = []
            for stream in os.open(os.devnull, os.O_WRONLY), os.open("/dev/full", os.O_WRONLY), self.pipe_without_reader():
                work = self.folder / "work"
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir()
                run = subprocess.run([PROGRAMS / command[0], *command[1:]], cwd=work, stdout=subprocess.PIPE, stderr=stream, check=False, timeout=120)
                os.close(stream)
                results.append((run.returncode, run.stdout, self.files_of(work)))
            self.assertEqual(results[0][0], code, command)
            self.assertEqual(results[1:], results[:1] * 2, command)

    @staticmethod
    def pipe_without_reader():
        reader, writer = os.pipe()
        os.close(reader)
        return writer

    def test_each_failure_of_inspect_is_reported(self):
        self.assertGreater(self.try_all(PROGRAMS / "fxt-convert", "--inspect", CALC), 3)

    def test_an_unreadable_output_is_reported(self):
        (self.folder / "out.fxt").write_bytes(self.trace.read_bytes())
        command = [PROGRAMS / "fxt-convert", CALC, "out.fxt"]
        messages = set()
        for name, error in ("open", errno.EACCES), ("open64", errno.EACCES), ("stat", errno.EIO), ("stat64", errno.EIO):
            for number in range(1, 40):
                run = self.run_in(self.folder, command, FAIL_CALL=name, FAIL_AT=number, FAIL_ERRNO=error)
                messages.add(run.stderr.decode())
                self.assertNotIn("not an FXT trace", run.stderr.decode())
                self.assertNotIn("lies in", run.stderr.decode())
        self.assertIn("fxt-convert: out.fxt: can't open: Permission denied\n", messages)
        self.assertIn("fxt-convert: out.fxt: can't read: Input/output error\n", messages)


if __name__ == "__main__":
    unittest.main()
