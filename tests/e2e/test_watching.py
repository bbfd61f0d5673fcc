"""Watching as a person does it: the command with ``--ui``, mitmweb and mitmdump with the add-on, a real browser."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy.io import FlowReader

from scripts.headless import Browser
from scripts.stub_upstream import StubUpstream
from tests.e2e.test_mitmdump import ASK, MITMDUMP, addon_path, free_port, settings
from tests.support.cli import COMMAND, FAKE_KEY, HarnessCli, RunningCli, clean_environment
from tests.support.page import Page
from tests.support.raw_http import encode_json_request, exchange
from tests.support.texts import without_marks

MITMWEB = str(Path(MITMDUMP).with_name("mitmweb"))
ASK_STREAM = {**ASK, "stream": True}
CHANGED = {**ASK, "messages": [{"role": "user", "content": "something else"}]}
CLIENT_SECRET = [("Authorization", "Bearer sk-fakeclient0123456789abcdef01234567")]
RECORD_ENV = {"SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__API_KEY_ENV": "STUB_API_KEY", "STUB_API_KEY": FAKE_KEY}
WATCH_AT = re.compile(r"watch at: (http://127\.0\.0\.1:\d+/\?token=[0-9a-f]+)\n")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


def page_url(running: RunningCli) -> str:
    found = WATCH_AT.search(running.wait_for_text("stderr", "\n"))
    assert found is not None, running.stderr
    return found[1]


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_says_where_to_watch_and_ends_as_without_a_page(harness: HarnessCli, upstream: StubUpstream) -> None:
    recorder = harness.record(upstream.base_url, "--ui", "web", "--ui-port", "0")
    assert exchange(recorder.addr, encode_json_request(ASK)).status == 200
    assert Page(page_url(recorder)).flows()[0]["comment"].startswith("recorded #0, 17 tokens")
    done = recorder.stop()
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
    assert "recorded 1 interaction" in without_marks(done.stderr)
    assert "Traceback" not in done.stderr
    replay = harness.replay("--ui", "web", "--ui-port", "0", "--fail-unused")
    done = replay.stop(signal.SIGTERM)
    assert done.returncode == 3
    assert "interactions never asked for, counted from 0: 0" in without_marks(done.stderr)


def test_a_password_is_asked_for_and_printed_nowhere(harness: HarnessCli, upstream: StubUpstream) -> None:
    recorder = harness.record(upstream.base_url, "--ui", "web", "--ui-port", "0", "--ui-password", "fake-password-of-the-suite")
    found = re.search(r"watch, with the password, at: (http://127\.0\.0\.1:\d+/)\n", recorder.wait_for_text("stderr", "\n"))
    assert found is not None
    assert Page(found[1], password="fake-password-of-the-suite").flows() == []
    assert Page(found[1], password="another").request("GET", "/flows")[0] == 403
    done = recorder.stop()
    assert "fake-password" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("replay", "--ui", "nowhere"), 2, "expected one of: none, web, console"),
        (("replay", "--ui-port", "70000"), 2, "expected a port from 0 to 65535"),
        (("replay", "--ui-port", "x"), 2, "expected a port from 0 to 65535"),
        (("replay", "--ui-keep", "0"), 2, "expected a whole number, 1 or more"),
        (("replay", "--ui-password", ""), 2, "expected a password of at least one character"),
        (("verify", "--ui", "web"), 2, "unknown argument: --ui"),
        (("replay", "--ui", "console"), 2, "use this instead: --ui web"),
    ],
)
def test_bad_input_is_named(harness: HarnessCli, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = harness.run_cli(*arguments)
    assert done.returncode == code
    assert said in without_marks(done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_port_in_use_is_named(harness: HarnessCli, upstream: StubUpstream) -> None:
    done = harness.run_cli("record", "--listen", "127.0.0.1:0", "--ui", "web", "--ui-port", str(upstream.port), env=RECORD_ENV)
    assert done.returncode != 0
    assert f"cannot open the page on 127.0.0.1:{upstream.port}" in without_marks(done.stderr)
    assert done.stdout == ""


# --- mitmproxy's own tools with the add-on ----------------------------------------------------------------------------


def start_mitm(harness: HarnessCli, program: str, ready: str, *args: str) -> RunningCli:
    port = free_port()
    command = (program, "-s", addon_path(harness), "--listen-host", "127.0.0.1", "--listen-port", str(port), *args)
    running = harness.spawn(command, env={"PYTHONUNBUFFERED": "1", **RECORD_ENV})
    running.wait_for_text("stdout", ready)
    running.addr = ("127.0.0.1", port)
    return running


def test_mitmweb_by_hand_shows_the_same(harness: HarnessCli, upstream: StubUpstream) -> None:
    port = free_port()
    place = settings(mode="record", cassette_dir=".", cassette_name="tape.json", ui_keep="2")
    options = ("--no-web-open-browser", "--web-port", str(port), "--set", "web_password=fake-password")
    reverse = f"reverse:http://127.0.0.1:{upstream.port}"
    running = start_mitm(harness, MITMWEB, "Web server listening", "--mode", reverse, *place, *options)
    for value in (ASK, ASK_STREAM, ASK):
        assert exchange(running.addr, encode_json_request(value, headers=CLIENT_SECRET)).status == 200
    page = Page(f"http://127.0.0.1:{port}/", password="fake-password")
    second, third = page.flows()
    assert second["comment"].startswith("recorded #1 · ")
    assert third["comment"].startswith("recorded #2, 17 tokens · ")
    assert page.view(second, "response")["view_name"] == "LLM chat"
    assert page.command("spycatcher.status").startswith("recording to ./tape.json: 3 interactions recorded")
    shown = page.everything()
    assert FAKE_KEY.encode() not in shown
    assert b"sk-fakeclient" not in shown
    assert "comment" in page.get("/options")["web_columns"]["value"]
    assert running.stop().returncode == 0
    assert upstream.requests[0].header("authorization") == f"Bearer {FAKE_KEY}".encode()


def test_a_dump_of_mitmdump_holds_no_secret(harness: HarnessCli, upstream: StubUpstream) -> None:
    place = settings(mode="record", cassette_dir=".", cassette_name="tape.json")
    reverse = f"reverse:http://127.0.0.1:{upstream.port}"
    dump = harness.cwd / "flows.mitm"
    running = start_mitm(harness, MITMDUMP, "listening at", "--mode", reverse, *place, "-w", str(dump), "--set", "hardump=flows.har")
    for value in (ASK, ASK_STREAM):
        assert exchange(running.addr, encode_json_request(value, headers=CLIENT_SECRET)).status == 200
    assert running.stop().returncode == 0
    assert "save_stream_file and hardump is written with secrets masked as on the cassette" in running.stdout
    written = dump.read_bytes() + (harness.cwd / "flows.har").read_bytes()
    assert FAKE_KEY.encode() not in written
    assert b"sk-fakeclient" not in written
    with dump.open("rb") as file:
        flows = list(FlowReader(file).stream())
    assert [flow.comment.split(" ")[0] for flow in flows] == ["recorded", "recorded"]
    assert [request.header("authorization") for request in upstream.requests] == [f"Bearer {FAKE_KEY}".encode()] * 2


def test_a_dump_with_secrets_is_announced(harness: HarnessCli, upstream: StubUpstream) -> None:
    place = settings(mode="record", cassette_dir=".", cassette_name="tape.json", ui_mask_secrets="false")
    reverse = f"reverse:http://127.0.0.1:{upstream.port}"
    running = start_mitm(harness, MITMDUMP, "listening at", "--mode", reverse, *place, "-w", "flows.mitm")
    assert exchange(running.addr, encode_json_request(ASK)).status == 200
    done = running.stop()
    assert "save_stream_file holds secrets as they travel, because ui.mask_secrets is off" in done.stdout
    assert FAKE_KEY.encode() in (harness.cwd / "flows.mitm").read_bytes()


def test_mitmdump_prints_no_secret_however_much_detail_is_asked_for(harness: HarnessCli, upstream: StubUpstream) -> None:
    place = settings(mode="record", cassette_dir=".", cassette_name="tape.json")
    reverse = f"reverse:http://127.0.0.1:{upstream.port}"
    running = start_mitm(harness, MITMDUMP, "listening at", "--mode", reverse, *place, "--set", "flow_detail=4")
    assert exchange(running.addr, encode_json_request(ASK, headers=CLIENT_SECRET)).status == 200
    done = running.stop()
    assert "authorization: [redacted]" in done.stdout.lower()
    assert FAKE_KEY not in done.stdout
    assert "sk-fakeclient" not in done.stdout
    assert upstream.requests[0].header("authorization") == f"Bearer {FAKE_KEY}".encode()


def test_under_mitmdump_a_failure_is_no_page_of_mitmproxys(harness: HarnessCli) -> None:
    place = settings(mode="record", cassette_dir=".", cassette_name="tape.json")
    running = start_mitm(harness, MITMDUMP, "listening at", "--mode", f"reverse:http://127.0.0.1:{free_port()}", *place)
    answer = exchange(running.addr, encode_json_request(ASK))
    assert (answer.status, answer.json()["error"]["kind"]) == (502, "upstream_request_failed")


# --- a browser --------------------------------------------------------------------------------------------------------


@pytest.mark.needs("chromium")
def test_a_browser_shows_a_recording_and_a_mismatch(harness: HarnessCli, upstream: StubUpstream, browser: Browser) -> None:
    recorder = harness.record(upstream.base_url, "--ui", "web", "--ui-port", "0")
    browser.open(page_url(recorder))
    for value in (ASK, ASK_STREAM):
        assert exchange(recorder.addr, encode_json_request(value, headers=CLIENT_SECRET)).status == 200
    text = browser.wait_for_text("recorded #1 · ")
    assert "recorded #0, 17 tokens · " in text
    browser.click("tr", "recorded #1 · ")
    text = browser.wait_for_text("user:")
    assert "authorization: [redacted]" in text.replace("\n", "").replace("\xa0", " ")
    assert "  hi" in text
    browser.click("a", "Response")
    text = browser.wait_for_text("stream: 16 events, 2 comments")
    assert "LLM chat" in text
    assert "and the stub says: naïve café" in text
    assert "finish_reason: stop" in text
    recorder.stop()
    replay = harness.replay("--ui", "web", "--ui-port", "0")
    assert exchange(replay.addr, encode_json_request(CHANGED)).status == 409
    browser.open(page_url(replay))
    browser.wait_for_text("mismatch: messages[0].content changed (compared with #0)")
    browser.click("tr", "mismatch")
    browser.click("a", "Response")
    text = browser.wait_for_text("answer made by the harness, not recorded")
    assert 'recorded: "hi"' in text
    assert 'sent:     "something else"' in text


# --- a terminal -------------------------------------------------------------------------------------------------------


class Terminal:
    """The command in a terminal of its own."""

    def __init__(self, harness: HarnessCli, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
        environment = {**clean_environment(harness.home, {}), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        # The child opens the terminal itself and so has it as its controlling one.
        script = "import os, sys, pty; os.setsid(); os.close(os.open(os.ttyname(0), os.O_RDWR)); os.execv(sys.argv[1], sys.argv[1:])"
        self._process = subprocess.Popen(
            (sys.executable, "-c", script, *COMMAND, *arguments),
            cwd=harness.cwd,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=subprocess.PIPE,
        )
        os.close(slave)
        self.shown = b""

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 30
        while text.encode() not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} never came; the terminal got {self.shown!r}"
            if select.select((self._master,), (), (), 0.5)[0]:
                self.shown += os.read(self._master, 65536)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self) -> tuple[int, str]:
        """Exit code, and what went to standard error."""
        assert self._process.stderr is not None
        try:
            said = self._process.communicate(timeout=20)[1].decode()
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._master)
        return self._process.returncode, said


@pytest.mark.parametrize("leave", ["\x03", "qy"], ids=["ctrl-c", "quit"])
def test_the_console_shows_flows_and_gives_the_terminal_back(harness: HarnessCli, upstream: StubUpstream, leave: str) -> None:
    recorder = harness.record(upstream.base_url)
    exchange(recorder.addr, encode_json_request(ASK))
    recorder.stop()
    port = free_port()
    terminal = Terminal(harness, "replay", "--ui", "console", "--listen", f"127.0.0.1:{port}", "--fail-unused")
    terminal.wait_for("Flows")
    assert f"listening on 127.0.0.1:{port}\r\n".encode() in terminal.shown
    assert exchange(("127.0.0.1", port), encode_json_request(CHANGED)).status == 409
    terminal.wait_for("completions")
    terminal.type(leave[0])
    for key in leave[1:]:
        terminal.wait_for("Quit")
        terminal.type(key)
    terminal.wait_for("\x1b[?1049l")
    code, said = terminal.end()
    assert code == 3
    assert "interactions never asked for, counted from 0: 0" in without_marks(said)
