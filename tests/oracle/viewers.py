"""Models of Perfetto and Tracy: how each viewer rebuilds nested calls from an FXT file, including the viewer's errors.

Perfetto sorts all events by time, and keeps the order in the file for equal times. Perfetto has a stack of open calls for
each thread. A complete event leaves the stack before the next event at or after its end. Tracy splits each complete event
into a start and an end, sorts starts and ends in the same way, and pairs each end with the innermost start, regardless of
names.
"""

from collections import defaultdict
from dataclasses import dataclass

import fxt_reader as fxt

PERFETTO_MAX_DEPTH = 512


@dataclass(slots=True)
class Slice:
    """A call as a viewer draws it. `end` is None if it did not end."""
    thread: tuple
    category: str
    name: str
    begin: int
    end: int
    depth: int
    args: dict


class PerfettoView:
    """`slices` are in the order of their starts, and `complaints` are the errors that Perfetto counts."""

    def __init__(self, events):
        self.slices, self.complaints = [], []
        self._stacks = defaultdict(list)
        for event in sorted(events, key=lambda event: event.time):
            if event.type in (fxt.BEGIN, fxt.COMPLETE):
                self._begin(event, event.extra if event.type == fxt.COMPLETE else None)
            elif event.type == fxt.END:
                self._end(event)
            elif event.type >= fxt.FLOW_BEGIN:
                self._close_finished(event.time, self._stacks[event.thread])
                if not self._stacks[event.thread]:
                    self._complain("flow_no_enclosing_slice", event)
        for stack in self._stacks.values():
            for call in stack:
                if call.end is None:
                    self.complaints.append(f"did not end: {call.name} from {call.begin}")

    def _complain(self, what, event):
        self.complaints.append(f"{what}: {event.name} at {event.time} on thread {event.thread[1]}")

    def _close_finished(self, time, stack):
        """Removes the calls that have ended from the stack. An unfinished call inside such a call is removed with it."""
        unfinished_inside = False
        for i in reversed(range(len(stack))):
            if stack[i].end is None:
                unfinished_inside = True
            elif unfinished_inside:
                if time > stack[i].end:
                    self.complaints.append(f"misplaced_end_event: {stack[i].name} ended before what is inside it")
                    del stack[i:]
                    unfinished_inside = False
            elif stack[i].end <= time:
                del stack[i]

    def _begin(self, event, end):
        stack = self._stacks[event.thread]
        self._close_finished(event.time, stack)
        if stack and stack[-1].end is not None and end is not None and end > stack[-1].end:
            self._complain("slice_drop_overlapping_complete_event", event)
            return
        if len(stack) >= PERFETTO_MAX_DEPTH:
            self._complain("slice_too_deep", event)
            return
        call = Slice(event.thread, event.category, event.name, event.time, end, len(stack), dict(event.args))
        stack.append(call)
        self.slices.append(call)

    def _end(self, event):
        stack = self._stacks[event.thread]
        self._close_finished(event.time, stack)
        for i in reversed(range(len(stack))):
            call = stack[i]
            if call.end is None and (call.category, call.name) == (event.category, event.name):
                call.end = event.time
                call.args.update(event.args)
                if i == len(stack) - 1:
                    stack.pop()
                return
        self._complain("misplaced_end_event", event)


class TracyView:
    """`slices` in the order of their starts."""

    def __init__(self, events):
        self.slices, self.complaints = [], []
        timeline = []
        for event in events:
            if event.type in (fxt.BEGIN, fxt.COMPLETE):
                timeline.append((event.time, event, True))
            if event.type in (fxt.END, fxt.COMPLETE):
                timeline.append((event.time if event.type == fxt.END else event.extra, event, False))
        timeline.sort(key=lambda entry: entry[0])
        stacks = defaultdict(list)
        for time, event, begins in timeline:
            stack = stacks[event.thread]
            if begins:
                call = Slice(event.thread, event.category, event.name, time, None, len(stack), dict(event.args))
                stack.append(call)
                self.slices.append(call)
            elif stack:
                stack.pop().end = time
            else:
                self.complaints.append(f"end without begin: {event.name} at {time}")
        for stack in stacks.values():
            self.complaints.extend(f"did not end: {call.name} from {call.begin}" for call in stack)


