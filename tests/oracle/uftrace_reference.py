"""The data of uftrace for a recording: its raw dump and its report, and the calls that follow from them."""

import re
import shutil
import struct
from collections import defaultdict
from dataclasses import dataclass

_DUMP_LINE = re.compile(rb"(\d+)\.(\d{9}) +(\d+): \[(entry|exit |lost )\] (.*)\(([0-9a-f]+)\) depth: (\d+)$")
_LOST_LINE = re.compile(rb"(\d+)\.(\d{9}) +(\d+): \[lost \]")
# For each unit, the length of the unit in ns, and the value of the last printed digit in ns. For us, ms and s,
# the last digit counts thousandths of the unit. For minutes, it counts seconds. For hours, it counts minutes.
_UNITS = {"us": (1_000, 1), "ms": (1_000_000, 1_000), "s": (1_000_000_000, 1_000_000),
          "m": (60_000_000_000, 1_000_000_000), "h": (3_600_000_000_000, 60_000_000_000)}
KERNEL, ESTIMATED_EXITS, SYMBOL_SIZES = 1 << 2, 1 << 11, 1 << 12  # bits of the features in the file info
NEWER_EVENTS = {100012, 100013}  # watched variables and call sites, at which v0.13 stops
DEPTH_LIMIT = 1024  # ten bits of a record are its depth


@dataclass(slots=True)
class Record:
    kind: str  # entry, exit or lost
    time: int
    name: str
    depth: int
    address: int


@dataclass(slots=True)
class Call:
    """A call. `end` is None if the records do not show its end."""
    name: str
    begin: int
    depth: int
    address: int
    end: int = None
    position_known: bool = True  # false if the call is inside lost calls, so that its depth is unknown
    under_itself: bool = False  # true if the call is inside another call of the same function, so that it adds nothing to the function's total time
    inherited: bool = False  # true if only the exit of the call was recorded


def readable_copy(recording, directory):
    """A copy of the recording that v0.13 can read as well as newer versions: without sizes of symbols and unsupported events.

    The memory map also has the libraries that were loaded later, because filters use only the map. The copy has no
    default.opts, because uftrace would apply these options to its own command line.
    """
    copy = directory / f"{recording.name}.readable"
    if copy.exists():
        return copy
    shutil.copytree(recording, copy, ignore=shutil.ignore_patterns(".channel"))  # a FIFO
    (copy / "default.opts").unlink(missing_ok=True)
    for path in copy.glob("*.sym"):
        text = path.read_text(errors="surrogateescape")
        path.write_text(re.sub(r"^([0-9a-f]{16}) [0-9a-f]+ (\S )", r"\1 \2", text, flags=re.MULTILINE),
                        errors="surrogateescape")
    info = bytearray((copy / "info").read_bytes()) if (copy / "info").exists() else bytes(16)
    if info[14] == 1:
        info[16:24] = (features(info) & ~SYMBOL_SIZES).to_bytes(8, "little")
        (copy / "info").write_bytes(info)
        for path in copy.glob("[0-9]*.dat"):
            path.write_bytes(without_newer_events(path.read_bytes()))
    map_loaded_libraries(copy)
    return copy


def is_same_name(ours, theirs):
    """True if both names mean the same function. uftrace leaves some names mangled, and omits the parts of coroutines. In
    Rust's v0 names, it drops the sign of a constant, and a `()` after two closures."""
    return theirs.startswith(("_R", "_Z")) or without_what_uftrace_drops(ours) == without_what_uftrace_drops(theirs)


def without_what_uftrace_drops(name):
    return re.sub(r"\.(actor|destroy|ramp)$|(?<=[<,])-(?=\d)|,\(\)", "", name)


