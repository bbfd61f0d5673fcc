"""The real openai client meets faults: what it does, and whether the harness understands what it did."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai import APIConnectionError, APITimeoutError, InternalServerError, RateLimitError

from scripts.stub_upstream import StubUpstream
from spycatcher_addon.client_verdict import ClientVerdict, Reaction
from spycatcher_addon.config import MatchMode
from tests.support.cli import HarnessCli
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.openai_clients import async_client, question, sync_client
from tests.support.texts import without_marks

PLAIN = question("Of Italy?")
STREAM = question("Of Italy?", stream=True)
OTHER = question("Of France?")


@pytest.fixture
def tape(tmp_path: Path, upstream: StubUpstream) -> Path:
    """A folder with a tape of a plain answer, a stream and another plain answer."""
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        client.chat.completions.create(**PLAIN)
        list(client.chat.completions.create(**STREAM))
        client.chat.completions.create(**OTHER)
    return tmp_path


def ask(base_url: str, asked: dict[str, Any], **settings: Any) -> Any:
    with sync_client(base_url, **settings) as client:
        answer = client.chat.completions.create(**asked)
        return list(answer) if asked.get("stream") else answer


def verdict_of(tape: Path, fault: str, *steps: Callable[[str], object]) -> ClientVerdict:
    """Let a program take steps against a replay with a fault; the harness's verdict on it."""
    with InProcessHarness(replay_config(tape, faults=[fault], match_mode=MatchMode.KEYED)) as replay:
        for step in steps:
            step(replay.base_url)
        (verdict,) = replay.stop().faults.verdicts
    return verdict


def asking(asked: dict[str, Any], raises: type[Exception] | None = None, **settings: Any) -> Callable[[str], object]:
    def step(base_url: str) -> object:
        if raises is None:
            return ask(base_url, asked, **settings)
        with pytest.raises(raises):
            ask(base_url, asked, **settings)
        return None

    return step


def test_a_stock_client_retries_and_honours_retry_after(tape: Path) -> None:
    verdict = verdict_of(tape, "status=429,retry_after_s=1,interaction=0", asking(PLAIN))
    assert (verdict.reaction, verdict.retries, verdict.is_retry_after_honoured) == (Reaction.RETRIED, 1, True)
    assert verdict.waits_ms[0] >= 980


def test_a_client_that_ignores_retry_after_is_found_out(tape: Path) -> None:
    refused = asking(PLAIN, RateLimitError, max_retries=0)
    verdict = verdict_of(tape, "status=429,retry_after_s=60,interaction=0", refused, asking(PLAIN))
    assert (verdict.reaction, verdict.is_retry_after_honoured) == (Reaction.RETRIED, False)
    assert verdict.early_ms is not None
    assert 30_000 < verdict.early_ms <= 60_000


def test_a_client_whose_retries_run_out_gives_up(tape: Path) -> None:
    verdict = verdict_of(tape, "status=503,interaction=0,times=9", asking(PLAIN, InternalServerError, max_retries=1))
    assert (verdict.reaction, verdict.retries) == (Reaction.GAVE_UP, 1)


@pytest.mark.parametrize("fault", ["status=500", "status=529", "refuse"])
def test_other_errors_are_retried_too(tape: Path, fault: str) -> None:
    verdict = verdict_of(tape, f"{fault},interaction=0", asking(PLAIN))
    assert (verdict.reaction, verdict.retries, verdict.is_retry_after_honoured) == (Reaction.RETRIED, 1, None)


def test_the_error_reads_like_the_providers(tape: Path) -> None:
    with InProcessHarness(replay_config(tape, faults=["status=429"])) as replay, pytest.raises(RateLimitError) as caught:
        ask(replay.base_url, PLAIN, max_retries=0)
    assert (caught.value.code, caught.value.type) == ("rate_limit_exceeded", "requests")


def test_a_stock_client_takes_a_cleanly_cut_stream_for_whole(tape: Path) -> None:
    verdict = verdict_of(tape, "cut_after_events=2,interaction=1", asking(STREAM), asking(OTHER))
    assert (verdict.reaction, verdict.went_on) == (Reaction.ACCEPTED_HALF_STREAM, True)


@pytest.mark.parametrize("ending", ["unfinished", "reset"])
def test_a_broken_stream_is_an_error_that_the_program_may_answer_with_a_retry(tape: Path, ending: str) -> None:
    # The client retries a request until its answer begins, and never afterwards.
    broken = asking(STREAM, Exception)
    fault = f"cut_after_events=2,ending={ending},interaction=1"
    assert verdict_of(tape, fault, broken).reaction is Reaction.GAVE_UP
    assert verdict_of(tape, fault, broken, asking(OTHER)).reaction is Reaction.ACCEPTED_HALF_STREAM
    again = verdict_of(tape, fault, broken, asking(STREAM))
    assert (again.reaction, again.retries) == (Reaction.RETRIED, 1)


def test_a_corrupted_event_is_an_error(tape: Path) -> None:
    verdict = verdict_of(tape, "corrupt_event=2,interaction=1", asking(STREAM, json.JSONDecodeError))
    assert (verdict.reaction, verdict.went_on) == (Reaction.ACCEPTED_ALTERED_STREAM, False)


