#!/usr/bin/env python3
"""The README's pictures are the ones that fxt-draw makes from the samples, and its pages work in Chromium.

The directory with the programs is in the environment variable PROGRAMS.
"""

import json
import os
import re
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

from needs import needs

PROGRAMS = Path(os.environ["PROGRAMS"])
SAMPLES = Path(__file__).resolve().parents[2] / "samples"
BOTH = Path(__file__).resolve().parent / "both"


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.traces = {"pool": self.converted(SAMPLES / "uftrace/pool", "pool.fxt"),
                       "stones": self.converted(SAMPLES / "both/stones", SAMPLES / "both/stones.trace", "stones.fxt"),
                       "older stones": self.converted(BOTH / "stones", BOTH / "stones.trace", "older-stones.fxt")}

    def converted(self, *paths):
        trace = self.folder / paths[-1]
        subprocess.run([PROGRAMS / "fxt-convert", "-q", *paths[:-1], trace], check=True)
        return trace

    def test_pictures_of_the_samples_are_up_to_date(self):
        commands = re.findall(r"^    fxt-draw -r '(\S+)' out/(\w+)\.fxt samples/(\S+)$",
                              (SAMPLES / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(len(commands), 2)
        for time_range, trace, picture in commands:
            drawn = subprocess.run([PROGRAMS / "fxt-draw", "-r", time_range, self.traces[trace], "-"], check=True,
                                   capture_output=True, text=True).stdout
            self.assertEqual(drawn, (SAMPLES / picture).read_text())

    def in_chromium(self, steps):
        """The page after these steps of a user, in JavaScript."""
        # Allows as much address space as possible, because Chromium reserves far more than it uses.
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        page = self.folder / "page.html"
        subprocess.run([PROGRAMS / "fxt-draw", "-q", "-f", "-r", "4485ms~4514ms", self.traces["older stones"], page], check=True)
        # The page must paint at once. Otherwise, on a busy machine, Chromium may write the page before it paints a frame.
        text = page.read_text().replace("<body>", "<body><script>window.requestAnimationFrame = paint => paint();</script>")
        page.write_text(text.replace("</body>", f"<script>setTimeout(() => {{ {steps} }}, 100)</script></body>"))
        return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                               "--disable-background-networking", "--disable-component-update", "--disable-sync",
                               f"--user-data-dir={self.folder}/chromium", "--virtual-time-budget=2000", "--dump-dom",
                               f"file://{page}"], check=True, capture_output=True, text=True, timeout=120).stdout

    @staticmethod
    def text_of(page, name):
        return re.search(rf'<span id="{name}">([^<]*)</span>', page)[1]

    @needs("chromium")
    def test_pages_show_all_until_they_are_zoomed(self):
        page = self.in_chromium("")
        self.assertEqual(self.text_of(page, "shown"), "4.485 s to 4.514 s")
        self.assertNotIn("<svg", page)
        self.assertIn("on 4 threads", page.partition('id="foot"')[2])

    @needs("chromium")
    def test_pages_zoom_with_the_wheel(self):
        page = self.in_chromium("""
            const box = canvas.getBoundingClientRect(), x = box.left + margin + (width - 2 * margin) / 2;
            canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -300, shiftKey: true, bubbles: true, clientX: x }));""")
        self.assertEqual(self.text_of(page, "shown"), "4.49225 s to 4.50675 s")

    @needs("chromium")
    def test_pages_support_keys(self):
        def after(keys):
            events = "".join(f"dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}));" for key in keys)
            return self.in_chromium("pointer = margin;" + events + "document.title = document.activeElement.id;")
        self.assertEqual(self.text_of(after("w"), "shown"), "4.485 s to 4.5053 s")
        self.assertEqual(self.text_of(after("wd"), "shown"), "4.48906 s to 4.50936 s")
        self.assertEqual(self.text_of(after("wdas"), "shown"), "4.485 s to 4.514 s")
        self.assertIn("<title>name</title>", after("/"))

    @needs("chromium")
    def test_pages_zoom_to_the_call_that_is_clicked(self):
        page = self.in_chromium("""
            const row = data.lanes[1].rows[1], box = canvas.getBoundingClientRect();
            const there = { bubbles: true, clientX: box.left + place(row.b[0] + row.l[0] / 2),
                            clientY: box.top + data.lanes[1].top + rowHeight + 3 };
            canvas.dispatchEvent(new PointerEvent('pointermove', there));
            document.title = tip.hidden ? 'no tip' : tip.textContent;
            canvas.dispatchEvent(new PointerEvent('pointerdown', there));
            canvas.dispatchEvent(new PointerEvent('pointerup', there));
            element('found').textContent = Math.abs(span - row.l[0] * 1.1) < 1 ? 'zoomed' : 'not zoomed';""")
        self.assertEqual(self.text_of(page, "found"), "zoomed")
        self.assertRegex(page, r"<title>carry: [\d.]+ ms at 4[\d.]+ s")

    @needs("chromium")
    def test_instants_outside_of_the_calls_are_at_the_ends_of_the_axis(self):
        page = self.in_chromium("""
            const lane = data.lanes.find(one => one.marks);
            lane.marks = [[0, -5, 0, 1, false, null, 0], [0, all + 5, 0, 1, false, null, 0]];
            let marks = 0;
            paint.fill = () => { marks += 1; };
            const painted = (begin, length) => { from = begin; span = length; marks = 0; paintMarks(lane); return marks; };
            element('found').textContent = [painted(0, all), painted(0, all / 2), painted(all / 4, all / 2)].join(' ');""")
        self.assertEqual(self.text_of(page, "found"), "2 1 0")

    @needs("chromium")
    def test_axes_label_times_before_the_first_record(self):
        page = self.in_chromium("""
            const texts = [];
            paint.fillText = text => texts.push(text);
            data.from = -4000;
            from = 0;
            span = 4500;
            paintAxis();
            element('found').textContent = texts.join(', ');""")
        self.assertEqual(self.text_of(page, "found"), "-4 µs, -3 µs, -2 µs, -1 µs, 0 µs")

    @needs("chromium")
    def test_pages_count_matching_calls(self):
        page = self.in_chromium("""
            const name = document.getElementById('name');
            name.value = 'usleep';
            name.dispatchEvent(new Event('input'));""")
        statistics = json.loads(subprocess.run(
            [PROGRAMS / "fxt-dump", "--stats", "--json", "-n", "usleep", "-r", "4485ms~4514ms", self.traces["older stones"]],
            check=True, capture_output=True, text=True).stdout)
        calls = statistics["calls"][0]["calls"]
        self.assertEqual(self.text_of(page, "found"), f"{calls} calls of 1 name, {calls} of them drawn separately")


if __name__ == "__main__":
    unittest.main()
