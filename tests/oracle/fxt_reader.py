"""Reads FXT files. Written only from the specification of the format, without code of the C++ library.

Accepts only files that all known readers accept. A file starts with the magic, one provider and the initialization. Strings
and threads are registered once, before their use. Sizes are exact, padding is zero, and strings are valid UTF-8.
"""

import gzip
import re
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = 0x0016547846040010
NS_PER_SECOND = 1_000_000_000

INSTANT, COUNTER, BEGIN, END, COMPLETE = 0, 1, 2, 3, 4
ASYNC_BEGIN, ASYNC_INSTANT, ASYNC_END, FLOW_BEGIN, FLOW_STEP, FLOW_END = 5, 6, 7, 8, 9, 10

PROCESS_OBJECT, THREAD_OBJECT = 1, 2


class FxtError(Exception):
    pass


class Pointer(int):
    """A pointer argument."""


def unquoted(text):
    """Removes the quotes of a string. Quotes show that a string is, for example, empty, or not a number."""
    inner = text[1:-1]
    is_unclear = not inner or inner != inner.strip(" \t") or re.fullmatch(
        r"NULL|null|true|false|[+-]?(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:inf|infinity|nan))", inner)
    return inner if re.fullmatch('".*"', text, re.S) and is_unclear else text


@dataclass(slots=True)
class Event:
    """One event record. `extra` is the end time, or the id of a counter, flow or async operation."""
    type: int
    time: int
    thread: tuple  # (process koid, thread koid)
    category: str
    name: str
    args: dict
    extra: int


@dataclass
class Trace:
    provider: str = ""
    events: list = field(default_factory=list)      # in the order of the file
    process_names: dict = field(default_factory=dict)   # koid -> name
    thread_names: dict = field(default_factory=dict)    # (process koid, thread koid) -> name
    switches: list = field(default_factory=list)    # (time, cpu, outgoing thread, incoming thread, state)
    wakeups: list = field(default_factory=list)     # (time, cpu, thread koid, waker's koid or None)
    blobs: dict = field(default_factory=dict)       # name -> bytes
    logs: list = field(default_factory=list)        # (time, thread, text)
    buffer_full: int = 0                            # number of provider events that report a full buffer
    records: int = 0


def bits(word, low, high):
    """Bits [low .. high] of a word, both ends inclusive, as in the specification."""
    return word >> low & (1 << high - low + 1) - 1


class _Record:
    """The words of one record, read from front to back. Each read is checked against the end of the record."""

    def __init__(self, reader, offset, words):
        self.reader, self.offset, self.words, self.position = reader, offset, words, 1
        self.header = words[0]

    def fail(self, problem):
        raise FxtError(f"+0x{self.offset:x}: {problem}")

    def word(self):
        if self.position >= len(self.words):
            self.fail("record ends too early")
        self.position += 1
        return self.words[self.position - 1]

    def bytes(self, size):
        count = (size + 7) // 8
        if self.position + count > len(self.words):
            self.fail("stream leaves its record")
        data = bytes(self.words[self.position:self.position + count])
        self.position += count
        if data[size:].strip(b"\0"):
            self.fail("padding is not zero")
        return data[:size]

    def text(self, size):
        if size > 32000:
            self.fail("string above 32000 bytes")
        try:
            return self.bytes(size).decode("utf-8")
        except UnicodeDecodeError:
            self.fail("string is not UTF-8")

    def string(self, reference):
        if reference == 0:
            return ""
        if reference & 0x8000:
            return self.text(reference & 0x7FFF)
        if reference not in self.reader.strings:
            self.fail(f"string {reference} was never registered")
        return self.reader.strings[reference]

    def thread(self, reference):
        if reference == 0:
            return self.word(), self.word()
        if reference not in self.reader.threads:
            self.fail(f"thread {reference} was never registered")
        return self.reader.threads[reference]

    def time(self):
        time = self.word()
        if time >= 1 << 63:
            self.fail("time of 2^63 ns or more")
        return time

    def arguments(self, count):
        args = {}
        for _ in range(count):
            start = self.position
            header = self.word()
            name = self.string(bits(header, 16, 31))
            if name in args:
                self.fail(f"argument {name} twice")
            args[name] = self.value(header)
            if self.position - start != bits(header, 4, 15):
                self.fail(f"argument {name} has a wrong size")
        return args

    def value(self, header):
        kind = bits(header, 0, 3)
        if kind == 0:
            return None
        if kind == 1:
            return struct.unpack("<i", struct.pack("<I", bits(header, 32, 63)))[0]
        if kind == 2:
            return bits(header, 32, 63)
        if kind == 3:
            return struct.unpack("<q", struct.pack("<Q", self.word()))[0]
        if kind in (4, 8):  # u64, koid
            return self.word()
        if kind == 7:
            return Pointer(self.word())
        if kind == 5:
            return struct.unpack("<d", struct.pack("<Q", self.word()))[0]
        if kind == 6:
            return self.string(bits(header, 32, 47))
        if kind == 9:
            return bool(bits(header, 32, 32))
        return self.fail(f"argument type {kind}")

    def close(self):
        if self.position != len(self.words):
            self.fail(f"{len(self.words) - self.position} words too many")


