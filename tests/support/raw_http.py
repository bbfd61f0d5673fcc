"""An HTTP/1.1 client over a bare socket that hides nothing.

Real clients smooth over what these tests are about: where one chunk ends, when it arrived, and whether a body ended or
was merely cut off. :class:`RawConnection` reads one protocol element at a time and says how each body ended.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Any, Self

TIMEOUT_S = 10.0


class BodyEnd(StrEnum):
    """How a response body ended."""

    COMPLETE = "complete"
    """The framing says so: last chunk, full length, or no body at all."""
    CLOSED = "closed"
    """A body without length or chunks, ended by an orderly close."""
    UNFINISHED = "unfinished"
    """An orderly close before the framing's end."""
    RESET = "reset"
    """A TCP reset before the framing's end."""


class ClosedError(Exception):
    """The peer ended the connection where more was needed."""

    def __init__(self, end: BodyEnd) -> None:
        super().__init__(end)
        self.end = end


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """Status line and headers of a response."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    """Original case, order and duplicates."""
    raw: bytes

    def header(self, name: str) -> str | None:
        """The first value of a header, by case-insensitive name."""
        return next(iter(self.all(name)), None)

    def all(self, name: str) -> list[str]:
        """All values of a header, in order."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


@dataclass(frozen=True, slots=True)
class RawResponse:
    """One response, read to the end of its body or of the connection."""

    head: ResponseHead
    chunks: tuple[bytes, ...]
    """The chunks of a chunked body as framed; otherwise the body as one item, none for an empty body."""
    end: BodyEnd
    interim: tuple[ResponseHead, ...] = ()
    """1xx answers that came before."""
    trailers: tuple[tuple[str, str], ...] = ()

    @property
    def status(self) -> int:
        return self.head.status

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    def header(self, name: str) -> str | None:
        return self.head.header(name)

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class _Body:
    """Where the reader stands in the body of the current response."""

    chunked: bool = False
    missing: int | None = 0
    """Bytes still to come; ``None`` until the connection closes."""
    trailers: list[tuple[str, str]] = field(default_factory=list)


