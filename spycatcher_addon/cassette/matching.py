"""Decide which recorded interaction answers a request.

Looking (:meth:`ReplayMatchEngine.peek`) and consuming (:meth:`ReplayMatchEngine.commit`) are two steps, so that a request that
cannot be answered uses nothing up. A mismatch is a value, not an exception. Knows nothing of HTTP answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Final

from spycatcher_addon.cassette.canonical import (
    NOTHING_IGNORED,
    IgnorePathConfig,
    canonical_json,
    canonicalize_parts,
    holds_token,
    stable_hash,
)
from spycatcher_addon.cassette.diff import Difference, diff_summary, differences
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import Answering, CanonicalRequest, Interaction, RecordedRequest, Tape
from spycatcher_addon.cassette.nearest import find_nearest
from spycatcher_addon.choices import MatchMode
from spycatcher_addon.errors import InvalidCassetteError

DIAGNOSTIC_EXHAUSTED: Final = "cassette-exhausted"
DIAGNOSTIC_NO_MATCH: Final = "no-matching-interaction"
DIAGNOSTIC_CONSUMED: Final = "interaction-already-consumed"

_MAX_SEEN_AT = 5


class PositionKind(StrEnum):
    """Where on the tape a request did not match."""

    EXPECTED = "expected"
    EXHAUSTED = "exhausted"
    KEYED_MISS = "keyed_miss"


@dataclass(frozen=True, slots=True)
class InteractionPosition:
    """Where on the tape a request did not match."""

    kind: PositionKind
    value: int
    """Zero-based index of the expected interaction for ``expected``, else the number of interactions on the tape."""

    def as_json(self) -> dict[str, JsonValue]:
        """The position as it stands in a 409 answer."""
        return {"kind": self.kind.value, "index" if self.kind is PositionKind.EXPECTED else "count": self.value}


@dataclass(frozen=True, slots=True)
class Matched:
    """The interaction that answers the request."""

    index: int
    interaction: Answering


@dataclass(frozen=True, slots=True)
class MismatchDiagnostic:
    """Why no interaction answers the request."""

    position: InteractionPosition
    expected_hash: str
    """Hash of the expected interaction; empty unless the position is ``expected``."""
    observed_hash: str
    diff_summary: str
    """All differences, one per line, or a text that begins with one of the ``DIAGNOSTIC_`` constants."""
    reason: str
    """For logs: ``request_hash_mismatch``, ``cassette_exhausted``, ``no_matching_interaction``, ``interaction_already_consumed``."""
    nearest_index: int | None = None
    """Keyed: the interaction most like the request, or the one with its hash that was used last."""
    differences: tuple[Difference, ...] = ()
    """Against the expected or the nearest interaction."""
    seen_at: tuple[int, ...] = ()
    """Sequential: where the tape has this very request, at most five indexes."""

    @property
    def is_already_consumed(self) -> bool:
        """Whether the tape knows the request, but has no unused interaction for it any more."""
        return self.reason == "interaction_already_consumed"


class ReplayMatchEngine:
    """The state of one pass over a cassette. Only :meth:`rewind` starts another one."""

    def __init__(
        self,
        cassette: Tape,
        match_mode: MatchMode = MatchMode.SEQUENTIAL_STRICT,
        ignore: IgnorePathConfig = NOTHING_IGNORED,
        include_failures: bool = False,
        redact: Callable[[RecordedRequest], RecordedRequest] | None = None,
    ) -> None:
        """Index the tape.

        Args:
            redact: Takes secrets out of recorded requests, where the tape was made under other rules than today's.
            include_failures: Whether interactions that ended badly take part; otherwise they are passed over as if absent.

        Raises:
            InvalidCassetteError: An interaction has no stable hash; the first one is named.
            InvalidPointerPathError: A path is not a usable pointer, or does not fit a recorded body.
        """
        self._tape = cassette
        self._outlines = cassette.outlines()
        self._match_mode = match_mode
        self._ignore = ignore
        self._redact = redact
        # The layout of format 1 keeps a canonical form beside the body; under ignored paths it would be the wrong one.
        self._trusts_stored_form = cassette.format_version == 1 and not ignore.ignored_body_paths and not ignore.normalize
        self._used = bytearray(len(self._outlines))
        self._place = 0
        """Sequential: the next interaction. Keyed: the one after the last used."""
        self._hashes: list[str] = []
        self._other_hashes: dict[int, str] = {}
        self._index_hashes()
        skipped = set() if include_failures else {index for index, each in enumerate(self._outlines) if each.failure is not None}
        self._skipped = frozenset(skipped)
        self._unavailable = len(skipped)
        self._indexes_by_hash: dict[str, list[int]] = {}
        self._passed: dict[str, int] = {}
        """Keyed: how many at the head of a hash's indexes are known to be used."""
        for index, hash_text in sorted(chain(enumerate(self._hashes), self._other_hashes.items())):
            if index not in skipped:
                self._indexes_by_hash.setdefault(hash_text, []).append(index)
        self._body_sizes: list[int] | None = None
        self.rewind()

    def rewind(self) -> None:
        """Begin again: nothing is used, the next interaction is the first that takes part."""
        self._used[:] = bytes(len(self._used))
        for index in self._skipped:
            self._used[index] = 1
        self._place = 0
        self._passed.clear()
        self._pass_over_used()

    def __len__(self) -> int:
        return len(self._outlines)

    @property
    def available(self) -> int:
        """How many interactions take part: all but recorded failures that are passed over."""
        return len(self._outlines) - self._unavailable

    def unused(self) -> tuple[int, ...]:
        """Zero-based indexes of the interactions not consumed yet, in recorded order."""
        return tuple(index for index, is_used in enumerate(self._used) if not is_used)

    def next(self, observed: CanonicalRequest, observed_hash: str) -> Matched | MismatchDiagnostic:
        """Match a request and consume what matched."""
        outcome = self.peek(observed, observed_hash)
        if isinstance(outcome, Matched):
            self.commit(outcome.index)
        return outcome

    def interaction(self, index: int) -> Interaction:
        """The interaction of that zero-based index, used or not."""
        return self._tape.interaction(index)

    def recorded_at(self, observed_hash: str) -> int | None:
        """Where the tape has a request of this hash first, used or not."""
        indexes = self._indexes_by_hash.get(observed_hash)
        return indexes[0] if indexes else None

    def stable_hash(self, index: int) -> str:
        """The hash that the tape notes for the interaction of that zero-based index, whatever the present settings make of it."""
        return self._outlines[index].stable_hash or ""

    def has_match(self, observed_hash: str) -> bool:
        """Whether a peek with this hash would match."""
        return self._find(observed_hash) is not None

    def peek(self, observed: CanonicalRequest | None, observed_hash: str) -> Matched | MismatchDiagnostic:
        """Match a request without consuming anything.

        Args:
            observed: Serves the diagnosis; ``None`` will do where :meth:`has_match` says that there will be none.
            observed_hash: ``stable_hash(observed)``; looking up needs nothing else.
        """
        index = self._find(observed_hash)
        if index is not None:
            return Matched(index, self._tape.answer(index))
        assert observed is not None, "without it there is a match"
        if self._match_mode is MatchMode.KEYED:
            return self._keyed_miss(observed, observed_hash)
        return self._sequential_miss(observed, observed_hash)

    def commit(self, index: int) -> bool:
        """Consume what a peek returned; false when that is no longer possible, and then nothing changes."""
        if not 0 <= index < len(self._used) or self._used[index]:
            return False
        if self._match_mode is MatchMode.SEQUENTIAL_STRICT and index != self._place:
            return False
        self._used[index] = 1
        self._place = index + 1
        self._pass_over_used()
        return True

    def _pass_over_used(self) -> None:
        """Sequential: move on past interactions that take no part."""
        if self._unavailable and self._match_mode is MatchMode.SEQUENTIAL_STRICT:
            while self._place < len(self._used) and self._used[self._place]:
                self._place += 1

    def _index_hashes(self) -> None:
        is_same_ignored = self._tape.hashing.compares_like(self._ignore.ignored_body_paths, self._ignore.normalize)
        is_trusted = self._tape.format_version != 1 and is_same_ignored and self._redact is None
        for index, outline in enumerate(self._outlines):
            stored = outline.stable_hash
            if stored is None:
                raise InvalidCassetteError(
                    f"interaction at index {index} has no stable_hash; all interactions must be hashed before replay. "
                    "Record the cassette again, or add the hash to the interaction's request"
                )
            if is_trusted:
                self._hashes.append(stored)
                continue
            recomputed = stable_hash(self._canonicalize(self._tape.request(index)))
            if self._trusts_stored_form:
                self._hashes.append(stored)
                if recomputed != stored:
                    self._other_hashes[index] = recomputed
            else:
                self._hashes.append(recomputed)

    def _find(self, observed_hash: str) -> int | None:
        if self._match_mode is MatchMode.SEQUENTIAL_STRICT:
            place = self._place
            is_match = place < len(self._hashes) and observed_hash in (self._hashes[place], self._other_hashes.get(place))
            return place if is_match else None
        indexes = self._indexes_by_hash.get(observed_hash, ())
        passed = self._passed.get(observed_hash, 0)
        while passed < len(indexes) and self._used[indexes[passed]]:
            passed += 1
            self._passed[observed_hash] = passed
        return indexes[passed] if passed < len(indexes) else None

    def _sequential_miss(self, observed: CanonicalRequest, observed_hash: str) -> MismatchDiagnostic:
        seen_at = tuple(self._indexes_by_hash.get(observed_hash, ())[:_MAX_SEEN_AT])
        if self._place >= len(self):
            return MismatchDiagnostic(
                position=InteractionPosition(PositionKind.EXHAUSTED, len(self)),
                expected_hash="",
                observed_hash=observed_hash,
                diff_summary=f"{DIAGNOSTIC_EXHAUSTED}: no more interactions available",
                reason="cassette_exhausted",
                seen_at=seen_at,
            )
        found = differences(_as_json(self._expected(self._place)), _as_json(observed))
        return MismatchDiagnostic(
            position=InteractionPosition(PositionKind.EXPECTED, self._place),
            expected_hash=self._hashes[self._place],
            observed_hash=observed_hash,
            diff_summary=diff_summary(found),
            reason="request_hash_mismatch",
            differences=found,
            seen_at=seen_at,
        )

    def _keyed_miss(self, observed: CanonicalRequest, observed_hash: str) -> MismatchDiagnostic:
        position = InteractionPosition(PositionKind.KEYED_MISS, len(self))
        indexes = self._indexes_by_hash.get(observed_hash)
        if indexes:
            return MismatchDiagnostic(
                position=position,
                expected_hash="",
                observed_hash=observed_hash,
                diff_summary=(
                    f"{DIAGNOSTIC_CONSUMED}: all interactions with hash {observed_hash} have already been consumed; "
                    f"cassette contains {len(indexes)} interaction(s) with this hash"
                ),
                reason="interaction_already_consumed",
                nearest_index=indexes[-1],
            )
        nearest = self._nearest(observed)
        return MismatchDiagnostic(
            position=position,
            expected_hash="",
            observed_hash=observed_hash,
            diff_summary=f"{DIAGNOSTIC_NO_MATCH}: no interaction with hash {observed_hash} found in cassette",
            reason="no_matching_interaction",
            nearest_index=nearest,
            differences=() if nearest is None else differences(_as_json(self._expected(nearest)), _as_json(observed)),
        )

    def _nearest(self, observed: CanonicalRequest) -> int | None:
        if not self._outlines:
            return None
        if self._body_sizes is None:
            self._body_sizes = [outline.body_bytes for outline in self._outlines]
        # Recorded bodies may be printed with spaces or escapes; one of them tells how much longer that makes them.
        sample = min(self._place, len(self) - 1)
        stretch = self._body_sizes[sample] / len(canonical_json(self._expected(sample)))
        return find_nearest(
            observed=_as_json(observed),
            observed_bytes=round(len(canonical_json(observed)) * stretch),
            body_sizes=self._body_sizes,
            used=self._used,
            place=self._place,
            load=lambda index: _as_json(self._expected(index)),
        )

    def _expected(self, index: int) -> CanonicalRequest:
        request = self._tape.request(index)
        if self._trusts_stored_form and request.canonical_request is not None:
            return request.canonical_request
        return self._canonicalize(request)

    def _canonicalize(self, request: RecordedRequest) -> CanonicalRequest:
        """Canonicalize without leaving the parsed body behind: a long tape has many, and each is needed once."""
        if self._redact is not None:
            request = self._redact(request)
        return canonicalize_parts(request.method, request.path, request.query, request.parse_body(), self._ignore, holds_token(request))


def _as_json(canonical: CanonicalRequest) -> dict[str, JsonValue]:
    return {
        "method": canonical.method,
        "path": canonical.path,
        "canonical_query": canonical.canonical_query,
        "canonical_body": canonical.canonical_body,
    }
