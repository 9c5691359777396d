#!/usr/bin/env python3
"""Tests of scripts/convert-all: finding recordings, continuing after an interruption, and reporting failures.

The directory with the programs is in the environment variable PROGRAMS.
"""

import contextlib
import gzip
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from needs import bound_by_permissions

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
CONVERT_ALL = REPOSITORY / "scripts" / "convert-all"
CALC = REPOSITORY / "tests" / "uftrace" / "recordings" / "calc"
HEATER = REPOSITORY / "samples" / "gdb" / "heater.tfile"
FXT_MAGIC = bytes.fromhex("1000044678541600")


class ConvertAll(unittest.TestCase):
    def setUp(self):
        # The folder's name contains special characters.
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="con{}vert 'all")))
        self.found = self.folder / "recordings"
        self.out = self.folder / "out"
        self.found.mkdir()
        # The user's PARALLEL_SHELL has no effect. PARALLEL_HOME is another folder, because newer versions of parallel
        # accept no special characters in its name.
        home = self.enterContext(tempfile.TemporaryDirectory(prefix="parallel"))
        self.environment = os.environ | {"FXT_CONVERT": str(CONVERT), "PARALLEL_HOME": home,
                                         "PARALLEL_SHELL": "/bin/false"}

    def start(self, *arguments, **options):
        return subprocess.Popen([CONVERT_ALL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL, env=self.environment, **options)

    def run_all(self, *arguments, code=0):
        """Runs convert-all. Returns its standard output and standard error."""
        process = self.start(*arguments)
        said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, said)
        return said

    def convert(self, *options, code=0):
        return self.run_all(*options, self.found, self.out, code=code)

    def add(self, name, recording=CALC):
        place = self.found / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if recording.is_dir():
            shutil.copytree(recording, place)
        else:
            shutil.copy(recording, place)
        return place

    def timelines(self):
        return sorted(os.path.relpath(path, self.out) for path in self.out.glob("**/*.fxt*")
                      if path.suffix != ".json")

    def use_converter(self, script):
        """Sets a converter for the test, which may call "$convert" and write to $folder."""
        place = self.folder / "converter"
        place.write_text(f'#!/bin/sh\nconvert={CONVERT}\nfolder=$(dirname "$0")\n{script}\n')
        place.chmod(0o755)
        self.environment["FXT_CONVERT"] = str(place)

    def lines_of(self, file):
        return (self.folder / file).read_text().splitlines() if (self.folder / file).exists() else []

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "it takes too long")
            time.sleep(0.01)


