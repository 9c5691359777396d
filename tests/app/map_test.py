#!/usr/bin/env python3
"""Tests the map of scripts/open-in-perfetto: parts that are chosen in Chromium, and the files in the cache.

A page of another origin takes the place of the viewer. The directory with the programs is in the environment variable PROGRAMS.
"""

import faulthandler
import gzip
import json
import os
import random
import shutil
import subprocess
import tarfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from chromium import Chromium
from needs import needs
from recording import entry, leave, write_recording
from viewer import CONVERT, CUT, DRAW, DUMP, FAMILY, POOL, Opened, Viewer

READY = "(files[0].ends && !files[0].go.disabled) || null"
# JavaScript for the range that is open: its start and its end on the trace's clock, or "" for the whole trace.
SHOWN = "files[0].shown === undefined ? null : files[0].shown ? files[0].shown.from + ' ' + files[0].shown.to : ''"


class Map(Opened):
    def root_of(self, *arguments):
        return self.opened(*arguments)[1]

    def read(self, path):
        with self.get(path) as answer:
            return answer.read()

    def part_of(self, from_ns, to_ns, *paths):
        """The part that fxt-convert or fxt-cut makes of this range of time."""
        output = self.folder / "expected.fxt"
        part = "-r" + "~".join(f"{ns // 10**9}.{ns % 10**9:09}" for ns in (from_ns, to_ns))
        command = [CUT, "-q"] if paths[0].is_file() else [CONVERT, "-q", "--cpu-tracks"]
        subprocess.run([*command, "-f", part, *paths, output], check=True)
        return output.read_bytes()

    def ends_of(self, path):
        trace = path
        if path.is_dir():
            trace = self.folder / "whole.fxt"
            subprocess.run([CONVERT, "-q", "--cpu-tracks", path, trace], check=True)
        statistics = json.loads(subprocess.run([DUMP, "--stats", "--json", trace], check=True, stdout=subprocess.PIPE).stdout)
        return statistics["first_ns"], statistics["last_ns"], statistics["calls"]

    @needs("chromium")
    def test_parts_open_in_the_window_of_the_viewer(self):
        """A drag, typed times and a function open parts. Going back opens the earlier parts."""
        first, last, calls = self.ends_of(POOL)
        with Viewer() as viewer:
            [link] = self.links_of(f"--ui={viewer.origin}", POOL)
            with Chromium(self.folder, link, viewer.as_public()) as browser:
                self.assertTrue(browser.evaluate(link, READY))
                self.assertEqual(browser.evaluate(link, "String(files[0].ends.from) + ' ' + files[0].ends.to"), f"{first} {last}")
                pages = set()

                def opened():
                    trace, said = viewer.told.get(timeout=120)
                    pages.add(said["page"])
                    shown = browser.evaluate(link, "document.getElementById('state').textContent.includes('is open') ? " + SHOWN + " : null")
                    times = [int(time) for time in shown.split()]
                    if times:
                        self.assertEqual(trace, self.part_of(*times, POOL))
                    self.assertEqual(browser.evaluate(link, "files[0].back.disabled"), not earlier)
                    return times

                # The map is in an inner frame with margins of 8 pixels.
                box = json.loads(browser.evaluate(link, "JSON.stringify((frame => [frame.left, frame.top, frame.width])"
                                                        "(files[0].map.contentDocument.querySelector('canvas').getBoundingClientRect()))"))
                frame = json.loads(browser.evaluate(link, "JSON.stringify((frame => [frame.left + 1, frame.top + 1])"
                                                          "(files[0].map.getBoundingClientRect()))"))
                left, top, width = frame[0] + box[0], frame[1] + box[1], box[2]
                place = [(left + 8 + (width - 16) * share, top + 40) for share in (0.75, 0.6, 0.5)]
                earlier = []
                browser.drag(link, *place)
                times = opened()
                for time, share in zip(times, (0.5, 0.75)):
                    self.assertAlmostEqual((time - first) / (last - first), share, delta=0.02)
                earlier.append(times)

                browser.evaluate(link, "files[0].from.value = '100us', files[0].to.value = ' 0.25 ms', files[0].go.click(), true")
                self.assertEqual(opened(), [first + 100_000, first + 250_000])
                earlier.append([first + 100_000, first + 250_000])

                browser.evaluate(link, "files[0].functions.querySelectorAll('button')[0]?.click() ?? null, "
                                       "files[0].functions.querySelector('button') && true")
                longest = max((call for call in calls if call["group"] == "program"), key=lambda call: call["self_ns"])
                times = opened()
                self.assertLessEqual(times[0], longest["max_start_ns"])
                self.assertGreaterEqual(times[1], longest["max_start_ns"] + longest["max_ns"])
                self.assertLess(times[1] - times[0], longest["max_ns"] * 1.2 + 1001)

                while earlier:
                    browser.evaluate(link, "files[0].back.click(), true")
                    expected = earlier.pop()
                    self.assertEqual(opened(), expected)
                browser.evaluate(link, "document.querySelector('button.open').click(), true")
                earlier.append(None)
                self.assertEqual(opened(), [])
                self.assertEqual(len(pages), 1, "the window of the viewer is not loaded again")

    @needs("chromium")
    def test_times_can_be_typed_in_chromium(self):
        [link] = self.links_of(self.trace)
        with Chromium(self.folder, link) as browser:
            self.assertTrue(browser.evaluate(link, READY))

            def clock(text):
                return browser.evaluate(link, "((text, file) => { try { return String(clock_of(file, text, 'end')); } catch (error) { return error; } })"
                                              f"({json.dumps(text)}, {{origin: '9007199254740993000'}})")
            origin = 9007199254740993000
            self.assertEqual(clock(" "), "end")
            for text, ns in {"0s": 0, "20ms": 20_000_000, "1.000000001 s": 1_000_000_001, "-5us": -5000, ".5\u00b5s": 500, "7ns": 7, "2m": 120_000_000_000,
                             "1h": 3600_000_000_000}.items():
                self.assertEqual(clock(text), str(origin + ns))
            self.assertEqual(clock("9007199254.740993123"), "9007199254740993123")
            for text in "x", "1..2", "1 2", "s", ".", "1d":
                self.assertEqual(clock(text), f"'{text}' is not a time; examples: 20ms, 1.5 s, 1061.4004")
            browser.evaluate(link, "files[0].from.value = '2ms', files[0].to.value = '1ms', files[0].go.click(), true")
            self.assertEqual(browser.evaluate(link, "document.getElementById('state').textContent || null"), "The time in 'from' is after the time in 'to'.")

    @needs("chromium")
    def test_a_failure_is_shown_in_chromium(self):
        with Viewer() as viewer:
            [link] = self.links_of(f"--ui={viewer.origin}", self.trace)
            with Chromium(self.folder, link, viewer.as_public()) as browser:
                self.assertTrue(browser.evaluate(link, READY))
                browser.evaluate(link, "files[0].from.value = '1h', files[0].to.value = '2h', files[0].go.click(), true")
                self.assertEqual(browser.evaluate(link, "(text => text.includes('no events') ? text : null)(document.getElementById('state').textContent)"),
                                 "the trace has no events in this time")

    def test_parts_of_traces_and_recordings_are_made(self):
        compressed = self.folder / "pool.fxt.gz"
        compressed.write_bytes(gzip.compress(self.trace.read_bytes()))
        session = Path(__file__).resolve().parents[2] / "samples" / "gdb" / "queue.trace"
        inputs = [self.trace, compressed, FAMILY]
        root = self.root_of(*inputs, session)
        one = self.folder / "one.fxt"
        subprocess.run([CONVERT, "-q", "--cpu-tracks", FAMILY, session, one], check=True)
        for number, path in enumerate(inputs):
            trace = self.trace if path == compressed else path
            with self.subTest(path.name):
                functions = json.loads(self.read(f"{root}{number}/functions"))
                self.assertTrue(functions)
                self.assertEqual([one["self_ns"] for one in functions], sorted((one["self_ns"] for one in functions), reverse=True))
                self.assertIn(b"<canvas>", self.read(f"{root}{number}/map"))
                paths = [FAMILY, session] if path == FAMILY else [trace]
                first, last, _ = self.ends_of(one if path == FAMILY else trace)
                middle = (first + last) // 2
                self.assertEqual(self.read(f"{root}{number}/part?from={middle}&to={last}"), self.part_of(middle, last, *paths))

    # ---- Large inputs ----

    def long_recording(self, calls=200_000):
        """The trace of this recording has about 50 bytes for each of these calls. Half of the trace are calls of 10 ns."""
        time, records = 2_000_000_000, [entry(2_000_000_000, 0, 0x400100)]
        for number in range(calls):
            time += 1000
            records += [entry(time, 1, 0x400200), entry(time + 10, 2, 0x400300), leave(time + 20, 2, 0x400300), leave(time + 100 + number % 50, 1, 0x400200)]
        records.append(leave(time + 1000, 0, 0x400100))
        return write_recording(self.folder / "long.data", records)

    def test_large_recordings_show_the_longest_calls(self):
        recording = self.long_recording()
        whole = self.folder / "whole.fxt"
        subprocess.run([CONVERT, "-q", "--cpu-tracks", recording, whole], check=True)
        root = self.root_of("--limit=1M", recording)
        self.assertIn(b"so it has only the longest calls", self.read(f"{root}facts"))
        self.assertTrue(100_000 < len(self.read(f"{root}0/whole/long.data.fxt")) <= 1_000_000)
        part = self.part_of(2_100_000_000, 2_102_000_000, recording)
        self.assertEqual(self.read(f"{root}0/part?from=2100000000&to=2102000000"), part)
        for begin in 2_000_000_000, 2_050_000_000:
            part = self.read(f"{root}0/part?from={begin}&to=2200000000")
            self.assertLessEqual(len(part), 1_000_000)
            self.assertGreater(len(part), 100_000)
        self.assertEqual(self.read(f"{root}0/map")[:4], b"<!--")

    def test_the_first_trace_of_a_much_larger_input_is_smaller(self):
        recording = self.long_recording(20_000)
        trace = self.folder / "long.fxt"
        subprocess.run([CONVERT, "-q", recording, trace], check=True)
        for path in recording, trace:
            size = sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size
            for limit, most in (size // 4 + 1, size // 4 + 1), (size // 4 - 1, size // 8), (size // 12, size // 16), (size // 20, size // 20):
                with self.subTest(f"{path.name} {limit}"):
                    process, root = self.opened(f"--limit={limit}", path)
                    whole = len(self.read(f"{root}0/whole/long{path.suffix.replace('.data', '.data.fxt')}"))
                    self.assertTrue(most * 0.7 < whole <= most, (whole, most))
                    self.end(process)

    def test_archives_are_unpacked_once(self):
        archive = self.folder / "run.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(POOL, "run.data")
        first, last, _ = self.ends_of(POOL)
        middle = (first + last) // 2
        for _ in range(2):
            process, root = self.opened(archive)
            self.assertEqual(self.read(f"{root}0/whole/run.tar.gz.fxt"), (self.folder / "whole.fxt").read_bytes())
            self.assertEqual(self.read(f"{root}0/part?from={middle}&to={last}"), self.part_of(middle, last, POOL))
            self.end(process)
        unpacked = [path for path in self.folder.glob("cache/fxt-open/*/files")]
        self.assertEqual(len(unpacked), 1)
        self.assertEqual(len(self.entries()), 4)

    # ---- Before the inputs are converted ----

    def slow_converter(self, end):
        """A program that reports some progress, waits until the file "go" exists, and ends with these commands."""
        program = self.folder / "slow-convert"
        program.write_text(f"#!/bin/sh\necho ' 42% of 1.0 GB' >&2\nwhile [ ! -e {self.folder}/go ]; do sleep 0.1; done\n{end}\n")
        program.chmod(0o755)
        return str(program)

    def opened_early(self, end, *options):
        process = self.start("--no-browser", *options, POOL, FXT_CONVERT=self.slow_converter(end))
        self.assertEqual(process.stdout.readline(), "Open this in a browser:\n")
        return process, process.stdout.readline().strip()

    def go(self):
        (self.folder / "go").write_text("")

    @needs("chromium")
    def test_the_page_shows_the_progress_of_the_conversion(self):
        _, link = self.opened_early(f'exec {CONVERT} "$@"')
        with Chromium(self.folder, link) as browser:
            state = "document.getElementById('state').textContent"
            self.assertEqual(browser.evaluate(link, f"({state}.includes('%') && {state}) || null"), "Converting pool.fxt \u2026 42% of 1.0 GB")
            self.go()
            self.assertTrue(browser.evaluate(link, f"!{state} && files[0].details.open || null"))

    @needs("chromium")
    def test_a_click_before_the_end_of_the_conversion_is_enough(self):
        with Viewer() as viewer:
            again = shutil.copy(self.trace, self.folder / "again.fxt")
            _, link = self.opened_early(f'exec {CONVERT} "$@"', again, f"--ui={viewer.origin}")
            with Chromium(self.folder, link, viewer.as_public()) as browser:
                browser.evaluate(link, "document.querySelector('button.open').click(), true")
                text = "(text => text.includes('%') ? text : null)(files[0].viewer.document.body.textContent)"
                self.assertEqual(browser.evaluate(link, text), "Loading again.fxt \u2026 42% of 1.0 GB")
                browser.evaluate(link, "document.querySelectorAll('button.open')[1].click(), true")
                self.go()
                subprocess.run([CONVERT, "-q", "--cpu-tracks", POOL, self.folder / "whole.fxt"], check=True)
                told = [viewer.told.get(timeout=120) for _ in range(2)]
                self.assertEqual({said["title"]: trace for trace, said in told},
                                 {"pool.fxt": (self.folder / "whole.fxt").read_bytes(), "again.fxt": self.trace.read_bytes()})
                for _, said in told:
                    self.assertIn("startupCommands", said)

    @needs("chromium")
    def test_a_window_that_waits_can_be_closed_and_opened_again(self):
        with Viewer() as viewer:
            _, link = self.opened_early(f'exec {CONVERT} "$@"', f"--ui={viewer.origin}")
            with Chromium(self.folder, link, viewer.as_public()) as browser:
                browser.evaluate(link, "document.querySelector('button.open').click(), true")
                browser.evaluate(link, "files[0].viewer.document.body.textContent.includes('%') || null")
                browser.evaluate(link, "files[0].viewer.close(), true")
                browser.evaluate(link, "files[0].viewer.closed || null")
                browser.evaluate(link, "document.querySelector('button.open').click(), true")
                self.go()
                self.assertEqual(viewer.told.get(timeout=60)[1]["title"], "pool.fxt")

    @needs("chromium")
    def test_the_page_says_that_a_conversion_failed(self):
        process, link = self.opened_early("echo 'no names' >&2; exit 1")
        with Chromium(self.folder, link) as browser:
            browser.evaluate(link, "document.getElementById('state').textContent.includes('%') || null")
            self.go()
            self.assertEqual(browser.evaluate(link, "(text => text.includes('%') ? null : text)(document.getElementById('state').textContent)"),
                             "fxt-open has ended; its terminal shows the reason")
        self.assertEqual(process.wait(60), 1)
        self.assertEqual(process.stderr.read().splitlines()[-2:], ["no names", f"open-in-perfetto: {POOL}: could not be converted"])

    # ---- The cache ----

    def entries(self):
        return [path for path in (self.folder / "cache" / "fxt-open").iterdir() if path.is_dir()]

    def recording(self):
        return Path(shutil.copytree(POOL, self.folder / "run.data"))

    def test_nothing_is_made_twice(self):
        """The second time, each program that is run would fail."""
        recording = self.recording()
        before = sorted(os.listdir(recording))
        first, last, _ = self.ends_of(POOL)
        paths = "0/whole/run.data.fxt", "0/map", "0/functions", f"0/part?from={first}&to={last}"
        process, root = self.opened(recording)
        seen = [self.read(root + path) for path in paths]
        self.end(process)
        self.assertEqual(len(self.entries()), 5)
        self.assertEqual((self.folder / "cache" / "fxt-open").stat().st_mode & 0o777, 0o700)
        self.assertEqual(sorted(os.listdir(recording)), before)
        used = {path: path.stat().st_mtime_ns for path in self.folder.glob("cache/fxt-open/*/*")}

        process, root = self.opened(recording)
        self.assertEqual([self.read(root + path) for path in paths], seen)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.folder.glob("cache/fxt-open/*/*")}, used)

        os.truncate(next(recording.glob("*.dat")), 160)
        self.assertNotEqual(self.read(root + paths[-1]), seen[-1])

    def test_the_index_is_made_after_the_first_picture(self):
        """The page asks for the trace, the map and the functions, in this order."""
        root = self.root_of(POOL)
        for path in "whole/pool.fxt", "map":
            self.read(f"{root}0/{path}")
        self.assertEqual(len(self.entries()), 2)
        self.read(f"{root}0/functions")
        for _ in range(600):
            if len(self.entries()) == 4:
                break
            time.sleep(0.1)
        self.assertEqual(len(self.entries()), 4)

    def test_a_damaged_cache_does_no_harm(self):
        recording = self.recording()
        first, last, _ = self.ends_of(POOL)
        paths = "0/whole/run.data.fxt", "0/map", "0/functions", f"0/part?from={first}&to={last}"
        seen = None
        rand = random.Random(1)
        for number in range(8):
            process, root = self.opened(recording)
            now = [self.read(root + path) for path in paths]
            self.end(process)
            self.assertEqual(now, seen or now, number)
            seen = now
            files = [path for path in self.folder.glob("cache/fxt-open/*/*")]
            self.assertEqual(len(files), 10)
            for path in files if number else rand.sample(files, 3):
                content = bytearray(path.read_bytes())
                if number % 4 == 0:
                    path.unlink()
                elif number % 4 == 1:
                    path.write_bytes(content[:rand.randrange(len(content))])
                elif number % 4 == 2:
                    content[rand.randrange(len(content))] ^= 1 << rand.randrange(8)
                    path.write_bytes(content)
                elif path.name == "entry.json":
                    path.write_bytes(rand.choice([b"", b"[]", b"{}", b"null", b'{"a":1}', b'{"a":[1]}', b"\xff", b"[" * 100_000]))

    def test_the_cache_has_a_limit(self):
        first, last, _ = self.ends_of(POOL)
        root = self.root_of("--cache-size=100k", POOL)
        whole = len(self.read(f"{root}0/whole/pool.fxt"))
        sizes = []
        for number in range(20):
            part = f"{root}0/part?from={first + number}&to={last}"
            self.assertEqual(self.read(part), self.part_of(first + number, last, POOL))
            sizes.append(sum(path.stat().st_size for path in self.folder.glob("cache/fxt-open/*/*.fxt")))
        self.assertLess(max(sizes), 100_000 + 2 * whole)
        self.assertGreater(max(sizes), whole)
        # The whole trace is in use, so the cache keeps it.
        self.assertEqual(len(self.read(f"{root}0/whole/pool.fxt")), whole)

    def test_a_cache_that_can_not_be_used_does_no_harm(self):
        (self.folder / "cache").write_text("a file")
        self.end(self.opened(POOL)[0])

    def test_wrong_sizes_of_the_cache_are_refused(self):
        for size in "", "0", "x", "-1", "1.5.2G", "5X":
            process = self.start(f"--cache-size={size}", self.trace)
            self.assertIn(f"argument --cache-size: takes a size such as 500M or 2G, not '{size}'", process.communicate(timeout=60)[1])
            self.assertEqual(process.returncode, 2)


if __name__ == "__main__":
    # If a test waits forever, prints its position.
    faulthandler.dump_traceback_later(600, exit=True)
    unittest.main()
