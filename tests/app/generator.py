"""Makes random recordings of uftrace, which depend only on the seed, and describes their contents.

A recording has processes with several threads, forks and execs. Calls have arguments and return values, and may end by
longjmp, a loss, or the end of the recording. A recording also has events, context switches, names of threads, calls and
tracepoints of the kernel, and loaded libraries. The program has 32 or 64 bits, in either byte order. `Truth` has the data
that a conversion must show. `damage()` damages a recording or trace file. trace_file_generator.py makes trace files of GDB.
"""

import random
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ENTRY, EXIT, LOST, EVENT = range(4)
FUNCTION_SIZE = 0x40
# The addresses at which the images are loaded.
BASES = {"app": 0x555500000000, "tool": 0x400000, "libx.so.1": 0x7F0000000000, "plug.so": 0x7F1000000000}
# The images of a 32-bit program.
BASES_32 = {"app": 0x56550000, "tool": 0x8040000, "libx.so.1": 0xF7000000, "plug.so": 0xF7100000}
NAMES = ["main", "fork", "execve", "Größe", "a b", 'quo"te', "back\\slash", "x" * 300, "<lambda>", "日本"]
KERNEL = 0xFFFFFFFF81000000
UNCLEAR = ["", " a", "NULL", "-1.5"]  # texts that are shown in quotes
TEXTS = [*UNCLEAR, "a", "abc", "Grüße", "two words", "tab\there", "x" * 98, '"', "日本"]
# The forms of arguments. For each form: its text in the specification, a function that makes a value, and the value's format
# for struct.pack().
FORMS = {
    "i8": (lambda r: r.randrange(-128, 128), "b"), "i32": (lambda r: r.randrange(-2**31, 2**31), "i"),
    "i64": (lambda r: r.randrange(-2**63, 2**63), "q"), "u16": (lambda r: r.randrange(2**16), "H"),
    "u64": (lambda r: r.randrange(2**63), "Q"), "x32": (lambda r: r.randrange(2**32), "I"),
    "x64": (lambda r: r.randrange(2**64), "Q"), "f32": (lambda r: r.randrange(1000) / 8, "f"),
    "f64": (lambda r: r.uniform(-1e9, 1e9), "d"), "s": (lambda r: r.choice(TEXTS), None),
    "o32": (lambda r: r.randrange(2**32), "I"), "c": (lambda r: r.choice("aZ0 ~"), "c"), "e:color": (lambda r: r.choice([*COLORS]), "color"),
    "p": (lambda r: r.randrange(20), "address"),
}
COLORS = {"RED": 0, "GREEN": 5, "BLUE": 2**31 - 1, "PINK": -3}
# Events of uftrace that record the values of a counter. For each event: the name of the counter, and the names of its series.
# The events in DIFFERENCES come at the end of a call, and record how much such values have changed.
READINGS = {100001: ("memory", "vmsize KB", "vmrss KB", "shared KB"), 100002: ("page-fault", "major faults", "minor faults"),
            100005: ("pmu-cycle", "cycles", "instructions"), 100007: ("pmu-cache", "cache references", "cache misses"),
            100009: ("pmu-branch", "branches", "branch misses")}
DIFFERENCES = {100003: ("diff.vmsize", "diff.vmrss", "diff.shared"), 100004: ("diff.major", "diff.minor"),
               100006: ("diff.cycles", "diff.instructions"), 100008: ("diff.cache-references", "diff.cache-misses"),
               100010: ("diff.branches", "diff.branch-misses")}
# Events of the program, with their names. The recording has no name for the last event.
USER_EVENTS = {1000000: "app:start", 1000001: "app:two words", 1999999: None}
WAITS, PREEMPTED = (1, 2, 0x80), (0, 0x100)  # states of a thread that leaves its CPU, as in the kernel
WATCHED = 0x9000  # address of the variable `counter` of the program


@dataclass
class Call:
    thread: "Thread"
    category: str
    name: str
    begin: int
    depth: int
    arguments: dict = field(default_factory=dict)
    end: int = None
    end_at: int = None  # where the call's last record ends in the thread's file; None if the end of the file is missing

    def key(self, without=None):
        return (self.thread.process.tid, self.thread.tid, self.category, self.name, self.begin, self.end, self.depth,
                *sorted((name, str(value)) for name, value in self.arguments.items() if name != without))


