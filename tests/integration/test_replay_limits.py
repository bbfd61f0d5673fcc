"""What a client may not do to a replay: endless heads, silence, reading slowly; and that many clients get along."""

from __future__ import annotations

import resource
import threading
from pathlib import Path

from spycatcher_addon.cassette import DataEvent, MatchMode, NonStreamResponse, StreamResponse
from spycatcher_addon.cassette.model import Timing
from spycatcher_addon.config import LimitsConfig, ReplayConfig, TimingMode
from tests.integration.test_replay_transport import ask_body, interaction, numbered_tape, plain, write_tape
from tests.support.in_process import InProcessHarness, replay_config
from tests.support.raw_http import BodyEnd, RawConnection, encode_json_request, exchange


def limited(folder: Path, **limits: float) -> InProcessHarness:
    return InProcessHarness(replay_config(folder, limits=LimitsConfig.model_validate(limits)))


def test_a_head_over_the_limit_is_refused(tmp_path: Path) -> None:
    numbered_tape(tmp_path, 1)
    with limited(tmp_path, max_header_bytes=2000) as replay:
        answer = exchange(replay.addr, encode_json_request(ask_body(), [("x-long", "y" * 3000)]))
        assert (answer.status, answer.json()["error"]["kind"], answer.header("connection")) == (431, "request_head_too_large", "close")
        assert "more than 2000 bytes; raise limits.max_header_bytes" in answer.json()["error"]["message"]
        assert exchange(replay.addr, encode_json_request(ask_body(), [("x-long", "y" * 1500)])).status == 200


def test_a_head_that_never_ends_is_refused_and_read_away(tmp_path: Path) -> None:
    numbered_tape(tmp_path, 1)
    with limited(tmp_path, max_header_bytes=2000) as replay, RawConnection(replay.addr) as connection:
        connection.send(b"POST /v1/chat/completions HTTP/1.1\r\nx: " + b"y" * 1_000_000)
        assert connection.read_response().status == 431


def test_too_many_fields_are_refused(tmp_path: Path) -> None:
    numbered_tape(tmp_path, 1)
    with limited(tmp_path, max_headers=5) as replay:
        answer = exchange(replay.addr, encode_json_request(ask_body(), [(f"x-{number}", "1") for number in range(9)]))
        assert answer.status == 431
        assert "more than 5 fields; raise limits.max_headers" in answer.json()["error"]["message"]
        assert exchange(replay.addr, encode_json_request(ask_body())).status == 200


def test_a_head_has_to_come_in_time(tmp_path: Path) -> None:
    numbered_tape(tmp_path, 1)
    with limited(tmp_path, header_timeout_s=0.05) as replay, RawConnection(replay.addr) as connection:
        connection.send(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n")
        assert connection.read_end() is BodyEnd.CLOSED


def test_a_connection_may_not_stay_idle_for_ever(tmp_path: Path) -> None:
    numbered_tape(tmp_path, 1)
    with limited(tmp_path, idle_timeout_s=0.05) as replay:
        with RawConnection(replay.addr) as silent:
            assert silent.read_end() is BodyEnd.CLOSED
        with RawConnection(replay.addr) as once:
            once.send(encode_json_request(ask_body()))
            assert once.read_response().status == 200
            assert once.read_end() is BodyEnd.CLOSED


def test_an_answer_that_takes_its_time_is_no_idleness(tmp_path: Path) -> None:
    timing = Timing(0, ((9, 0), (18, 300)))
    events = (DataEvent("1"), DataEvent("2"))
    write_tape(tmp_path, interaction(ask_body(stream=True), StreamResponse(200, (), events, b"data: 1\n\ndata: 2\n\n", timing)))
    config = replay_config(tmp_path, replay=ReplayConfig(timing=TimingMode.RECORDED), limits=LimitsConfig(idle_timeout_s=0.05))
    with InProcessHarness(config) as replay:
        answer = exchange(replay.addr, encode_json_request(ask_body(stream=True)))
    assert (answer.chunks, answer.end) == ((b"data: 1\n\n", b"data: 2\n\n"), BodyEnd.COMPLETE)


def test_a_client_that_reads_slowly_costs_no_memory(tmp_path: Path) -> None:
    size, count = 10_000_000, 4
    body = b'"' + b"x" * size + b'"'
    write_tape(tmp_path, *(interaction(ask_body(number), NonStreamResponse(200, (), body)) for number in range(count)))
    with InProcessHarness(replay_config(tmp_path)) as replay, RawConnection(replay.addr) as connection:
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        connection.send(b"".join(encode_json_request(ask_body(number)) for number in range(count)))
        heads = []
        for _ in range(count):
            head = connection.read_head()
            grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
            assert grown_kib < size // 1024 * 3, "answers that wait to be read are copied"
            heads.append(head.status)
            assert len(connection.read_rest(head).body) == len(body)
        assert heads == [200] * count


def test_busy_slow_and_idle_clients_get_along(tmp_path: Path) -> None:
    events = tuple(DataEvent(str(number)) for number in range(5))
    ends = tuple((9 * (number + 1), 40 * number) for number in range(5))
    transcript = b"".join(b"data: %d\n\n" % number for number in range(5))
    streams = [
        interaction(ask_body(1000 + n, stream=True), StreamResponse(200, (), events, transcript, Timing(0, ends))) for n in range(30)
    ]
    write_tape(tmp_path, *streams, *(interaction(ask_body(number), plain(number)) for number in range(320)))
    config = replay_config(tmp_path, match_mode=MatchMode.KEYED, replay=ReplayConfig(timing=TimingMode.RECORDED))
    with InProcessHarness(config) as replay:
        idle = [RawConnection(replay.addr) for _ in range(100)]
        slow = [RawConnection(replay.addr) for _ in range(30)]
        for number, connection in enumerate(slow):
            connection.send(encode_json_request(ask_body(1000 + number, stream=True)))
        wrong: list[object] = []

        def work(first: int) -> None:
            with RawConnection(replay.addr) as connection:
                for number in range(first, first + 10):
                    connection.send(encode_json_request(ask_body(number)))
                    answer = connection.read_response()
                    if answer.json() != {"answer": number}:
                        wrong.append(answer)

        threads = [threading.Thread(target=work, args=(first,)) for first in range(0, 320, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert all(connection.read_response().body == transcript for connection in slow)
        for connection in (*idle, *slow):
            connection.close()
        assert replay.stats.matched == 350
