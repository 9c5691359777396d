#!/usr/bin/env python3
"""Tests files of a recording that are links, FIFOs, devices or directories.

No file outside of the recording is read, and nothing blocks. The tests replace each file of a recording in turn. A directory
and an archive of the directory must have the same result. The directory with the programs is in the environment variable
PROGRAMS.
"""

import json
import os
import shutil
import socket
import stat
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import generator

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]).resolve() / "fxt-convert"
POOL = REPOSITORY / "samples" / "uftrace" / "pool"
SECRET = "root:the-secret:0:0"
HAS_TAR = b"no libarchive" not in subprocess.run([CONVERT, "--version"], capture_output=True, check=True).stdout
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
LEADS_OUT = "a symbolic link leads out of the recording and is not followed"
NOT_REGULAR = "not a regular file, so it is not opened"
LOOP = "can't open: Too many levels of symbolic links"


def device(path, kind, number):
    try:
        os.mknod(path, kind | 0o666, number)
        return True
    except PermissionError:
        return False  # only root may make devices


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(path.parent)  # the names of sockets must be short
        server.bind(path.name)
        os.chdir(here)


# The files that replace a file of the recording. Each has a name, a function that makes the file, and the expected message.
# None means that the file is treated as missing.
ELSEWHERE = {
    "absolute": (lambda path: path.symlink_to(path.parents[1] / "secret"), LEADS_OUT),
    "relative": (lambda path: path.symlink_to("../secret"), LEADS_OUT),
    "to itself by the outside": (lambda path: path.symlink_to(f"../{path.parent.name}/kept"), LEADS_OUT),
    "chain": (lambda path: [path.with_name("first").symlink_to("../secret"), path.symlink_to("first")], LEADS_OUT),
    "dangling outside": (lambda path: path.symlink_to("/nonexistent/secret"), LEADS_OUT),
    "descriptor": (lambda path: path.symlink_to("/proc/self/fd/0"), LEADS_OUT),
    "standard input": (lambda path: path.symlink_to("/dev/stdin"), LEADS_OUT),
    "zeros": (lambda path: path.symlink_to("/dev/zero"), LEADS_OUT),
    "null": (lambda path: path.symlink_to("/dev/null"), LEADS_OUT),
    "messages of the kernel": (lambda path: path.symlink_to("/proc/kmsg"), LEADS_OUT),
    "loop": (lambda path: path.symlink_to(path.name), LOOP),
    "dangling": (lambda path: path.symlink_to("nowhere"), None),
    "FIFO": (os.mkfifo, NOT_REGULAR),
    "link to a FIFO": (lambda path: [os.mkfifo(path.with_name("fifo")), path.symlink_to("fifo")], NOT_REGULAR),
    "directory": (lambda path: path.mkdir(), NOT_REGULAR),
}
DEVICES = {"device of zeros": (stat.S_IFCHR, os.makedev(1, 5)), "block device": (stat.S_IFBLK, os.makedev(7, 200))}
INSIDE = {
    "link": lambda path: path.symlink_to("kept"),
    "chain": lambda path: [path.with_name("first").symlink_to("kept"), path.symlink_to("first")],
    "folder": lambda path: [path.with_name("folder").mkdir(), path.with_name("kept").rename(path.with_name("folder") / "kept"),
                            path.symlink_to("folder/../folder/kept")],
}


