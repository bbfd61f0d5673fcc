"""The add-on inside a stock ``mitmdump``."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from pathlib import Path

import pytest

from scripts.stub_upstream import StubUpstream
from spycatcher_addon.edge.tape_reading import read_cassette
from tests.support.cli import HarnessCli, RunningCli
from tests.support.raw_http import encode_json_request, exchange
from tests.support.texts import without_marks

MITMDUMP = str(Path(sys.executable).with_name("mitmdump"))
ASK = {"model": "stub", "messages": [{"role": "user", "content": "hi"}]}
KEY = {"SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__API_KEY_ENV": "STUB_API_KEY", "STUB_API_KEY": "sk-fake-key"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def addon_path(harness: HarnessCli) -> str:
    done = harness.run_cli("addon-path")
    assert done.returncode == 0
    return done.stdout.strip()


def start(harness: HarnessCli, *args: str, env: dict[str, str] | None = None) -> RunningCli:
    port = free_port()
    command = (MITMDUMP, "-s", addon_path(harness), "--listen-host", "127.0.0.1", "--listen-port", str(port), *args)
    running = harness.spawn(command, env={"PYTHONUNBUFFERED": "1", **(env or {})})
    running.wait_for_text("stdout", "listening at")
    running.addr = ("127.0.0.1", port)
    return running


def settings(**values: str) -> list[str]:
    return [part for name, value in values.items() for part in ("--set", f"spycatcher_{name}={value}")]


def test_record_and_replay(harness: HarnessCli, upstream: StubUpstream) -> None:
    place = settings(cassette_dir=".", cassette_name="tape.json")
    reverse = f"reverse:http://127.0.0.1:{upstream.port}"
    recorder = start(harness, "--mode", reverse, *settings(mode="record"), *place, env=KEY)
    plain = exchange(recorder.addr, encode_json_request(ASK))
    streamed = exchange(recorder.addr, encode_json_request({**ASK, "stream": True}))
    missing = exchange(recorder.addr, encode_json_request(ASK, target="/v1/models"))
    done = recorder.stop()
    assert (plain.status, streamed.status, missing.status) == (200, 200, 404)
    assert done.returncode == 0
    assert "recorded 2 interactions" in without_marks(done.stdout)
    assert upstream.requests[0].target == "/v1/chat/completions", "without upstream.base_url it is the reverse target plus /v1"
    assert upstream.requests[0].header("authorization") == b"Bearer sk-fake-key"
    assert len(read_cassette(harness.cwd / "tape.json").cassette.interactions) == 2
    assert not (harness.cwd / "tape.json.lock").exists()
    count = upstream.connection_count
    replay = start(harness, "--mode", reverse, *settings(mode="replay"), *place)
    assert exchange(replay.addr, encode_json_request(ASK)).body == plain.body
    mismatch = exchange(replay.addr, encode_json_request({**ASK, "model": "other"}))
    assert (mismatch.status, mismatch.json()["error"]["kind"]) == (409, "request_mismatch")
    assert exchange(replay.addr, encode_json_request({**ASK, "stream": True})).body == streamed.body
    assert replay.stop().returncode == 0
    assert upstream.connection_count == count


def test_base_url_and_files_count_here_too(harness: HarnessCli, upstream: StubUpstream) -> None:
    (harness.cwd / ".spycatcher_harness.toml").write_text(
        f'[cmds.record]\ncassette_dir = "tapes"\n[cmds.record.upstream]\nbase_url = "{upstream.base_url}"\napi_key_env = "STUB_API_KEY"\n'
    )
    recorder = start(harness, "--mode", "reverse:http://127.0.0.1:1", *settings(mode="record", cassette_name="a"), env=KEY)
    assert exchange(recorder.addr, encode_json_request(ASK)).status == 200
    recorder.stop()
    assert upstream.requests[0].target == "/api/v1/chat/completions"
    assert len(read_cassette(harness.cwd / "tapes" / "a").cassette.interactions) == 1


BAD_STARTS = {
    "missing cassette": (["--mode", "reverse:http://127.0.0.1:1"], "cassette not found"),
    "bad mode": (["--mode", "reverse:http://127.0.0.1:1", *settings(mode="reply")], "spycatcher_mode"),
    "mode without a script": (["--mode", "reverse:http://127.0.0.1:1", *settings(mode="auto")], "'auto'; use record or replay"),
    "bad value": (["--mode", "reverse:http://127.0.0.1:1", *settings(match_mode="fuzzy")], "sequential_strict, keyed"),
    "unknown option": (["--mode", "reverse:http://127.0.0.1:1", *settings(casette_name="x")], "did you mean spycatcher_cassette_name"),
    "no reverse mode": ([], "--mode reverse:http://HOST"),
    "two modes": (["--mode", "reverse:http://127.0.0.1:1", "--mode", "regular@19"], "exactly one proxy mode"),
    "empty name": (["--mode", "reverse:http://127.0.0.1:1", *settings(cassette_name="")], "must not be empty"),
    "not a tape": (["--mode", "reverse:http://127.0.0.1:1", *settings(cassette_dir=".", cassette_name="junk")], "junk"),
}


@pytest.mark.parametrize("flags", [(), ("-q",)], ids=["loud", "quiet"])
@pytest.mark.parametrize("name", BAD_STARTS)
def test_a_bad_start_is_one_line_and_serves_nothing(harness: HarnessCli, name: str, flags: tuple[str, ...]) -> None:
    args, expected = BAD_STARTS[name]
    (harness.cwd / "junk").write_text("<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n")
    port = free_port()
    command = (MITMDUMP, *flags, "-s", addon_path(harness), "--listen-host", "127.0.0.1", "--listen-port", str(port), *args)
    done = harness.spawn(command).wait()
    said = done.stdout + done.stderr
    assert done.returncode != 0
    lines = [line for line in said.splitlines() if "spycatcher:" in line]
    assert len(lines) == 1, said
    assert expected in lines[0]
    assert "Traceback" not in said and "listening" not in said
    assert (harness.cwd / "junk").read_text().startswith("<<<<<<<")


def test_a_recording_can_be_saved_by_mitmdump_itself(harness: HarnessCli, upstream: StubUpstream) -> None:
    recorder = start(
        harness,
        "--mode",
        f"reverse:http://127.0.0.1:{upstream.port}",
        "-w",
        "flows.mitm",
        *settings(mode="record", cassette_dir=".", cassette_name="tape.json"),
        env=KEY,
    )
    streamed = exchange(recorder.addr, encode_json_request({**ASK, "stream": True}))
    recorder.stop()
    flows = (harness.cwd / "flows.mitm").read_bytes()
    assert streamed.body in flows, "a streamed body is in the saved flow too"
    assert json.loads((harness.cwd / "tape.json").read_text())["format_version"] == 2
    assert sorted(os.listdir(harness.cwd)) == ["flows.mitm", "tape.json"]


def test_a_bad_start_never_dials_even_for_a_client_that_is_already_there(harness: HarnessCli, upstream: StubUpstream) -> None:
    port = free_port()
    args = ("--mode", f"reverse:http://127.0.0.1:{upstream.port}", *settings(mode="replay", cassette_name="absent"))
    command = (MITMDUMP, "-s", addon_path(harness), "--listen-host", "127.0.0.1", "--listen-port", str(port), *args)
    running = harness.spawn(command)
    clients = []
    while running.is_running:
        with contextlib.suppress(OSError):
            clients.append(socket.create_connection(("127.0.0.1", port), timeout=0.5))
        running.pause(0.005)
    for client in clients:
        client.close()
    assert running.wait().returncode == 1
    assert upstream.connection_count == 0


@pytest.mark.parametrize("option", ["stream_large_bodies=10", "body_size_limit=10"])
@pytest.mark.parametrize("mode", ["record", "replay"])
def test_options_that_would_break_the_lane_are_set_back(harness: HarnessCli, upstream: StubUpstream, mode: str, option: str) -> None:
    place = settings(mode=mode, cassette_dir=".", cassette_name="tape.json")
    (harness.cwd / "tape.json").write_text('{"format_version": 2, "interactions": []}\n')
    running = start(harness, "--mode", f"reverse:http://127.0.0.1:{upstream.port}", "--set", option, *place, env=KEY)
    answer = exchange(running.addr, encode_json_request(ASK))
    assert answer.status == (200 if mode == "record" else 409)
    assert answer.header("content-type") == "application/json"
    assert f"{option.partition('=')[0]} is set back" in running.stop().stdout
