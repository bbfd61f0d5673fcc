"""Secrets that stand beside what was exchanged: in settings, in metadata, and in keys that no format has.

Those never get there by recording, but by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import Cassette, Interaction, RecordedResponse, StreamResponse
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.redaction.apply import FoundSecret
from spycatcher_addon.redaction.finder import SecretFinder
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.verifying.findings import Path, spell
from spycatcher_addon.verifying.tape_text import TapeText

type _Exchanged = Mapping[str, _Exchanged | None]
"""Key -> what of it was exchanged, ``None`` for all."""

_BYTES: Final[_Exchanged] = dict.fromkeys(("json", "text", "base64"))
_INTERACTION: Final[Mapping[int, _Exchanged]] = {
    1: {
        "request": dict.fromkeys(("query", "headers", "body", "parsed_json", "canonical_request")),
        "response": dict.fromkeys(("headers", "body", "parsed_json", "events", "raw_transcript")),
    },
    2: {
        "request": {**dict.fromkeys(("query", "headers")), "body": _BYTES},
        "response": {
            "headers": None,
            "body": _BYTES,
            "events": dict.fromkeys(("comment", "data", "json", "event", "id", "retry")),
            "raw_transcript": _BYTES,
        },
    },
}
"""What the checks of each interaction search already."""


def find_elsewhere(
    cassette: Cassette, text: TapeText, rules: RedactionRules, has_unknown_keys: bool
) -> Iterator[tuple[int | None, FoundSecret]]:
    """Find secrets, each with the index of its interaction, or ``None`` where it belongs to none.

    Args:
        has_unknown_keys: Whether the file has more than the model; only then every part of it is gone through once more.
    """
    finder = SecretFinder(rules)
    for found in _find(text.head(), finder):
        yield None, found
    if not has_unknown_keys and not finder.suspects(_words_of(cassette.interactions)):
        return
    for index, element in enumerate(text.elements()):
        for found in _find(_rest(element, _INTERACTION[cassette.format_version]), finder):
            yield index, found


def find_undecoded(response: RecordedResponse, finder: SecretFinder) -> Iterator[FoundSecret]:
    """A stream whose coding cannot be undone has no events to be searched; its bytes are looked at as they are."""
    if isinstance(response, StreamResponse) and decode_body(response.raw_transcript, response.headers) is None:
        for span in finder.find(response.raw_transcript.decode("utf-8", "replace")):
            for secret in span.secrets:
                yield FoundSecret(span.rule, "response.raw_transcript", secret)


def _words_of(interactions: Iterable[Interaction]) -> bytes:
    """The texts of the model beside what was exchanged, each once; a hash or a time that is none has a finding of its own."""
    parts = ((each.request.method, each.request.path, each.metadata.protocol_id, each.metadata.upstream_id) for each in interactions)
    return "\n".join({text for texts in set(parts) for text in texts}).encode()


def _rest(value: JsonValue, exchanged: _Exchanged) -> JsonValue:
    """A value without what was exchanged."""
    match value:
        case dict():
            parts = ((key, member, exchanged.get(key, {})) for key, member in value.items())
            return {key: _rest(member, below) if below else member for key, member, below in parts if below is not None}
        case list():
            return [_rest(element, exchanged) for element in value]
        case _:
            return value


def _find(value: JsonValue, finder: SecretFinder) -> Iterator[FoundSecret]:
    if not isinstance(value, dict) or not finder.suspects(_text_of(value).encode()):
        return
    for key, member in value.items():
        # The name that a value has may be what gives it away.
        spans = finder.find(_text_of({key: member}))
        for rule, secret in dict.fromkeys((span.rule, secret) for span in spans for secret in span.secrets):
            for path in _places_of(secret, member, finder, (key,)):
                yield FoundSecret(rule, spell(path), secret)


def _places_of(secret: str, value: JsonValue, finder: SecretFinder, path: Path) -> Iterator[Path]:
    """Where within a value a secret stands, as far as objects lead to it."""
    members = value.items() if isinstance(value, dict) else ()
    holders = [(key, member) for key, member in members if _holds(secret, _text_of({key: member}), finder)]
    for key, member in holders:
        yield from _places_of(secret, member, finder, (*path, key))
    if not holders:
        yield path


def _holds(secret: str, text: str, finder: SecretFinder) -> bool:
    return any(secret in span.secrets for span in finder.find(text))


def _text_of(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
