#!/usr/bin/env python3
"""Tests scripts/open-in-perfetto as users and pages use it, also in Chromium. A page from another origin acts as the
viewer.

The directory with the programs is in the environment variable PROGRAMS.
"""

import faulthandler
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from chromium import Chromium
from needs import needs
from viewer import CONVERT, DUMP, FAMILY, POOL, SCRIPT, UI, Opened, Viewer

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import fxt_reader  # noqa: E402
CLICK = "(button => button && (button.click(), true))([...document.querySelectorAll('button.open')].at(-1) ?? null)"


class OpenInPerfetto(Opened):
    def fetched(self, link):
        """Fetches as the page would, from the link in its address."""
        url = self.said(link)["url"]
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Origin": UI}), timeout=20) as answer:
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], UI)
            return answer.read()

    def said(self, link):
        start = f"{UI}/#!/?"
        self.assertTrue(link.startswith(start), link)
        return dict(urllib.parse.parse_qsl(link.removeprefix(start)))

    def test_a_trace_is_served(self):
        [link] = self.links_of("--fetch", self.trace)
        self.assertEqual(self.fetched(link), self.trace.read_bytes())
        self.assertEqual(self.fetched(link), self.trace.read_bytes())
        with self.assertRaises(urllib.error.HTTPError):
            self.get("/pool.fxtx")

    def test_the_page_and_its_files_are_only_for_this_machine(self):
        [link] = self.links_of(self.trace)
        self.assertRegex(link, rf"^http://127\.0\.0\.1:{self.port}/[\w-]{{22}}/$")
        root = urllib.parse.urlsplit(link).path
        with self.get(root) as page, self.get(f"{root}0/whole/pool.fxt") as trace:
            self.assertIn(b"pool.fxt", page.read())
            self.assertEqual(trace.read(), self.trace.read_bytes())
            # Pages of other origins can't read the trace.
            self.assertIsNone(trace.headers["Access-Control-Allow-Origin"])
        for path in root, f"{root}0/whole/pool.fxt", f"{root}progress", f"{root}0/map", f"{root}0/part?from=0&to=1":
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.get(path, Host="example.org")
            self.assertEqual(refused.exception.code, 403)
        # Other users of this machine can't read the trace, because they do not know the link.
        for path in "/", "/pool.fxt", "/0/whole/pool.fxt", "/0/map", "/progress", f"{root[:-2]}/0/map", root[:-1]:
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.get(path)
            self.assertEqual(refused.exception.code, 404)
        for path in "none", "1/map", "0/none", "0/part", "0/part?from=x&to=1", "0/whole/", "0/whole/../../pool.fxt":
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.get(root + path)
            self.assertEqual(refused.exception.code, 404)

    def test_ssh_may_forward_another_port(self):
        [link] = self.links_of(self.trace)
        for host in "localhost:8000", "127.0.0.1:8000", "localhost":
            with self.get(urllib.parse.urlsplit(link).path, Host=host) as page:
                self.assertIn(b"pool.fxt", page.read())
        for host in "localhost.example.org", "example.org:9001", "127.0.0.1.example.org", "localhost:", "":
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.get(urllib.parse.urlsplit(link).path, Host=host)
            self.assertEqual(refused.exception.code, 403)

    def test_the_viewer_may_look_for_its_own_server(self):
        process, _ = self.opened(self.trace)
        for path in "/status", "/none":
            with self.assertRaises(urllib.error.HTTPError):
                self.get(path)
        process.terminate()
        error = process.communicate(timeout=60)[1]
        self.assertNotIn("/status", error)
        self.assertIn("/none", error)

    def test_the_link_names_the_part_with_the_calls_and_the_process(self):
        [link] = self.links_of("--fetch", POOL)
        said = self.said(link)
        report = json.loads(subprocess.run([CONVERT, "--report=json", POOL, self.folder / "again.fxt"], check=True,
                                           stdout=subprocess.PIPE).stdout)
        self.assertEqual([int(said["visStart"]), int(said["visEnd"])], report["view_ns"])
        [command] = json.loads(said["startupCommands"])
        self.assertEqual(command["id"], "dev.perfetto.ExpandTracksByRegex")
        self.assertRegex("pool 28327", command["args"][0].replace(r"\ ", " "))
        self.assertEqual(command["args"][1], "name")

    def unfolded_by(self, link):
        """The pattern with which the command in the link finds a group by name."""
        [command] = json.loads(self.said(link)["startupCommands"])
        return re.compile(command["args"][0])

    def test_the_link_unfolds_all_processes(self):
        [link] = self.links_of("--fetch", FAMILY)
        report = json.loads(subprocess.run([CONVERT, "--report=json", FAMILY, self.folder / "again.fxt"], check=True,
                                           stdout=subprocess.PIPE).stdout)
        dumped = subprocess.run([DUMP, "--json", self.folder / "again.fxt"], check=True, stdout=subprocess.PIPE, text=True).stdout
        records = map(json.loads, dumped.splitlines())
        groups = [f"{record['name']} {record['koid']}" for record in records if record["kind"] == "kernel-object" and record["type"] == 1]
        self.assertEqual(len(groups), report["processes"])
        self.assertGreater(len(groups), 1)
        for group in groups:
            self.assertTrue(self.unfolded_by(link).search(group), group)
            self.assertTrue(self.unfolded_by(link).search("./bin/" + group), group)

    def test_names_of_processes_are_taken_literally(self):
        names = {7: "a.b (c)", 8: "[x]+", 9: "$ |^", 10: "schräg & #"}
        words = [0x0016547846040010]
        for process, name in names.items():
            text = name.encode()
            padded = text.ljust((len(text) + 7) // 8 * 8, b"\0")
            words += [7 | (2 + len(padded) // 8) << 4 | 1 << 16 | (0x8000 | len(text)) << 24, process,
                      *struct.unpack(f"<{len(padded) // 8}Q", padded)]
        trace = self.folder / "names.fxt"
        trace.write_bytes(struct.pack(f"<{len(words)}Q", *words))
        [link] = self.links_of("--fetch", trace)
        for process, name in names.items():
            self.assertTrue(self.unfolded_by(link).search(f"{name} {process}"), name)
        for other in ("aXb (c) 7", "x 8", "a.b (c) 70", "", "Scheduler", "schräg & # 10 more"):
            self.assertFalse(self.unfolded_by(link).search(other), other)

    def test_recordings_are_converted_with_the_tracks_of_cpus(self):
        recording = REPOSITORY / "tests" / "uftrace" / "recordings" / "sched"
        with_tracks = self.folder / "with.fxt"
        subprocess.run([CONVERT, "-q", "--cpu-tracks", recording, with_tracks], check=True)
        self.assertEqual(self.fetched(self.links_of("--fetch", recording)[0]), with_tracks.read_bytes())

    def test_an_option_that_the_user_did_not_give_is_not_mentioned(self):
        process, _ = self.opened(REPOSITORY / "samples" / "gdb" / "queue.trace")
        process.terminate()
        self.assertNotIn("cpu-tracks", process.communicate(timeout=60)[1])

    def test_the_link_of_a_gdb_session_names_the_part_with_the_frames(self):
        bare = self.folder / "bare.tfile"  # a file with only two frames, at 1000 and 2000 us
        bare.write_bytes(b"\x7fTRACE0\nR 0\ntsv 1:0:1:" + b"trace_timestamp".hex().encode() + b"\ntp T2:8000:E:0:0\n\n" +
                         b"".join(struct.pack("<HIcIq", 2, 13, b"V", 1, time_us) for time_us in (1000, 2000)) + bytes(4))
        sessions = [REPOSITORY / "samples" / "gdb" / "queue.trace", bare]
        for session in sessions:
            process = self.start("--no-browser", "--fetch", session)
            process.stdout.readline()
            link = process.stdout.readline().strip()
            output = self.folder / "session.fxt"
            report = json.loads(subprocess.run([CONVERT, "--report=json", session, output], check=True,
                                               stdout=subprocess.PIPE).stdout)
            times = [event.time for event in fxt_reader.read(output).events if event.category == "tracepoint"]
            first, last = min(times), max(times)
            margin = (last - first) // 20
            self.assertEqual(report["view_ns"], [first - margin, last + margin])
            part = [max(first - margin, report["first_ns"]), min(last + margin, report["last_ns"])]
            said = self.said(link)
            self.assertEqual([int(said["visStart"]), int(said["visEnd"])], part)
            self.end(process)

    def test_any_name_is_quoted(self):
        names = ["a b.fxt", "50% #1?&=+.fxt", "schräg.fxt", os.fsdecode(b"\xff.fxt")]
        for name in names:
            (self.folder / name).write_bytes(self.trace.read_bytes())
        links = self.links_of("--fetch", *(self.folder / name for name in names))
        self.assertEqual(len(links), len(names))
        for link in links:
            self.assertEqual(self.fetched(link), self.trace.read_bytes())

    def test_recordings_of_any_name_are_converted(self):
        names = ["-q", "a b", "a\nb", os.fsdecode(b"\xff"), "x" * 255]
        for name in names:
            shutil.copytree(POOL, self.folder / name)
        for name in names:
            with self.subTest(name):
                process = self.start("--no-browser", "--fetch", "--", name, cwd=self.folder)
                process.stdout.readline()
                self.assertEqual(self.fetched(process.stdout.readline().strip()), self.trace.read_bytes())
                self.end(process)
        (self.folder / "a\nc").write_text("no trace")
        self.assertIn(f"open-in-perfetto: {self.folder}/a\\x0ac: could not be converted\n", self.refused(self.folder / "a\nc"))

    def test_a_trace_may_name_very_many_processes(self):
        """Each name is a long text, to which a record refers with two bytes. The second trace has a record of size 0 instead of
        the text."""
        name = [2 | 4001 << 4 | 1 << 16 | 32000 << 32, *[0x6161616161616161] * 4000]
        names = [word for process in range(200_000) for word in (7 | 2 << 4 | 1 << 16 | 1 << 24, process)]
        trace = self.folder / "names.fxt"
        for number, words in enumerate(([0x0016547846040010, *name, *names], [0x0016547846040010, 7, *names])):
            trace.write_bytes(struct.pack(f"<{len(words)}Q", *words))
            process = self.start("--no-browser", "--fetch", trace)
            process.stdout.readline()
            self.assertLess(len(process.stdout.readline()), 100_000)
            with Path(f"/proc/{process.pid}/status").open() as status:
                [peak] = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
            self.assertLess(peak, 256 << 10, number)
            self.end(process)

    def test_any_program_of_this_machine_can_connect(self):
        process, root = self.opened(self.trace)
        root = root.encode()
        for request in (b"\x1b[31m\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + root + b"0/part?from=9&to=1 HTTP/1.0\r\n"
                        b"Host: localhost\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.port)) as client:
                client.sendall(request)
                self.assertRegex(client.recv(1 << 16).decode(), "404 Not Found|Error code: (400|505)")
        for _ in range(5):  # clients that do not wait for the answer
            with socket.create_connection(("127.0.0.1", self.port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(b"GET " + root + b"0/part?from=0&to=1 HTTP/1.0\r\nHost: localhost\r\n\r\n")
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(20)]
        with self.get(root.decode()) as page:
            self.assertIn(b"pool.fxt", page.read())
        for client in idle:
            self.assertEqual(client.recv(1), b"")  # after some seconds
            client.close()
        process.terminate()
        self.assertNotIn("Traceback", process.stderr.read())

    def test_folders_may_be_nested_deeply(self):
        recording = self.folder / "deep"
        shutil.copytree(POOL, recording)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(recording)
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(before)
        self.addCleanup(subprocess.run, ["rm", "-r", recording], check=True)
        self.assertEqual(len(self.links_of(recording)), 1)

    def test_compressed_traces_are_served_unchanged(self):
        compressed = self.folder / "pool.fxt.gz"
        subprocess.run([CONVERT, "-q", POOL, compressed], check=True)
        self.assertEqual(self.fetched(self.links_of("--fetch", compressed)[0]), compressed.read_bytes())

    def test_recordings_become_one_trace(self):
        session = REPOSITORY / "samples" / "gdb" / "queue.trace"
        links = self.links_of("--fetch", POOL, self.trace, session)
        self.assertEqual([self.said(link)["url"].split("/")[-1] for link in links], ["pool%20and%201%20more.fxt", "pool.fxt"])
        one = self.folder / "one.fxt"
        subprocess.run([CONVERT, "-q", "--cpu-tracks", POOL, session, one], check=True)
        self.assertEqual([self.fetched(link) for link in links], [one.read_bytes(), self.trace.read_bytes()])

    def test_the_browser_is_started(self):
        browser = self.folder / "browser"
        browser.write_text(f"#!/bin/sh\necho \"$1\" > '{self.folder}/opened.part'\n"
                           f"mv '{self.folder}/opened.part' '{self.folder}/opened'\n")
        browser.chmod(0o755)
        process = self.start(self.trace, BROWSER=f"{browser} %s")
        link = [process.stdout.readline() for _ in range(2)][1].strip()
        process.stdout.readline()
        for _ in range(200):
            if (self.folder / "opened").exists():
                break
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        self.assertEqual((self.folder / "opened").read_text().strip(), link)

    def test_its_temporary_files_are_removed(self):
        for end, code in (signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129):
            process, _ = self.opened("--no-cache", POOL, TMPDIR=str(self.folder))
            [temporary] = self.folder.glob("open-in-perfetto.*")
            self.assertEqual(len(list(temporary.glob("*/pool.fxt"))), 1)
            self.assertFalse((self.folder / "cache").exists())
            process.send_signal(end)
            self.assertNotIn("Traceback", process.communicate(timeout=60)[1])
            self.assertEqual(process.returncode, code)
            self.assertFalse(temporary.exists())

    def test_ctrl_c_may_be_pressed_again(self):
        for _ in range(5):
            process, _ = self.opened(self.trace)
            while process.poll() is None:
                process.send_signal(signal.SIGINT)
                time.sleep(0.002)
            self.assertEqual((process.communicate()[1], process.returncode), ("", 0))

    def test_signals_end_a_conversion(self):
        converter, begun = self.folder / "converter", self.folder / "begun"
        converter.write_text(f"#!/bin/sh\necho $$ > '{begun}.part'; mv '{begun}.part' '{begun}'\nexec sleep 60\n")
        converter.chmod(0o755)
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            process = self.start("--no-browser", POOL, TMPDIR=str(self.folder), FXT_CONVERT=str(converter))
            while not begun.exists():
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=30)[1], "")
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual([*self.folder.glob("open-in-perfetto.*"), *self.folder.glob("cache/*/*")], [])
            with self.assertRaises(ProcessLookupError):
                os.kill(int(begun.read_text()), 0)
            begun.unlink()

    @needs("chromium")
    def test_a_click_passes_the_trace_on_in_chromium(self):
        name = "<script>'\".fxt"
        shutil.copy(self.trace, self.folder / name)
        with Viewer() as viewer:
            [link] = self.links_of(f"--ui={viewer.origin}", self.trace, self.folder / name)
            with Chromium(self.folder, link, viewer.as_public()) as browser:
                browser.deny_this_machine(viewer.origin)
                self.assertTrue(browser.evaluate(link, CLICK))
                trace, said = viewer.told.get(timeout=120)
                self.assertEqual(trace, self.trace.read_bytes())
                self.assertEqual(said["title"], name)
                self.assertEqual(said["fileName"], said["title"])
                self.assertEqual(said["from"], f"http://127.0.0.1:{self.port}")
                self.assertIn("ExpandTracksByRegex", said["startupCommands"])
                done = "document.getElementById('state').textContent.includes('is open') || null"
                self.assertTrue(browser.evaluate(link, done))

    @needs("chromium")
    def test_a_page_of_another_origin_may_fetch_it_in_chromium(self):
        with Viewer() as viewer:
            [link] = self.links_of("--fetch", f"--ui={viewer.origin}", self.trace)
            with Chromium(self.folder, link):
                self.assertEqual(viewer.told.get(timeout=120)[0], self.trace.read_bytes())

    @needs("chromium")
    def test_a_public_page_without_permission_may_not_fetch_it_in_chromium(self):
        with Viewer() as viewer:
            [link] = self.links_of("--fetch", f"--ui={viewer.origin}", self.trace)
            with Chromium(self.folder, "about:blank", viewer.as_public()) as browser:
                browser.deny_this_machine(viewer.origin)
                browser.ask("Target.createTarget", url=link)
                self.assertEqual(viewer.told.get(timeout=120)[0], b"TypeError: Failed to fetch")

    def test_files_that_can_not_be_opened_are_reported(self):
        self.assertEqual(self.refused(self.folder / "none"), f"open-in-perfetto: {self.folder}/none: No such file or directory\n")
        long = self.folder / ("x" * 300)  # too long for a file name
        self.assertEqual(self.refused(long), f"open-in-perfetto: {long}: File name too long\n")
        (self.folder / "text").write_text("no trace")
        self.assertIn(f"open-in-perfetto: {self.folder}/text: could not be converted\n", self.refused(self.folder / "text"))

    def test_several_inputs_may_have_one_name(self):
        (self.folder / "other").mkdir()
        subprocess.run([CONVERT, "-q", FAMILY, self.folder / "other" / "pool.fxt"], check=True)
        links = self.links_of("--fetch", self.trace, self.folder / "other" / "pool.fxt")
        self.assertEqual([self.fetched(link) for link in links],
                         [self.trace.read_bytes(), (self.folder / "other" / "pool.fxt").read_bytes()])

    def test_a_missing_converter_is_reported(self):
        process = self.start("--no-browser", POOL, FXT_CONVERT="/none/fxt-convert")
        self.assertEqual(process.communicate(timeout=60)[1],
                         "open-in-perfetto: FXT_CONVERT: /none/fxt-convert: No such file or directory\n")
        self.assertEqual(process.returncode, 1)

    def test_wrong_usage_is_explained(self):
        process = self.start("--no-brwser", self.trace)
        self.assertEqual(process.communicate(timeout=60)[1], "open-in-perfetto: unrecognized arguments: --no-brwser; did you "
                         "mean --no-browser?\nTry 'open-in-perfetto --help'.\n")
        self.assertEqual(process.returncode, 2)
        for ui in "foo", "ui.perfetto.dev", "ftp://ui.perfetto.dev", "https://", "https:///x", "https://a b", "https://a/?x", "":
            with self.subTest(ui):
                process = self.start(f"--ui={ui}", self.trace)
                self.assertEqual(process.communicate(timeout=60)[1], "open-in-perfetto: --ui takes the address of a UI, such as "
                                 f"https://ui.perfetto.dev, not '{ui}'\nTry 'open-in-perfetto --help'.\n")
                self.assertEqual(process.returncode, 2)

    def test_the_address_of_a_ui_may_end_in_a_slash(self):
        [link] = self.links_of("--fetch", f"--ui={UI}/", self.trace)
        self.assertTrue(link.startswith(f"{UI}/#!/?url="), link)

    def test_the_port_is_checked_before_anything_is_converted(self):
        self.links_of(self.trace)
        self.assertEqual(self.refused(POOL, FXT_CONVERT="/bin/false"), f"open-in-perfetto: port {self.port} can't be used: Address already in use "
                         "(possibly by another open-in-perfetto); use another --port\n")
        self.assertTrue(self.refused(self.trace, "--fetch").endswith("; end it, or omit --fetch\n"))

    def test_a_wrong_port_is_refused(self):
        for port in "0", "65536", "abc", "-1":
            process = self.start(f"--port={port}", self.trace)
            self.assertEqual(process.communicate(timeout=60)[1], "open-in-perfetto: argument --port: takes a number from 1 to 65535, not "
                             f"'{port}'\nTry 'open-in-perfetto --help'.\n")
            self.assertEqual(process.returncode, 2)

    def test_a_full_standard_output_is_reported(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([SCRIPT, "--no-browser", f"--port={self.port}", "--no-cache", self.trace], stdout=full, stderr=subprocess.PIPE,
                                 text=True, check=False, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (1, "open-in-perfetto: standard output: No space left on device\n"))


if __name__ == "__main__":
    # If the tests are not finished after 300 seconds, prints the stack of each thread and exits.
    faulthandler.dump_traceback_later(300, exit=True)
    unittest.main()
