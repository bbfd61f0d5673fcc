"""What the recorder and the replayer need to know about one endpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import StreamEvent


@dataclass(frozen=True, slots=True)
class ProtocolAdapter:
    """One endpoint of a provider's API."""

    protocol_id: str
    """Goes into ``metadata.protocol_id``."""
    path: str
    """Path the client asks for."""
    upstream_path: str
    """What is appended to the path of ``upstream.base_url``."""
    is_stream_shaped: Callable[[JsonValue], bool]
    """Whether a request body asks for a streamed answer."""
    is_last_event: Callable[[StreamEvent], bool]
    """Whether an event is the protocol's own end mark; clients may hang up right after it."""
