"""Checks of streams: what is found, and where it stands."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spycatcher_addon.cassette.model import CommentEvent, DataEvent, FailureKind, Interaction, StreamResponse, Timing
from spycatcher_addon.verifying.streams import check_stream
from tests.support.tape_samples import sample_interaction
from tests.support.verify_tapes import EVENTS, SSE_HEADERS, TRANSCRIPT, check, only, stream

STREAM = StreamResponse(200, (("content-type", "text/event-stream"),), EVENTS, TRANSCRIPT, Timing(1, ((4, 1), (len(TRANSCRIPT), 2))))


def found(response: StreamResponse) -> list[tuple[str, str]]:
    interaction: Interaction = replace(sample_interaction(0), response=response)
    return [(finding.rule, finding.field) for finding in check_stream(response, interaction)]


def test_what_was_recorded_has_none() -> None:
    assert found(STREAM) == []


def test_each_finding_names_its_event_or_chunk() -> None:
    assert found(replace(STREAM, events=(*EVENTS[:1], DataEvent('{"n":2}'), *EVENTS[2:]))) == [("events-mismatch", "response.events[1]")]
    assert found(replace(STREAM, events=EVENTS[:2])) == [("events-count", "response.events")]
    assert found(replace(STREAM, events=(DataEvent("a\rb"), *EVENTS[1:]))) == [
        ("event-carriage-return", "response.events[0]"),
        ("events-mismatch", "response.events[0]"),
    ]
    assert found(replace(STREAM, events=(), raw_transcript=b"data: cut", timing=None)) == [
        ("transcript-unreadable", "response.raw_transcript")
    ]
    chunks = ((9, 5), (8, 4), (len(TRANSCRIPT) - 1, 6))
    assert found(replace(STREAM, timing=Timing(6, chunks))) == [
        ("chunks-order", "response.timing.chunks[1]"),
        ("chunks-time", "response.timing.chunks[1]"),
        ("chunks-end", "response.timing.chunks[2]"),
        ("chunks-ttft", "response.timing.chunks[0]"),
    ]


# --- streams --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "message_id", "arguments"),
    [
        ((CommentEvent("x"), *EVENTS[1:]), "verify-events-mismatch", {"event": "0"}),
        ((EVENTS[0], DataEvent('{"n":2}'), EVENTS[2]), "verify-events-mismatch", {"event": "1"}),
        ((EVENTS[0], DataEvent('{"n":1}', event="x"), EVENTS[2]), "verify-events-mismatch", {"event": "1"}),
        (EVENTS[:2], "verify-events-count", {"events": "2", "parsed": "3"}),
        ((*EVENTS, DataEvent("x")), "verify-events-count", {"events": "4", "parsed": "3"}),
    ],
)
def test_events_have_to_be_those_of_the_transcript(events: Any, message_id: str, arguments: dict[str, str]) -> None:
    assert only(check(stream(events=events))) == (message_id, arguments, False)


def test_a_transcript_that_is_no_stream() -> None:
    findings = check(stream(events=EVENTS[:1], raw_transcript=b": PROCESSING\n\ndata: cut", timing=None))
    assert only(findings)[0] == "verify-transcript-unreadable"
    findings = check(stream(events=(), raw_transcript=b"data: \xff\n\n", timing=None))
    assert only(findings)[0] == "verify-transcript-unreadable"


def test_what_follows_the_end_mark_does_not_matter() -> None:
    assert check(stream(raw_transcript=TRANSCRIPT + b"data: cut", timing=None)) == []


def test_a_recorded_failure_may_be_cut() -> None:
    cut = replace(stream(events=EVENTS[:1], raw_transcript=b": PROCESSING\n\ndata: cut", timing=None), failure=FailureKind.CUT)
    assert check(cut) == []


def test_a_compressed_transcript_is_decoded() -> None:
    coded = gzip.compress(TRANSCRIPT, mtime=0)
    headers = (*SSE_HEADERS, ("content-encoding", "gzip"))
    assert check(stream(headers=headers, raw_transcript=coded, timing=None)) == []
    assert only(check(stream(headers=headers, raw_transcript=b"no gzip", timing=None)))[0] == "verify-transcript-unreadable"
    unknown = (*SSE_HEADERS, ("content-encoding", "rot13"))
    assert check(stream(headers=unknown, events=(), timing=None)) == []


@pytest.mark.parametrize(
    ("timing", "message_id", "arguments"),
    [
        (Timing(0, ((20, 1), (10, 1), (len(TRANSCRIPT), 2))), "verify-chunks-order", {"chunk": "1"}),
        (Timing(0, ((10, 5), (len(TRANSCRIPT), 4))), "verify-chunks-time", {"chunk": "1"}),
        (Timing(0, ((10, 1),)), "verify-chunks-end", {"end": "10", "length": str(len(TRANSCRIPT))}),
        (Timing(7, ((len(TRANSCRIPT), 5),)), "verify-chunks-ttft", {"first_ms": "5", "ttft_ms": "7"}),
    ],
)
def test_timing(timing: Timing, message_id: str, arguments: dict[str, str]) -> None:
    assert only(check(stream(timing=timing))) == (message_id, arguments, False)


@pytest.mark.parametrize("timing", [None, Timing(3, ()), Timing(1, ((10, 1), (10, 1), (len(TRANSCRIPT), 1)))])
def test_timing_that_is_fine(timing: Timing | None) -> None:
    assert check(stream(timing=timing)) == []


@pytest.mark.parametrize("make", [lambda text: DataEvent(f"a{text}b"), CommentEvent])
def test_a_carriage_return_in_an_event_is_a_warning(make: Callable[[str], Any]) -> None:
    findings = check(stream(events=(make("\r"), *EVENTS[1:]), timing=None))
    assert ("verify-event-carriage-return", True) in [(finding.message_id, finding.is_warning) for finding in findings]
