"""What a check of a cassette can find: one rule for each kind of finding, with its group and its severity.

A finding names fields, headers and parameters, never the value of one that may be secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

type Path = tuple[str | int, ...]
"""Where something stands in an interaction, or in the document when it belongs to none: keys and indexes."""

_PREFIX: Final = "verify-"


class Group(StrEnum):
    """What a rule is about; reports that count per subject have one entry for each."""

    FILE = "file"
    SETTINGS = "settings"
    HASHES = "hashes"
    JSON = "json"
    STREAMS = "streams"
    TIMING = "timing"
    HEADERS = "headers"
    SECRETS = "secrets"
    METADATA = "metadata"
    ORDER = "order"
    KEYS = "keys"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding."""

    group: Group
    summary: str
    """What is expected, in English, for reports that list their rules."""
    is_warning: bool = False
    """Worth a look, but no reason to fail."""


UNREADABLE: Final = "unreadable"
"""The rule that a cassette breaks which cannot be read at all."""
UNFINISHED: Final = "unfinished"

RULES: Final[Mapping[str, Rule]] = {
    UNREADABLE: Rule(Group.FILE, "the cassette can be read"),
    UNFINISHED: Rule(Group.FILE, "no append to the cassette was cut short", is_warning=True),
    "ignore-paths-drift": Rule(Group.SETTINGS, "the cassette was recorded with the ignore paths of the configuration"),
    "normalize-drift": Rule(Group.SETTINGS, "the cassette was recorded with the normalize rules of the configuration"),
    "redaction-drift": Rule(Group.SETTINGS, "the cassette was recorded with the redaction rules of the configuration", is_warning=True),
    "ignore-path-misfit": Rule(Group.SETTINGS, "the ignore paths fit the request bodies"),
    "hash-missing": Rule(Group.HASHES, "every request has its stable_hash"),
    "hash-mismatch": Rule(Group.HASHES, "stable_hash is that of the recorded request"),
    "canonical-mismatch": Rule(Group.HASHES, "canonical_request is that of the recorded request"),
    "request-json-mismatch": Rule(Group.JSON, "parsed_json of a request is its body"),
    "request-not-json": Rule(Group.JSON, "request bodies are JSON", is_warning=True),
    "response-json-mismatch": Rule(Group.JSON, "parsed_json of an answer is its body"),
    "event-json-mismatch": Rule(Group.JSON, "parsed_json of an event is its data"),
    "events-mismatch": Rule(Group.STREAMS, "events are those of the transcript"),
    "events-count": Rule(Group.STREAMS, "there are as many events as in the transcript"),
    "transcript-unreadable": Rule(Group.STREAMS, "transcripts are event streams"),
    "event-carriage-return": Rule(Group.STREAMS, "no event has a carriage return in it", is_warning=True),
    "stream-without-events": Rule(Group.STREAMS, "a request for a stream has a stream as its answer", is_warning=True),
    "chunks-count": Rule(Group.TIMING, "there are as many times as events"),
    "chunks-order": Rule(Group.TIMING, "chunks end one behind the other"),
    "chunks-time": Rule(Group.TIMING, "chunks come one after the other"),
    "chunks-end": Rule(Group.TIMING, "the last chunk ends where the transcript ends"),
    "chunks-ttft": Rule(Group.TIMING, "the first chunk comes at ttft_ms or later"),
    "request-header": Rule(Group.HEADERS, "requests keep no header that redaction drops"),
    "response-header": Rule(Group.HEADERS, "answers keep no header that redaction drops"),
    "response-status": Rule(Group.HEADERS, "the statuses of answers can be sent"),
    "header-not-sendable": Rule(Group.HEADERS, "the headers of answers can be sent", is_warning=True),
    "secret": Rule(Group.SECRETS, "nothing that a redaction rule names is on the cassette"),
    "query-credential": Rule(Group.SECRETS, "no query parameter looks like a credential", is_warning=True),
    "recorded-at": Rule(Group.METADATA, "recorded_at is a time in UTC"),
    "recorded-earlier": Rule(Group.ORDER, "interactions stand in the order in which they were recorded", is_warning=True),
    "duplicate": Rule(Group.ORDER, "no interaction is on the cassette twice", is_warning=True),
    "unknown-key": Rule(Group.KEYS, "every key is one of the format", is_warning=True),
    "large": Rule(Group.SIZE, "no interaction is much larger than the others", is_warning=True),
}
"""Rule id -> rule. The text of a finding is the message ``verify-`` and the id."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    message_id: str
    """Fluent id of its text."""
    arguments: tuple[tuple[str, str], ...] = ()
    """Named parts of the text."""
    interaction: int | None = None
    """Zero-based index of the interaction; ``None`` when it concerns the cassette as a whole."""
    is_warning: bool = False
    """Worth a look, but no reason to fail."""
    path: Path = ()
    """Where it stands."""
    line: int | None = None
    """The line of the file, from 1, where that can be told."""

    @property
    def rule(self) -> str:
        """Id of the rule that is broken."""
        return self.message_id.removeprefix(_PREFIX)

    @property
    def field(self) -> str:
        """The path as text: ``response.events[3]``; empty for the whole."""
        return spell(self.path)


def finding(rule: str, path: Path = (), /, **arguments: object) -> Finding:
    """Build a finding; the rule says how severe it is."""
    texts = tuple((name, str(value)) for name, value in arguments.items())
    return Finding(f"verify-{rule}", texts, is_warning=RULES[rule].is_warning, path=path)


def spell(path: Path) -> str:
    """A path as text."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def parse_path(spelled: str) -> Path:
    """The path of a text such as ``request.body``: plain keys between dots."""
    return tuple(spelled.split("."))
