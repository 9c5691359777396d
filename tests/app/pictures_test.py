#!/usr/bin/env python3
"""The README's pictures are those that fxt-draw makes of the samples, and its pages work in Chromium.

The directory with the programs is in the environment variable PROGRAMS.
"""

import os
import re
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["PROGRAMS"])
SAMPLES = Path(__file__).resolve().parents[2] / "samples"


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.traces = {"pool": self.converted(SAMPLES / "uftrace/pool", "pool.fxt"),
                       "stones": self.converted(SAMPLES / "both/stones", SAMPLES / "both/stones.trace", "stones.fxt")}

    def converted(self, *paths):
        trace = self.folder / paths[-1]
        subprocess.run([PROGRAMS / "fxt-convert", "-q", *paths[:-1], trace], check=True)
        return trace

    def test_those_of_the_samples_are_made_so(self):
        commands = re.findall(r"^    fxt-draw (-r \S+) out/(\w+)\.fxt samples/(\S+)$",
                              (SAMPLES / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(len(commands), 2)
        for range_option, trace, picture in commands:
            drawn = subprocess.run([PROGRAMS / "fxt-draw", *range_option.split(), self.traces[trace], "-"], check=True,
                                   capture_output=True, text=True).stdout
            self.assertEqual(drawn, (SAMPLES / picture).read_text())

    def in_chromium(self, steps):
        """The page as it is after these steps of a user, in JavaScript."""
        # Chromium reserves far more addresses than it uses.
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        page = self.folder / "page.html"
        subprocess.run([PROGRAMS / "fxt-draw", "-q", "-f", "-r", "4485ms~4514ms", self.traces["stones"], page], check=True)
        page.write_text(page.read_text().replace("</body>", f"<script>setTimeout(() => {{ {steps} }}, 100)</script></body>"))
        return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                               "--disable-background-networking", "--disable-component-update", "--disable-sync",
                               f"--user-data-dir={self.folder}/chromium", "--virtual-time-budget=2000", "--dump-dom",
                               f"file://{page}"], check=True, capture_output=True, text=True, timeout=120).stdout

    @staticmethod
    def axis_of(page):
        return re.findall(r'<text [^>]*>(-?[\d.]+ \S+)</text>', page.partition('class="axis"')[2].partition("</g>")[0])

    def test_pages_show_the_picture_until_they_are_zoomed(self):
        page = self.in_chromium("")
        self.assertIn((SAMPLES / "stones.svg").read_text().partition('<g class="lane">')[2].partition("</g>")[0], page)
        self.assertEqual(self.axis_of(page), ["4.485 s", "4.490 s", "4.495 s", "4.500 s", "4.505 s", "4.510 s"])

    def test_pages_zoom_where_the_wheel_turns(self):
        # Nothing is painted here, so no frame would come.
        page = self.in_chromium("""
            window.requestAnimationFrame = draw => draw();
            const box = svg.getBoundingClientRect(), x = box.left + box.width * 0.2;
            svg.dispatchEvent(new WheelEvent('wheel', { deltaY: -900, shiftKey: true, clientX: x, clientY: 200 }));""")
        self.assertEqual(self.axis_of(page), [f"4.{time} s" for time in range(4900, 4936, 5)])

    def test_pages_highlight_what_has_a_name(self):
        page = self.in_chromium("""
            const name = document.getElementById('name');
            name.value = 'usleep';
            name.dispatchEvent(new Event('input'));""")
        found = re.search(r'<span id="found">(\d+) shapes</span>', page)
        rects = re.findall(r'<rect [^>]*?(class="other")?><title>([^<]*)</title>', page)
        self.assertGreater(int(found[1]), 1)
        self.assertEqual([title for other, title in rects if not other],
                         [title for _, title in rects if "usleep" in title])


if __name__ == "__main__":
    unittest.main()
