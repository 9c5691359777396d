"""The views of an input in fxt-open: the whole time, a part of it, a map, and the functions with the most time. Each view is
made when it is first needed, and then kept in a cache."""

import contextlib
import gzip
import json
import os
import re
import struct
import sys
import threading
import zlib
from subprocess import PIPE

from fxt_cache import stamp_of
from fxt_ending import running
from fxt_scripts import BEGINNINGS, NAME, program, shown

GZIP = 31  # zlib's number for this format
MOST_GZIP_HEADER = 64 << 10  # bytes; the header contains the name of the file that was compressed
MOST_NAMES_BYTES = 4 << 20  # bytes at the start of a trace in which names of processes are searched
MOST_LINK_BYTES = 16 << 10  # bytes for names of processes in a link
MOST_FILE_NAME = 200  # bytes
MAP_OPTIONS = ("--max-depth", "6", "--width", "1600")  # six rows for each thread
MOST_FUNCTIONS = 40
LIKELY_RATIO = 100  # maximum ratio of a trace's size to its compressed size
NOTE = "This trace is too large to open as a whole, so it has only the longest calls. If you open a part of the time, the part has more details."
PROGRESS = re.compile(r"\s*\d+%")


class Problem(Exception):
    """A text for the user."""


class Programs:
    """Runs programs, and stores the latest progress line of each program."""

    def __init__(self, has_page):
        self.running = {}  # the last line about progress, by process
        self.has_page = has_page  # the page shows the progress; otherwise, the terminal does

    def run(self, name, *arguments, allowed=(0,)):
        """The standard output. Raises Problem with the last line of the standard error if the exit code is not allowed."""
        last = []
        with running([program(name), *arguments], text=True, errors="surrogateescape", stdout=PIPE,
                     stderr=PIPE if self.has_page else None) as process:
            if name in ("fxt-draw", "fxt-dump"):
                with contextlib.suppress(ProcessLookupError):
                    os.setpriority(os.PRIO_PROCESS, process.pid, 10)  # the browser needs the cores more urgently, to open the trace
            reader = threading.Thread(target=self.read, args=(process, last), daemon=True)
            if self.has_page:
                reader.start()
            output = process.stdout.read()
            if self.has_page:
                reader.join()
        if process.returncode not in allowed:
            raise Problem(last[-1] if last else "")
        return output

    def read(self, process, last):
        for line in process.stderr:
            if PROGRESS.match(line):
                self.running[process] = line.strip()
            elif line.strip():
                print(line, end="", file=sys.stderr)
                last[:] = [line.strip()]
        self.running.pop(process, None)

    def progress(self):
        return next(iter(list(self.running.values())), "")

    def start(self, work):
        """Calls work() in the background. Ignores its failures."""
        def run():
            with contextlib.suppress(Problem, OSError):
                work()
        threading.Thread(target=run, daemon=True).start()


def is_trace(path):
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(MOST_GZIP_HEADER)
    if start.startswith(BEGINNINGS[1]):
        try:
            return zlib.decompressobj(GZIP).decompress(start, 8).startswith(BEGINNINGS[0])
        except zlib.error:
            return True  # the UI will report the problem
    return start.startswith(BEGINNINGS) and not path.name.endswith((".tar.zst", ".tzst"))


def is_compressed(path):
    with path.open("rb") as file:
        return not file.read(8).startswith(BEGINNINGS[0])


def processes_of(path):
    """The texts "NAME PID" of the processes that have a name at the start of the trace. Only some of them if the trace can't be read easily."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == BEGINNINGS[1]
    strings, processes, link_bytes = {}, [], 0
    try:
        with gzip.open(path) if is_gzip else path.open("rb") as file:
            while file.tell() < MOST_NAMES_BYTES and len(word := file.read(8)) == 8:
                [header] = struct.unpack("<Q", word)
                kind, size, name = header & 15, header >> 4 & 0xfff, header >> 24 & 0xffff
                if size == 0:
                    break
                content = file.read(8 * size - 8)
                if kind == 2:
                    strings[header >> 16 & 0x7fff] = content[:header >> 32 & 0x7fff]
                elif kind == 7 and header >> 16 & 0xff == 1:
                    text = content[8:8 + (name & 0x7fff)] if name & 0x8000 else strings.get(name, b"")
                    process = f"{text.decode()} {struct.unpack_from('<Q', content)[0]}"
                    link_bytes += len(process)
                    if link_bytes > MOST_LINK_BYTES:
                        break
                    processes.append(process)
                elif kind not in (0, 1, 3, 7):
                    break
    except (OSError, EOFError, ValueError, struct.error):
        pass  # the UI will report the problem
    return processes


def seconds(ns):
    """A time on the trace's clock, in the form for the option -r."""
    return f"{ns // 10**9}.{ns % 10**9:09}"


