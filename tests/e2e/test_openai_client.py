"""The real openai client, unchanged, through the harness: whole conversations, failures, retries."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from openai import (
    APIConnectionError,
    APIStatusError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    NotFoundError,
    OpenAI,
    RateLimitError,
)

from scripts.stub_upstream import Send, StubUpstream, encode_response
from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize_parts, stable_hash
from spycatcher_addon.config import LimitsConfig, MatchingConfig, MatchMode
from tests.support.cli import FAKE_KEY, HarnessCli
from tests.support.in_process import TAPE_NAME, InProcessHarness, record_config, replay_config
from tests.support.openai_clients import CLIENT_KEY, TOOL, async_client, contents, dumped, question, sync_client


def hold_conversation(client: OpenAI) -> list[Any]:
    """What a client receives: plain, streamed with usage, a tool call plain and streamed, a follow-up."""
    received: list[Any] = [client.chat.completions.create(**question("Capital of France?")).model_dump()]
    streamed = client.chat.completions.create(**question("Of Italy?", stream=True, stream_options={"include_usage": True}))
    received.append(dumped(streamed))
    called = client.chat.completions.create(**question("Rain in Rome?", tools=[TOOL]))
    received.append(called.model_dump())
    received.append(dumped(client.chat.completions.create(**question("Rain in Oslo?", tools=[TOOL], stream=True))))
    follow_up = question("Rain in Rome?", tools=[TOOL])
    follow_up["messages"] += [
        called.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": "call_stub_1", "content": "dry, 21 °C"},
    ]
    received.append(client.chat.completions.create(**follow_up).model_dump())
    return received


def record_one(folder: Path, upstream: StubUpstream, **asked: Any) -> None:
    with InProcessHarness(record_config(folder, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        client.chat.completions.create(**question("Capital of France?", **asked))


@pytest.fixture
def tape(tmp_path: Path, upstream: StubUpstream) -> Path:
    """A folder whose tape holds one plain exchange, temperature included."""
    record_one(tmp_path, upstream, temperature=0.5)
    return tmp_path


# --- conversations, through the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize("match_mode", MatchMode)
def test_a_conversation_replays_equal_without_upstream_and_without_keys(
    harness: HarnessCli, upstream: StubUpstream, match_mode: str
) -> None:
    with harness.record(upstream.base_url) as recorder, sync_client(recorder.base_url) as client:
        recorded = hold_conversation(client)
        assert recorder.stop().returncode == 0
    assert {request.header("authorization") for request in upstream.requests} == {f"Bearer {FAKE_KEY}".encode()}
    cassette = (harness.cwd / "fixtures" / "llm" / "default").read_text(encoding="utf-8")
    assert FAKE_KEY not in cassette and CLIENT_KEY not in cassette
    connections = upstream.connection_count
    with harness.replay("--match-mode", match_mode, "--fail-unused") as replayer, sync_client(replayer.base_url) as client:
        assert hold_conversation(client) == recorded
        assert replayer.stop().returncode == 0
    assert upstream.connection_count == connections


def test_usage_and_tool_calls_are_what_the_provider_sent(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        _, with_usage, called, streamed_call, _ = hold_conversation(client)
    assert [chunk["usage"] is None for chunk in with_usage] == [True] * (len(with_usage) - 1) + [False]
    assert with_usage[-1]["choices"] == []
    (call,) = called["choices"][0]["message"]["tool_calls"]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("get_weather", {"city": "Rome"})
    pieces = [call for chunk in streamed_call for choice in chunk["choices"] for call in choice["delta"]["tool_calls"] or []]
    assert len(pieces) > 2
    assert json.loads("".join(piece["function"]["arguments"] for piece in pieces)) == {"city": "Oslo"}


@pytest.mark.parametrize("is_streamed", [False, True], ids=["plain", "stream"])
def test_raw_and_streaming_responses(tmp_path: Path, upstream: StubUpstream, is_streamed: bool) -> None:
    asked = question("Of Italy?", stream=is_streamed)

    def ask(base_url: str) -> list[Any]:
        with sync_client(base_url) as client:
            raw = client.chat.completions.with_raw_response.create(**asked)
            parsed = raw.parse()
            received = [raw.status_code, raw.headers["content-type"], dumped(parsed) if is_streamed else parsed.model_dump()]
            with client.chat.completions.with_streaming_response.create(**asked) as response:
                received += [response.status_code, list(response.iter_lines())]
            return received

    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = ask(recorder.base_url)
        assert recorder.stop().recorded == 2
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert ask(replay.base_url) == recorded
    assert recorded[1] == ("text/event-stream" if is_streamed else "application/json")


def test_one_async_client_asks_twenty_things_at_once(tmp_path: Path, upstream: StubUpstream) -> None:
    async def ask_all(base_url: str) -> list[Any]:
        async with async_client(base_url) as client:
            # Every question twice, so that equal requests meet as well.
            plain = (client.chat.completions.create(**question(f"Question {number % 10}?")) for number in range(20))
            return [answer.model_dump() for answer in await asyncio.gather(*plain)]

    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = asyncio.run(ask_all(recorder.base_url))
        assert recorder.stop().recorded == 20
    with InProcessHarness(replay_config(tmp_path, match_mode=MatchMode.KEYED)) as replay:
        assert asyncio.run(ask_all(replay.base_url)) == recorded
        assert replay.stop().unused == ()


# --- answers the harness makes itself: one request, one exception, and its text says it all ---------------------------------


def failure(client: OpenAI, **asked: Any) -> APIStatusError:
    with pytest.raises(APIStatusError) as caught:
        client.chat.completions.create(**asked)
    return caught.value


def test_a_mismatch_is_one_request_and_its_exception_names_the_field(tape: Path) -> None:
    with InProcessHarness(replay_config(tape)) as replay, sync_client(replay.base_url) as client:
        error = failure(client, **question("Capital of Norway?", temperature=0.5))
        assert isinstance(error, ConflictError)
        assert replay.stats.mismatched == 1, "the client tried again"
        text = str(error)
        assert "canonical_body.messages[0].content" in text
        assert "Capital of France?" in text and "Capital of Norway?" in text
        assert (error.code, error.type) == ("request_mismatch", "request_mismatch")
        # Nothing was consumed.
        client.chat.completions.create(**question("Capital of France?", temperature=0.5))
        assert replay.stats.unused == ()


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (question("Capital of France?"), "removed: canonical_body.temperature"),
        (question("Capital of France?", temperature=0.5, seed=7), "added: canonical_body.seed: 7"),
        (question("Capital of France?", temperature=1), "changed: canonical_body.temperature: 0.5 -> 1"),
        (question("Capital of France?", temperature=0.5, stream=True), "added: canonical_body.stream: true"),
        (question("Capital of France?", temperature=0.5, extra_query={"a": "b"}), "changed: canonical_query"),
    ],
    ids=["removed", "added", "changed", "stream", "query"],
)
def test_each_kind_of_change_is_in_the_exception(tape: Path, changed: dict[str, Any], line: str) -> None:
    with InProcessHarness(replay_config(tape)) as replay, sync_client(replay.base_url) as client:
        assert line in str(failure(client, **changed))
        assert replay.stats.mismatched == 1


def test_async_and_streamed_mismatches_are_one_request_too(tape: Path) -> None:
    async def ask(base_url: str) -> None:
        async with async_client(base_url) as client:
            with pytest.raises(ConflictError, match=r"canonical_body\.stream"):
                await client.chat.completions.create(**question("Capital of France?", temperature=0.5, stream=True))

    with InProcessHarness(replay_config(tape)) as replay:
        asyncio.run(ask(replay.base_url))
        assert replay.stats.mismatched == 1


def test_the_end_of_the_tape_is_one_request(tape: Path) -> None:
    with InProcessHarness(replay_config(tape)) as replay, sync_client(replay.base_url) as client:
        client.chat.completions.create(**question("Capital of France?", temperature=0.5))
        assert "used up" in str(failure(client, **question("Capital of France?", temperature=0.5)))
        assert (replay.stats.matched, replay.stats.mismatched) == (1, 1)


def test_a_stream_wanted_from_a_hand_written_plain_answer(tape: Path) -> None:
    path = tape / TAPE_NAME
    cassette = json.loads(path.read_bytes())
    request = cassette["interactions"][0]["request"]
    asked = question("Capital of France?", stream=True)
    request["body"] = {"text": [json.dumps(asked)]}
    request["stable_hash"] = stable_hash(canonicalize_parts("POST", "/v1/chat/completions", "", asked, NOTHING_IGNORED))
    path.write_text(json.dumps(cassette), encoding="utf-8")
    with InProcessHarness(replay_config(tape)) as replay, sync_client(replay.base_url) as client:
        error = failure(client, **asked)
        assert (type(error), error.status_code, error.code) == (InternalServerError, 501, "stream_cassette_required")
        assert replay.stats.rejected == 1


def test_an_endpoint_the_harness_does_not_have(tape: Path) -> None:
    with InProcessHarness(replay_config(tape)) as replay, sync_client(replay.base_url) as client:
        with pytest.raises(NotFoundError, match="no endpoint at /v1/models; the harness answers POST /v1/chat/completions"):
            client.models.list()
        # A base URL without its /v1 is the usual cause.
        with (
            sync_client(replay.base_url.removesuffix("/v1")) as mistaken,
            pytest.raises(NotFoundError, match="Check the base URL of the client"),
        ):
            mistaken.chat.completions.create(**question("Capital of France?"))
        assert replay.stats.rejected == 2


def test_a_body_that_is_no_json(tape: Path) -> None:
    with InProcessHarness(replay_config(tape)) as replay, sync_client(replay.base_url) as client:
        with pytest.raises(BadRequestError, match="requires a valid JSON request body") as caught:
            client.post("/chat/completions", cast_to=object, content=b'{"model": NaN}')
        assert caught.value.code == "malformed_json"
        assert replay.stats.rejected == 1


def test_a_body_over_the_limit(tape: Path) -> None:
    with InProcessHarness(replay_config(tape, limits=LimitsConfig(max_body_bytes=500))) as replay, sync_client(replay.base_url) as client:
        error = failure(client, **question("x" * 1000))
        assert (error.status_code, error.code) == (413, "request_too_large")
        assert "limits.max_body_bytes" in str(error)
        client.chat.completions.create(**question("Capital of France?", temperature=0.5))


def test_an_ignored_field_may_change(tape: Path) -> None:
    config = replay_config(tape, matching=MatchingConfig(ignore_paths=("temperature",)))
    with InProcessHarness(config) as replay, sync_client(replay.base_url) as client:
        client.chat.completions.create(**question("Capital of France?", temperature=0.9))


# --- the same while recording -------------------------------------------------------------------------------------------


def test_missing_credentials_are_one_request_and_name_no_variable(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url), environ={}) as recorder, sync_client(recorder.base_url) as client:
        error = failure(client, **question("Capital of France?"))
        assert (type(error), error.status_code, error.code) == (InternalServerError, 502, "upstream_credentials_missing")
        assert "upstream.api_key_env" in str(error)
        assert "STUB_API_KEY" not in str(error) and "127.0.0.1" not in str(error)
        assert recorder.stats.refused == 1
    assert upstream.connection_count == 0


def test_an_upstream_that_is_not_there_is_one_request(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with InProcessHarness(record_config(tmp_path, f"http://127.0.0.1:{port}/v1")) as recorder, sync_client(recorder.base_url) as client:
        for asked in (question("Capital of France?"), question("Capital of France?", stream=True)):
            error = failure(client, **asked)
            assert (type(error), error.status_code, error.code) == (InternalServerError, 502, "upstream_request_failed")
            assert "the connection was refused" in str(error) and str(port) not in str(error)
        stats = recorder.stop()
    assert (stats.recorded, stats.failed) == (0, 2)


def test_a_harness_that_is_gone_is_a_connection_error(tape: Path) -> None:
    with InProcessHarness(replay_config(tape)) as replay:
        base_url = replay.base_url
    with sync_client(base_url, max_retries=0) as client, pytest.raises(APIConnectionError):
        client.chat.completions.create(**question("Capital of France?", temperature=0.5))


# --- recorded failures of the provider belong to the program under test, retries included --------------------------------


@pytest.mark.parametrize("is_streamed", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("match_mode", MatchMode)
def test_recorded_rate_limits_are_retried_as_in_life(
    tmp_path: Path, upstream: StubUpstream, match_mode: MatchMode, is_streamed: bool
) -> None:
    body = b'{"error":{"message":"slow down","type":"rate_limit","code":"rate_limit_exceeded"}}'
    for _ in range(2):
        upstream.script([Send(encode_response(429, body, headers=[("retry-after", "0.001")]))])
    asked = question("Capital of France?", stream=is_streamed)

    def ask(base_url: str) -> Any:
        with sync_client(base_url) as client:
            answer = client.chat.completions.create(**asked)
            return dumped(answer) if is_streamed else answer.model_dump()

    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = ask(recorder.base_url)
        stats = recorder.stop()
    assert (stats.recorded, stats.error_statuses, len(upstream.requests)) == (3, 2, 3)
    with InProcessHarness(replay_config(tmp_path, match_mode=match_mode)) as replay:
        assert ask(replay.base_url) == recorded
        stats = replay.stop()
    assert (stats.matched, stats.mismatched, stats.unused) == (3, 0, ())


@pytest.mark.parametrize(
    ("status", "body", "requests"),
    [
        (400, {"error": {"message": "no such model", "type": "invalid_request_error", "param": "model", "code": "model_not_found"}}, 1),
        (401, {"error": {"message": "bad key", "type": "auth", "code": None}}, 1),
        (429, {"error": {"message": "slow down", "type": "rate_limit", "code": "rate_limit_exceeded"}}, 3),
        (500, {"error": {"message": "oops"}}, 3),
    ],
)
def test_error_answers_replay_as_they_were(
    tmp_path: Path, upstream: StubUpstream, status: int, body: dict[str, Any], requests: int
) -> None:
    def ask(base_url: str) -> tuple[Any, ...]:
        with sync_client(base_url) as client:
            error = failure(client, **question("Capital of France?"))
            return type(error), str(error), error.status_code, error.body, error.code, error.request_id

    for _ in range(requests):
        headers = [("x-request-id", "req_stub"), ("retry-after-ms", "1")]
        upstream.script([Send(encode_response(status, json.dumps(body).encode(), headers=headers))])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = ask(recorder.base_url)
        assert recorder.stop().recorded == requests
    assert recorded[2:4] == (status, body["error"]) and recorded[5] == "req_stub"
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert ask(replay.base_url) == recorded
        assert replay.stop().matched == requests


def test_a_client_with_more_retries_than_the_recording_meets_the_end_of_the_tape(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_response(429, b'{"error":{"message":"slow down"}}', headers=[("retry-after", "0.001")]))])
    with (
        InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder,
        sync_client(recorder.base_url, max_retries=0) as client,
        pytest.raises(RateLimitError),
    ):
        client.chat.completions.create(**question("Capital of France?"))
    with InProcessHarness(replay_config(tmp_path)) as replay, sync_client(replay.base_url) as client:
        assert "used up" in str(failure(client, **question("Capital of France?")))
        assert (replay.stats.matched, replay.stats.mismatched) == (1, 1)


# --- threads --------------------------------------------------------------------------------------------------------------


def test_threads_share_one_client_while_recording(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        received: dict[int, str] = {}

        def ask(number: int) -> None:
            received[number] = contents(dumped(client.chat.completions.create(**question(f"Question {number}?", stream=True))))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert recorder.stop().recorded == 8
    assert all(f"Question {number}?" in received[number] for number in range(8))
