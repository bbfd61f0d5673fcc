"""Replay with raw transcripts, with times and with failures kept: what arrives, when, and how it ends."""

from __future__ import annotations

import gzip
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Close, Reset, Send, Stall, StubUpstream, Wait, chunk, encode_head
from spycatcher_addon.cassette import DataEvent, StreamResponse
from spycatcher_addon.cassette.model import FailureKind, NonStreamResponse, Timing
from spycatcher_addon.config import RecordConfig, ReplayConfig, StreamSource, TimingMode
from tests.integration.test_replay_transport import ask_body, interaction, write_tape
from tests.support.http2 import Http2Connection
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.raw_http import BodyEnd, RawConnection, RawResponse, encode_json_request, exchange

ASK = ask_body(0, stream=True)
ONE = b'data: {"n":1}\n\n'
DONE = b"data: [DONE]\n\n"
RAW = ReplayConfig(stream_source=StreamSource.RAW)


def replay_once(folder: Path, settings: ReplayConfig, asked: Any = ASK) -> RawResponse:
    with InProcessHarness(replay_config(folder, replay=settings)) as replay:
        return exchange(replay.addr, encode_json_request(asked))


TRANSCRIPTS = {
    "canonical": [ONE, DONE],
    "CRLF and odd spacing": [b":odd\r\n\r\nevent:  x\r\ndata:1\r\n", b"\r\nid: 7\r\nretry: 10\r\ndata: [DONE]\r\n\r\n"],
    "byte order mark": [b"\xef\xbb\xbfdata: lost\n\n", DONE],
    "one byte at a time": [bytes([byte]) for byte in ONE + DONE],
    "a character cut in two": [b'data: "\xc3', b'\xa9"\n\n', DONE],
    "after the end mark": [DONE, b": bye\n\n"],
    "no events": [b"\n\n"],
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_raw_replay_gives_back_every_byte_and_chunk(tmp_path: Path, upstream: StubUpstream, name: str) -> None:
    chunks = TRANSCRIPTS[name]
    upstream.script([Send(SSE_HEAD), *(Send(chunk(each)) for each in chunks), Send(LAST_CHUNK)])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = exchange(recorder.addr, encode_json_request(ASK))
    assert recorded.chunks == tuple(chunks)
    again = replay_once(tmp_path, RAW)
    assert (again.chunks, again.end) == (tuple(chunks), BodyEnd.COMPLETE)
    assert again.head.headers == recorded.head.headers


def test_raw_replay_keeps_a_coding(tmp_path: Path, upstream: StubUpstream) -> None:
    packed = gzip.compress(ONE + DONE)
    head = encode_head(200, [("content-type", "text/event-stream"), ("content-encoding", "gzip"), ("transfer-encoding", "chunked")])
    upstream.script([Send(head), Send(chunk(packed[:9])), Send(chunk(packed[9:])), Send(LAST_CHUNK)])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        exchange(recorder.addr, encode_json_request(ASK))
    again = replay_once(tmp_path, RAW)
    assert (again.chunks, again.header("content-encoding")) == ((packed[:9], packed[9:]), "gzip")


def timed_tape(folder: Path, times_ms: list[int]) -> tuple[bytes, ...]:
    events = tuple(DataEvent(str(number)) for number in range(len(times_ms)))
    frames = tuple(b"data: %d\n\n" % number for number in range(len(times_ms)))
    ends = [sum(map(len, frames[: number + 1])) for number in range(len(frames))]
    timing = Timing(times_ms[0] if times_ms else 0, tuple(zip(ends, times_ms, strict=True)))
    write_tape(folder, interaction(ASK, StreamResponse(200, (), events, b"".join(frames), timing)))
    return frames


def read_timed(harness: InProcessHarness, asked: Any = ASK) -> tuple[list[bytes], list[float]]:
    """Chunks of a streamed answer and their arrival, in milliseconds after the request was sent."""
    chunks: list[bytes] = []
    times: list[float] = []
    with RawConnection(harness.addr) as connection:
        started = time.monotonic()
        connection.send(encode_json_request(asked))
        head = connection.read_head()
        assert head.header("transfer-encoding") == "chunked"
        while (piece := connection.read_chunk()) is not None:
            chunks.append(piece)
            times.append((time.monotonic() - started) * 1000)
    return chunks, times


@pytest.mark.parametrize("source", [StreamSource.EVENTS, StreamSource.RAW])
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"timing": TimingMode.RECORDED}, [40, 80, 80, 160]),
        ({"timing": TimingMode.SCALED, "timing_factor": 0.5}, [20, 40, 40, 80]),
        ({"timing": TimingMode.FIXED, "ttft_ms": 30, "tps": 50}, [30, 50, 70, 90]),
        ({"simulate_timing": True, "ttft_ms": 30, "tps": 50}, [30, 50, 70, 90]),
        ({"timing": TimingMode.CI}, [10, 12, 14, 16]),
    ],
)
def test_no_piece_comes_before_its_time(tmp_path: Path, source: StreamSource, settings: dict[str, Any], expected: list[int]) -> None:
    frames = timed_tape(tmp_path, [40, 80, 80, 160])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(stream_source=source, **settings))) as replay:
        chunks, times = read_timed(replay)
    assert tuple(chunks) == frames
    for arrived, due in zip(times, expected, strict=True):
        assert arrived >= due


