from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.cassette.model import CommentEvent, DataEvent, StreamEvent
from spycatcher_addon.errors import IncompleteEventError, InvalidUtf8Error, StreamParseError
from spycatcher_addon.sse import SseParser, encode_event, encode_events

DATA = Path(__file__).parents[1] / "data"
VECTORS = json.loads((DATA / "canonical-vectors.json").read_text("utf-8"))["sse"]
TRANSCRIPTS = sorted((DATA / "sse").glob("*.sse"))


def parse(*chunks: bytes) -> list[StreamEvent]:
    parser = SseParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.finish()


def vector_chunks(vector: dict[str, Any]) -> list[bytes]:
    if "chunks_hex" in vector:
        return [bytes.fromhex(chunk) for chunk in vector["chunks_hex"]]
    return [chunk.encode("utf-8") for chunk in vector["chunks_utf8"]]


@pytest.mark.parametrize("vector", VECTORS, ids=[str(index) for index in range(len(VECTORS))])
def test_vector(vector: dict[str, Any]) -> None:
    parser = SseParser()
    events: list[StreamEvent] = []
    error = None
    try:
        for chunk in vector_chunks(vector):
            events += parser.feed(chunk)
        events += parser.finish()
    except StreamParseError as caught:
        error = type(caught)
    seen = [
        {"kind": "comment", "text": event.text}
        if isinstance(event, CommentEvent)
        else {"kind": "data", "raw": event.raw, "parsed_json": event.parsed_json}
        for event in events
    ]
    assert seen == vector["events"]
    assert error is {None: None, "InvalidUtf8": InvalidUtf8Error, "IncompleteEvent": IncompleteEventError}[vector["error"]]


def test_there_are_vectors() -> None:
    assert len(VECTORS) == 36
    assert len(TRANSCRIPTS) >= 3


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    expected = [
        CommentEvent(event["comment"])
        if "comment" in event
        else DataEvent(event["data"], event.get("event"), event.get("id"), event.get("retry"))
        for event in json.loads(path.with_suffix(".json").read_text("utf-8"))
    ]
    transcript = path.read_bytes()
    assert parse(transcript) == expected
    assert parse(*(bytes([byte]) for byte in transcript)) == expected


def test_event_end_offsets_are_absolute() -> None:
    parser = SseParser()
    for chunk in (b": a\n\ndata: b\r", b"\n\r", b"\ndata: c\n", b"\n"):
        parser.feed(chunk)
    assert parser.event_end_offsets == [4, 16, 25]


def test_a_carriage_return_alone_at_the_end_closes_the_event() -> None:
    parser = SseParser()
    assert parser.feed(b"data: x\r\r") == []
    assert parser.finish() == [DataEvent("x")]
    assert parser.event_end_offsets == [9]


@pytest.mark.parametrize("rest", [b": x\r", b"event: x\r", b"x", b"data\n"])
def test_an_open_line_or_event_is_incomplete(rest: bytes) -> None:
    with pytest.raises(IncompleteEventError, match="before the final event was complete"):
        parse(b"data: whole\n\n" + rest)


@pytest.mark.parametrize(
    ("transcript", "expected"),
    [
        (b"", False),
        (b"data: x\n\n", False),
        (b"data: x\r\r", False),
        (b": ping\n", False),
        (b"event: x\n", False),
        (b"data: x\n", True),
        (b"data: x\r", True),
        (b": ping", True),
        (b": ping\r", True),
        (b"data: x\n\nd", True),
    ],
)
def test_whether_the_stream_could_end_here(transcript: bytes, expected: bool) -> None:
    parser = SseParser()
    parser.feed(transcript)
    assert parser.is_inside_event is expected
    if expected:
        with pytest.raises(IncompleteEventError):
            parser.finish()
    else:
        parser.finish()


def test_fields_of_a_block_without_data_are_forgotten() -> None:
    assert parse(b"event: a\nid: 1\nretry: 2\n\ndata: x\n\n") == [DataEvent("x")]


def test_a_comment_does_not_end_a_block() -> None:
    assert parse(b"event: a\n: ping\ndata: x\n\n") == [CommentEvent("ping"), DataEvent("x", event="a")]


def test_the_parser_stays_failed() -> None:
    parser = SseParser()
    with pytest.raises(InvalidUtf8Error, match="invalid UTF-8"):
        parser.feed(b"data: \xff\n")
    with pytest.raises(InvalidUtf8Error):
        parser.feed(b"data: fine\n\n")
    with pytest.raises(InvalidUtf8Error):
        parser.finish()

    parser = SseParser()
    parser.feed(b"data: open\n")
    with pytest.raises(IncompleteEventError):
        parser.finish()
    with pytest.raises(IncompleteEventError):
        parser.feed(b"\n")


def test_events_before_a_broken_line_are_not_lost() -> None:
    parser = SseParser()
    assert parser.feed(b"data: [DONE]\n\ndata: \xff\n\ndata: late\n\n") == [DataEvent("[DONE]")]
    with pytest.raises(InvalidUtf8Error):
        parser.finish()


@pytest.mark.parametrize(
    ("event", "frame"),
    [
        (CommentEvent("OPENROUTER PROCESSING"), b": OPENROUTER PROCESSING\n\n"),
        (CommentEvent("one\ntwo"), b": one\n: two\n\n"),
        (CommentEvent(""), b": \n\n"),
        (DataEvent("[DONE]"), b"data: [DONE]\n\n"),
        (DataEvent("alpha\nbeta"), b"data: alpha\ndata: beta\n\n"),
        (DataEvent(""), b"data: \n\n"),
        (DataEvent("a\rb"), b"data: a\rb\n\n"),
        (DataEvent("\u2028é"), b"data: \xe2\x80\xa8\xc3\xa9\n\n"),
        (DataEvent("x", event="e", id="7", retry="100"), b"event: e\nid: 7\nretry: 100\ndata: x\n\n"),
        (DataEvent("x", id=""), b"id: \ndata: x\n\n"),
    ],
)
def test_canonical_frame(event: StreamEvent, frame: bytes) -> None:
    assert encode_event(event) == frame
    assert encode_events([event, event]) == frame * 2


def test_no_events_are_no_bytes() -> None:
    assert encode_events([]) == b""
