"""Makes random trace files of GDB, which depend only on the seed, and describes their contents.

A trace file has tracepoints with one or more locations, conditions and steps. The tracepoints collect registers, memory,
texts, locals, trace state variables and static data, and not always a timestamp. The frames are from several threads, from
x86 or s390, or from KGTP's kernel. Frames may be out of order, may be incomplete, or may be overwritten in a circular
buffer. Where the buffer wraps, frames may be garbage.
"""

import random
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from generator import UNCLEAR, shown_text


@dataclass
class Frame:
    tracepoint: int
    location: str
    pc: int  # None if the frame has no pc
    time: int  # None if the frame has no timestamp
    thread: tuple  # the data that identify the thread; None if the frame has no such data
    values: dict
    memory: dict  # the content of blocks, by address
    end: int = None  # for a hit with steps: the time of the last step; None if a frame has no timestamp
    is_lost: bool = False


@dataclass
class Machine:
    """Registers in the order of a target description: name and bytes."""
    architecture: str
    order: str
    registers: list
    pc: str
    sp: str
    thread: list = field(default_factory=list)  # registers whose values identify the thread
    has_description: bool = True

    def size(self):
        return sum(size for _, size in self.registers)

    def number(self, name):
        return [known for known, _ in self.registers].index(name)


def numbered(names, size):
    return [(name, size) for name in names]


AMD64 = numbered(["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp"] + [f"r{i}" for i in range(8, 16)] + ["rip"], 8) + numbered(
    ["eflags", "cs", "ss", "ds", "es", "fs", "gs"], 4)
I386 = numbered(["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags", "cs", "ss", "ds", "es", "fs", "gs"], 4)
S390 = numbered(["pswm", "pswa"] + [f"r{i}" for i in range(16)], 8)
MACHINES = [
    Machine("i386:x86-64", "<", AMD64, "rip", "rsp"),
    Machine("i386", "<", I386, "eip", "esp"),
    Machine("s390:64-bit", ">", S390, "pswa", "r15"),
    Machine("i386:x86-64", "<", AMD64 + numbered(["orig_rax", "fs_base", "gs_base"], 8), "rip", "rsp", ["fs_base"]),
    Machine("s390:64-bit", ">", S390 + numbered([f"acr{i}" for i in range(16)], 4), "pswa", "r15", ["acr0", "acr1"]),
]
KGTP = Machine("i386:x86-64", "<", AMD64, "rip", "rsp", has_description=False)
# Registers that are shown in a special form, or as texts.
SPECIAL = {"orig_rax", "fs_base", "gs_base", *(f"acr{i}" for i in range(16))}
TEXTS = [*UNCLEAR, "a", "abc", "Grüße", "two words", "tab\there", "x" * 150, '"', "日本"]
REGISTERS, MEMORY, VARIABLE, TEXT, POINTER, LOCAL, EVALUATION, STATIC = range(8)


@dataclass
class Item:
    """An item that a tracepoint collects: the command, and the action of the target for it."""
    kind: int
    command: str
    action: str
    name: str = ""  # its name as an argument
    address: int = 0  # address of the memory; for a local, relative to the stack pointer
    size: int = 0  # size of the memory; for a text, the maximum that is recorded
    variable: int = 0


@dataclass
class Tracepoint:
    number: int
    addresses: list
    hit: list
    step: list = field(default_factory=list)
    steps: int = 0
    is_fast: bool = False
    is_static: bool = False
    condition: str = ""


def expression(code):
    return f"X{len(code) // 2:08x},{code}"


def variable(number, name):
    return Item(VARIABLE, f"collect ${name}", expression(f"2c{number:04x}2e{number:04x}2927"), f"${name}", variable=number)


def in_order(items):
    """The actions of commands, in the order in which GDB sends them: static data, registers, memory by address,
    expressions."""
    ranks = {STATIC: 0, REGISTERS: 1, MEMORY: 2}
    return sorted(items, key=lambda item: (ranks.get(item.kind, 3), item.address if item.kind == MEMORY else 0))


