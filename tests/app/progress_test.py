#!/usr/bin/env python3
"""Progress of a conversion on various terminals and in logs, and colors.

The directory with the programs is in the environment variable PROGRAMS.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import threading
import unittest
from pathlib import Path

from recording import entry, leave, write_recording

PROGRAMS = Path(os.environ["PROGRAMS"])
RECORDINGS = Path(__file__).resolve().parents[1] / "uftrace" / "recordings"
LINE = re.compile(rb"\r\x1b\[K([^\r]*)")


class OnATerminal(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        call = entry(2_000_000_000, 0, 0x400100) + leave(2_000_000_000, 0, 0x400100)
        self.recording = write_recording(self.folder / "recording", [call * 1_000_000])

    def resize(self, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def seen(self, *command, columns=120, meanwhile=None, **environment):
        """The output of a program on a terminal. If `meanwhile` is given, it is called after the first output, and only
        later output is returned."""
        self.terminal, other = pty.openpty()
        self.resize(columns)
        process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other,
                                   env={**os.environ, "TERM": "xterm", **environment})
        os.close(other)
        text = b""
        try:
            while block := os.read(self.terminal, 65536):
                text += block
                if meanwhile:
                    self.before = text + meanwhile()
                    meanwhile, text = None, b""
        except OSError:  # no process has the terminal open any more
            pass
        os.close(self.terminal)
        self.assertEqual(process.wait(), 0)
        return text

    def converted(self, *inputs, progress="always", output="out.fxt", **options):
        return self.seen(PROGRAMS / "fxt-convert", f"--progress={progress}", "--report=none", "-o", self.folder / output, *inputs,
                         **options)

    def test_is_one_line_that_fits(self):
        for columns in 120, 60, 30, 20, 6, 4, 2, 1:
            text = self.converted(self.recording, columns=columns)
            lines = LINE.findall(text)
            self.assertEqual(LINE.sub(b"", text), b"", "nothing else is written")
            self.assertGreater(len(lines), 1)
            self.assertEqual(lines[-1], b"", "it is wiped")
            for line in lines:
                self.assertLess(len(line), columns if columns > 1 else 2)
            shares = [line for line in lines[:-1] if b"%" in line]
            self.assertEqual(bool(shares), columns > 4)
            if columns == 120:
                self.assertRegex(lines[-2], rb"^\[=* *\]  *\d+%  [\d.]+ \wB of 32\.0 MB  [\d.]+ \wB/s  \d+ s left$")
            if columns == 30:
                self.assertRegex(lines[-2], rb"^ *\d+%  [\d.]+ \wB of 32\.0 MB")

    def test_several_inputs_are_counted(self):
        self.assertIn(b"MB in 2 inputs", self.converted(self.recording, RECORDINGS / "pool"))
        self.assertNotIn(b" in 1 ", self.converted(self.recording))

    def test_a_terminal_may_be_resized(self):
        # The program waits until its output is read.
        os.mkfifo(self.folder / "fifo")
        fifo = os.open(self.folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(fifo, True)

        def resize():
            text = b""
            while select.select([self.terminal], [], [], 1)[0]:
                text += os.read(self.terminal, 65536)
            self.resize(30)
            threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(fifo, 65536), b"")], daemon=True).start()
            return text

        lines = LINE.findall(self.converted(self.recording, output="fifo", columns=100, meanwhile=resize))
        self.assertGreater(len(LINE.findall(self.before)[0]), 60)
        self.assertGreater(len(lines), 1)
        for line in lines:
            self.assertLess(len(line), 30)

    def converted_slowly(self, **options):
        """A conversion that waits until its output is read."""
        os.mkfifo(self.folder / "fifo")
        fifo = os.open(self.folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(fifo, True)
        reads = threading.Timer(0.8, lambda: [None for _ in iter(lambda: os.read(fifo, 65536), b"")])
        reads.start()
        text = self.converted(self.recording, output="fifo", **options)
        reads.join()
        os.close(fifo)
        return text

    def test_a_dumb_terminal_gets_plain_lines(self):
        self.assertEqual(self.converted(RECORDINGS / "pool", progress="auto", TERM="dumb"), b"", "it is over at once")
        text = self.converted_slowly(progress="auto", TERM="dumb")
        self.assertNotIn(b"\x1b", text)
        for line in text.removesuffix(b"\r\n").split(b"\r\n"):
            self.assertRegex(line, rb"\d+%  ")

    def test_a_log_gets_plain_lines_only_on_request(self):
        command = [PROGRAMS / "fxt-convert", "--report=none", self.recording, self.folder / "out.fxt"]
        self.assertEqual(subprocess.run(command, capture_output=True, check=True).stderr, b"")
        log = subprocess.run([*command, "--progress=always"], capture_output=True, check=True).stderr.decode()
        self.assertNotRegex(log, "[\r\x1b]")
        lines = log.splitlines()
        self.assertGreaterEqual(len(lines), 2)
        self.assertRegex(lines[-1], r"100%  32\.0 MB of 32\.0 MB")

    def test_colors_are_used_on_request(self):
        trace = self.folder / "pool.fxt"
        subprocess.run([PROGRAMS / "fxt-convert", "-q", RECORDINGS / "pool", trace], check=True)
        dump = PROGRAMS / "fxt-dump"
        self.assertIn(b"\x1b[1mmagic", self.seen(dump, trace))
        self.assertIn(b"\x1b[1mmagic", self.seen(dump, trace, NO_COLOR=""))
        self.assertNotIn(b"\x1b", self.seen(dump, trace, NO_COLOR="1"))
        self.assertNotIn(b"\x1b", self.seen(dump, trace, TERM="dumb"))
        self.assertIn(b"\x1b[1mmagic", self.seen(dump, "--color=always", trace, NO_COLOR="1"))


if __name__ == "__main__":
    unittest.main()
