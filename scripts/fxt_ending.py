"""Ends a script on Ctrl-C, SIGTERM or SIGHUP. Before that, ends the programs that the script has started, and removes its
temporary folders.

The script works in a second thread, and the first thread waits for signals. Therefore, a signal raises no exception in the
script. A signal also ends a program that is just starting.
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
WAIT_S = 10  # time between SIGTERM and SIGKILL for a program
LOCK = threading.RLock()  # when a signal ends the script, this lock stays locked, so that the script starts no program and makes no folder
RUNNING = {}  # programs; the value is true for a new program, which a signal of the terminal may not have reached
FOLDERS = []  # temporary folders
TAKERS = []  # at most one function, which gets the signals; without a function, a signal ends the script
TAKEN = []  # the numbers of all signals that did not end the script
EARLY = []  # the signals in TAKEN that came while no program ran, for the next program
CODES = {}  # exit codes for signals, if they differ from the usual ones
ENDS, ENDED = socket.socketpair()  # receives the number of each signal, and 0 from settle()
ASKED = []  # events for which settle() waits


def take_signals(taker):
    """From now on, a signal does not end the script, but calls taker(process, number, is_new) for the running or next program.

    If is_new is true, the terminal has not sent Ctrl-C to the program. With taker=None, a signal ends the script again.
    """
    with LOCK:
        TAKERS[:] = [taker] if taker else []
        EARLY.clear()


def settle():
    """Waits until all signals that came before this call are handled."""
    settled = threading.Event()
    ASKED.append(settled)
    with contextlib.suppress(BlockingIOError):  # there are already bytes to read
        ENDED.send(b"\0")
    settled.wait()


@contextlib.contextmanager
def running(command, **options):
    """Starts a program, and waits for its end at the end of the block. A signal that ends the script also ends the program."""
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
    """Keeps a temporary folder after the end of the script. With `name`, renames the folder."""
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
    """The result of main(): an exit code, a message, or the command that replaces the script. An OSError, for example from a
    full disk, causes no traceback."""
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
    """Ends the script with the result of main(), or because of a signal. `on_interrupt` is the handler of Ctrl-C when the
    script began."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # the stream was closed before the script began
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
        asked = ASKED[:]  # all signals that came before these settle() calls have written their bytes
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
        signal.signal(number, signal.SIG_IGN)  # otherwise, a late signal would kill Python while Python ends
    sys.exit(results[0])


def came_meanwhile():
    try:
        return ENDS.recv(1 << 16, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return b""
