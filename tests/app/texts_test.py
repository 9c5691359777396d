#!/usr/bin/env python3
"""The texts of the programs: help, manual pages, and the completions of three shells have the same options.

The directory with the programs is in the environment variable PROGRAMS.
"""

import bz2
import gzip
import lzma
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from needs import needs

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["PROGRAMS"])
NAMES = ["fxt-convert", "fxt-cut", "fxt-draw", "fxt-dump"]
SCRIPTS = {"convert-all": "fxt-convert-all", "open-in-perfetto": "fxt-open", "record": "fxt-record",  # script: its installed name
           "to-tracy": "fxt-to-tracy"}


def text_of(program, *arguments):
    return subprocess.run([PROGRAMS / program, *arguments], check=True, capture_output=True, text=True).stdout


def options_of(program):
    return re.findall(r"^  (?:-\w, )?--([\w-]+)", text_of(program, "--help"), re.MULTILINE)


def output_of(*command):
    process = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (0, ""), (command, process)
    return process.stdout


def zstd(content):
    return subprocess.run(["zstd", "-qc"], input=content, check=True, stdout=subprocess.PIPE).stdout


class Texts(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file_of(self, program, *arguments):
        path = self.folder / f"{program}{'.'.join(arguments)}"
        path.write_text(text_of(program, *arguments))
        return path

    def assert_same_options(self, shell, text, options):
        patterns = {
            "bash": r"(?<=words=')--.* --[\w-]+",
            "zsh": r"^    '(?:\*|\(.*\))?--([\w-]+)",
            "fish": r"^complete -c \S+ -l ([\w-]+)",
        }
        found = re.findall(patterns[shell], text, re.MULTILINE)
        if shell == "bash":
            found = found[0].removeprefix("--").split(" --")
        self.assertEqual(found, options)

    def test_all_texts_have_the_same_options(self):
        for program in NAMES:
            options = options_of(program)
            self.assertGreater(len(options), 11)
            for shell in "bash", "zsh", "fish":
                with self.subTest(program, shell=shell):
                    self.assert_same_options(shell, text_of(program, f"--completion={shell}"), options)
            page = re.findall(r"^(?:\\fB\\-\w\\fR, )?\\fB\\-\\-(.+?)\\fR", text_of(program, "--manual"), re.MULTILINE)
            self.assertEqual([name.replace("\\-", "-") for name in page], options)

    def test_a_letter_means_one_option_in_all_programs(self):
        meanings = {}
        for help_text in (*(text_of(program, "--help") for program in NAMES),
                          *(output_of(REPOSITORY / "scripts" / script, "--help") for script in SCRIPTS)):
            letters = re.findall(r"^  -(\w)(?: \S+)?, --([\w-]+)", help_text, re.MULTILINE)
            self.assertGreater(len(letters), 1)
            for letter, option in letters:
                meanings.setdefault(letter, set()).add(option)
        self.assertEqual({letter: options for letter, options in meanings.items() if len(options) > 1}, {})

    def test_short_help_is_one_screen(self):
        for program in NAMES:
            lines = text_of(program, "-h").splitlines()
            self.assertLessEqual(len(lines), 36, program)
            self.assertEqual(sum(line.startswith(f"  {program} ") for line in lines), 5, program)
            self.assertEqual(lines[-1], f"`{program} --help` lists all options.")

    def test_help_and_manual_pages_have_examples(self):
        commands = {name: [PROGRAMS / name] for name in NAMES} | {name: [REPOSITORY / "scripts" / script]
                                                                  for script, name in SCRIPTS.items()}
        for name, command in commands.items():
            with self.subTest(name):
                said = output_of(*command, "--help")
                shown = command[0].name
                examples = re.search(r"^examples:\n((?:  .*\n)+)", said, re.MULTILINE | re.IGNORECASE)[1].splitlines()
                self.assertGreaterEqual(sum(line.startswith(f"  {shown} ") for line in examples), 3, examples)
                self.assertLessEqual(max(map(len, said.splitlines())), 80)
                page = (REPOSITORY / "packaging" / f"{name}.1").read_text() if name in SCRIPTS.values() else text_of(name, "--manual")
                section = re.search(r"^\.SH EXAMPLES\n((?:(?!\.SH).*\n)+)", page, re.MULTILINE)[1].replace("\\-", "-")
                self.assertGreaterEqual(len(re.findall(rf"^\.TP\n\\fB{name} .*\\fR\n\w", section, re.MULTILINE)), 3, section)

    def test_versions_list_the_libraries(self):
        for program in NAMES:
            for option in "-V", "--version":
                own = r"libdw [\d.]+, .*" if program == "fxt-convert" else ""
                self.assertRegex(text_of(program, option), rf"^{program} \d+\.\d+\.\d+\ncommit [-\w]+, \w.*\n{own}Boost \w+\n$")

    def completions_of(self, script):
        """Completions by shell."""
        name = SCRIPTS[script]
        output_of(REPOSITORY / "packaging/completions_of_script", REPOSITORY / "scripts" / script, name, self.folder)
        return {"bash": self.folder / f"{name}.bash", "zsh": self.folder / f"_{name}", "fish": self.folder / f"{name}.fish"}

    def test_texts_of_scripts_have_the_same_options(self):
        for script, name in SCRIPTS.items():
            said = output_of(REPOSITORY / "scripts" / script, "--help")
            self.assertLessEqual(max(map(len, said.splitlines())), 80)
            options = re.findall(r"^  (?:-\w(?: \w+)?, )?--([\w-]+)", said, re.MULTILINE)
            self.assertGreater(len(options), 1)
            page = (REPOSITORY / "packaging" / f"{name}.1").read_text()
            told = re.findall(r"^\.TP\n(?:\\fB\\-\w\\fR, )?\\fB\\-\\-(.+?)\\fR", page, re.MULTILINE)
            self.assertCountEqual([option.replace("\\", "") for option in told], options)
            for shell, file in self.completions_of(script).items():
                with self.subTest(script, shell=shell):
                    self.assert_same_options(shell, file.read_text(), options)

    def test_scripts_are_of_the_version_of_the_programs(self):
        version = text_of("fxt-convert", "--version").split()[1]
        for script in SCRIPTS:
            said = output_of("env", f"FXT_CONVERT={PROGRAMS}/fxt-convert", REPOSITORY / "scripts" / script, "--version")
            self.assertEqual(said, f"{script} {version}\n")

    def test_a_help_that_can_not_be_printed_leads_to_no_traceback(self):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        for script in SCRIPTS:
            with self.subTest(script), open("/dev/full", "wb") as full:
                process = subprocess.run([REPOSITORY / "scripts" / script, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                         env=environment)
                self.assertEqual((process.returncode, process.stderr), (1, f"{script}: standard output: No space left on device\n"))
                closed = subprocess.run(["sh", "-c", 'exec "$0" --help >&-', REPOSITORY / "scripts" / script], capture_output=True, text=True, check=False)
                self.assertEqual((closed.returncode, closed.stderr), (0, ""))

    def test_manual_pages_are_roff(self):
        for page in (REPOSITORY / "packaging").glob("*.1"):
            output_of("groff", "-man", "-Tascii", "-ww", "-P-cbou", page)
        for program in NAMES:
            page = output_of("groff", "-man", "-Tascii", "-ww", "-P-cbou", self.file_of(program, "--manual"))
            self.assertTrue(page.startswith(f"{program.upper()}(1)"), page[:100])
            self.assertIn("\nEXIT STATUS\n", page)
        self.assertRegex(page, r"\n +-r, --time-range A~B\n")

    def completed_by_bash(self, script, *words):
        function = "_" + words[0].replace("-", "_")
        return output_of("bash", "-c", 'script=$1 function=$2; shift 2; source "$script"; COMP_WORDS=("$@"); '
                         'COMP_CWORD=$(($# - 1)); "$function"; echo "${COMPREPLY[@]}"',
                         "bash", script, function, *words).split()

    def test_bash_completes_options_and_values(self):
        def completed(*words):
            return self.completed_by_bash(self.file_of(words[0], "--completion=bash"), *words)
        self.assertEqual(completed("fxt-convert", "--no-k"), ["--no-kernel"])
        self.assertEqual(completed("fxt-convert", "in", "--report", "j"), ["json"])
        self.assertEqual(completed("fxt-convert", "--report", "="), ["text", "json", "none"])
        self.assertEqual(completed("fxt-convert", "--report", "=", "n"), ["none"])
        self.assertEqual(completed("fxt-dump", "-r", ""), [])
        self.assertEqual(completed("fxt-cut", "--split-"), ["--split-time", "--split-size"])
        self.assertEqual(completed("fxt-draw", "--format", ""), ["auto", "svg", "html"])
        script = self.completions_of("convert-all")["bash"]
        self.assertEqual(self.completed_by_bash(script, "fxt-convert-all", "--progress", "a"), ["auto", "always"])
        self.assertEqual(self.completed_by_bash(script, "fxt-convert-all", "-j", ""), [])
        self.assertEqual(self.completed_by_bash(script, "fxt-convert-all", "--job"), ["--jobs", "--joblog"])

    @needs("zsh")
    def test_zsh_accepts_the_completions(self):
        for program in NAMES:
            output_of("zsh", "-n", self.file_of(program, "--completion=zsh"))
        for script in SCRIPTS:
            output_of("zsh", "-n", self.completions_of(script)["zsh"])

    def completed_by_fish(self, script, line):
        found = output_of("fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, line)
        return [row.partition("\t")[0] for row in found.splitlines()]

    @needs("fish")
    def test_fish_completes_options_and_values(self):
        def completed(line):
            return self.completed_by_fish(self.file_of(line.split()[0], "--completion=fish"), line)
        self.assertEqual(completed("fxt-convert --no-k"), ["--no-kernel"])
        self.assertEqual(completed("fxt-convert --report "), ["json", "none", "text"])
        self.assertEqual(completed("fxt-dump -r "), [])
        script = self.completions_of("convert-all")["fish"]
        self.assertEqual(self.completed_by_fish(script, "fxt-convert-all --progress "), ["always", "auto", "never"])
        script = self.completions_of("open-in-perfetto")["fish"]
        self.assertEqual(self.completed_by_fish(script, "fxt-open --no-b"), ["--no-browser"])

    def test_files_of_tracy_come_from_its_importer(self):
        importer = self.folder / "bin" / "tracy-import-fuchsia"
        importer.parent.mkdir()
        importer.write_text('#!/bin/sh\n[ -s "$1" ] && cp "$1" "$2"\n')
        importer.chmod(0o755)
        (self.folder / "a.fxt").write_text("a")
        packed = ("b", ".gz", gzip), ("d", ".bz2", bz2), ("e", ".xz", lzma)
        for name, suffix, packer in packed:
            (self.folder / f"{name}.fxt{suffix}").write_bytes(packer.compress(name.encode()))
        (self.folder / "empty.fxt").write_text("")
        script = REPOSITORY / "scripts" / "to-tracy"
        path = f"PATH={importer.parent}:{os.environ['PATH']}"
        files = [self.folder / "a.fxt", *(self.folder / f"{name}.fxt{suffix}" for name, suffix, _ in packed)]
        self.assertEqual(output_of("env", path, script, *files), "".join(f"{self.folder}/{name}.tracy\n" for name in "abde"))
        self.assertEqual([(self.folder / f"{name}.tracy").read_text() for name in "abde"], list("abde"))
        for file, problem in ("empty.fxt", "tracy-import-fuchsia ended with exit code 1"), ("c.fxt.gz", "No such file"):
            process = subprocess.run(["env", path, script, self.folder / file], check=False, capture_output=True, text=True)
            self.assertEqual((process.returncode, process.stdout), (1, ""))
            self.assertRegex(process.stderr, f"^to-tracy: {self.folder}/{file}: .*{problem}")
        # An incomplete file does not appear, no existing file is replaced, and a name may begin with "-".
        self.assertFalse((self.folder / "empty.tracy").exists())
        shutil.copy(self.folder / "b.fxt.gz", self.folder / "a.fxt.gz")
        process = subprocess.run(["env", path, script, self.folder / "a.fxt.gz"], check=False, capture_output=True, text=True)
        self.assertEqual((process.returncode, process.stderr),
                         (1, f"to-tracy: {self.folder}/a.tracy: exists; use --force to replace it\n"))
        self.assertEqual((self.folder / "a.tracy").read_text(), "a")
        output_of("env", path, script, "-f", self.folder / "a.fxt.gz")
        self.assertEqual((self.folder / "a.tracy").read_text(), "b")
        (self.folder / "-c.fxt").write_text("c")
        output_of("env", "-C", self.folder, path, script, "--", "-c.fxt")
        self.assertEqual((self.folder / "-c.tracy").read_text(), "c")
        self.assertEqual(list(self.folder.glob(".to-tracy.*")), [])
        # The message names the file that can't be written.
        (self.folder / "f.tracy").mkdir()
        (self.folder / "f.fxt").write_text("f")
        for words, problem in ((["-f", "f.fxt"], "f.tracy: is a directory, and can't be replaced"),
                               (["f.tracy"], "f.tracy: is a directory; convert a recording with fxt-convert first"),
                               (["-f", "a.fxt"], "standard output: No space left on device")):
            with open("/dev/full", "w", encoding="utf-8") as full:
                process = subprocess.run(["env", path, script, *words], cwd=self.folder, check=False, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((process.returncode, process.stderr), (1, f"to-tracy: {problem}\n"))

    def test_any_name_may_be_imported_to_tracy(self):
        importer = self.folder / "bin" / "tracy-import-fuchsia"
        importer.parent.mkdir()
        importer.write_text('#!/bin/sh\ncp "$1" "$2"\n')
        importer.chmod(0o755)
        script = REPOSITORY / "scripts" / "to-tracy"
        environment = {**os.environ, "PATH": f"{importer.parent}:{os.environ['PATH']}"}
        for name, said in ((b"a b", "a b"), (b"-x", "-x"), (b"--force", "--force"), (b"a\nb", "a\\x0ab"), (b"\xff", "\\xff"),
                           (b"$(touch x)'\"", "$(touch x)'\""), ("\u202e".encode(), "\\xe2\\x80\\xae")):
            for suffix, packed in (b".fxt", b"a"), (b".fxt.gz", gzip.compress(b"a")), (b".fxt.zst", zstd(b"a")):
                with self.subTest(name, suffix=suffix):
                    file = os.fsdecode(name + suffix)
                    (self.folder / file).write_bytes(packed)
                    process = subprocess.run([script, "-f", "--", file], check=False, capture_output=True, text=True, cwd=self.folder,
                                             env=environment)
                    self.assertEqual((process.stdout, process.stderr), (f"{said}.tracy\n", ""))
                    output = self.folder / os.fsdecode(name + b".tracy")
                    self.assertEqual(output.read_bytes(), b"a")
                    output.unlink()
        self.assertFalse((self.folder / "x").exists())

    def test_traces_for_tracy_unpack_to_a_limit(self):
        importer = self.folder / "bin" / "tracy-import-fuchsia"
        importer.parent.mkdir()
        importer.write_text('#!/bin/sh\ncp "$1" "$2"\n')
        importer.chmod(0o755)
        (self.folder / "large.fxt").touch()
        os.truncate(self.folder / "large.fxt", 1025 << 20)
        subprocess.run(["zstd", "-q", "large.fxt"], cwd=self.folder, check=True)
        (self.folder / "bad.fxt.zst").write_bytes(b"bad")
        (self.folder / "bad.fxt.gz").write_bytes(gzip.compress(b"bad")[:10] + b"\xff" * 20)
        (self.folder / "bad.fxt.xz").write_bytes(lzma.compress(b"bad")[:-1])
        os.mkfifo(self.folder / "fifo.fxt")
        with (self.folder / "memory.fxt.xz").open("wb") as file:
            subprocess.run(["xz", "-c", "--lzma2=preset=0,dict=1GiB"], input=b"a", stdout=file, check=True)
        for file, problem in (("large.fxt.zst", "unpacks to more than 1024 MiB; use --force to unpack it"),
                              ("bad.fxt.zst", "zstd ended with exit code 1"), ("bad.fxt.gz", "Error -3 while decompressing data"),
                              ("bad.fxt.xz", "the compressed data are truncated"), ("memory.fxt.xz", "unpacking needs more than 100 MiB of memory"),
                              ("fifo.fxt", "is not a regular file")):
            process = subprocess.run([REPOSITORY / "scripts" / "to-tracy", file], check=False, capture_output=True, text=True, cwd=self.folder,
                                     env={**os.environ, "PATH": f"{importer.parent}:{os.environ['PATH']}"})
            self.assertEqual(process.returncode, 1)
            self.assertIn(f"to-tracy: {file}: {problem}", process.stderr)
            self.assertNotIn("Traceback", process.stderr)
        self.assertEqual(list(self.folder.glob("*.tracy")), [])

    def test_scripts_help_and_do_nothing_else(self):
        places = ".ci/*", "packaging/*", "samples/record*", "scripts/*", "tests/bench/compare", "tests/oracle/*.py"
        scripts = [path for place in places for path in REPOSITORY.glob(place)
                   if path.is_file() and os.access(path, os.X_OK) and not path.stem.endswith("_test")]
        self.assertGreater(len(scripts), 20)
        tools = self.folder / "tools"
        tools.mkdir()
        for name in "bash", "dirname", "env", "python3", "sed":
            (tools / name).symlink_to(shutil.which(name))
        for script in scripts:
            for option in "-h", "--help":
                process = subprocess.run([script, option], check=False, capture_output=True, text=True,
                                         env={"PATH": str(tools)})
                self.assertEqual((process.returncode, process.stderr), (0, ""), script)
                self.assertNotEqual(process.stdout, "", script)


if __name__ == "__main__":
    unittest.main()
