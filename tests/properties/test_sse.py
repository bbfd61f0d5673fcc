from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spycatcher_addon.cassette.model import CommentEvent, DataEvent, StreamEvent
from spycatcher_addon.errors import IncompleteEventError, StreamParseError
from spycatcher_addon.sse import SseParser, encode_event, encode_events

transcripts = st.lists(
    st.sampled_from(
        [b"data", b"data: ", b"event: ", b"id:", b"retry: 1", b":", b" ", b"\r", b"\n", b"\r\n", b"\n\n", b"a", "é\u2028".encode(), b"\xff"]
    ),
    max_size=30,
).map(b"".join)
lines = st.text().map(lambda text: text.replace("\r", "").replace("\n", ""))
data_events = st.builds(
    DataEvent,
    raw=st.lists(lines, min_size=1, max_size=4).map("\n".join),
    event=st.none() | lines,
    id=st.none() | lines,
    retry=st.none() | lines,
)
event_lists = st.lists(data_events | st.builds(CommentEvent, text=lines), max_size=6)


def parse(chunks: list[bytes]) -> tuple[list[StreamEvent], list[int], type[StreamParseError] | None]:
    parser = SseParser()
    events: list[StreamEvent] = []
    try:
        for chunk in chunks:
            events += parser.feed(chunk)
        events += parser.finish()
    except StreamParseError as error:
        return events, parser.event_end_offsets, type(error)
    return events, parser.event_end_offsets, None


@given(transcript=transcripts, data=st.data())
def test_any_cut_parses_alike(transcript: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(transcript)), max_size=8).map(sorted))
    whole = parse([transcript])
    assert parse([transcript[start:end] for start, end in pairwise([0, *cuts, len(transcript)])]) == whole
    assert parse([bytes([byte]) for byte in transcript]) == whole


@given(transcript=transcripts)
def test_an_event_ends_where_its_offset_says(transcript: bytes) -> None:
    events, offsets, _ = parse([transcript])
    assert len(offsets) == len(events)
    for count, offset in enumerate(offsets, 1):
        # One byte more decides a carriage return at the end.
        assert SseParser().feed(transcript[:offset] + b"x") == events[:count]
        assert len(SseParser().feed(transcript[: offset - 1])) < count


@given(events=event_lists)
@example(events=[DataEvent("\x00\x85\u2028\ufeff", event="", id=" a", retry=":")])
def test_encoded_events_parse_back(events: list[StreamEvent]) -> None:
    encoded = encode_events(events)
    parsed, offsets, error = parse([encoded])
    assert (parsed, error) == (events, None)
    assert encoded == b"".join(encode_event(event) for event in events)
    assert all(offset <= len(encoded) for offset in offsets)


@given(events=event_lists.filter(bool), data=st.data())
def test_a_cut_event_is_never_complete(events: list[StreamEvent], data: st.DataObject) -> None:
    last = encode_event(events[-1])
    # Without its blank line a comment is whole, so cut before its line end.
    cut = data.draw(st.integers(1, len(last) - 2))
    kept, _, error = parse([encode_events(events[:-1]) + last[:cut]])
    assert kept == events[:-1]
    if isinstance(events[-1], CommentEvent):
        assert error is IncompleteEventError


@pytest.mark.parametrize("chunk_bytes", [1, 7, 65_536])
def test_a_line_of_two_megabytes_is_read_in_linear_time(chunk_bytes: int) -> None:
    transcript = b"data: " + b"a" * 2_000_000 + b"\n\n"
    events, _, error = parse([transcript[start : start + chunk_bytes] for start in range(0, len(transcript), chunk_bytes)])
    assert (events, error) == ([DataEvent("a" * 2_000_000)], None)
