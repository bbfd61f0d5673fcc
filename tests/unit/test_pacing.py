"""When the pieces of a replayed answer are due."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.cassette.model import DataEvent, NonStreamResponse, StreamResponse, Timing
from spycatcher_addon.choices import TimingMode
from spycatcher_addon.pacing import Pacing, chunk_arrivals_ms, cut_at_chunks, event_arrivals_ms

RECORDED = (40, 80, 80, 160)


def stream(transcript: bytes, chunks: tuple[tuple[int, int], ...] | None, events: int = 0, **headers: str) -> StreamResponse:
    timing = None if chunks is None else Timing(chunks[0][1] if chunks else 0, chunks)
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return StreamResponse(200, pairs, tuple(DataEvent(str(number)) for number in range(events)), transcript, timing)


@pytest.mark.parametrize(
    ("pacing", "expected"),
    [
        (Pacing(), (0, 0, 0, 0)),
        (Pacing(TimingMode.RECORDED), RECORDED),
        (Pacing(TimingMode.SCALED, factor=2.5), (100, 200, 200, 400)),
        (Pacing(TimingMode.FIXED, ttft_ms=30, tps=50), (30, 50, 70, 90)),
        (Pacing(TimingMode.CI), (10, 12, 14, 16)),
    ],
)
def test_due_times_of_a_stream(pacing: Pacing, expected: tuple[float, ...]) -> None:
    assert pacing.stream_due_ms(RECORDED, 4, 0) == expected


@pytest.mark.parametrize("mode", [TimingMode.RECORDED, TimingMode.SCALED, TimingMode.REALISTIC])
def test_a_tape_without_times_is_sent_at_once(mode: TimingMode) -> None:
    assert Pacing(mode).stream_due_ms(None, 3, 0) == (0, 0, 0)


def test_the_demo_invents_times_where_the_tape_has_none() -> None:
    due = Pacing(TimingMode.DEMO).stream_due_ms(None, 3, 0)
    assert 100 < due[0] < 1600
    assert due[0] < due[1] < due[2]


def test_jitter_belongs_to_seed_and_interaction() -> None:
    def due(seed: int, index: int) -> tuple[float, ...]:
        return Pacing(TimingMode.REALISTIC, seed=seed).stream_due_ms(RECORDED, 4, index)

    assert due(1, 0) == due(1, 0)
    assert len({due(1, 0), due(2, 0), due(1, 1)}) == 3
    assert due(1, 0) != RECORDED
    assert due(1, 0)[1] == due(1, 0)[2], "pieces of one moment stay together"


@given(st.lists(st.integers(0, 10_000)), st.integers(), st.integers(0, 1000))
def test_jitter_never_reorders(gaps: list[int], seed: int, index: int) -> None:
    arrivals = [sum(gaps[: number + 1]) for number in range(len(gaps))]
    for mode in (TimingMode.REALISTIC, TimingMode.DEMO):
        due = Pacing(mode, seed=seed).stream_due_ms(arrivals, len(arrivals), index)
        assert len(due) == len(arrivals)
        assert all(earlier <= later for earlier, later in pairwise((0.0, *due)))


@pytest.mark.parametrize(
    ("body", "mode", "duration_ms", "expected"),
    [
        ({"usage": {"completion_tokens": 5}}, TimingMode.FIXED, None, 300),
        ({"usage": {"completion_tokens": 5}}, TimingMode.FIXED, 77, 300),
        ({"usage": {"completion_tokens": "5"}}, TimingMode.FIXED, None, 200),
        ({"usage": None}, TimingMode.FIXED, None, 200),
        ([], TimingMode.FIXED, None, 200),
        ({}, TimingMode.CI, None, 10),
        ({"usage": {"completion_tokens": 5}}, TimingMode.CI, 77, 20),
        ({"usage": {"completion_tokens": 5}}, TimingMode.RECORDED, None, 0),
        ({"usage": {"completion_tokens": 5}}, TimingMode.RECORDED, 77, 77),
        ({}, TimingMode.SCALED, None, 0),
        ({}, TimingMode.SCALED, 80, 200),
        ({}, TimingMode.REALISTIC, None, 0),
        ({}, TimingMode.OFF, 77, 0),
    ],
)
def test_due_time_of_a_plain_answer(body: object, mode: TimingMode, duration_ms: int | None, expected: float) -> None:
    answer = NonStreamResponse(200, (), json.dumps(body).encode())
    assert Pacing(mode, factor=2.5).plain_due_ms(answer, duration_ms, 0) == expected


@pytest.mark.parametrize(
    ("mode", "duration_ms", "around_ms"), [(TimingMode.REALISTIC, 1000, 1000), (TimingMode.DEMO, 1000, 1000), (TimingMode.DEMO, None, 500)]
)
def test_chance_moves_a_plain_answer_alike_in_every_run(mode: TimingMode, duration_ms: int | None, around_ms: float) -> None:
    answer = NonStreamResponse(200, (), b'{"usage": {"completion_tokens": 3}}')
    due = [Pacing(mode, seed=7).plain_due_ms(answer, duration_ms, index) for index in range(400)]
    assert due == [Pacing(mode, seed=7).plain_due_ms(answer, duration_ms, index) for index in range(400)]
    assert len(set(due)) == 400
    assert sorted(due)[200] == pytest.approx(around_ms, rel=0.1)


@pytest.mark.parametrize(
    ("transcript", "chunks", "pieces", "times"),
    [
        (b"abcdef", ((2, 5), (6, 9)), (b"ab", b"cdef"), (5, 9)),
        (b"abcdef", None, (b"abcdef",), None),
        (b"", None, (), None),
        (b"", (), (), ()),
        (b"abcdef", ((2, 5),), (b"ab", b"cdef"), (5, 5)),
        (b"abcdef", (), (b"abcdef",), (0,)),
        (b"abcdef", ((2, 5), (2, 6), (6, 4)), (b"ab", b"cdef"), (5, 5)),
    ],
)
def test_cutting_at_recorded_chunks(
    transcript: bytes, chunks: tuple[tuple[int, int], ...] | None, pieces: tuple[bytes, ...], times: tuple[int, ...] | None
) -> None:
    response = stream(transcript, chunks)
    assert cut_at_chunks(response) == pieces
    assert chunk_arrivals_ms(response) == times


TRANSCRIPT = b"data: 0\n\ndata: 1\n\ndata: 2\n\n"


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (((9, 1), (18, 2), (27, 3)), (1, 2, 3)),
        (((27, 7),), (7, 7, 7)),
        (((8, 1), (17, 2), (27, 3)), (2, 3, 3)),
        (None, None),
    ],
)
def test_an_event_arrives_with_the_chunk_that_completes_it(
    chunks: tuple[tuple[int, int], ...] | None, expected: tuple[int, ...] | None
) -> None:
    assert event_arrivals_ms(stream(TRANSCRIPT, chunks, events=3)) == expected


def test_events_of_a_compressed_transcript_are_found() -> None:
    packed = gzip.compress(TRANSCRIPT)
    response = stream(packed, ((len(packed) // 2, 1), (len(packed), 2)), events=3, content_encoding="gzip")
    times = event_arrivals_ms(response)
    assert times is not None
    assert times[-1] == 2
    assert len(times) == 3


@pytest.mark.parametrize("transcript", [b"data: \xff\n\n", b"data: 0\n\n"], ids=["unreadable", "fewer events than on the tape"])
def test_events_that_cannot_be_found_come_last(transcript: bytes) -> None:
    response = stream(transcript, ((4, 1), (len(transcript), 6)), events=3)
    assert event_arrivals_ms(response) == (6, 6, 6)
