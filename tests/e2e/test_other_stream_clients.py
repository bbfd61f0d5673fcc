"""Streams as clients other than the OpenAI SDK read them: httpx-sse, and Node's fetch with eventsource-parser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import httpx_sse
import pytest
from filelock import FileLock

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Close, Send, StubUpstream, chunk
from spycatcher_addon.config import ReplayConfig, StreamSource
from tests.support.in_process import InProcessHarness, record_config, replay_config

ROOT = Path(__file__).resolve().parent.parent.parent
NODE_TESTS = ROOT / "tests" / "node"
NODE_FOLDER = ROOT / "build" / "node"
ASK = {"model": "stub", "stream": True, "messages": [{"role": "user", "content": "hi"}]}

TRANSCRIPTS = {
    "plain": b': ping\n\ndata: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n',
    "CRLF": b': ping\r\n\r\ndata: {"n":1}\r\n\r\ndata: {"n":2}\r\n\r\ndata: [DONE]\r\n\r\n',
    "no space": b':ping\n\ndata:{"n":1}\n\ndata:{"n":2}\n\ndata:[DONE]\n\n',
    "many lines": b"data: a\ndata: b\n\ndata:\ndata:\n\ndata: [DONE]\n\n",
    "named": b"event: delta\nid: 7\ndata: 1\n\nid: 8\ndata: 2\n\ndata: [DONE]\n\n",
    "wide": "data: naïve ☕ 日本 \u2028 x\n\ndata: [DONE]\n\n".encode(),
}
SOURCES = [StreamSource.EVENTS, StreamSource.RAW]


def record(folder: Path, upstream: StubUpstream, transcript: bytes) -> None:
    """Put one stream on the tape, cut into pieces of five bytes."""
    pieces = [transcript[at : at + 5] for at in range(0, len(transcript), 5)]
    upstream.script([Send(SSE_HEAD), *(Send(chunk(piece)) for piece in pieces), Send(LAST_CHUNK)])
    with InProcessHarness(record_config(folder, upstream.base_url)) as recorder:
        httpx.post(f"{recorder.base_url}/chat/completions", json=ASK).raise_for_status()
        assert recorder.stop().recorded == 1


def direct(upstream: StubUpstream, transcript: bytes) -> str:
    """A URL that answers once with the transcript itself."""
    upstream.script([Send(SSE_HEAD), Send(chunk(transcript)), Send(LAST_CHUNK)])
    return f"{upstream.base_url}/chat/completions"


def read_with_httpx_sse(url: str) -> list[tuple[str, str, str]]:
    with httpx.Client() as client, httpx_sse.connect_sse(client, "POST", url, json=ASK) as source:
        return [(event.event, event.data, event.id) for event in source.iter_sse()]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_httpx_sse_sees_in_a_replay_what_it_sees_directly(tmp_path: Path, upstream: StubUpstream, name: str, source: StreamSource) -> None:
    record(tmp_path, upstream, TRANSCRIPTS[name])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(stream_source=source))) as replay:
        replayed = read_with_httpx_sse(f"{replay.base_url}/chat/completions")
    assert replayed == read_with_httpx_sse(direct(upstream, TRANSCRIPTS[name]))
    assert replayed[-1][1] == "[DONE]"


@pytest.fixture(scope="session")
def node_folder() -> Path:
    """A folder with the Node script and its parser; made once, by whichever test process comes first."""
    NODE_FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(NODE_FOLDER / ".lock"):
        for name in ("package.json", "read_stream.mjs"):
            shutil.copyfile(NODE_TESTS / name, NODE_FOLDER / name)
        if not (NODE_FOLDER / "node_modules" / "eventsource-parser").is_dir():
            command = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=NODE_FOLDER, check=True, capture_output=True, timeout=300)
    return NODE_FOLDER


def read_with_node(folder: Path, url: str) -> dict[str, Any]:
    command = ["node", "read_stream.mjs", url, json.dumps(ASK)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.needs("node")
@pytest.mark.needs("npm")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_node_sees_in_a_replay_what_it_sees_directly(
    tmp_path: Path, upstream: StubUpstream, node_folder: Path, name: str, source: StreamSource
) -> None:
    record(tmp_path, upstream, TRANSCRIPTS[name])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(stream_source=source))) as replay:
        replayed = read_with_node(node_folder, f"{replay.base_url}/chat/completions")
    assert replayed == read_with_node(node_folder, direct(upstream, TRANSCRIPTS[name]))
    assert (replayed["status"], replayed["end"], replayed["events"][-1]["data"]) == (200, "complete", "[DONE]")


@pytest.mark.needs("node")
@pytest.mark.needs("npm")
def test_node_sees_that_a_stream_broke(tmp_path: Path, upstream: StubUpstream, node_folder: Path) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(b"data: 1\n\n")), Close()])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        seen = read_with_node(node_folder, f"{recorder.base_url}/chat/completions")
    assert (seen["end"], [event["data"] for event in seen["events"]]) == ("broken", ["1"])