@dataclass
class Truth:
    calls: list = field(default_factory=list)
    records: int = 0
    lost: int = 0
    lost_by_kernel: Counter = field(default_factory=Counter)  # numbers of lost events, by the kind of note
    counters: list = field(default_factory=list)  # each has the thread, the name, the time and the values
    marks: list = field(default_factory=list)  # instants; each has the thread, the category, the name, the time and the arguments
    names: dict = field(default_factory=dict)  # the names of threads that were renamed
    switches: dict = field(default_factory=lambda: {"perf": [], "kernel": []})  # by source; each has the time, the thread, and "comes", "waits" or "preempted"
    wakeups: list = field(default_factory=list)  # each has the time, the CPU, the thread, and the thread that woke it

    def self_times(self):
        """By name: the time in calls, without their callees."""
        times, stacks = Counter(), {}
        for call in sorted(self.calls, key=lambda call: (call.begin, call.depth)):
            stack = stacks.setdefault(call.thread.tid, {})
            times[call.name] += call.end - call.begin
            if call.depth:
                times[stack[call.depth - 1].name] -= call.end - call.begin
            stack[call.depth] = call
        return times


def word(kind, depth, address, more=False):
    return address << 16 | depth << 6 | 5 << 3 | more << 2 | kind


def padded(data, unit, rng):
    """Pads to a multiple of `unit` bytes. The padding is not zero, as in real recordings."""
    return data + rng.randbytes(-len(data) % unit)


def shown_text(text):
    return f'"{text}"' if text in UNCLEAR else text


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


