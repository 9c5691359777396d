"""Functions for all scripts: finding the programs and their version, and rejecting wrong options."""

import argparse
import contextlib
import difflib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.setrecursionlimit(5000)  # os.walk() is recursive before Python 3.12, and a path can have 2048 folders
NAME = Path(sys.argv[0]).name
# The first bytes of FXT files, and of files that gzip or zstd have compressed.
BEGINNINGS = (b"\x10\x00\x04FxT\x16\x00", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


def fail(message, code=1):
    print(f"{NAME}: {message}", file=sys.stderr)
    sys.exit(code)


def shown(path):
    """The path as printable text. Characters that are not printable, and bytes that are not UTF-8, are escaped."""
    return "".join(letter if letter.isprintable() else
                   "".join(f"\\x{byte:02x}" for byte in letter.encode(errors="surrogateescape")) for letter in str(path))


@contextlib.contextmanager
def writing_into(folder, path):
    """If the block raises an OSError, raises an OSError about `path` instead. Its text names the folder."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"can't write into {shown(folder)}: {error.strerror}", str(path)) from error


def drop_output():
    """Drops the output that is still buffered."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def path_from(text):
    """Converts an argument to a path. Rejects "", because Path("") would be the current directory."""
    if not text:
        raise argparse.ArgumentTypeError("a name is empty")
    if re.match("[a-z]+://", text):
        raise argparse.ArgumentTypeError(f"{text} is not a path; download the file first")
    return Path(text)


def reason_against(path):
    """The reason why the path can't be used, for example "Permission denied". None if the path exists."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return "No such file or directory"
    except OSError as error:
        return error.strerror
    return None


def path_of(name, script, here):
    """Returns the path of a program. Searches in this order: the variable in the environment, the folder `here`, the folder
    of the link to the running script, the built programs, the script in `here`, PATH. Raises LookupError with a message if
    there is no such program."""
    variable = name.upper().replace("-", "_")
    named = os.environ.get(variable)
    if named and not (os.path.isfile(named) and os.access(named, os.X_OK)):
        reason = reason_against(named) or (
            "is a directory" if os.path.isdir(named) else "is not executable; use chmod +x" if os.path.isfile(named) else "is not a regular file")
        raise LookupError(f"{variable}: {named}: {reason}")
    places = [named, here / name, Path(os.path.abspath(sys.argv[0])).parent / name, here.parent / "build/release/bin" / name, here / script]
    found = next((place for place in places if place and os.path.isfile(place)), None) or shutil.which(name)
    if not found:
        in_sources = here.name == "scripts"
        raise LookupError(f"{name} is missing; build it with: cmake --preset release && cmake --build --preset release" if in_sources
                          else f"{name} is missing in {here} and in PATH")
    return os.path.abspath(found)


def program(name, script="", code=1):
    """Like path_of() for the folder of the running script. If there is no such program, exits with the code."""
    try:
        return path_of(name, script, Path(sys.argv[0]).resolve().parent)
    except LookupError as error:
        return fail(error.args[0], code)


class Parser(argparse.ArgumentParser):
    """Reports wrong options like the C++ programs, and suggests similar options."""

    unknown = ""  # advice for an unknown option that is not similar to a known one
    no_program = 1  # exit code if a program is missing

    def error(self, message):
        wrong = re.fullmatch(r"unrecognized arguments: --?([^ =]+).*", message)
        known = [name[2:] for name in self._option_string_actions if name.startswith("--")]
        similar = difflib.get_close_matches(wrong[1], known) if wrong else []
        meant = f"; did you mean --{', --'.join(similar)}?" if similar else self.unknown if wrong else ""
        self.exit(2, f"{NAME}: {message}{meant}\nTry '{NAME} --help'.\n")


class Version(argparse.Action):
    """The version of the scripts is the version of the programs."""

    def __call__(self, parser, namespace, values, option_string=None):
        said = subprocess.run([program("fxt-convert", code=parser.no_program), "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
        print(said.splitlines()[0].replace("fxt-convert", NAME))
        parser.exit()
