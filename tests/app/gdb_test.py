#!/usr/bin/env python3
"""scripts/gdb/fxt.py, the command `fxt` inside GDB, and `scripts/record --gdb`: both in a real GDB with gdbserver.

The directory with the programs is in the environment variable PROGRAMS.
"""

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from needs import needs

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"]).resolve()
RECORD = REPOSITORY / "scripts" / "record"
COMMAND = REPOSITORY / "scripts" / "gdb" / "fxt.py"
# A program, a linked library, and a library that the program opens. Some of their functions differ only in their parameters.
SOURCES = {
    "main.c": """
#include <dlfcn.h>
int one_run(int);
static int count = 1;
static int init(int *p) { *p += 1; count++; return *p; }
int main(void) {
  int x = 4;
  int (*two_run)(int) = (int (*)(int))dlsym(dlopen("./libtwo.so", RTLD_NOW), "two_run");
  for (int i = 0; i < 2; i++) x = init(&x) + one_run(i) + two_run(i);
  return x & 1;
}""",
    "one.c": """
struct cfg { int a; double d; };
static struct cfg cfg = {1, 1.5}; static int count = 100;
static int init(struct cfg *c, int k) { c->a += k; count++; return c->a; }
int one_run(int k) { return init(&cfg, k); }""",
    "two.c": """
struct cfg { double d; int a[3]; };
static struct cfg cfg = {2.5, {7, 8, 9}}; static int count = 200;
static int init(struct cfg *c, int k) { c->a[1] += k; count += 2; return c->a[1]; }
int two_run(int k) { return init(&cfg, k); }""",
    # With -DOTHER, the code is the same, but the members are in another order.
    "members.c": """
#ifdef OTHER
struct item { long pad; int extra; int id; };
#else
struct item { long pad; int id; int extra; };
#endif
int total;
int first(struct item *p) { return total += p->id; }
int second(struct item *p) { return total += p->extra; }
int main(void) {
  struct item item = {.id = 1, .extra = 11};
  return first(&item) + second(&item) > 100;
}""",
    "work.c": """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int work(int n) { return n + 1; }
void on_signal(int number) { work(number); }
int main(int argc, char **argv) {
  char way = argc > 1 ? argv[1][0] : 0, line[100];
  if (way == 'a') { work(1); abort(); }
  if (way == 'u') { signal(SIGUSR1, on_signal); raise(SIGUSR1); }
  if (way == 'f' && fork() == 0) { work(2); _exit(3); }
  if (way == 'f') { int status; wait(&status); work(WIFEXITED(status) ? WEXITSTATUS(status) : -1); }
  if (way == 'w') { work(1); puts("waits"); fflush(stdout); sleep(60); }
  for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
  while (way == 'r' && fgets(line, sizeof line, stdin) != NULL) printf("read %s", line);
  fputs("end", stderr);
  return work(40);
}"""}
POINTS = """trace {function}
actions
collect $args, $trace_timestamp
end
"""


