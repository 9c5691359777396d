"""The part of `fxt-record --gdb` that runs inside GDB. gdbserver runs a program to its end with the tracepoints of a script."""

import re
import shlex
import signal
from pathlib import Path

import gdb

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Signals that do not end a process, unless the program changes that.
HARMLESS = {"SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGWINCH"}
# Gives the program the standard streams of fxt-record. gdbserver's own standard streams are the connection to GDB.
WRAPPER = 'exec "$@" <&{0} >&{1} 2>&{2} {0}<&- {1}>&- {2}>&-\n'


class Failure(Exception):
    """An error with a message for the user."""


def quiet(command):
    return gdb.execute(command, to_string=True)


def resume(folder):
    """Continues the program. The trace does not run yet, so Ctrl-C ends everything."""
    quiet("continue")
    check_interrupted(folder)


def check_interrupted(folder):
    """Raises KeyboardInterrupt if the user has pressed Ctrl-C. fxt-record makes a file for this, because GDB forgets some
    Ctrl-C."""
    if (folder / "interrupted").exists():
        raise KeyboardInterrupt


def start(command, files, folder):
    """Runs the command in gdbserver until the libraries that it is linked with are loaded."""
    wrapper, log = folder / "wrapper", folder / "gdbserver.log"
    wrapper.write_text(WRAPPER.format(*files), encoding="utf-8")
    # A shell reads the words of the wrapper again, so the words are quoted.
    server = ["gdbserver", "--once", "--wrapper", "bash", shlex.quote(str(wrapper)), "--", "-", *command]
    try:
        quiet(f"target remote | exec {shlex.join(server)} 2>{shlex.quote(str(log))}")
    except gdb.error as error:
        said = log.read_text(errors="replace").strip() if log.exists() else ""
        raise Failure(f"gdbserver does not run {command[0]}: {said or error}") from error
    entry = next(int(line.split()[-1], 16) for line in quiet("info files").splitlines() if "Entry point: " in line)
    if int(gdb.parse_and_eval("(unsigned long) $pc")) != entry:
        gdb.Breakpoint(f"*{entry:#x}", internal=True, temporary=True)
        resume(folder)


def is_alive():
    return gdb.selected_inferior().pid != 0


def pending_tracepoints():
    return [line.split("<PENDING>")[1].strip() for line in quiet("info tracepoints").splitlines() if "<PENDING>" in line]


def wait_for_libraries(folder):
    """Runs the program until it has loaded the libraries of all tracepoints."""
    quiet("set stop-on-solib-events 1")
    while missing := pending_tracepoints():
        resume(folder)
        if not is_alive():
            raise Failure(f"nothing was recorded: neither the program nor a library that it loads has {', '.join(missing)}")
    quiet("set stop-on-solib-events 0")


def stop_at_exit():
    """Stops the program just before it exits. After the exit, its frames are lost."""
    try:
        gdb.decode_line("_exit")
    except gdb.error:
        quiet("catch syscall exit_group")  # this slows all system calls
    else:
        gdb.Breakpoint("_exit", internal=True)


def is_handled(name):
    """True if the program continues after this signal."""
    if name in HARMLESS:
        return True
    number = int(name[3:]) if name[3:].isdigit() else getattr(signal, name, 0)
    masks = Path(f"/proc/{gdb.selected_inferior().pid}/status").read_text(encoding="utf-8")
    return any(int(line.split()[1], 16) >> (number - 1) & 1 for line in masks.splitlines() if line.startswith(("SigCgt:", "SigIgn:")))


def go_to_living(inferior):
    """Stops the other processes after a process has ended, and selects one. Returns true if this process is about to exit.

    After one of several processes has ended, gdbserver 13 continues the other processes, although GDB shows them as stopped.
    The packet "?" stops them, and must be sent before GDB reads their registers. GDB does not report a stop before an exit.
    """
    quiet("maintenance packet ?")
    quiet("maintenance flush register-cache")
    quiet(f"inferior {inferior.num}")
    try:
        return gdb.newest_frame().pc() in {place.pc for place in gdb.decode_line("_exit")[1]}
    except gdb.error:
        return False  # the program has no function _exit; the catchpoint stops it


def others():
    return [inferior for inferior in gdb.inferiors() if inferior != gdb.selected_inferior()]