def test_realistic_times_repeat_with_their_seed(tmp_path: Path) -> None:
    frames = timed_tape(tmp_path, [10, 20, 30])
    settings = ReplayConfig(timing=TimingMode.REALISTIC, timing_seed=3)
    with InProcessHarness(replay_config(tmp_path, replay=settings)) as replay:
        chunks, times = read_timed(replay)
    assert tuple(chunks) == frames
    due = settings.pacing.stream_due_ms((10, 20, 30), 3, 0)
    assert all(arrived >= planned for arrived, planned in zip(times, due, strict=True))


def test_a_plain_answer_waits_for_its_tokens(tmp_path: Path) -> None:
    asked = ask_body(0)
    body = json.dumps({"usage": {"completion_tokens": 5}}).encode()
    write_tape(tmp_path, interaction(asked, NonStreamResponse(200, (), body)))
    started = time.monotonic()
    answer = replay_once(tmp_path, ReplayConfig(timing=TimingMode.FIXED, ttft_ms=40, tps=100), asked)
    assert (time.monotonic() - started) * 1000 >= 90
    assert (answer.body, answer.header("content-length"), answer.end) == (body, str(len(body)), BodyEnd.COMPLETE)


def test_a_plain_answer_takes_the_time_it_took_while_it_was_recorded(tmp_path: Path, upstream: StubUpstream) -> None:
    asked = ask_body(0)
    late = threading.Event()
    upstream.script([Wait(late), Send(encode_head(200, [("content-length", "2")]) + b"{}")])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recording:
        started = time.monotonic()
        threading.Timer(0.04, late.set).start()
        exchange(recording.addr, encode_json_request(asked))
        recorded_ms = (time.monotonic() - started) * 1000
        duration_ms = recording.tape().interactions[0].metadata.duration_ms
    assert duration_ms is not None and 5 <= duration_ms <= recorded_ms
    started = time.monotonic()
    assert replay_once(tmp_path, ReplayConfig(timing=TimingMode.RECORDED), asked).body == b"{}"
    assert (time.monotonic() - started) * 1000 >= duration_ms


def test_harness_made_answers_do_not_wait(tmp_path: Path) -> None:
    timed_tape(tmp_path, [1])
    settings = ReplayConfig(timing=TimingMode.FIXED, ttft_ms=600_000)
    assert replay_once(tmp_path, settings, ask_body(7)).status == 409


def test_a_client_that_leaves_a_timed_stream_frees_everything(tmp_path: Path) -> None:
    timed_tape(tmp_path, [1, 600_000])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED))) as replay:
        with RawConnection(replay.addr) as connection:
            connection.send(encode_json_request(ASK))
            connection.read_head()
            assert connection.read_chunk() == b"data: 0\n\n"
        started = time.monotonic()
        replay.stop(5)
        assert time.monotonic() - started < 4, "nothing was left to wait for"


def test_pipelined_requests_wait_their_turn_behind_a_timed_stream(tmp_path: Path) -> None:
    frames = timed_tape(tmp_path, [20, 40])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED))) as replay:
        with RawConnection(replay.addr) as connection:
            connection.send(encode_json_request(ASK) + encode_json_request(ASK))
            assert connection.read_response().chunks == frames
            assert connection.read_response().status == 409


def test_timed_streams_over_http2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    frames = timed_tape(tmp_path, [1, 2, 30])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED))) as replay:
        with Http2Connection(replay.addr) as connection:
            answer = connection.read_response(connection.request(json.dumps(ASK).encode()))
    assert (tuple(answer.frames), answer.is_ended) == (frames, True)


