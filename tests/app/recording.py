"""A recording of one thread, for tests that generate its records."""

TASKS = """\
SESS timestamp=1.000000000 pid=1000 sid=00000000000000aa exename="/usr/bin/app"
TASK timestamp=1.000000000 tid=1000 pid=1000
"""
MAP = "400000-401000 r-xp 00000000 00:00 0 /usr/bin/app\n"


def entry(time, depth, address):
    return record(time, 0, depth, address)


def leave(time, depth, address):
    return record(time, 1, depth, address)


def record(time, kind, depth, address):
    return time.to_bytes(8, "little") + (address << 16 | depth << 6 | 5 << 3 | kind).to_bytes(8, "little")


def write_recording(directory, records):
    """Writes a recording of thread 1000 and returns its directory; `records` are pieces of bytes."""
    directory.mkdir()
    (directory / "task.txt").write_text(TASKS)
    (directory / "sid-00000000000000aa.map").write_text(MAP)
    with (directory / "1000.dat").open("wb") as file:
        file.writelines(records)
    return directory