def goes_on(stop):
    """True if the program can continue after this stop. False after a breakpoint of the script, and after Ctrl-C."""
    name = getattr(stop, "stop_signal", None)
    if name in ("SIGINT", "SIGTRAP"):
        return False
    if name:
        if is_handled(name):
            return True
        gdb.write(f"the program gets {name}, which ends it\n", gdb.STDERR)
        return False
    return is_exit(stop) and any(inferior.pid != 0 for inferior in others())


def is_exit(stop):
    """True if a process is about to exit. Either it is at our breakpoint, which has a negative number, or our catchpoint has
    caught the system call. GDB reports no breakpoint for the catchpoint."""
    hit = getattr(stop, "breakpoint", None)
    return not hasattr(stop, "stop_signal") and (hit is None or hit.number < 0)


def run():
    """Runs the program until one of these: a breakpoint of the script, Ctrl-C, a signal that ends it, or the exit of the last process.
    Returns true for the exit."""
    stops = []
    gdb.events.stop.connect(stops.append)
    while True:
        quiet("continue")
        if is_alive() and not goes_on(stops[-1]):
            return is_exit(stops[-1])
        living = [inferior for inferior in gdb.inferiors() if inferior.pid != 0]
        if not living:
            raise Failure("nothing was recorded: the program has ended, so its frames are lost")
        if not is_alive():
            is_at_end = go_to_living(living[0])
            if is_at_end and len(living) == 1:
                return True
        for ended in others():
            if ended.pid == 0:
                quiet(f"remove-inferiors {ended.num}")


def record(command, script, files, folder):
    """Records the program. Returns true if it is about to exit."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)  # fxt-record has blocked these signals
    quiet("set suppress-cli-notifications on")  # no messages about each stop
    quiet("set confirm off")
    quiet("set sysroot")  # GDB reads files of this machine directly, and not through gdbserver
    quiet("set breakpoint pending on")
    # GDB must not detach from a forked child: the child still has the tracepoints, and the first tracepoint would kill it.
    quiet("set detach-on-fork off")
    quiet("set schedule-multiple on")
    quiet("set print inferior-events off")
    start(command, files, folder)
    quiet("set suppress-cli-notifications off")
    try:
        gdb.execute(f"source {script}")
    except gdb.error as error:
        problem = str(error).replace("Error in sourced command file:\n", "").rstrip(".")
        if problem == "Quit":  # Ctrl-C
            raise KeyboardInterrupt from error
        has_lines = not re.search(r"<.+\+\d+>", quiet("info tracepoints"))  # without -g, GDB shows "<work+4>" and not "in work at draw.c:3"
        raise Failure(problem if has_lines else f"{problem}; compile the program with -g") from error
    quiet("set suppress-cli-notifications on")
    if not is_alive():
        raise Failure(f"nothing was recorded: the program ended while {script} was read; use only commands that set tracepoints")
    if "No tracepoints" in quiet("info tracepoints"):
        raise Failure(f"{script} sets no tracepoint; add one with `trace FUNCTION`, `actions`, …")
    wait_for_libraries(folder)
    stop_at_exit()
    check_interrupted(folder)
    quiet("tstart")
    (folder / "begun").touch()
    # With "on", GDB would send all tracepoints again after each loaded library, and gdbserver would refuse them.
    quiet("set remote install-in-trace-packet off")
    is_at_end = run()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # after a second signal, the frames would be lost
    quiet("tstop")
    if "Collected 0 trace frames" in quiet("tstatus"):
        raise Failure(f"nothing was recorded: the program did not reach the tracepoints of {script}")
    return is_at_end


def convert(output, data, folder):
    """Converts the trace. The folder `data` gets the trace file. If `data` is None, `folder` gets the trace file if the
    conversion fails."""
    try:
        gdb.execute(shlex.join(["fxt", output, *(["-d", data] if data else [])]))
    except gdb.error as error:
        if data is None:
            quiet(f"tsave {shlex.quote(str(folder / 'session.tfile'))}")
        raise Failure(error) from error


def main(command, script, files, folder, output, data):
    """Records and converts. If anything fails, GDB ends with exit code 1, and fxt-record reports the problem."""
    folder = Path(folder)
    try:
        is_at_end = record(command, script, files, folder)
        convert(output, data, folder)
        (folder / "done").touch()
        if is_at_end:
            quiet("delete")
            quiet("continue")
    except (Failure, gdb.error) as problem:
        (folder / "problem").write_text(str(problem), encoding="utf-8", errors="surrogateescape")
        gdb.execute("quit 1")
    except KeyboardInterrupt:
        (folder / "interrupted").touch()
        gdb.execute("quit 1")