class Finding(ConvertAll):
    def test_recordings_are_recognized_by_content(self):
        names = ["plain", "two words", "it's", 'a "quote"', "new\nline", "tab\there", "-j", "--", "{}", "{1}", ";",
                 "$(touch x)", "a\\b", "*", "%s", "\N{SNOWMAN}", os.fsdecode(b"\xff"), "x.fxt"]
        for number, name in enumerate(names):
            self.add(f"deep/{name}", HEATER if number % 2 else CALC)
        table, errors = self.convert()
        self.assertEqual(errors, "")
        self.assertEqual(self.timelines(), sorted(f"deep/{name}.fxt" for name in names))
        for name in names:
            self.assertEqual((self.out / f"deep/{name}.fxt").read_bytes()[:8], FXT_MAGIC)
        self.assertEqual(len(table.splitlines()), 1 + len(names) + 2)
        self.assertIn("deep/new\\x0aline ", table)

    def test_recordings_of_killed_recorders_are_found(self):
        (self.add("no-info") / "info").unlink()
        for file in ["info", "task.txt"]:
            (self.found / "no-info" / file).unlink(missing_ok=True)
        (self.add("no-task") / "task.txt").unlink()
        (self.add("task-alone") / "info").unlink()
        self.convert()
        self.assertEqual(self.timelines(), ["no-info.fxt", "no-task.fxt", "task-alone.fxt"])

    def test_a_file_of_a_recording_hides_no_others(self):
        self.add("run.data")
        self.add("heater", HEATER)
        shutil.copy(next(CALC.glob("*.dat")), self.found)
        self.convert()
        self.assertEqual(sorted(path.name for path in self.out.rglob("*.fxt")),
                         ["heater.fxt", "recordings.fxt", "run.data.fxt"])

    def test_the_exit_code_is_right_if_nobody_reads_the_table(self):
        self.add("run.data")
        (self.found / "no trace").write_bytes(b"\x7fTRACE1\n")
        self.convert(code=1)
        for mode, code in {"--table": 1, "--list": 0}.items():
            read_end, write_end = os.pipe()
            os.close(read_end)
            process = subprocess.run([CONVERT_ALL, mode, self.found, self.out], stdout=write_end, stderr=subprocess.PIPE,
                                     env=self.environment, check=False, text=True, timeout=120)
            os.close(write_end)
            self.assertEqual(process.returncode, code, process)
            self.assertNotIn("Broken pipe", process.stderr)

    def test_the_list_and_the_table_of_a_run_write_nothing(self):
        self.add("run")
        for mode, code in {"--table": 1, "--list": 0}.items():
            self.convert(mode, "--run=night", "--share=1/2", code=code)
            self.assertFalse(self.out.exists())

    def test_other_files_are_ignored(self):
        self.add("run")
        self.add("run/inside.tfile", HEATER)  # the inside of a recording is not searched
        self.add("run/deep/inside.tfile", HEATER)
        texts = {"task.txt": "buy milk", "info": "of another kind", "1.dat": "no records, though long enough",
                 "empty.tfile": "", "short": "\x7fTRA", "1.tfile": "TRACE0"}
        for name, content in texts.items():
            (self.found / name).write_text(content)
        os.mkfifo(self.found / "pipe")
        (self.found / "link").symlink_to("run")
        (self.found / "file-link").symlink_to(HEATER)
        self.convert()
        self.assertEqual(self.timelines(), ["run.fxt"])

    def test_names_are_relative_to_the_common_directory(self):
        for name in ["a/run", "b/run", "b/c/run", "other/run"]:
            self.add(name)
        self.run_all(self.found / "a", self.found / "b", self.found / "b" / "c", self.out)
        self.assertEqual(self.timelines(), ["a/run.fxt", "b/c/run.fxt", "b/run.fxt"])

    def test_an_input_may_be_a_recording_itself(self):
        self.run_all(self.add("run"), self.out)
        self.run_all(self.add("1.tfile", HEATER), self.out)
        self.assertEqual(self.timelines(), ["1.tfile.fxt", "run.fxt"])

    def test_timelines_may_be_next_to_recordings(self):
        self.add("a/run")
        self.run_all(self.found, self.found)
        self.run_all(self.found, self.found)
        self.assertEqual([path.name for path in self.found.glob("**/*.fxt")], ["run.fxt"])

    def test_list_converts_nothing(self):
        run = self.add("a/run").resolve()
        self.assertEqual(self.convert("--list"), (f"{run}\t{self.out.resolve()}/a/run.fxt\n", ""))
        self.assertFalse(self.out.exists())

    def test_unreadable_directories_are_reported(self):
        self.add("run")
        self.add("locked")
        self.add("file", HEATER)
        os.chmod(self.found / "file", 0)
        os.chmod(self.found / "locked", 0)
        self.addCleanup(os.chmod, self.found / "locked", 0o755)
        process = subprocess.run([*bound_by_permissions(), CONVERT_ALL, "--list", self.found, self.out],
                                 capture_output=True, text=True, check=False)
        self.assertEqual((len(process.stdout.splitlines()), process.returncode), (1, 1))
        found = self.found.resolve()
        self.assertEqual(process.stderr, "\nconvert-all: there may be more recordings, because these paths could not be read:\n"
                         f"  {found}/file: Permission denied\n  {found}/locked: Permission denied\n")

    def test_directories_without_recordings_are_reported(self):
        self.assertEqual(self.convert(code=2)[1], f"convert-all: no recording is below {self.found}\n")
        self.assertFalse(self.out.exists())
        _, errors = self.run_all("nowhere", self.out, code=2)
        self.assertEqual(errors, "convert-all: nowhere: No such file or directory\n")


