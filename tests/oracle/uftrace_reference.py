"""What uftrace itself says about a recording: its raw dump and its report, and the calls that follow from them."""

import re
import struct
from collections import defaultdict
from dataclasses import dataclass

_DUMP_LINE = re.compile(rb"(\d+)\.(\d{9}) +(\d+): \[(entry|exit |lost )\] (.*)\(([0-9a-f]+)\) depth: (\d+)$")
_LOST_LINE = re.compile(rb"(\d+)\.(\d{9}) +(\d+): \[lost \]")
_UNITS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000}
KERNEL, ESTIMATED_EXITS = 1 << 2, 1 << 11  # features
DEPTH_LIMIT = 1024  # a recorded depth has ten bits


@dataclass(slots=True)
class Record:
    kind: str  # entry, exit or lost
    time: int
    name: str
    depth: int
    address: int


@dataclass(slots=True)
class Call:
    """A call that was entered on the record. `end` is None where the records do not tell when it ended."""
    name: str
    begin: int
    depth: int
    address: int
    end: int = None
    position_known: bool = True  # false when it lies inside calls that were lost
    under_itself: bool = False   # inside another call of the same function: adds nothing to its total time
    inherited: bool = False      # not entered on the record: only the exit was seen


def parse_dump(text):
    """{tid: [Record]} of `uftrace dump`; events, perf and kernel records are left out."""
    threads, user = defaultdict(list), True
    for line in text.splitlines():
        if line.startswith(b"reading "):
            user = line.endswith(b".dat") and not line.startswith((b"reading kernel", b"reading perf"))
        if not user:
            continue
        if match := _DUMP_LINE.match(line):
            seconds, ns, tid, kind, name, address, depth = match.groups()
            threads[int(tid)].append(Record(kind.decode().strip(), int(seconds) * 10**9 + int(ns),
                                            name.decode(errors="replace"), int(depth), int(address, 16)))
        elif match := _LOST_LINE.match(line):
            threads[int(match[3])].append(Record("lost", 0, "", 0, 0))
    return threads


def read_records(recording):
    """{tid: [Record]} of the plain records in the files of a recording, without names; None when it has others."""
    threads = {}
    for path in recording.glob("[0-9]*.dat"):
        records = threads[int(path.stem)] = []
        data = path.read_bytes()
        for time, word in struct.iter_unpack("<QQ", data[:len(data) // 16 * 16]):
            kind, more, magic, depth, address = word & 3, word >> 2 & 1, word >> 3 & 7, word >> 6 & 0x3FF, word >> 16
            if more or magic != 5 or kind == 3:
                return None
            records.append(Record(("entry", "exit", "lost")[kind], time, "", depth, address))
    return threads


def calls_of(records, image_starts=()):
    """The calls of one thread, in the order of their entries, from its records; and the names of the functions
    that returned without being open (setjmp does, once more for every longjmp).

    `image_starts`: the times at which the thread got another program by exec; nothing stays open across one.
    """
    calls, stack, starts, returned_again = [], [], sorted(image_starts), set()

    def placeholder():
        return Call("", 0, len(stack), 0, position_known=False, inherited=True)

    for record in records:
        while starts and record.time >= starts[0]:
            stack.clear()
            starts.pop(0)
        if record.kind == "lost":
            continue
        depth = record.depth
        while depth + DEPTH_LIMIT // 2 < len(stack):  # it wrapped
            depth += DEPTH_LIMIT
        if record.kind == "entry":
            while len(stack) < depth:
                stack.append(placeholder())
            del stack[depth:]
            call = Call(record.name, record.time, depth, record.address,
                        position_known=all(open_call.position_known for open_call in stack),
                        under_itself=any(open_call.address == record.address for open_call in stack))
            stack.append(call)
            calls.append(call)
        else:
            while len(stack) <= depth:
                stack.append(placeholder())
            call = stack[depth]
            if call.inherited:
                calls.append(Call(record.name, record.time, depth, record.address, record.time, inherited=True))
            elif call.address == record.address:
                call.end = record.time
            else:
                returned_again.add(record.name)
            del stack[depth:]
    return calls, returned_again


def parse_report(text):
    """{function: (total ns, half a unit of the last digit, calls)} of `uftrace report`."""
    rows, columns = {}, 0
    for line in text.decode(errors="replace").splitlines():
        if set(line) <= {" ", "="} and "=" in line:
            columns = len(line.split())
            continue
        fields = line.split()
        if columns == 0 or len(fields) < 4:
            continue
        match = re.match(r"\s*(\d+)\.(\d{3})\s+(us|ms|s|m|h)\s", line)
        # The columns between Total and Calls may be empty; Calls is the last number with no unit behind it.
        calls = re.search(r"\s(\d+)  (\S.*)$", line)
        if match and calls:
            unit = _UNITS[match[3]]
            rows[calls[2].rstrip()] = (int(match[1]) * unit + int(match[2]) * unit // 1000, unit // 1000,
                                       int(calls[1]))
    return rows


def parse_task_report(text):
    """{tid: name} of `uftrace report --task`."""
    names = {}
    for line in text.decode(errors="replace").splitlines():
        if match := re.search(r"\s(\d+)  +\d+  (\S.*)$", line):
            names[int(match[1])] = match[2].rstrip()
    return names


def image_starts(task_text):
    """{tid: times of exec in ns} of task.txt: every SESS of a process behind the first."""
    starts = defaultdict(list)
    for match in re.finditer(r"^SESS timestamp=(\d+)\.(\d{9}) (?:pid|tid)=(\d+)", task_text, re.MULTILINE):
        starts[int(match[3])].append(int(match[1]) * 10**9 + int(match[2]))
    return {tid: times[1:] if tid not in forked(task_text) else times for tid, times in starts.items()}


def features(info):
    """The feature bits of the file `info`."""
    return int.from_bytes(info[16:24], "little" if info[14] == 1 else "big")


def forked(task_text):
    """Process ids that came to be by fork."""
    return {int(pid) for pid in re.findall(r"^FORK timestamp=\S+ pid=(\d+)", task_text, re.MULTILINE)}
