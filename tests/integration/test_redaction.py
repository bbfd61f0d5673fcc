"""Planted secrets through the real recorder: none can be got back from what it wrote, and replay matches all the same."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Send, StubUpstream, chunk, encode_response
from spycatcher_addon.config import RedactionConfig
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.planted_secrets import (
    ENVIRON,
    KEY,
    NAMED,
    PLAIN,
    REDACTION,
    SHAPED,
    assert_nothing_recoverable,
    planted,
    request_bytes,
)
from tests.support.raw_http import RawConnection
from tests.support.secrets import JWT


def record(folder: Path, answer: list[Any], body: dict[str, Any], secret: str, caplog: pytest.LogCaptureFixture) -> bytes:
    """Record one exchange; the client's bytes, after a look at what the recorder wrote and said."""
    caplog.set_level(logging.DEBUG, "spycatcher_addon")
    with StubUpstream() as upstream:
        upstream.script(answer)
        config = record_config(folder, upstream.base_url).model_copy(update={"redaction": REDACTION})
        with InProcessHarness(config, ENVIRON) as recorder:
            with RawConnection(recorder.addr) as connection:
                connection.send(request_bytes(body, secret))
                received = connection.read_response()
            assert recorder.stop().recorded == 1
        [sent] = upstream.requests
        assert sent.json() == body, "what is forwarded never changes"
        assert sent.header("x-other") == f"one {SHAPED}".encode()
    tape = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())
    assert_nothing_recoverable(tape)
    assert_nothing_recoverable(caplog.text)
    return received.body


def replay(folder: Path, body: dict[str, Any], secret: str, environ: dict[str, str]) -> tuple[int, bytes]:
    with InProcessHarness(replay_config(folder, redaction=REDACTION), environ) as harness:
        with RawConnection(harness.addr) as connection:
            connection.send(request_bytes(body, secret))
            answer = connection.read_response()
    return answer.status, answer.body


@pytest.mark.parametrize("secret", [SHAPED, NAMED, KEY, JWT], ids=["shaped", "named", "key", "jwt"])
@pytest.mark.parametrize("status", [200, 401])
@pytest.mark.parametrize("is_compressed", [False, True], ids=["plain", "gzip"])
def test_plain_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture, secret: str, status: int, is_compressed: bool) -> None:
    body = json.dumps({"error": {"message": f"Incorrect key: {secret}"}, "copy": planted(secret)["messages"]}).encode()
    sent = gzip.compress(body) if is_compressed else body
    headers = [("set-cookie", f"s={PLAIN}"), ("set-cookie", JWT), ("x-echo", SHAPED), ("location", f"/x?sig={PLAIN}")]
    headers += [("content-encoding", "gzip")] if is_compressed else []
    received = record(tmp_path, [Send(encode_response(status, sent, headers=headers))], planted(secret), secret, caplog)
    assert received == sent, "what the client receives never changes"
    answer = replay(tmp_path, planted(secret), secret, ENVIRON)
    assert answer[0] == status
    assert b"Incorrect key: [redacted:" in answer[1]


@pytest.mark.parametrize("secret", [SHAPED, NAMED, KEY, JWT], ids=["shaped", "named", "key", "jwt"])
@pytest.mark.parametrize("size", [1, 4, 11])
def test_streams_with_a_secret_split_over_events_and_chunks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, secret: str, size: int
) -> None:
    text = f"Your key is {secret}. Bye."
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    stream = "".join(f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': piece}}]})}\n\n" for piece in pieces)
    data = f": {secret}\n\n{stream}data: [DONE]\n\n".encode()
    steps = [Send(SSE_HEAD), *(Send(chunk(data[start : start + 37])) for start in range(0, len(data), 37)), Send(LAST_CHUNK)]
    body = planted(secret) | {"stream": True}
    assert record(tmp_path, steps, body, secret, caplog) == data
    status, answer = replay(tmp_path, body, secret, ENVIRON)
    chunks = [json.loads(line[6:]) for line in answer.decode().splitlines() if line.startswith("data: {")]
    contents = [each["choices"][0]["delta"]["content"] for each in chunks]
    assert status == 200
    assert len(contents) == len(pieces)
    assert "".join(contents).startswith("Your key is [redacted:") and "".join(contents).endswith("]. Bye.")


def test_replay_needs_neither_the_secret_nor_the_variables(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    record(tmp_path, [Send(encode_response(200, b'{"a":1}'))], planted(SHAPED), SHAPED, caplog)
    other = "sk-proj-" + "z" * 44
    assert replay(tmp_path, planted(other), other, {}) == (200, b'{"a":1}')


def test_a_mismatch_shows_no_secret(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    record(tmp_path, [Send(encode_response(200, b"{}"))], planted(SHAPED), SHAPED, caplog)
    status, answer = replay(tmp_path, planted(SHAPED) | {"model": "other"}, SHAPED, ENVIRON)
    assert status == 409
    assert_nothing_recoverable(answer.decode())
    assert b"canonical_body.model" in answer
    assert_nothing_recoverable(caplog.text)


def test_a_tape_made_under_fewer_rules_still_matches(tmp_path: Path) -> None:
    off = RedactionConfig(shapes=(), query_parameters=())
    with StubUpstream() as upstream:
        upstream.script([Send(encode_response(200, b'{"a":1}'))])
        config = record_config(tmp_path, upstream.base_url).model_copy(update={"redaction": off})
        with InProcessHarness(config, ENVIRON) as recorder:
            with RawConnection(recorder.addr) as connection:
                connection.send(request_bytes(planted(SHAPED), SHAPED))
                connection.read_response()
    assert SHAPED in (tmp_path / "tape.json").read_text()
    other = "sk-proj-" + "z" * 44
    assert replay(tmp_path, planted(other), other, ENVIRON) == (200, b'{"a":1}')
