"""Which header fields travel on, which are kept on the tape, and how their values are written there.

Selection works on the bytes that were on the wire, keeps order and duplicates, and never looks at bodies. Hop-by-hop
fields are those of RFC 9110 section 7.6.1 plus everything a ``Connection`` field names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from spycatcher_addon.exchange import Headers, RawHeaders

_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_NOT_FORWARDED_UPSTREAM = frozenset({b"host", b"content-length", b"accept-encoding", b"authorization", b"expect"})
_NOT_PERSISTED_REQUEST = frozenset({b"host", b"content-length", b"accept-encoding"})
_CONTENT_LENGTH = frozenset({b"content-length"})

FORBIDDEN_EXTRA_HEADERS = frozenset(name.decode("ascii") for name in _HOP_BY_HOP | {b"host", b"content-length", b"accept-encoding"})
"""Names that ``upstream.extra_headers`` may not carry, lower-case: the harness makes these itself or must not send them."""

_PLAIN_VALUE = re.compile(rb"[\t\x20-\x7e]*\Z")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_LEGAL_TEXT_VALUE = re.compile(r"[\t\x20-\x7e]*\Z")
_FOLD_OR_UNSAFE = re.compile(rb"\r?\n[ \t]+|[\r\n\0]")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def unfold(headers: Iterable[tuple[bytes, bytes]]) -> RawHeaders:
    """Replace each obsolete line fold in a value by one space (RFC 9112 section 5.2), and so each CR, LF and NUL.

    Passed on, those would let one peer write header lines that another reads (RFC 9110 section 5.5).
    """
    return tuple((name, _FOLD_OR_UNSAFE.sub(b" ", value)) for name, value in headers)


def select_forwarded_request(headers: RawHeaders) -> RawHeaders:
    """The client's fields that go on to the upstream; the harness adds host, length and credentials itself."""
    return _without(headers, _NOT_FORWARDED_UPSTREAM)


def select_forwarded_response(headers: RawHeaders) -> RawHeaders:
    """The upstream's fields that go on to the client; the lane adds framing."""
    return _without(headers, _CONTENT_LENGTH)


def select_persisted_request(headers: RawHeaders, drop: Collection[str]) -> Headers:
    """The client's fields as they are kept on the tape, after redaction of the lower-case names in ``drop``."""
    return redact_headers(_encode(_without(headers, _NOT_PERSISTED_REQUEST)), drop)


def select_persisted_response(headers: RawHeaders, drop: Collection[str]) -> Headers:
    """The upstream's fields as they are kept on the tape, after redaction of the lower-case names in ``drop``."""
    return redact_headers(_encode(_without(headers, _CONTENT_LENGTH)), drop)


def redact_headers(headers: Headers, drop: Collection[str]) -> Headers:
    """Remove whole fields by name; ``drop`` holds lower-case names."""
    return tuple((name, value) for name, value in headers if name.lower() not in drop)


@lru_cache(maxsize=256)  # answers of one tape mostly have the same few sets of fields
def select_replayed(headers: Headers) -> tuple[Headers, tuple[str, ...]]:
    """The recorded fields that can be sent, and the names of those that cannot.

    The recorder never writes hop-by-hop or length fields nor illegal values, a hand may have: framing belongs to the
    lane, and an illegal name or value would break the message.
    """
    raw = tuple((name.lower().encode("utf-8", "replace"), value.encode("utf-8", "replace")) for name, value in headers)
    dropped_names = _named_by_connection(raw) | _HOP_BY_HOP | _CONTENT_LENGTH
    kept: list[tuple[str, str]] = []
    dropped: list[str] = []
    for (name, value), (raw_name, _) in zip(headers, raw, strict=True):
        if raw_name in dropped_names or not _TOKEN.match(name) or not _LEGAL_TEXT_VALUE.match(value):
            dropped.append(name)
        else:
            kept.append((name, value))
    return tuple(kept), tuple(dropped)


def first_value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """Value of the first field of this (lower-case) name."""
    for field_name, value in headers:
        if field_name.lower() == name:
            return value
    return None


def content_encoding_of(headers: RawHeaders) -> Headers:
    """Just the ``content-encoding`` fields, as text, for :mod:`spycatcher_addon.content_coding`."""
    return tuple(("content-encoding", value.decode("latin-1")) for name, value in headers if name.lower() == b"content-encoding")


def media_type(headers: RawHeaders) -> str | None:
    """Media type of the message, lower-case and without parameters; ``None`` when there is no ``content-type``."""
    value = first_value(headers, b"content-type")
    if value is None:
        return None
    return value.split(b";", 1)[0].strip().lower().decode("latin-1")


def is_token(name: str) -> bool:
    """Whether ``name`` is a legal field name (RFC 9110 section 5.1)."""
    return _TOKEN.match(name) is not None


def _without(headers: RawHeaders, more: frozenset[bytes]) -> RawHeaders:
    dropped = _HOP_BY_HOP | more | _named_by_connection(headers)
    return tuple((name, value) for name, value in headers if name.lower() not in dropped)


def _named_by_connection(headers: RawHeaders) -> frozenset[bytes]:
    return frozenset(
        token.strip().lower() for name, value in headers if name.lower() == b"connection" for token in value.split(b",") if token.strip()
    )


def _encode(headers: RawHeaders) -> Headers:
    return tuple((name.decode("latin-1").lower(), _encode_value(value)) for name, value in headers)


def _encode_value(value: bytes) -> str:
    """Printable ASCII stays; any other value is percent-encoded as a whole, so a reader can tell which happened."""
    if _PLAIN_VALUE.match(value):
        return value.decode("ascii")
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in value)
