"""Which request heads the fast lane takes: ordinary ones, read by httptools. What is not ordinary is not judged here.

A head is ordinary when every reader would understand it alike: a ``POST`` of HTTP/1.1 to an endpoint, its body announced by
one plain length, nothing to negotiate. For everything else there is the flow lane.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import httptools

from spycatcher_addon.exchange import RawHeaders
from spycatcher_addon.protocols import PROTOCOLS

METHOD = b"POST "
"""What an ordinary head begins with."""
HEAD_END = b"\r\n\r\n"

_ORDINARY = re.compile(rb"POST /[!-~]* HTTP/1\.1\r\n(?:[A-Za-z0-9!#$%&'*+.^_`|~-]+:[\t -~]*\r\n)+\r\n")
"""No folded lines, no control characters, nothing beyond ASCII."""
_LENGTH = re.compile(rb"0|[1-9][0-9]{0,17}")
_LONE_LINE_FEED = re.compile(rb"(?<!\r)\n")
_PATHS = {protocol.path.encode("ascii"): protocol.path for protocol in PROTOCOLS}
_UNUSUAL = frozenset({b"transfer-encoding", b"content-encoding", b"expect", b"upgrade", b"te", b"trailer", b"proxy-connection"})
_SINGLE = frozenset({b"content-length", b"host", b"connection"})
_REMEMBERED_HEADS = 128


@dataclass(frozen=True, slots=True)
class RequestHead:
    """An ordinary request without its body."""

    path: str
    query: str
    headers: RawHeaders
    body_bytes: int


class _Fields:
    """What httptools reports of a head."""

    __slots__ = ("headers", "target")

    def __init__(self) -> None:
        self.target = b""
        self.headers: list[tuple[bytes, bytes]] = []

    def on_url(self, target: bytes) -> None:
        self.target += target

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value.rstrip(b" \t")))


def may_become_ordinary(start: bytes | bytearray) -> bool:
    """Whether the beginning of a head, its end not yet come, can still turn out to be ordinary."""
    return METHOD.startswith(start[: len(METHOD)]) and _LONE_LINE_FEED.search(start) is None


@lru_cache(maxsize=_REMEMBERED_HEADS)
def parse_ordinary_head(head: bytes, max_headers: int) -> RequestHead | None:
    """Read a head, empty line included; ``None`` when it is not ordinary. A client's heads are mostly the same."""
    if _ORDINARY.fullmatch(head) is None:
        return None
    fields = _Fields()
    try:
        httptools.HttpRequestParser(fields).feed_data(head)
    except (httptools.HttpParserError, httptools.HttpParserUpgrade):
        return None
    if len(fields.headers) > max_headers:
        return None
    raw_path, _, query = fields.target.partition(b"?")
    path = _PATHS.get(raw_path)
    length = _body_length(fields.headers)
    if path is None or length is None:
        return None
    return RequestHead(path, query.decode("ascii"), tuple(fields.headers), length)


def _body_length(headers: list[tuple[bytes, bytes]]) -> int | None:
    """The announced length of the body; ``None`` where a field asks for something out of the ordinary."""
    once: dict[bytes, bytes] = {}
    for name, value in headers:
        lower = name.lower()
        if lower in _SINGLE:
            if lower in once:
                return None
            once[lower] = value
        elif lower in _UNUSUAL:
            return None
    if once.get(b"connection", b"keep-alive").lower() != b"keep-alive":
        return None
    length = once.get(b"content-length", b"")
    return int(length) if _LENGTH.fullmatch(length) else None