class RawConnection:
    """A connection to ``address``; every read gives up after ``timeout_s`` with :class:`TimeoutError`."""

    def __init__(
        self, address: tuple[str, int], timeout_s: float = TIMEOUT_S, tls: ssl.SSLContext | None = None, server_name: str = "localhost"
    ) -> None:
        self.socket = socket.create_connection(address, timeout=timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname=server_name)
        self._buffer = b""
        self._body = _Body()

    # --- sending --------------------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def half_close(self) -> None:
        """Say that nothing more will be sent, and keep reading."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Leave with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self) -> None:
        """Leave in the orderly way."""
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # --- reading, one element at a time ---------------------------------------------------------------------------

    def read_head(self, method: str = "POST") -> ResponseHead:
        """The next response head, a 1xx one included.

        Raises:
            ClosedError: The connection ended first.
        """
        while b"\r\n\r\n" not in self._buffer:
            self._receive()
        raw, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").split("\r\n")
        version, status, *reason = first.split(" ", 2)
        assert version.startswith("HTTP/1."), f"not an HTTP/1.1 status line: {first!r}"
        head = ResponseHead(int(status), " ".join(reason), tuple(_split_header(line) for line in lines), raw + b"\r\n\r\n")
        self._body = _Body()
        if method == "HEAD" or head.status in (204, 304) or head.status < 200:
            return head
        if (head.header("transfer-encoding") or "").lower() == "chunked":
            self._body.chunked = True
        else:
            length = head.header("content-length")
            self._body.missing = None if length is None else int(length)
        return head

    def read_chunk(self) -> bytes | None:
        """The next chunk, or what has arrived of a body that is not chunked; ``None`` at the body's end.

        Raises:
            ClosedError: The connection ended in the middle of the body.
        """
        body = self._body
        if body.chunked:
            return self._read_framed_chunk()
        if body.missing == 0:
            return None
        if not self._buffer:
            try:
                self._receive()
            except ClosedError as closed:
                if body.missing is None and closed.end is BodyEnd.UNFINISHED:
                    raise ClosedError(BodyEnd.CLOSED) from None
                raise
        data = self._buffer if body.missing is None else self._buffer[: body.missing]
        self._buffer = self._buffer[len(data) :]
        if body.missing is not None:
            body.missing -= len(data)
        return data

    def read_until(self, needle: bytes) -> bytes:
        """Body bytes from here until they contain ``needle``.

        Raises:
            ClosedError: The connection ended first.
        """
        data = b""
        while needle not in data:
            piece = self.read_chunk()
            assert piece is not None, f"the body ended without {needle!r}: {data!r}"
            data += piece
        return data

    def read_response(self, method: str = "POST") -> RawResponse:
        """The next final response, with its whole body and how that ended.

        Raises:
            ClosedError: The connection ended before a final response head was there.
        """
        interim = []
        while (head := self.read_head(method)).status < 200:
            interim.append(head)
        return self.read_rest(head, interim)

    def read_rest(self, head: ResponseHead, interim: Iterable[ResponseHead] = ()) -> RawResponse:
        """The rest of the response whose head was read before."""
        chunks: list[bytes] = []
        end = BodyEnd.COMPLETE
        is_chunked = self._body.chunked
        try:
            while (piece := self.read_chunk()) is not None:
                chunks.append(piece)
        except ClosedError as closed:
            end = closed.end
        if chunks and not is_chunked:
            chunks = [b"".join(chunks)]
        return RawResponse(head, tuple(chunks), end, tuple(interim), tuple(self._body.trailers))

    def read_end(self) -> BodyEnd:
        """How the peer ends the connection; more data is an error."""
        assert not self._buffer, f"more data came: {self._buffer[:80]!r}"
        try:
            self._receive()
        except ClosedError as closed:
            return BodyEnd.CLOSED if closed.end is BodyEnd.UNFINISHED else closed.end
        raise AssertionError(f"more data came: {self._buffer[:80]!r}")

    # --- inside ---------------------------------------------------------------------------------------------------

    def _read_framed_chunk(self) -> bytes | None:
        size = int(self._take_line().partition(b";")[0], 16)
        if size == 0:
            while line := self._take_line():
                self._body.trailers.append(_split_header(line.decode("latin-1")))
            self._body.chunked, self._body.missing = False, 0
            return None
        while len(self._buffer) < size + 2:
            self._receive()
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        assert self._buffer.startswith(b"\r\n"), "a chunk does not end with CRLF"
        self._buffer = self._buffer[2:]
        return data

    def _take_line(self) -> bytes:
        while b"\r\n" not in self._buffer:
            self._receive()
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _receive(self) -> None:
        try:
            data = self.socket.recv(262144)
        except ConnectionResetError:
            raise ClosedError(BodyEnd.RESET) from None
        except ssl.SSLEOFError:
            raise ClosedError(BodyEnd.RESET) from None
        if not data:
            raise ClosedError(BodyEnd.UNFINISHED)
        self._buffer += data


def _split_header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    assert colon, f"not a header line: {line!r}"
    return name, value.strip(" \t")


def encode_request(
    body: bytes = b"", headers: Iterable[tuple[str, str]] = (), method: str = "POST", target: str = "/v1/chat/completions"
) -> bytes:
    """A request with ``host`` and, unless the headers frame the body themselves, ``content-length``."""
    pairs = [("host", "127.0.0.1"), *headers]
    names = {name.lower() for name, _ in pairs}
    if body and not names & {"content-length", "transfer-encoding"}:
        pairs.append(("content-length", str(len(body))))
    return "".join([f"{method} {target} HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in pairs), "\r\n"]).encode("latin-1") + body


def encode_json_request(value: Any, headers: Iterable[tuple[str, str]] = (), target: str = "/v1/chat/completions") -> bytes:
    """A ``POST`` of a JSON value, by default to the Chat Completions path."""
    return encode_request(json.dumps(value).encode(), [("content-type", "application/json"), *headers], target=target)


def exchange(address: tuple[str, int], request: bytes, method: str = "POST") -> RawResponse:
    """Send one request on a connection of its own and read the answer."""
    with RawConnection(address) as connection:
        connection.send(request)
        return connection.read_response(method)
