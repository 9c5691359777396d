"""The GDB command `fxt`. It saves the frames of tracepoints, and converts them together with the loaded modules.

If this file is installed next to GDB's own commands, GDB loads it at its start. Otherwise use `source` with the path of this
file.
"""

import importlib
import os
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import gdb

HERE = Path(__file__).resolve().parent
# An installed fxt.py uses files in share/. Otherwise, fxt.py uses files in its source tree.
IS_INSTALLED = HERE.parts[-4:] == ("gdb", "python", "gdb", "command")
SHARED = HERE.parents[3] / "fxt-convert" if IS_INSTALLED else HERE.parent
PROGRAMS = HERE.parents[4] / "bin" if IS_INSTALLED else HERE.parent
ON_TARGET = "target:"  # a path with this prefix is on the target; GDB reads the file through its connection


class Failure(Exception):
    """An error with a message for the user."""


def shared():
    """Loads fxt_scripts.py only when a command needs it, because every start of GDB runs this file."""
    sys.path.insert(0, str(SHARED))
    try:
        return importlib.import_module("fxt_scripts")
    except ImportError as error:
        raise Failure(f"{SHARED}/fxt_scripts.py is missing: install fxt-convert, or `source` the file in its source tree") from error
    finally:
        sys.path.remove(str(SHARED))


def program(name, script=""):
    try:
        return shared().path_of(name, script, PROGRAMS)
    except LookupError as error:
        raise Failure(error.args[0]) from error


class ElfSections:
    """The sections of an ELF file that are loaded into memory. For each name, (address in the file, offset, size)."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:4] != b"\x7fELF":
                raise ValueError("is not an ELF file")
            self.order = "<" if head[5] == 1 else ">"
            is_64 = head[4] == 2
            [offset] = struct.unpack_from(self.order + ("Q" if is_64 else "I"), head, 40 if is_64 else 32)
            size, count, names_at = struct.unpack_from(self.order + "HHH", head, 58 if is_64 else 46)
            file.seek(offset)
            table = file.read(size * count)
            layout = self.order + ("IIQQQQ" if is_64 else "IIIIII")  # name, type, flags, address, offset, size
            headers = [struct.unpack_from(layout, table, i * size) for i in range(count)]
            if names_at >= count:
                raise ValueError("has no names of sections")
            file.seek(headers[names_at][4])
            names = file.read(headers[names_at][5])
        self.places = {names[name:].partition(b"\0")[0].decode(errors="replace"): place
                       for name, _, flags, *place in headers if flags & 2}

    def build_id(self):
        """The build id in hexadecimal, or None."""
        if ".note.gnu.build-id" not in self.places:
            return None
        _, offset, size = self.places[".note.gnu.build-id"]
        with open(self.path, "rb") as file:
            file.seek(offset)
            note = file.read(size)
        name_size, size = struct.unpack_from(self.order + "II", note)
        return note[12 + name_size:][:size].hex()


def sections_in_memory():
    """The file, the name and the address of each section that GDB knows. For the sections of the program, the file is empty."""
    for line in gdb.execute("info files", to_string=True).splitlines():
        place, is_section, rest = line.strip().partition(" is ")
        if is_section and place.startswith("0x"):
            name, _, file = rest.partition(" in ")
            yield file, name, int(place.split()[0], 16)


class Modules:
    """The program and its libraries, with the addresses at which they are loaded."""

    def __init__(self, folder):
        self.folder = folder  # folder for files that are only on the target
        self.biases = {}      # by path; the program comes first
        executable = gdb.current_progspace().filename
        objfiles = {objfile.filename: objfile for objfile in gdb.objfiles()}
        loaded = {}
        for file, section, address in sections_in_memory():
            loaded.setdefault(file or executable, []).append((section, address))
        for name, sections in sorted(loaded.items(), key=lambda item: item[0] != executable):
            if not name.startswith("system-supplied DSO"):  # of the kernel, which has no file
                self.add(name, objfiles.get(name), sections)

    def add(self, name, objfile, sections):
        try:
            path = self.local(name, objfile)
            places = ElfSections(path).places
            bias = next(address - places[section][0] for section, address in sections if section in places)
            self.biases[str(path)] = bias
        except StopIteration:
            self.leave_out(name, "has none of the sections that GDB knows")
        except (OSError, ValueError, struct.error) as error:
            self.leave_out(name, getattr(error, "strerror", None) or error)
        except gdb.error as error:
            self.leave_out(name, f"the target does not send it: {error}")

    @staticmethod
    def leave_out(name, reason):
        gdb.write(f"fxt: {name}: {reason}; its functions and types are not shown\n", gdb.STDERR)

    def local(self, name, objfile):
        """The path of a module's file on this machine. If this machine does not have the same file, the file is fetched from
        the target."""
        if not name.startswith(ON_TARGET):
            return Path(objfile.username if objfile else name).resolve()
        path = Path(name[len(ON_TARGET):])
        if objfile and objfile.build_id and objfile.build_id == build_id_of(path):
            return path
        copy = self.folder / path.name
        while copy.exists():  # of another module with this name
            copy = copy.parent / "more" / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        gdb.execute(f"remote get {shlex.quote(str(path))} {shlex.quote(str(copy))}", to_string=True)
        return copy


def build_id_of(path):
    try:
        return ElfSections(path).build_id()
    except (OSError, ValueError, struct.error):
        return None


def check_trace():
    """Raises Failure with the reason if there are no frames to save."""
    if gdb.current_progspace().filename is None and not gdb.objfiles():
        raise Failure("no program is being debugged: use `file` and `target remote` first")
    if gdb.selected_inferior().pid == 0:
        raise Failure("no program is running; when a program has ended, its frames are lost: stop it before it ends, for example with "
                      "`break _exit`")
    try:
        status = gdb.execute("tstatus", to_string=True)
    except gdb.error as error:
        raise Failure(f"this target does not support tracepoints ({error}): use gdbserver") from error
    if "can not be run on this target" in status:
        raise Failure("this target does not support tracepoints: use gdbserver")
    if "No trace has been run" in status:
        raise Failure("no trace has been run on this target: set tracepoints, then use `tstart`")


def save_trace(path):
    try:
        gdb.execute(f"tsave {shlex.quote(str(path))}", to_string=True)
    except gdb.error as error:
        raise Failure(f"the trace was not saved: {error}") from error


def convert(output, options, folder, is_kept):
    """Saves the trace and other needed files in a folder, and converts them. If the folder is kept, prints a command that
    converts them again."""
    check_trace()
    converter = program("fxt-convert")
    session = folder / "session.tfile"
    save_trace(session)
    modules = []
    for path, bias in Modules(folder).biases.items():
        modules += ["--program", path, "--load-bias", f"{path}={bias:#x}"]
    run = subprocess.run([converter, *options, *modules, "-o", output, session], check=False, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, errors="replace")
    gdb.write(run.stdout)
    if is_kept:
        gdb.write(f"to convert the trace file again: {shlex.join(['fxt-convert', *modules, str(session), 'OUTPUT'])}\n")
    if run.returncode not in (0, 3):  # 3: done, and --strict found notes
        raise Failure("the trace could not be converted")


class Fxt(gdb.Command):
    """Convert the frames of tracepoints into a timeline.
