#!/usr/bin/env python3
"""Tests of the programs as a user runs them: arguments, outputs, exit codes, and errors.

The directory with the programs is in the environment variable PROGRAMS.
"""

import itertools
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader as fxt  # noqa: E402
from needs import bound_by_permissions  # noqa: E402
from recording import entry, leave, write_recording  # noqa: E402

CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
DUMP = Path(os.environ["PROGRAMS"]) / "fxt-dump"
RECORDINGS = REPOSITORY / "tests" / "uftrace" / "recordings"
POOL = RECORDINGS / "pool"
FRAMES = REPOSITORY / "samples" / "gdb" / "heater.tfile"
CLEAN = RECORDINGS / "shapes"  # a recording without notes
RECORD_BYTES = 16
OLDER = bytes.fromhex("1000044678541600") + b"an older trace"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.output = self.directory / "out.fxt"

    def convert(self, *arguments, **options):
        return subprocess.run([CONVERT, *arguments], capture_output=True, check=False, timeout=120, **options)

    def assert_done(self, process, code=0):
        self.assertEqual((process.returncode, process.stderr), (code, b""))

    def assert_failed(self, process, message, code=1):
        self.assertEqual((process.stderr.decode(), process.returncode), (message, code))

    def assert_only(self, *names):
        """Checks that the test's directory has exactly these files, and no temporary ones."""
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), sorted(names))

    def copy_of(self, recording):
        return Path(shutil.copytree(recording, self.directory / "recording"))

    def large_recording(self, calls=4_000_000):
        """A recording whose conversion takes so long that a test can interrupt it. All calls have the same time, and
        are written as pairs."""
        call = entry(2_000_000_000, 0, 0x400100) + leave(2_000_000_000, 0, 0x400100)
        return write_recording(self.directory / "large", itertools.repeat(call * 1000, calls // 1000))

    def start_in_the_middle(self, *arguments, **options):
        """Starts the program, and waits until it converts."""
        process = subprocess.Popen([CONVERT, "--progress=always", *arguments], stderr=subprocess.PIPE, **options)
        self.assertNotEqual(process.stderr.read(1), b"")
        return process


class Usage(ProgramTest):
    def assert_wrong(self, arguments, problem):
        process = self.convert(*arguments)
        self.assert_failed(process, f"fxt-convert: {problem}\nTry 'fxt-convert --help'.\n", code=2)
        self.assertEqual(process.stdout, b"")
        self.assert_only()

    def test_debug_files_are_not_requested_from_servers(self):
        program = self.directory / "program"
        subprocess.run(["strip", "-o", program, CONVERT.parent / "traced_pie"], check=True)
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.setblocking(False)
            urls = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.getsockname()[1]}", "HOME": str(self.directory)}
            self.assertEqual(self.convert("--program", program, FRAMES, self.output, env={**os.environ, **urls}).returncode, 0)
            self.assertRaises(BlockingIOError, server.accept)

    def test_a_process_has_the_name_of_the_executable(self):
        library = re.search(r"/\S*libdw\S*", subprocess.run(["ldd", CONVERT], capture_output=True, text=True, check=True).stdout).group()
        traces = []
        for programs in (library, CONVERT), (CONVERT, library):
            self.assertEqual(self.convert("-f", *(f"--program={program}" for program in programs), FRAMES, self.output).returncode, 0)
            traces.append(self.output.read_bytes())
        self.assertEqual(*traces)
        self.assertIn(b"fxt-convert", traces[0])

    def test_help_and_version_go_to_standard_output(self):
        for option, begin in ("-h", b"fxt-convert converts"), ("--help", b"Usage: fxt-convert [OPTIONS] INPUT... OUTPUT\n"):
            process = self.convert(option)
            self.assert_done(process)
            self.assertTrue(process.stdout.startswith(begin))
            for line in process.stdout.decode().splitlines():
                self.assertLessEqual(len(line), 80)

    def test_an_input_and_an_output_are_needed(self):
        process = self.convert(cwd=self.directory)
        self.assert_failed(process, "fxt-convert: no INPUT is given, and there is no ./uftrace.data\n"
                           "Try 'fxt-convert --help'.\n", code=2)
        self.assert_wrong([POOL, ""], "the name of the OUTPUT is empty")

    def test_options_that_do_not_exist_are_refused(self):
        self.assert_wrong(["--wholesale", POOL, self.output], "unrecognised option '--wholesale'")

    def test_misspelled_options_get_suggestions(self):
        self.assert_wrong(["--notace=f", POOL, self.output], "unrecognised option '--notace=f'; did you mean --notrace?")
        self.assert_wrong(["--no-kernal", POOL, self.output], "unrecognised option '--no-kernal'; did you mean --no-kernel?")
        for program, letter, meant in ("fxt-convert", "-v", "; did you mean -V, --version?"), ("fxt-convert", "-R", ""), \
                ("fxt-dump", "-C", ""), ("fxt-cut", "-F", ""), ("fxt-draw", "-N", ""):
            process = subprocess.run([DUMP.with_name(program), letter, "a", "b"], capture_output=True, check=False)
            self.assertEqual((process.returncode, process.stdout, process.stderr.decode()),
                             (2, b"", f"{program}: unrecognised option '{letter}'{meant}\nTry '{program} --help'.\n"))

    def test_wrong_values_of_options_are_explained(self):
        self.assert_wrong(["--durations=long", POOL, self.output],
                          "--durations takes one of mixed, pairs, not 'long'")
        self.assert_wrong(["--report=xml", POOL, self.output], "--report takes one of text, json, none, not 'xml'")
        self.assert_wrong(["--tid=1,x", POOL, self.output], "--tid takes thread ids, not 'x'")
        for option in ("--sysroot", "--index"):
            self.assert_wrong([f"{option}=/none", POOL, self.output], f"{option} takes a directory that exists, not '/none'")
            self.assert_wrong([f"{option}=/dev/null", POOL, self.output], f"{option} takes a directory, not '/dev/null'")
        program = ["--program", CONVERT, "--load-bias", "libfoo.so=0x1000"]
        for arguments in [*program, FRAMES, self.output], ["--inspect", *program, FRAMES]:
            self.assert_wrong(arguments, "--load-bias: no --program has the name 'libfoo.so'")

    def test_the_output_is_not_a_file_of_an_option(self):
        file = self.directory / "file"
        for option, content in ("--program", Path("/bin/true").read_bytes()), ("--symbols", b"ffffffff81000000 T _text\n"):
            file.write_bytes(content)
            process = self.convert("-f", option, file, FRAMES, file)
            self.assertEqual((process.returncode, process.stderr.decode()),
                             (2, f"fxt-convert: '{file}' is an input, and would be overwritten; choose another output\nTry "
                                 "'fxt-convert --help'.\n"))
            self.assertEqual(file.read_bytes(), content)

    def test_names_may_be_as_long_as_the_system_takes(self):
        output = self.directory / f"{'n' * 251}.fxt"
        for _ in range(2):  # a new file, and one that is replaced
            self.assertEqual(self.convert("-q", POOL, output).stderr, b"")
            self.assertEqual([path.name for path in self.directory.iterdir()], [output.name])

    def test_a_file_without_a_name_is_written_to(self):
        with open(self.output, "w+b") as file:
            self.output.unlink()
            process = self.convert("-q", POOL, f"/dev/fd/{file.fileno()}", pass_fds=[file.fileno()])
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            self.assertEqual(file.read(), self.convert(POOL, "-").stdout)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_the_output_is_not_the_input(self):
        recording = self.copy_of(POOL)
        process = self.convert(recording, recording)
        self.assert_failed(process, f"fxt-convert: '{recording}' is both INPUT and OUTPUT; choose another OUTPUT\n"
                           "Try 'fxt-convert --help'.\n", code=2)


    def test_an_output_that_is_a_recording_is_a_forgotten_output(self):
        trace = Path(shutil.copy(next((REPOSITORY / "samples" / "gdb").rglob("*.tf*")), self.directory / "last"))
        before = trace.read_bytes()
        process = self.convert(POOL, trace)
        self.assert_failed(process, f"fxt-convert: the last path is the OUTPUT, but '{trace}' is a GDB trace file; name the "
                                    "OUTPUT with -o\nTry 'fxt-convert --help'.\n", code=2)
        recording = self.copy_of(CLEAN)
        self.assert_failed(self.convert(POOL, recording), f"fxt-convert: the last path is the OUTPUT, but '{recording}' is a "
                                                          "uftrace recording; name the OUTPUT with -o\nTry 'fxt-convert --help'.\n", code=2)
        self.assert_failed(self.convert("-o", trace, POOL), f"fxt-convert: the OUTPUT '{trace}' is a GDB trace file, which would "
                                                            "be overwritten; choose another OUTPUT\nTry 'fxt-convert --help'.\n", code=2)
        self.assertEqual(trace.read_bytes(), before)

    def test_names_of_other_formats_are_refused(self):
        for name, problem in (
                ("out.fxt.lz4", "a compressed output ends in .gz, .zst, .bz2 or .xz, not .lz4"),
                ("out.fxt.GZ", "a compressed output ends in .gz, .zst, .bz2 or .xz, not .GZ"),
                ("out.html.gz", f"the output is an FXT trace, not a .html file; name it {self.directory}/out.fxt.gz"),
                ("out.pftrace", f"the output is an FXT trace, not a .pftrace file; name it {self.directory}/out.fxt")):
            with self.subTest(name):
                process = self.convert(POOL, self.directory / name)
                self.assertEqual((process.returncode, process.stdout), (2, b""))
                self.assertIn(problem, process.stderr.decode())
                self.assert_only()
        self.assert_done(self.convert("-f", POOL, self.directory / "out.pftrace"))

    def test_an_input_may_be_given_as_in_uftrace(self):
        self.assert_done(self.convert("-o", self.output, "-d", POOL))
        self.assertTrue(self.output.exists())

    def test_options_for_other_inputs_are_noted(self):
        process = self.convert("--registers=all", "--report=json", POOL, self.output)
        self.assertEqual([note for note in json.loads(process.stdout)["notes"] if note["kind"] == "option-unused"],
                         [{"kind": "option-unused", "count": 1, "first": f"{POOL}: --registers is only for a GDB trace file"}])
        self.assertNotIn(b"option-unused", self.convert("--no-args", POOL, self.output).stdout)

    def test_options_without_effect_are_noted(self):
        bias, apart = "--load-bias has no effect without --program", "--apart requires a GDB trace file and at least one other INPUT"
        match = "--match has no effect without --filter, --notrace, --caller-filter, --hide, --trigger or --loc-filter"
        for arguments, inputs, problems in (
                (["--load-bias=1"], [FRAMES], [bias]),
                (["--load-bias=1", "--apart"], [POOL], ["--load-bias is only for a GDB trace file", apart, bias]),
                (["--apart"], [FRAMES], [apart]),
                (["--apart"], [POOL, FRAMES], []),
                (["--match=glob"], [POOL], [match]),
                (["--match=glob", "-F", "*"], [POOL], []),
                (["--sysroot=/", "--no-elf"], [POOL], ["--sysroot has no effect with --no-elf"]),
                (["--arg-names=program", "--no-args"], [POOL], ["--arg-names has no effect with --no-args"]),
                (["--inspect", "--load-bias=1"], [FRAMES], [bias])):
            with self.subTest(arguments, inputs=inputs):
                output = [] if "--inspect" in arguments else ["-o", self.output]
                process = self.convert(*arguments, *output, *inputs)
                self.assert_done(process)
                title = f"option-unused ({len(problems)}, informational): options that have no effect on any INPUT"
                lines = [line.strip() for line in process.stdout.decode().splitlines()]
                told = lines[lines.index(title) + 1:][:len(problems)] if problems else []
                self.assertEqual(told, [f"{inputs[0]}: {problem}" for problem in problems])
                self.assertEqual(any("option-unused" in line for line in lines), bool(problems))

    def test_notes_are_explained(self):
        process = self.convert("--explain", "records-lost")
        self.assert_done(process)
        self.assertRegex(process.stdout.decode(), r"^records-lost\n\n(.|\n)*Remedy")
        self.assertNotIn("###", process.stdout.decode())
        text = self.convert("--explain", "kept-apart").stdout.decode()
        self.assertTrue(text.startswith("kept-apart\n\nInformational. "), text)
        self.assertIn("\n- Too few hits are inside open calls of their functions.\n- Two threads match", text)
        self.assertNotIn("](", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assert_wrong(["--explain", ""], "'' is not a kind of note; docs/notes.md lists all notes")
        self.assert_wrong(["--explain=foo"], "'foo' is not a kind of note; docs/notes.md lists all notes")
        self.assert_wrong(["--explain=record-lost"], "'record-lost' is not a kind of note; did you mean records-lost?")

    def test_the_output_may_be_a_pipe_of_the_shell(self):
        for place in "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
            process = self.convert(POOL, place)
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual(process.stdout, self.convert(POOL, "-").stdout)
            self.assertIn(b"written  -: ", process.stderr)
        self.assert_done(subprocess.run(["bash", "-c", f'"{CONVERT}" "{POOL}" >(cat > "{self.output}")'], capture_output=True, check=False))

    def test_pieces_are_not_devices(self):
        self.assert_wrong([POOL, "--split-size=1M", "/dev/null"], "'/dev/null' is not a regular file, so pieces can't be named after it")

    def test_missing_threads_are_answered_with_the_existing_ones(self):
        process = self.convert("--tid=1", POOL, self.output)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stderr.decode(), r"has none of the requested threads: 1; its threads: \d+, \d+, \d+ and \d+ more\n$")

    def test_a_missing_thread_next_to_an_existing_one_is_noted(self):
        for tids, missing in ["28327,4", ["thread 4"]], ["28327,9,28329,4,9", ["thread 4", "thread 9"]], ["28329,28327", []]:
            process = self.convert("--strict", "--tid", tids, POOL, self.output)
            self.assert_done(process, 3 if missing else 0)
            lines = [line.strip() for line in process.stdout.decode().splitlines()]
            title = f"no-such-thread ({len(missing)}): thread ids of --tid that no INPUT has"
            told = lines[lines.index(title) + 1:][:len(missing)] if missing else []
            self.assertEqual(told, [f"{POOL}: {thread}" for thread in missing])
            self.assertEqual(any("no-such-thread" in line for line in lines), bool(missing))
        # Any --tid selects the threads of FRAMES, because they have no ids. POOL has no thread 4.
        beside = self.convert("--strict", "--tid=4", POOL, FRAMES, self.output)
        self.assert_done(beside, 3)
        self.assertIn(f"{POOL}: thread 4", beside.stdout.decode())
        each_in_one = self.convert("--strict", "--tid=28327,7283", POOL, RECORDINGS / "family", self.output)
        self.assertNotIn(b"no-such-thread", each_in_one.stdout)

    def test_a_thread_without_an_id_may_be_the_requested_one(self):
        process = self.convert("--strict", "--tid=5", FRAMES, self.output)
        self.assert_done(process)
        self.assertIn(b"threads-without-id (1, informational)", process.stdout)
        self.assertNotIn(b"no-such-thread", process.stdout)

    def test_a_range_without_events_is_answered_with_the_range_of_the_trace(self):
        process = self.convert("-r", "1000s~", POOL, self.output)
        self.assert_failed(process, f"fxt-convert: {POOL}: no event is in the requested range; the trace is from 3555.020570233 s to "
                           "3555.029319856 s\n")
        self.assert_only()

    def test_options_that_leave_no_call_get_suggestions(self):
        all_left_out = f"fxt-convert: {CLEAN}: no call is shown, because the options omit all 4264 calls"
        for options, reason in ((["-F", "mian"], " (--filter 'mian': similar names: main, atan, ctan)"), (["-t", "10s"], " (--time-filter)"),
                                (["-L", "none.c"], " (--loc-filter 'none.c': no called function is in a matching source file)"),
                                (["--kernel-only"], " (--kernel-only)"), (["-F", "mian", "-r", "0~1ms", "--split-size=1M"],
                                                          " (--filter 'mian': similar names: main, atan, ctan)")):
            self.assert_failed(self.convert(*options, CLEAN, self.output), f"{all_left_out}{reason}\n")
            self.assert_only()
        # If one recording has a shown call, the conversion succeeds. Calls of GDB trace files are not filtered.
        self.assert_done(self.convert("-q", "-F", "worker", CLEAN, POOL, "-o", self.output))
        process = self.convert("-F", "wroker", CLEAN, POOL, FRAMES, "-o", self.output)
        self.assert_failed(process, f"fxt-convert: {CLEAN}, {POOL}, {FRAMES}: no call is shown, because the options omit all 5253 calls "
                           "(--filter 'wroker': similar names: walker; --filter 'wroker': similar names: worker, walker)\n")

    def test_a_word_after_inspect_is_a_path(self):
        self.assert_wrong(["--inspect", "all", POOL], "use --inspect=all, or ./all for a file of this name")

    def test_addresses_of_servers_are_not_paths(self):
        for program in CONVERT, DUMP:
            process = subprocess.run([program, "https://host/x.fxt"], capture_output=True, check=False)
            self.assert_failed(process, f"{program.name}: https://host/x.fxt: can't open: No such file or directory; download the file first\n")

    def test_a_trace_file_without_frames_is_reported(self):
        cut = self.directory / "cut.tfile"
        cut.write_bytes(FRAMES.read_bytes()[:5000])
        process = self.convert(cut, self.output)
        self.assert_done(process)
        self.assertIn(f"{cut}: the file was truncated before its first frame; copy the whole file", process.stdout.decode())

    def test_a_trace_is_not_written_to_a_terminal(self):
        terminal, other = os.openpty()
        process = subprocess.run([CONVERT, POOL, "-"], stdout=other, stderr=subprocess.PIPE, check=False)
        self.assertEqual((process.returncode, process.stderr), (2, b"fxt-convert: a trace is binary and can't be written to the "
                                                            b"terminal; redirect standard output to a file or a program\nTry 'fxt-convert --help'.\n"))
        os.close(terminal)
        os.close(other)

    def test_a_trace_is_not_read_from_a_terminal(self):
        terminal, other = os.openpty()
        for program, *arguments in ["fxt-dump", "-"], ["fxt-cut", "-", self.output], ["fxt-draw", "-", self.directory / "out.svg"]:
            process = subprocess.run([DUMP.with_name(program), *arguments], stdin=other, capture_output=True, timeout=60, check=False)
            self.assertEqual((process.returncode, process.stderr.decode()),
                             (2, f"{program}: standard input is a terminal; redirect a trace to it\n"
                              f"Try '{program} --help'.\n"))
        os.close(terminal)
        os.close(other)
        self.assert_only()

    def test_the_output_may_be_synced(self):
        self.assert_done(self.convert("--sync", POOL, self.output))
        self.assert_done(self.convert("--sync", POOL, self.output))
        self.assert_only("out.fxt")

    def test_help_and_version_come_before_errors(self):
        self.assert_done(self.convert("--help", "--durations=long"))
        self.assert_done(self.convert("--version", "--durations=long"))

    def test_jobs_are_at_least_one(self):
        problem = "--jobs takes a number from 1 to 1024, not '0'"
        self.assert_wrong(["-j0", POOL, self.output], problem)
        self.assert_wrong(["--jobs=0", POOL, self.output], problem)
        self.assert_wrong(["--jobs=1025", POOL, self.output], "--jobs takes a number from 1 to 1024, not '1025'")
        self.assert_wrong(["--jobs=two", POOL, self.output], "--jobs takes a number from 1 to 1024, not 'two'")
        self.assert_done(self.convert("-j", "1", POOL, self.output))
        self.assert_done(self.convert("--jobs=1024", POOL, self.output))

    def test_depths_are_not_negative(self):
        self.assert_wrong(["--max-depth=-1", POOL, self.output], "--max-depth takes a number, not '-1'")
        self.assert_wrong(["--max-depth=4x", POOL, self.output], "--max-depth takes a number, not '4x'")
        self.assert_wrong(["--max-depth=0", POOL, self.output], "--max-depth takes more than 0, not '0'")


class Outputs(ProgramTest):
    def test_a_recording_becomes_a_file_that_readers_accept(self):
        self.assert_done(self.convert(POOL, self.output))
        trace = fxt.read(self.output)
        self.assertEqual(trace.provider, "fxt-convert")
        self.assertEqual(set(trace.process_names.values()), {"pool"})
        self.assert_only("out.fxt")

    def test_the_same_input_gives_the_same_bytes(self):
        self.assert_done(self.convert(POOL, self.output))
        first = self.output.read_bytes()
        self.assert_done(self.convert(POOL, self.output))
        self.assertEqual(self.output.read_bytes(), first)

    def test_the_trace_may_go_to_standard_output(self):
        self.assert_done(self.convert("-q", POOL, self.output))
        process = self.convert("-q", POOL, "-")
        self.assert_done(process)
        self.assertEqual(process.stdout, self.output.read_bytes())

    def test_the_report_is_not_mixed_with_a_trace_on_standard_output(self):
        process = self.convert("--report=json", POOL, "-")
        self.assertEqual(json.loads(process.stderr)["bytes_written"], len(process.stdout))

    def test_the_name_of_the_output_chooses_the_compression(self):
        self.assert_done(self.convert(POOL, self.output))
        for suffix, tool in (".gz", "gzip"), (".zst", "zstd"), (".bz2", "bzip2"), (".xz", "xz"):
            with self.subTest(suffix):
                packed = self.directory / f"out.fxt{suffix}"
                self.assert_done(self.convert(POOL, packed))
                unpacked = subprocess.run([tool, "-dc", packed], capture_output=True, check=True).stdout
                self.assertEqual(unpacked, self.output.read_bytes())
                self.assertLess(packed.stat().st_size, self.output.stat().st_size)

    def test_an_older_file_is_replaced(self):
        self.output.write_bytes(OLDER)
        self.assert_done(self.convert(POOL, self.output))
        fxt.read(self.output)
        self.assert_only("out.fxt")

    def test_a_link_remains_a_link(self):
        target = self.directory / "target.fxt"
        self.output.symlink_to("target.fxt")
        self.assert_done(self.convert(POOL, self.output))
        self.assertTrue(self.output.is_symlink())
        fxt.read(target)

    def test_the_mode_follows_the_umask(self):
        self.assert_done(self.convert(POOL, self.output, umask=0o027))
        self.assertEqual(self.output.stat().st_mode & 0o777, 0o640)

    def test_a_fifo_is_written_to_directly(self):
        self.assert_done(self.convert("-q", POOL, self.output))
        fifo, received = self.directory / "fifo", []
        os.mkfifo(fifo)
        reader = threading.Thread(target=lambda: received.append(fifo.read_bytes()))
        reader.start()
        self.assert_done(self.convert("-q", POOL, fifo))
        reader.join()
        self.assertEqual(received, [self.output.read_bytes()])
        self.assertTrue(fifo.is_fifo())

    def test_a_device_is_written_to_directly(self):
        self.assert_done(self.convert(POOL, "/dev/null"))
        self.assertTrue(Path("/dev/null").is_char_device())

    def test_two_recordings_may_be_on_one_timeline(self):
        self.assert_done(self.convert(POOL, RECORDINGS / "shapes", self.output))
        trace = fxt.read(self.output)
        self.assertEqual(set(trace.process_names.values()), {"pool", "shapes"})

    def test_a_recording_and_a_gdb_trace_file_may_be_on_one_timeline(self):
        self.assert_done(self.convert(POOL, FRAMES, self.output))
        categories = {event.category for event in fxt.read(self.output).events}
        self.assertLessEqual({"pool", "tracepoint"}, categories)

    def test_threads_can_be_chosen(self):
        tids = sorted(path.stem for path in POOL.glob("[0-9]*.dat"))
        self.assert_done(self.convert(f"--tid={tids[0]},{tids[2]}", POOL, self.output))
        threads = {event.thread[1] for event in fxt.read(self.output).events}
        self.assertEqual(threads, {int(tids[0]), int(tids[2])})

    def test_calls_may_be_pairs_of_events(self):
        self.assert_done(self.convert("--durations=pairs", POOL, self.output))
        types = {event.type for event in fxt.read(self.output).events}
        self.assertIn(fxt.BEGIN, types)
        self.assertNotIn(fxt.COMPLETE, types)


class Reports(ProgramTest):
    def test_a_recording_without_records_is_reported(self):
        recording = self.copy_of(POOL)
        for records in recording.glob("*.dat"):
            records.unlink()
        process = self.convert("--strict", "--report=json", recording, self.output)
        self.assertEqual(process.returncode, 3)
        self.assertEqual(json.loads(process.stdout)["notes"],
                         [{"kind": "no-records", "count": 1,
                           "first": f"{recording}: has no .dat file, although task.txt lists 4 threads"}])

    def test_the_report_as_json_matches_the_trace(self):
        process = self.convert("--report=json", POOL, self.output)
        self.assert_done(process)
        report = json.loads(process.stdout)
        data = [path.stat().st_size for path in POOL.glob("[0-9]*.dat")]
        trace = fxt.read(self.output)
        self.assertEqual(report["inputs"], [str(POOL)])
        self.assertEqual(report["output"], str(self.output))
        self.assertEqual(report["records_read"], sum(data) // RECORD_BYTES)
        perf = [path.stat().st_size for path in POOL.glob("perf-cpu*.dat")]
        self.assertEqual(report["bytes_read"], sum(data) + sum(perf))
        self.assertEqual(report["bytes_written"], self.output.stat().st_size)
        self.assertEqual((report["threads"], report["processes"]), (len(data), 1))
        files = [name for name in trace.blobs if name != "perfetto"]  # the blob `perfetto` is not an event
        self.assertEqual(report["events_written"], len(trace.events) + len(files) + len(trace.switches))
        self.assertEqual(report["first_ns"], min(event.time for event in trace.events))
        self.assertEqual(report["last_ns"], max(max(event.time, event.extra) for event in trace.events
                                                if event.type in (fxt.END, fxt.COMPLETE)))

    def test_an_intact_recording_has_no_notes(self):
        process = self.convert("--report=json", CLEAN, self.output)
        self.assertEqual(json.loads(process.stdout)["notes"], [])

    def test_notes_are_counted_and_located(self):
        recording = self.copy_of(POOL)
        data = max(recording.glob("[0-9]*.dat"), key=lambda path: path.stat().st_size)
        os.truncate(data, data.stat().st_size - 3)
        process = self.convert("--report=json", recording, self.output)
        self.assert_done(process)
        notes = {note["kind"]: note for note in json.loads(process.stdout)["notes"]}
        self.assertEqual(notes["truncated-tail"]["count"], RECORD_BYTES - 3)  # in bytes
        self.assertTrue(notes["truncated-tail"]["first"].startswith(f"{data}:+0x"))

    def test_text_is_the_default(self):
        process = self.convert(POOL, self.output)
        self.assertRegex(process.stdout.decode(), r"(?s)^read +.*pool: .* records\nwritten +.*out.fxt: ")

    def test_none_and_quiet_print_nothing(self):
        for option in "--report=none", "-q", "--quiet":
            process = self.convert(option, POOL, self.output)
            self.assert_done(process)
            self.assertEqual(process.stdout, b"")

    def test_progress_goes_to_standard_error_when_asked_for(self):
        process = self.convert("--progress=always", "--report=none", self.large_recording(calls=400_000), self.output)
        self.assertEqual((process.returncode, process.stdout), (0, b""))
        self.assertRegex(process.stderr.decode(), r"100%|\d+%")

    def test_strict_is_about_notes(self):
        self.assert_done(self.convert("--strict", CLEAN, self.output))
        # This recording has a note about the inherited calls of a fork. No data are missing, so --strict succeeds.
        self.assert_done(self.convert("--strict", RECORDINGS / "family", self.output))
        damaged = self.directory / "damaged"
        shutil.copytree(RECORDINGS / "family", damaged)
        with open(damaged / "7283.dat", "ab") as file:
            file.write(b"half")
        self.assert_done(self.convert("--strict", damaged, self.output), code=3)
        self.assertEqual(set(fxt.read(self.output).process_names.values()), {"family"})


class Failures(ProgramTest):
    def test_a_compressed_output_that_fails_at_its_very_end_is_reported(self):
        for name in "full.gz", "full.zst", "full.bz2", "full.xz":
            target = self.directory / name
            target.symlink_to("/dev/full")
            process = self.convert(CLEAN, target)
            self.assert_failed(process, f"fxt-convert: {target}: can't write: No space left on device\n")

    def test_files_that_may_not_be_read_are_noted(self):
        recording = self.copy_of(CLEAN)
        (recording / "note.txt").write_text("secret")
        (recording / "note.txt").chmod(0)
        process = subprocess.run([*bound_by_permissions(), CONVERT, recording, "-"], capture_output=True, check=False)
        self.assertEqual(process.returncode, 0)
        self.assertIn(f"{recording}/note.txt: can't open: Permission denied\n".encode(), process.stderr)

    def test_standard_streams_may_be_closed(self):
        for stream in 0, 1, 2:
            process = subprocess.run(["bash", "-c", f'exec "$@" {stream}>&-', "-", CONVERT, "-q", "--progress=always",
                                      CLEAN, self.output], capture_output=True, check=False, timeout=120)
            self.assert_done(process)
        process = subprocess.run(["bash", "-c", 'exec "$@" 2>&-', "-", CONVERT, "--progress=always", CLEAN, self.output],
                                 capture_output=True, check=False, timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.output.read_bytes(), self.convert(CLEAN, "-").stdout)

    def test_a_report_that_does_not_arrive_is_an_error(self):
        for arguments in [[CLEAN, self.output], ["--help"], ["--inspect", *[CLEAN] * 50]]:
            with open("/dev/full", "wb") as full:
                process = subprocess.run([CONVERT, *arguments], stdout=full, stderr=subprocess.PIPE, check=False,
                                         timeout=120)
            written = f"{self.output}: the trace is written, but the report is not: " if arguments == [CLEAN, self.output] else ""
            self.assertEqual((process.returncode, process.stderr.decode()),
                             (1, f"fxt-convert: {written}standard output: can't write: No space left on device\n"))

    def test_an_unread_report_is_not_an_error(self):
        for arguments in [[CLEAN, self.output], ["--help"], ["--inspect", *[CLEAN] * 50]]:
            read_end, write_end = os.pipe()
            os.close(read_end)
            process = subprocess.run([CONVERT, *arguments], stdout=write_end, stderr=subprocess.PIPE, check=False,
                                     timeout=120)
            os.close(write_end)
            self.assertEqual((process.stderr, process.returncode), (b"", 0), arguments)

    def test_the_exit_code_of_strict_is_right_if_nobody_reads_the_report(self):
        damaged = self.directory / "damaged"
        shutil.copytree(RECORDINGS / "family", damaged)
        with open(damaged / "7283.dat", "ab") as file:
            file.write(b"half")
        read_end, write_end = os.pipe()
        os.close(read_end)
        process = subprocess.run([CONVERT, "--strict", damaged, self.output], stdout=write_end, stderr=subprocess.PIPE,
                                 check=False, timeout=120)
        os.close(write_end)
        self.assertEqual((process.stderr, process.returncode), (b"", 3))

    def test_an_output_that_is_a_link_to_itself_is_reported(self):
        self.output.symlink_to(self.output)
        process = self.convert(CLEAN, self.output)
        self.assert_failed(process, f"fxt-convert: {self.output}: can't create: Too many levels of symbolic links\n")
        self.assert_only(self.output.name)

    def test_names_do_not_control_a_terminal(self):
        process = self.convert(self.directory / "a\nb\x1b[31m", self.output)
        self.assert_failed(process, f"fxt-convert: {self.directory}/a\\x0ab\\x1b[31m: can't open: No such file or directory\n")
        recording = Path(shutil.copytree(CLEAN, self.directory / "a\tb"))
        self.assertIn(b"a\\x09b: ", self.convert(recording, self.output).stdout)

    def test_an_input_that_does_not_exist_is_reported(self):
        missing = self.directory / "missing"
        self.assert_failed(self.convert(missing, self.output),
                           f"fxt-convert: {missing}: can't open: No such file or directory\n")
        self.assert_only()

    def test_an_input_that_is_something_else_is_reported(self):
        self.assertEqual(self.convert("/etc/passwd", self.output).returncode, 1)
        empty = self.directory / "empty"
        empty.mkdir()
        process = self.convert(empty, self.output)
        self.assertEqual(process.returncode, 1)
        self.assertIn(f"fxt-convert: {empty}: ", process.stderr.decode())
        self.assert_only("empty")

    def test_an_older_file_survives_a_failure(self):
        self.output.write_bytes(OLDER)
        self.assertEqual(self.convert("/etc/passwd", self.output).returncode, 1)
        self.assertEqual(self.output.read_bytes(), OLDER)
        self.assert_only("out.fxt")

    def test_an_output_that_is_a_directory_is_reported(self):
        self.assert_failed(self.convert(POOL, self.directory),
                           f"fxt-convert: {self.directory}: can't write: Is a directory\n")

    def test_an_output_in_a_missing_directory_is_reported(self):
        output = self.directory / "none" / "out.fxt"
        process = self.convert(POOL, output)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stderr.decode(), f"^fxt-convert: {output}: .*No such file or directory\n$")

    def test_a_full_disk_is_reported(self):
        self.assert_failed(self.convert(POOL, "/dev/full"),
                           "fxt-convert: /dev/full: can't write: No space left on device\n")

    def test_a_file_that_may_not_grow_keeps_its_older_content(self):
        self.output.write_bytes(OLDER)
        process = self.convert(POOL, self.output,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assert_failed(process, f"fxt-convert: {self.output}: can't write: File too large\n")
        self.assertEqual(self.output.read_bytes(), OLDER)
        self.assert_only("out.fxt")

    def test_a_reader_that_goes_away_is_reported(self):
        with subprocess.Popen([CONVERT, "-q", self.large_recording(), "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.read(8)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"fxt-convert: standard output: can't write: Broken pipe\n")
        self.assertEqual(process.returncode, 1)

    def test_a_run_that_is_ended_leaves_the_older_file(self):
        recording = self.large_recording()
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL:
            self.output.write_bytes(OLDER)
            process = self.start_in_the_middle(recording, self.output)
            process.send_signal(number)
            process.stderr.close()
            self.assertEqual(process.wait(), -number)
            self.assertEqual(self.output.read_bytes(), OLDER)
            unfinished = [f"out.fxt.part-{process.pid}"] if number == signal.SIGKILL else []
            self.assert_only("large", "out.fxt", *unfinished)

    def test_an_input_that_becomes_shorter_is_reported(self):
        recording = self.large_recording()
        process = self.start_in_the_middle(recording, self.output)
        os.truncate(recording / "1000.dat", 5 * RECORD_BYTES)
        message = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), 1)
        self.assertIn(f"{recording / '1000.dat'}", message)
        self.assert_only("large")

    def test_damage_is_handled_with_every_cut(self):
        recording = self.copy_of(RECORDINGS / "calc")
        for name in "info", "task.txt", "calc.sym":
            whole = (recording / name).read_bytes()
            for size in range(0, len(whole), 13):
                (recording / name).write_bytes(whole[:size])
                process = self.convert("-q", recording, self.output)
                self.assertIn(process.returncode, (0, 1), f"{name} cut to {size} bytes: {process.stderr}")
                if process.returncode == 0:
                    fxt.read(self.output)
                else:
                    self.assertIn(b"fxt-convert: ", process.stderr)
            (recording / name).write_bytes(whole)


class Dump(ProgramTest):
    """Tests fxt-dump with files from fxt-convert. The tests of the library cover the records themselves."""

    def setUp(self):
        super().setUp()
        self.assert_done(self.convert("-q", POOL, self.output))

    def dump(self, *arguments, **options):
        return subprocess.run([DUMP, *arguments], capture_output=True, check=False, timeout=120, **options)

    def test_wrong_uses_of_dump_are_explained(self):
        for words, problem in ((["--diff", "-", "-"], "--diff can read only one of the two files from standard input"),
                               (["--callers", "", self.output], "--callers takes a name or a pattern, not ''")):
            self.assert_failed(self.dump(*words, stdin=subprocess.DEVNULL), f"fxt-dump: {problem}\nTry 'fxt-dump --help'.\n", 2)

    def test_json_is_not_read(self):
        (self.directory / "out.json").write_bytes(self.convert("-q", "--format=json", POOL, "-").stdout)
        self.assert_failed(self.dump(self.directory / "out.json"),
                           f"fxt-dump: {self.directory}/out.json: is a trace in Chrome's JSON; open it in Perfetto\n")

    def test_dump_prints_a_line_for_every_record(self):
        process = self.dump(self.output)
        self.assert_done(process)
        lines = process.stdout.decode().splitlines()
        self.assertEqual(len(lines), fxt.read(self.output).records)
        self.assertEqual(lines[:3], ["magic", 'provider-info id=1 name="fxt-convert"',
                                     "initialization ticks_per_second=1000000000"])

    def test_compressed_files_and_standard_input_give_the_same(self):
        plain = self.dump(self.output).stdout
        for suffix in ".gz", ".zst", ".bz2", ".xz":
            packed = self.directory / f"out.fxt{suffix}"
            self.assert_done(self.convert("-q", POOL, packed))
            self.assertEqual(self.dump(packed).stdout, plain)
        self.assertEqual(self.dump("-", input=self.output.read_bytes()).stdout, plain)

    def test_our_files_keep_every_rule(self):
        for sample in [*(REPOSITORY / "samples" / "uftrace").iterdir(), RECORDINGS / "family", POOL, FRAMES]:
            self.assert_done(self.convert("-q", sample, self.output))
            process = self.dump("--check", self.output)
            self.assertEqual((process.returncode, process.stderr), (0, b""), process.stdout.decode())

    def test_our_files_have_no_findings(self):
        process = self.dump("--stats", self.output)
        self.assert_done(process)
        self.assertIn("0 problems, 0 unknown records, 0 damaged records, 0 unknown arguments",
                      process.stdout.decode())

    def test_unreadable_files_are_reported(self):
        missing = self.directory / "missing.fxt"
        process = self.dump(missing)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(process.stderr.decode(), f"fxt-dump: {missing}: can't open: No such file or directory\n")
        os.truncate(self.output, self.output.stat().st_size - 8)
        process = self.dump(self.output)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(process.stderr.decode(), rf"^fxt-dump: {self.output}:\+0x[0-9a-f]+: truncated: ")

    def test_wrong_usage_has_exit_code_2(self):
        self.assertEqual(self.dump().returncode, 2)
        self.assertEqual(self.dump("--fast", self.output).returncode, 2)


if __name__ == "__main__":
    unittest.main()
