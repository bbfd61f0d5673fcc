"""Both lanes are sent the same bytes: every byte that comes back must be the same, and the fast lane must really be one."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spycatcher_addon.cassette import DataEvent, MatchMode, NonStreamResponse, StreamResponse
from spycatcher_addon.config import Lane, LimitsConfig, ReplayConfig
from tests.integration.test_replay_transport import ask_body, interaction, numbered_tape, write_tape
from tests.support.in_process import REPLAY_LANE, InProcessHarness, replay_config
from tests.support.raw_http import RawConnection, encode_json_request, encode_request, exchange

KNOWN = [json.dumps(ask_body(number)).encode() for number in range(3)]
STREAMED = json.dumps(ask_body(7, stream=True)).encode()
LONG = json.dumps(ask_body(8, stream=True)).encode()
QUIET_S = 0.2
"""Longer than any answer takes on its way; a lane that is slower than this fails a test that it should not fail."""


class Pair:
    """The same tape on either lane. Faults keep every interaction from being used up, so that one pair serves all examples."""

    def __init__(self, folder: Path) -> None:
        answers = [
            NonStreamResponse(200, (("Content-Type", "application/json"), ("x-Two", "a"), ("x-Two", "b")), b'{"n":0}'),
            NonStreamResponse(204, (("x-one", "1"),), b""),
            NonStreamResponse(429, (("retry-after", "1"),), b"slow down"),
        ]
        plain = [interaction(json.loads(body), answer) for body, answer in zip(KNOWN, answers, strict=True)]
        events = (DataEvent("a", event="x"), DataEvent("[DONE]"))
        stream = interaction(json.loads(STREAMED), StreamResponse(200, (), events, b""))
        long = interaction(json.loads(LONG), StreamResponse(200, (), tuple(DataEvent("y" * 9000) for _ in range(9)), b""))
        write_tape(folder, *plain * 400, *[stream] * 400, *[long] * 400)
        self.lanes = {lane: self._start(folder, lane) for lane in Lane}

    def _start(self, folder: Path, lane: Lane) -> InProcessHarness:
        before = REPLAY_LANE.set(lane)
        config = replay_config(
            folder, match_mode=MatchMode.KEYED, limits=LimitsConfig(max_body_bytes=500, max_header_bytes=900, max_headers=12)
        )
        REPLAY_LANE.reset(before)
        return InProcessHarness(config)

    def ask(self, pieces: Sequence[bytes]) -> dict[Lane, tuple[bytes, str]]:
        return {lane: transfer(harness.addr, pieces) for lane, harness in self.lanes.items()}

    def stop(self) -> None:
        for harness in self.lanes.values():
            harness.stop()


def transfer(address: tuple[str, int], pieces: Sequence[bytes]) -> tuple[bytes, str]:
    """Send pieces one by one; give all that comes back and how the connection ends."""
    received = bytearray()
    with socket.create_connection(address, timeout=QUIET_S) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for piece in pieces:
                client.sendall(piece)
        except OSError:
            pass  # refused while it was still sending; what was answered can be read
        while True:
            try:
                data = client.recv(65536)
            except TimeoutError:
                return bytes(received), "open"
            except OSError:
                return bytes(received), "ended"
            if not data:
                return bytes(received), "ended"
            received += data


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    both = Pair(tmp_path_factory.mktemp("tapes"))
    yield both
    both.stop()


FIELDS = st.sampled_from(
    [
        b"x-any: 1\r\n",
        b"X-Any:two \r\n",
        b"x-empty:\r\n",
        b"connection: keep-alive\r\n",
        b"connection: close\r\n",
        b"content-type: application/json\r\n",
        b"content-encoding: gzip\r\n",
        b"content-encoding: identity\r\n",
        b"expect: 100-continue\r\n",
        b"upgrade: h2c\r\nconnection: upgrade\r\n",
        b"x-folded: a\r\n b\r\n",
        b"bad name: 1\r\n",
        b"no colon\r\n",
        b"x-eight: \xff\r\n",
        b"x-zero: a\0b\r\n",
        b"x-lf: 1\n",
        b"te: trailers\r\n",
        b"host: again\r\n",
        b"x-long: " + b"l" * 800 + b"\r\n",
    ]
)
BODIES = st.one_of(
    st.sampled_from([*KNOWN, STREAMED, LONG]),
    st.sampled_from([b"", b"{}", b"not json", b'{"a":NaN}', b"\xef\xbb\xbf{}", b'{"model":"stub"}', b"[" * 200 + b"]" * 200, b" " * 600]),
    st.binary(max_size=40),
)
STARTS = st.one_of(
    st.just(b"POST /v1/chat/completions HTTP/1.1\r\n"),
    st.sampled_from(
        [
            b"POST /v1/chat/completions?b=2&a=1 HTTP/1.1\r\n",
            b"POST /v1/chat/completions?x=\xc3\xa9 HTTP/1.1\r\n",
            b"GET /v1/chat/completions HTTP/1.1\r\n",
            b"HEAD /v1/chat/completions HTTP/1.1\r\n",
            b"POST /v1/other HTTP/1.1\r\n",
            b"POST /v1/chat/completions HTTP/1.0\r\n",
            b"post /v1/chat/completions HTTP/1.1\r\n",
            b"POST http://a/v1/chat/completions HTTP/1.1\r\n",
            b"POST  /v1/chat/completions HTTP/1.1\r\n",
            b"POST /v1/chat/completions HTTP/1.1\n",
            b"\r\nPOST /v1/chat/completions HTTP/1.1\r\n",
            b"nonsense\r\n",
        ]
    ),
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    start, body = draw(STARTS), draw(BODIES)
    fields = b"host: 127.0.0.1\r\n" + b"".join(draw(st.lists(FIELDS, max_size=2)))
    framing = draw(st.sampled_from(["length"] * 8 + ["chunked", "none", "twice", "wrong"]))
    if framing == "length":
        fields += b"content-length: %d\r\n" % len(body)
    elif framing == "chunked":
        fields += b"transfer-encoding: chunked\r\n"
        body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + b"0\r\n\r\n"
    elif framing == "twice":
        fields += b"content-length: %d\r\ncontent-length: %d\r\n" % (len(body), len(body))
    elif framing == "wrong":
        fields += b"content-length: 0%d\r\n" % len(body)
    return start + fields + b"\r\n" + body


@st.composite
def conversations(draw: st.DrawFn) -> list[bytes]:
    """Requests one after the other, without waiting for answers, cut anywhere; the last one perhaps not whole."""
    stream = b"".join(draw(st.lists(requests(), min_size=1, max_size=3)))
    if draw(st.booleans()):
        stream = stream[: draw(st.integers(1, len(stream)))]
    cuts = sorted(draw(st.lists(st.integers(1, len(stream)), max_size=3)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True) if end > start]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(conversations())
def test_the_same_bytes_get_the_same_answer(pair: Pair, pieces: list[bytes]) -> None:
    came = pair.ask(pieces)
    assert came[Lane.AUTO] == came[Lane.FLOW]


def test_ordinary_requests_are_answered_on_the_fast_lane(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    with InProcessHarness(replay_config(tmp_path)) as replay, RawConnection(replay.addr) as connection:
        for number in range(3):
            connection.send(encode_json_request(ask_body(number)))
            assert connection.read_response().json() == {"answer": number}
        assert replay.answers_on_wire == 3


@pytest.mark.parametrize("odd", [[("connection", "close")], [("expect", "100-continue")], [("content-encoding", "identity")]])
def test_an_odd_request_and_what_follows_it_are_not(tmp_path: Path, odd: list[tuple[str, str]]) -> None:
    numbered_tape(tmp_path)
    with InProcessHarness(replay_config(tmp_path)) as replay:
        with RawConnection(replay.addr) as connection:
            connection.send(encode_json_request(ask_body(0)))
            assert connection.read_response().json() == {"answer": 0}
            connection.send(encode_json_request(ask_body(1), odd))
            assert connection.read_response().json() == {"answer": 1}
        assert replay.answers_on_wire == 1


def test_the_setting_keeps_everything_on_the_flow_lane(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    before = REPLAY_LANE.set(Lane.FLOW)
    config = replay_config(tmp_path, replay=ReplayConfig())
    REPLAY_LANE.reset(before)
    with InProcessHarness(config) as replay:
        assert exchange(replay.addr, encode_json_request(ask_body(0))).status == 200
        assert replay.answers_on_wire == 0


def test_an_exception_in_the_session_is_a_500_and_the_connection_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbered_tape(tmp_path)
    with InProcessHarness(replay_config(tmp_path)) as replay, RawConnection(replay.addr) as connection:

        def fail(_: Any) -> None:
            raise RuntimeError("made up")

        with monkeypatch.context() as patch:
            patch.setattr(replay.running._hosted.hooks.session, "handle", fail)  # type: ignore[attr-defined]
            connection.send(encode_json_request(ask_body(0)))
            answer = connection.read_response()
        assert (answer.status, answer.json()["error"]["kind"]) == (500, "internal")
        connection.send(encode_json_request(ask_body(0)))
        assert connection.read_response().json() == {"answer": 0}


def test_a_request_over_the_body_limit_is_refused_by_its_length(tmp_path: Path) -> None:
    numbered_tape(tmp_path)
    with InProcessHarness(replay_config(tmp_path, limits=LimitsConfig(max_body_bytes=100))) as replay:
        assert exchange(replay.addr, encode_request(b" " * 200)).status == 413