def without_newer_events(data):
    words, kept = memoryview(data)[:len(data) // 8 * 8].cast("Q"), bytearray()
    start, at = 0, 1
    while at + 1 < len(words):
        if words[at] & 0x3F == 0x2F and words[at] >> 16 in NEWER_EVENTS:
            kept += data[start:at * 8 - 8]
            at += 1 + ((words[at + 1] & 0xFFFF) + 2 + 7) // 8
            start = at * 8
        at += 1
    return bytes(kept) + data[start:]


def map_loaded_libraries(recording):
    """Adds the loaded libraries to the maps, if no other image has or had their addresses."""
    text = (recording / "task.txt").read_text(errors="replace")
    loaded = set(re.findall(r'^DLOP .* sid=(\w+) base=(\w+) libname="(.*)"$', text, re.MULTILINE))
    for session, base, path in loaded:
        if any((session, base) == other[:2] and path != other[2] for other in loaded):
            continue
        symbols, memory = recording / f"{path.split('/')[-1]}.sym", recording / f"sid-{session}.map"
        if not symbols.exists() or not memory.exists():
            continue
        last = max(int(address, 16) for address in re.findall(r"^([0-9a-f]{16}) ", symbols.read_text(errors="replace"),
                                                              re.MULTILINE))
        start, end = int(base, 16), int(base, 16) + (last // 4096 + 1) * 4096
        whole = path.replace(" ", "_")  # uftrace cuts paths at the first blank
        (recording / f"{whole.split('/')[-1]}.sym").write_text(symbols.read_text(errors="surrogateescape")
                                                               .replace(path, whole), errors="surrogateescape")
        lines = memory.read_text().splitlines()
        ranges = [tuple(int(address, 16) for address in line.split()[0].split("-")) for line in lines]
        if all(end <= low or high <= start for low, high in ranges):
            lines.append(f"{start:x}-{end:x} r-xp 00000000 00:00 0                          {whole}")
            memory.write_text("\n".join(sorted(lines)) + "\n")


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
    """{tid: [Record]} of the plain records in the files of a recording, without names; None if it has other records."""
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
    """The calls of one thread, in the order of their entries, and the names of functions that uftrace reports a second time.

    setjmp returns without being open, once for each longjmp. `image_starts` are the times at which an exec started another
    program in the thread, which ends all calls.
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
        while depth + DEPTH_LIMIT // 2 < len(stack):  # the depth has overflowed
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
                # After a longjmp, uftrace reports the calls around setjmp a second time.
                returned_again.update([record.name, *(open_call.name for open_call in stack[:depth])])
            del stack[depth:]
    return calls, returned_again


def parse_report(text):
    """{function: (total ns, value of the last digit in ns, calls)} from `uftrace report`."""
    rows, columns = {}, 0
    for line in text.decode(errors="replace").splitlines():
        if set(line) <= {" ", "="} and "=" in line:
            columns = len(line.split())
            continue
        fields = line.split()
        if columns == 0 or len(fields) < 4:
            continue
        match = re.match(r"\s*(\d+)\.(\d{3})\s+(us|ms|s|m|h)\s", line)
        # Columns between Total and Calls may be empty. Calls is the last number without a unit.
        calls = re.search(r"\s(\d+)  (\S.*)$", line)
        if match and calls:
            rows[calls[2].rstrip()] = (*time_of(*match.groups()), int(calls[1]))
    return rows


def time_of(whole, digits, unit):
    """(the time in ns, the value of its last digit in ns)."""
    one, last = _UNITS[unit]
    return int(whole) * one + int(digits) * last, last


def parse_task_report(text):
    """{tid: name} of `uftrace report --task`."""
    names = {}
    for line in text.decode(errors="replace").splitlines():
        if match := re.search(r"\s(\d+)  +\d+  (\S.*)$", line):
            names[int(match[1])] = match[2].rstrip()
    return names


def image_starts(task_text):
    """{tid: times of exec in ns} from task.txt: every SESS of a process, except the first of a process that was not forked."""
    starts = defaultdict(list)
    for match in re.finditer(r"^SESS timestamp=(\d+)\.(\d{9}) (?:pid|tid)=(\d+)", task_text, re.MULTILINE):
        starts[int(match[3])].append(int(match[1]) * 10**9 + int(match[2]))
    return {tid: times[1:] if tid not in forked(task_text) else times for tid, times in starts.items()}


def features(info):
    """The feature bits of the file `info`."""
    return int.from_bytes(info[16:24], "little" if info[14] == 1 else "big")


def forked(task_text):
    """Ids of processes that were created by fork."""
    return {int(pid) for pid in re.findall(r"^FORK timestamp=\S+ pid=(\d+)", task_text, re.MULTILINE)}
