#!/usr/bin/env python3
"""Tests scripts/record: a program is recorded, converted and opened.

The directory with the programs is in the environment variable PROGRAMS.
"""

import fcntl
import gzip
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import termios
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
SCRIPT = REPOSITORY / "scripts" / "record"
SOURCE = """
#include <stdio.h>
#include <unistd.h>
int work(int n) { return n + 1; }
int main(int argc, char **argv) { puts("begun"); fflush(stdout); if (argc > 1 && argv[1][0] == 'l') sleep(60); return work(2); }
"""
# Ctrl-C ends this program at any time. A shell may miss Ctrl-C between two commands.
WAITING = """\
#!/usr/bin/python3
import signal, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
print("{}", flush=True)
time.sleep(60)
"""


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "draw.c").write_text(SOURCE)
        self.compile("draw", "-pg")

    def compile(self, name, *options):
        subprocess.run(["cc", *options, "draw.c", "-o", name], check=True, cwd=self.folder)

    def start(self, *arguments, **environment):
        return subprocess.Popen([SCRIPT, *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True,
                                env={**os.environ, "FXT_CONVERT": str(PROGRAMS / "fxt-convert"), **environment})

    def result(self, *arguments, **environment):
        process = self.start(*arguments, **environment)
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error

    def calls_of(self, trace):
        return subprocess.run([PROGRAMS / "fxt-dump", self.folder / trace], check=True, stdout=subprocess.PIPE, text=True).stdout

    def test_it_writes_a_trace_into_the_current_directory(self):
        code, out, _ = self.result("--no-open", "./draw")
        self.assertEqual(code, 0)
        self.assertIn("begun", out)
        self.assertIn('"work"', self.calls_of("draw.fxt"))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["draw", "draw.c", "draw.fxt"])

    def test_it_asks_for_the_tracks_of_cpus(self):
        converter = self.folder / "convert"
        converter.write_text(f'#!/bin/sh\necho "$@" > options\nexec {PROGRAMS}/fxt-convert "$@"\n')
        converter.chmod(0o755)
        self.assertEqual(self.result("--no-open", "./draw", FXT_CONVERT=str(converter))[0], 0)
        self.assertIn("--cpu-tracks", (self.folder / "options").read_text().split())

    def test_the_recording_may_be_kept(self):
        self.assertEqual(self.result("--no-open", "-a", "-o", "out.fxt", "-d", "run.data", "--uftrace", "-D 1", "--", "./draw")[0], 0)
        self.assertIn('"main"', self.calls_of("out.fxt"))
        self.assertNotIn('"work"', self.calls_of("out.fxt"))
        self.assertTrue((self.folder / "run.data" / "info").exists())

    def test_ctrl_c_ends_only_the_program(self):
        process = self.start("--no-open", "-d", "run.data", "./draw", "long")
        self.assertEqual(process.stdout.readline(), "begun\n")
        self.wait_for_thread("run.data")
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        _, problems = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, problems)
        self.assertIn('"main"', self.calls_of("draw.fxt"))

    def wait_for_thread(self, recording):
        """Waits until uftrace knows the program's thread. If uftrace is stopped earlier, it writes nothing."""
        while not any("TASK" in file.read_text() for file in self.folder.glob(f"{recording}/task.txt")):
            time.sleep(0.01)

    def test_sigterm_and_sighup_end_the_program_and_open_nothing(self):
        for number in signal.SIGTERM, signal.SIGHUP:
            with self.subTest(number):
                process = self.start("./draw", "long", FXT_OPEN="/bin/false", TMPDIR=str(self.folder))
                self.assertEqual(process.stdout.readline(), "begun\n")
                self.wait_for_thread("fxt-record.*/uftrace.data")
                process.send_signal(number)
                _, problems = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + number, problems)
                self.assertIn('"main"', self.calls_of("draw.fxt"))
                (self.folder / "draw.fxt").unlink()
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["draw", "draw.c"])

    def test_a_signal_before_the_program_begins_is_not_lost(self):
        recorder = self.folder / "uftrace"
        recorder.write_text("#!/bin/sh\nexec 2>/dev/null\nkill $PPID\nwhile :; do /bin/sleep 0.1; done\n")
        recorder.chmod(0o755)
        process = self.start("--no-open", "./draw", PATH=f"{self.folder}:{os.environ['PATH']}", TMPDIR=str(self.folder))
        self.assertEqual(process.communicate(timeout=30)[1], "record: ended by SIGTERM before anything was recorded\n")
        self.assertEqual((process.returncode, list(self.folder.glob("fxt-record.*"))), (143, []))

    def test_a_file_that_is_not_a_trace_is_kept(self):
        (self.folder / "draw.fxt").write_text("a letter")
        code, output, error = self.result("--no-open", "./draw")
        self.assertEqual((code, output), (2, ""), "the program has not run")
        self.assertIn("draw.fxt: exists and is not a trace; use -o to name another file", error)

    def test_it_is_opened(self):
        opener = self.folder / "opener"
        opener.write_text("#!/bin/sh\necho \"opens $1\"\n")
        opener.chmod(0o755)
        self.assertIn("opens draw.fxt\n", self.result("./draw", FXT_OPEN=str(opener))[1])

    def test_a_program_without_instrumentation_gets_advice(self):
        self.compile("plain")
        code, _, error = self.result("--no-open", "./plain")
        self.assertEqual(code, 1)
        self.assertIn("gcc -pg -g", error)
        self.assertIn("--uftrace '-P .' ./plain", error)
        self.assertFalse((self.folder / "plain.fxt").exists())

    def test_the_advice_works(self):
        self.compile("plain")
        self.assertEqual(self.result("--no-open", "--uftrace", "--force", "./plain", "--uftrace")[0], 0)
        self.assertIn('"puts"', self.calls_of("plain.fxt"))
        self.assertEqual(self.result("--no-open", "--uftrace")[2],
                         "record: argument --uftrace: expected one argument\nTry 'record --help'.\n")

    def test_a_script_gets_advice(self):
        script = self.folder / "script"
        script.write_text("#!/bin/sh\n./draw\n")
        script.chmod(0o755)
        code, _, error = self.result("--no-open", "./script")
        self.assertEqual(code, 1)
        self.assertTrue(error.endswith("record: ./script: is a script; use record --uftrace --force ./script to record the programs "
                                       "that it starts\n"))
        self.assertEqual(self.result("--no-open", "--uftrace", "--force", "./script")[0], 0)
        self.assertIn('"work"', self.calls_of("script.fxt"))

    def test_missing_programs_are_named(self):
        self.assertEqual(self.result("--no-open", "./none")[2], "record: ./none: no such program\n")
        self.assertEqual(self.result("--no-open", "./draw.c")[2], "record: ./draw.c: is neither a program nor a script\n")
        (self.folder / "draw.c").chmod(0o755)
        self.assertEqual(self.result("--no-open", "./draw.c")[2], "record: ./draw.c: is neither a program nor a script\n")
        self.assertEqual(self.result("--no-open", "draw")[2],
                         "record: draw: not in PATH; use ./draw for the program in this directory\n")
        (self.folder / "draw").chmod(0o644)
        self.assertEqual(self.result("--no-open", "draw")[2], "record: draw: is not executable; use chmod +x\n")

    def test_wrong_options_of_uftrace_are_reported(self):
        code, _, error = self.result("--no-open", "--uftrace", "--nosuch", "./draw")
        self.assertEqual(code, 1)
        self.assertTrue(error.endswith("\nrecord: nothing was recorded, because uftrace ended with exit code 1\n"), error)
        code, _, error = self.result("--no-open", "--uftrace", "--version", "./draw")
        self.assertEqual((code, error), (1, "record: nothing was recorded, because uftrace ended with exit code 0\n"))
        self.assertEqual(self.result("--uftrace", "-F 'draw", "./draw"),
                         (2, "", "record: argument --uftrace: -F 'draw: no closing quotation\nTry 'record --help'.\n"))

    def test_a_recording_that_is_not_converted_is_kept(self):
        (self.folder / "draw.fxt").write_bytes(gzip.compress(b"no trace"))
        code, _, problems = self.result("--no-open", "./draw", TMPDIR=str(self.folder))
        self.assertEqual(code, 1)
        kept = re.search("^record: the recording is kept; convert it with: fxt-convert (.*) OUTPUT$", problems, re.MULTILINE)
        self.assertTrue(kept, problems)
        subprocess.run([PROGRAMS / "fxt-convert", "-q", kept[1], "other.fxt"], check=True, cwd=self.folder)
        self.assertIn('"work"', self.calls_of("other.fxt"))

    def test_the_command_for_a_kept_recording_may_be_typed(self):
        (self.folder / "two words").mkdir()
        (self.folder / "draw.fxt").write_bytes(gzip.compress(b"no trace"))
        _, _, problems = self.result("--no-open", "./draw", TMPDIR=str(self.folder / "two words"))
        [line] = [line for line in problems.splitlines() if "the recording is kept" in line]
        self.assertRegex(shlex.split(line.partition("with: ")[2])[1], "two words/fxt-record.*/uftrace.data$")

    def test_an_older_recording_is_not_converted_again(self):
        self.assertEqual(self.result("--no-open", "-d", "run.data", "./draw")[0], 0)
        self.compile("plain")
        for words in [], ["--uftrace", "--nosuch"]:
            with self.subTest(words):
                code, _, error = self.result("--no-open", "-d", "run.data", *words, "./plain")
                self.assertEqual(code, 1)
                self.assertTrue(error.endswith("\nrecord: nothing was recorded, because uftrace ended with exit code 1\n")
                                or "gcc -pg -g" in error, error)
                self.assertFalse((self.folder / "plain.fxt").exists())

    def test_ctrl_c_at_once_is_not_blamed_on_the_program(self):
        recorder = self.folder / "uftrace"
        recorder.write_text(WAITING.format("begun"))
        recorder.chmod(0o755)
        process = self.start("--no-open", "./draw", PATH=f"{self.folder}:{os.environ['PATH']}", TMPDIR=str(self.folder))
        self.assertEqual(process.stdout.readline(), "begun\n")
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[1], "record: ended by Ctrl-C before anything was recorded\n")
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.folder.glob("fxt-record.*")), [])

    def test_a_recording_is_kept_if_ctrl_c_ends_its_conversion(self):
        converter = self.folder / "convert"
        converter.write_text(WAITING.format("converts"))
        converter.chmod(0o755)
        process = self.start("--no-open", "./draw", FXT_CONVERT=str(converter), TMPDIR=str(self.folder))
        while process.stdout.readline() != "converts\n":
            self.assertIsNone(process.poll())
        os.killpg(process.pid, signal.SIGINT)
        self.assertRegex(process.communicate(timeout=60)[1], "^record: the recording is kept; convert it with: fxt-convert .* OUTPUT\n$")
        self.assertEqual(process.returncode, 130)

    def test_paths_are_checked_before_the_program_runs(self):
        (self.folder / "folder.fxt").mkdir()
        (self.folder / "full").mkdir()
        (self.folder / "full" / "letter").touch()
        for options, problem in (["-o", "folder.fxt"], "folder.fxt: is a directory; use -o to name a file"), (["-o", "draw.json"], "draw.json: the name of the trace must end in .fxt, .fxt.gz or .fxt.zst"), \
                (["-o", "none/draw.fxt"], f"none/draw.fxt: can't write into {self.folder}/none: No such file or directory"), \
                (["-d", "draw.c"], "draw.c: is not a directory"), \
                (["-d", "full"], "full: exists and is not a recording; use -d to name another directory"):
            code, out, error = self.result("--no-open", *options, "./draw")
            self.assertEqual((code, out, error), (2, "", f"record: {problem}\nTry 'record --help'.\n"))
        for words, problem in (([], "no PROGRAM is given"), ([""], "no PROGRAM is given"),
                               (["-d", "", "./draw"], "argument -d/--data: a name is empty"),
                               (["--uftrace", "-d x", "./draw"], "--uftrace can't choose where the recording goes; use -d DIR")):
            self.assertEqual(self.result(*words), (2, "", f"record: {problem}\nTry 'record --help'.\n"))

    def test_the_path_of_the_program_has_no_newline(self):
        (self.folder / "a\nb").symlink_to("draw")
        (self.folder / "c\ne").mkdir()
        shutil.copy(self.folder / "draw", self.folder / "c\ne")
        for name in "./a\nb", "c\ne/draw":
            code, _, error = self.result("--no-open", name)
            shown = name.replace("\n", "\\x0a")
            self.assertEqual((code, error), (1, f"record: {shown}: has a newline in its path, which uftrace can't record; rename the file or "
                                                "folder\n"))

    def test_a_path_that_can_not_be_used_has_the_reason_of_the_system(self):
        long = "n" * 300
        for options, problem in (
                (["-o", f"{long}.fxt"], f"{long}.fxt: File name too long"),
                (["-d", long], f"{long}: File name too long"),
                (["-o", "/proc/draw.fxt"], "/proc/draw.fxt: can't write into /proc: No such file or directory"),
                (["-d", "/proc/run.data"], "/proc/run.data: can't write into /proc: No such file or directory")):
            with self.subTest(problem):
                self.assertEqual(self.result("--no-open", *options, "./draw"), (2, "", f"record: {problem}\nTry 'record --help'.\n"))
        self.assertEqual(self.result("--no-open", f"./{long}")[2], f"record: ./{long}: File name too long\n")

    def test_ctrl_c_while_modules_are_loaded_prints_nothing(self):
        (self.folder / "argparse.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
        for script in "convert-all", "open-in-perfetto", "record", "to-tracy":
            with self.subTest(script):
                run = subprocess.run([SCRIPT.with_name(script)], env={**os.environ, "PYTHONPATH": str(self.folder)},
                                     capture_output=True, text=True, check=False)
                self.assertEqual((run.returncode, run.stdout, run.stderr), (-signal.SIGINT, "", ""))

    def make_tools(self):
        """A PATH without uftrace, and with an apt-get that installs it."""
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "python3").symlink_to("/usr/bin/python3")
        uftrace = shutil.which("uftrace")
        for name, text in ("sudo", 'exec "$@"'), ("apt-get", f'echo "got $*"; [ $1 = update ] || /bin/ln -s {uftrace} {tools}'):
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        return tools

    def answer(self, typed, tools, *arguments):
        """The exit code, and the text on the terminal."""
        ours, theirs = pty.openpty()
        # When the first process of a terminal ends, the kernel drops output that was not read yet. Therefore, the first process
        # is a shell.
        shell = ["/bin/sh", "-c", 'trap : INT; "$@"; echo "exit $?"; read -r line', "sh"]
        process = subprocess.Popen([*shell, SCRIPT, *arguments], cwd=self.folder, stdin=theirs, stdout=theirs, stderr=theirs,
                                   start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                                   env={**os.environ, "FXT_CONVERT": str(PROGRAMS / "fxt-convert"), "PATH": str(tools)})
        os.close(theirs)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(ours, 1000)
        os.write(ours, typed)
        while not (end := re.search(rb"exit (\d+)\r\n$", shown)):
            shown += os.read(ours, 1000)
        os.close(ours)
        process.wait(timeout=60)
        return int(end[1]), shown[:end.start()].decode().replace("\r\n", "\n")

    def test_the_user_is_asked_whether_to_install_uftrace(self):
        tools = self.make_tools()
        missing = "record: uftrace is missing; install with: apt-get install uftrace\n"
        question = missing + "Install it now? [y/N] "
        for typed, code, more in (b"\n", 1, "\n"), (b"n\n", 1, "n\n"), (b"\x03", 130, "^C\n"), (b"\x04", 1, ""):
            with self.subTest(typed):
                self.assertEqual(self.answer(typed, tools, "--no-open", "./draw"), (code, question + more))
        self.assertEqual(self.result("--no-open", "./draw", PATH=str(tools)), (1, "", missing))
        code, shown = self.answer(b"y\n", tools, "--no-open", "./draw")
        begin = question + "y\ngot update -qq\ngot install -y --no-install-recommends uftrace\nbegun\n"
        self.assertEqual((code, shown[:len(begin)]), (0, begin))
        self.assertIn('"work"', self.calls_of("draw.fxt"))

    def test_a_failed_installation_of_uftrace_is_reported(self):
        tools = self.make_tools()
        (tools / "apt-get").write_text("#!/bin/sh\nexit 100\n")
        code, shown = self.answer(b"y\n", tools, "--no-open", "./draw")
        self.assertEqual((code, shown.splitlines()[-1]), (1, "record: uftrace was not installed"))
        (tools / "apt-get").unlink()
        self.assertEqual(self.result("--no-open", "./draw", PATH=str(tools)),
                         (1, "", "record: uftrace is missing; install with: apt-get install uftrace\n"))

    def test_wrong_options_get_suggestions(self):
        for words, problem in (
                (["--noopen"], "--noopen; did you mean --no-open?"),
                (["--outptu=x.fxt"], "--outptu=x.fxt; did you mean --output?"),
                (["-D", "3"], "-D; options of `uftrace record` go into --uftrace, as in --uftrace '-D 3'"),
                (["--depth=3"], "--depth=3; options of `uftrace record` go into --uftrace, as in --uftrace '-D 3'")):
            with self.subTest(words):
                self.assertEqual(self.result(*words, "./draw"),
                                 (2, "", f"record: unrecognized arguments: {problem}\nTry 'record --help'.\n"))


if __name__ == "__main__":
    unittest.main()
