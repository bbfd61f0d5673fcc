"""Stopping while a client still reads: what was answered arrives whole, within the grace."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from spycatcher_addon.cassette.model import NonStreamResponse
from spycatcher_addon.choices import Lane
from spycatcher_addon.config import ReplayConfig
from tests.integration.test_replay_transport import ask_body, interaction, write_tape
from tests.support.in_process import InProcessHarness, replay_config
from tests.support.raw_http import encode_json_request

BODY = b"x" * 12_000_000


@pytest.mark.parametrize("lane", Lane)
def test_a_large_answer_reaches_a_slow_reader_before_the_end(tmp_path: Path, lane: Lane) -> None:
    write_tape(tmp_path, interaction(ask_body(), NonStreamResponse(200, (), BODY)))
    with InProcessHarness(replay_config(tmp_path, replay=ReplayConfig(lane=lane))) as replay, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        client.connect(replay.addr)
        client.settimeout(30)
        client.sendall(encode_json_request(ask_body()))
        received = len(client.recv(1000))
        stopping = threading.Thread(target=replay.stop, args=(30.0,))
        stopping.start()
        stopping.join(0.3)  # a stop that does not wait for the reader is over by then
        while data := client.recv(1_000_000):
            received += len(data)
        stopping.join(30)
    assert received > len(BODY)
