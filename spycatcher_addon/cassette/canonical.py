"""The canonical request: what of a request is hashed and compared, and the hash.

Headers never take part. The ignored paths are applied alike when recording, replaying and verifying; which paths those are
is configuration and arrives as an :class:`IgnorePathConfig`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote_from_bytes, unquote_to_bytes

from spycatcher_addon.cassette.jsontext import JsonValue, encode_canonical, encode_string
from spycatcher_addon.cassette.model import CanonicalRequest, RecordedRequest
from spycatcher_addon.cassette.normalizing import NormalizeRule, normalize_strings
from spycatcher_addon.cassette.pointers import PointerTree, parse_pointers, remove_pointers
from spycatcher_addon.cassette.pointers import pointer_from_config as pointer_from_config
from spycatcher_addon.cassette.tokens import MARK, renumber_tokens

_ASCII_UPPER = {ord(lower): lower.upper() for lower in "abcdefghijklmnopqrstuvwxyz"}


@dataclass(frozen=True)
class IgnorePathConfig:
    """Which parts of a request body are left out before hashing."""

    ignored_body_paths: Sequence[str] = ()
    """JSON Pointers (RFC 6901) into the body; the token ``*`` stands for every element where it meets an array."""
    normalize: tuple[NormalizeRule, ...] = ()
    """Rules for volatile values inside the strings of what is left."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ignored_body_paths", tuple(self.ignored_body_paths))

    @cached_property
    def pointers(self) -> PointerTree:
        """The paths, parsed once.

        Raises:
            InvalidPointerPathError: A path is not a usable pointer.
        """
        return parse_pointers(self.ignored_body_paths)


NOTHING_IGNORED = IgnorePathConfig()


def canonicalize(request: RecordedRequest, ignore: IgnorePathConfig) -> CanonicalRequest:
    """Reduce a request to the form that is hashed and compared.

    Args:
        ignore: Paths removed from the body before sorting; a path to nothing is not an error.

    Returns:
        Method upper-cased, query sorted by key then value, body keys sorted; ``None`` body when it is not JSON.

    Raises:
        InvalidPointerPathError: A path is not a usable pointer, or has a token that is no index where the body has an array.

    >>> request = RecordedRequest(method="post", path="/v1/chat/completions", query="b=2&a=1", body=b'{"n":1}')
    >>> canonicalize(request, IgnorePathConfig()).canonical_query
    'a=1&b=2'
    """
    canonical = canonicalize_parts(request.method, request.path, request.query, request.parsed_json, ignore, holds_token(request))
    return CanonicalRequest(canonical.method, canonical.path, canonical.canonical_query, _sort_keys(canonical.canonical_body))


def holds_token(request: RecordedRequest) -> bool:
    """Whether a secret was taken out of what is compared of a request."""
    return MARK.encode("ascii") in request.body or MARK in request.query


def canonicalize_parts(
    method: str, path: str, query: str, parsed_json: JsonValue, ignore: IgnorePathConfig, has_tokens: bool = False
) -> CanonicalRequest:
    """Do the same for a request whose body is parsed already; object keys keep their order, which nothing depends on.

    Args:
        has_tokens: Tokens stand where secrets were; they are counted anew, in canonical order.

    Raises:
        InvalidPointerPathError: As for :func:`canonicalize`.
    """
    body = remove_pointers(parsed_json, ignore.pointers)
    canonical = CanonicalRequest(
        method=method.translate(_ASCII_UPPER),
        path=path,
        canonical_query=canonical_query(query),
        canonical_body=normalize_strings(body, ignore.normalize) if ignore.normalize else body,
    )
    return renumber_tokens(canonical) if has_tokens else canonical


def canonical_json(canonical: CanonicalRequest) -> str:
    """Print the compact JSON text that is hashed: four keys in fixed order, the body's keys sorted."""
    return "".join(_canonical_parts(canonical))


def _canonical_parts(canonical: CanonicalRequest) -> tuple[str, str, str]:
    head = (
        f'{{"method":{encode_string(canonical.method)},"path":{encode_string(canonical.path)}'
        f',"canonical_query":{encode_string(canonical.canonical_query)},"canonical_body":'
    )
    return head, encode_canonical(canonical.canonical_body), "}"


def stable_hash(canonical: CanonicalRequest) -> str:
    """Hash a canonical request: SHA-256 of :func:`canonical_json` in UTF-8, as 64 lower-case hex digits."""
    digest = hashlib.sha256()
    for part in _canonical_parts(canonical):  # not joined: a body may be long
        # A request line may hold bytes that are no text; whatever they were decoded to must hash, not raise.
        digest.update(part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def canonical_query(query: str) -> str:
    """Sort a raw query by key, then value, in one percent-encoding (unreserved characters of RFC 3986 stay as they are).

    ``+`` and ``;`` are data, empty pieces vanish, duplicates stay, ``=`` is always written.
    """
    if not query:
        return ""
    pairs = (piece.partition("=") for piece in query.split("&") if piece)
    return "&".join(f"{key}={value}" for key, value in sorted((_reencode(key), _reencode(value)) for key, _, value in pairs))


def _reencode(text: str) -> str:
    return quote_from_bytes(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), safe="")


def _sort_keys(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _sort_keys(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sort_keys(item) for item in value]
    return value
