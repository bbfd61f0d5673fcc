"""mitmproxy's messages to our values and back. Copies bytes; decides framing and nothing else."""

from __future__ import annotations

import time

from mitmproxy import http
from mitmproxy.net.http import status_codes

from spycatcher_addon.exchange import ObservedRequest, ObservedResponseHead, RawHeaders, ReplayResponse
from spycatcher_addon.headers import unfold
from spycatcher_addon.replaying import BODYLESS_STATUSES

EAGER_LIMIT_BYTES = 65_536
"""A replayed stream up to this size goes out with a length, a larger one in pieces (docs/users-guide.md, "Replay")."""


def observe_request(request: http.Request, headers: RawHeaders) -> ObservedRequest:
    """Copy a request out of a flow; ``headers`` are those noted before anything touched them."""
    path, _, query = request.data.path.partition(b"?")
    return ObservedRequest(
        method=request.data.method.decode("latin-1"),
        path=_text(path),
        query=_text(query),
        headers=headers,
        body=request.raw_content or b"",
    )


def observe_headers(message: http.Message) -> RawHeaders:
    """The header fields of a message as they came."""
    return unfold(message.headers.fields)


def observe_response_head(response: http.Response) -> ObservedResponseHead:
    """Copy status and headers of an upstream answer out of a flow."""
    return ObservedResponseHead(status=response.status_code, headers=observe_headers(response))


def to_flow_response(reply: ReplayResponse, request: http.Request | None) -> http.Response:
    """Make the message that mitmproxy sends.

    Built with the bare constructor: ``Response.make`` would compress the recorded bytes again. Content is empty where the
    body goes out in pieces (:func:`body_pieces`) and where none may follow (answers to HEAD, 204, 304).
    """
    fields = [(name.encode("ascii", "replace"), value.encode("ascii", "replace")) for name, value in reply.headers]
    body = b"" if reply.status in BODYLESS_STATUSES else reply.body
    if request is not None and body_pieces(reply, request) is not None:
        if not request.is_http2:
            fields.append((b"transfer-encoding", b"chunked"))
        content = b""
    else:
        if reply.status not in BODYLESS_STATUSES:
            fields.append((b"content-length", b"%d" % len(body)))
        content = b"" if request is not None and request.data.method == b"HEAD" else body
    now = time.time()
    return http.Response(
        http_version=b"HTTP/1.1",
        status_code=reply.status,
        reason=status_codes.RESPONSES.get(reply.status, "").encode("ascii"),
        headers=http.Headers(fields),
        content=content,
        trailers=None,
        timestamp_start=now,
        timestamp_end=now,
    )


def body_pieces(reply: ReplayResponse, request: http.Request) -> tuple[bytes, ...] | None:
    """The pieces a large replayed stream is sent in, or ``None`` where the body goes out whole.

    HTTP/1.0 has no chunks, and a body that ends with its connection could not be told from a cut one: it gets a length.
    """
    if not reply.is_stream or request.data.http_version == b"HTTP/1.0":
        return None
    return reply.pieces if sum(map(len, reply.pieces)) > EAGER_LIMIT_BYTES else None


def _text(raw: bytes) -> str:
    """A request target's bytes as text; bytes that are not UTF-8 are percent-encoded, which means the same (RFC 3986)."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)
