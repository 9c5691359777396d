"""Compares docs/ with the sources: kinds of notes, links between pages, queries, commands.

The directory with the programs is in the environment variable PROGRAMS.
"""

import ast
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

DEFINITION = re.compile(r'NoteKind (k\w+)\{\s*"([^"]+)",((?:\s*"[^"]*")+)(,\s*true)?\};')
ENTRY = re.compile(r"^### (\S+)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


def definitions():
    """The constants of all importers with their texts, and the number of uses of each."""
    texts = [path.read_text() for pattern in ("*.h", "*.cpp") for path in REPOSITORY.glob(f"converters/**/{pattern}")]
    found = [definition for text in texts for definition in DEFINITION.findall(text)]
    begun = sum(len(re.findall(r"NoteKind k\w+\{", text)) for text in texts)
    return found, begun, Counter(word for text in texts for word in re.findall(r"\bk[A-Z]\w+", text))


class Notes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found, cls.begun, cls.uses = definitions()
        cls.kinds = {}  # by name: whether the note is informational, for each importer with such a constant
        for _, name, _, informational in cls.found:
            cls.kinds.setdefault(name, set()).add(bool(informational))
        cls.page = (REPOSITORY / "docs" / "notes.md").read_text()
        cls.entries = dict(ENTRY.findall(cls.page))

    def test_every_definition_can_be_parsed(self):
        self.assertEqual(len(self.found), self.begun)
        self.assertGreater(self.begun, 0)

    def test_every_kind_has_its_entry_and_every_entry_its_kind(self):
        self.assertEqual(sorted(self.entries), sorted(self.kinds))

    def test_every_entry_has_a_remedy(self):
        for name, text in self.entries.items():
            with self.subTest(name):
                self.assertRegex(text, r"Remedy[:,]\s+\S")

    def test_informational_notes_are_marked(self):
        for name, text in self.entries.items():
            with self.subTest(name):
                self.assertEqual({text.strip().startswith("*Informational.*")}, self.kinds.get(name))

    def test_the_list_at_the_top_names_each_entry_once(self):
        links = re.findall(r"\[([^\]]+)\]\(#([^)]+)\)", self.page.split("\n## ")[0])
        self.assertEqual(sorted(text for text, link in links if text == link), sorted(self.entries))

    def test_every_kind_is_used(self):
        defined = Counter(constant for constant, _, _, _ in self.found)
        self.assertEqual([constant for constant in defined if self.uses[constant] == defined[constant]], [])


LIMIT = re.compile(r'Limit k\w+\{\s*"([^"]+)",\s*([^,}]+),\s*([^,}]+)\}')


def number(text):
    """Evaluates a constant expression of C++."""
    return eval(text.replace("'", "").replace("fxt::", ""), {"__builtins__": {}, "kKiB": 2**10, "kMiB": 2**20})  # only from this project's sources


class Limits(unittest.TestCase):
    def test_the_table_matches_the_constants(self):
        texts = [path.read_text() for folder in ("converters", "fxt") for pattern in ("*.h", "*.cpp")
                 for path in REPOSITORY.glob(f"{folder}/**/{pattern}")]
        found = [limit for text in texts for limit in LIMIT.findall(text)]
        self.assertEqual(len(found), sum(len(re.findall(r"\bLimit k\w+\{", text)) for text in texts))
        self.assertGreater(len(found), 20)
        expected = set()
        for thing, least, per_kilobyte in found:
            least, per_megabyte = number(least), 1024 * number(per_kilobyte)
            if thing.startswith("MiB"):
                self.assertEqual(least % 2**20, 0, thing)
                least, per_megabyte = least >> 20, per_megabyte / 2**20
            growth = f"{per_megabyte:,.3g}" if per_megabyte < 1000 else f"{per_megabyte:,.0f}"
            expected.add(f"| {thing} | {least:,} | {growth} |" if per_megabyte else f"| {thing} | {least:,} | |")
        table = re.search(r"\| what \|.*?\n\|[-|]+\n((?:\|.*\n)+)", (REPOSITORY / "SECURITY.md").read_text())
        self.assertEqual(sorted(table.group(1).splitlines()), sorted(expected))


LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(#[^)\s]+)?\)")
PAGES = [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").glob("*.md")), REPOSITORY / "samples" / "README.md",
         REPOSITORY / "fxt" / "README.md"]


def without_code(text):
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors_of(page):
    """The anchors that GitHub makes from headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_links_lead_to_files_and_headings(self):
        count = 0
        for page in PAGES:
            for file, anchor in LINK.findall(without_code(page.read_text())):
                count += 1
                with self.subTest(f"{page.relative_to(REPOSITORY)}: {file}{anchor}"):
                    target = (page.parent / file).resolve() if file else page
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor[1:], anchors_of(target))
        self.assertGreater(count, 50)

    def test_every_page_is_linked_from_the_readme(self):
        readme = (REPOSITORY / "README.md").read_text()
        for page in (REPOSITORY / "docs").glob("*.md"):
            with self.subTest(page.name):
                self.assertIn(f"(docs/{page.name}", readme)


# Phrases that are not plain English according to CONTRIBUTING.md, by kind.
PHRASES = {
    "what or who as a noun": r"^(What|Who)\b(?!.*\?$)|[,;:] (what|who)\b",
    "behind for after, too at the end, begin as a noun": r"\bbehind\b|, too\b|\bperhaps\b|\b([Ii]ts|[Tt]he|a|[Tt]heir|call's) begins?\b",
    "is no for is not a": r"(?<![Tt]here )\b(is|are|was|were) (no|none)\b(?! (longer|more|less))",
    "where, as, so for if, because, thus": r"^(Where|As|So)\b(?!.*\?$)(?! (long|well|far|many) as)",
}
EXCEPTIONS = {"What becomes what", "bytes-behind-end"}  # the title of a page, a kind of note
END_OF_SENTENCE = r"(?<=[.?!:])[)*\"]*\s+(?=[A-Z0-9*(\"`]|uftrace)"
LITERAL = re.compile(r"//[^\n]*|R\"(\w*)\(.*?\)\1\"|'(?:[^'\\\n]|\\.)'|((?:\"(?:[^\"\\\n]|\\.)*\"\s*)+)", re.DOTALL)


def texts_of(page):
    """The sentences outside of tables, and the cells of tables, of a page without its code."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", page, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`|\[([a-z-]+)\]\(\S*#\1\)", "CODE", text)  # names of notes also count as code
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("\\|", "/")
    sentences, cells, paragraph = [], [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells += [cell.strip() for cell in line.strip("|").split("|") if cell.strip(" -")]
        begins = re.match(r"\s*(- |\d+\. )", line)
        if paragraph and (begins or not line.strip() or line.startswith(("|", "#"))):
            sentences += re.split(END_OF_SENTENCE, " ".join(paragraph))
            paragraph = []
        if line.strip() and not line.startswith(("|", "#")) and (paragraph or begins or not line.startswith("    ")):
            paragraph.append(line[begins.end():] if begins else line.strip())
    return sentences, cells


def messages_of(path):
    """The texts in a source of a program or script: messages and help."""
    text = path.read_text()
    if path.suffix in {".cpp", ".h"}:
        return ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[2])) for found in LITERAL.finditer(text) if found[2]]
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        return [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if path.suffix == ".html":
        return re.split(r"<style>.*?</style>|<script>.*?</script>|<!--.*?-->|<[^>]*>", text, flags=re.DOTALL)
    return [text.partition("\nset ")[0].replace("# ", "")] if path.suffix != ".bash" else []  # the comment at the start of a bash script is its help text


class Language(unittest.TestCase):
    def problems_of(self, sentences):
        for sentence in sentences:
            if len(sentence.split()) > 30:
                yield f"more than 30 words: {sentence}"
            yield from (f"{kind}: {sentence}" for kind, phrase in PHRASES.items()
                        if re.search(phrase, sentence) and sentence not in EXCEPTIONS)

    def test_lines_sentences_and_cells_are_short_and_plain(self):
        for page in PAGES:
            text = page.read_text()
            problems = [f"more than 160 columns: {line[:80]}" for line in text.splitlines() if len(line) > 160 and not line.startswith("    ")]
            sentences, cells = texts_of(text)
            problems += [f"more than 40 words: {cell}" for cell in cells if len(cell.split()) > 40]
            sentences += [part for cell in cells for part in re.split(r"(?<=[.?!:])\s+(?=[A-Z])", cell)]
            with self.subTest(page.relative_to(REPOSITORY)):
                self.assertEqual(problems + list(self.problems_of(sentences)), [])

    def test_messages_and_help_are_short_and_plain(self):
        folders = "converters/**/*.cpp", "converters/**/*.h", "fxt/**/*.cpp", "fxt/**/*.h", "scripts/**/*"
        sources = [path for folder in folders for path in REPOSITORY.glob(folder) if path.is_file() and "examples" not in path.parts and path.name != "default_layouts.cpp"]  # names of registers
        self.assertGreater(len(sources), 400)
        for source in sources:
            sentences = [sentence for text in messages_of(source) for paragraph in re.split(r"\n\n|\\n|\n  ", text)
                         for sentence in re.split(END_OF_SENTENCE, re.sub(r"`[^`]*`", "CODE", " ".join(paragraph.split())))]
            with self.subTest(source.relative_to(REPOSITORY)):
                self.assertEqual(list(self.problems_of(sentences)), [])


class Systems(unittest.TestCase):
    def test_the_readme_names_the_tested_systems(self):
        readme = (REPOSITORY / "README.md").read_text()
        elsewhere = re.search(r"^scripts/check-elsewhere --programs (.+)$", (REPOSITORY / ".ci/run").read_text(), re.MULTILINE)
        names = {"trixie": "13"}
        built = ["12", *(names[suite] for suite in elsewhere[1].split())]
        self.assertEqual(re.split(", | or ", re.search(r"^On Debian (.+), with nothing", readme, re.MULTILINE)[1]), built)
        self.assertNotRegex(readme, r"\b20\d\d-\d\d-\d\d\b")


# The columns of Perfetto's tables that the queries use.
TABLES = """
    CREATE TABLE slice (id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id);
    CREATE TABLE args (arg_set_id, key, value_type, int_value, real_value, string_value, display_value);
    CREATE TABLE thread_track (id, utid);
    CREATE TABLE thread (utid, tid, name, upid);
    CREATE TABLE process (upid, pid, name);
    CREATE TABLE thread_state (ts, dur, cpu, utid, state);
    CREATE TABLE sched (ts, dur, cpu, utid, end_state);
    CREATE TABLE counter_track (id, name);
    CREATE TABLE counter (ts, track_id, value);
    CREATE TABLE flow (slice_out, slice_in);
    CREATE TABLE stats (name, severity, value);
"""


class Queries(unittest.TestCase):
    def test_queries_use_known_columns(self):
        queries = re.findall(r"```sql\n(.*?)```", (REPOSITORY / "docs" / "perfetto.md").read_text(), re.DOTALL)
        self.assertGreater(len(queries), 10)
        tables = sqlite3.connect(":memory:")
        tables.executescript(TABLES)
        tables.create_function("EXTRACT_ARG", 2, lambda arg_set, key: None)
        for query in queries:
            with self.subTest(query.splitlines()[0]):
                tables.execute(query)


# A command in a block of code, without the comment after it.
COMMAND = re.compile(r"^(?:    |\$ )(?:\$ )?((?:fxt-(?!open |record |to-tracy )[\w-]+|ssh) .*?)(?:[ ]+# .*)?$", re.MULTILINE)
SAMPLES = REPOSITORY / "samples"
# The file names in the pages, and the files that replace them here.
FILES = {"run.data": "uftrace/pool", "server.data": "uftrace/calc", "client.data": "uftrace/pool", "big.data": "uftrace/pool",
         "session.tfile": "gdb/heater.tfile", "hello.tfile": "gdb/heater.tfile", "recordings/a/run.data": "uftrace/calc"}
# Messages that are allowed, because the samples have other threads, functions and times than the examples.
NOTHING_THERE = re.compile(r"has none of the requested threads|no event is in the requested range|has nothing with the |nothing is drawn|"
                           r"no call is shown, because the options omit all")


SCRIPTS = {"convert-all": "fxt-convert-all", "open-in-perfetto": "fxt-open", "record": "fxt-record", "to-tracy": "fxt-to-tracy"}


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, sample in FILES.items():
            source = SAMPLES / sample
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.folder / name)
        programs = Path(os.environ["PROGRAMS"]).resolve()
        bin_ = self.folder / "bin"
        bin_.mkdir()
        (bin_ / "ssh").write_text('#!/bin/sh\nshift\nexec "$@"\n')
        (bin_ / "ssh").chmod(0o755)
        for program in "./server", "./libstore.so", "hello-gdb":
            shutil.copy(programs / "fxt-cut", self.folder / program)
        for name in "scripts", "samples":
            (self.folder / name).symlink_to(REPOSITORY / name)
        (self.folder / "machines").write_text(":\n")
        self.environment = os.environ | {"PATH": f"{bin_}:{programs}:{os.environ['PATH']}"}
        self.run_command("tar cf run.tar run.data && zstd -q run.tar && mkdir out && fxt-convert -q run.data out/pool.fxt && "
                         "cp out/pool.fxt out.fxt && cp out.fxt old.fxt && cp out.fxt new.fxt && "
                         "fxt-convert -q samples/both/stones samples/both/stones.trace out/stones.fxt")

    def run_command(self, command):
        process = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=self.environment,
                                 capture_output=True, text=True, errors="replace", check=False, timeout=300)
        if process.returncode != 0:
            self.assertRegex(process.stderr, NOTHING_THERE, command)
        return process.stdout

    def test_the_scripts_are_next_to_the_programs(self):
        for script, name in SCRIPTS.items():
            self.assertEqual((Path(os.environ["PROGRAMS"]) / name).resolve(), REPOSITORY / "scripts" / script)

    def test_commands_work_as_printed(self):
        count = 0
        for page in PAGES:
            for command in COMMAND.findall(page.read_text()):
                # The pictures of samples/ are not drawn again. fxt-convert-all needs the program GNU parallel.
                if re.search(r" samples/\w+\.svg", command) or (command.startswith("fxt-convert-all ") and not shutil.which("parallel")):
                    continue
                count += 1
                with self.subTest(f"{page.relative_to(REPOSITORY)}: {command}"):
                    self.run_command(command)
        self.assertGreater(count, 50)

    def test_the_reference_is_what_the_programs_print(self):
        """With FXT_RENEW_GOLDENS=1 in the environment, the reference is written again."""
        page = REPOSITORY / "docs" / "options.md"
        text = page.read_text().partition("\n## ")[0]
        for program in "fxt-convert", "fxt-dump", "fxt-cut", "fxt-draw":
            text += f"\n## {program}\n\n```text\n{self.run_command(f'{program} --help')}```\n"
        if "FXT_RENEW_GOLDENS" in os.environ:
            page.write_text(text)
        self.assertEqual(page.read_text(), text)

    def test_every_option_of_a_script_is_on_its_page(self):
        for script, name in SCRIPTS.items():
            page = (REPOSITORY / "docs" / f"{name}.md").read_text()
            options = re.findall(r"^  (?:(-\w)(?: \w+)?, )?(--[\w-]+)", self.run_command(f"scripts/{script} --help"), re.MULTILINE)
            self.assertGreater(len(options), 2)
            for option in filter(None, (option for names in options for option in names)):
                with self.subTest(name, option=option):
                    self.assertRegex(page, rf"(?<![\w-]){option}(?![\w-])")

    def test_a_report_is_printed_as_shown(self):
        page = (REPOSITORY / "docs" / "usage.md").read_text()
        command, shown = re.search(r"^    \$ (fxt-convert samples/uftrace/calc .*)\n((?:    .*\n)+)", page, re.MULTILINE).groups()
        size = re.compile(r"(calc\.fxt:) [\d.]+")
        self.assertEqual(size.sub(r"\1", self.run_command(command)),
                         size.sub(r"\1", re.sub("^    ", "", shown, flags=re.MULTILINE)))


if __name__ == "__main__":
    unittest.main()
