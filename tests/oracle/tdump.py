"""What GDB's `tdump` shows, value by value: leaves_of(text) gives (names, value) for each, names as a user would
write them in C, value a number, a Pointer, a Text, an Enum, or None where GDB has none."""

import re
from typing import NamedTuple


class Pointer(NamedTuple):
    address: int
    text: bytes | None  # the string it points to
    symbol: str | None = None


class Text(NamedTuple):
    text: bytes
    cut: bool


class Enum(NamedTuple):
    name: str


class Char(NamedTuple):
    code: int


ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
UNAVAILABLE = re.compile(r"<(unavailable|optimized out|synthetic pointer|error: [^>]*|not associated|not allocated)>")


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def ahead(self, part):
        return self.text.startswith(part, self.at)

    def take(self, part):
        if self.ahead(part):
            self.at += len(part)
            return True
        return False

    def match(self, pattern):
        found = re.compile(pattern).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def quoted(self, quote):
        data = bytearray()
        self.at += 1
        while not self.ahead(quote):
            c = self.text[self.at]
            self.at += 1
            if c != "\\":
                data += c.encode()
            elif octal := self.match("[0-7]{1,3}"):
                data.append(int(octal[0], 8))
            else:
                c = self.text[self.at]
                self.at += 1
                data += bytes([ESCAPES[c]]) if c in ESCAPES else c.encode()
        self.at += 1
        return bytes(data)

    def repeats(self):
        found = self.match(r" <repeats (\d+) times>")
        return int(found[1]) if found else 1

    def string(self):
        """Chunks: "abc", '\\000' <repeats 12 times>, "x", <incomplete sequence \\303>..."""
        data, cut = b"", False
        while True:
            if self.ahead('"'):
                data += self.quoted('"')
            elif self.ahead("'"):
                chunk = self.quoted("'")
                data += chunk * self.repeats()
            elif found := self.match(r"<incomplete sequence ((?:\\[0-7]+)+)>"):
                data += bytes(int(part, 8) for part in found[1].split("\\")[1:])
            if self.take("..."):
                cut = True
            if re.compile(r""", (?:"|'(?:\\.[^']*|[^\\])' <repeats|<incomplete)""").match(self.text, self.at):
                self.at += 2
                continue
            return Text(data, cut)

    def value(self):
        """A number, text, …, a list of (name or None, value) for what has braces; None: unavailable."""
        self.match(r"\((?:[^()]|\([^()]*\))*\) (?=[@0-9{-])")  # a type
        self.match(r"@0x[0-9a-f]+: ")
        if found := self.match(r"@(0x[0-9a-f]+)"):  # a reference among members
            return Pointer(int(found[1], 16), None)
        if found := self.match(r"&virtual table offset \d+|&(?:[^,(}]|\([^)]*\))*"):  # a pointer to a member
            return Enum(found[0])
        self.match(r"[uUL](?=[\"'])")
        if self.ahead("{"):
            return self.braces()
        if self.ahead('"') or self.match(r"(?='(?:\\.[^']*|[^\\])' <repeats)") is not None:
            return self.string()
        if self.match(r"<incomplete type>"):
            return None
        if self.ahead("<incomplete sequence"):
            return self.string()
        if UNAVAILABLE.match(self.text, self.at):
            self.at = UNAVAILABLE.match(self.text, self.at).end()
            return None
        if found := self.match(r"0x[0-9a-f]+"):
            address = int(found[0], 16)
            symbol = self.symbol()
            text = None
            if self.match(r' [uUL]?(?=")'):
                text = self.string().text
            return Pointer(address, text, symbol)
        if found := self.match(r"-?(?:nan\(0x[0-9a-f]+\)|inf)"):
            return float(found[0].split("(")[0])
        if found := self.match(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"):
            if self.match(r" [uUL]?(?=')"):
                self.quoted("'")
                return Char(int(found[0]))
            if imaginary := self.match(r" \+ [^ ,}]+i"):
                return Enum(found[0] + imaginary[0])
            return float(found[0]) if re.search("[.e]", found[0]) else int(found[0])
        if found := self.match(r"\((?:[^()]*)\)(?!::)"):
            return Enum(found[0])
        found = self.match(r"(?:[A-Za-z_]|\(anon)(?:[\w:]|\.(?=[A-Za-z_])|<[^<>]*>|\(?anonymous namespace\))*")
        if not found:
            raise ValueError(f"not understood: {self.text[self.at:self.at + 60]!r}")
        return {"true": True, "false": False}.get(found[0], Enum(found[0]))

    def symbol(self):
        """The name in " <handler(int)>", which may have template arguments."""
        if not self.match(" <(?!repeats)"):
            return None
        begin, depth = self.at, 1
        while depth > 0:
            depth += {"<": 1, ">": -1}.get(self.text[self.at], 0)
            self.at += 1
        return self.text[begin:self.at - 1]

    def braces(self):
        fields = []
        self.at += 1
        while not self.take("}"):
            if self.take("<No data fields>") or self.take("..."):
                continue
            if self.ahead("<") and not UNAVAILABLE.match(self.text, self.at) and not self.ahead("<incomplete "):
                depth, end = 0, self.at
                while True:  # a base class, whose name may have template arguments
                    depth += {"<": 1, ">": -1}.get(self.text[end], 0)
                    end += 1
                    if depth == 0:
                        break
                self.at = end
                self.take(" = ")
                fields.append(("", self.value()))
            elif self.match(r"static [A-Za-z_$][\w.$]* = "):
                self.value()  # no part of the object
            elif found := self.match(r"([A-Za-z_$][\w.$]*) = "):
                fields.append((found[1], self.value()))
            else:
                value = self.value()
                fields += [(None, value)] * self.repeats()
            self.take(", ")
        return fields


def member_names(name, member):
    if name.startswith("*") and re.fullmatch(r"\*[\w:>.\[\]-]+", name):
        return [f"{name[1:]}->{member}", f"({name}).{member}"]
    if re.fullmatch(r"[\w:>.\[\]$()*-]+", name) and not name.startswith("*"):
        return [f"{name}.{member}"]
    return [f"({name}).{member}"]


def element_name(name, index):
    base, _, _ = name.partition("@")
    if "@" in name:
        if found := re.fullmatch(r"(.*)\[(-?\d+)\]", base):
            return f"{found[1]}[{int(found[2]) + index}]"
        if base.startswith("*"):
            return f"{base[1:]}[{index}]"
    return f"({base})[{index}]" if re.search(r"^[*&]|[ +]", base) else f"{base}[{index}]"


def walk(names, value):
    if not isinstance(value, list):
        yield names, value
        return
    index = 0
    for member, content in value:
        if member is None and isinstance(content, list) and any(m is not None for m, _ in value):
            yield from walk(names, content)  # an anonymous member
        elif member is None:
            elements = [element_name(name, index) for name in names]
            # Or all members are anonymous.
            is_object = isinstance(content, list) and any(m for m, _ in content)
            yield from walk(elements + names if is_object else elements, content)
            index += 1
        elif member == "":
            yield from walk(names, content)
        else:
            yield from walk([n for name in names for n in member_names(name, member)], content)


def leaves_of(text):
    for name, value in re.findall(r"^([^\n=]+?) = (.*)$", text or "", re.M):
        if name.startswith("$"):
            continue
        try:
            yield from walk([name], Reader(value).value())
        except (ValueError, IndexError) as problem:
            print(f"tdump: {name} = {value[:80]}: {problem}")
