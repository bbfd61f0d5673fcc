"""Format 1 is written so that it reads back."""

from __future__ import annotations

import json
from dataclasses import replace

from spycatcher_addon.cassette.model import Cassette, DataEvent, FailureKind, Hashing, Interaction, NonStreamResponse, StreamResponse
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.sse import encode_events
from spycatcher_addon.tools.losses import Loss, LossKind
from spycatcher_addon.tools.version_one import encode_version_one
from tests.support.tool_samples import cassette, plain, streamed


def lost(interaction: Interaction, *ignore_paths: str) -> tuple[Loss, ...]:
    return encode_version_one(Cassette(2, (interaction,), Hashing(ignore_paths)))[1]


def test_what_format_1_can_hold_comes_back() -> None:
    tape = cassette(plain(), streamed())
    data, _ = encode_version_one(tape)
    read = parse_cassette(data, "x")
    assert read.format_version == 1
    for one, other in zip(tape.interactions, read.interactions, strict=True):
        assert (other.request, other.metadata) == (one.request, one.metadata)
    assert read.interactions[0].response == tape.interactions[0].response
    before, after = (each.interactions[1].response for each in (tape, read))
    assert isinstance(before, StreamResponse) and isinstance(after, StreamResponse)
    assert replace(after, timing=None) == replace(before, timing=None)


def test_the_layout_is_that_of_the_other_program() -> None:
    data, _ = encode_version_one(cassette(plain()))
    document = json.loads(data)
    (interaction,) = document["interactions"]
    assert list(interaction) == ["request", "response", "metadata"]
    assert list(interaction["request"]) == ["method", "path", "query", "headers", "body", "parsed_json", "canonical_request", "stable_hash"]
    assert list(interaction["request"]["canonical_request"]) == ["method", "path", "canonical_query", "canonical_body"]
    assert interaction["request"]["body"] == list(plain().request.body)
    assert not data.endswith(b"\n")
    assert encode_version_one(cassette())[0] == b'{\n  "format_version": 1,\n  "interactions": []\n}'


def test_each_event_has_its_time() -> None:
    data, losses = encode_version_one(cassette(streamed()))
    timing = json.loads(data)["interactions"][0]["response"]["timing"]
    assert timing["ttft_ms"] == 120
    assert len(timing["chunk_offsets_ms"]) == len(streamed().response.events)  # type: ignore[union-attr]
    assert set(timing["chunk_offsets_ms"]) == {120, 480}
    assert losses == (Loss(LossKind.CHUNK_TIMES, 1),)


def test_a_stream_without_times() -> None:
    response = streamed().response
    assert isinstance(response, StreamResponse)
    untimed = replace(streamed(), response=replace(response, timing=None))
    assert json.loads(encode_version_one(cassette(untimed))[0])["interactions"][0]["response"]["timing"] is None
    assert lost(untimed) == ()


def test_losses() -> None:
    assert lost(plain()) == ()
    timed = replace(plain(), metadata=replace(plain().metadata, duration_ms=740))
    assert lost(timed) == (Loss(LossKind.DURATIONS, 1),)
    assert lost(plain(), "/user") == (Loss(LossKind.SETTINGS, 1),)
    assert lost(plain(failure=FailureKind.CUT)) == (Loss(LossKind.FAILURES, 1),)
    response = plain().response
    assert isinstance(response, NonStreamResponse)
    assert lost(replace(plain(), response=replace(response, answers_stream=True))) == (Loss(LossKind.ANSWERS_STREAM, 1),)
    events = (DataEvent("a", event="x"), DataEvent("b", retry="5"), DataEvent("c"))
    assert lost(replace(plain(), response=StreamResponse(200, (), events, encode_events(events)))) == (Loss(LossKind.EVENT_FIELDS, 2),)
