"""The viewers of fxt-open other than Perfetto. magic-trace is a web page that receives traces in the same way as Perfetto.
Tracy and speedscope are programs that open files of their own formats."""

import os
import shutil
import sys
from pathlib import Path
from subprocess import DEVNULL

import fxt_ending
from fxt_scripts import NAME, program, shown
from fxt_views import is_trace

PAGES = {"perfetto": "https://ui.perfetto.dev", "magic-trace": "https://magic-trace.org"}
# The names of each program, and how to get it.
PROGRAMS = {
    "tracy": (("tracy-profiler", "tracy"), "on Debian 13 and later: apt install tracy-profiler tracy-import-fuchsia"),
    "speedscope": (("speedscope",), "npm install -g speedscope"),
}
VIEWERS = (*PAGES, *PROGRAMS)


def run(command, failure, **options):
    """Runs the command. If the command fails, prints `failure` and exits."""
    if (code := fxt_ending.run(command, **options).returncode) != 0:
        sys.exit(f"{NAME}: {failure} (exit code {code})")


def made_for(viewer, path, folder):
    """Converts a recording or a trace to a file of the viewer's format."""
    name = os.fsdecode(os.fsencode(path.resolve().name)[:200])
    failure = f"{shown(path)}: could not be converted"
    if viewer == "speedscope":
        output = folder / f"{name}.json"
        run([program("fxt-cut" if is_trace(path) else "fxt-convert"), "-q", "--", path, output], failure)
        return output
    if is_trace(path):
        trace = folder / path.resolve().name
        trace.symlink_to(path.resolve())
    else:
        trace = folder / f"{name}.fxt"
        run([program("fxt-convert"), "-q", "--", path, trace], failure)
    run([program("fxt-to-tracy", "to-tracy"), "--", trace], failure, stdout=DEVNULL)
    return next(folder.glob("*.tracy"))


def show(viewer, inputs, folder):
    """Opens the inputs in the viewer, one after the other. Each time, waits until the viewer has ended."""
    names, advice = PROGRAMS[viewer]
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        sys.exit(f"{NAME}: {names[0]} is not in PATH; {advice}")
    for number, path in enumerate(inputs):
        path.stat()
        own = Path(folder) / str(number)
        own.mkdir()
        run([found, made_for(viewer, path, own)], f"{names[0]} failed")
