"""Ends a script on Ctrl-C, SIGTERM or SIGHUP: first the programs that it has started, then its temporary folders.

The script works in a second thread, and the first one waits for signals. Therefore, a signal raises no exception in the script. Each
signal reaches the program that runs, even if it comes when the program is just starting.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

from fxt_scripts import NAME, drop_output, shown

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WAIT_S = 10  # for a program that is asked to end
LOCK = threading.RLock()  # if a signal ends the script, this is never released: then the script starts no program and makes no folder
RUNNING = {}  # programs; the value is true until a signal to the process group certainly reaches them
FOLDERS = []  # temporary folders
TAKERS = []  # at most one function, which gets signals instead of ending the script
TAKEN = []  # the numbers of all signals that did not end the script
EARLY = []  # of these, the ones for the next program
CODES = {}  # exit codes for signals, if they differ from the usual ones
ENDS, ENDED = socket.socketpair()  # gets the number of each signal, and 0 from settle()
ASKED = []  # events of settle()


def take_signals(taker):
    """From now on, a signal calls taker(process, number, is_new) for the running program, or for the next one, and does not
    end the script. If is_new is true, the terminal has not sent Ctrl-C to the program. None: a signal ends the script again."""
    with LOCK:
        TAKERS[:] = [taker] if taker else []
        EARLY.clear()


def settle():
    """Returns when all signals that have come so far are handled."""
    settled = threading.Event()
    ASKED.append(settled)
    with contextlib.suppress(BlockingIOError):  # there are already bytes to read
        ENDED.send(b"\0")
    settled.wait()


@contextlib.contextmanager
def running(command, **options):
    """A program, which a signal ends together with the script. Waits for its end."""
    with LOCK:
        process = subprocess.Popen(command, **options)  # pylint: disable=consider-using-with
        RUNNING[process] = True
    try:
        with process:
            settle()
            with LOCK:
                RUNNING[process] = False
                while EARLY:
                    TAKERS[0](process, EARLY.pop(), True)
            yield process
    finally:
        settle()
        with LOCK:
            del RUNNING[process]


def run(command, **options):
    """Like subprocess.run()."""
    with running(command, **options) as process:
        out, error = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, out, error)


def temporary_folder(prefix, place=None):
    """Makes a folder that is removed when the script ends."""
    with LOCK:
        FOLDERS.append(Path(tempfile.mkdtemp(prefix=prefix, dir=place)))
        return FOLDERS[-1]


def keep(folder, name=None):
    """The folder is not temporary any more, and may get another name."""
    with LOCK:
        if name:
            folder.rename(name)
        FOLDERS.remove(folder)


def clean():
    for process in RUNNING:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
    for process in RUNNING:
        try:
            process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for folder in FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


def handle(number):
    with LOCK:
        if not TAKERS:
            clean()
            if number == signal.SIGINT and sys.stderr.isatty():
                os.write(sys.stderr.fileno(), b"\n")  # after the ^C
            os._exit(CODES.get(number, 128 + number))
        TAKEN.append(number)
        if not RUNNING:
            EARLY.append(number)
        for process, is_new in RUNNING.items():
            TAKERS[0](process, number, is_new)


def result_of(main):
    """The result of main(): an exit code, or the command that replaces the script. Neither a standard output that is closed or full,
    nor a file that can't be used, leads to a traceback."""
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except SystemExit as exit_:
        return exit_.code
    except OSError as error:
        drop_output()
        return 1 if isinstance(error, BrokenPipeError) else f"{NAME}: {shown(error.filename or 'standard output')}: {error.strerror}"
    except BaseException:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        return 1


def call(main, on_interrupt):
    """Ends the script with the result of main(), or when a signal comes. `on_interrupt` is the first handler of Ctrl-C."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # it was closed before the script began
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))
    ENDED.setblocking(False)
    signal.set_wakeup_fd(ENDED.fileno(), warn_on_full_buffer=False)
    if on_interrupt == signal.SIG_IGN:
        signal.signal(signal.SIGINT, on_interrupt)
    numbers = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    for number in numbers:
        signal.signal(number, lambda *_: None)
    results = []

    def work():
        results.append(result_of(main))
        settle()
    threading.Thread(target=work, daemon=True).start()
    while not results:
        first = ENDS.recv(1)
        asked = ASKED[:]  # the bytes of signals that came before are written now
        for number in filter(None, first + came_meanwhile()):
            handle(number)
        for settled in asked:
            ASKED.remove(settled)
            settled.set()
    with LOCK:
        clean()
    if isinstance(results[0], list):
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        for number in came_meanwhile():
            sys.exit(128 + number)
        os.execv(results[0][0], results[0])
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)  # otherwise, Python would restore the default while it ends, and a late signal would kill it
    sys.exit(results[0])


def came_meanwhile():
    try:
        return ENDS.recv(1 << 16, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return b""
