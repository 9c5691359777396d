"""A page that acts as the viewer, and a base for tests of scripts/open-in-perfetto."""

import http.server
import json
import os
import queue
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONVERT = Path(os.environ["PROGRAMS"]) / "fxt-convert"
CUT, DRAW, DUMP = (CONVERT.with_name(f"fxt-{name}") for name in ("cut", "draw", "dump"))
SCRIPT = REPOSITORY / "scripts" / "open-in-perfetto"
POOL = REPOSITORY / "tests" / "uftrace" / "recordings" / "pool"
FAMILY = POOL.with_name("family")
UI = "https://ui.example.org"


class Viewer(http.server.ThreadingHTTPServer):
    """A server of another origin. Its page receives traces like Perfetto.

    The page fetches the URL in its link, or answers "PING" and receives the trace. The page reports the bytes, or the reason
    for a failure, and reports everything else that it received as JSON. Only the opener of the page may send traces. With
    keepApiOpen, the opener may send more than one trace.
    """
    PAGE = b"""<!doctype html><link rel=icon href="data:,"><script>
        const page = Math.random();
        const tell = (body, rest) => fetch("/told?" + encodeURIComponent(JSON.stringify(rest)), {method: "POST", body});
        const link = new URLSearchParams(location.hash.split("?")[1]);
        const said = Object.fromEntries(link);
        if (link.has("url"))
            fetch(link.get("url")).then(answer => answer.arrayBuffer(), error => String(error)).then(body => tell(body, said));
        const receive = event => {
            if (event.source !== opener) return;
            if (event.data === "PING") return event.source.postMessage("PONG", event.origin);
            const {buffer, ...rest} = event.data.perfetto;
            if (!rest.keepApiOpen) removeEventListener("message", receive);
            tell(buffer, {...said, ...rest, page, from: event.origin});
        };
        addEventListener("message", receive);
        </script>"""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Answers)
        self.origin = f"http://localhost:{self.server_port}"
        self.told = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def as_public(self):
        """An option of Chromium that treats this server as part of the internet, so that it needs permission for this
        machine."""
        return f"--ip-address-space-overrides=127.0.0.1:{self.server_port}=public"

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
            self.answer(Viewer.PAGE)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(b"")
            self.server.told.put((body, json.loads(urllib.parse.unquote(self.path.split("?")[1]))))

        def log_message(self, *_):
            pass


class Opened(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.trace = self.folder / "pool.fxt"
        subprocess.run([CONVERT, "-q", POOL, self.trace], check=True)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]

    def start(self, *arguments, cwd=None, **environment):
        process = subprocess.Popen([SCRIPT, f"--port={self.port}", f"--ui={UI}", *arguments], text=True, start_new_session=True, cwd=cwd,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={
                                       **os.environ, "FXT_CONVERT": str(CONVERT), "FXT_CUT": str(CUT), "FXT_DRAW": str(DRAW),
                                       "FXT_DUMP": str(DUMP), "PYTHONFAULTHANDLER": "1",
                                       "XDG_CACHE_HOME": str(self.folder / "cache"), **environment})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.terminate()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            self.fail(f"SIGTERM does not end it: {process.communicate()}")

    def opened(self, *arguments, **environment):
        """The process, and the path of its page, as soon as all inputs are converted."""
        process = self.start("--no-browser", *arguments, **environment)
        self.assertEqual(process.stdout.readline(), "Open this in a browser:\n")
        root = urllib.parse.urlsplit(process.stdout.readline().strip()).path
        self.get(f"{root}facts").close()
        return process, root

    def links_of(self, *arguments):
        process = self.start("--no-browser", *arguments)
        self.assertRegex(process.stdout.readline(), "^Open (this|one of these) in a browser:$")
        links = []
        while (line := process.stdout.readline()).startswith("  "):
            links.append(line.strip())
        self.assertEqual(line, "End with Ctrl-C.\n")
        if "--fetch" not in arguments:
            self.get(urllib.parse.urlsplit(links[0]).path + "facts").close()
        return links

    def get(self, path, **headers):
        return urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers), timeout=200)

    def refused(self, *arguments, **environment):
        process = self.start("--no-browser", *arguments, **environment)
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        return error
