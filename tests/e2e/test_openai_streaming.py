"""Streams through the real openai client: what it reads from an upstream, it reads from record and replay as well."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from openai import APIConnectionError, APIError, AsyncOpenAI, OpenAI

from scripts.stub_upstream import SSE_HEAD, Close, ReceivedRequest, Send, Stall, Step, StubUpstream, Wait, chunk
from spycatcher_addon.cassette import StreamResponse
from spycatcher_addon.config import MatchMode
from tests.support.in_process import InProcessHarness, record_config, replay_config
from tests.support.openai_clients import DONE, TOOL, async_client, contents, delta_event, dumped, question, stream_steps, sync_client

STREAMS = Path(__file__).resolve().parent.parent / "data" / "openai_streams"
ASK = question("Of Italy?", stream=True)


def in_one(data: bytes) -> list[bytes]:
    return [data]


def in_bytes(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def in_sevens(data: bytes) -> list[bytes]:
    return [data[at : at + 7] for at in range(0, len(data), 7)]


# --- one file per case: any stream, any split ---------------------------------------------------------------------------


def read_events(base_url: str) -> list[dict[str, Any]]:
    """The stream as the client's own parser sees it, before it makes models of the data; fields that are unset left out."""
    with sync_client(base_url, max_retries=0) as client, client.chat.completions.create(**ASK) as stream:
        seen = []
        for event in stream._iter_events():
            fields = {"event": event.event, "data": event.data, "id": event.id or None, "retry": event.retry}
            seen.append({name: value for name, value in fields.items() if value is not None})
        return seen


@pytest.mark.parametrize("split", [in_one, in_bytes, in_sevens])
@pytest.mark.parametrize("name", sorted(path.stem for path in STREAMS.glob("*.sse")))
def test_the_clients_parser_reads_the_same(
    tmp_path: Path, upstream: StubUpstream, name: str, split: Callable[[bytes], list[bytes]]
) -> None:
    transcript = (STREAMS / f"{name}.sse").read_bytes()
    expected = json.loads((STREAMS / f"{name}.json").read_text(encoding="utf-8"))
    is_recorded = expected.get("is_recorded", True)
    for _ in range(2):
        upstream.script(stream_steps(split(transcript)))
    direct = read_events(upstream.base_url)
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = read_events(recorder.base_url)
        stats = recorder.stop()
    assert recorded == direct, "the recorder changed the stream"
    assert recorded == expected["seen_while_recording"]
    assert (stats.recorded, stats.failed) == ((1, 0) if is_recorded else (0, 1))
    if not is_recorded:
        return
    response = recorder.tape().interactions[0].response
    assert isinstance(response, StreamResponse)
    assert response.raw_transcript == transcript
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert read_events(replay.base_url) == expected.get("seen_in_replay", expected["seen_while_recording"])


def test_a_very_long_event(tmp_path: Path, upstream: StubUpstream) -> None:
    text = "☕ naïve\u2028" * 200_000
    upstream.script(stream_steps([delta_event(text) + DONE]))

    def ask(base_url: str) -> list[Any]:
        with sync_client(base_url) as client:
            return dumped(client.chat.completions.create(**ASK))

    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = ask(recorder.base_url)
    assert contents(recorded) == text
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert ask(replay.base_url) == recorded


# --- every way to read a stream -----------------------------------------------------------------------------------------


def read_iterating(client: OpenAI, asked: dict[str, Any]) -> list[Any]:
    return dumped(client.chat.completions.create(**asked, stream=True))


def read_with_the_helper(client: OpenAI, asked: dict[str, Any]) -> list[Any]:
    with client.chat.completions.stream(**asked) as stream:
        events = dumped(stream)
        return [*events, stream.get_final_completion().model_dump()]


def read_raw(client: OpenAI, asked: dict[str, Any]) -> list[Any]:
    return dumped(client.chat.completions.with_raw_response.create(**asked, stream=True).parse())


def read_lines(client: OpenAI, asked: dict[str, Any]) -> list[Any]:
    with client.chat.completions.with_streaming_response.create(**asked, stream=True) as response:
        return [line for line in response.iter_lines() if line]


SYNC_READERS = [read_iterating, read_with_the_helper, read_raw, read_lines]


async def aread_iterating(client: AsyncOpenAI, asked: dict[str, Any]) -> list[Any]:
    stream = await client.chat.completions.create(**asked, stream=True)
    return [chunk_.model_dump() async for chunk_ in stream]


async def aread_with_the_helper(client: AsyncOpenAI, asked: dict[str, Any]) -> list[Any]:
    async with client.chat.completions.stream(**asked) as stream:
        events = [event.model_dump() async for event in stream]
        return [*events, (await stream.get_final_completion()).model_dump()]


