# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, driven through a pipe (the DevTools protocol)."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--remote-debugging-pipe")
SECONDS = 120       # on a busy machine it starts slowly


def program() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """With a new profile, and no page open but ours."""

    def __enter__(self) -> "Browser":
        self.profile = tempfile.TemporaryDirectory(prefix="memcache-chromium-",
                                                   ignore_cleanup_errors=True)
        to_it, self.out = os.pipe()
        self.into, from_it = os.pipe()
        self.child = subprocess.Popen(
            # bash: of file descriptors, other shells know but ten.
            ["/bin/bash", "-c", f'exec "$0" "$@" 3<&{to_it} 4>&{from_it}', program(), *FLAGS,
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_it, from_it), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_it)
        os.close(from_it)
        self.rest, self.number, self.session = b"", 0, None
        self.requested: list[str] = []
        self.loaded = False
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable")
        return self

    def __exit__(self, *_error) -> None:
        os.close(self.out)      # it ends with its pipe
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, 9)
            self.child.wait()
        os.close(self.into)
        self.profile.cleanup()

    def call(self, method: str, **params) -> dict:
        self.number += 1
        wanted = self.number
        message = {"id": wanted, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != wanted:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _next(self) -> dict:
        until = time.monotonic() + SECONDS
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], max(until - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.into, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(line)
        if message.get("method") == "Network.requestWillBeSent":
            self.requested.append(message["params"]["request"]["url"])
        self.loaded |= message.get("method") == "Page.loadEventFired"
        return message

    def open(self, path: str, width: int, height: int = 800) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.loaded, self.requested = False, []
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        while not self.loaded:
            self._next()

    def value(self, expression: str) -> object:
        return self.call("Runtime.evaluate", expression=expression,
                         returnByValue=True)["result"].get("value")

    def screenshot(self) -> bytes:
        """The whole page, however long."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png",
                                          captureBeyondViewport=True)["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF")["data"])
