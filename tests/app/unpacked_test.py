#!/usr/bin/env python3
"""fxt-convert accepts recordings and trace files as tar archives, compressed, and from standard input.

The directory with the programs is in the environment variable PROGRAMS.
"""

import gzip
import io
import lzma
import os
import pty
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]).resolve() / "fxt-convert"
CALC = REPOSITORY / "tests" / "uftrace" / "recordings" / "calc"
POOL = REPOSITORY / "tests" / "uftrace" / "recordings" / "pool"
HEATER = REPOSITORY / "samples" / "gdb" / "heater.tfile"
NOTHING = "neither a uftrace recording nor a GDB trace file"


def tar_of(*files, form="w", **options):
    """The bytes of an archive of these files. Each file is (name, path) or a TarInfo."""
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode=form, **options) as tar:
        for file in files:
            if isinstance(file, tarfile.TarInfo):
                tar.addfile(file, io.BytesIO(bytes(file.size)))
            else:
                tar.add(file[1], file[0])
    return bytes_.getvalue()


def entry(name, **fields):
    info = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def lz4_of(plain):
    """A frame with one uncompressed block."""
    return b"\x04\x22\x4d\x18\x60\x70\x73" + struct.pack("<I", len(plain) | 1 << 31) + plain + bytes(4)