def test_a_timed_stream_to_http_1_0_has_a_length(tmp_path: Path) -> None:
    frames = timed_tape(tmp_path, [1, 30])
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED))) as replay:
        answer = exchange(replay.addr, encode_json_request(ASK).replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n"))
    assert (answer.body, answer.header("content-length")) == (b"".join(frames), "18")


# --- failures that were kept ------------------------------------------------------------------------------------------

FAILURES: dict[str, tuple[list[Any], FailureKind, bytes, set[BodyEnd]]] = {
    "cut": ([Send(SSE_HEAD), Send(chunk(ONE)), Send(b"20\r\ndata: ha"), Close()], FailureKind.CUT, ONE + b"data: ha", {BodyEnd.UNFINISHED}),
    "invalid": (
        [Send(SSE_HEAD), Send(chunk(ONE)), Send(chunk(b"data: \xff\n\n")), Send(LAST_CHUNK)],
        FailureKind.INVALID_STREAM,
        ONE + b"data: \xff\n\n",
        {BodyEnd.COMPLETE},
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_kept_passed_over_and_repeated_when_asked(tmp_path: Path, upstream: StubUpstream, name: str) -> None:
    steps, kind, body, ends = FAILURES[name]
    config = record_config(tmp_path, upstream.base_url).model_copy(update={"record": RecordConfig(keep_failures=True)})
    upstream.script(steps)
    with InProcessHarness(config) as recorder:
        broken = exchange(recorder.addr, encode_json_request(ASK))
        whole = exchange(recorder.addr, encode_json_request(ASK))
        assert (recorder.stats.recorded, recorder.stats.kept_failures) == (1, 1)
        tape = recorder.tape()
    assert broken.body == body
    assert [each.failure for each in tape.interactions] == [kind, None]
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert replay.stats.unused == (1,)
        assert exchange(replay.addr, encode_json_request(ASK)).body == whole.body
        assert exchange(replay.addr, encode_json_request(ASK)).status == 409
    again = replay_once(tmp_path, ReplayConfig(include_failures=True))
    assert again.body == body
    assert again.end in ends


def test_a_reset_is_repeated_as_a_reset(tmp_path: Path, upstream: StubUpstream) -> None:
    seen = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Wait(seen), Reset()])
    config = record_config(tmp_path, upstream.base_url).model_copy(update={"record": RecordConfig(keep_failures=True)})
    with InProcessHarness(config) as recorder, RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ASK))
        head = connection.read_head()
        assert connection.read_chunk() == ONE
        seen.set()
        connection.read_rest(head)
        recorder.stop()
        assert [each.failure for each in recorder.tape().interactions] == [FailureKind.RESET]
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(include_failures=True, timing=TimingMode.RECORDED))) as replay:
        answer = exchange(replay.addr, encode_json_request(ASK))
        assert answer.end is BodyEnd.RESET


def test_a_plain_answer_that_was_cut_is_kept_with_what_came(tmp_path: Path, upstream: StubUpstream) -> None:
    asked = ask_body(0)
    upstream.script([Send(encode_head(200, [("content-length", "500")]) + b'{"half'), Close()])
    config = record_config(tmp_path, upstream.base_url).model_copy(update={"record": RecordConfig(keep_failures=True)})
    with InProcessHarness(config) as recorder:
        assert exchange(recorder.addr, encode_json_request(asked)).status == 502
        (kept,) = recorder.tape().interactions
    assert (kept.failure, kept.response.status) == (FailureKind.CUT, 200)
    assert isinstance(kept.response, NonStreamResponse)
    assert kept.response.body == b'{"half'
    again = replay_once(tmp_path, ReplayConfig(include_failures=True), asked)
    assert (again.status, again.body, again.end) == (200, b'{"half', BodyEnd.UNFINISHED)


def test_silence_and_a_lost_client_are_kept_as_such(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url, idle_timeout_s=0.3)
    config = config.model_copy(update={"record": RecordConfig(keep_failures=True)})
    with InProcessHarness(config) as recorder:
        upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Stall()])
        assert exchange(recorder.addr, encode_json_request(ASK)).end is BodyEnd.UNFINISHED
        upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Stall()])
        with RawConnection(recorder.addr) as connection:
            connection.send(encode_json_request(ASK))
            connection.read_head()
            assert connection.read_chunk() == ONE
        upstream.wait_for_no_connections()
        recorder.stop()
        assert [each.failure for each in recorder.tape().interactions] == [FailureKind.TIME_OUT, FailureKind.CLIENT_LEFT]


def test_expected_statuses_are_recorded_without_a_word(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url).model_copy(update={"record": RecordConfig(expected_statuses=(429,))})
    with InProcessHarness(config) as recorder:
        for status in (429, 500):
            upstream.script([Send(encode_head(status, [("content-length", "0")]))])
            exchange(recorder.addr, encode_json_request(ask_body(0)))
        assert (recorder.stats.recorded, recorder.stats.error_statuses) == (2, 1)
