"""The request that goes to the upstream: where to, under which path, with which headers.

Pure: the key arrives as an argument. What is built here is never what is recorded; the tape keeps the client's own request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from spycatcher_addon.choices import AuthScheme
from spycatcher_addon.exchange import ObservedRequest, RawHeaders
from spycatcher_addon.headers import select_forwarded_request
from spycatcher_addon.protocols import PROTOCOLS

_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class UpstreamTarget:
    """Where an upstream lives, taken apart from its base URL."""

    scheme: str
    host: str
    """Without brackets for an IPv6 address; an international name in its ASCII form (RFC 5891)."""
    port: int
    path: str
    """Without trailing slash; the endpoint's own path is appended."""
    query: str

    @property
    def authority(self) -> str:
        """Host and, unless it is the scheme's default, port, as a ``Host`` field has them (RFC 9110 section 7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def parse_target(base_url: str) -> UpstreamTarget:
    """Take an absolute ``http`` or ``https`` URL apart.

    Raises:
        ValueError: The scheme is another one, or there is no host, or one that cannot be looked up, or the port is no port.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ValueError("an absolute http or https URL is needed")
    return UpstreamTarget(
        scheme=parts.scheme,
        host=parts.hostname.encode("idna").decode("ascii"),
        port=parts.port or _DEFAULT_PORTS[parts.scheme],
        # What a URL may hold stays as it was written; other characters become their UTF-8 bytes (RFC 3987 section 3.1).
        path=quote(parts.path.removesuffix("/"), safe=_ASCII),
        query=quote(parts.query, safe=_ASCII),
    )


def outbound_path(target: UpstreamTarget, upstream_path: str, inbound_query: str) -> str:
    """Path and query of the outbound request: base path, endpoint, base query, then the client's query as it came."""
    query = "&".join(part for part in (target.query, inbound_query) if part)
    return target.path + upstream_path + (f"?{query}" if query else "")


def inbound_target(target: UpstreamTarget, outbound: str) -> str:
    """Undo :func:`outbound_path`, for a request that is sent once more; anything else comes back as it is."""
    path, _, query = outbound.partition("?")
    for protocol in PROTOCOLS:
        if path == target.path + protocol.upstream_path:
            own = query.removeprefix(target.query).removeprefix("&") if target.query else query
            return protocol.path + (f"?{own}" if own else "")
    return outbound


def outbound_headers(request: ObservedRequest, auth: AuthScheme, api_key: str | None, extra_headers: Mapping[str, str]) -> RawHeaders:
    """The client's selected headers, then credentials, then the configured extra headers sorted by name.

    Without ``host`` and ``content-length``, which belong to the lane. Credentials the client sent under the names the
    harness uses itself never travel on: with a recorder in between they are dummies. ``accept`` is made up when missing.
    """
    replaced = {b"api-key"} if auth is AuthScheme.API_KEY else set()
    fields = [(name, value) for name, value in select_forwarded_request(request.headers) if name.lower() not in replaced]
    if not any(name.lower() == b"accept" for name, _ in fields):
        fields.append((b"accept", b"*/*"))
    if api_key is not None:
        key = api_key.encode("utf-8")
        if auth is AuthScheme.BEARER:
            fields.append((b"authorization", b"Bearer " + key))
        elif auth is AuthScheme.API_KEY:
            fields.append((b"api-key", key))
    fields.extend(
        (name.encode("ascii"), value.encode("utf-8")) for name, value in sorted(extra_headers.items()) if name.lower() != "authorization"
    )
    return tuple(fields)


def usable_key(value: str | None) -> str | None:
    """The key if it can be sent: not empty, and no character that would break a header field."""
    if not value or not value.strip():
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return None if any(ord(character) < 0x20 or ord(character) == 0x7F for character in value) else value
