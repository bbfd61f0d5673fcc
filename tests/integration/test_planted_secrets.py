"""A secret that an exchange has anywhere is in nothing that the tool writes: no tape, no report, no log line, no summary.

First what a recorder makes of such exchanges, whole and broken off; then what ``verify`` says of cassettes that hold them,
because nobody redacted them.
"""

from __future__ import annotations

import base64
import json
import logging
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Reset, Send, Step, StubUpstream, chunk, encode_response
from spycatcher_addon.cassette.model import Cassette, DataEvent, Interaction, NonStreamResponse, RecordedRequest, StreamResponse
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.choices import ReportFormat, VerifyFormat
from spycatcher_addon.config import HarnessConfig, Mode, RecordConfig, ReplayConfig
from spycatcher_addon.edge.verification import VerifyRequest, verify
from spycatcher_addon.sse import encode_events
from tests.support.in_process import KEY_VARIABLE, TAPE_NAME, InProcessHarness, record_config, replay_config
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
from tests.support.tape_samples import HASHING, sample_interaction
from tests.support.texts import ENGLISH

KNOWN = REDACTION.model_copy(update={"secret_env": ("FAKE_NAMED", KEY_VARIABLE)})
"""Where no upstream names the variable of its key."""


def events_of(text: str, size: int = 5) -> bytes:
    """A stream that says a text, a few characters at a time."""
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    data = [json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]}) for piece in pieces]
    return encode_events(tuple(map(DataEvent, data)))