class Thread:
    """Simulates the life of one thread and writes its records."""

    def __init__(self, recording, process, image, time, stack=()):
        self.recording, self.rng, self.truth = recording, recording.rng, recording.truth
        self.process, self.image, self.time, self.latest = process or self, image, time, time
        self.born, self.tid, self.cpu = 0, None, len(recording.threads)
        self.lived = None  # start time; None if the thread has no records yet
        self.parent, self.forked_at = None, 0  # the thread that forked, and the offset of its `fork` in its file
        self.loads, self.loaded, self.sid = process is None, False, None  # may the thread load the library, has it loaded the library, and its session
        self.data, self.stack = bytearray(), list(stack)
        recording.threads.append(self)

    def record(self, kind, depth, address, payload=None, time=None):
        time = self.time if time is None else time
        self.data += self.recording.pack("QQ", time, word(kind, depth, address, payload is not None)) + (payload or b"")
        self.truth.records += 1
        self.latest = max(time, self.latest)

    def tick(self, least=0):
        self.time += max(least, self.rng.choice(self.recording.steps))

    def values(self, items):
        """Arguments by name, and the bytes that record them."""
        data, arguments = b"", {}
        for name, form in items:
            make, code = FORMS[form]
            value = make(self.rng)
            if code == "address":  # address of a function that is always loaded
                function, value = f"lib{value}", self.recording.addresses["libx.so.1"][f"lib{value}"]
                arguments[f"{name} symbol"] = function
                raw = self.recording.pack(self.recording.word, value)
            elif code == "color":  # a color is recorded as a register
                raw = self.recording.pack("i" if self.recording.has("narrow") else "q", COLORS[value])
            elif code == "c":
                raw, value = value.encode(), f"'{value}' ({ord(value)})"
            elif code is None:
                raw = value.encode()
                raw, value = self.recording.pack("H", len(raw)) + raw, shown_text(value)
            else:
                raw = self.recording.pack(code, value)
            arguments[name] = value
            data += padded(raw, 4, self.rng)
        return arguments, padded(data, 8, self.rng) if items else None

    def enter(self, name=None, module=None, waits=True):
        if waits:
            self.tick()
        module = module or self.rng.choice((self.image, self.image, "libx.so.1", "plug.so" if self.loaded else self.image))
        name = name or self.rng.choice(self.recording.functions[module])
        arguments, payload = self.values(self.recording.arguments.get(name, []))
        arguments |= self.recording.place(module, name)
        address = self.recording.address(module, name)
        if waits and self.rng.random() < 0.05 * self.recording.has("call-sites"):
            site = self.recording.address("app", "main") + self.rng.randrange(0x800)
            arguments["callsite"] = self.recording.text_of_site(self.image, site)
            self.event(100013, self.recording.pack("Q", site), self.time)
            self.time += 1
        if self.rng.random() < 0.02 * self.recording.has("events"):
            self.record(ENTRY, len(self.stack), address, payload)
            event = self.rng.choice([*READINGS])
            name_of_counter, *series = READINGS[event]
            values = [self.rng.randrange(2**62) for _ in series]
            self.event(event, self.recording.pack(f"{len(values)}Q", *values), self.time + 1)
            self.truth.counters.append((self, name_of_counter, self.time + 1, dict(zip(series, values))))
            event_at = 1
        else:
            self.record(ENTRY, len(self.stack), address, payload)
            event_at = 0
        self.stack.append(Call(self, module, name, self.time, len(self.stack), arguments))
        self.time += event_at

    def leave(self, waits=True):
        if waits:
            self.tick()
        call = self.stack.pop()
        arguments, payload = self.values(self.recording.results.get(call.name, []))
        call.arguments |= arguments
        if self.rng.random() < 0.02 * self.recording.has("events"):
            event = self.rng.choice([*DIFFERENCES])
            values = [self.rng.randrange(-2**40, 2**40) for _ in DIFFERENCES[event]]
            self.event(event, self.recording.pack(f"{len(values)}q", *values), self.time)
            call.arguments |= dict(zip(DIFFERENCES[event], values))
        self.record(EXIT, len(self.stack), self.recording.address(call.category, call.name), payload)
        call.end, call.end_at = self.time, len(self.data)
        self.truth.calls.append(call)

    def end_from(self, depth, time, reason):
        """Ends calls whose ends were not recorded."""
        for call in self.stack[depth:]:
            call.end = time
            call.arguments["repaired"] = ",".join([*filter(None, [call.arguments.get("repaired")]), reason])
            self.truth.calls.append(call)
        del self.stack[depth:]

    def switch(self):
        self.tick(1)
        begin, preempted = self.time, self.rng.random() < 0.3
        self.recording.switch(self, begin, 0x6000 if preempted else 0x2000)
        self.truth.switches["perf"].append((self.time, self, "preempted" if preempted else "waits"))
        self.tick(1)
        self.recording.switch(self, self.time, 0)
        self.truth.switches["perf"].append((self.time, self, "comes"))
        name = "linux:schedule (pre-empted)" if preempted else "linux:schedule"
        recorded = {"cpu": self.cpu, "next_cpu": self.cpu, "state": "runnable" if preempted else "blocked"}
        self.truth.calls.append(Call(self, "sched", name, begin, len(self.stack), recorded, self.time))
        self.tick(1)

    def switch_in_kernel(self):
        """The idle thread runs in between. Another thread or program may wake this one."""
        self.tick(1)
        preempted, priority = self.rng.random() < 0.3, self.rng.choice((120, 100, 1))
        state = self.rng.choice(PREEMPTED if preempted else WAITS)
        self.recording.sched_switch(self, self, 0, priority, state)
        self.truth.switches["kernel"].append((self.time, self, "preempted" if preempted else "waits"))
        self.tick(1)
        if not preempted and self.rng.random() < 0.5:
            wakers = [thread for thread in self.recording.threads if thread.lived is not None and thread.lived < self.time < thread.latest]
            self.recording.sched_wakeup(self, self.rng.choice([None, *wakers]), priority)
            self.tick(1)
        self.recording.sched_switch(self, 0, self, priority, 0)
        self.truth.switches["kernel"].append((self.time, self, "comes"))
        self.time += 1

    def kernel_call(self, depth=0):
        self.tick(1)
        function, begin = self.rng.randrange(20), self.time
        self.recording.kernel(self, True, function, depth)
        while depth < 3 and self.rng.random() < 0.4:
            self.kernel_call(depth + 1)
        self.tick(1)
        self.recording.kernel(self, False, function, depth)
        self.truth.calls.append(Call(self, "[kernel]", f"kernel_{function}", begin, len(self.stack) + depth, {},
                            self.time))
        self.time += 1

    def mark(self, category, name, arguments):
        self.truth.marks.append((self, category, name, self.time, arguments))

    def rename(self):
        """Any thread can rename this one; perf records it."""
        self.tick(1)
        name = self.rng.choice(("worker", "a b", "Größe", "x" * 15))
        self.recording.comm(self, name, 0)
        self.mark("event", "linux:task-name", {"comm": name})
        self.time += 1

    def tracepoint(self):
        """A tracepoint of this thread, or of another program about this thread."""
        self.tick(1)
        self.recording.probe(self, self.rng.random() < 0.7, self.rng.randrange(2**31), self.rng.choice(("", "ready", "Größe")))
        self.time += 1

    def load(self):
        """Loads a library that only this thread uses."""
        self.tick(1)
        self.loaded, self.loads, self.latest = True, False, self.time
        self.recording.line("DLOP", self.time, lambda sid=self.sid: (
            f'tid={self.tid} sid={sid} base={self.recording.bases["plug.so"]:x} libname="/opt/plug.so"'))
        self.mark("event", "dlopen", {"path": "/opt/plug.so"})
        self.tick(1)

    def jump(self):
        """setjmp returns for the second time, and ends the calls since the first time."""
        self.enter("_setjmp", "libx.so.1")
        depth = len(self.stack) - 1
        self.leave()
        for _ in range(self.rng.randrange(1, 5)):  # at least longjmp itself
            self.enter()
        self.tick()
        self.record(EXIT, depth, self.recording.address("libx.so.1", "_setjmp"))
        self.end_from(depth, self.time, "longjmp")

    def fork(self):
        # No two forks have the same time, so their order is clear. The ids of the children are in this order.
        while self.time in self.recording.forks:
            self.time += 1
        self.enter("fork", self.image, waits=False)
        self.recording.forks.add(self.time)
        forked_at = len(self.data)
        child = Thread(self.recording, None, self.image, self.time + self.rng.choice((1, 50, 100000)), self.stack)
        child.born, child.sid, child.parent, child.forked_at = self.time, self.process.sid, self, forked_at
        child.loads, child.loaded = not self.loaded, self.loaded
        self.recording.line("FORK", child.time, lambda: f"pid={child.tid} ppid={self.process.tid}")
        child.inherit()
        self.leave()
        return child

    def inherit(self):
        """The first record of the child is the end of `fork`. The calls that the child inherits begin at that time."""
        self.tick(1)
        self.stack = [Call(self, call.category, call.name, self.time, call.depth,
                           {"repaired": "inherited-call"}) for call in self.stack]
        self.leave(waits=False)

    def execute(self):
        self.tick(1)
        if self.recording.has("names"):
            # perf records the new name of the thread before the new program starts.
            self.recording.comm(self, "tool", 0x2000)
            self.end_from(0, self.time, "closed-by-exec")
            self.tick(1)
        self.end_from(0, self.time, "closed-by-exec")
        self.image, self.loads, self.loaded = "tool", True, False
        self.mark("event", "exec /opt/tool", {"path": "/opt/tool"})
        self.recording.session(self)
        self.tick(1)

    def lose(self):
        """Adds a record about lost calls, which began and ended between two other records."""
        count = self.rng.randrange(1, 1000)
        self.record(LOST, 0, count, time=0)
        self.truth.lost += count
        self.tick(1)

    def lose_kernel_events(self):
        self.tick(1)
        count = self.rng.randrange(1, 1000)
        self.recording.kernel_events.setdefault(self.cpu, []).append((self.time, count))
        self.truth.lost_by_kernel["kernel-events-lost"] += count
        self.kernel_call()

    def lose_perf_events(self):
        self.tick(1)
        count, time = self.rng.randrange(1, 1000), self.time
        self.recording.perf.setdefault(self.cpu, []).append((time, lambda: self.recording.pack(
            "IHHQQIIQ", 2, 0, 40, 0, count, self.process.tid, self.tid, time)))
        self.truth.lost_by_kernel["switches-lost"] += count
        self.tick(1)

    def send_message(self):
        """Another program writes the message."""
        self.tick(1)
        self.recording.messages.append((self.time, self.rng.choice(("ready", "two words", "Größe"))))
        self.tick(1)

    def event(self, number, data, time):
        payload = self.recording.pack("H", len(data)) + data
        self.record(EVENT, 0, number, padded(payload, 8, self.rng) if data else None, time)

    def probe_of_program(self):
        """Adds an event of the program."""
        self.tick(1)
        number, data = self.rng.choice([*USER_EVENTS]), self.rng.randbytes(self.rng.choice((0, 0, 4, 9)))
        self.event(number, data, self.time)
        self.mark("event", USER_EVENTS[number] or f"event:{number}", {"data": data.hex()} if data else {})
        self.tick(1)

    def watch(self):
        """Watches the processor, or a variable of the program."""
        self.tick(1)
        if self.image == "app" and self.rng.random() < 0.5:
            value = self.rng.randrange(-2**31, 2**31)
            self.event(100012, self.recording.pack(self.recording.word, self.recording.bases["app"] + WATCHED) + self.recording.pack("i", value), self.time)
            self.truth.counters.append((self, "watch", self.time, {"counter": value}))
        else:
            self.event(100011, self.recording.pack("i", self.cpu), self.time)
            self.truth.counters.append((self, "cpu", self.time, {"cpu": self.cpu}))
        self.tick(1)

    def live(self, steps):
        """Returns the threads that it starts, which have not lived yet."""
        children, rng, has, begin = [], self.rng, self.recording.has, self.time
        most = rng.choice((2, 8, 40))
        for _ in range(steps):
            chance = rng.random()
            if chance < 0.03 * has("switches"):
                self.switch()
            elif chance < 0.06 * has("kernel"):
                self.kernel_call()
            elif chance < 0.08 * has("events"):
                self.watch()
            elif 0.26 < chance < 0.26 + 0.02 * has("user-events"):
                self.probe_of_program()
            elif 0.28 < chance < 0.28 + 0.02 * has("kernel-switches"):
                self.switch_in_kernel()
            elif chance < 0.083 * has("losses") and self.data:
                self.lose()
            elif chance < 0.086 * has("forks") and self.data and len(self.recording.threads) < 12:
                children.append(self.fork())
            elif chance < 0.089 * has("execs") and self.data and self.alone():
                self.execute()
            elif 0.1 < chance < 0.1 + 0.01 * has("names"):
                self.rename()
            elif 0.12 < chance < 0.12 + 0.02 * has("tracepoints"):
                self.tracepoint()
            elif 0.15 < chance < 0.15 + 0.01 * has("libraries") and self.loads and self.data:
                self.load()
            elif 0.2 < chance < 0.2 + 0.01 * has("messages"):
                self.send_message()
            elif 0.22 < chance < 0.22 + 0.01 * (has("kernel") and has("kernel-losses")):
                self.lose_kernel_events()
            elif 0.24 < chance < 0.24 + 0.01 * (has("switches") and has("perf-losses")):
                self.lose_perf_events()
            elif 0.17 < chance < 0.17 + 0.02 * has("longjmp"):
                self.jump()
            elif self.stack and (len(self.stack) > most or rng.random() < 0.5):
                self.leave()
            else:
                self.enter()
        if rng.random() < 0.7:
            while self.stack:
                self.leave()
        else:
            self.end_from(0, self.latest, "open-at-end")
        self.lived = begin
        return children

    def alone(self):
        return self.image == "app" and [thread for thread in self.recording.threads if thread.process is self] == [self]


