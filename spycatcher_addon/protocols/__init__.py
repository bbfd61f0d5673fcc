"""Which endpoints the harness answers, and what is particular to each.

A new endpoint is one adapter file beside this one and one row in :data:`PROTOCOLS`.
"""

from __future__ import annotations

from dataclasses import dataclass

from spycatcher_addon.exchange import ObservedRequest
from spycatcher_addon.protocols.adapter import ProtocolAdapter
from spycatcher_addon.protocols.chat_completions import CHAT_COMPLETIONS

PROTOCOLS: tuple[ProtocolAdapter, ...] = (CHAT_COMPLETIONS,)

_BY_PATH = {protocol.path: protocol for protocol in PROTOCOLS}


@dataclass(frozen=True, slots=True)
class UnknownPath:
    """No endpoint has this path (compared byte for byte: no decoding, no trailing slash)."""


@dataclass(frozen=True, slots=True)
class WrongMethod:
    """The path is known, the method is not; ``allow`` lists the methods that are."""

    allow: str


def route(request: ObservedRequest) -> ProtocolAdapter | UnknownPath | WrongMethod:
    """Find the endpoint a request is for. The query takes no part."""
    protocol = _BY_PATH.get(request.path)
    if protocol is None:
        return UnknownPath()
    if request.method != "POST":
        return WrongMethod(allow="POST")
    return protocol
