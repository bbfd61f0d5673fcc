"""HTTP archives, in and out."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import FailureKind, NonStreamResponse, StreamResponse
from spycatcher_addon.tools.har import MADE_UP_ORIGIN, encode_har, import_har
from spycatcher_addon.tools.importing import Imported, ImportFormatError
from spycatcher_addon.tools.losses import Loss, LossKind
from tests.support.tool_samples import cassette, plain, streamed

AT = "2026-01-02T03:04:05Z"


def imported(document: JsonValue) -> Imported:
    return import_har(document, frozenset({"x-secret"}), NOTHING_IGNORED, AT)


def archive(*entries: Any) -> Any:
    return {"log": {"entries": list(entries)}}


def entry(**more: Any) -> Any:
    made = {
        "startedDateTime": "2026-01-02T04:04:05.250+01:00",
        "request": {
            "method": "POST",
            "url": "https://api.example.test/v1/chat/completions",
            "headers": [{"name": "X-Secret", "value": "s"}, {"name": "accept", "value": "*/*"}, {"name": 3}, 4],
            "postData": {"text": '{"model":"m"}'},
        },
        "response": {"status": 200, "headers": [], "content": {"text": "{}"}},
    }
    return {**made, **more}


def test_what_goes_out_comes_back() -> None:
    tape = cassette(plain(number=1), streamed(number=3))
    document, losses = encode_har(tape, "1.0")
    read = imported(json.loads(json.dumps(document)))
    for before, after in zip(tape.interactions, read.interactions, strict=True):
        assert after.request == before.request
        assert after.metadata.recorded_at == before.metadata.recorded_at
    first, second = read.interactions
    assert first.response == tape.interactions[0].response
    response = tape.interactions[1].response
    assert isinstance(response, StreamResponse)
    assert second.response == replace(response, timing=None)
    assert second.metadata.relative_offset_ms == 2000
    assert losses == (Loss(LossKind.CHUNK_TIMES, 1), Loss(LossKind.HASHES, 2), Loss(LossKind.HOSTS, 2))


def test_the_archive_has_what_its_readers_require() -> None:
    document, _ = encode_har(cassette(streamed()), "1.0")
    log: Any = document["log"]
    assert (log["version"], log["creator"]) == ("1.2", {"name": "spycatcher-harness", "version": "1.0"})
    (made,) = log["entries"]
    assert made["request"]["url"] == f"{MADE_UP_ORIGIN}/v1/chat/completions"
    assert made["time"] == made["timings"]["send"] + made["timings"]["wait"] + made["timings"]["receive"] == 480
    assert {"cookies", "queryString", "headersSize", "bodySize", "httpVersion"} <= made["request"].keys()
    assert {"statusText", "redirectURL", "cookies", "headersSize", "bodySize"} <= made["response"].keys()
    assert made["response"]["content"]["mimeType"] == "text/event-stream"


def test_the_time_of_a_plain_answer_goes_out_and_comes_back() -> None:
    timed = replace(plain(), metadata=replace(plain().metadata, duration_ms=740))
    document = json.loads(json.dumps(encode_har(cassette(timed), "1")[0]))
    made = document["log"]["entries"][0]
    assert (made["time"], made["timings"]["wait"]) == (740, 740)
    assert imported(document).interactions[0].metadata.duration_ms == 740


@pytest.mark.parametrize(("time", "kept"), [(12.9, 12), (0, None), (-1, None), (True, None), ("12", None), (1e300, None), (None, None)])
def test_times_that_say_nothing_are_left_out(time: Any, kept: int | None) -> None:
    assert imported(archive(entry(time=time))).interactions[0].metadata.duration_ms == kept


def test_a_query() -> None:
    tape = cassette(replace(plain(), request=replace(plain().request, query="a=1&b=")))
    made: Any = encode_har(tape, "1")[0]["log"]
    assert made["entries"][0]["request"]["url"].endswith("?a=1&b=")
    assert made["entries"][0]["request"]["queryString"] == [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]


def test_bytes_that_are_no_text() -> None:
    tape = cassette(replace(plain(failure=FailureKind.CUT), response=NonStreamResponse(200, (), b"\xff\x00")))
    document, losses = encode_har(tape, "1")
    assert imported(json.loads(json.dumps(document))).interactions[0].response == NonStreamResponse(200, (), b"\xff\x00")
    assert Loss(LossKind.FAILURES, 1) in losses


def test_times_are_universal() -> None:
    times = ("2026-01-02T04:04:05.250+01:00", "2026-01-02T03:04:06Z", "yesterday", None)
    read = imported(archive(*(entry(startedDateTime=time) for time in times)))
    expected = ["2026-01-02T03:04:05.250000Z", "2026-01-02T03:04:06.000000Z", AT, AT]
    assert [each.metadata.recorded_at for each in read.interactions] == expected
    assert [each.metadata.relative_offset_ms for each in read.interactions] == [0, 750, 0, 0]


def test_header_fields_are_redacted() -> None:
    read = imported(archive(entry()))
    assert read.interactions[0].request.headers == (("accept", "*/*"),)
    assert read.losses == (Loss(LossKind.REDACTED, 1),)


@pytest.mark.parametrize("content", [None, {}, {"text": None}])
def test_a_missing_body_is_an_empty_one(content: Any) -> None:
    read = imported(archive(entry(response={"status": 200, "headers": None, "content": content})))
    assert read.interactions[0].response == NonStreamResponse(200, (), b"")


def test_base64() -> None:
    content = {"text": base64.b64encode(b"\xff").decode(), "encoding": "base64"}
    read = imported(archive(entry(response={"status": 200, "content": content})))
    assert read.interactions[0].response == NonStreamResponse(200, (), b"\xff")


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ([], "log.entries"),
        ({"log": {}}, "log.entries"),
        (archive(1), r"log.entries\[0\].request: expected an object"),
        (archive(entry(response=1)), r"log.entries\[0\].response: expected an object"),
        (archive(entry(request={})), "expected request.method"),
        (archive(entry(response={"status": 200, "content": {"text": "é", "encoding": "base64"}})), "content.text"),
    ],
)
def test_what_is_no_archive(document: Any, problem: str) -> None:
    with pytest.raises(ImportFormatError, match=problem):
        imported(document)