class Running(ConvertAll):
    def test_the_table_lists_all_recordings(self):
        self.add("calc")
        self.add("a/heater.tfile", HEATER)
        table, _ = self.convert()
        self.assertEqual(table, """\
recording            records        events        MB  notes
a/heater.tfile            40           132      0.03  untyped-values 6, registers-left-out 1
calc                     203           115      0.01  longjmp 2

2 of 2 recordings converted.
""")
        self.assertEqual(self.convert("--table"), (table, ""))

    def test_a_failure_does_not_stop_others(self):
        self.add("a")
        self.add("b\nad", HEATER).write_bytes(b"\x7fTRACE of another kind")
        self.add("c")
        table, errors = self.convert("--jobs=1", code=1)
        self.assertEqual(self.timelines(), ["a.fxt", "c.fxt"])
        self.assertRegex(table, r"b\\x0aad +- +- +-  not converted\n")
        self.assertRegex(errors, r"^\nconvert-all: 1 of 3 recordings not converted:\n"
                                 r"  b\\x0aad: .*/b\\x0aad:\+0x6: .*\n$")

    def test_recordings_without_content_are_counted(self):
        self.add("calc")
        self.add("empty.tfile", HEATER).write_bytes(HEATER.read_bytes()[:5000])
        self.add("pool", CALC.parent / "pool")
        table, errors = self.run_all(self.found, self.out, "--", "-F", "worker", code=1)
        self.assertEqual(self.timelines(), ["empty.tfile.fxt", "pool.fxt"])
        self.assertRegex(table, r"calc  +- +- +-  options omit all calls\n")
        self.assertTrue(table.endswith("\n2 of 3 recordings converted. 2 have no call or frame to show.\n"), table)
        self.assertRegex(errors, r"^\nconvert-all: 1 of 3 recordings not converted, because the options omit all their calls:\n"
                                 r"  calc: .*: no call is shown, because the options omit all \d+ calls \(--filter 'worker': .*\n$")

    def test_a_killed_converter_is_reported(self):
        self.add("a")
        self.use_converter("kill -9 $$")
        _, errors = self.convert(code=1)
        self.assertIn("  a: Killed; exit code 137\n", errors)

    def test_a_name_that_is_taken_in_outdir_is_reported(self):
        self.add("a/run")
        self.add("b/run")
        self.out.mkdir()
        (self.out / "a").write_text("a file")
        _, errors = self.convert(code=1)
        self.assertIn(f"  a/run: {self.out.resolve()}/a: File exists\n", errors)
        self.assertEqual(self.timelines(), ["b/run.fxt"])

    def test_options_are_passed_to_the_converter(self):
        self.add("run")
        self.use_converter('for word; do echo "$word"; done >"$folder/words"; exec "$convert" "$@"')
        options = ["--match=simple", "-N", "a b {} ' {1} $x"]
        self.run_all(self.found, self.out, "--", *options)
        self.assertEqual(self.lines_of("words")[2:5], options)

    def test_options_that_the_converter_rejects_are_reported(self):
        self.add("run")
        self.add("again")
        _, errors = self.run_all(self.found, self.out, "--", "--colour", code=2)
        self.assertTrue(errors.startswith("convert-all: the options after -- are for fxt-convert: unrecognised option '--colour'"))
        self.assertEqual(errors.count("--colour"), 1)
        _, errors = self.run_all(self.found, self.out, "--", "-F", "(", code=2)
        self.assertTrue(errors.startswith("convert-all: the options after -- are for fxt-convert: --filter: '(' is not a regular expression"))
        self.assertFalse(self.out.exists())
        self.run_all(self.found, self.out, "--", "--offset=1=5ms", "-F", "main", "-r", "1us~", "--split-size=4k")

    def test_options_that_convert_all_chooses_are_refused(self):
        self.add("run")
        for words in (["-o", "X"], ["-oX"], ["--output=X"], ["-d", "X"], ["-q"], ["-fq"], ["--quiet"], ["-j1"], ["--jobs", "2"],
                      ["--inspect"], ["--inspect=all"], ["--report", "text"], ["--progress=never"], ["--explain", "longjmp"], ["-h"],
                      ["--help"], ["-V"], ["--completion", "bash"]):
            with self.subTest(words):
                self.assertEqual(self.run_all(self.found, self.out, "--", "--no-args", *words, code=2)[1],
                                 f"convert-all: {words[0]} can't be used after --, because convert-all chooses the inputs, outputs and "
                                 "reports of fxt-convert, and the number of conversions at a time\n")
        self.assertFalse(self.out.exists())

    def test_inputs_after_the_options_are_refused(self):
        recording = self.add("run")
        for word in str(recording), "run", "-":
            self.assertEqual(self.run_all(self.found, self.out, "--", "--no-args", word, code=2)[1],
                             "convert-all: the options after -- are for fxt-convert: use only options, and no INPUT\n")
        self.assertFalse(self.out.exists())

    def test_a_missing_report_is_a_failure(self):
        self.add("run")
        self.use_converter('exec "$convert" "$@" >/dev/null')
        self.assertIn("  run: the report can't be read; convert the recording again\n", self.convert(code=1)[1])

    def test_outputs_can_be_compressed(self):
        self.add("run")
        self.convert("--gz")
        self.assertEqual(gzip.decompress((self.out / "run.fxt.gz").read_bytes())[:8], FXT_MAGIC)
        self.convert("--zst")
        self.assertEqual((self.out / "run.fxt.zst").read_bytes()[:4], b"\x28\xb5\x2f\xfd")

    def test_outputs_can_be_pieces(self):
        self.add("run")
        table, _ = self.run_all(self.found, self.out, "--", "--split-size", "4k")
        self.assertEqual(self.timelines()[:2], ["run.000.fxt", "run.001.fxt"])
        self.assertRegex(table, r"run +203 +115")

    def test_the_commands_in_the_job_log_can_be_run_again(self):
        self.add("a-small")
        large = self.add("large")
        (large / "note.txt").write_text("x" * 100000)
        self.convert("-j1", f"--joblog={self.folder}/log")
        head, *jobs = self.lines_of("log")
        self.assertEqual(head.split("\t")[:2], ["Seq", "Host"])
        # The largest recording comes first, and the logged commands can be run again.
        self.assertEqual(["/large" in job for job in jobs], [True, False])
        (self.out / "large.fxt").unlink()
        subprocess.run(["sh", "-c", jobs[0].split("\t")[8]], check=True)
        self.assertEqual(self.timelines(), ["a-small.fxt", "large.fxt"])

    def test_progress_is_printed_on_request(self):
        self.add("run")
        self.assertEqual(self.convert()[1], "")
        self.assertEqual(self.convert("--progress=always")[1], "convert-all: 1 of 1 recordings, 100%\n")
        self.add("another")
        self.assertEqual(self.convert("--progress=always", "--resume")[1], "convert-all: 1 of 1 recordings, 100%\n")
        self.assertEqual(self.convert("--progress=never")[1], "")

    def test_a_terminal_gets_a_bar(self):
        self.add("run")
        ours, terminal = os.openpty()
        process = subprocess.Popen([CONVERT_ALL, self.found, self.out], stdout=subprocess.DEVNULL, stderr=terminal,
                                   stdin=subprocess.DEVNULL, env=self.environment)
        code, told = process.wait(timeout=120), os.read(ours, 10_000)
        self.assertEqual(code, 0, told)
        self.assertTrue(told.endswith(b"\r[" + b"#" * 30 + b"] 1 of 1 recordings, 100%\r\n"), told)
        os.close(ours)
        os.close(terminal)

    def test_conversions_run_at_the_same_time(self):
        for name in "ab":
            self.add(name)
        # Each of the two conversions waits until the other one has begun.
        self.use_converter('echo >>"$folder/begun"; while [ "$(wc -l <"$folder/begun")" -lt 2 ]; do sleep 0.02; done\n'
                           'exec "$convert" "$@"')
        self.convert("-j2")

    def test_recordings_are_shared_among_machines(self):
        for number in range(6):
            self.add(f"{number} 'x'\n")
        # In place of ssh: all names are names of this machine, except "down", the name of a machine that does not answer.
        ssh = self.folder / "ssh"
        ssh.write_text('#!/bin/sh\n[ "$1" != down ] || exit 255\nshift 2  # the name, --\nexec sh -c "$*"\n')
        ssh.chmod(0o755)
        self.environment["PARALLEL_SSH"] = shlex.quote(str(ssh))
        machines = self.folder / "machines"
        machines.write_text("1/one\n1/two\n1/down\n")
        self.convert(f"--sshloginfile={machines}")
        self.assertEqual(len(self.timelines()), 6)
        hosts = [job.split("\t")[1] for job in self.lines_of("out/convert-all.joblog")[1:]]
        self.assertEqual((len(hosts), set(hosts)), (6, {"one", "two"}))

    def test_a_missing_parallel_is_reported(self):
        self.add("run")
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "python3").symlink_to(sys.executable)
        self.environment["PATH"] = str(programs)
        self.assertEqual(self.convert(code=2)[1], "convert-all: GNU parallel is missing; install with: apt-get install parallel\n")

    def test_wrong_usage_is_explained(self):
        for arguments, message in [
            ([self.found], "the following arguments are required: OUTDIR"),
            (["-j", "many", self.found, self.out], "argument -j/--jobs: 'many' is not a number or a percentage"),
            (["--share=3/2", self.found, self.out], "argument --share: 3/2: K must be from 1 to N, so there is no share 3 of 2"),
            (["-j", "100000", self.found, self.out], "argument -j/--jobs: '100000' is too large"),
            (["--colour", self.found, self.out], "unrecognized arguments: --colour"),
            (["--gz", "--zst", self.found, self.out], "argument --zst: not allowed with argument --gz"),
            (["--run", "a/b", "--share", "1/2", self.found, self.out], "argument --run: 'a/b' can't be a part of a file name"),
            (["--list", "--table", self.found, self.out], "argument --table: not allowed with argument --list"),
            (["--run=night", self.found, self.out], "--run has no effect without --share"),
            ([self.found, ""], "the name of a DIRECTORY or of OUTDIR is empty"),
            (["--rseume", self.found, self.out], "unrecognized arguments: --rseume; did you mean --resume?"),
        ]:
            with self.subTest(message):
                self.assertEqual(self.run_all(*arguments, code=2)[1], f"convert-all: {message}\nTry 'convert-all --help'.\n")

    def test_missing_inputs_are_reported_before_anything_is_written(self):
        self.add("run")
        _, errors = self.run_all(self.found, "nowhere", self.out, code=2)
        self.assertEqual(errors, "convert-all: nowhere: No such file or directory\n")
        self.assertFalse(self.out.exists())
        _, errors = self.run_all("--joblog=/nowhere/log", self.found, self.out, code=2)
        self.assertEqual(errors, "convert-all: --joblog: there is no directory /nowhere\n")
        self.assertEqual(self.timelines(), [])
        self.assertFalse(self.out.exists())
        self.out.touch()
        self.assertEqual(self.convert(code=2)[1], f"convert-all: OUTDIR {self.out} is not a directory\n")

    def test_a_missing_converter_is_reported(self):
        self.environment["FXT_CONVERT"] = "/none/fxt-convert"
        self.add("run.data")
        self.assertEqual(self.convert(code=2)[1], "convert-all: FXT_CONVERT: /none/fxt-convert: No such file or directory\n")
        self.environment["FXT_CONVERT"] = os.devnull
        self.assertEqual(self.convert(code=2)[1], f"convert-all: FXT_CONVERT: {os.devnull}: is not a regular file\n")
        text = Path(self.out.parent, "text")
        text.touch()
        self.environment["FXT_CONVERT"] = str(text)
        self.assertEqual(self.convert(code=2)[1], f"convert-all: FXT_CONVERT: {text}: is not executable; use chmod +x\n")

    def test_the_directory_is_named_if_nothing_can_be_written_into_it(self):
        self.add("run.data")
        self.assertEqual(self.run_all(self.found, "/proc", code=2)[1], "convert-all: can't write into /proc: No such file or directory\n")

    def test_nothing_is_written_into_a_recording(self):
        place = self.add("run.data")
        before = sorted(place.iterdir())
        for out in place, place / "deeper/out":
            self.assertEqual(self.run_all(self.found, out, code=2)[1],
                             f"convert-all: OUTDIR {out} is inside the recording {place}; choose another OUTDIR\n")
        self.assertEqual(sorted(place.iterdir()), before)


