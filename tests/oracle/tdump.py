"""The values that GDB's `tdump` shows. leaves_of(text) returns (names, value) for each value.

The names are those that a user would write in C. A value is a number, a Pointer, a Text, an Enum, or None if GDB has none.
"""

import re
from typing import NamedTuple


class Pointer(NamedTuple):
    address: int
    text: bytes | None  # the string at the address
    symbol: str | None = None


class Text(NamedTuple):
    text: bytes
    cut: bool


class Enum(NamedTuple):
    name: str


class Char(NamedTuple):
    code: int


class Variant(NamedTuple):
    """The text that Rust shows before the fields of a variant, and before those of a struct."""
    name: str


class Base(str):
    """The name of a base class, before its members."""


VARIANT = object()


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
        """A text, in chunks: "abc", '\\000' <repeats 12 times>, "x", <incomplete sequence \\303>..."""
        data, cut, is_repeated = b"", False, False
        while True:
            if self.ahead('"'):
                data += self.quoted('"')
                is_repeated = False
            elif self.ahead("'"):
                chunk = self.quoted("'")
                data += chunk * self.repeats()
                is_repeated = True
            elif found := self.match(r"<incomplete sequence ((?:\\[0-7]+)+)>"):
                data += bytes(int(part, 8) for part in found[1].split("\\")[1:])
            if self.take("..."):
                cut = True
            # The next chunk belongs to this text if it or the latest chunk is a repeated character, or if it is
            # an incomplete sequence. Otherwise, it is another element of an array.
            if re.compile(r""", (?:'(?:\\.[^']*|[^\\])' <repeats|<incomplete)""").match(self.text, self.at) or (
                    is_repeated and self.ahead(', "')):
                self.at += 2
                continue
            return Text(data, cut)

    def value(self):
        """A number, a text and so on, or a list of (name or None, value) for values in braces. None means an unavailable value."""
        self.match(r"\((?:[^()]|\([^()]*\))*\) (?=[@0-9{-])")  # a type
        self.match(r"@0x[0-9a-f]+: ")
        self.match(r"\{[^{}=]* \([^{}=]*\)\} (?=0x)")  # GDB prints the type of a function before its address
        if found := self.match(r"@(0x[0-9a-f]+)"):  # a reference among members
            return Pointer(int(found[1], 16), None)
        if found := self.match(r"&virtual table offset \d+|&(?:[^,(}]|\([^)]*\))*"):  # a pointer to a member
            return Enum(found[0])
        self.match(r"[uUL](?=[\"'])")
        if self.ahead("{"):
            return self.braces()
        if found := self.match(r"\[([\w., ]*)\]"):  # a set of Pascal
            names = [name for name in found[1].split(", ") if name]
            if ".." in found[1]:
                return None
            return Enum("[]" if not names else names[0] if len(names) == 1 else f"({' | '.join(names)})")
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
            self.match(r" <error: [^>]*>")
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
        if found := self.match(r"\.(TRUE|FALSE)\."):  # Fortran
            return found[1] == "TRUE"
        if self.ahead("'"):
            return Text(self.quoted("'"), False)
        if found := self.match(r"\((?:[^()]* \| [^()]*|unknown: [^()]*|[^ ()]*,[^ ()]*|[A-Z]\w*\)?)\)(?!::)"):
            return Enum(found[0])
        if self.ahead("(") and not self.ahead("(anon"):
            return self.aggregate()
        found = self.match(r"(?:[A-Za-z_]|\(anon)(?:[\w:]|\.(?=[A-Za-z_])|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>|"
                           r"\(?anonymous namespace\))*")
        if not found:
            raise ValueError(f"not understood: {self.text[self.at:self.at + 60]!r}")
        if found[0].startswith(("core::marker::PhantomData", "alloc::alloc::Global")):
            return None  # GDB prints this for Rust's values without a size
        if self.ahead("(") or self.ahead("{") or self.ahead(" {") or "::" in found[0] and self.ahead(" ("):  # Rust
            variant = [] if self.take(" ") else [(VARIANT, Variant(found[0]))]
            fields = self.braces() if self.ahead("{") else self.aggregate()
            return variant + [(f"__{i}" if name is None else name, value) for i, (name, value) in enumerate(fields)]
        return {"true": True, "false": False}.get(found[0], Enum(found[0]))

    def aggregate(self):
        """Lists of Ada, "(x => 1, y => 2)" or "(3 => 10, 20)", and of Fortran, "( x = 1, y = 2 )", "((1, 2) (3, 4))"."""
        fields, index = [], None
        self.at += 1
        while not self.match(r" ?\)"):
            name = None
            self.take(" ")
            if found := self.match(r"(-?\d+) => "):
                index = int(found[1])
            elif found := self.match(r"([A-Za-z_]\w*) =>? "):
                name = found[1]
            value = self.value()
            for _ in range(self.repeats()):
                fields.append((name if name or index is None else index, value))
                index = index if name or index is None else index + 1
            self.take(",")
        return fields

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
                depth, end, begin = 0, self.at, self.at
                while True:  # a base class, whose name may have template arguments
                    depth += {"<": 1, ">": -1}.get(self.text[end], 0)
                    end += 1
                    if depth == 0:
                        break
                self.at = end
                self.take(" = ")
                fields.append((Base(self.text[begin + 1:end - 1]), self.value()))
            elif self.match(r"static [A-Za-z_$][\w.$]* = "):
                self.value()  # a static member is not part of the object
            elif found := self.match(r"([A-Za-z_$][\w.$]*)(?: =|:) "):
                fields.append((found[1], self.value()))
            else:
                value = self.value()
                fields += [(None, value)] * self.repeats()
            self.take(", ")
        return fields


def member_names(name, member):
    if member is VARIANT:
        return [name]
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
            base = base[1:]
            is_cast = base.startswith("(") and base.find(")") < len(base) - 1
            return f"(&*{base})[{index}]" if is_cast else f"{base}[{index}]"
        return f"(&{base})[{index}]"
    return f"({base})[{index}]" if re.search(r"^[*&]|[ +]", base) else f"{base}[{index}]"


def walk(names, value, first_of, base=None):
    """`first_of` returns the first index of an array, which GDB shows only for Ada."""
    if not isinstance(value, list):
        yield names, value
        return
    index = first_of(names[0])
    for member, content in value:
        if member is None and isinstance(content, list) and any(m is not None for m, _ in value):
            yield from walk(names, content, first_of)  # an anonymous member
        elif member is None or isinstance(member, int):
            elements = [element_name(name, index if member is None else member) for name in names]
            # A list is an array if none of its members has a name.
            is_object = isinstance(content, list) and any(m for m, _ in content)
            yield from walk(elements + names if is_object else elements, content, first_of)
            index += 1
        elif isinstance(member, Base):
            yield from walk(names, content, first_of, member)
        else:
            # If several base classes have a member of this name, the name includes the base class.
            yield from walk([n for name in names for m in ([member, f"{base}::{member}"] if base else [member])
                             for n in member_names(name, m)], content, first_of)


def leaves_of(text, first_of=lambda name: 0):
    for name, value in re.findall(r"^([^\n=]+?) = (.*)$", text or "", re.M):
        if name.startswith("$"):
            continue
        try:
            yield from walk([name], Reader(value).value(), first_of)
        except (ValueError, IndexError) as problem:
            print(f"tdump: {name} = {value[:80]}: {problem}")