class Links(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Makes a recording with a file of each kind."""
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.whole = generator.Recording(18, 40, ["arguments", "kernel", "switches", "events"]).write(folder / "run.data")
        for name, text in (("note.txt", "a note"), ("default.opts", "--no-event"), ("extern.dat", "0.1 hello"),
                           ("events.txt", "EVENT: 1000000 app:step"), ("app.dbg", "F: 0 main\nL: 1 main.c\n")):
            if not (cls.whole / name).exists():
                (cls.whole / name).write_text(text)

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        (self.folder / "secret").write_text(SECRET)
        (self.folder / "temporary").mkdir()
        (self.folder / "temporary").chmod(0o777)
        self.recording = self.folder / "run.data"

    def make_recording(self):
        """Makes the recording again. Returns the names of its files."""
        shutil.rmtree(self.recording, ignore_errors=True)
        shutil.copytree(self.whole, self.recording)
        return sorted(path.name for path in self.recording.iterdir())

    def run_in(self, *arguments, **options):
        """Runs a program whose standard input never ends, so that reading it would block."""
        reader, writer = os.pipe()
        try:
            return subprocess.run([CONVERT, *arguments], cwd=self.folder, stdin=reader, capture_output=True, check=False,
                                  timeout=60, env=os.environ | {"TMPDIR": str(self.folder / "temporary")}, **options)
        finally:
            os.close(reader)
            os.close(writer)

    def results(self, name, **options):
        """Exit codes, notes, trace and outline for the directory, without its name, and for an archive of it."""
        found = []
        inputs = ["run.data"]
        if HAS_TAR:
            with tarfile.open(self.folder / "run.tar", "w") as tar:
                tar.add(self.recording, "run.data")
            inputs.append("run.tar")
        for each in inputs:
            converted = self.run_in("--no-elf", "--report=json", each, "-", **options)
            inspected = self.run_in("--inspect", each, **options)
            for run in converted, inspected:
                self.assertNotIn(SECRET.encode(), run.stdout + run.stderr, name)
            texts = [text.replace(b"run.tar/run.data", b"run.data").replace(b"run.tar", b"run.data") for text in (converted.stderr, inspected.stdout, inspected.stderr)]
            # The trace contains the name of the input, which differs.
            found.append((converted.returncode, inspected.returncode, converted.stdout.replace(b"run.tar", b"run.data"), *texts))
        if HAS_TAR:
            self.assertEqual(found[0][:2], found[1][:2], name)
            for of_directory, of_archive in zip(found[0][3:], found[1][3:]):
                self.assertEqual(self.without_sizes(of_directory), self.without_sizes(of_archive), name)
            self.assertEqual(len(found[0][2]), len(found[1][2]), name)
        return found[0]

    @staticmethod
    def without_sizes(text):
        """The report without parts that depend on the size of the input."""
        try:
            report = json.loads(text)
        except ValueError:
            return text
        return {key: report[key] for key in ("events_written", "records_read", "threads", "processes", "first_ns", "last_ns", "notes")}

    def assert_noted(self, result, file, problem):
        converted, inspected, _, report, *inspection = result
        inspection = b"".join(inspection)
        self.assertEqual((converted, inspected), (0, 0), (file, report, inspection))
        expected = f"run.data/{file}: {problem}"
        notes = [note["first"] for note in json.loads(report)["notes"]]
        self.assertTrue(any(expected in str(note) for note in notes) or expected.encode() in inspection, (file, problem, notes, inspection))

    def test_no_file_outside_of_the_recording_is_read(self):
        files = self.make_recording()
        for name in files:
            for what, (make, problem) in ELSEWHERE.items():
                with self.subTest(name, what=what):
                    self.make_recording()
                    path = self.recording / name
                    path.rename(path.with_name("kept"))
                    make(path)
                    result = self.results((name, what))
                    if problem is not None:
                        self.assert_noted(result, name, problem)

    def test_devices_are_not_read(self):
        for name in self.make_recording():
            for what, numbers in DEVICES.items():
                with self.subTest(name, what=what):
                    self.make_recording()
                    (self.recording / name).unlink()
                    if not device(self.recording / name, *numbers):
                        self.skipTest("only root makes devices")
                    self.assert_noted(self.results((name, what)), name, NOT_REGULAR)

    def test_sockets_are_not_read(self):
        """An archive can't contain sockets, so only the directory is tested."""
        for name in self.make_recording():
            self.make_recording()
            (self.recording / name).unlink()
            make_socket(self.recording / name)
            run = self.run_in("--inspect", "run.data")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"run.data/{name}: {NOT_REGULAR}".encode(), run.stdout)

    def test_links_that_stay_in_the_recording_are_followed(self):
        files = self.make_recording()
        expected = self.results("whole")
        for what, make in INSIDE.items():
            for name in files:
                with self.subTest(name, what=what):
                    self.make_recording()
                    path = self.recording / name
                    path.rename(path.with_name("kept"))
                    make(path)
                    self.assertEqual(self.results((name, what)), expected)

    def test_all_files_of_a_recording_may_be_links(self):
        files = self.make_recording()
        expected = self.results("whole")
        (self.recording / "all").mkdir()
        for name in files:
            (self.recording / name).rename(self.recording / "all" / name)
            (self.recording / name).symlink_to(f"all/{name}")
        self.assertEqual(self.results("links"), expected)

    def test_inputs_may_be_links(self):
        self.make_recording()
        expected = self.run_in("--viewer-hints=none", "--blobs=none", "run.data", "-").stdout
        (self.folder / "elsewhere").mkdir()
        self.recording.rename(self.folder / "elsewhere" / "real")
        self.recording.symlink_to("elsewhere/real")
        self.assertEqual(self.run_in("--viewer-hints=none", "--blobs=none", "run.data", "-").stdout, expected)

    def test_an_ordinary_user_gets_the_same_notes(self):
        """As root, this program would have more permissions."""
        if os.geteuid() != 0:
            self.skipTest("all the other tests are run by one")
        if self.run_in("--version", **NOBODY).returncode != 0:
            self.skipTest("an ordinary user can't run the program")
        for what in "absolute", "messages of the kernel", "FIFO":
            for name in ("info", "task.txt", "default.opts"):
                self.make_recording()
                (self.recording / name).unlink()
                make, problem = ELSEWHERE[what]
                make(self.recording / name)
                self.assert_noted(self.results((name, what), **NOBODY), name, problem)

    def test_a_channel_is_not_noted(self):
        """If `uftrace record` is killed, it leaves the FIFO `.channel` in the recording."""
        self.make_recording()
        expected = self.results("whole")
        os.mkfifo(self.recording / ".channel")
        self.assertEqual(self.results("channel"), expected)


if __name__ == "__main__":
    unittest.main()
