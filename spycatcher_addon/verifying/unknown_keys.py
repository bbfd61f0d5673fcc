"""Keys that no format has: mostly slips of whoever edited a cassette by hand. A reader passes over them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Final

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.verifying.findings import Finding, Path, finding
from spycatcher_addon.verifying.tape_text import TapeText

type _Known = Mapping[str, _Known | None]
"""Key -> the keys below it, or ``None`` where everything may stand."""

_METADATA: Final[_Known] = dict.fromkeys(("protocol_id", "upstream_id", "recorded_at", "relative_offset_ms", "duration_ms"))
_BYTES: Final[_Known] = dict.fromkeys(("layout", "sha256", "json", "text", "base64"))
_REQUEST: Final = ("method", "path", "query", "headers", "stable_hash")
_RESPONSE: Final = ("kind", "status", "headers")

_INTERACTION: Final[Mapping[int, _Known]] = {
    1: {
        "request": dict.fromkeys((*_REQUEST, "body", "parsed_json", "canonical_request")),
        "response": {
            **dict.fromkeys((*_RESPONSE, "body", "parsed_json", "raw_transcript")),
            "events": dict.fromkeys(("kind", "text", "raw", "parsed_json")),
            "timing": dict.fromkeys(("ttft_ms", "chunk_offsets_ms")),
        },
        "metadata": _METADATA,
    },
    2: {
        "request": {**dict.fromkeys(_REQUEST), "body": _BYTES},
        "response": {
            **dict.fromkeys((*_RESPONSE, "answers_stream")),
            "body": _BYTES,
            "events": dict.fromkeys(("comment", "data", "json", "layout", "event", "id", "retry")),
            "raw_transcript": dict.fromkeys(("layout", "sha256", "events_sha256", "text", "base64")),
            "timing": dict.fromkeys(("ttft_ms", "chunks")),
        },
        "metadata": _METADATA,
        "failure": None,
    },
}
_TOP: Final[Mapping[int, _Known]] = {
    1: {"format_version": None, "interactions": None},
    2: {
        "format_version": None,
        "generator": None,
        "hashing": dict.fromkeys(("ignore_paths", "redaction_rules", "normalize")),
        "interactions": None,
    },
}


def find_unknown_keys(format_version: int, text: TapeText) -> Iterator[Finding]:
    """Find each unknown key where it stands first, and say how many interactions have it there."""
    for path in _unknown(text.head(), _TOP[format_version], ()):
        yield _finding(path, _TOP[format_version], None, 1)
    first: dict[Path, tuple[int, Path]] = {}
    counts: dict[Path, int] = {}
    for index, element in enumerate(text.elements()):
        # One kind of slip is one finding, in whichever event it stands.
        seen: dict[Path, Path] = {}
        for path in _unknown(element, _INTERACTION[format_version], ()):
            seen.setdefault(tuple(key for key in path if isinstance(key, str)), path)
        for kind, path in seen.items():
            first.setdefault(kind, (index, path))
            counts[kind] = counts.get(kind, 0) + 1
    for kind, (index, path) in first.items():
        yield _finding(path, _INTERACTION[format_version], index, counts[kind])


def _finding(path: Path, known: _Known, index: int | None, count: int) -> Finding:
    for key in path[:-1]:
        if isinstance(key, str):
            known = known[key] or {}
    name = str(path[-1])
    # A key that is in place is as good as one that is spelled alike.
    nearest = next(iter(difflib.get_close_matches(name, known, n=1)), "-")
    found = finding("unknown-key", path, key=name, nearest=nearest, count=count)
    return Finding(found.message_id, found.arguments, index, found.is_warning, path)


def _unknown(value: JsonValue, known: _Known, path: Path) -> Iterator[Path]:
    if isinstance(value, list):
        for number, element in enumerate(value):
            yield from _unknown(element, known, (*path, number))
    elif isinstance(value, dict):
        for key, member in value.items():
            if key not in known:
                yield (*path, key)
            elif (below := known[key]) is not None:
                yield from _unknown(member, below, (*path, key))
