"""Makes the pictures of docs/mitmweb.md anew: ``screenshots.py [FOLDER]``, docs/images if no folder is given.

Records a plain, a streamed and a cut exchange from the stub provider under mitmweb, replays them with one mismatch, and
takes pictures in a headless Chromium. Nothing in the pictures comes from anywhere but the stub.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.headless import PROGRAM, Browser  # noqa: E402 - the checkout may not be installed
from scripts.stub_upstream import SSE_HEAD, Close, Send, StubUpstream, chunk  # noqa: E402
from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode, UiConfig, UiKind, UpstreamConfig  # noqa: E402
from spycatcher_addon.edge.server import RunningHarness, start_harness  # noqa: E402

IMAGES = ROOT / "docs" / "images"
KEY_VARIABLE = "STUB_API_KEY"
MAX_BYTES = 150_000
"""What a page may cost its reader."""

_PLAIN = {"model": "stub-1", "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Name a city in Italy."}]}
_STREAM = {"model": "stub-1", "stream": True, "messages": [{"role": "user", "content": "What is there to see?"}]}
_CUT = {"model": "stub-1", "stream": True, "messages": [{"role": "user", "content": "And in winter?"}]}
_CHANGED = {"model": "stub-1", "stream": True, "messages": [{"role": "user", "content": "What is there to eat?"}]}


def main(arguments: list[str]) -> int:
    """Make the pictures; 2 where there is no browser."""
    if shutil.which(PROGRAM) is None:
        print(f"{PROGRAM} is not installed; on Debian: apt-get install {PROGRAM} fonts-noto-color-emoji", file=sys.stderr)
        return 2
    folder = Path(arguments[0]) if arguments else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with StubUpstream() as upstream, Browser(1180, 560) as browser, tempfile.TemporaryDirectory() as tapes:
        _picture_recording(browser, upstream, tapes, folder)
        _picture_replay(browser, tapes, folder)
    too_big = [path.name for path in folder.glob("mitmweb-*.png") if path.stat().st_size > MAX_BYTES]
    if too_big:
        print(f"larger than {MAX_BYTES} bytes: {', '.join(too_big)}", file=sys.stderr)
        return 1
    print(f"written to {folder}")
    return 0


def _picture_recording(browser: Browser, upstream: StubUpstream, tapes: str, folder: Path) -> None:
    settings = UpstreamConfig(base_url=upstream.base_url, api_key_env=KEY_VARIABLE)
    with _Hosted(HarnessConfig(mode=Mode.RECORD, upstream=settings, **_common(tapes))) as harness:
        _ask(harness, _PLAIN)
        _ask(harness, _STREAM)
        upstream.script([Send(SSE_HEAD + chunk(b'data: {"choices":[{"index":0,"delta":{"content":"In winter"}}]}\n\n')), Close()])
        _ask(harness, _CUT)
        _ask(harness, _PLAIN, path="/v1/models")
        browser.open(str(harness.page_url))
        browser.wait_for_text("answered by the harness")
        browser.screenshot(folder / "mitmweb-list.png")
        browser.click("tr", "recorded #1")
        browser.click("a", "Response")
        browser.wait_for_text("stream:")
        browser.screenshot(folder / "mitmweb-stream.png")


def _picture_replay(browser: Browser, tapes: str, folder: Path) -> None:
    with _Hosted(HarnessConfig(mode=Mode.REPLAY, **_common(tapes))) as harness:
        _ask(harness, _PLAIN)
        _ask(harness, _CHANGED)
        browser.open(str(harness.page_url))
        browser.click("tr", "mismatch")
        browser.click("a", "Response")
        browser.wait_for_text("what differs from interaction 1")
        browser.screenshot(folder / "mitmweb-mismatch.png")


def _common(tapes: str) -> dict[str, Any]:
    page = UiConfig(kind=UiKind.WEB, port=0)
    return {"listen": ListenAddr("127.0.0.1", 0), "cassette_dir": tapes, "cassette_name": "trip", "ui": page}


def _ask(harness: RunningHarness, body: dict[str, Any], path: str = "/v1/chat/completions") -> None:
    connection = http.client.HTTPConnection(harness.addr.host, harness.addr.port)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer fake-key-of-a-client"}
    connection.request("POST", path, json.dumps(body), headers)
    try:
        connection.getresponse().read()
    except http.client.HTTPException:
        pass  # the cut one
    finally:
        connection.close()


class _Hosted:
    """A harness on an event loop in a thread of its own."""

    def __init__(self, config: HarnessConfig) -> None:
        self._config = config
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> RunningHarness:
        self._thread.start()
        return self._run(start_harness(self._config, {KEY_VARIABLE: "fake-key-of-the-pictures"}))

    def __exit__(self, *_: object) -> None:
        self._run(self._harness.shutdown())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Any) -> Any:
        result = asyncio.run_coroutine_threadsafe(work, self._loop).result(60)
        if isinstance(result, RunningHarness):
            self._harness = result
        return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