Usage: fxt [OUTPUT] [-d DIR] [OPTION]...
       fxt open [FILE]...

Saves the frames that the target has collected, as `tsave` does. Then converts
them with fxt-convert. Values and functions are shown with names and types from
the program and all its libraries.

OUTPUT is an FXT file for Perfetto and other viewers, or JSON if its name ends
in .json. The default is PROGRAM.fxt. The OPTIONs are those of fxt-convert, for
example --plot all.

-d DIR keeps the trace file in this directory, as session.tfile, with files that
were fetched from the target.

`fxt open` opens FILEs, or the last OUTPUT, in Perfetto."""

    def __init__(self):
        super().__init__("fxt", gdb.COMMAND_TRACEPOINTS, gdb.COMPLETE_FILENAME)
        self.last_output = None

    def invoke(self, argument, from_tty):
        del from_tty
        self.dont_repeat()
        words = [os.path.expanduser(word) for word in gdb.string_to_argv(argument)]
        try:
            if words[:1] == ["open"]:
                self.open(words[1:])
            else:
                self.convert(words)
        except Failure as failure:
            raise gdb.GdbError(f"fxt: {failure}") from failure
        except OSError as error:
            raise gdb.GdbError(f"fxt: {error.filename}: {error.strerror}") from error

    def convert(self, words):
        output = words.pop(0) if words and not words[0].startswith("-") else default_output()
        folder = None
        if "-d" in words:
            place = words.index("-d")
            if place + 1 == len(words):
                raise Failure("-d needs a directory")
            folder = Path(words[place + 1]).absolute()
            del words[place:place + 2]
            folder.mkdir(parents=True, exist_ok=True)
            convert(output, words, folder, is_kept=True)
        else:
            with tempfile.TemporaryDirectory(prefix="fxt.") as temporary:
                convert(output, words, Path(temporary), is_kept=False)
        self.last_output = output

    def open(self, files):
        files = files or [self.last_output]
        if files == [None]:
            raise Failure("nothing was converted yet: use `fxt OUTPUT` first, or `fxt open FILE`")
        with subprocess.Popen([program("fxt-open", "open-in-perfetto"), *files], stdin=subprocess.DEVNULL) as opener:
            while opener.poll() is None:
                try:
                    opener.wait()
                except KeyboardInterrupt:
                    pass  # Ctrl-C also reaches fxt-open, which then ends


def default_output():
    executable = gdb.current_progspace().filename
    return Path(executable).name + ".fxt" if executable else "session.fxt"


Fxt()