class GoingOn(ConvertAll):
    """The converter writes down what it begins and what it ends."""
    COUNTING = 'echo "$*" >>"$folder/begun"; sleep 0.1; "$convert" "$@" && echo "$*" >>"$folder/ended"'
    ALL = 30

    def setUp(self):
        super().setUp()
        self.use_converter(self.COUNTING)

    def add_all(self):
        for number in range(self.ALL):
            self.add(f"run-{number}")

    def begin(self):
        process = self.start(self.found, self.out, start_new_session=True)
        self.wait_for(lambda: len(self.lines_of("ended")) >= 5)
        return process

    def assert_complete_after_resume(self):
        done = set(self.lines_of("ended"))
        self.assertLess(len(done), self.ALL)
        (self.folder / "begun").unlink()
        table, errors = self.convert("--resume")
        self.assertEqual((errors, len(table.splitlines())), ("", 1 + self.ALL + 2))
        self.assertEqual(len(self.timelines()), self.ALL)
        begun = self.lines_of("begun")
        self.assertEqual(len(begun), len(set(begun)))
        # Two recordings may be converted again, because the ends of their conversions may not have been reported.
        self.assertLessEqual(len(set(begun) & done), 2)
        self.assertEqual(len(set(begun) | done), self.ALL)
        self.assertEqual(sorted(path.name for path in self.out.iterdir() if path.suffix not in {".fxt", ".json"}),
                         ["convert-all.joblog", "convert-all.options"])

    def test_it_goes_on_after_everything_was_killed(self):
        self.add_all()
        process = self.begin()
        while alive := self.living(process.pid):  # including jobs that were started in between
            for pid in alive:
                with contextlib.suppress(ProcessLookupError):  # the process has ended in between
                    os.kill(pid, signal.SIGKILL)
        process.communicate()
        self.assert_complete_after_resume()

    def test_the_output_of_a_killed_conversion_is_removed(self):
        self.add("a [1]")
        self.convert()
        (self.out / "a [1].error.txt").touch()
        (self.out / "a [1].fxt.part-1234").write_text("half")
        self.convert("--resume")
        self.assertEqual(self.timelines(), ["a [1].fxt"])

    def living(self, session):
        """The processes of a session. parallel gives each of its jobs a process group, but the session is the same."""
        listed = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(session)], stdout=subprocess.PIPE, text=True)
        return [int(pid) for pid, state in map(str.split, listed.stdout.splitlines()) if not state.startswith("Z")]

    def test_it_goes_on_after_a_request_to_end(self):
        for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(kind):
                shutil.rmtree(self.found)
                shutil.rmtree(self.out, ignore_errors=True)
                for file in ["begun", "ended"]:
                    (self.folder / file).unlink(missing_ok=True)
                self.add_all()
                process = self.begin()
                process.send_signal(kind)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + kind)
                self.assertIn("convert-all: interrupted; use --resume to continue\n", errors)
                self.assertRegex(errors, r"  not begun: \d+, first run-\d+\n")
                ended = self.lines_of("ended")
                self.assert_complete_after_resume()
                self.assertLess(len(ended), self.ALL)

    def test_failed_conversions_are_repeated(self):
        self.add("good")
        bad = self.add("bad", HEATER)
        bad.write_bytes(b"\x7fTRACE of another kind")
        self.convert(code=1)
        self.convert("--resume", code=1)
        shutil.copy(HEATER, bad)
        self.convert("--resume")
        self.assertEqual(len([line for line in self.lines_of("begun") if line.endswith("/good.fxt")]), 1)
        self.assertEqual(self.timelines(), ["bad.fxt", "good.fxt"])
        self.assertEqual(len(self.lines_of("out/convert-all.joblog")), 1 + 2 + 1 + 1)

    def test_new_changed_and_lost_recordings_are_converted(self):
        for name in ["changed", "lost", "same"]:
            self.add(name)
        self.convert()
        self.add("new")
        (self.out / "lost.fxt").unlink()
        later = time.time() + 10
        os.utime(self.found / "changed" / "info", (later, later))
        (self.folder / "begun").unlink()
        self.convert("--resume")
        again = sorted(line.rpartition("/")[2] for line in self.lines_of("begun"))
        self.assertEqual(again, ["changed.fxt", "lost.fxt", "new.fxt"])

    def test_everything_is_converted_again_without_resume(self):
        self.add("run")
        self.convert()
        self.convert()
        self.assertEqual(len(self.lines_of("begun")), 2)
        self.assertEqual(len(self.lines_of("out/convert-all.joblog")), 2)

    def test_a_resumed_run_needs_the_same_options(self):
        self.add("run")
        self.convert("--gz")
        _, errors = self.convert("--resume", code=2)
        self.assertEqual(errors, "convert-all: --resume: use the options of the interrupted run (suffix of the outputs, options of fxt-convert): .fxt.gz\n")


class Shares(ConvertAll):
    def test_each_recording_is_in_one_share(self):
        for number in range(7):
            self.add(f"run-{number}")
        shares = []
        for share in ["1/3", "2/3", "3/3"]:
            table, _ = self.convert("--run=x", f"--share={share}")
            shares.append([line.split()[0] for line in table.splitlines()[1:-2]])
            self.add(f"later-{share[0]}")  # this recording belongs to the next run
        self.assertEqual([len(share) for share in shares], [3, 2, 2])
        self.assertEqual(sorted(sum(shares, [])), [f"run-{number}" for number in range(7)])
        self.assertEqual(len(self.timelines()), 7)
        self.assertEqual(len(self.lines_of("out/convert-all.x.2.joblog")), 3)
        self.convert("--resume")
        self.assertEqual(len(self.timelines()), 10)

    def test_a_share_may_have_no_recording(self):
        self.add("run")
        self.assertEqual(self.convert("--share=2/2")[0].count("\n"), 1)
        self.assertFalse(self.timelines())


if __name__ == "__main__":
    unittest.main()
