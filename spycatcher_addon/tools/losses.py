"""What a conversion cannot carry over, as values: a kind, and how often it was met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class LossKind(StrEnum):
    """Each has a text in the catalogues, under ``cli-loss-`` and its value."""

    EVENT_FIELDS = "event-fields"
    """Events with an ``event``, ``id`` or ``retry`` field."""
    ANSWERS_STREAM = "answers-stream"
    """Marks of plain answers to requests for a stream."""
    FAILURES = "failures"
    """Marks of exchanges that ended badly."""
    CHUNK_TIMES = "chunk-times"
    """Streams whose chunks and their times are not known afterwards."""
    DURATIONS = "durations"
    """Plain answers whose time is not known afterwards."""
    SETTINGS = "settings"
    """Tapes that say which settings their hashes were made with."""
    HASHES = "hashes"
    HOSTS = "hosts"
    """Requests whose provider is not on the tape, so an address was made up."""
    TIMES = "times"
    """Interactions whose time of recording is left out."""
    FOREIGN = "foreign"
    """Exchanges with other endpoints."""
    UNUSABLE = "unusable"
    """Exchanges without a whole answer."""
    REDACTED = "redacted"
    """Header fields removed by the redaction rules."""
    SECRETS = "secrets"
    """Secrets replaced by tokens."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One kind of loss."""

    kind: LossKind
    count: int


def count_losses(kinds: Iterable[LossKind]) -> tuple[Loss, ...]:
    """Count what was met, in the order of the kinds."""
    counts = Counter(kinds)
    return tuple(Loss(kind, counts[kind]) for kind in LossKind if counts[kind])