class TraceFile:
    """A trace file of GDB; write() makes it."""

    FEATURES = ("conditions", "texts", "locals", "fast", "unstamped", "locations", "repeated", "static", "idle", "session", "overwritten", "junk",
                "partial", "unordered", "kernel", "no-steps", "no-status", "large")

    def __init__(self, seed, frames=200, features=None):
        self.rng, self.frames, self.data, self.notes = random.Random(seed), [], bytearray(), Counter()
        self.features = {name for name in self.FEATURES if self.rng.random() < 0.3} if features is None else set(features)
        if self.has("kernel"):
            self.features -= {"fast", "static", "session", "unstamped", "partial"}
        if self.has("junk"):
            self.features -= {"idle", "partial", "no-status", "large"}
        if self.has("no-status"):
            self.features -= {"session", "overwritten"}
        self.machine = KGTP if self.has("kernel") else self.rng.choice(MACHINES)
        first = 50 if self.has("kernel") else 2
        self.variables = {i: f"v{i}" for i in range(first, first + self.rng.randrange(4))}
        self.initial = {i: self.rng.choice((0, 1, -7)) for i in self.variables}
        count = self.rng.randrange(min(frames, 30) if self.has("large") else frames)
        self.stacks = [0x7D001000 + 0x800000 * i for i in range(self.rng.randrange(1, 4))]
        self.identities = {stack: self.rng.getrandbits(62) | 1 for stack in self.stacks}  # in the registers of a thread
        self.stepping = {}  # by stack: the hit, its tracepoint, and the number of remaining steps
        self.tracepoints = [self.tracepoint(number) for number in range(1, self.rng.randrange(2, 6))]
        self.time = self.latest = self.rng.choice((10**6, 5 * 10**9))
        self.started = self.time
        self.ends = []  # where frames end in the data
        while len(self.frames) < count:
            self.frame()
        while self.stepping:
            self.step(self.rng.choice([*self.stepping]))
        if self.has("junk"):
            self.wrap()
        self.data += bytes(2 if self.has("kernel") else self.rng.choice((4, 6)))
        self.note_times()
        self.description = "".join(line + "\n" for line in self.lines())

    def has(self, feature):
        return feature in self.features

    # ---- Collected items ----

    def collected(self, number, has_registers, is_stamped, index):
        items = [variable(i, name) for i, name in self.variables.items() if self.rng.random() < 0.6]
        if is_stamped and not self.has("kernel"):
            items.append(variable(1, "trace_timestamp"))
        if self.has("kernel") and self.rng.random() < 0.6:
            items.append(variable(26, "current_task_pid"))
        if has_registers:
            items.append(Item(REGISTERS, "collect $regs", "R" + "f" * 6))
        for i in range(self.rng.randrange(3)):
            size, address = self.rng.choice((1, 2, 4, 8)), 0x500000 + 0x1000 * number + 16 * i
            items.append(Item(MEMORY, f"collect g_{size}_{i}", f"M-1,{address:x},{size:x}", f"g_{size}_{i}", address, size))
        if self.has("large") and self.rng.random() < 0.5:
            size, address = self.rng.choice((64, 65, 65535, 65536, 150000)), 0x1000000 * number
            items.append(Item(MEMORY, f"collect g_{size}", f"M-1,{address:x},{size:x}", f"g_{size}", address, size))
        if self.has("texts"):
            for i in range(self.rng.randrange(3)):
                items.append(self.text(0x600000 + 0x1000 * number + 0x400 * i, f"text_{i}"))
        if self.has("locals") and has_registers:
            for i in range(self.rng.randrange(3)):
                size, offset = self.rng.choice((1, 2, 4, 8)), 16 * i + 8
                code = f"26{self.machine.number(self.machine.sp):04x}22{offset:02x}0222{size:02x}0c27"
                items.append(Item(LOCAL, f"collect l_{size}_{i}", expression(code), f"l_{size}_{i}", offset, size))
        if self.has("repeated") and self.variables:
            i, name = self.rng.choice([*self.variables.items()])
            items += [Item(EVALUATION, f"teval ${name} = ${name} + 1", expression(f"2c{i:04x}2201022d{i:04x}2927")), variable(i, name)]
        if self.has("static") and index == 0 and self.rng.random() < 0.5:
            items.append(Item(STATIC, "collect $_sdata", "L", "static data"))
        self.rng.shuffle(items)
        return items

    def text(self, address, name):
        limit = self.rng.choice((0, 0, 8))
        option = f"/s{limit}" if limit else "/s"
        size, word = limit or 200, 4 if self.machine.registers == I386 else 8
        record = f"23{size:04x}2f27"
        if self.rng.random() < 0.5:
            return Item(TEXT, f"collect{option} {name}", expression(f"24{address:08x}{record}"), name, address, size)
        follow = f"24{address:08x}0d{word:02x}{'19' if word == 4 else '1a'}"
        return Item(POINTER, f"collect{option} {name}", expression(follow + record), name, address, size)

    def tracepoint(self, number):
        rng = self.rng
        addresses = [(0xFFFFFFFF81000000 if self.has("kernel") else 0x401000) + 0x400 * number + 0x80 * i
                     for i in range(rng.choice((1, 2, 3)) if self.has("locations") else 1)]
        is_fast = self.has("fast") and rng.random() < 0.5
        can_step = not (is_fast or self.has("no-steps") or self.has("unordered") or self.has("partial") or self.has("kernel"))
        steps = rng.choice((0, 0, 1, 3, 17)) if can_step else 0
        is_stamped = not self.has("unstamped") or rng.random() < 0.5
        made = Tracepoint(number, addresses, [], steps=steps, is_fast=is_fast)
        made.is_static = self.has("static") and not is_fast and not steps and rng.random() < 0.5
        if not (self.has("idle") and not steps and rng.random() < 0.3):
            made.hit = self.collected(number, bool(steps) or rng.random() < 0.6, is_stamped, 0)
        if steps:
            made.step = self.collected(number, True, is_stamped, 1)
        if self.has("conditions") and self.variables and rng.random() < 0.7:
            made.condition = f"{rng.choice([*self.variables.values()])} > 5"
        return made

    # ---- Frames ----

    def frame(self):
        idle = [stack for stack in self.stacks if stack not in self.stepping]
        if not idle or self.stepping and self.rng.random() < 0.6:
            return self.step(self.rng.choice([*self.stepping]))
        tracepoint, stack = self.rng.choice(self.tracepoints), self.rng.choice(idle)
        hit = self.record(tracepoint, tracepoint.hit, self.rng.choice(tracepoint.addresses), stack)
        if tracepoint.steps:
            hit.end = hit.time
            self.stepping[stack] = [hit, tracepoint, tracepoint.steps]

    def step(self, stack):
        stepping = self.stepping[stack]
        hit, tracepoint, left = stepping
        step = self.record(tracepoint, tracepoint.step, hit.pc + self.rng.randrange(1, 0x80), stack)
        hit.end, stepping[2] = step.time, left - 1
        if left == 1:
            del self.stepping[stack]

    def record(self, tracepoint, items, pc, stack):
        self.time += self.rng.choice((0, 1, 5, 1000))
        stamp = self.time - self.rng.choice((1, 7, 500)) * (self.has("unordered") and self.rng.random() < 0.1)
        blocks = [self.block(item, tracepoint, pc, stack, stamp) for item in in_order(items)]
        cpu = self.rng.randrange(2)
        if self.has("kernel"):  # KGTP adds these blocks to every frame
            blocks = [self.variable_block(5, "$clock", stamp), self.variable_block(2, "$cpu_id", cpu), *blocks]
        if self.has("partial") and self.rng.random() < 0.1:
            del blocks[self.rng.randrange(len(blocks) + 1):]
        values = {name: value for _, own in blocks for name, value in own.items()}
        has_registers = any(name == f"reg.{self.machine.sp}" for name in values)
        is_stamped = self.has("kernel") or "$trace_timestamp" in values
        thread = ("stack", stack) if has_registers else None
        if self.has("kernel"):
            thread = ("pid", values["$current_task_pid"]) if "$current_task_pid" in values else ("cpu", cpu)
        knows_pc = has_registers or len(tracepoint.addresses) == 1
        data = b"".join(block for block, _ in blocks)
        self.data += struct.pack(self.machine.order + "hI", tracepoint.number, len(data)) + data
        self.ends.append(len(self.data))
        self.frames.append(Frame(tracepoint.number, f"work{tracepoint.number}", pc if knows_pc else None,
                                 stamp * (1 if self.has("kernel") else 1000) if is_stamped else None, thread, values,
                                 self.memory_of(blocks)))
        return self.frames[-1]

    def variable_block(self, number, name, value):
        return b"V" + struct.pack(self.machine.order + "iq", number, value), {name: value}

    def memory_block(self, address, content):
        """One block, or several if the content is too long."""
        return b"".join(b"M" + struct.pack(self.machine.order + "QH", address + i, len(content[i:i + 65535])) + content[i:i + 65535]
                        for i in range(0, len(content), 65535))

    def memory_of(self, blocks):
        memory = {}
        for block, _ in blocks:
            while block.startswith(b"M"):
                address, size = struct.unpack_from(self.machine.order + "QH", block, 1)
                memory[address] = memory.get(address, b"") + block[11:11 + size]
                block = block[11 + size:]
        return memory

    def block(self, item, tracepoint, pc, stack, stamp):
        """The bytes that an action records, and the arguments for them."""
        rng, order = self.rng, self.machine.order
        match item.kind:
            case 0:
                return self.register_block(tracepoint, pc, stack)
            case 1 | 5:
                address = item.address + (stack if item.kind == LOCAL else 0)
                content = rng.randbytes(item.size)
                value = int.from_bytes(content, "little" if order == "<" else "big", signed=item.size != 1)
                first = value
                if item.size > 8:
                    value, first = (content[:64].hex(" ") + f" … ({size} bytes)" * (size > 64) for size in (item.size, min(item.size, 65535)))
                # The value is shown with its name if no other value has this name. Otherwise, the blocks of its memory are shown.
                return self.memory_block(address, content), {item.name: {item.name: value, f"mem.0x{address:x}": first}}
            case 2:
                value = {1: stamp, 26: stack >> 20}.get(item.variable)
                return self.variable_block(item.variable, item.name, rng.randrange(-2**63, 2**63) if value is None else value)
            case 3 | 4:
                return self.text_block(item)
            case 6:
                return b"", {}
            case 7:
                text = rng.choice(("a", "abc"))
                return b"S" + struct.pack(order + "H", len(text)) + text.encode(), {item.name: text}

    def register_block(self, tracepoint, pc, stack):
        data, values, machine = b"", {}, self.machine
        identity = struct.pack(machine.order + "Q", self.identities[stack])
        for name, size in machine.registers:
            value = {machine.pc: pc, machine.sp: stack}.get(name, self.rng.getrandbits(8 * size - 1))
            if name in machine.thread:
                value = int.from_bytes(identity[size * machine.thread.index(name):][:size], "little" if machine.order == "<" else "big")
            if tracepoint.is_fast and name in {"cs", "ss", "ds", "es", "fs", "gs", *SPECIAL}:
                value = 0  # fast tracepoints do not record these registers
            data += struct.pack(machine.order + ("I" if size == 4 else "Q"), value)
            is_segment = tracepoint.is_fast and machine.architecture.startswith("i386:x") and name in {"cs", "ss", "ds", "es", "fs", "gs"}
            if name not in SPECIAL and not is_segment and not (name == "eflags" and not machine.has_description):
                values[f"reg.{name}"] = value
        return b"R" + data, values

    def text_block(self, item):
        text = self.rng.choice([text for text in TEXTS if len(text.encode()) == len(text) or item.size > 100])
        content = (text.encode() + b"\0")[:item.size]
        text = shown_text(content.removesuffix(b"\0").decode())
        if item.kind == TEXT:
            return self.memory_block(item.address, content), {item.name: text}
        pointer = item.address + 0x200
        word = struct.pack(self.machine.order + ("I" if self.machine.registers == I386 else "Q"), pointer)
        return self.memory_block(item.address, word) + self.memory_block(pointer, content), {item.name: text}

    def wrap(self):
        """Where the circular buffer wraps, the file has other content up to the next part that GDB requested."""
        if len(self.data) < 4000:
            return
        begin = self.rng.randrange(len(self.data) - 2000)
        end = begin // 2000 * 2000 + 2000
        junk = bytes(self.rng.randrange(2, 60)) + self.rng.randbytes(2000)
        self.data[begin:end] = junk[:end - begin]
        for frame, first, last in zip(self.frames, [0, *self.ends], self.ends):
            is_empty = last - first == 6  # after an empty frame, the start of the next frame is unknown
            frame.is_lost = last > begin and (first < end or first == end and is_empty)
            if frame.is_lost:
                end = max(end, last)

    # ---- The whole file ----

    def note_times(self):
        stamps, latest = [frame.time for frame in self.frames if frame.time is not None], 0
        for stamp in stamps:
            self.notes["time-reversed"] += stamp < latest
            latest = max(stamp, latest)
        has_times = stamps or self.has("session")
        self.notes["no-status"] += self.has("no-status")
        self.notes["synthetic-time" if has_times else "no-time-stamps"] += len(self.frames) - len(stamps)

    def status(self):
        count = len(self.frames)
        overwritten = self.rng.randrange(1, 2000) if self.has("overwritten") else 0
        self.notes["frames-overwritten"] += overwritten
        reason = self.rng.choice(("tstop::0", "tstop:0", "tfull:0", "tdisconnected:0", "tpasscount:1", "terror:6f6f7073:1", "tunknown:0"))
        self.notes["buffer-full"] += reason == "tfull:0"
        line = f"status 0;{reason};tframes:{count:x};tcreated:{count + overwritten:x};tfree:1000;tsize:500000"
        if overwritten or self.has("junk"):
            line += ";circular:1"
        if self.has("session"):
            line += f";starttime:{self.started - 500:x};stoptime:{self.time + 500:x};username:{b'me'.hex()};notes:"
        return line

    def pieces(self, tracepoint, address):
        """The lines about one location."""
        options = ":F0" * tracepoint.is_fast + ":S" * tracepoint.is_static
        if tracepoint.condition:
            number = int(tracepoint.condition.split()[0][1:])
            options += f":X8,2c{number:04x}22052b1427"
        where = f"{tracepoint.number:x}:{address:x}"
        lines = [f"tp T{where}:E:{tracepoint.steps:x}:0{options}"]
        lines += [f"tp A{where}:{item.action}" for item in in_order(tracepoint.hit)]
        lines += [f"tp S{where}:{item.action}" for item in in_order(tracepoint.step)]
        commands = [item.command for item in tracepoint.hit]
        if tracepoint.steps:
            commands += [f"while-stepping {tracepoint.steps}", *(item.command for item in tracepoint.step), "end"]
        sources = [("at", f"work{tracepoint.number}"), *(("cmd", command) for command in commands)]
        if tracepoint.condition:
            sources.insert(1, ("cond", f"${tracepoint.condition}"))
        return lines + [f"tp Z{where}:{kind}:0:{len(text):x}:{text.encode().hex()}" for kind, text in sources]

    def lines(self):
        machine = self.machine
        lines = [f"R {machine.size():x}"]
        if machine.has_description:
            lines += [f"tdesc <target><architecture>{machine.architecture}</architecture>"
                      f'<feature name="org.gnu.gdb.{machine.architecture.split(":")[0]}.core">']
            lines += [f'tdesc <reg name="{name}" bitsize="{8 * size}" type="{"code_ptr" if name == machine.pc else f"int{8 * size}"}" regnum="{i}"/>'
                      for i, (name, size) in enumerate(machine.registers)]
            lines += ["tdesc </feature></target>"]
        if not self.has("no-status"):
            lines.append(self.status())
        computed = {2: "cpu_id", 5: "clock", 26: "current_task_pid"} if self.has("kernel") else {1: "trace_timestamp"}
        lines += [f"tsv {i:x}:0:1:{name.encode().hex()}" for i, name in computed.items()]
        lines += [f"tsv {i:x}:{self.initial[i] % 2**64:x}:0:{name.encode().hex()}" for i, name in self.variables.items()]
        for tracepoint in self.tracepoints:
            for address in reversed(tracepoint.addresses):
                lines += self.pieces(tracepoint, address)
        return lines

    def content(self):
        return b"\x7fTRACE0\n" + self.description.encode() + b"\n" + self.data

    def write(self, path):
        path = Path(path)
        path.write_bytes(self.content())
        return path