class WithGdb(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in SOURCES.items():
            (self.folder / name).write_text(text)
        self.environment = os.environ | {"FXT_CONVERT": str(PROGRAMS / "fxt-convert")}

    def compile(self, *arguments):
        subprocess.run(["cc", "-g", *arguments], check=True, cwd=self.folder)

    def compile_libraries(self, *options):
        self.compile(*options, "-fPIC", "-shared", "one.c", "-o", "libone.so")
        self.compile(*options, "-fPIC", "-shared", "two.c", "-o", "libtwo.so")
        self.compile(*options, "main.c", "-o", "prog", str(self.folder / "libone.so"))

    def hits(self, trace):
        """Function, source file and values of each hit."""
        text = subprocess.run([PROGRAMS / "fxt-dump", self.folder / trace], check=True, stdout=subprocess.PIPE, text=True).stdout
        found = []
        for name, values in re.findall(r'"tracepoint" "(\w+)" (.*)', text):
            values = dict(re.findall(r'"([^"]+)"=("[^"]*"|\S+)', values))
            source = Path(values["loc"].strip('"')).name.partition(":")[0]
            found.append((name, source, {item: value for item, value in values.items() if item not in NOT_COLLECTED}))
        return found


NOT_COLLECTED = ("frame", "tracepoint", "pc", "loc", "$trace_timestamp")


@needs("gdb")
@needs("gdbserver")
class Command(WithGdb):
    def gdb(self, *commands, **environment):
        """Runs commands in GDB. Returns the standard output, and the errors of the scripts and programs."""
        words = [word for command in commands for word in ("-ex", command)]
        run = subprocess.run(["gdb", "-nx", "-q", "-batch", "-x", COMMAND, *words], cwd=self.folder, check=False, text=True, timeout=120,
                             capture_output=True, stdin=subprocess.DEVNULL, env=self.environment | environment)
        self.assertNotIn("Traceback", run.stdout + run.stderr)
        errors = "".join(re.findall(r"^fxt(?:-convert)?: .*\n", run.stderr, re.MULTILINE))
        return run.stdout, errors

    def session(self, program, function, *commands):
        """The GDB commands up to the end of a trace, followed by the given commands."""
        (self.folder / "points.gdb").write_text(POINTS.format(function=function))
        return ["set confirm off", f"file {program}", f"target remote | exec gdbserver --once - {program} 2>/dev/null",
                "tbreak main", "continue", "source points.gdb", "break _exit", "tstart", "continue", "tstop", *commands]

    def session_of_libraries(self, *commands):
        """Like session(), but sets the tracepoints after their library is loaded."""
        words = self.session("./prog", "init", *commands)
        words.insert(words.index("source points.gdb"), "tbreak main.c:9")
        words.insert(words.index("source points.gdb"), "continue")
        return words

    def assert_all_modules(self, trace):
        hits = self.hits(trace)
        self.assertEqual([(name, source) for name, source, _ in hits], [("init", f"{file}.c") for file in ("main", "one", "two")] * 2)
        self.assertEqual([values.get("k") for _, _, values in hits], [None, "i32:0", "i32:0", None, "i32:1", "i32:1"])
        self.assertEqual([values["c"].split()[-1] for _, _, values in hits if "c" in values], ['<cfg>"'] * 4)

    def test_each_module_is_converted_at_its_address(self):
        self.compile_libraries()
        output, errors = self.gdb(*self.session_of_libraries("fxt out.fxt"))
        self.assertEqual(errors, "")
        self.assertIn("tracepoint 3 at init (main.c:5): 6 frames", output)
        self.assert_all_modules("out.fxt")

    def test_files_of_the_target_are_fetched(self):
        """Without a build id, a local file of the same name may have other content, so the file of the target is used."""
        self.compile_libraries("-Wl,--build-id=none")
        output, errors = self.gdb(*self.session_of_libraries("fxt out.fxt -d kept"))
        self.assertEqual(errors, "")
        self.assert_all_modules("out.fxt")
        self.assertEqual(sorted(path.name for path in (self.folder / "kept").iterdir()), ["libone.so", "session.tfile"])
        self.assertIn(f"--program {self.folder}/kept/libone.so", output)

    def test_the_program_may_be_only_on_the_target(self):
        self.compile("-Wl,--build-id=none", "work.c", "-o", "work")
        commands = self.session("./work", "work", "fxt")
        commands.remove("file ./work")
        self.assertEqual(self.gdb(*commands)[1], "")
        self.assertEqual(self.hits("work.fxt"), [("work", "work.c", {"n": "i32:40"})])

    def test_options_are_passed_to_fxt_convert(self):
        self.compile("-no-pie", "work.c", "-o", "work")
        self.assertEqual(self.gdb(*self.session("./work", "work", "fxt 'with space.json' --plot n --no-elf"))[1], "")
        self.assertIn('"ph":"C"', (self.folder / "with space.json").read_text())

    def test_a_trace_that_still_runs_is_converted(self):
        self.compile("work.c", "-o", "work")
        commands = self.session("./work", "work", "fxt out.fxt", "python print(gdb.execute('tstatus', to_string=True))")
        commands.remove("tstop")
        output, errors = self.gdb(*commands)
        self.assertEqual((errors, len(self.hits("out.fxt"))), ("", 1))
        self.assertIn("Trace is running", output)

    def test_the_trace_file_can_be_kept(self):
        self.compile("work.c", "-o", "work")
        output, errors = self.gdb(*self.session("./work", "work", "fxt out.fxt -d kept"))
        self.assertEqual(errors, "")
        command = re.search("^to convert the trace file again: (.*) OUTPUT$", output, re.MULTILINE)[1]
        subprocess.run([*shlex.split(command), "again.fxt"], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                       env=self.environment | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"})
        self.assertEqual((self.folder / "out.fxt").read_bytes(), (self.folder / "again.fxt").read_bytes())

    def test_a_program_with_other_structures_has_no_types(self):
        self.compile("members.c", "-o", "members")
        self.compile("-DOTHER", "members.c", "-o", "other")
        commands = self.session("./members", "first", "fxt right.fxt -d kept")
        (self.folder / "points.gdb").write_text("trace first\nactions\ncollect p->id, $trace_timestamp\nend\n"
                                                "trace second\nactions\ncollect *p, $trace_timestamp\nend\n")
        self.assertEqual(self.gdb(*commands)[1], "")
        self.assertEqual([values for _, _, values in self.hits("right.fxt")],
                         [{"p->id": "i32:1"}, {"p->pad": "i32:0", "p->id": "i32:1", "p->extra": "i32:11"}])
        run = subprocess.run([PROGRAMS / "fxt-convert", "--program", "other", "kept/session.tfile", "wrong.fxt"], cwd=self.folder,
                             check=True, stdout=subprocess.PIPE, text=True)
        self.assertIn("other: in frame 0, `p->id` of tracepoint 2 is at another place in its structure than in this program; "
                      "only the functions and lines of this file are used; use --program with the build that was traced", run.stdout)
        self.assertEqual([values for _, _, values in self.hits("wrong.fxt")],
                         [{"p->id": "i32:1"}, {"*p": '"00 00 00 00 00 00 00 00 01 00 00 00 0b 00 00 00"'}])

    def test_it_is_opened(self):
        opener = self.folder / "opener"
        opener.write_text('#!/bin/sh\necho "opens $*"\n')
        opener.chmod(0o755)
        self.compile("work.c", "-o", "work")
        output, errors = self.gdb("fxt open", *self.session("./work", "work", "fxt", "fxt open", "fxt open a.fxt b.fxt"), FXT_OPEN=str(opener))
        self.assertEqual(errors, "fxt: nothing was converted yet: use `fxt OUTPUT` first, or `fxt open FILE`\n")
        self.assertEqual(re.findall("^opens .*", output, re.MULTILINE), ["opens work.fxt", "opens a.fxt b.fxt"])

    def test_what_is_missing_is_said_in_plain_words(self):
        self.compile("work.c", "-o", "work")
        (self.folder / "letter.fxt").write_text("a letter")
        begin = self.session("./work", "work")
        for commands, problem in (
                ([], "no program is being debugged: use `file` and `target remote` first"),
                (["file ./work"], "no program is running; when a program has ended, its frames are lost: stop it before it ends, for "
                                  "example with `break _exit`"),
                (begin[:3], "no trace has been run on this target: set tracepoints, then use `tstart`"),
                ([*begin, "delete", "continue"], "no program is running; when a program has ended, its frames are lost: stop it before it ends, "
                                                 "for example with `break _exit`"),
                (["file ./work", "break main", "run"], "this target does not support tracepoints: use gdbserver")):
            with self.subTest(problem):
                self.assertEqual(self.gdb(*commands, "fxt out.fxt")[1], f"fxt: {problem}\n")
        self.assertEqual(self.gdb(*begin, "fxt out.fxt -d", FXT_CONVERT="/none")[1], "fxt: -d needs a directory\n")
        self.assertEqual(self.gdb(*begin, "fxt", FXT_CONVERT="/none")[1], "fxt: FXT_CONVERT: /none: No such file or directory\n")
        self.assertRegex(self.gdb(*begin, "fxt letter.fxt")[1], "^fxt-convert: .*letter.fxt.*\nfxt: the trace could not be converted\n$")
        self.assertFalse((self.folder / "out.fxt").exists())

    def test_a_copy_without_the_other_scripts_names_what_is_missing(self):
        alone = self.folder / "alone" / "gdb" / "fxt.py"
        alone.parent.mkdir(parents=True)
        alone.write_text(COMMAND.read_text())
        self.assertRegex(self.gdb(f"source {alone}", "fxt open a.fxt")[1], f"^fxt: {self.folder}/alone/fxt_scripts.py is missing: ")


@needs("gdb")
@needs("gdbserver")
class Record(WithGdb):
    def setUp(self):
        super().setUp()
        self.compile("work.c", "-o", "work")
        self.write("points.gdb", POINTS.format(function="work"))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def start(self, *words, **options):
        return subprocess.Popen([RECORD, "--no-open", *words], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True, env=self.environment, **options)

    def result(self, *words, typed=""):
        process = self.start(*words, stdin=subprocess.PIPE)
        out, error = process.communicate(typed, timeout=120)
        self.assertNotIn("Traceback", out + error)
        return process.returncode, out, error

    def numbers(self, trace="work.fxt"):
        return [int(values["n"].removeprefix("i32:")) for _, _, values in self.hits(trace)]

    def test_the_program_has_its_arguments_and_files(self):
        before = {path.name for path in self.folder.iterdir()}
        code, out, error = self.result("--gdb", "points.gdb", "./work", "r", "b c", "$HOME '*'", typed="one\ntwo\n")
        self.assertEqual((code, error), (0, "end"))
        self.assertIn("[r][b c][$HOME '*']read one\nread two\n", out)
        self.assertIn("\nread     ", out)
        self.assertEqual(self.numbers(), [40])
        self.assertEqual({path.name for path in self.folder.iterdir()} - before, {"work.fxt"})

    def test_processes_that_fork_are_recorded(self):
        code, _, error = self.result("--gdb", "points.gdb", "-d", "kept", "-o", "out.fxt", "./work", "f")
        self.assertEqual((code, error), (0, "end"))
        self.assertEqual(self.numbers("out.fxt"), [2, 3, 40], "in the child, its exit code, in the parent")
        self.assertTrue((self.folder / "kept" / "session.tfile").exists())

    def test_signals_reach_the_program_or_end_it(self):
        code, _, error = self.result("--gdb", "points.gdb", "./work", "u")
        self.assertEqual((code, error, self.numbers()), (0, "end", [signal.SIGUSR1, 40]))
        code, _, error = self.result("--gdb", "points.gdb", "./work", "a")
        self.assertEqual((code, error, self.numbers()), (0, "the program gets SIGABRT, which ends it\n", [1]))

    def test_ctrl_c_ends_the_program_only(self):
        process = self.start("--gdb", "points.gdb", "./work", "w")
        while process.stdout.readline() != "waits\n":
            self.assertIsNone(process.poll())
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=120)
        self.assertEqual((process.returncode, self.numbers()), (0, [1]), error)

    def test_a_breakpoint_of_the_script_ends_the_recording(self):
        self.write("points.gdb", POINTS.format(function="work") + "break abort\n")
        code, _, error = self.result("--gdb", "points.gdb", "./work", "a")
        self.assertEqual((code, error, self.numbers()), (0, "", [1]))

    def test_a_static_program_may_lack_the_function_that_ends_it(self):
        self.compile("-static", "work.c", "-o", "static")
        subprocess.run(["objcopy", "--strip-symbol=_exit", "static"], check=True, cwd=self.folder)
        self.assertEqual(self.result("--gdb", "points.gdb", "./static")[0], 0)
        self.assertEqual(self.numbers("static.fxt"), [40])

    def test_libraries_may_be_opened_later(self):
        self.compile_libraries()
        self.write("points.gdb", POINTS.format(function="init") + POINTS.format(function="two_run"))
        code, _, error = self.result("--gdb", "points.gdb", "./prog")
        self.assertEqual((code, error), (0, 'Function "two_run" not defined.\n'))
        self.assertEqual([source for _, source, _ in self.hits("prog.fxt")], ["main.c", "one.c", "two.c", "two.c"] * 2)

    def test_what_is_missing_is_said_in_plain_words(self):
        self.write("empty.gdb", "")
        self.write("wrong.gdb", "trace work\nnonsense\n")
        self.write("none.gdb", POINTS.format(function="nothing"))
        self.write("quit.gdb", "trace work\nquit\n")
        self.write("run.gdb", "continue\n")
        self.write("unreached.gdb", POINTS.format(function="on_signal"))
        self.write("value.gdb", "trace work\nactions\ncollect n\nend\n")
        self.write("script", "#!/bin/sh\n")
        subprocess.run(["cc", "work.c", "-o", "plain"], check=True, cwd=self.folder)
        (self.folder / "script").chmod(0o755)
        for words, code, problem in (
                (["--gdb", "empty.gdb", "./work"], 1, "empty.gdb sets no tracepoint; add one with `trace FUNCTION`, `actions`, …"),
                (["--gdb", "wrong.gdb", "./work"], 1, 'wrong.gdb:2: Undefined command: "nonsense".  Try "help"'),
                (["--gdb", "value.gdb", "./plain"], 1, 'value.gdb:3: No symbol "n" in current context; compile the program with -g'),
                (["--gdb", "unreached.gdb", "./work"], 1, "nothing was recorded: the program did not reach the tracepoints of unreached.gdb"),
                (["--gdb", "quit.gdb", "./work"], 1, "nothing was recorded, because GDB ended early; remove `quit` from quit.gdb"),
                (["--gdb", "run.gdb", "./work"], 1, "nothing was recorded: the program ended while run.gdb was read; use only commands that set "
                                                    "tracepoints"),
                (["--gdb", "none.gdb", "./work"], 1, "nothing was recorded: neither the program nor a library that it loads has nothing"),
                (["--gdb", "points.gdb", "./script"], 1, "./script: is a script; name the program that runs it, as in record --gdb points.gdb "
                                                         "/bin/sh ./script"),
                (["--gdb", "missing.gdb", "./work"], 2, "missing.gdb: No such file or directory\nTry 'record --help'."),
                (["--gdb", "points.gdb", "-a", "./work"], 2, "--gdb can't be combined with --uftrace, --auto-args or --kernel, which are for uftrace"
                                                             "\nTry 'record --help'.")):
            with self.subTest(words):
                result = self.result(*words)
                self.assertEqual(result[0], code, result)
                self.assertTrue(result[2].endswith(f"record: {problem}\n"), result)
                self.assertNotIn("Quit anyway?", result[1])

    def test_ctrl_c_at_once_prints_no_traceback(self):
        self.write("points.gdb", POINTS.format(function="work") + "shell : > reached; exec sleep 60\n")
        process = self.start("--gdb", "points.gdb", "./work", "w")
        while not (self.folder / "reached").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=120)
        self.assertEqual((process.returncode, error), (130, "record: ended by Ctrl-C before anything was recorded\n"))
        self.assertFalse((self.folder / "work.fxt").exists())

    def test_a_second_ctrl_c_loses_no_frames(self):
        process = self.start("--gdb", "points.gdb", "./work", "w")
        while process.stdout.readline() != "waits\n":
            self.assertIsNone(process.poll())
        for _ in range(20):
            time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=120)
        self.assertEqual((process.returncode, error, self.numbers()), (0, "", [1]))

    def test_a_trace_that_is_not_converted_is_kept(self):
        (self.folder / "work.fxt").write_bytes(b"\x1f\x8bno trace")
        code, _, error = self.result("--gdb", "points.gdb", "./work")
        self.assertEqual(code, 1)
        command = re.search("^record: the trace file is kept; convert it with: (.*) OUTPUT$", error, re.MULTILINE)[1]
        subprocess.run([*shlex.split(command), "again.fxt"], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                       env=self.environment | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"})
        self.assertEqual(self.numbers("again.fxt"), [40])


if __name__ == "__main__":
    unittest.main()