class Recording:
    """A recording of uftrace; write() makes its directory."""

    FEATURES = ("arguments", "events", "switches", "kernel", "losses", "forks", "execs", "lines", "names", "tracepoints", "libraries", "longjmp",
                "narrow", "big-endian", "messages", "kernel-losses", "perf-losses", "killed",
                "kernel-switches", "user-events", "call-sites")

    def __init__(self, seed, steps=400, features=None):
        self.rng, self.truth = random.Random(seed), Truth()
        self.features = {name for name in self.FEATURES if self.rng.random() < 0.5} if features is None else set(features)
        if self.has("killed"):  # without info, the form of arguments is unknown, and 64 bits are assumed
            self.features -= {"arguments", "narrow"}
        self.steps = self.rng.choice(((0, 1, 37, 1000, 25000), (1, 5), (0, 0, 0, 1), (1000, 10**6, 10**9)))
        self.order = ">" if self.has("big-endian") else "<"
        self.bases, self.word = (BASES_32, "I") if self.has("narrow") else (BASES, "Q")
        self.functions = {"app": NAMES[:1] + NAMES[3:] + [f"work{i}" for i in range(20)],
                          "tool": ["main"] + [f"tool{i}" for i in range(20)],
                          "libx.so.1": [f"lib{i}" for i in range(20)], "plug.so": [f"plug{i}" for i in range(5)]}
        self.addresses = {module: {name: self.bases[module] + 0x1000 + i * FUNCTION_SIZE
                                   for i, name in enumerate([*names, "fork", "_setjmp"])}
                          for module, names in self.functions.items()}
        self.arguments, self.results = {}, {}
        if self.has("arguments"):
            for name in ("work1", "work2", "work3", "lib1", "tool2", "日本"):
                self.arguments[name] = [(f"arg{i + 1}", self.rng.choice(list(FORMS)))
                                        for i in range(self.rng.randrange(1, 6))]
                self.results[name] = [("retval", self.rng.choice(list(FORMS)))] if self.rng.random() < 0.7 else []
            for name, items in self.arguments.items():
                self.arguments[name] = [(f"fp{arg}" if form[0] == "f" else arg, form) for arg, form in items]
        self.threads, self.lines, self.sids, self.forks = [], [], [], set()
        self.perf, self.kernel_events, self.messages = {}, {}, []
        self.start = self.rng.choice((10**9, 3 * 10**12, 1_700_000_000 * 10**9))
        self.live(steps)
        if not self.first.data:
            self.messages = []
        # The trace shows these messages in the main thread of the program that started first.
        self.truth.marks += [(self.first, "event", f"external-data: {text}", time, {"message": text}) for time, text in self.messages]
        number = self.rng.choice((100, 4000000, 2**22))
        for thread in sorted(self.threads, key=lambda thread: thread.born):
            number += self.rng.choice((1, 1, 7))
            thread.tid = number

    def has(self, feature):
        return feature in self.features

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def address(self, module, name):
        return self.addresses[module][name] + (0 if name in ("fork", "_setjmp") else 4)

    def text_of_site(self, image, address):
        """The calling function and the offset in it, or the address if there is no function."""
        for name, start in self.addresses["app"].items():
            if image == "app" and start <= address < start + FUNCTION_SIZE:
                return f"{name}+{address - start:#x}" if address != start else f"{name}+0"
        return address

    def place(self, module, name):
        """The argument with the source location of a function of the program."""
        if module != "app" or not self.has("lines"):
            return {}
        return {"loc": f"/src/{module}.c:{self.addresses[module][name] % 1000}"}

    def line(self, kind, time, rest):
        self.lines.append((kind, time, rest))

    def task(self, thread):
        self.line("TASK", thread.time, lambda: f"tid={thread.tid} pid={thread.process.tid}")

    def session(self, thread):
        thread.sid, image = f"{self.rng.getrandbits(64):016x}", thread.image
        self.sids.append((thread.sid, image))
        self.line("SESS", thread.time, lambda sid=thread.sid: f'pid={thread.tid} sid={sid} exename="/opt/{image}"')
        self.task(thread)

    def switch(self, thread, time, misc):
        thread.latest = time
        self.perf.setdefault(thread.cpu, []).append(
            (time, lambda: self.pack("IHHIIQ", 14, misc, 24, thread.process.tid, thread.tid, time)))

    def comm(self, thread, name, misc):
        time = thread.latest = thread.time
        text = name.encode()
        text += bytes(8 - len(text) % 8)
        self.truth.names[thread] = name
        self.perf.setdefault(thread.cpu, []).append((time, lambda: self.pack(
            "IHHII", 3, misc, 32 + len(text), thread.process.tid, thread.tid) + text + self.pack("IIQ", thread.process.tid, thread.tid, time)))

    def probe(self, thread, is_own, value, text):
        """An event of the kernel: from the thread, or from another program about it."""
        time = thread.latest = thread.time
        data = text.encode()
        self.kernel_events.setdefault(thread.cpu, []).append((time, lambda: self.pack(
            "HBBiiI8s", 50, 0, 0, thread.tid if is_own else 1, thread.tid, value, data)))
        self.truth.marks.append((thread, "event", "app:probe", time, {"pid": thread, "value": value, "text": shown_text(text)}))

    def sched_switch(self, thread, previous, following, priority, state):
        time = thread.latest = thread.time
        values = {"prev_pid": previous, "prev_prio": priority, "prev_state": state, "next_pid": following, "next_prio": priority}
        self.kernel_events.setdefault(thread.cpu, []).append((time, lambda: self.pack(
            "HBBiiiqii", 60, 0, 0, *(getattr(value, "tid", value) for value in (previous, *values.values())))))
        self.truth.marks.append((thread, "event", "sched:sched_switch", time, values | {"cpu": thread.cpu}))

    def sched_wakeup(self, thread, waker, priority):
        """A wakeup by a thread of the recording on its own CPU, or by another program on the CPU where the woken thread
        will run."""
        time = thread.latest = thread.time
        runs = waker or thread
        self.kernel_events.setdefault(runs.cpu, []).append((time, lambda: self.pack(
            "HBBiii", 61, 0, 0, waker.tid if waker else 1, thread.tid, priority)))
        self.truth.marks.append((runs, "event", "sched:sched_wakeup", time,
                                 {"pid": thread, "prio": priority, "cpu": runs.cpu}))
        self.truth.wakeups.append((time, runs.cpu, thread, waker))

    def kernel(self, thread, begins, function, depth):
        time = thread.latest = thread.time
        self.kernel_events.setdefault(thread.cpu, []).append((time, lambda: self.pack(
            "HBBiQi", 11 if begins else 10, 0, 0, thread.tid, KERNEL + function * 256 + 4, depth) +
            (b"" if begins else self.pack("IQQ", 0, time, time))))

    def live(self, steps):
        waiting = []
        self.first = None
        for _ in range(self.rng.randrange(1, 3)):
            leader = Thread(self, None, "app", self.start + self.rng.randrange(1000))
            self.session(leader)
            if self.first is None or leader.time < self.first.time:
                self.first = leader
            waiting.append(leader)
            for _ in range(self.rng.choice((0, 0, 1, 3))):
                waiting.append(Thread(self, leader, "app", leader.time + self.rng.randrange(100000)))
                self.task(waiting[-1])
        while waiting:
            thread = waiting.pop(0)
            waiting += thread.live(steps if thread is self.threads[0] else self.rng.choice((0, 5, steps // 3, steps)))

    def info(self):
        features = 0x1063 | 4 * bool(self.kernel_events) | 0x18 * self.has("arguments") | 0x80 | 0x100 * bool(self.perf)
        lines = {0: "exename:/opt/app\n", 7: f"taskinfo:lines=2\ntaskinfo:nr_tid={len(self.threads)}\n"
                                             f"taskinfo:tids={','.join(str(tid) for tid in sorted(thread.tid for thread in self.threads))}\n"}
        if self.has("arguments"):
            def specification(functions):
                # For an fparg, the number of its bits follows the number of the argument.
                return ";".join(f"{name}@" + ",".join(f"{item}/{form[item[0] == 'f' and form[0] == 'f':]}" for item, form in items)
                                for name, items in functions.items() if items)
            lines[11] = "auto-args:lines=1\nenumauto:enum color { " + ", ".join(f"{name} = {value}" for name, value in COLORS.items()) + " }\n"
            lines[10] = f"argspec:lines=2\nargspec:{specification(self.arguments)}\nretspec:{specification(self.results)}\n"
        lines[12] = "pattern_type:simple\n"
        header = self.pack("8sIHBBQQH6x", b"Ftrace!", 4, 40, 2 if self.has("big-endian") else 1, 1 if self.has("narrow") else 2, features, sum(1 << bit for bit in lines), 1024)
        return header + "".join(lines[bit] for bit in sorted(lines)).encode()

    def files(self):
        """Name and content of each file."""
        files = {} if self.has("killed") else {"info": self.info()}
        files |= {"task.txt": "".join(
            f"{kind} timestamp={seconds(time)} {rest()}\n" for kind, time, rest in self.lines).encode()}
        stack = f"{0xff9db000 if self.has('narrow') else 0x7ffdb63dc000:x}-{0xff9fc000 if self.has('narrow') else 0x7ffdb63fd000:x} rw-p 00000000 00:00 0    [stack]\n"
        for sid, image in self.sids:
            files[f"sid-{sid}.map"] = ("".join(
                f"{self.bases[module]:x}-{self.bases[module] + 0x10000:x} r-xp 00000000 00:00 0    {folder}/{module}\n"
                for module, folder in ((image, "/opt"), ("libx.so.1", "/lib"))) + stack).encode()
        for module, names in self.addresses.items():
            files[f"{module}.sym"] = "".join(
                f"{address - self.bases[module]:016x} {FUNCTION_SIZE:08x} {'P' if name == 'fork' else 'T'} {name}\n"
                for name, address in names.items()).encode()
        files["app.sym"] += f"{WATCHED:016x} 00000004 D counter\n".encode()
        if self.has("lines"):
            files["app.dbg"] = "# path name: /opt/app\n".encode() + "".join(
                f"F: {address - self.bases['app']:x} {name}\nL: {address % 1000} /src/app.c\n"
                for name, address in self.addresses["app"].items()).encode()
        for thread in self.threads:
            if thread.data:
                files[f"{thread.tid}.dat"] = bytes(thread.data)
        for cpu, events in self.perf.items():
            files[f"perf-cpu{cpu}.dat"] = b"".join(data() for _, data in sorted(events, key=lambda event: event[0]))
        if self.has("user-events"):
            files["events.txt"] = "".join(f"EVENT: {number} {name}\n" for number, name in USER_EVENTS.items() if name).encode()
        if self.messages:
            files["extern.dat"] = "".join(f"{seconds(time)} {text}\n" for time, text in sorted(self.messages)).encode()
        if self.kernel_events:
            files["kernel_header"] = kernel_header("BE" if self.has("big-endian") else "LE")
            files["kallsyms"] = "".join(f"{KERNEL + i * 256:016x} T kernel_{i}\n" for i in range(21)).encode()
            for cpu, events in self.kernel_events.items():
                files[f"kernel-cpu{cpu}.dat"] = kernel_pages(sorted(events, key=lambda event: event[0]), self.order)
        return files

    def write(self, directory):
        directory = Path(directory)
        directory.mkdir(parents=True)
        for name, content in sorted(self.files().items()):
            (directory / name).write_bytes(content)
        return directory


def fields(*declarations):
    lines, offset = [], 0
    for declaration, size, signed in declarations:
        offset = -(-offset // min(size, 4)) * min(size, 4)
        lines.append(f"\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{int(signed)};\n")
        offset += size
    return "".join(lines)


COMMON = (("unsigned short common_type", 2, False), ("unsigned char common_flags", 1, False),
          ("unsigned char common_preempt_count", 1, False), ("int common_pid", 4, True))


def event_format(name, number, *own, system="ftrace"):
    text = (f"name: {name}\nID: {number}\nformat:\n{fields(*COMMON, *own)}\nprint fmt: \"\"\n").encode()
    return f"TRACEFS: events/{system}/{name}/format: {len(text)}\n".encode() + text


PAGE_FORMAT = (b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
               b"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n")
KERNEL_HEADER = (
    f"TRACEFS: events/header_page: {len(PAGE_FORMAT)}\n".encode() + PAGE_FORMAT +
    event_format("funcgraph_entry", 11, ("unsigned long func", 8, False), ("int depth", 4, True)) +
    event_format("funcgraph_exit", 10, ("unsigned long func", 8, False), ("int depth", 4, True),
                 ("unsigned int overrun", 4, False), ("unsigned long long calltime", 8, False),
                 ("unsigned long long rettime", 8, False)) +
    event_format("sched_switch", 60, ("pid_t prev_pid", 4, True), ("int prev_prio", 4, True), ("long prev_state", 8, True),
                 ("pid_t next_pid", 4, True), ("int next_prio", 4, True), system="sched") +
    event_format("sched_wakeup", 61, ("pid_t pid", 4, True), ("int prio", 4, True), system="sched") +
    event_format("probe", 50, ("int pid", 4, True), ("unsigned int value", 4, False), ("char text[8]", 8, False), system="app"))


def kernel_header(order):
    return f"PAGE_SIZE: 4096\nLONG_SIZE: 8\nENDIAN: {order}\n".encode() + KERNEL_HEADER


def kernel_pages(events, order):
    """Pages of the kernel's ring buffer. An event is a function that makes it, or the number of lost events."""
    pages, body, start, latest, lost = [], b"", None, 0, 0

    def head(kind, delta):
        """The first word of an event. In big-endian data, its fields begin at the highest bit."""
        return struct.pack(order + "I", kind | delta << 5 if order == "<" else kind << 27 | delta)

    def finish():
        if body:
            # The number of lost events comes after the events of the page.
            flags, count = (3 << 30, struct.pack(order + "Q", lost)) if lost else (0, b"")
            pages.append((struct.pack(order + "QQ", start, len(body) | flags) + body + count).ljust(4096, b"\0"))

    for time, make in events:
        if isinstance(make, int):
            finish()
            body, start, lost = b"", None, make
            continue
        payload = make()
        payload += bytes(-len(payload) % 4)
        step = time - latest
        size = len(payload) + 4 + 8 * (step >= 1 << 27)
        if start is None or len(body) + size > 4072 or step >= 1 << 59:
            if start is not None:
                finish()
                lost = 0
            body, start, latest, step = b"", time, time, 0
        if step >= 1 << 27:
            body += head(30, step & (1 << 27) - 1) + struct.pack(order + "I", step >> 27)
            step = 0
        body += head(len(payload) // 4, step) + payload
        latest = time
    finish()
    return b"".join(pages)


def damage(content, rng):
    """Damages the content of a file. Returns the start of the damage, and the new content."""
    data, at = bytearray(content), rng.randrange(len(content) or 1)
    size = rng.choice((1, 2, 8, 16, 100, 5000))
    match rng.choice(("flip", "flip", "random", "zero", "cut", "delete", "insert", "double")):
        case "flip":
            for i in range(at, min(at + rng.choice((1, 1, 1, 200)), len(data)), rng.randrange(1, 40)):
                data[i] ^= 1 << rng.randrange(8)
        case "random":
            data[at:at + size] = rng.randbytes(len(data[at:at + size]))
        case "zero":
            data[at:at + size] = bytes(len(data[at:at + size]))
        case "cut":
            del data[at:]
        case "delete":
            del data[at:at + size]
        case "insert":
            data[at:at] = rng.randbytes(size)
        case "double":
            data[at:at] = data[at:at + size]
    return at, bytes(data)
