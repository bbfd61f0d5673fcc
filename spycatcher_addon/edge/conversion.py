"""mitmproxy's messages to our values and back. Copies bytes; decides framing and nothing else."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mitmproxy import http
from mitmproxy.net.http import status_codes

from spycatcher_addon.exchange import Delivery, Ending, Headers, ObservedRequest, ObservedResponseHead, RawHeaders, ReplayResponse
from spycatcher_addon.headers import unfold
from spycatcher_addon.replaying import BODYLESS_STATUSES, EAGER_LIMIT_BYTES

CHUNKED = (b"transfer-encoding", b"chunked")


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


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A body that the lane sends piece by piece."""

    pieces: tuple[bytes, ...]
    delivery: Delivery


def plan_outgoing(reply: ReplayResponse, request: http.Request) -> Outgoing | None:
    """How the lane is to send an answer, or ``None`` where it can go out whole and at once."""
    pieces = () if request.data.method == b"HEAD" else reply.pieces
    if reply.delivery is not None:
        return Outgoing(pieces, reply.delivery)
    if reply.is_stream and sum(map(len, pieces)) > EAGER_LIMIT_BYTES:
        return Outgoing(pieces, Delivery(due_ms=(0.0,) * len(pieces)))
    return None


def to_flow_response(reply: ReplayResponse, request: http.Request | None) -> http.Response:
    """Make the message that mitmproxy sends, or shows where the lane sends the body piece by piece.

    Built with the bare constructor: ``Response.make`` would compress the recorded bytes again. Content is empty where none
    may follow (answers to HEAD, 204, 304).
    """
    has_content = reply.status not in BODYLESS_STATUSES and (request is None or request.data.method != b"HEAD")
    now = time.time()
    return http.Response(
        http_version=b"HTTP/1.1",
        status_code=reply.status,
        reason=reason_phrase(reply.status),
        headers=http.Headers(head_fields(reply, request)),
        content=reply.body if has_content else b"",
        trailers=None,
        timestamp_start=now,
        timestamp_end=now,
    )


def reason_phrase(status: int) -> bytes:
    """What stands behind the status, for people."""
    return status_codes.RESPONSES.get(status, "").encode("ascii")


def head_fields(reply: ReplayResponse, request: http.Request | None) -> list[tuple[bytes, bytes]]:
    """The header fields of an answer, with those that frame its body."""
    framing = framing_field(reply, request)
    return [*encode_fields(reply.headers), *([] if framing is None else [framing])]


def encode_fields(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The header fields of an answer as bytes, without those that frame its body."""
    return [(name.encode("ascii", "replace"), value.encode("ascii", "replace")) for name, value in headers]


def framing_field(reply: ReplayResponse, request: http.Request | None) -> tuple[bytes, bytes] | None:
    """The field that says where the body of an answer ends; ``None`` where nothing has to."""
    if _goes_in_chunks(reply, request):
        return CHUNKED
    if reply.status in BODYLESS_STATUSES or _goes_in_frames(reply, request):
        return None
    # One byte more than will come, where the answer is to break off: a client must not take it for whole.
    return b"content-length", b"%d" % (sum(map(len, reply.pieces)) + _breaks_off(reply))


def _goes_in_chunks(reply: ReplayResponse, request: http.Request | None) -> bool:
    """Whether the body is framed in chunks: a stream sent in pieces, or any answer that breaks off, to a client of HTTP/1.1.

    HTTP/1.0 has no chunks, and a body that ends with its connection could not be told from a cut one: it gets a length.
    """
    return request is not None and request.data.http_version == b"HTTP/1.1" and _has_open_length(reply, request)


def _goes_in_frames(reply: ReplayResponse, request: http.Request | None) -> bool:
    return request is not None and request.is_http2 and _has_open_length(reply, request)


def _has_open_length(reply: ReplayResponse, request: http.Request) -> bool:
    if reply.status in BODYLESS_STATUSES:
        return False
    return _breaks_off(reply) or (reply.is_stream and plan_outgoing(reply, request) is not None)


def _breaks_off(reply: ReplayResponse) -> bool:
    return reply.delivery is not None and reply.delivery.ending is not Ending.COMPLETE


def _text(raw: bytes) -> str:
    """A request target's bytes as text; bytes that are not UTF-8 are percent-encoded, which means the same (RFC 3986)."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)
