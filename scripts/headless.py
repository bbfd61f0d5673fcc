"""A headless Chromium, driven over a pair of pipes: open a page, wait for what it shows, take a picture.

Speaks just enough of the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/). Standard library only.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PROGRAM = "chromium"
_TIMEOUT_S = 30.0
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    # Nothing is looked up and nothing but this machine is asked, whatever the browser would like to update.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)
_LAUNCH = """
import os, sys
reading, writing = (os.dup(int(each)) for each in sys.argv[1:3])
reading, writing = (os.dup2(each, 100 + number) for number, each in enumerate((reading, writing)))
os.dup2(reading, 3)
os.dup2(writing, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which speaks the protocol on descriptors 3 and 4, whatever these were before."""


class PageError(AssertionError):
    """The page did not come to show what was waited for; the text holds what it did show."""


class Browser:
    """One page in one browser; a context manager that ends the browser it started."""

    def __init__(self, width: int = 1280, height: int = 800) -> None:
        self._folder = tempfile.mkdtemp(prefix="spycatcher-chromium-")
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        flags = (*_FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self._folder}", "about:blank")
        self._process = subprocess.Popen(
            (sys.executable, "-c", _LAUNCH, str(to_browser), str(from_browser), PROGRAM, *flags),
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._rest = b""
        self._session: str | None = None
        try:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.close()
            raise

    def open(self, url: str) -> None:
        """Go to an address; a change of nothing but the fragment does not load the page again."""
        answer = self._call("Page.navigate", url=url)
        if answer.get("errorText"):
            raise PageError(f"{url} cannot be opened: {answer['errorText']}")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PageError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def text(self) -> str:
        """What a person can read on the page."""
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    def wait_for(self, expression: str) -> Any:
        """The value of an expression as soon as it is true."""
        deadline = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < deadline:
            value = self.evaluate(expression)
            if value:
                return value
            select.select((), (), (), 0.03)
        raise PageError(f"{expression} never became true; the page shows:\n{self.text()}")

    def wait_for_text(self, text: str) -> str:
        """The text of the page as soon as it contains ``text``."""
        self.wait_for(f"document.body && document.body.innerText.includes({json.dumps(text)})")
        return self.text()

    def click(self, selector: str, text: str) -> None:
        """Click on the first element that a CSS selector finds and that contains a text, as soon as there is one."""
        found = f"[...document.querySelectorAll({json.dumps(selector)})].find(each => each.innerText.includes({json.dumps(text)}))"
        self.wait_for(f"(each => each && (each.click(), true))({found})")

    def screenshot(self, path: Path) -> None:
        """Write what is visible as a PNG file."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        """End the browser. A second call does nothing."""
        if self._write < 0:
            return
        os.close(self._write)  # the browser ends when nobody speaks to it any more
        os.close(self._read)
        self._write = -1
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        deadline = time.monotonic() + _TIMEOUT_S
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            readable, _, _ = select.select((self._read,), (), (), max(0.0, deadline - time.monotonic()))
            data = os.read(self._read, 1 << 20) if readable else b""
            if not data:
                raise PageError(f"{PROGRAM} does not answer")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer
