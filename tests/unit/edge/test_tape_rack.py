"""Many tapes behind one listener: each request finds its own, whatever else goes on."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scripts.stub_upstream import StubUpstream
from spycatcher_addon.config import HarnessConfig, ListenAddr, RecordMode
from spycatcher_addon.edge.server import RunningHarness, host
from spycatcher_addon.edge.tape_rack import TapeRack
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.errors import CassetteNotFoundError, InvalidConfigError
from spycatcher_addon.tape_address import TAPE_HEADER, tape_path
from tests.support.cli import FAKE_KEY
from tests.support.in_process import KEY_VARIABLE, record_config
from tests.support.raw_http import RawResponse, encode_json_request, encode_request, exchange

ENVIRON = {KEY_VARIABLE: FAKE_KEY}


def token(name: str) -> str:
    return f"{name:_<16}"


def request_bytes(text: str, path: str = "/v1/chat/completions", tape_header: str | None = None) -> bytes:
    headers = () if tape_header is None else (("X-Spycatcher-Tape", tape_header),)
    return encode_json_request({"model": "stub", "messages": [{"role": "user", "content": text}]}, headers, path)


def config_for(folder: Path, name: str, upstream: StubUpstream) -> HarnessConfig:
    return record_config(folder, upstream.base_url).model_copy(update={"cassette_name": name})


class Server:
    """A rack with its listener, for one coroutine."""

    def __init__(self, upstream: StubUpstream, folder: Path) -> None:
        self.rack = TapeRack(HarnessConfig(listen=ListenAddr("127.0.0.1", 0)), ENVIRON)
        self.upstream = upstream
        self.folder = folder
        self.harness: RunningHarness

    async def __aenter__(self) -> Server:
        self.harness = await host(HarnessConfig(listen=ListenAddr("127.0.0.1", 0)), self.rack, ENVIRON)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.harness.shutdown(0)

    async def open(self, name: str, mode: RecordMode = RecordMode.ONCE) -> None:
        await self.rack.open_tape(token(name), config_for(self.folder, f"{name}.json", self.upstream), mode)

    async def send(self, data: bytes) -> RawResponse:
        return await asyncio.to_thread(exchange, (self.harness.addr.host, self.harness.addr.port), data)


def test_path_and_header_name_a_tape_and_are_gone_from_it(tmp_path: Path, upstream: StubUpstream) -> None:
    async def use() -> None:
        async with Server(upstream, tmp_path) as server:
            await server.open("one")
            by_path = await server.send(request_bytes("a", f"{tape_path(token('one'))}/chat/completions?x=1"))
            by_header = await server.send(request_bytes("b", tape_header=token("one")))
            both = await server.send(request_bytes("c", f"{tape_path(token('one'))}/chat/completions", "another"))
            assert (by_path.status, by_header.status, both.status) == (200, 200, 200)
            report = await server.rack.close_tape(token("one"), True)
            assert report.stats.recorded == 3
            late = await server.send(request_bytes("a", tape_header=token("one")))
            assert (late.status, b'"kind":"unknown_tape"' in late.body) == (404, True)

    asyncio.run(use())
    for received in upstream.requests:
        assert received.target.partition("?")[0] == "/api/v1/chat/completions"
        assert received.header(TAPE_HEADER) is None
    text = (tmp_path / "one.json").read_text(encoding="utf-8")
    assert "_tape" not in text and token("one") not in text and "another" not in text
    first = read_cassette(tmp_path / "one.json").cassette.interactions[0].request
    assert (first.path, first.query) == ("/v1/chat/completions", "x=1")


@pytest.mark.parametrize(
    "data",
    [
        request_bytes("a"),
        request_bytes("a", "/_tape/"),
        request_bytes("a", f"/_tape/{token('two')}/v1/chat/completions"),
        request_bytes("a", "/_tape/..%2f..%2fone.json/v1/chat/completions"),
        request_bytes("a", tape_header="one.json"),
        encode_request(method="GET", target="/v1/models"),
    ],
)
def test_no_token_or_a_wrong_one_is_a_404(tmp_path: Path, upstream: StubUpstream, data: bytes) -> None:
    async def use() -> None:
        async with Server(upstream, tmp_path) as server:
            await server.open("one")
            answer = await server.send(data)
            assert answer.status == 404
            assert b'"kind":"unknown_tape"' in answer.body

    asyncio.run(use())
    assert upstream.connection_count == 0


def test_many_tapes_record_and_replay_at_once(tmp_path: Path, upstream: StubUpstream) -> None:
    names = [f"tape{number}" for number in range(20)]

    async def use(mode: RecordMode) -> list[bytes]:
        async with Server(upstream, tmp_path) as server:
            await asyncio.gather(*(server.open(name, mode) for name in names))
            with ThreadPoolExecutor(8) as pool:
                asyncio.get_running_loop().set_default_executor(pool)
                sent = [
                    server.send(request_bytes(f"{name} asks", f"{tape_path(token(name))}/chat/completions")) for name in names for _ in "ab"
                ]
                answers = await asyncio.gather(*sent)
                assert {answer.status for answer in answers} == {200}
                reports = await asyncio.gather(*(server.rack.close_tape(token(name), True) for name in names))
                asyncio.get_running_loop()._default_executor = None  # type: ignore[attr-defined]
            done = [report.stats.recorded + report.stats.matched for report in reports]
            assert done == [2] * len(names)
            return [answer.body for answer in answers]

    recorded = asyncio.run(use(RecordMode.ONCE))
    seen = upstream.connection_count
    assert asyncio.run(use(RecordMode.REPLAY)) == recorded
    assert upstream.connection_count == seen
    assert all(name.encode() in body for name, body in zip([n for n in names for _ in "ab"], recorded, strict=True))


def test_a_keep_alive_connection_may_serve_several_tapes(tmp_path: Path, upstream: StubUpstream) -> None:
    async def use() -> None:
        async with Server(upstream, tmp_path) as server:
            for name in ("one", "two"):
                await server.open(name)
            reader, writer = await asyncio.open_connection(server.harness.addr.host, server.harness.addr.port)
            for name in ("one", "two", "one"):
                writer.write(request_bytes(name, f"{tape_path(token(name))}/chat/completions"))
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.partition("content-length:")[2].partition("\r\n")[0]))
            writer.close()
            counts = [(await server.rack.close_tape(token(name), True)).stats.recorded for name in ("one", "two")]
            assert counts == [2, 1]

    asyncio.run(use())


def test_what_is_left_open_is_dropped_at_the_end(tmp_path: Path, upstream: StubUpstream) -> None:
    async def use() -> None:
        async with Server(upstream, tmp_path) as server:
            await server.open("one")
            await server.send(request_bytes("a", tape_header=token("one")))

    asyncio.run(use())
    assert list(tmp_path.iterdir()) == []


def test_tokens_are_checked(tmp_path: Path, upstream: StubUpstream) -> None:
    async def use() -> None:
        async with Server(upstream, tmp_path) as server:
            with pytest.raises(CassetteNotFoundError):
                await server.open("one", RecordMode.REPLAY)
            await server.open("one")
            for bad in (token("one"), "short", "../../../../../../etc"):
                with pytest.raises(InvalidConfigError):
                    await server.rack.open_tape(bad, config_for(tmp_path, "x.json", upstream), RecordMode.ONCE)
            with pytest.raises(InvalidConfigError):
                server.rack.report(token("two"))
            with pytest.raises(InvalidConfigError):
                await server.rack.close_tape(token("two"), True)
            assert server.rack.report(token("one")).stats.recorded == 0
            assert server.harness.stats.interactions == 0

    asyncio.run(use())
