#!/usr/bin/env python3
"""scripts/open-in-perfetto, asked as the page does: what the link names is fetched from another origin, in Chromium, too.

The directory with the programs is in the environment variable PROGRAMS.
"""

import faulthandler
import http.server
import os
import queue
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
SCRIPT = REPOSITORY / "scripts" / "open-in-perfetto"
POOL = REPOSITORY / "samples" / "uftrace" / "pool"
UI = "https://ui.example.org"


class PageOfAnotherOrigin(http.server.ThreadingHTTPServer):
    """Fetches what its link names, as Perfetto's page does, and tells the bytes: or in words why it has none."""
    PAGE = b"""<!doctype html><link rel=icon href="data:,"><script>
        fetch(decodeURIComponent(location.hash.split("?url=")[1]))
            .then(answer => answer.arrayBuffer(), error => String(error))
            .then(body => fetch("/told", {method: "POST", body}));
        </script>"""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Answers)
        self.origin = f"http://localhost:{self.server_port}"
        self.told = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    class Answers(http.server.BaseHTTPRequestHandler):
        def answer(self, content):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self):
            self.answer(PageOfAnotherOrigin.PAGE)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(b"")
            self.server.told.put(body)

        def log_message(self, *_):
            pass


class OpenInPerfetto(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.trace = self.folder / "pool.fxt"
        subprocess.run([CONVERT, "-q", POOL, self.trace], check=True)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]

    def start(self, *arguments, **environment):
        process = subprocess.Popen([SCRIPT, f"--port={self.port}", f"--ui={UI}", *arguments], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={
                                       **os.environ, "FXT_CONVERT": str(CONVERT), "PYTHONFAULTHANDLER": "1", **environment})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.terminate()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            self.fail(f"SIGTERM does not end it: {process.communicate()}")

    def links_of(self, *arguments):
        process = self.start("--no-browser", *arguments)
        self.assertRegex(process.stdout.readline(), "^Open (this|one of these) in a browser:$")
        links = []
        while (line := process.stdout.readline()).startswith("  "):
            links.append(line.strip())
        self.assertEqual(line, "End with Ctrl-C.\n")
        return links

    def fetched(self, link):
        """As the page reads its address."""
        start = f"{UI}/#!/?url="
        self.assertTrue(link.startswith(start), link)
        url = urllib.parse.unquote(link.removeprefix(start))
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Origin": UI}), timeout=20) as answer:
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], UI)
            return answer.read()

    def refused(self, *arguments):
        process = self.start("--no-browser", *arguments)
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        return error

    def test_a_trace_is_served(self):
        [link] = self.links_of(self.trace)
        self.assertEqual(self.fetched(link), self.trace.read_bytes())
        self.assertEqual(self.fetched(link), self.trace.read_bytes())
        with self.assertRaises(urllib.error.HTTPError):
            self.fetched(link + "x")

    def test_any_name_is_quoted(self):
        names = ["a b.fxt", "50% #1?&=+.fxt", "schräg.fxt"]
        for name in names:
            (self.folder / name).write_bytes(self.trace.read_bytes())
        links = self.links_of(*(self.folder / name for name in names))
        self.assertEqual(len(links), len(names))
        for link in links:
            self.assertEqual(self.fetched(link), self.trace.read_bytes())

    def test_compressed_traces_are_served_as_they_are(self):
        compressed = self.folder / "pool.fxt.gz"
        subprocess.run([CONVERT, "-q", POOL, compressed], check=True)
        self.assertEqual(self.fetched(self.links_of(compressed)[0]), compressed.read_bytes())

    def test_recordings_are_converted(self):
        session = REPOSITORY / "samples" / "gdb" / "queue.trace"
        links = self.links_of(POOL, session)
        self.assertTrue(links[0].endswith("/pool.fxt") and links[1].endswith("/queue.trace.fxt"), links)
        self.assertEqual(self.fetched(links[0]), self.trace.read_bytes())
        self.assertEqual(self.fetched(links[1])[:8], self.trace.read_bytes()[:8])

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

    def test_its_temporary_files_go_with_it(self):
        for end in (signal.SIGINT, signal.SIGTERM):
            process = self.start("--no-browser", POOL, TMPDIR=str(self.folder))
            self.assertEqual(process.stdout.readline(), "Open this in a browser:\n")
            [temporary] = self.folder.glob("open-in-perfetto.*")
            self.assertTrue((temporary / "pool.fxt").exists())
            process.send_signal(end)
            self.assertNotIn("Traceback", process.communicate(timeout=60)[1])
            self.assertFalse(temporary.exists())

    def test_ctrl_c_may_be_pressed_again(self):
        for _ in range(5):
            process = self.start("--no-browser", self.trace)
            process.stdout.readline()
            while process.poll() is None:
                process.send_signal(signal.SIGINT)
                time.sleep(0.002)
            self.assertEqual((process.communicate()[1], process.returncode), ("", 0))

    def test_ctrl_c_ends_a_conversion(self):
        converter = self.folder / "converter"
        converter.write_text(f"#!/bin/sh\n: > '{self.folder}/begun'\nexec sleep 60\n")
        converter.chmod(0o755)
        process = self.start("--no-browser", POOL, TMPDIR=str(self.folder), FXT_CONVERT=str(converter))
        for _ in range(200):
            if (self.folder / "begun").exists():
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=30)[1], "")
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.folder.glob("open-in-perfetto.*")), [])

    def test_a_page_of_another_origin_has_it_in_chromium(self):
        # Chromium reserves far more addresses than it uses.
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        with PageOfAnotherOrigin() as page:
            process = self.start("--no-browser", f"--ui={page.origin}", self.trace)
            process.stdout.readline()
            chromium = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 f"--user-data-dir={self.folder}/chromium", process.stdout.readline().strip()],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                self.assertEqual(page.told.get(timeout=120), self.trace.read_bytes())
            finally:
                os.killpg(chromium.pid, signal.SIGKILL)
                chromium.wait()

    def test_what_can_not_be_opened_is_said(self):
        self.assertEqual(self.refused(self.folder / "none"), f"open-in-perfetto: {self.folder}/none: no such file or directory\n")
        long = self.folder / ("x" * 300)  # no file's status can be had
        self.assertEqual(self.refused(long), f"open-in-perfetto: {long}: File name too long\n")
        (self.folder / "text").write_text("no trace")
        self.assertIn(f"open-in-perfetto: {self.folder}/text could not be converted\n", self.refused(self.folder / "text"))
        (self.folder / "other").mkdir()
        other = shutil.copy(self.trace, self.folder / "other")
        self.assertEqual(self.refused(self.trace, other), "open-in-perfetto: two files are called pool.fxt\n")

    def test_a_converter_that_is_not_there(self):
        process = self.start("--no-browser", POOL, FXT_CONVERT="/none/fxt-convert")
        self.assertEqual(process.communicate(timeout=60)[1],
                         "open-in-perfetto: FXT_CONVERT: /none/fxt-convert: no such file or directory\n")
        self.assertEqual(process.returncode, 1)

    def test_wrong_usage(self):
        process = self.start("--no-brwser", self.trace)
        self.assertEqual(process.communicate(timeout=60)[1], "open-in-perfetto: unrecognized arguments: --no-brwser; did you "
                         "mean --no-browser?\nTry 'open-in-perfetto --help'.\n")
        self.assertEqual(process.returncode, 2)

    def test_a_second_one_says_that_the_port_is_taken(self):
        self.links_of(self.trace)
        self.assertEqual(self.refused(self.trace), f"open-in-perfetto: port {self.port} can't be had: Address already in use "
                         "(does another open-in-perfetto run?)\n")


if __name__ == "__main__":
    # What waits for ever says where.
    faulthandler.dump_traceback_later(300, exit=True)
    unittest.main()
