"""Clients that do not read what they asked for, or send on and on: the fast lane gives and takes no more than they do."""

from __future__ import annotations

import socket
import time
from pathlib import Path

from spycatcher_addon.cassette import DataEvent, MatchMode, NonStreamResponse, StreamResponse
from spycatcher_addon.cassette.model import Timing
from spycatcher_addon.config import ReplayConfig, TimingMode
from spycatcher_addon.edge.mitm import ReplayHooks
from tests.integration.test_replay_transport import ask_body, interaction, write_tape
from tests.support.in_process import InProcessHarness, replay_config
from tests.support.raw_http import BodyEnd, RawConnection, encode_json_request

STREAM = tuple(DataEvent("x" * 30_000) for _ in range(400))
"""12 MB: far more than the buffers of the system take for a client that does not read."""
MOST_KEPT_BYTES = 700_000
"""A quarter of a MiB, and the one answer or event that went beyond it."""


def unsent_bytes(harness: InProcessHarness) -> list[int]:
    """What waits for each client in the harness's own memory."""
    hooks = harness.running._hosted.hooks
    assert isinstance(hooks, ReplayHooks)
    return [hooks.unsent_bytes(handler.client) for handler in list(hooks.connections.values())]


def wait_until_full(harness: InProcessHarness, clients: int) -> None:
    """Wait until every client's answer is held up, and a while longer, in which it would go on growing."""
    deadline_s = time.monotonic() + 20
    while sum(unsent > 0 for unsent in unsent_bytes(harness)) < clients:
        assert time.monotonic() < deadline_s, "no answer was ever held up"
        time.sleep(0.01)
    for _ in range(5):
        time.sleep(0.02)
        assert max(unsent_bytes(harness)) < MOST_KEPT_BYTES


def test_a_long_stream_waits_for_those_who_do_not_read_it(tmp_path: Path) -> None:
    clients = 3
    write_tape(tmp_path, *(interaction(ask_body(number, stream=True), StreamResponse(200, (), STREAM, b"")) for number in range(clients)))
    with InProcessHarness(replay_config(tmp_path, match_mode=MatchMode.KEYED)) as replay:
        slow = [RawConnection(replay.addr) for _ in range(clients)]
        for number, connection in enumerate(slow):
            connection.send(encode_json_request(ask_body(number, stream=True)))
        wait_until_full(replay, clients)
        for connection in slow:
            with connection:
                answer = connection.read_response()
                assert (len(answer.chunks), len(set(answer.chunks)), answer.end) == (len(STREAM), 1, BodyEnd.COMPLETE)
        assert replay.answers_on_wire == clients


def test_requests_sent_ahead_wait_for_the_answers_to_be_read(tmp_path: Path) -> None:
    count, body = 60, b"b" * 400_000
    write_tape(tmp_path, *(interaction(ask_body(number), NonStreamResponse(200, (), b"%d:%b" % (number, body))) for number in range(count)))
    with InProcessHarness(replay_config(tmp_path)) as replay, RawConnection(replay.addr) as connection:
        connection.send(b"".join(encode_json_request(ask_body(number)) for number in range(count)))
        wait_until_full(replay, 1)
        assert replay.stats.matched < count
        for number in range(count):
            assert connection.read_response().body == b"%d:%b" % (number, body)
        assert replay.answers_on_wire == count


def test_a_client_that_sends_on_and_on_while_it_is_answered_has_to_wait(tmp_path: Path) -> None:
    events, transcript = (DataEvent("1"), DataEvent("2")), b"data: 1\n\ndata: 2\n\n"
    minute = StreamResponse(200, (), events, transcript, Timing(0, ((9, 0), (18, 60_000))))
    write_tape(tmp_path, interaction(ask_body(stream=True), minute))
    config = replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED))
    with InProcessHarness(config) as replay, RawConnection(replay.addr) as connection:
        connection.send(encode_json_request(ask_body(stream=True)))
        head = connection.read_head()
        assert (head.status, connection.read_chunk()) == (200, b"data: 1\n\n")
        connection.socket.settimeout(0.3)
        request, sent_bytes = encode_json_request(ask_body(1, pad="y" * 60_000)), 0
        try:
            while sent_bytes < 60_000_000:
                sent_bytes += connection.socket.send(request)
        except TimeoutError:
            pass
        assert sent_bytes < 60_000_000
        assert replay.stop(grace=0).matched == 1


def test_a_client_that_had_to_wait_gets_everything(tmp_path: Path) -> None:
    """More requests behind a timed answer than are read ahead: none is lost."""
    count = 60
    events, transcript = (DataEvent("1"), DataEvent("2")), b"data: 1\n\ndata: 2\n\n"
    timed = StreamResponse(200, (), events, transcript, Timing(0, ((9, 0), (18, 200))))
    padded = [ask_body(number, pad="y" * 20_000) for number in range(count)]
    write_tape(
        tmp_path,
        interaction(ask_body(stream=True), timed),
        *(interaction(asked, NonStreamResponse(200, (), b"%d" % number)) for number, asked in enumerate(padded)),
    )
    config = replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED))
    with InProcessHarness(config) as replay, RawConnection(replay.addr) as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
        connection.send(encode_json_request(ask_body(stream=True)) + b"".join(map(encode_json_request, padded)))
        assert connection.read_response().body == transcript
        for number in range(count):
            assert connection.read_response().body == b"%d" % number
        assert replay.answers_on_wire == count + 1
