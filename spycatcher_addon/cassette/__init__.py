"""Cassettes as values: the model, canonical requests and their hashes, matching, and the file format.

Reading and writing files is not done here; :func:`parse_cassette` and :func:`encode_cassette` work on bytes.
"""

from __future__ import annotations

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.events import StreamCanonicalPolicy, canonicalize_events
from spycatcher_addon.cassette.matching import (
    DIAGNOSTIC_CONSUMED,
    DIAGNOSTIC_EXHAUSTED,
    DIAGNOSTIC_NO_MATCH,
    InteractionPosition,
    Matched,
    MatchMode,
    MismatchDiagnostic,
    PositionKind,
    ReplayMatchEngine,
)
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    Cassette,
    CommentEvent,
    DataEvent,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    RecordedResponse,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.schema import FORMAT_VERSION, encode_cassette, parse_cassette
from spycatcher_addon.errors import CanonicalError, InvalidPointerPathError

__all__ = [
    "DIAGNOSTIC_CONSUMED",
    "DIAGNOSTIC_EXHAUSTED",
    "DIAGNOSTIC_NO_MATCH",
    "FORMAT_VERSION",
    "CanonicalError",
    "CanonicalRequest",
    "Cassette",
    "CommentEvent",
    "DataEvent",
    "Hashing",
    "IgnorePathConfig",
    "Interaction",
    "InteractionPosition",
    "InvalidPointerPathError",
    "MatchMode",
    "Matched",
    "Metadata",
    "MismatchDiagnostic",
    "NonStreamResponse",
    "PositionKind",
    "RecordedRequest",
    "RecordedResponse",
    "ReplayMatchEngine",
    "StreamCanonicalPolicy",
    "StreamEvent",
    "StreamResponse",
    "Timing",
    "canonicalize",
    "canonicalize_events",
    "encode_cassette",
    "parse_cassette",
    "stable_hash",
]