PROCESS_TREE, CLOCK_SNAPSHOT, SYSTEM_INFO = 2, 6, 45  # numbers of fields in Perfetto's TracePacket
KTHREADD = 2  # the process that starts Linux's kernel threads


def perfetto_groups(trace):
    """The groups at the top level of Perfetto's window, sorted. Perfetto expands processes only if there are no other groups."""
    packets = [packet for _, packet in protobuf_fields(trace.blobs.get("perfetto", b""))]
    groups = {f"{name} {process}" for process, name in perfetto_names(trace.process_names, packets).items()}
    if trace.switches:
        groups |= {"CPU Scheduling", "Scheduler"}
    if any(fxt.ASYNC_BEGIN <= event.type <= fxt.ASYNC_END for event in trace.events):
        groups.add("Global Legacy Events")  # async events of FXT belong to no thread
    fields = {number for packet in packets for number, _ in protobuf_fields(packet)}
    if CLOCK_SNAPSHOT in fields:
        groups.add("System")
    if SYSTEM_INFO in fields and KTHREADD in trace.process_names:
        groups.add("Kernel threads")
    return sorted(groups)


def perfetto_names(recorded, packets):
    """{process: its name}. The first word of a command line replaces the name. A single word is cut at its first blank."""
    names = dict(recorded)
    trees = [inner for packet in packets for number, inner in protobuf_fields(packet) if number == PROCESS_TREE and isinstance(inner, bytes)]
    for process in (protobuf_fields(inner) for tree in trees for number, inner in protobuf_fields(tree) if number == 1):
        words = [value.decode() for number, value in process if number == 3]
        if words:
            names[dict(process)[1]] = words[0] if len(words) > 1 else words[0].split(" ")[0]
    return names


def protobuf_fields(data):
    """[(number, value)]: numbers unchanged, and all other values as bytes."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    fields = []
    while position < len(data):
        key = varint()
        if key & 7 == 0:
            fields.append((key >> 3, varint()))
        elif key & 7 == 2:
            size = varint()
            fields.append((key >> 3, data[position:position + size]))
            position += size
        else:
            raise fxt.FxtError(f"wire type {key & 7} in the packets for Perfetto")
    return fields


def arguments_problem(names):
    """The reason why Perfetto can't show arguments with these names together, or None.

    Perfetto makes a tree from the dots and indexes. If a node has both a value and parts, or if an index is not a number,
    Perfetto shows none of the arguments.
    """
    tree, values = {}, set()
    for name in names:
        path = ()
        for part in filter(None, name.split(".")):
            key, *indexes = part.split("[")
            steps = [(dict, key)] + [(list, index.split("]")[0]) for index in indexes]
            for kind, step in steps:
                if kind is list and not step.isdecimal():
                    return f"{name}: the index {step} is not a number"
                if path in values or tree.setdefault(path, kind) is not kind:
                    return f"{name}: a part of an argument that has a value or other parts"
                path += (step,)
        if path in tree:
            return f"{name}: there are arguments for its parts"
        values.add(path)
    return None


def by_thread(slices):
    """{thread: its slices, in the order of their starts}."""
    threads = defaultdict(list)
    for call in slices:
        threads[call.thread].append(call)
    return threads


def disagreements(perfetto, tracy):
    """The differences between the calls of the two viewers; empty if both see the same nesting."""
    problems = []
    theirs = by_thread(tracy.slices)
    for thread, calls in by_thread(perfetto.slices).items():
        others = theirs.pop(thread, [])
        if len(calls) != len(others):
            problems.append(f"thread {thread[1]}: {len(calls)} calls in Perfetto, {len(others)} in Tracy")
        for a, b in zip(calls, others):
            if (a.name, a.begin, a.end, a.depth) != (b.name, b.begin, b.end, b.depth):
                problems.append(f"thread {thread[1]}: Perfetto draws {a}, Tracy draws {b}")
                break
    problems.extend(f"thread {thread[1]}: only in Tracy" for thread in theirs)
    return problems
