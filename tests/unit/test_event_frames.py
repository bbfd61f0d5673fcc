"""Where events lie in a transcript."""

from __future__ import annotations

import time

import pytest

from spycatcher_addon.event_frames import event_frames
from spycatcher_addon.sse import SseParser


def frames_as_bytes(transcript: bytes) -> list[bytes]:
    return [b"".join(transcript[span.start : span.end] for span in frame) for frame in event_frames(transcript)]


@pytest.mark.parametrize(
    ("transcript", "frames"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"data: a\n\ndata: b\n\n", [b"data: a\n\n", b"data: b\n\n"], id="line feeds"),
        pytest.param(b"data: a\r\n\r\ndata:b\r\n\r\n", [b"data: a\r\n\r\n", b"data:b\r\n\r\n"], id="carriage returns and line feeds"),
        pytest.param(b"data: a\r\rdata\r\r", [b"data: a\r\r", b"data\r\r"], id="carriage returns, data without a colon"),
        pytest.param(b"data: a\r\n\ndata: b\n\r", [b"data: a\r\n\n", b"data: b\n\r"], id="mixed"),
        pytest.param(b": p\n\ndata: a\n\n", [b": p\n\n", b"data: a\n\n"], id="a comment with its blank line"),
        pytest.param(b": p\n: q\n\n\ndata: a\n\n", [b": p\n", b": q\n\n", b"data: a\n\n"], id="two comments, a blank line too many"),
        pytest.param(b"data: a\n: p\ndata: b\n\n", [b": p\n", b"data: a\ndata: b\n\n"], id="a comment inside an event"),
        pytest.param(b"data: a\n: p\n\n", [b": p\n", b"data: a\n\n"], id="a comment before the end of an event"),
        pytest.param(b"id: 1\nevent: e\ndata: a\n\n", [b"id: 1\nevent: e\ndata: a\n\n"], id="fields belong to their event"),
        pytest.param(b"retry: 5\n\nevent: e\n\ndata: a\n\n", [b"data: a\n\n"], id="blocks without data are no events"),
        pytest.param(b"database: x\n\ndata: a\n\n", [b"data: a\n\n"], id="a field that only begins like data"),
        pytest.param(b"data: a\n\ndata: b\n", [b"data: a\n\n"], id="an event that does not end"),
        pytest.param(b"data: a\n\ndata: b", [b"data: a\n\n"], id="a line that does not end"),
        pytest.param(b"\xef\xbb\xbfdata: a\n\ndata: b\n\n", [b"data: b\n\n"], id="a byte order mark is part of the first line"),
        pytest.param(b"data: \xff\n\ndata: b\n\n", [b"data: \xff\n\n", b"data: b\n\n"], id="no UTF-8"),
    ],
)
def test_frames(transcript: bytes, frames: list[bytes]) -> None:
    assert frames_as_bytes(transcript) == frames


def test_a_comment_inside_an_event_parts_its_frame() -> None:
    comment, event = event_frames(b"data: a\n: p\ndata: b\n\n")
    assert [(span.start, span.end) for span in comment] == [(8, 12)]
    assert [(span.start, span.end) for span in event] == [(0, 8), (12, 21)]


def test_the_work_grows_with_the_bytes_only() -> None:
    started = time.perf_counter()
    assert event_frames(b"data: " + b"x" * 2_000_000) == []
    assert len(event_frames(b"data: x\n\n" * 100_000)) == 100_000
    assert time.perf_counter() - started < 5


def test_agrees_with_the_parser_on_where_events_end() -> None:
    transcript = b": p\r\n\r\nretry: 3\n\ndata: a\ndata: b\r\rid: 1\r\ndata: c\r\n\r\n: q\n"
    parser = SseParser()
    parser.feed(transcript)
    ends = [frame[-1].end for frame in event_frames(transcript)]
    # The blank line behind a comment that stands alone belongs to the frame, while the parser is done with the line itself.
    assert (parser.event_end_offsets, ends) == ([5, *ends[1:]], [7, *ends[1:]])
