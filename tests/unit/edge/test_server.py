"""Starting and stopping: nothing is left behind, nothing waits for ever, harnesses do not answer for each other."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import socket
import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Send, Stall, StubUpstream, Wait, chunk
from spycatcher_addon.config import ListenAddr, Mode
from spycatcher_addon.edge.assembly import assemble
from spycatcher_addon.edge.server import RunningHarness, start_harness
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.errors import CassetteNotFoundError, HarnessIOError, InvalidConfigError, ModeNotYetImplementedError
from tests.support.cli import FAKE_KEY
from tests.support.in_process import KEY_VARIABLE, InProcessHarness, record_config, replay_config
from tests.support.raw_http import RawConnection, encode_json_request, exchange
from tests.support.tape_samples import HASHING

ENVIRON = {KEY_VARIABLE: FAKE_KEY}
ONE = b'data: {"n":1}\n\n'


def ask_body(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "stub", "messages": [{"role": "user", "content": text}], **more}


async def open_and_ask(addr: ListenAddr, value: Any) -> tuple[bytes, asyncio.StreamWriter]:
    """Ask one thing on a new connection and leave it open; gives the body of an answer that has a length."""
    reader, writer = await asyncio.open_connection(addr.host, addr.port)
    writer.write(encode_json_request(value))
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length:")[2].partition("\r\n")[0])
    return await reader.readexactly(length), writer


def record_answers(folder: Path, upstream: StubUpstream, *texts: str) -> list[bytes]:
    folder.mkdir(exist_ok=True)
    with InProcessHarness(record_config(folder, upstream.base_url)) as recorder:
        return [exchange(recorder.addr, encode_json_request(ask_body(text))).body for text in texts]


def open_descriptors() -> Counter[str]:
    """What each open file descriptor of this process is, sockets and pipes by kind only."""
    kinds: Counter[str] = Counter()
    for name in os.listdir("/proc/self/fd"):
        try:
            kinds[os.readlink(f"/proc/self/fd/{name}").partition(":")[0]] += 1
        except FileNotFoundError:  # the one that listed the folder
            continue
    return kinds


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not list open descriptors")
@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REPLAY])
def test_twenty_starts_and_stops_leave_nothing_behind(tmp_path: Path, upstream: StubUpstream, mode: Mode) -> None:
    record_answers(tmp_path, upstream, "a")
    config = replay_config(tmp_path) if mode is Mode.REPLAY else record_config(tmp_path, upstream.base_url)

    async def cycle() -> None:
        harness = await start_harness(config, ENVIRON)
        # An idle connection kept alive, one in the middle of a request, one in the middle of a recorded stream.
        _, idle = await open_and_ask(harness.addr, ask_body("a"))
        _, half = await asyncio.open_connection(harness.addr.host, harness.addr.port)
        half.write(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 5\r\n\r\n{")
        writers = [idle, half]
        if mode is Mode.RECORD:
            upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Stall()])
            reader, streaming = await asyncio.open_connection(harness.addr.host, harness.addr.port)
            streaming.write(encode_json_request(ask_body("b", stream=True)))
            await reader.readuntil(ONE)
            writers.append(streaming)
        await harness.shutdown(grace=0)
        for writer in writers:
            writer.close()
        await asyncio.sleep(0)

    async def run() -> None:
        def census() -> tuple[Counter[str], Counter[str], int]:
            threads = Counter(thread.name for thread in threading.enumerate() if not thread.name.startswith(("asyncio_", "stub")))
            return open_descriptors(), threads, len(asyncio.all_tasks())

        async def settled() -> tuple[Counter[str], Counter[str], int]:
            await asyncio.to_thread(upstream.wait_for_no_connections)
            for _ in range(20):
                await asyncio.sleep(0.005)
            return census()

        await cycle()
        before = await settled()
        for _ in range(20):
            await cycle()
        assert await settled() == before

    asyncio.run(run())


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REPLAY])
def test_a_port_in_use_is_one_clear_error_and_lets_go_of_the_tape(tmp_path: Path, upstream: StubUpstream, mode: Mode) -> None:
    record_answers(tmp_path, upstream, "a")
    config = replay_config(tmp_path) if mode is Mode.REPLAY else record_config(tmp_path, upstream.base_url)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        blocked = config.model_copy(update={"listen": ListenAddr("127.0.0.1", port)})
        with pytest.raises(HarnessIOError) as caught:
            asyncio.run(start_harness(blocked, ENVIRON))
    assert caught.value.source.startswith(f"cannot listen on 127.0.0.1:{port}: Address already in use")
    CassetteWriter.open(config.cassette_path, HASHING).close()


def test_a_missing_tape_and_a_wrong_mode_bind_nothing(tmp_path: Path) -> None:
    with pytest.raises(CassetteNotFoundError):
        asyncio.run(start_harness(replay_config(tmp_path), ENVIRON))
    with pytest.raises(ModeNotYetImplementedError):
        asyncio.run(start_harness(replay_config(tmp_path).model_copy(update={"mode": Mode.VERIFY}), ENVIRON))
    with pytest.raises(InvalidConfigError):
        asyncio.run(start_harness(record_config(tmp_path, "http://127.0.0.1:1").model_copy(update={"upstream": None}), ENVIRON))
    assert list(tmp_path.iterdir()) == []


def test_the_address_is_the_bound_one_and_wildcards_are_shown_as_loopback(tmp_path: Path, upstream: StubUpstream) -> None:
    record_answers(tmp_path, upstream, "a")
    for host, shown in (("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")):
        config = replay_config(tmp_path).model_copy(update={"listen": ListenAddr(host, 0)})
        with InProcessHarness(config) as replay:
            assert replay.running.addr.host == host and replay.running.addr.port != 0
            assert replay.base_url == f"http://{shown}:{replay.running.addr.port}/v1"


def test_shutdown_may_be_called_twice_and_at_once_and_be_cancelled(tmp_path: Path, upstream: StubUpstream) -> None:
    async def run() -> None:
        harness = await start_harness(record_config(tmp_path, upstream.base_url), ENVIRON)
        _, writer = await asyncio.open_connection(harness.addr.host, harness.addr.port)
        writer.write(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 5\r\n\r\n{")
        for _ in range(100):
            await asyncio.sleep(0.002)
            if harness._hosted.hooks._active:
                break
        # The running exchange keeps the first call waiting, and its caller loses patience.
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(harness.shutdown(grace=0.2), 0.02)
        await asyncio.gather(harness.shutdown(), harness.shutdown(grace=0), harness.shutdown(grace=600))
        await harness.shutdown()
        writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(harness.addr.host, harness.addr.port)
        CassetteWriter.open(str(tmp_path / "tape.json"), HASHING).close()

    asyncio.run(run())


def test_a_running_stream_may_end_within_the_grace_and_is_recorded(tmp_path: Path, upstream: StubUpstream) -> None:
    is_stopping = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Wait(is_stopping), Send(chunk(ONE) + LAST_CHUNK)])
    recorder = InProcessHarness(record_config(tmp_path, upstream.base_url))
    with RawConnection(recorder.addr) as idle, RawConnection(recorder.addr) as connection:
        connection.send(encode_json_request(ask_body("a", stream=True)))
        head = connection.read_head()
        assert connection.read_chunk() == ONE
        stopping = threading.Thread(target=recorder.stop, args=(20,))
        stopping.start()
        assert idle.read_end().name == "CLOSED", "an idle connection is closed at once"
        is_stopping.set()
        assert connection.read_rest(head).chunks == (ONE,)
        stopping.join()
    assert recorder.stats.recorded == 1


def test_harnesses_in_one_process_answer_for_themselves(tmp_path: Path, upstream: StubUpstream) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        upstream_answer = json.dumps({"tape": name}).encode()
        upstream.script([Send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(upstream_answer), upstream_answer))])
        record_answers(tmp_path / name, upstream, "same", "same", "same")

    async def answer(harness: RunningHarness, text: str) -> bytes:
        body, writer = await open_and_ask(harness.addr, ask_body(text))
        writer.close()
        return body

    async def run() -> None:
        one = await start_harness(replay_config(tmp_path / "one"), {})
        recorder = await start_harness(record_config(tmp_path, upstream.base_url), ENVIRON)
        two = await start_harness(replay_config(tmp_path / "two"), {})
        assert await answer(one, "same") == b'{"tape": "one"}'
        assert await answer(two, "same") == b'{"tape": "two"}'
        assert b"recorded by the third" in await answer(recorder, "recorded by the third")
        assert (one.stats.matched, two.stats.matched, recorder.stats.recorded) == (1, 1, 1)
        await two.shutdown()
        assert b"chat.completion" in await answer(one, "same")
        assert b"still recording" in await answer(recorder, "still recording")
        await one.shutdown()
        assert b"the last one" in await answer(recorder, "the last one")
        await recorder.shutdown()
        assert (one.stats.matched, two.stats.matched, recorder.stats.recorded) == (2, 1, 3)

    connections = upstream.connection_count
    asyncio.run(run())
    assert upstream.connection_count == connections + 3, "one per client of the recorder, none for the replays"


def test_nothing_of_the_host_application_is_changed(tmp_path: Path, upstream: StubUpstream) -> None:
    record_answers(tmp_path, upstream, "a")

    async def run() -> None:
        loop = asyncio.get_running_loop()
        before = (loop.get_task_factory(), loop.get_exception_handler(), list(logging.getLogger().handlers))
        harness = await start_harness(replay_config(tmp_path), {})
        assert (loop.get_task_factory(), loop.get_exception_handler(), list(logging.getLogger().handlers)) == before
        await harness.shutdown()
        assert (loop.get_task_factory(), loop.get_exception_handler(), list(logging.getLogger().handlers)) == before

    asyncio.run(run())


# --- handles --------------------------------------------------------------------------------------------------------------


def test_the_loops_own_thread_pool_is_left_alone(tmp_path: Path, upstream: StubUpstream) -> None:
    async def run() -> None:
        before = {thread.name for thread in threading.enumerate()}
        await (await start_harness(record_config(tmp_path, upstream.base_url), ENVIRON)).shutdown()
        assert {thread.name for thread in threading.enumerate()} - before == set()

    asyncio.run(run())


@pytest.mark.parametrize("is_awaited_first", [True, False])
def test_async_with_stops_the_harness_also_after_an_error(tmp_path: Path, upstream: StubUpstream, is_awaited_first: bool) -> None:
    class HostError(Exception):
        pass

    async def run() -> ListenAddr:
        start = start_harness(record_config(tmp_path, upstream.base_url), ENVIRON)
        with pytest.raises(HostError):
            async with await start if is_awaited_first else start as harness:
                addr = harness.addr
                _, writer = await open_and_ask(addr, ask_body("a"))
                writer.close()
                raise HostError
        assert harness.stats.recorded == 1
        return addr

    addr = asyncio.run(run())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((addr.host, addr.port))


def test_a_start_can_be_a_task(tmp_path: Path, upstream: StubUpstream) -> None:
    async def run() -> None:
        harness = await asyncio.create_task(start_harness(record_config(tmp_path, upstream.base_url), ENVIRON))
        await harness.shutdown()

    asyncio.run(run())


def test_a_start_that_is_cancelled_lets_go_of_the_tape(tmp_path: Path, upstream: StubUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    is_opening, may_open = threading.Event(), threading.Event()

    def open_late(*arguments: Any) -> Any:
        is_opening.set()
        may_open.wait(10)
        return assemble(*arguments)

    monkeypatch.setattr("spycatcher_addon.edge.server.assemble", open_late)
    config = record_config(tmp_path, upstream.base_url)

    async def run() -> None:
        start = asyncio.create_task(start_harness(config, ENVIRON))
        await asyncio.to_thread(is_opening.wait, 10)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        may_open.set()

    asyncio.run(run())
    for thread in threading.enumerate():
        if thread.name.startswith("spycatcher"):
            thread.join(10)
    CassetteWriter.open(config.cassette_path, HASHING).close()


def test_a_lost_handle_warns_and_its_harness_stops(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)

    async def run() -> None:
        harness = await start_harness(config, ENVIRON)
        addr = harness.addr
        with pytest.warns(ResourceWarning, match=f"a harness on {addr} was lost without a shutdown"):
            del harness
            gc.collect()
        for _ in range(400):
            await asyncio.sleep(0.005)
            if len(asyncio.all_tasks()) == 1:
                break
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(addr.host, addr.port)
        CassetteWriter.open(config.cassette_path, HASHING).close()

    asyncio.run(run())


def test_a_handle_lost_with_its_loop_lets_go_of_the_tape(tmp_path: Path, upstream: StubUpstream) -> None:
    config = record_config(tmp_path, upstream.base_url)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        asyncio.run(start_harness(config, ENVIRON))
        gc.collect()
    assert any("was lost without a shutdown" in str(warning.message) for warning in caught)
    CassetteWriter.open(config.cassette_path, HASHING).close()


def test_a_handle_that_was_stopped_is_quiet(tmp_path: Path, upstream: StubUpstream) -> None:
    async def run() -> None:
        harness = await start_harness(record_config(tmp_path, upstream.base_url), ENVIRON)
        await harness.shutdown()
        del harness
        gc.collect()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(run())