class Input:
    """A trace, or recordings that are converted to one trace."""

    def __init__(self, paths, cache, programs, limit):
        self.paths, self.cache, self.programs, self.limit = paths, cache, programs, limit
        self.path = paths[0]
        self.lock = threading.Lock()
        self.entries = []  # entries of the cache that stay open until the end
        self.is_trace = is_trace(self.path)
        name = os.fsdecode(os.fsencode(self.path.resolve().name)[:MOST_FILE_NAME])
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        self.name = self.path.name if self.is_trace else f"{name}{others}.fxt"
        self.note = ""  # a note on the page
        self.index = None
        self.is_preparing = False
        self.whole = self.view = None  # until make_whole()

    def make_whole(self):
        """Makes the trace that opens first, and finds the range that the viewer shows first, or None."""
        self.recordings = [] if self.is_trace else [recording for path in self.paths for recording in self.unpacked(path)]
        self.whole, self.view = self.fitted() if self.is_trace else self.converted()

    def key(self, kind, *options, paths=None):
        """The key in the cache for files that a program makes from `paths`. None means all paths of the input."""
        is_converted = not self.is_trace and kind in ("unpacked", "whole", "index", "part")
        tools = ["fxt-convert"] if is_converted else ["fxt-convert", "fxt-cut", "fxt-draw", "fxt-dump"]
        return [kind, *options, self.name, [stamp_of(program(name)) for name in tools], *map(stamp_of, paths or self.paths)]

    def kept(self, key, make):
        entry = self.cache.get(key, make)
        self.entries.append(entry)
        return entry

    def unpacked(self, path):
        """The recordings in the archive, which is unpacked only once. If the path is not an archive, the list has only this path."""
        if path.is_dir():
            return [path]

        def make(folder):
            (folder / "files").mkdir()
            paths = self.programs.run("fxt-convert", f"--unpack={folder / 'files'}", "--", path).splitlines()
            own = [os.fsencode(os.path.relpath(path, folder)).hex() for path in paths if str(path).startswith(f"{folder}/")]
            (folder / "paths.json").write_text(json.dumps(own))
        entry = self.cache.get(self.key("unpacked", paths=[path]), make)
        paths = [entry / os.fsdecode(bytes.fromhex(path)) for path in json.loads((entry / "paths.json").read_text())]
        self.entries.append(entry)
        return paths if paths and all(path.exists() for path in paths) else [path]

    def fitted(self):
        """The trace, or a smaller trace with only the longest calls. The second result is the range to show first: None, the whole trace."""
        if self.path.stat().st_size <= (self.limit // LIKELY_RATIO if is_compressed(self.path) else self.limit):
            return self.path, None
        plain = self.plain()
        if not self.fit_of(plain):
            return self.path, None
        try:
            fit = self.overview_fit([plain])
            entry = self.kept(self.key("whole", self.limit), lambda folder: self.cut(plain, folder / self.name, fit))
        except Problem:
            return self.path, None  # the trace can't be made smaller, so the whole trace opens
        self.note = NOTE
        return entry / self.name, None

    def overview_fit(self, paths):
        """The option that limits the size of the first trace. An overview of a much larger input is smaller than the limit, because
        viewers open it faster, and because it looks the same until the user zooms in."""
        try:
            files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path])]
            input_bytes = sum(file.lstat().st_size for file in files)
        except OSError:
            input_bytes = 0  # the program that reads the input will report the problem
        return f"--fit={max(self.limit // 2, min(self.limit, input_bytes // 16)) if input_bytes > 4 * self.limit else self.limit}"

    def fit_of(self, trace):
        """The option that makes a trace smaller. Nothing if the trace is small enough."""
        return [f"--fit={self.limit}"] if trace.stat().st_size > self.limit else []

    def convert(self, output, *options):
        progress = ["--progress=always"] if self.programs.has_page else []
        return self.programs.run("fxt-convert", "--cpu-tracks", *progress, *options, "-o", output, "--", *self.recordings)

    def converted(self):
        """The trace, and the range that the viewer shows first. The range is None if the report has none."""
        def make(folder):
            (folder / "report.json").write_text(self.convert(folder / self.name, self.overview_fit(self.recordings), "--report=json"))
        entry = self.kept(self.key("whole", self.limit), make)
        report = json.loads((entry / "report.json").read_text())
        if report.get("fitted") or any(note["kind"] == "thinned" for note in report["notes"]):
            self.note = NOTE
        for note in report["notes"]:
            if note["kind"] == "option-unused":
                continue  # a GDB trace file has no CPU tracks
            print(f"{note['kind']} ({note['count']}): {shown(note['first'])}", file=sys.stderr)
        view = report["view_ns"]
        # The UI ignores a range that extends beyond the trace.
        return entry / self.name, view and [max(view[0], report["first_ns"]), min(view[1], report["last_ns"])]

    def prepare_parts(self):
        """Makes the index in the background. The page asks for the functions last, and this request makes the index, so the
        trace and the map open earlier."""
        if not self.is_trace and not self.is_preparing:
            self.is_preparing = True
            self.programs.start(self.indexed)

    def indexed(self):
        """The folder with the index of the recordings."""
        def make(folder):
            self.programs.run("fxt-convert", "-q", "-r0s~0s", f"--index={folder}", "-o", "/dev/null", "--", *self.recordings, allowed=(0, 1))
        with self.lock:
            if self.index is None:
                self.index = self.kept(self.key("index"), make).folder
            return self.index

    def plain(self):
        """The whole trace with all calls, without compression. A compressed trace is unpacked only once."""
        if not is_compressed(self.path):
            return self.path
        with self.lock:
            return self.kept(self.key("plain"), lambda folder: self.cut(self.path, folder / "plain.fxt")) / "plain.fxt"

    def overview(self):
        """The whole trace without compression, possibly without short calls."""
        return self.plain() if self.whole == self.path else self.whole

    def cut(self, trace, output, *options):
        """Cuts a trace. If the trace is damaged, the output has only data from before the damage."""
        self.programs.run("fxt-cut", "-q", *options, "--", trace, output, allowed=(0, 1))
        if not output.exists():
            raise Problem("the trace has no events in this time" if options else f"{shown(trace)}: can't be read")

    def part(self, from_ns, to_ns):
        """An entry of the cache with the file part.fxt. The caller must close the entry."""
        part = f"-r{seconds(from_ns)}~{seconds(to_ns)}"

        def make(folder):
            if self.is_trace:
                self.cut(self.plain(), folder / "part.fxt", part, *(self.fit_of(self.plain()) if self.note else ()))
            else:
                options = "--report=none", f"--index={self.indexed()}", part
                self.convert(folder / "part.fxt", *options)
                if (folder / "part.fxt").stat().st_size > self.limit:
                    self.convert(folder / "part.fxt", *options, f"--fit={self.limit}")
        return self.cache.get(self.key("part", self.limit, from_ns, to_ns), make)

    def map(self):
        def make(folder):
            self.programs.run("fxt-draw", "-q", *MAP_OPTIONS, "--", self.overview(), folder / "map.html", allowed=(0, 1))
            if not (folder / "map.html").exists():
                raise Problem("the trace has no calls to draw")
        return self.cache.get(self.key("map", self.limit, MAP_OPTIONS), make)

    def functions(self):
        """An entry with the file functions.json. The file lists the functions with the most self time, and the time of the
        longest call of each. Times are texts, because JavaScript's numbers have only 53 bits."""
        def make(folder):
            calls = json.loads(self.programs.run("fxt-dump", "--stats", "--json", "--sort=self", f"--top={MOST_FUNCTIONS}", "--",
                                                 self.overview(), allowed=(0, 1)))["calls"]
            functions = []
            for call in calls:
                if call["group"] not in ("program", "kernel"):
                    continue
                margin = max(call["max_ns"] // 20, 500)
                start = call["max_start_ns"]
                functions.append({name: call[name] for name in ("name", "group", "calls", "total_ns", "self_ns", "max_ns")} |
                                 {"from": str(max(start - margin, 0)), "to": str(start + call["max_ns"] + margin)})
            functions.sort(key=lambda function: -function["self_ns"])
            (folder / "functions.json").write_text(json.dumps(functions[:MOST_FUNCTIONS]))
        return self.cache.get(self.key("functions", self.limit), make)

    def close(self):
        for entry in self.entries:
            entry.close()
