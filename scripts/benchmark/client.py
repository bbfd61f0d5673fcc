"""The other side: clients that keep their connections, send what they are given and time what comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

PATIENCE_S = 60.0
_LAST_CHUNK = b"0\r\n\r\n"


@dataclass(slots=True)
class Answer:
    """What came back for one request."""

    head: bytes
    body_bytes: int = 0
    """Of the body as it was framed."""
    took_ms: float = 0.0
    pieces_s: list[float] = field(default_factory=list)
    """When each piece of the body arrived, by ``time.perf_counter``."""

    @property
    def status(self) -> int:
        """The status code."""
        return int(self.head.split(b" ", 2)[1])


async def ask_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> Answer:
    """Send one request and read its answer to the end.

    Raises:
        RuntimeError: The connection ended first.
    """
    began_s = time.perf_counter()
    writer.write(request)
    try:
        answer = Answer(await reader.readuntil(b"\r\n\r\n"))
    except asyncio.IncompleteReadError as error:
        raise RuntimeError(f"no answer, but {error.partial!r}") from error
    lower = answer.head.lower()
    if b"\r\ntransfer-encoding: chunked" in lower:
        tail = b""
        while not tail.endswith(_LAST_CHUNK):
            piece = await _piece(reader)
            answer.pieces_s.append(time.perf_counter())
            answer.body_bytes += len(piece)
            tail = (tail + piece)[-len(_LAST_CHUNK) :]
    else:
        missing = int(lower.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
        answer.body_bytes = missing
        while missing > 0:
            missing -= len(await _piece(reader))
            answer.pieces_s.append(time.perf_counter())
    answer.took_ms = (time.perf_counter() - began_s) * 1000
    return answer


async def _piece(reader: asyncio.StreamReader) -> bytes:
    piece = await reader.read(1 << 18)
    if not piece:
        raise RuntimeError("the connection ended in the middle of an answer")
    return piece


async def ask_all_async(port: int, requests: Iterable[bytes], connections: int) -> list[Answer]:
    """Send requests over some connections, each the next one as soon as it is free; the answers come in the order they ended."""
    source: Iterator[bytes] = iter(requests)
    answers: list[Answer] = []

    async def work() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        for request in source:
            answers.append(await ask_one(reader, writer, request))
        writer.close()

    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        for _ in range(connections):
            group.create_task(work())
    return answers


def ask_all(port: int, requests: Iterable[bytes], connections: int = 8) -> list[Answer]:
    """As :func:`ask_all_async`, and insist that all answers are good.

    Raises:
        RuntimeError: An answer has a status other than 200.
    """
    answers = asyncio.run(ask_all_async(port, requests, connections))
    insist(answers)
    return answers


def insist(answers: Sequence[Answer]) -> None:
    """Refuse answers other than 200: they would be measured for something else."""
    bad = [answer for answer in answers if answer.status != 200]
    if bad:
        raise RuntimeError(f"{len(bad)} of {len(answers)} answers are not 200, the first is {bad[0].head!r}")
