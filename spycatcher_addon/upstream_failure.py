"""Say what went wrong with an upstream in words that name no host, address or key.

The full text goes to the log; these words go into a protocol answer that a test report may publish.
"""

from __future__ import annotations

_TIMED_OUT = ("timed out", "[errno 110]", "[errno 60]")
"""Error numbers are those of Linux and macOS: asyncio puts the same words to whatever stopped a connection attempt."""

_PHRASES: tuple[tuple[tuple[str, ...], str], ...] = (
    # These come first because such a text quotes the upstream, which may have sent any of the words below.
    (("smuggling", "validate_inbound_headers"), "its answer had ambiguous or illegal headers"),
    (("cannot parse http response", "unexpected server response", "protocol error"), "its answer was not valid HTTP"),
    (_TIMED_OUT, "the answer took too long (upstream.total_timeout_s or upstream.idle_timeout_s)"),
    (("connection cancelled",), "the connection attempt was given up"),
    (("certificate verify failed",), "the TLS handshake failed: its certificate is not trusted"),
    (("tls", "ssl"), "the TLS handshake failed"),
    (("name or service not known", "name resolution", "nodename", "getaddrinfo", "no address"), "its host name could not be resolved"),
    (("refused", "[errno 111]", "[errno 61]"), "the connection was refused"),
    (("unreachable", "no route", "[errno 101]", "[errno 113]", "[errno 51]", "[errno 65]"), "its network could not be reached"),
    (("reset",), "the connection was reset"),
    (("server closed connection", "peer closed connection"), "the connection was closed before the answer was complete"),
    (("switched protocols",), "it switched protocols without being asked to"),
)


def describe_failure(message: str, is_connecting: bool) -> str:
    """The kind of failure behind mitmproxy's error text; an unknown text gives a general phrase, never itself."""
    lowered = message.lower()
    if is_connecting and any(needle in lowered for needle in _TIMED_OUT):
        return "the connection timed out (upstream.connect_timeout_s)"
    for needles, phrase in _PHRASES:
        if any(needle in lowered for needle in needles):
            return phrase
    return "the connection could not be made" if is_connecting else "the connection broke before the answer was complete"
