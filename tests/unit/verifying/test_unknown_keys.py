"""Keys that no format has, and that no writer of ours ever writes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from spycatcher_addon.cassette.model import (
    Cassette,
    CommentEvent,
    DataEvent,
    FailureKind,
    Hashing,
    Interaction,
    NonStreamResponse,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.sse import encode_events
from spycatcher_addon.tools.version_one import encode_version_one
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.unknown_keys import find_unknown_keys
from tests.support.tape_samples import sample_interaction

EVENTS = (CommentEvent("c"), DataEvent('{ "a": 1 }', "e", "i", "7"), DataEvent("text"))


def with_answer(response: Any) -> Interaction:
    return replace(sample_interaction(0), response=response)


def every_kind() -> Cassette:
    """Whatever a format can say, at least once."""
    transcript = encode_events(EVENTS)
    timing = Timing(1, ((len(transcript), 2),))
    interactions = (
        with_answer(StreamResponse(200, (), EVENTS, transcript, timing)),
        with_answer(StreamResponse(200, (), EVENTS, transcript + b": more\n\n", timing)),
        with_answer(StreamResponse(200, (), (), b"\xff", None)),
        with_answer(NonStreamResponse(200, (), b"\xff\xfe", answers_stream=True)),
        with_answer(NonStreamResponse(200, (), b'{"any":{"key":1}}')),
        replace(sample_interaction(0), failure=FailureKind.CUT, metadata=replace(sample_interaction(0).metadata, duration_ms=3)),
    )
    hashing = Hashing(("/a",), ("header.b",), parse_normalize_rules(["uuid", {"name": "own", "pattern": "x+y", "replacement": "-"}]))
    return Cassette(2, interactions, hashing, "generator")


def found(version: int, document: Any) -> list[Finding]:
    return list(find_unknown_keys(version, TapeText(json.dumps(document).encode())))


def test_everything_that_is_written_is_known() -> None:
    assert found(2, json.loads(encode_cassette(every_kind()))) == []


def test_everything_in_format_1_is_known() -> None:
    cassette = Cassette(2, every_kind().interactions[:2])
    assert found(1, json.loads(encode_version_one(cassette)[0])) == []


@pytest.mark.parametrize(
    ("path", "key", "nearest"),
    [
        ((), "Generator", "generator"),
        (("hashing",), "ignored_paths", "ignore_paths"),
        (("interactions", 0), "requests", "request"),
        (("interactions", 0, "request"), "stable-hash", "stable_hash"),
        (("interactions", 0, "request", "body"), "sha-256", "sha256"),
        (("interactions", 0, "response", "events", 1), "evnt", "event"),
        (("interactions", 0, "response", "timing"), "zzz", "-"),
        (("interactions", 0, "metadata"), "recorded_by", "recorded_at"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(path: tuple[str | int, ...], key: str, nearest: str) -> None:
    document = json.loads(encode_cassette(every_kind()))
    place: Any = document
    for step in path:
        place = place[step]
    place[key] = {"whatever": 1}
    (finding,) = found(2, document)
    assert (finding.rule, finding.is_warning) == ("unknown-key", True)
    assert dict(finding.arguments) == {"key": key, "nearest": nearest, "count": "1"}
    assert (finding.interaction, finding.path) == ((0, (*path[2:], key)) if path[:1] == ("interactions",) else (None, (*path, key)))


def test_one_slip_made_many_times_is_one_finding() -> None:
    document = json.loads(encode_cassette(Cassette(2, tuple(map(sample_interaction, range(5))))))
    for interaction in document["interactions"][2:]:
        interaction["note"] = "by hand"
    (finding,) = found(2, document)
    assert (finding.interaction, dict(finding.arguments)["count"]) == (2, "3")


def test_what_a_recorded_body_holds_is_no_key_of_the_format() -> None:
    assert (
        found(2, json.loads(encode_cassette(Cassette(2, (with_answer(NonStreamResponse(200, (), b'{"boddy":{"x":[{"y":1}]}}')),))))) == []
    )
