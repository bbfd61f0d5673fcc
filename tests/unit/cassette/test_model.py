from __future__ import annotations

import gzip

import pytest

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import (
    Cassette,
    DataEvent,
    FailureKind,
    Interaction,
    Metadata,
    NonStreamResponse,
    Outline,
    RecordedRequest,
)


@pytest.mark.parametrize(("body", "parsed"), [(b'{"a":1}', {"a": 1}), (b"null", None), (b"{", None), (b"", None)])
def test_a_body_is_parsed_when_it_is_json(body: bytes, parsed: JsonValue) -> None:
    assert RecordedRequest("POST", "/", body=body).parsed_json == parsed
    assert NonStreamResponse(200, (), body).parsed_json == parsed
    assert DataEvent(body.decode()).parsed_json == parsed


def test_a_compressed_body_is_decoded_for_its_json_only() -> None:
    body = gzip.compress(b'{"a":1}')
    request = RecordedRequest("POST", "/", headers=(("content-encoding", "gzip"),), body=body)
    assert request.parsed_json == {"a": 1}
    assert request.body == body
    assert RecordedRequest("POST", "/", body=body).parsed_json is None


def test_parsing_a_body_once_keeps_nothing() -> None:
    request = RecordedRequest("POST", "/", body=b'{"a":1}')
    assert request.parse_body() is not request.parse_body()
    assert request.parsed_json is request.parsed_json
    assert request.parse_body() is request.parsed_json


def test_given_json_wins_over_the_body() -> None:
    assert RecordedRequest("POST", "/", parsed_json={"a": 1}).parse_body() == {"a": 1}


def test_requests_compare_by_what_was_recorded() -> None:
    one, other = RecordedRequest("POST", "/", body=b"{}"), RecordedRequest("POST", "/", body=b"{}")
    assert one.parsed_json == {}
    assert one == other
    assert one != RecordedRequest("POST", "/", body=b"{ }")


def test_a_cassette_in_memory_gives_what_replaying_needs_of_a_tape() -> None:
    answer, metadata = NonStreamResponse(200, (), b""), Metadata("p", "u", "2026-01-02T03:04:05Z", 0)
    good = Interaction(RecordedRequest("POST", "/", body=b"12345", stable_hash="a"), answer, metadata)
    failed = Interaction(RecordedRequest("POST", "/", body=b"1"), answer, metadata, FailureKind.CUT)
    cassette = Cassette(2, (good, failed))
    assert cassette.outlines() == (Outline("a", None, 5), Outline(None, FailureKind.CUT, 1))
    assert (cassette.interaction(1), cassette.answer(0), cassette.request(0)) == (failed, good, good.request)