def test_a_stall_runs_into_the_clients_own_time_limit(tape: Path) -> None:
    timed_out = asking(STREAM, Exception, timeout=0.2, max_retries=0)
    verdict = verdict_of(tape, "stall,after_events=1,interaction=1", timed_out)
    assert (verdict.reaction, verdict.has_left) == (Reaction.GAVE_UP, True)


def test_a_delay_beyond_the_time_limit_makes_the_client_leave(tape: Path) -> None:
    timed_out = asking(PLAIN, APITimeoutError, timeout=0.2, max_retries=0)
    verdict = verdict_of(tape, "delay_ms=60000,interaction=0", timed_out)
    assert (verdict.reaction, verdict.has_left) == (Reaction.GAVE_UP, True)


def test_a_short_delay_goes_unnoticed(tape: Path) -> None:
    assert verdict_of(tape, "delay_ms=20,interaction=1", asking(STREAM)).reaction is Reaction.TOOK_ANSWER


def test_an_asynchronous_client_retries_as_well(tape: Path) -> None:
    async def ask_twice(base_url: str) -> None:
        async with async_client(base_url) as client:
            await asyncio.gather(client.chat.completions.create(**PLAIN), client.chat.completions.create(**OTHER))

    with InProcessHarness(replay_config(tape, faults=["status=500"], match_mode=MatchMode.KEYED)) as replay:
        asyncio.run(ask_twice(replay.base_url))
        verdicts = replay.stop().faults.verdicts
    assert {(verdict.index, verdict.reaction, verdict.retries) for verdict in verdicts} == {
        (0, Reaction.RETRIED, 1),
        (2, Reaction.RETRIED, 1),
    }


def test_refused_connections_can_outlast_the_client(tape: Path) -> None:
    verdict = verdict_of(tape, "refuse,times=5,interaction=0", asking(PLAIN, APIConnectionError, max_retries=1), asking(OTHER))
    assert (verdict.reaction, verdict.retries, verdict.went_on) == (Reaction.GAVE_UP, 1, True)


# --- the command line ---------------------------------------------------------------------------------------------------


def test_flags_summary_log_and_report(tape: Path, harness: HarnessCli) -> None:
    flags = (
        "--fault",
        "status=429,retry_after_s=0,interaction=0",
        "--fault",
        "drop_event=0,interaction=2",
        "--fault-report",
        "faults.json",
    )
    replay = harness.replay("--cassette-dir", str(tape), "--cassette-name", "tape.json", "--match-mode", "keyed", *flags)
    ask(replay.base_url, PLAIN)
    ask(replay.base_url, OTHER)
    ended = replay.stop()
    assert ended.returncode == 0
    plain = without_marks(ended.stderr)
    assert "fault in the answer of interaction 0: status=429,retry_after_s=0,interaction=0" in plain
    assert "interaction 0: status=429,retry_after_s=0,interaction=0: the client retried once, after " in plain
    assert "Retry-After was honored" in plain
    assert (
        "this fault had nothing to change in interaction 2 (the answer is no stream and has no events): drop_event=0,interaction=2" in plain
    )
    report = json.loads((harness.cwd / "faults.json").read_text())
    assert [each["reaction"] for each in report["verdicts"]] == ["retried"]


def test_tables_in_a_file(tape: Path, harness: HarnessCli) -> None:
    (harness.cwd / ".spycatcher_harness.toml").write_text(
        f"""
[cmds.replay]
cassette_dir = {json.dumps(str(tape))}
cassette_name = "tape.json"
fault_seed = 7
[[cmds.replay.faults]]
status = 500
interaction = 0
[[cmds.replay.faults]]
refuse = true
probability = 0.0
"""
    )
    replay = harness.replay()
    ask(replay.base_url, PLAIN)
    assert "interaction 0: status=500,interaction=0: the client retried once" in without_marks(replay.stop().stderr)


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("--fault", "status=418"), 2, "status=418"),
        (("--fault-seed", "x"), 2, "--fault-seed"),
        (
            ("--fault-report", "missing/faults.json", "--cassette-dir", "TAPE", "--cassette-name", "tape.json"),
            1,
            "cannot write the report missing/",
        ),
    ],
)
def test_unusable_flags(tape: Path, harness: HarnessCli, arguments: tuple[str, ...], code: int, complaint: str) -> None:
    ended = harness.run_cli("replay", *(str(tape) if each == "TAPE" else each for each in arguments))
    assert (ended.returncode, ended.stdout) == (code, "")
    assert complaint in ended.stderr


def test_an_unusable_table_names_rule_and_key(harness: HarnessCli) -> None:
    (harness.cwd / ".spycatcher_harness.toml").write_text(
        "[[cmds.replay.faults]]\nrefuse = true\n[[cmds.replay.faults]]\ncut_after_event = 1\n"
    )
    ended = harness.run_cli("replay")
    assert ended.returncode == 1
    assert "faults[1].cut_after_event is not known; did you mean cut_after_events?" in ended.stderr