def written_below(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


def reports_of(folder: Path, capsys: pytest.CaptureFixture[str], config: HarnessConfig) -> dict[VerifyFormat, tuple[int, str]]:
    """Exit code and everything printed, in each format."""
    reports = {}
    for form in VerifyFormat:
        code = verify(config, ENGLISH, ENVIRON, VerifyRequest((str(folder / TAPE_NAME),), form))
        printed = capsys.readouterr()
        reports[form] = (code, printed.out + printed.err)
    return reports


# --- recorded -----------------------------------------------------------------------------------------------------------


MESSAGES = planted(SHAPED)["messages"]
PLAIN_BODY = json.dumps({"a": MESSAGES, "b": NAMED}).encode()
BROKEN_BODY = f"{SHAPED} {KEY}, and so on; ".encode() * 9
STREAM_HEAD = (Send(SSE_HEAD), Send(chunk(events_of(f"{SHAPED} {NAMED} {KEY} {JWT}, and so on"))))

ANSWERS: dict[str, tuple[dict[str, Any], list[Step]]] = {
    "plain": ({}, [Send(encode_response(200, PLAIN_BODY, headers=[("set-cookie", PLAIN)]))]),
    "error": ({}, [Send(encode_response(401, f"Incorrect key: {KEY}, {JWT}".encode(), "text/plain", [("x-echo", SHAPED)]))]),
    "stream": ({"stream": True}, [*STREAM_HEAD, Send(chunk(b"data: [DONE]\n\n")), Send(LAST_CHUNK)]),
    "stream broken off": ({"stream": True}, [*STREAM_HEAD, Reset()]),
    "plain broken off": ({}, [Send(encode_response(200, BROKEN_BODY)[:-9]), Reset()]),
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("secret", [SHAPED, NAMED, KEY, JWT], ids=["shaped", "named", "key", "jwt"])
def test_nothing_that_is_written_of_a_recording_has_it(
    tmp_path: Path, name: str, secret: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    more, steps = ANSWERS[name]
    body = planted(secret) | more
    with StubUpstream() as upstream:
        upstream.script(steps)
        config = record_config(tmp_path, upstream.base_url)
        config = config.model_copy(update={"redaction": REDACTION, "record": RecordConfig(keep_failures=True)})
        with InProcessHarness(config, ENVIRON) as recorder, RawConnection(recorder.addr) as connection:
            connection.send(request_bytes(body, secret))
            connection.read_response()
            stats = recorder.stop()
            assert stats.recorded + stats.kept_failures == 1
    assert_nothing_recoverable(written_below(tmp_path))
    for code, printed in reports_of(tmp_path, capsys, config.with_mode(Mode.VERIFY)).values():
        assert code == 0, printed
        assert_nothing_recoverable(printed)
    assert_nothing_recoverable(caplog.text)


@pytest.mark.parametrize("form", ReportFormat)
def test_nothing_that_is_written_of_a_replay_has_it(tmp_path: Path, form: ReportFormat, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / TAPE_NAME).write_bytes(encode_cassette(Cassette(2, (sample_interaction(0),), HASHING)))
    settings = replay_config(tmp_path, redaction=KNOWN, replay=ReplayConfig(report=str(tmp_path / "report"), report_format=form))
    with InProcessHarness(settings, ENVIRON) as replay:
        for secret in (SHAPED, NAMED, KEY, JWT):
            with RawConnection(replay.addr) as connection:
                connection.send(request_bytes(planted(secret), secret))
                answer = connection.read_response()
            assert answer.status == 409
            assert_nothing_recoverable(answer.body.decode())
    assert (tmp_path / "report").stat().st_size > 0
    assert_nothing_recoverable(written_below(tmp_path))
    assert_nothing_recoverable(caplog.text)


# --- verified -----------------------------------------------------------------------------------------------------------


def asked(**changes: Any) -> Interaction:
    request = sample_interaction(0).request
    values = {"method": "POST", "path": request.path, "query": "", "headers": request.headers, "body": request.body}
    return replace(sample_interaction(0), request=RecordedRequest(**(values | changes)))


def answered(body: str, headers: tuple[tuple[str, str], ...] = (), status: int = 200) -> Interaction:
    return replace(sample_interaction(0), response=NonStreamResponse(status, headers, body.encode()))


def streamed(text: str) -> Interaction:
    transcript = events_of(text)
    events = tuple(DataEvent(line[6:]) for line in transcript.decode().splitlines() if line)
    return replace(sample_interaction(0), response=StreamResponse(200, (), events, transcript))


PLACES: dict[str, tuple[Callable[[str], Interaction], str]] = {
    "a request header": (lambda secret: asked(headers=(("x-one", secret),)), "request.headers"),
    "a repeated header": (lambda secret: asked(headers=(("x-one", "a"), ("x-one", secret))), "request.headers"),
    "a cookie": (lambda secret: asked(headers=(("cookie", f"a={secret}"),)), "request.headers"),
    "the query": (lambda secret: asked(query=f"api_key={quote(secret, safe='')}"), "request.query"),
    "a body string": (lambda secret: asked(body=json.dumps({"a": [f"it is {secret}!"]}).encode()), "request.body"),
    "JSON in a string of JSON": (lambda secret: answered(json.dumps({"a": json.dumps({"b": json.dumps([secret])})})), "response.body"),
    "base64": (lambda secret: answered(json.dumps({"a": base64.b64encode(f"x:{secret}".encode()).decode()})), "response.body"),
    "an error body": (lambda secret: answered(f"Incorrect key: {secret}", status=401), "response.body"),
    "an answer's header": (lambda secret: answered("{}", (("x-echo", secret),)), "response.headers"),
    "a set-cookie": (lambda secret: answered("{}", (("set-cookie", f"s={secret}; secure"),)), "response.headers"),
    "pieces of a stream": (lambda secret: streamed(f"the key is {secret}."), "response.events"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("secret", [SHAPED, NAMED, KEY, JWT], ids=["shaped", "named", "key", "jwt"])
def test_verify_names_it_and_never_shows_it(tmp_path: Path, place: str, secret: str, capsys: pytest.CaptureFixture[str]) -> None:
    plant, field = PLACES[place]
    (tmp_path / TAPE_NAME).write_bytes(encode_cassette(Cassette(2, (plant(secret),), HASHING)))
    config = replay_config(tmp_path, redaction=KNOWN).with_mode(Mode.VERIFY)
    reports = reports_of(tmp_path, capsys, config)
    assert {code for code, _ in reports.values()} == {1}
    for _, printed in reports.values():
        assert_nothing_recoverable(printed)
    found = json.loads(reports[VerifyFormat.JSON][1].rpartition("}")[0] + "}")["tapes"][0]["findings"]
    rules = {each["rule"] for each in found if each["field"].startswith(field)}
    assert rules & {"secret", "request-header", "response-header"}, found


def test_the_reports_that_were_looked_at_are_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty report would hold no secret either."""
    (tmp_path / TAPE_NAME).write_bytes(encode_cassette(Cassette(2, (answered(f"it is {SHAPED}"),), HASHING)))
    reports = reports_of(tmp_path, capsys, replay_config(tmp_path, redaction=KNOWN).with_mode(Mode.VERIFY))
    assert "openai-key" in reports[VerifyFormat.TEXT][1]
    assert "::error " in reports[VerifyFormat.GITHUB][1]
    xml = reports[VerifyFormat.JUNIT][1].partition("</testsuites>")
    assert ElementTree.fromstring(xml[0] + xml[1]).get("failures") not in (None, "0")
    sarif = json.loads(reports[VerifyFormat.SARIF][1].rpartition("}")[0] + "}")
    assert "secret" in {each["ruleId"] for each in sarif["runs"][0]["results"]}
