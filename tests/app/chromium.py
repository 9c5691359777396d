"""Chromium without a window, for tests of pages and for scripts/screenshot."""

import base64
import json
import os
import resource
import signal
import subprocess
import time


class Chromium:
    """A browser without a window, which the test controls by JSON messages (DevTools protocol) on two pipes."""

    def __init__(self, folder, page, *options):
        commands, self.commands = os.pipe()
        self.events, events = os.pipe()

        def as_3_and_4():
            copies = os.dup(commands), os.dup(events)
            for copy, number in zip(copies, (3, 4)):
                os.dup2(copy, number)
            # Allows as much address space as possible, because Chromium reserves far more than it uses.
            most = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/chromium", *options, page],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, close_fds=False,
            preexec_fn=as_3_and_4)
        os.close(commands)
        os.close(events)
        self.number = 0
        self.unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.events)

    def ask(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.unread:
                self.unread += os.read(self.events, 65536)
            answer, self.unread = self.unread.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                return answer["result"]

    def deny_this_machine(self, origin):
        self.ask("Browser.setPermission", permission={"name": "loopback-network"}, setting="denied", origin=origin)

    def session_of(self, url):
        """The DevTools session of the page at this address, or None if there is no such page yet."""
        for target in self.ask("Target.getTargets")["targetInfos"]:
            if target["type"] == "page" and target["url"].startswith(url):
                return self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        return None

    def evaluate(self, url, script):
        """Runs the script in the page at this address, as if a person had clicked, until the result is not null."""
        session = None
        for _ in range(600):
            if session is None:
                session = self.session_of(url)
            else:
                result = self.ask("Runtime.evaluate", session, expression=script, userGesture=True, returnByValue=True)
                if result["result"].get("value") is not None:
                    return result["result"]["value"]
            time.sleep(0.1)
        raise AssertionError(f"{url}: no answer to {script}")

    def drag(self, url, *places):
        """Presses the button of the mouse at the first place of the page, and releases it at the last one."""
        session = self.session_of(url)
        for number, (x, y) in enumerate(places):
            kind = "mousePressed" if number == 0 else "mouseMoved"
            self.ask("Input.dispatchMouseEvent", session, type=kind, x=x, y=y, button="left", buttons=1, clickCount=int(number == 0))
        self.ask("Input.dispatchMouseEvent", session, type="mouseReleased", x=places[-1][0], y=places[-1][1], button="left", clickCount=1)

    def picture(self, url, width, height):
        """A PNG of the upper part of the page at this address."""
        return base64.b64decode(self.ask("Page.captureScreenshot", self.session_of(url), format="png",
                                         clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"])
