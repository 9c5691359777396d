"""docs/notes.md and the sources: every kind of note has its entry, and every entry its kind."""

import re
import unittest
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

DEFINITION = re.compile(r'NoteKind (k\w+)\{\s*"([^"]+)",((?:\s*"[^"]*")+)(,\s*true)?\};')
ENTRY = re.compile(r"^### (\S+)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


def definitions():
    """The constants of all rooms, with what is said of them, and how often each is named anywhere."""
    texts = [path.read_text() for pattern in ("*.h", "*.cpp") for path in REPOSITORY.glob(f"converters/**/{pattern}")]
    found = [definition for text in texts for definition in DEFINITION.findall(text)]
    begun = sum(len(re.findall(r"NoteKind k\w+\{", text)) for text in texts)
    return found, begun, Counter(word for text in texts for word in re.findall(r"\bk[A-Z]\w+", text))


class Notes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found, cls.begun, cls.uses = definitions()
        cls.kinds = {}  # by name: whether it is a remark, in each room that has one of that name
        for _, name, _, remark in cls.found:
            cls.kinds.setdefault(name, set()).add(bool(remark))
        cls.page = (REPOSITORY / "docs" / "notes.md").read_text()
        cls.entries = dict(ENTRY.findall(cls.page))

    def test_every_definition_is_understood(self):
        self.assertEqual(len(self.found), self.begun)
        self.assertGreater(self.begun, 0)

    def test_every_kind_has_its_entry_and_every_entry_its_kind(self):
        self.assertEqual(sorted(self.entries), sorted(self.kinds))

    def test_every_entry_says_what_to_do(self):
        for name, text in self.entries.items():
            with self.subTest(name):
                self.assertRegex(text, r"Remedy[:,]\s+\S")

    def test_remarks_are_called_so(self):
        for name, text in self.entries.items():
            with self.subTest(name):
                self.assertEqual({text.strip().startswith("*Remark.*")}, self.kinds.get(name))

    def test_the_list_at_the_top_names_each_entry_once(self):
        links = re.findall(r"\[([^\]]+)\]\(#([^)]+)\)", self.page.split("\n## ")[0])
        self.assertEqual(sorted(text for text, link in links if text == link), sorted(self.entries))

    def test_every_kind_is_said_somewhere(self):
        defined = Counter(constant for constant, _, _, _ in self.found)
        self.assertEqual([constant for constant in defined if self.uses[constant] == defined[constant]], [])


if __name__ == "__main__":
    unittest.main()