async def aread_raw(client: AsyncOpenAI, asked: dict[str, Any]) -> list[Any]:
    raw = await client.chat.completions.with_raw_response.create(**asked, stream=True)
    return [chunk_.model_dump() async for chunk_ in raw.parse()]


async def aread_lines(client: AsyncOpenAI, asked: dict[str, Any]) -> list[Any]:
    async with client.chat.completions.with_streaming_response.create(**asked, stream=True) as response:
        return [line async for line in response.iter_lines() if line]


ASYNC_READERS = [aread_iterating, aread_with_the_helper, aread_raw, aread_lines]
QUESTIONS = {
    "text": question("Of Italy?"),
    "usage": question("Of Italy?", stream_options={"include_usage": True}),
    "tool call": question("Rain in Oslo?", tools=[TOOL]),
}


@pytest.mark.parametrize("what", QUESTIONS)
@pytest.mark.parametrize("read", SYNC_READERS)
def test_every_way_of_reading(tmp_path: Path, upstream: StubUpstream, read: Callable[..., list[Any]], what: str) -> None:
    def ask(base_url: str) -> list[Any]:
        with sync_client(base_url) as client:
            return read(client, QUESTIONS[what])

    direct = ask(upstream.base_url)
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        assert ask(recorder.base_url) == direct
        assert recorder.stop().recorded == 1
    connections = upstream.connection_count
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert ask(replay.base_url) == direct
        assert replay.stop().unused == ()
    assert upstream.connection_count == connections
    assert len(direct) > 5


@pytest.mark.parametrize("what", QUESTIONS)
@pytest.mark.parametrize("read", ASYNC_READERS)
def test_every_asynchronous_way_of_reading(tmp_path: Path, upstream: StubUpstream, read: Callable[..., Any], what: str) -> None:
    async def ask(base_url: str) -> list[Any]:
        async with async_client(base_url) as client:
            received: list[Any] = await read(client, QUESTIONS[what])
            return received

    direct = asyncio.run(ask(upstream.base_url))
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        assert asyncio.run(ask(recorder.base_url)) == direct
        assert recorder.stop().recorded == 1
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert asyncio.run(ask(replay.base_url)) == direct


def test_the_helper_assembles_a_replayed_tool_call(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        read_with_the_helper(client, QUESTIONS["tool call"])
    with InProcessHarness(replay_config(tmp_path)) as replay, sync_client(replay.base_url) as client:
        final = read_with_the_helper(client, QUESTIONS["tool call"])[-1]
    (call,) = final["choices"][0]["message"]["tool_calls"]
    assert (call["function"]["name"], call["function"]["arguments"]) == ("get_weather", '{"city": "Oslo"}')


def test_the_client_has_a_chunk_before_the_next_is_sent(tmp_path: Path, upstream: StubUpstream) -> None:
    seen = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(delta_event("one"))), Wait(seen), *stream_steps([delta_event("two"), DONE])[1:]])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        stream = client.chat.completions.create(**ASK)
        first = next(stream)
        seen.set()
        assert contents(dumped([first, *stream])) == "onetwo"
    assert upstream.problems == []


# --- clients that do not read to the end ----------------------------------------------------------------------------------


def leave_by_closing(client: OpenAI) -> None:
    stream = client.chat.completions.create(**ASK)
    next(stream)
    stream.close()


def leave_by_breaking_out(client: OpenAI) -> None:
    with client.chat.completions.create(**ASK) as stream:
        for _ in stream:
            break


def leave_by_raising(client: OpenAI) -> None:
    with pytest.raises(ZeroDivisionError), client.chat.completions.stream(**question("Of Italy?")) as stream:
        for _ in stream:
            raise ZeroDivisionError


