"""Faults over a recording, on the wire: what arrives, how it ends, and what the tape still has to give."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from spycatcher_addon.cassette import DataEvent, StreamResponse
from spycatcher_addon.cassette.model import CommentEvent, NonStreamResponse, Timing
from spycatcher_addon.client_verdict import Reaction
from spycatcher_addon.config import MatchMode, ReplayConfig, StreamSource, TimingMode
from tests.integration.test_replay_transport import ask_body, interaction, write_tape
from tests.support.http2 import Http2Connection
from tests.support.in_process import TAPE_NAME, InProcessHarness, replay_config
from tests.support.raw_http import BodyEnd, ClosedError, RawConnection, RawResponse, encode_json_request, exchange

ASK = ask_body(0, stream=True)
FRAMES = (b'data: {"n":1}\n\n', b": ping\n\n", 'data: {"t":"é"}\n\n'.encode(), b"data: [DONE]\n\n")
EVENTS = (DataEvent('{"n":1}'), CommentEvent("ping"), DataEvent('{"t":"é"}'), DataEvent("[DONE]"))
WHOLE = b"".join(FRAMES)
PLAIN = b'{"answer":42}'


def write_stream(folder: Path) -> None:
    """A tape with one stream, in two chunks whose border is no border of events, and one plain answer."""
    transcript = WHOLE.replace(b"\n", b"\r\n")
    timing = Timing(5, ((10, 5), (len(transcript), 40)))
    stream = StreamResponse(200, (("content-type", "text/event-stream"),), EVENTS, transcript, timing)
    plain = NonStreamResponse(200, (("content-type", "application/json"),), PLAIN)
    write_tape(folder, interaction(ASK, stream), interaction(ask_body(1), plain))


def harness_with(folder: Path, *faults: str, **settings: object) -> InProcessHarness:
    return InProcessHarness(replay_config(folder, faults=faults, **settings))


def ask(harness: InProcessHarness, value: object = ASK) -> RawResponse:
    return exchange(harness.addr, encode_json_request(value))


@pytest.mark.parametrize("source", list(StreamSource))
@pytest.mark.parametrize(
    ("fault", "frames", "end", "is_used_up"),
    [
        ("cut_after_events=1", FRAMES[:1], BodyEnd.COMPLETE, True),
        ("cut_after_events=0", (), BodyEnd.COMPLETE, True),
        ("cut_after_events=3,ending=unfinished", FRAMES[:3], BodyEnd.UNFINISHED, False),
        ("cut_after_events=4,ending=unfinished", FRAMES, BodyEnd.UNFINISHED, False),
        ("cut_after_events=2,ending=reset", FRAMES[:2], BodyEnd.RESET, False),
        ("duplicate_event=0", (FRAMES[0], *FRAMES), BodyEnd.COMPLETE, True),
        ("drop_event=2", (*FRAMES[:2], FRAMES[3]), BodyEnd.COMPLETE, True),
        ("corrupt_event=0", (b'data: {"n\n\n', *FRAMES[1:]), BodyEnd.COMPLETE, True),
        ("split_utf8", FRAMES, BodyEnd.COMPLETE, True),
        ("delay_ms=30", FRAMES, BodyEnd.COMPLETE, True),
    ],
)
def test_the_same_fault_whatever_the_stream_is_made_of(
    tmp_path: Path, source: StreamSource, fault: str, frames: tuple[bytes, ...], end: BodyEnd, is_used_up: bool
) -> None:
    write_stream(tmp_path)
    before = (tmp_path / TAPE_NAME).read_bytes()
    with harness_with(tmp_path, f"{fault},interaction=0", replay=ReplayConfig(stream_source=source)) as replay:
        answer = ask(replay)
        expected = b"".join(frames)
        assert answer.body == (expected if source is StreamSource.EVENTS else expected.replace(b"\n", b"\r\n"))
        assert (answer.status, answer.end) == (200, end)
        assert answer.header("transfer-encoding") == "chunked"
        if source is StreamSource.EVENTS and fault != "split_utf8":
            assert answer.chunks == frames
        assert ask(replay).status == (409 if is_used_up else 200)
        stats = replay.stop()
    assert [str(applied.rule) for applied in stats.faults.applied] == [f"{fault.replace('split_utf8', 'split_utf8=true')},interaction=0"]
    assert (tmp_path / TAPE_NAME).read_bytes() == before


def test_two_pieces_meet_inside_a_character(tmp_path: Path) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, "split_utf8") as replay:
        assert ask(replay).chunks == (*FRAMES[:2], b'data: {"t":"\xc3', b'\xa9"}\n\n', FRAMES[3])


def test_a_delay_comes_on_top_of_the_recorded_times(tmp_path: Path) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, "delay_ms=60", replay=ReplayConfig(timing=TimingMode.RECORDED)) as replay:
        started = time.monotonic()
        assert ask(replay).body == WHOLE
        assert time.monotonic() - started >= 0.1


def test_a_delayed_plain_answer_is_held_back_whole(tmp_path: Path) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, "delay_ms=50,interaction=1", match_mode=MatchMode.KEYED) as replay:
        started = time.monotonic()
        answer = ask(replay, ask_body(1))
        assert time.monotonic() - started >= 0.05
        assert (answer.body, answer.end) == (PLAIN, BodyEnd.COMPLETE)


@pytest.mark.parametrize(
    ("fault", "body", "end"),
    [
        ("cut_after_bytes=5", PLAIN[:5], BodyEnd.COMPLETE),
        ("cut_after_bytes=5,ending=unfinished", PLAIN[:5], BodyEnd.UNFINISHED),
        ("cut_after_bytes=13,ending=reset", PLAIN, BodyEnd.RESET),
    ],
)
def test_a_plain_answer_can_be_cut(tmp_path: Path, fault: str, body: bytes, end: BodyEnd) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, fault, match_mode=MatchMode.KEYED) as replay:
        answer = ask(replay, ask_body(1))
        assert (answer.body, answer.end) == (body, end)


@pytest.mark.parametrize(
    ("fault", "body"), [("stall", b""), ("stall,after_events=2", b"".join(FRAMES[:2])), ("stall,after_bytes=3", b"dat")]
)
def test_a_stall_lasts_until_the_client_leaves(tmp_path: Path, fault: str, body: bytes) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, fault) as replay:
        with RawConnection(replay.addr, timeout_s=0.3) as connection:
            connection.send(encode_json_request(ASK))
            assert connection.read_head().status == 200
            came = b""
            with pytest.raises(TimeoutError):
                while piece := connection.read_chunk():
                    came += piece
            assert came == body
        assert ask(replay).body == WHOLE
        (verdict,) = replay.stop().faults.verdicts
    assert (verdict.reaction, verdict.retries, verdict.has_left) == (Reaction.RETRIED, 1, True)


@pytest.mark.parametrize(("status", "retry_after"), [(429, "7"), (500, None), (503, None), (529, None)])
def test_an_error_of_the_provider(tmp_path: Path, status: int, retry_after: str | None) -> None:
    write_stream(tmp_path)
    more = "" if retry_after is None else f",retry_after_s={retry_after}"
    with harness_with(tmp_path, f"status={status}{more}") as replay:
        answer = ask(replay)
        assert (answer.status, answer.end, answer.header("content-type")) == (status, BodyEnd.COMPLETE, "application/json")
        assert (answer.header("retry-after"), answer.header("x-should-retry")) == (retry_after, None)
        assert set(answer.json()) == {"error"}
        assert {"message", "type", "code"} <= set(answer.json()["error"])
        assert ask(replay).body == WHOLE, "the interaction is still there for the retry"


def test_no_answer_at_all(tmp_path: Path) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, "refuse,times=2") as replay:
        for _ in range(2):
            with pytest.raises(ClosedError) as caught:
                ask(replay)
            assert caught.value.end is BodyEnd.RESET
        assert ask(replay).body == WHOLE


@pytest.mark.parametrize("fault", ["cut_after_events=1,ending=unfinished", "cut_after_events=1,ending=reset"])
def test_over_http_2_a_stream_is_broken_off_and_the_next_one_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write_stream(tmp_path)
    with harness_with(tmp_path, fault) as replay, Http2Connection(replay.addr) as connection:
        broken = connection.read_response(connection.request(json.dumps(ASK).encode()))
        assert (broken.frames, broken.is_reset) == ([FRAMES[0]], True)
        again = connection.read_response(connection.request(json.dumps(ASK).encode()))
        assert (again.body, again.is_ended) == (WHOLE, True)


def test_a_fault_that_does_not_fit_changes_nothing_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, "drop_event=9", "refuse,interaction=5") as replay:
        answer = ask(replay)
        findings = replay.stop().faults
    assert answer.chunks == (WHOLE,), "without a fault a small stream goes out whole"
    assert [skipped.reason for skipped in findings.skipped] == ["there is no event 9; the stream has 4, counted from 0"]
    assert [number for number, _ in findings.idle] == [1]
    assert (findings.applied, findings.verdicts) == ((), ())
    assert "a fault had nothing to change in interaction 0" in caplog.text


def test_applied_faults_are_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_stream(tmp_path)
    with harness_with(tmp_path, "status=500,interaction=0") as replay:
        ask(replay)
    assert "fault in the answer of interaction 0: status=500,interaction=0" in caplog.text


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    numbers = range(12)
    write_tape(tmp_path, *(interaction(ask_body(number), NonStreamResponse(200, (), b"{}")) for number in numbers))

    def statuses(seed: int, order: list[int]) -> dict[int, int]:
        settings = {"match_mode": MatchMode.KEYED, "fault_seed": seed}
        with harness_with(tmp_path, "status=503,probability=0.5", **settings) as replay:
            return {number: ask(replay, ask_body(number)).status for number in order}

    first = statuses(1, list(numbers))
    assert set(first.values()) == {200, 503}
    assert statuses(1, list(reversed(numbers))) == first
    assert statuses(2, list(numbers)) != first


def test_the_report_is_made_at_the_start_and_filled_at_the_end(tmp_path: Path) -> None:
    write_stream(tmp_path)
    report = tmp_path / "faults.json"
    with harness_with(tmp_path, "cut_after_events=1", fault_report=str(report)) as replay:
        assert json.loads(report.read_text())["faults"] == []
        ask(replay)
        ask(replay, ask_body(1))
        stats = replay.stop()
    written = json.loads(report.read_text())
    assert written == stats.faults.as_json()
    # The plain answer has no events, and so the rule that wants some finds nothing to change there.
    assert [(each["interaction"], each["reaction"]) for each in written["verdicts"]] == [(0, "accepted_half_stream")]
    assert [each["interaction"] for each in written["not_applicable"]] == [1]