class _Reader:
    def __init__(self):
        self.strings, self.threads, self.trace = {}, {}, Trace()
        self.handlers = {0: self.metadata, 1: self.initialization, 2: self.string, 3: self.thread, 4: self.event,
                         5: self.blob, 7: self.kernel_object, 8: self.context_switch, 9: self.log}

    def read(self, data):
        if len(data) % 8:
            raise FxtError(f"{len(data)} bytes are not whole words")
        words = memoryview(data).cast("Q")
        if sys.byteorder != "little":
            raise FxtError("this reader runs on little-endian machines only")
        if len(words) == 0 or words[0] != MAGIC:
            raise FxtError("+0x0: no magic")
        position, order = 0, []
        while position < len(words):
            size = bits(words[position], 4, 15)
            if size == 0 or position + size > len(words):
                raise FxtError(f"+0x{8 * position:x}: record of {size} words, {len(words) - position} left")
            record = _Record(self, 8 * position, words[position:position + size])
            kind = bits(record.header, 0, 3)
            if kind not in self.handlers:
                record.fail(f"record type {kind}")
            if len(order) < 3:
                order.append((kind, bits(record.header, 16, 19)))
            self.handlers[kind](record)
            record.close()
            position += size
            self.trace.records += 1
        if [kind for kind, _ in order] != [0, 0, 1] or order[0][1] != 4 or order[1][1] != 1:
            raise FxtError("magic, provider info and initialization must come first")
        return self.trace

    def metadata(self, record):
        kind = bits(record.header, 16, 19)
        if kind == 1:
            if self.trace.provider:
                record.fail("a second provider")
            self.trace.provider = record.text(bits(record.header, 52, 59))
        elif kind == 3:
            self.trace.buffer_full += bits(record.header, 52, 55) == 0
        elif kind != 4 or record.header != MAGIC or record.offset != 0:
            record.fail(f"metadata type {kind}")

    def initialization(self, record):
        if record.word() != NS_PER_SECOND:
            record.fail("a tick is not a nanosecond")

    def string(self, record):
        index = bits(record.header, 16, 30)
        if index == 0 or index in self.strings:
            record.fail(f"string {index} registered twice")
        self.strings[index] = record.text(bits(record.header, 32, 46))

    def thread(self, record):
        index = bits(record.header, 16, 23)
        if index == 0 or index in self.threads:
            record.fail(f"thread {index} registered twice")
        thread = record.word(), record.word()
        if not all(0 < koid < 1 << 32 for koid in thread):
            record.fail(f"koids {thread} outside 1 .. 2^32 - 1")
        self.threads[index] = thread

    def event(self, record):
        header = record.header
        kind = bits(header, 16, 19)
        if kind > FLOW_END:
            record.fail(f"event type {kind}")
        time = record.time()
        thread = record.thread(bits(header, 24, 31))
        category = record.string(bits(header, 32, 47))
        name = record.string(bits(header, 48, 63))
        args = record.arguments(bits(header, 20, 23))
        extra = record.word() if kind == COUNTER or kind >= COMPLETE else 0
        if kind == COMPLETE and extra < time:
            record.fail("a call that ends before it begins")
        self.trace.events.append(Event(kind, time, thread, category, name, args, extra))

    def blob(self, record):
        name = record.string(bits(record.header, 16, 31))
        self.trace.blobs[name] = self.trace.blobs.get(name, b"") + record.bytes(bits(record.header, 32, 46))

    def kernel_object(self, record):
        koid = record.word()
        name = record.string(bits(record.header, 24, 39))
        args = record.arguments(bits(record.header, 40, 43))
        kind = bits(record.header, 16, 23)
        if kind == PROCESS_OBJECT:
            self.trace.process_names[koid] = name
        elif kind == THREAD_OBJECT and "process" in args:
            self.trace.thread_names[args["process"], koid] = name
        else:
            record.fail(f"kernel object of type {kind} with arguments {list(args)}")

    def context_switch(self, record):
        time = record.time()
        if bits(record.header, 60, 63) == 0:
            cpu, state = bits(record.header, 16, 23), bits(record.header, 24, 27)
            outgoing = record.thread(bits(record.header, 28, 35))
            incoming = record.thread(bits(record.header, 36, 43))
        elif bits(record.header, 60, 63) == 1:
            cpu, state = bits(record.header, 20, 35), bits(record.header, 36, 39)
            outgoing, incoming = (None, record.word()), (None, record.word())
            record.arguments(bits(record.header, 16, 19))
        else:
            cpu, thread = bits(record.header, 20, 35), record.word()
            waker = record.arguments(bits(record.header, 16, 19)).get("waker")
            self.trace.wakeups.append((time, cpu, thread, waker))
            return
        self.trace.switches.append((time, cpu, outgoing, incoming, state))

    def log(self, record):
        time = record.time()
        thread = record.thread(bits(record.header, 32, 39))
        self.trace.logs.append((time, thread, record.text(bits(record.header, 16, 30))))


def read(path):
    """The whole file as a Trace. A compressed file is recognized by its name. Raises FxtError for problems that a
    reader would reject."""
    data = Path(path).read_bytes()
    return _Reader().read(gzip.decompress(data) if str(path).endswith(".gz") else data)