async def aleave_by_closing(client: AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(**ASK)
    await anext(stream)
    await stream.close()


async def aleave_by_breaking_out(client: AsyncOpenAI) -> None:
    async with await client.chat.completions.create(**ASK) as stream:
        async for _ in stream:
            break


async def aleave_by_cancellation(client: AsyncOpenAI) -> None:
    got_one = asyncio.Event()

    async def read() -> None:
        async for _ in await client.chat.completions.create(**ASK):
            got_one.set()
        await asyncio.Event().wait()  # a short replay is over before anybody can cancel it

    reading = asyncio.create_task(read())
    await got_one.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


LEAVERS = [leave_by_closing, leave_by_breaking_out, leave_by_raising, aleave_by_closing, aleave_by_breaking_out, aleave_by_cancellation]


def leave(way: Callable[..., Any], base_url: str) -> None:
    if not asyncio.iscoroutinefunction(way):
        with sync_client(base_url) as client:
            way(client)
        return

    async def run() -> None:
        async with async_client(base_url) as client:
            await way(client)

    asyncio.run(run())


@pytest.mark.parametrize("way", LEAVERS)
def test_leaving_a_recorded_stream_ends_it_upstream_and_keeps_nothing(
    tmp_path: Path, upstream: StubUpstream, way: Callable[..., Any]
) -> None:
    upstream.script([Send(SSE_HEAD), Send(chunk(delta_event("one"))), Stall()])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        leave(way, recorder.base_url)
        upstream.wait_for_no_connections()
        # The recorder goes on.
        with sync_client(recorder.base_url) as client:
            dumped(client.chat.completions.create(**ASK))
        stats = recorder.stop()
    assert (stats.recorded, stats.failed, stats.abandoned) == (1, 0, 1)


@pytest.mark.parametrize("way", LEAVERS)
@pytest.mark.parametrize("size", [1, 2000], ids=["small", "large"])
def test_leaving_a_replayed_stream_uses_it_up_and_harms_nothing(
    tmp_path: Path, upstream: StubUpstream, way: Callable[..., Any], size: int
) -> None:
    upstream.script(stream_steps([*(delta_event("x" * 100) for _ in range(size)), DONE]))
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        dumped(client.chat.completions.create(**ASK))
        recorded = dumped(client.chat.completions.create(**ASK))
    with InProcessHarness(replay_config(tmp_path)) as replay:
        leave(way, replay.base_url)
        with sync_client(replay.base_url) as client:
            assert dumped(client.chat.completions.create(**ASK)) == recorded
        stats = replay.stop()
    assert (stats.matched, stats.mismatched, stats.unused) == (2, 0, ())


# --- many at once ---------------------------------------------------------------------------------------------------------


def test_twenty_streams_at_once(tmp_path: Path) -> None:
    count = 20
    all_started = threading.Event()

    def respond(request: ReceivedRequest) -> Sequence[Step]:
        text = request.json()["messages"][0]["content"]
        rest = [delta_event(f" {text} {number}") for number in range(20)]
        # Nobody gets a second event before everybody has a first one.
        return [Send(SSE_HEAD), Send(chunk(delta_event(text))), Wait(all_started), *stream_steps([*rest, DONE])[1:]]

    async def read(client: AsyncOpenAI, number: int, started: list[int]) -> list[Any]:
        received = []
        async for chunk_ in await client.chat.completions.create(**question(f"Question {number}", stream=True)):
            received.append(chunk_.model_dump())
            if len(received) == 1:
                started.append(number)
                if len(started) == count:
                    all_started.set()
        return received

    async def read_all(base_url: str) -> list[list[Any]]:
        started: list[int] = []
        async with async_client(base_url) as client:
            return list(await asyncio.gather(*(read(client, number, started) for number in range(count))))

    with StubUpstream(respond) as upstream:
        with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
            recorded = asyncio.run(read_all(recorder.base_url))
            assert recorder.stop().recorded == count
        assert upstream.problems == []
    for number, received in enumerate(recorded):
        assert contents(received).startswith(f"Question {number} Question {number} 0") and len(received) == 21
    with InProcessHarness(replay_config(tmp_path, match_mode=MatchMode.KEYED)) as replay:
        assert asyncio.run(read_all(replay.base_url)) == recorded
        assert replay.stop().unused == ()


# --- streams that go wrong ------------------------------------------------------------------------------------------------


def test_a_broken_stream_is_an_error_for_the_client_and_is_not_kept(tmp_path: Path, upstream: StubUpstream) -> None:
    seen = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(delta_event("one"))), Wait(seen), Close()])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, sync_client(recorder.base_url) as client:
        stream = client.chat.completions.create(**ASK)
        assert next(stream).choices[0].delta.content == "one"
        seen.set()
        with pytest.raises(APIConnectionError):
            next(stream)
        stats = recorder.stop()
    assert (stats.recorded, stats.failed, len(upstream.requests)) == (0, 1, 1)


def test_an_error_event_inside_a_stream_raises_alike_in_replay(tmp_path: Path, upstream: StubUpstream) -> None:
    error = b'data: {"error":{"message":"the model fell over","code":502}}\n\n'
    # In one piece: the client hangs up at the error, and the recorder has the end by then.
    upstream.script([Send(SSE_HEAD + b"".join(step.data for step in stream_steps([delta_event("one"), error, DONE])[1:]))])  # type: ignore[union-attr]

    def ask(base_url: str) -> tuple[list[Any], str]:
        received = []
        with sync_client(base_url) as client, pytest.raises(APIError) as caught:
            for chunk_ in client.chat.completions.create(**ASK):
                received.append(chunk_.model_dump())
        return received, str(caught.value)

    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        recorded = ask(recorder.base_url)
        assert recorder.stop().recorded == 1
    assert recorded[1] == "the model fell over"
    with InProcessHarness(replay_config(tmp_path)) as replay:
        assert ask(replay.base_url) == recorded
