"""Checks the structure in docs/inside.md: folders include only folders above them, and never each other in circles."""

import itertools
import os
import re
import unittest
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = (REPOSITORY / "docs/inside.md").read_text(encoding="utf-8")
FLOORS = [re.split(", ", names) for names in re.findall(r"^    ([\w/]+(?:, [\w/]+)*) {3,}(?!.* · ).+$(?=\n(?:      ↑|\n))", PAGE, re.M)]


def floor_of(file):
    found = [floor for line in FLOORS for floor in line if file.startswith(floor + "/")]
    return max(found, key=len, default=None)


def stands_on(floor):
    above = sum(itertools.takewhile(lambda line: floor not in line, FLOORS), [])
    return [other for other in above if other.startswith("fxt") or not floor.startswith("fxt")]


class Rooms(unittest.TestCase):
    def setUp(self):
        self.includes = []  # (file, included file)
        for folder in ("fxt", "converters"):
            for path in (REPOSITORY / folder).rglob("*.*"):
                if path.suffix in {".h", ".cpp"}:
                    found = re.findall(r'^#include "(.+)"', path.read_text(encoding="utf-8"), re.M)
                    self.includes += [(str(path.relative_to(REPOSITORY)), other) for other in found]
        self.assertGreater(len(self.includes), 1000)
        self.assertEqual([len(line) for line in FLOORS], [1, 1, 1, 1, 3, 1])

    def test_folders_include_only_folders_above_them(self):
        for file, other in self.includes:
            with self.subTest(file):
                self.assertIn(floor_of(other), [floor_of(file), *stands_on(floor_of(file))])

    def test_folders_include_only_folders_to_their_left(self):
        lists = re.findall(r"^    (fxt(?:/\w+)?|converters/\w+) +(.+ · .+)$", PAGE, re.M)
        self.assertEqual(len(lists), 5)
        for floor, rooms in lists:
            groups = [(group.startswith("("), re.findall(r"\w+", group)) for group in rooms.split(" · ")]

            def place(file):
                room, _, name = file[len(floor) + 1:].partition("/")
                if name:
                    return next(i for i, (_, names) in enumerate(groups) if room in names)
                beside = [i for i, (are_files, _) in enumerate(groups) if are_files]
                return next((i for i in beside if Path(file).stem in groups[i][1]), beside[0])

            for file, other in self.includes:
                if floor_of(file) == floor_of(other) == floor and os.path.dirname(file) != os.path.dirname(other):
                    with self.subTest(file):
                        self.assertLess(place(other), place(file), f"{file} includes {other}")

    def test_each_file_begins_with_a_comment(self):
        for folder in ("fxt", "converters"):
            for path in (REPOSITORY / folder).rglob("*.*"):
                has_header = path.suffix == ".cpp" and (path.with_suffix(".h").exists() or path.stem == "output_file")
                if path.suffix in {".h", ".cpp"} and not has_header:
                    with self.subTest(path):
                        self.assertTrue(path.read_text(encoding="utf-8").startswith("//"))

    def test_installed_headers_name_their_license(self):
        listed = re.search(r"set\(fxt_headers(.*?)\)", (REPOSITORY / "fxt/CMakeLists.txt").read_text(encoding="utf-8"), re.S)
        for name in listed[1].split():
            with self.subTest(name):
                text = (REPOSITORY / "fxt" / name).read_text(encoding="utf-8")
                self.assertRegex(text, r"\A// SPDX-License-Identifier: Apache-2\.0\n// \w")

    def test_files_of_recordings_are_opened_beneath_their_directory(self):
        """Files of recordings are opened with fxt::FilePlace. The uftrace importer gets it only from Directory::file()."""
        opens, names = re.compile(r"ifstream|fopen|(?<!\w)::open(?:at)?\(|openat2|opendir"), re.compile(r"FilePlace\(|FilePlace\{|directory_?\.path /")
        for path in (REPOSITORY / "converters").rglob("*.*"):
            file = str(path.relative_to(REPOSITORY))
            # Two sources are exceptions. One opens a list of kernel symbols that the user names, which may be
            # a file without a size. The other opens /proc/self/maps.
            own = {"converters/tfile/program/kernel_symbols.cpp", "converters/symbols/debug_sections.cpp"}
            if path.suffix not in {".h", ".cpp"} or file in own:
                continue
            with self.subTest(file):
                text = path.read_text(encoding="utf-8")
                self.assertIsNone(opens.search(text))
                if file.startswith("converters/uftrace/") and file != "converters/uftrace/records/record_index.cpp":  # in a folder of the user
                    self.assertIsNone(names.search(text))

    def test_there_are_no_circles_of_includes(self):
        rooms = defaultdict(dict)  # for each folder: the folders that it includes, each with an example
        for file, other in self.includes:
            if os.path.dirname(file) != os.path.dirname(other):
                rooms[os.path.dirname(file)][os.path.dirname(other)] = f"{file} includes {other}"
        # The loop removes folders that are in no circle: they include no remaining folder, or no remaining folder includes
        # them.
        while free := [room for room in rooms if not rooms.keys() & rooms[room].keys()
                       or not any(room in others for others in rooms.values())]:
            for room in free:
                del rooms[room]
        circles = [example for others in rooms.values() for other, example in others.items() if other in rooms]
        self.assertEqual(circles, [], "\n".join(circles))


if __name__ == "__main__":
    unittest.main()
