"""Cassettes as values: the model, canonical requests and their hashes, matching, and the file format.

Reading and writing files is not done here; :func:`parse_cassette` and :func:`encode_cassette` work on bytes. The names below
are loaded when they are first used, so that a small command which needs one module does not load them all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
    from spycatcher_addon.cassette.events import StreamCanonicalPolicy, canonicalize_events
    from spycatcher_addon.cassette.matching import (
        DIAGNOSTIC_CONSUMED,
        DIAGNOSTIC_EXHAUSTED,
        DIAGNOSTIC_NO_MATCH,
        InteractionPosition,
        Matched,
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
    from spycatcher_addon.choices import MatchMode
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

_LOADED_ON_USE = {
    "DIAGNOSTIC_CONSUMED": "spycatcher_addon.cassette.matching",
    "DIAGNOSTIC_EXHAUSTED": "spycatcher_addon.cassette.matching",
    "DIAGNOSTIC_NO_MATCH": "spycatcher_addon.cassette.matching",
    "FORMAT_VERSION": "spycatcher_addon.cassette.schema",
    "CanonicalError": "spycatcher_addon.errors",
    "CanonicalRequest": "spycatcher_addon.cassette.model",
    "Cassette": "spycatcher_addon.cassette.model",
    "CommentEvent": "spycatcher_addon.cassette.model",
    "DataEvent": "spycatcher_addon.cassette.model",
    "Hashing": "spycatcher_addon.cassette.model",
    "IgnorePathConfig": "spycatcher_addon.cassette.canonical",
    "Interaction": "spycatcher_addon.cassette.model",
    "InteractionPosition": "spycatcher_addon.cassette.matching",
    "InvalidPointerPathError": "spycatcher_addon.errors",
    "MatchMode": "spycatcher_addon.choices",
    "Matched": "spycatcher_addon.cassette.matching",
    "Metadata": "spycatcher_addon.cassette.model",
    "MismatchDiagnostic": "spycatcher_addon.cassette.matching",
    "NonStreamResponse": "spycatcher_addon.cassette.model",
    "PositionKind": "spycatcher_addon.cassette.matching",
    "RecordedRequest": "spycatcher_addon.cassette.model",
    "RecordedResponse": "spycatcher_addon.cassette.model",
    "ReplayMatchEngine": "spycatcher_addon.cassette.matching",
    "StreamCanonicalPolicy": "spycatcher_addon.cassette.events",
    "StreamEvent": "spycatcher_addon.cassette.model",
    "StreamResponse": "spycatcher_addon.cassette.model",
    "Timing": "spycatcher_addon.cassette.model",
    "canonicalize": "spycatcher_addon.cassette.canonical",
    "canonicalize_events": "spycatcher_addon.cassette.events",
    "encode_cassette": "spycatcher_addon.cassette.schema",
    "parse_cassette": "spycatcher_addon.cassette.schema",
    "stable_hash": "spycatcher_addon.cassette.canonical",
}


def __getattr__(name: str) -> object:
    module = _LOADED_ON_USE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
