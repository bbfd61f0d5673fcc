"""What became of an exchange, in one line, with a mark; made from values, shown by whoever hosts a UI.

The line is English, as everything that stands beside protocol data is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from spycatcher_addon.cassette.diff import Difference
from spycatcher_addon.cassette.matching import MismatchDiagnostic, PositionKind
from spycatcher_addon.cassette.model import Interaction
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.tools.assembly import assemble_answer
from spycatcher_addon.tools.conversation import read_usage

HASH_DIGITS: Final = 12
"""How much of a hash is shown, as everywhere else."""

_COMPARED_BODY = "canonical_body."


class Outcome(StrEnum):
    """How an exchange ended, as far as the tape is concerned."""

    REPLAYED = "replayed"
    RECORDED = "recorded"
    KEPT_FAILURE = "kept as a failure"
    MISMATCH = "mismatch"
    NOT_RECORDED = "not recorded"
    HARNESS_ANSWER = "answered by the harness"
    """Neither recorded nor on the tape: an error answer that the harness made itself."""
    RESENT = "re-sent"
    """Sent once more by hand, outside of the recording or the replay."""


MARKS: Final[Mapping[Outcome, str]] = {
    Outcome.REPLAYED: ":green_circle:",
    Outcome.RECORDED: ":floppy_disk:",
    Outcome.KEPT_FAILURE: ":warning:",
    Outcome.MISMATCH: ":x:",
    Outcome.NOT_RECORDED: ":scissors:",
    Outcome.HARNESS_ANSWER: ":no_entry:",
    Outcome.RESENT: ":repeat:",
}
"""A name of an emoji for each outcome."""


@dataclass(frozen=True, slots=True)
class Story:
    """What became of one exchange."""

    outcome: Outcome
    detail: str = ""
    index: int | None = None
    """Zero-based index of the interaction that was replayed or recorded, or that a mismatch was compared with."""
    hash_text: str = ""
    """The stable hash of the request, where it has one."""
    interaction: Interaction | None = None
    """The interaction of that index."""
    differences: tuple[Difference, ...] = ()
    """Mismatch: how the request differs from that interaction's."""
    has_own_answer: bool = False
    """Whether the harness answered in the place of an upstream that failed."""

    @property
    def comment(self) -> str:
        """The story in one line: ``recorded #4, 212 tokens · 1a2b3c4d5e6f``."""
        line = self.outcome.value
        if self.index is not None and self.outcome is not Outcome.MISMATCH:
            line += f" #{self.index}"
        if self.detail:
            line += f"{', ' if self.outcome in (Outcome.RECORDED, Outcome.RESENT) else ': '}{self.detail}"
        if self.index is not None and self.outcome is Outcome.MISMATCH:
            line += f" (compared with #{self.index})"
        return f"{line} · {self.hash_text[:HASH_DIGITS]}" if self.hash_text else line

    @property
    def mark(self) -> str:
        """The emoji's name."""
        return MARKS[self.outcome]

    @property
    def is_harness_made(self) -> bool:
        """Whether the answer was made by the harness instead of by any upstream."""
        return self.has_own_answer or self.outcome in (Outcome.MISMATCH, Outcome.HARNESS_ANSWER)


def recorded(index: int, interaction: Interaction) -> Story:
    """An exchange that is on the tape now."""
    hash_text = interaction.request.stable_hash or ""
    if interaction.failure is not None:
        return Story(Outcome.KEPT_FAILURE, interaction.failure.value.replace("_", " "), index, hash_text, interaction)
    return Story(Outcome.RECORDED, _tokens(interaction), index, hash_text, interaction)


def not_recorded(reason: str) -> Story:
    """An exchange that is not on the tape, although it went upstream."""
    return Story(Outcome.NOT_RECORDED, reason)


def resent(detail: str) -> Story:
    """An exchange that went upstream once more by hand, and is not on the tape for it."""
    return Story(Outcome.RESENT, detail)


def answered(reply: ReplayResponse, interaction: Interaction | None, is_resent: bool = False) -> Story:
    """An answer without an upstream: from the tape, or made by the harness.

    Args:
        interaction: The one the answer comes from, if it is on the tape.
    """
    if reply.interaction_index is None or interaction is None:
        return Story(Outcome.HARNESS_ANSWER, f"{reply.status} {reply.error_kind or ''}".rstrip())
    outcome, detail = (Outcome.RESENT, "nothing consumed") if is_resent else (Outcome.REPLAYED, "")
    return Story(outcome, detail, reply.interaction_index, interaction.request.stable_hash or "", interaction)


def mismatched(diagnostic: MismatchDiagnostic, compared: Interaction | None) -> Story:
    """A request that nothing on the tape answers.

    Args:
        compared: The interaction of :func:`compared_index`.
    """
    return Story(
        Outcome.MISMATCH,
        _what_differs(diagnostic),
        compared_index(diagnostic),
        diagnostic.observed_hash,
        compared,
        diagnostic.differences,
    )


def compared_index(diagnostic: MismatchDiagnostic) -> int | None:
    """The interaction that a request was compared with: the expected one, or the nearest."""
    if diagnostic.position.kind is PositionKind.EXPECTED:
        return diagnostic.position.value
    return diagnostic.nearest_index


def short_path(path: str) -> str:
    """A path of a difference as a person would write it: without the name of the whole body."""
    return path.removeprefix(_COMPARED_BODY)


def _what_differs(diagnostic: MismatchDiagnostic) -> str:
    if diagnostic.position.kind is PositionKind.EXHAUSTED:
        return f"all {diagnostic.position.value} interactions are used up"
    if diagnostic.is_already_consumed:
        return "already used"
    if not diagnostic.differences:
        return "no field differs" if compared_index(diagnostic) is not None else "the cassette is empty"
    first = diagnostic.differences[0]
    more = len(diagnostic.differences) - 1
    return f"{short_path(first.path)} {first.kind}" + (f", and {more} more" if more else "")


def _tokens(interaction: Interaction) -> str:
    usage = read_usage(assemble_answer(interaction.response))
    counts = [count for count in (usage.input_tokens, usage.output_tokens) if count is not None]
    return f"{sum(counts)} tokens" if counts else ""
