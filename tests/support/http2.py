"""A small HTTP/2 client over TLS: one request per stream, every frame's outcome visible."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import h2.connection
import h2.events

from tests.support.raw_http import TIMEOUT_S


def trusting_nobody(alpn: list[str]) -> ssl.SSLContext:
    """A client context that takes any certificate: what is tested is the transport, not mitmproxy's certificates."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(alpn)
    return context


@dataclass(slots=True)
class Http2Response:
    """What came on one stream so far."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    is_ended: bool = False
    is_reset: bool = False

    @property
    def status(self) -> int:
        return int(dict(self.headers)[":status"])

    @property
    def body(self) -> bytes:
        return b"".join(self.frames)

    def json(self) -> Any:
        return json.loads(self.body)


class Http2Connection:
    """A connection to ``address``; every read gives up after a while with :class:`TimeoutError`."""

    def __init__(self, address: tuple[str, int]) -> None:
        plain = socket.create_connection(address, timeout=TIMEOUT_S)
        self._socket = trusting_nobody(["h2"]).wrap_socket(plain, server_hostname="localhost")
        assert self._socket.selected_alpn_protocol() == "h2"
        self._h2 = h2.connection.H2Connection()
        self._h2.initiate_connection()
        self.responses: dict[int, Http2Response] = {}
        self._flush()

    def request(
        self, body: bytes, headers: Iterable[tuple[str, str]] = (), method: str = "POST", path: str = "/v1/chat/completions"
    ) -> int:
        """Send a whole request; returns its stream id."""
        stream_id = self._h2.get_next_available_stream_id()
        head = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path), *headers]
        self._h2.send_headers(stream_id, head, end_stream=not body)
        if body:
            self._h2.send_data(stream_id, body, end_stream=True)
        self.responses[stream_id] = Http2Response()
        self._flush()
        return stream_id

    def read_until(self, stream_id: int, needle: bytes) -> Http2Response:
        """Read frames until the stream's body contains ``needle``."""
        response = self.responses[stream_id]
        while needle not in response.body:
            assert not (response.is_ended or response.is_reset), response
            self._receive()
        return response

    def read_response(self, stream_id: int) -> Http2Response:
        """Read frames until the stream has ended or was reset."""
        response = self.responses[stream_id]
        while not (response.is_ended or response.is_reset):
            self._receive()
        return response

    def _receive(self) -> None:
        data = self._socket.recv(65536)
        assert data, "the connection was closed"
        for event in self._h2.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
                self.responses[event.stream_id].headers.extend(pairs)
            elif isinstance(event, h2.events.DataReceived):
                if event.data:
                    self.responses[event.stream_id].frames.append(event.data)
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                self.responses[event.stream_id].is_ended = True
            elif isinstance(event, h2.events.StreamReset):
                self.responses[event.stream_id].is_reset = True
        self._flush()

    def _flush(self) -> None:
        self._socket.sendall(self._h2.data_to_send())

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