class Unpacked(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.temporary = self.directory / "temporary"
        self.temporary.mkdir()
        self.environment = os.environ | {"TMPDIR": str(self.temporary)}
        self.addCleanup(lambda: self.assertEqual(list(self.temporary.iterdir()), []))

    def convert(self, *arguments, stdin=b"", code=0, message=""):
        process = subprocess.run([CONVERT, *arguments], input=stdin, capture_output=True, check=False, timeout=120,
                                 env=self.environment, cwd=self.directory)
        self.assertEqual((process.returncode, process.stderr.decode()), (code, message and f"fxt-convert: {message}\n"))
        return process.stdout

    def trace_of(self, *arguments, **options):
        output = self.directory / "out.fxt"
        report = self.convert("-f", *arguments, "out.fxt", **options).decode()
        self.assertNotIn(str(self.temporary), report)
        return output.read_bytes(), report

    def assert_refused(self, stdin, problem):
        self.convert("-f", "-", "out.fxt", stdin=stdin, code=1, message=f"standard input{problem}")
        self.assertFalse((self.directory / "out.fxt").exists())

    def assert_not_unpacked(self, stdin, problem):
        """Checks the message of libarchive, which is longer in newer versions."""
        process = subprocess.run([CONVERT, "-f", "-", "out.fxt"], input=stdin, capture_output=True, check=False, timeout=120,
                                 env=self.environment, cwd=self.directory)
        place, text = problem
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stderr.decode(), rf"\Afxt-convert: standard input{place}: can't unpack: {text}.*\n\Z")
        self.assertFalse((self.directory / "out.fxt").exists())

    def test_a_tar_gives_the_trace_of_the_recording(self):
        expected, report = self.trace_of(CALC)
        for form in "w", "w:gz", "w:bz2", "w:xz":
            for folder in "calc", "deep/in/calc", ".":
                with self.subTest((form, folder)):
                    tar = tar_of((folder, CALC), form=form)
                    trace, report = self.trace_of("-", stdin=tar)
                    self.assertEqual(trace, expected)
                    inside = "" if folder == "." else f"/{folder}"
                    self.assertIn(f"read     standard input{inside}: 3.2 kB, 203 records\n", report)
                    self.assertIn(f"\n    standard input{inside}/7298.dat:+0x7d0: ", report)
                    (self.directory / "file").write_bytes(tar)
                    trace, report = self.trace_of("file")
                    self.assertEqual(trace, expected)
                    self.assertIn(f"read     file{inside}: ", report)
        zstd = subprocess.run(["zstd", "-c"], input=tar_of(("calc", CALC)), capture_output=True, check=True).stdout
        for packed in zstd, lz4_of(tar_of(("calc", CALC))):
            self.assertEqual(self.trace_of("-", stdin=packed)[0], expected)

    def test_trace_files_may_be_compressed_or_in_archives(self):
        expected = self.trace_of(HEATER)[0]
        packed = HEATER.read_bytes()
        (self.directory / "heater.tfile.gz").write_bytes(gzip.compress(packed))
        self.assertEqual(self.trace_of("heater.tfile.gz")[0], expected)
        self.assertEqual(self.trace_of("-", stdin=tar_of(("x/heater.tfile", HEATER)))[0], expected)
        for stdin in packed, gzip.compress(packed), lzma.compress(packed):
            trace, report = self.trace_of("-", stdin=stdin)
            self.assertEqual(len(trace), len(expected))  # only the name of the process differs
            self.assertIn("read     standard input: ", report)

    def test_several_recordings_are_several_inputs(self):
        expected = self.trace_of(CALC, POOL)[0]
        (self.directory / "both.tar").write_bytes(tar_of(("b/pool", POOL), ("a/calc", CALC)))
        trace, report = self.trace_of("both.tar")
        self.assertEqual(trace, expected)
        self.assertIn("read     both.tar/a/calc, both.tar/b/pool: ", report)
        # An offset applies to all recordings in the input.
        moved = self.trace_of("--offset", "1=1s", "--offset", "2=1s", CALC, POOL)[0]
        self.assertEqual(self.trace_of("--offset", "both.tar=1s", "both.tar")[0], moved)
        # Each recording in the archive has its own name and number.
        second = self.trace_of("--offset", "2=1s", CALC, POOL)[0]
        for name in "both.tar/b/pool", "both.tar/b/pool/", "2":
            self.assertEqual(self.trace_of("--offset", f"{name}=1s", "both.tar")[0], second)

    def test_archives_are_only_unpacked(self):
        archive = self.directory / "runs.tar.gz"
        archive.write_bytes(tar_of(("runs/a", CALC), ("runs/b", POOL), form="w:gz"))
        compressed = self.directory / "heater.gz"
        compressed.write_bytes(gzip.compress(HEATER.read_bytes()))
        folder = self.directory / "folder"

        def unpack(*inputs):
            return subprocess.run([CONVERT, "--unpack", folder, *inputs], capture_output=True, text=True, check=False)
        self.assertEqual(unpack(archive).stderr, f"fxt-convert: {folder}: No such file or directory\n")
        folder.mkdir()
        paths = list(map(Path, unpack(archive, compressed, POOL).stdout.splitlines()))
        self.assertEqual(paths[3], POOL)
        for path in paths[:3]:
            self.assertEqual(path.parents[-len(folder.parts)], folder)
        self.assertEqual(paths[2].read_bytes(), HEATER.read_bytes())
        for path, recording in zip(paths, (CALC, POOL)):
            self.assertEqual({file.name: file.read_bytes() for file in path.iterdir()},
                             {file.name: file.read_bytes() for file in recording.iterdir()})
        refused = unpack(archive)
        self.assertEqual((refused.stderr, refused.returncode), (f"fxt-convert: {folder}: is not an empty directory\n", 1))

    def test_the_output_is_named_by_the_input(self):
        tar = tar_of(("calc", CALC))
        expected = self.trace_of(CALC)[0]
        process = subprocess.run([CONVERT, "-q", "-"], input=tar, capture_output=True, check=True, env=self.environment)
        self.assertEqual(process.stdout, expected)
        (self.directory / "calc.tar").write_bytes(tar)
        self.convert("-q", "calc.tar")
        self.assertEqual((self.directory / "calc.tar.fxt").read_bytes(), expected)
        self.assertEqual(self.convert("--inspect", "-", stdin=tar).splitlines()[0], b"input: standard input/calc")

    def test_files_next_to_a_recording_change_nothing(self):
        expected = self.trace_of(CALC)[0]
        for beside in (entry("calc/.channel", type=tarfile.FIFOTYPE), entry("link", type=tarfile.SYMTYPE, linkname="calc"),
                       entry("calc/hard", type=tarfile.LNKTYPE, linkname="calc/info"),
                       entry("calc/other", type=tarfile.SYMTYPE, linkname="/etc/passwd"), entry("x", type=tarfile.SYMTYPE, linkname="../.."),
                       entry("calc/device", type=tarfile.CHRTYPE, devmajor=1, devminor=5), entry("b", type=tarfile.BLKTYPE),
                       entry("calc/däta", size=1), entry("locked", type=tarfile.DIRTYPE, mode=0)):
            with self.subTest(beside.name):
                self.assertEqual(self.trace_of("-", stdin=tar_of(("calc", CALC), beside))[0], expected)

    def test_archives_with_paths_out_of_their_folder_are_refused(self):
        for bad, problem in (
                (entry("../x", size=1), "/../x: the name leads out of the archive"),
                (entry("calc/../../x", size=1), "/calc/../../x: the name leads out of the archive"),
                (entry(f"{self.directory}/x", size=1), f"/{self.directory}/x: the name leads out of the archive"),
                (entry("x", type=tarfile.LNKTYPE, linkname="../x"), "/x: the link to ../x leads out of the archive")):
            with self.subTest(problem):
                self.assert_refused(tar_of(("calc", CALC), bad), problem)
                self.assertFalse((self.directory / "x").exists())
        # An archive can't write a file through a link that leads out of the archive.
        outside = self.directory / "outside"
        outside.mkdir()
        link = entry("x", type=tarfile.SYMTYPE, linkname=str(outside))
        for through in (entry("x/info", size=1), entry("x/info", type=tarfile.SYMTYPE, linkname="y"), entry("x/info", type=tarfile.FIFOTYPE)):
            for files in (link, through), (through, link):
                self.assert_refused(tar_of(("calc", CALC), *files), "/x: can't unpack the link: Directory not empty")
                self.assertEqual(list(outside.iterdir()), [])
        # A hard link to a symbolic link is treated like a symbolic link.
        hard = entry("calc/hard", type=tarfile.LNKTYPE, linkname="x")
        self.assertEqual(self.trace_of("-", stdin=tar_of(("calc", CALC), link, hard))[0], self.trace_of(CALC)[0])

    def test_archives_without_a_recording_are_refused(self):
        neither = ": neither a uftrace recording nor a GDB trace file"
        tar = tar_of(("calc", CALC))
        self.assert_refused(b"", ": is empty")
        self.assert_refused(bytes(10240), ": is empty")
        self.assert_refused(b"x" * 10000, neither)
        self.assert_refused(b"\x7fELF" + b"x" * 10000, neither + ", but a program; record it first, with `uftrace record`, or in "
                                                            "GDB with `tstart` and `tsave`")
        trace = self.trace_of(CALC)[0]
        (self.directory / "out.fxt").unlink()
        self.assert_refused(trace, neither + ", but an FXT trace; viewers open it, fxt-dump prints it, and fxt-cut takes parts of it")
        self.assert_refused(gzip.compress(trace), ": already a compressed FXT trace; decompress it to open it in a viewer")
        self.assert_refused(tar_of(entry("a", size=9000)), f": the archive contains {NOTHING}")
        for inner in "calc.tar", "runs/calc.tgz", "runs/calc.tar.xz":
            self.assert_refused(tar_of(entry(inner, size=9000)), f": an archive that contains an archive; unpack the outer archive, and convert {inner}")
        self.assert_not_unpacked(tar[:1300], ("", "Truncated tar archive"))
        self.assert_refused(gzip.compress(tar)[:-20], ": the compressed data are truncated")
        (self.directory / "file").write_bytes(gzip.compress(b"x" * 10000))
        self.convert("file", "out.fxt", code=1, message="file" + neither)

    def test_a_full_folder_for_temporary_files_is_named(self):
        own_mounts = ["unshare", "--map-root-user", "--mount"]
        if subprocess.run([*own_mounts, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this system allows no mounts")
        command = 'mount -t tmpfs -o size=64k tmpfs "$TMPDIR" && "$@"'
        process = subprocess.run([*own_mounts, "sh", "-c", command, "sh", CONVERT, "-", "out.fxt"], capture_output=True, check=False,
                                 input=tar_of(("calc", CALC), entry("calc/more", size=100000)), env=self.environment, cwd=self.directory)
        self.assertEqual((process.returncode, process.stderr.decode()),
                         (1, f"fxt-convert: {self.temporary}: can't unpack standard input into this folder: No space left on device; "
                             "set TMPDIR to a folder with more space\n"))

    def test_archives_that_end_early_are_refused(self):
        """An archive that ends between files is also an error, because missing files would go unnoticed."""
        files = [("calc/" + name, CALC / name) for name in ("7298.dat", "info", "task.txt")]
        ends = [len(tar_of(*files[:n], format=tarfile.USTAR_FORMAT).rstrip(b"\0")) for n in (1, 2)]
        tar = tar_of(*files, format=tarfile.USTAR_FORMAT)
        for end, name in zip(ends, ("7298.dat", "info")):
            cut = tar[:-(-end // 512) * 512]
            self.assert_refused(cut, f"/calc/{name}: the archive ends after this file without an end marker, so it was truncated")
            self.assert_refused(gzip.compress(cut), f"/calc/{name}: the archive ends after this file without an end marker, so it "
                                                    "was truncated")
            self.assert_not_unpacked(cut[:-513], (f"/calc/{name}", "Truncated tar archive"))
        for packed in gzip.compress(tar), lzma.compress(tar), lzma.compress(HEATER.read_bytes()):
            self.assert_refused(packed[:len(packed) // 2], ": the compressed data are truncated")
        self.assert_refused(lz4_of(tar)[:5000], ": the compressed data are damaged or truncated")
        # A single block of zeros is enough at the end, because some programs write only one.
        whole = tar.rstrip(b"\0")
        self.assertEqual(self.trace_of("-", stdin=whole + bytes(512 + -len(whole) % 512))[0], self.trace_of("-", stdin=tar)[0])

    def test_archives_over_a_limit_are_refused(self):
        self.assert_refused(tar_of(*[entry(f"{i}") for i in range(50_001)]), "/50000: more than 50000 files in an archive")
        self.assert_refused(tar_of(*[entry(f"{i}", type=tarfile.SYMTYPE, linkname="x") for i in range(1001)]),
                            "/1000: more than 1000 symbolic links in an archive")
        self.assert_refused(tar_of(entry("a", type=tarfile.SYMTYPE, linkname="b" * 1025)),
                            "/a: more than 1024 characters in a file name in an archive")
        self.assert_refused(tar_of(*[entry("a")] * 10_002), "/a: more than 10000 files in an archive that replace an earlier file")
        self.assert_refused(tar_of(*[entry("./" * 250 + str(i)) for i in range(4000)]),
                            f"/{'./' * 100}…: more than 1000000 components in all paths of an archive")
        self.assert_refused(tar_of(*[entry(f"{'b' * 200}/{'b' * 200}/{'b' * 200}/{'b' * 200}/{i:0200}") for i in range(17_000)]),
                            f"/{'b' * 200}…: more than 16 MiB of file names in an archive")
        self.assert_refused(tar_of(*[(f"{i}", HEATER) for i in range(101)]), ": more than 100 recordings in an archive; unpack it "
                                                            "with another program first")
        with (self.directory / "hole").open("wb") as file:
            file.truncate(2_000_000_000)
        sparse = subprocess.run(["tar", "-cS", "-C", self.directory, "hole"], capture_output=True, check=True).stdout
        self.assert_refused(sparse, "/hole: more than 256 MiB of unpacked files; unpack it with another program first")
        for kind, where in (tarfile.LNKTYPE, "/6"), (tarfile.SYMTYPE, ""):
            tar = tar_of(entry("a", size=10 << 20), *[entry(f"{i}", type=kind, linkname="a") for i in range(10)])
            self.assert_refused(gzip.compress(tar, 1), f"{where}: more than 64 MiB of files in an archive that are read again through links")
        deep = "/".join("a" * 70)
        self.assert_refused(tar_of(entry(deep)), f"/{deep}: more than 64 components in the path of a file in an archive")
        self.assert_refused(tar_of(entry(f"{'b' * 500}/{'b' * 600}")), f"/{'b' * 200}…: more than 1024 characters in a file name in "
                            "an archive")
        self.assert_refused(tar_of(*[entry(f"{i}/{j}/x") for i in range(101) for j in range(100)]),
                            "/99/0/x: more than 10000 folders in an archive")
        tar = tar_of(entry("a", pax_headers={"comment": "c" * 900_000}), format=tarfile.PAX_FORMAT)
        header = tar[:len(tar.rstrip(b"\0")) // 512 * 512]
        self.assert_refused(header * 5, ": more than 262144 bytes of headers before a file in an archive")

    def test_a_terminal_is_not_an_input(self):
        ours, theirs = pty.openpty()
        process = subprocess.run([CONVERT, "-", self.directory / "out.fxt"], stdin=theirs, capture_output=True, check=False)
        os.close(ours)
        os.close(theirs)
        self.assertEqual((process.returncode, process.stderr.splitlines()[0]), (2, b"fxt-convert: standard input is a terminal; "
                                                            b"redirect a file, or a tar archive of a directory, to it"))

    def test_nothing_remains_when_it_is_ended(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL:
            with self.subTest(number):
                process = subprocess.Popen([CONVERT, "-", self.directory / "out.fxt"], stdin=subprocess.PIPE,
                                           env=self.environment, process_group=0, stderr=subprocess.PIPE)
                process.stdin.write(tar_of(("calc", CALC))[:9000])
                process.stdin.flush()
                while not list(self.temporary.glob("*/*/calc")):
                    time.sleep(0.01)
                os.killpg(process.pid, number)
                process.communicate()  # waits until the cleaning process has also ended
                self.assertEqual(process.returncode, -number)
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_temporary_folder_that_can_not_be_made_is_reported(self):
        self.environment["TMPDIR"] = str(self.directory / "none")
        self.convert("-", "out.fxt", stdin=tar_of(("calc", CALC)), code=1, message=f"{self.directory}/none: can't create a "
                                                            "temporary folder: No such file or directory")


if __name__ == "__main__":
    unittest.main()
