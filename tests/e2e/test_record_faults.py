"""The recorder as a process: killed at random moments, out of disk space, stopped mid-stream, asked to share its tape."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import threading
from pathlib import Path

import pytest

from scripts.stub_upstream import SSE_HEAD, Send, Signal, Stall, StubUpstream, chunk, encode_response
from spycatcher_addon.edge.tape_reading import read_cassette
from tests.support.cli import HarnessCli, RunningCli
from tests.support.raw_http import BodyEnd, ClosedError, RawConnection, encode_json_request, exchange
from tests.support.texts import without_marks

TAPE = "tape.json"
ONE = b'data: {"n":1}\n\n'


def tape_of(harness: HarnessCli) -> Path:
    return harness.cwd / "fixtures" / "llm" / TAPE


def ask(number: int, **more: object) -> dict[str, object]:
    return {"model": "stub", "messages": [{"role": "user", "content": f"question {number} " + "x" * (number % 50) * 100}], **more}


def start(harness: HarnessCli, upstream: StubUpstream) -> RunningCli:
    return harness.record(upstream.base_url, "--cassette-name", TAPE)


def ask_until_dead(running: RunningCli, first: int, seen: list[int]) -> None:
    """Ask numbered questions, plain and streamed in turn; note each whose end came."""
    number = first
    try:
        with RawConnection(running.addr) as connection:
            while True:
                connection.send(encode_json_request(ask(number, stream=number % 2 == 0)))
                answer = connection.read_response()
                if answer.status == 200 and answer.end is BodyEnd.COMPLETE:
                    seen.append(number)
                number += 1
    except (OSError, ClosedError):
        pass


def test_kill_9_loses_nothing_whose_end_a_client_saw(harness: HarnessCli, upstream: StubUpstream) -> None:
    chance = random.Random(20_260_101)
    seen: list[int] = []
    for round_number in range(6):
        running = start(harness, upstream)
        clients = [threading.Thread(target=ask_until_dead, args=(running, (round_number * 2 + lane) * 100_000, seen)) for lane in range(2)]
        for client in clients:
            client.start()
        upstream.wait_for_requests(len(upstream.requests) + chance.randrange(2, 40))
        running.kill()
        for client in clients:
            client.join()
        tape = read_cassette(tape_of(harness)).cassette
        recorded = [int(json.loads(each.request.body)["messages"][0]["content"].split()[1]) for each in tape.interactions]
        assert set(seen) <= set(recorded)
        assert len(recorded) == len(set(recorded))
    assert len(seen) > 20


def test_a_full_disk_costs_the_client_nothing(harness: HarnessCli, upstream: StubUpstream) -> None:
    running = start(harness, upstream)
    assert exchange(running.addr, encode_json_request(ask(0))).status == 200
    before = tape_of(harness).read_bytes()
    unlimited = resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (len(before) + 100, resource.RLIM_INFINITY))
    body = b'{"answer":"' + b"y" * 50_000 + b'"}'
    upstream.script([Send(encode_response(200, body))])
    assert exchange(running.addr, encode_json_request(ask(1))).body == body
    streamed = exchange(running.addr, encode_json_request(ask(2, stream=True)))
    assert (streamed.status, streamed.end) == (200, BodyEnd.COMPLETE)
    assert running.wait_for_text("stderr", "NOT RECORDED").count("Traceback") == 0
    assert tape_of(harness).read_bytes() == before
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, unlimited)
    assert exchange(running.addr, encode_json_request(ask(3))).status == 200
    done = running.stop()
    assert done.returncode == 0
    assert "2 exchanges" in without_marks(done.stderr)
    assert len(read_cassette(tape_of(harness)).cassette.interactions) == 2


def test_a_second_recorder_is_refused_and_changes_nothing(harness: HarnessCli, upstream: StubUpstream) -> None:
    running = start(harness, upstream)
    assert exchange(running.addr, encode_json_request(ask(0))).status == 200
    before = tape_of(harness).read_bytes()
    refused = harness.run_cli(
        "record", "--listen", "127.0.0.1:0", "--cassette-name", TAPE, "--base-url", upstream.base_url, "--api-key-env", "STUB_API_KEY"
    )
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert "Error: failed to start harness:" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert tape_of(harness).read_bytes() == before
    assert exchange(running.addr, encode_json_request(ask(1))).status == 200
    assert running.stop().returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_mid_stream_keeps_what_was_whole(harness: HarnessCli, upstream: StubUpstream, number: signal.Signals) -> None:
    running = harness.record(upstream.base_url, "--cassette-name", TAPE, "--grace", "0.1")
    assert exchange(running.addr, encode_json_request(ask(0))).status == 200
    sent = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Signal(sent), Stall()])
    with RawConnection(running.addr) as connection:
        connection.send(encode_json_request(ask(1, stream=True)))
        head = connection.read_head()
        assert connection.read_chunk() == ONE
        done = running.stop(number)
        assert connection.read_rest(head).end in (BodyEnd.UNFINISHED, BodyEnd.RESET)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert len(read_cassette(tape_of(harness)).cassette.interactions) == 1
    assert os.listdir(tape_of(harness).parent) == [TAPE]


def test_recording_on_continues_the_tape(harness: HarnessCli, upstream: StubUpstream) -> None:
    for number in range(3):
        running = start(harness, upstream)
        assert exchange(running.addr, encode_json_request(ask(number))).status == 200
        assert running.stop().returncode == 0
    assert len(read_cassette(tape_of(harness)).cassette.interactions) == 3


def test_a_damaged_tape_is_refused_and_left_alone(harness: HarnessCli, upstream: StubUpstream) -> None:
    running = start(harness, upstream)
    assert exchange(running.addr, encode_json_request(ask(0))).status == 200
    running.stop()
    damaged = tape_of(harness).read_bytes()[:-40]
    tape_of(harness).write_bytes(damaged)
    for subcommand in ("record", "replay"):
        refused = harness.run_cli(
            subcommand,
            "--listen",
            "127.0.0.1:0",
            "--cassette-name",
            TAPE,
            env={"SPYCATCHER_HARNESS_CMDS_RECORD_UPSTREAM__BASE_URL": upstream.base_url},
        )
        assert refused.returncode == 1
        assert TAPE in refused.stderr and "Traceback" not in refused.stderr
        assert tape_of(harness).read_bytes() == damaged
