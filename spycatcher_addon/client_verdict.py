"""How the client under test took the faults it was given, judged from the requests that came afterwards.

A harness sees requests, not intentions. So each verdict carries the facts it rests on, and the waiting times are those
between requests as they arrived here: never shorter than what the client waited.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.exchange import Ending
from spycatcher_addon.fault_rules import (
    CorruptEvent,
    Cut,
    DropEvent,
    DuplicateEvent,
    ErrorStatus,
    FaultRule,
    Refuse,
    Stall,
)

_CLOCK_SLACK_MS = 20.0
"""Timers of some platforms fire this much early; a client is not blamed for it."""


class Reaction(StrEnum):
    """What the client made of a faulted answer in the end."""

    RETRIED = "retried"
    """It asked again, until it had an answer or the tape had none left for it."""
    GAVE_UP = "gave_up"
    """It stopped asking, or hung up, without a usable answer."""
    ACCEPTED_HALF_STREAM = "accepted_half_stream"
    """It took a stream that had been cut short for the whole one, or at least went on without asking again."""
    ACCEPTED_HALF_ANSWER = "accepted_half_answer"
    """The same with a plain answer."""
    ACCEPTED_ALTERED_STREAM = "accepted_altered_stream"
    """It took a stream with a missing, doubled or broken event without asking again."""
    TOOK_ANSWER = "took_answer"
    """The answer was whole, only late or oddly cut into pieces, and it asked for nothing more."""


@dataclass(frozen=True, slots=True)
class ClientVerdict:
    """The client's reaction to the faults in the answers of one interaction."""

    index: int
    """Zero-based index of the interaction."""
    hash: str
    rules: tuple[FaultRule, ...]
    """The faults it was given there, in order."""
    reaction: Reaction
    waits_ms: tuple[float, ...]
    """For each retry, the time since the request before it."""
    early_ms: float | None
    """By how much the hastiest retry undercut ``Retry-After``; 0 when all kept to it, ``None`` when none had one to keep."""
    went_on: bool
    """Whether other requests came after the faulted answer."""
    has_left: bool
    """Whether it hung up on an answer of this interaction."""

    @property
    def retries(self) -> int:
        """How often it asked again."""
        return len(self.waits_ms)

    @property
    def is_retry_after_honoured(self) -> bool | None:
        """Whether no retry came too early; ``None`` when no retry followed an answer with ``Retry-After``."""
        return None if self.early_ms is None else self.early_ms == 0

    def as_json(self) -> dict[str, JsonValue]:
        """The verdict for programs; times in whole milliseconds."""
        return {
            "interaction": self.index,
            "stable_hash": self.hash,
            "faults": [str(rule) for rule in self.rules],
            "reaction": self.reaction.value,
            "retries": self.retries,
            "retried_after_ms": [round(wait_ms) for wait_ms in self.waits_ms],
            "retry_after_honoured": self.is_retry_after_honoured,
            "retry_after_early_ms": None if self.early_ms is None else round(self.early_ms),
            "went_on": self.went_on,
            "client_left": self.has_left,
        }


@dataclass(slots=True)
class _Attempt:
    """One request, and what became of it."""

    hash: str
    at_ms: float
    index: int | None = None
    """The interaction it was answered from; ``None`` when the tape had no answer (any more)."""
    rule: FaultRule | None = None
    is_stream: bool = False
    """Whether the answer with the fault was a stream."""
    has_left: bool = False


class VerdictBook:
    """Notes what the requests of a run were given, and judges at the end.

    For each request call :meth:`note_request`, then, before the next request is noted, :meth:`note_fault` or
    :meth:`note_answer` if the tape had an answer.
    """

    def __init__(self) -> None:
        self._attempts: list[_Attempt] = []

    def note_request(self, hash: str, now_ms: float) -> None:
        """A request that could be compared has come."""
        self._attempts.append(_Attempt(hash, now_ms))

    def note_fault(self, index: int, rule: FaultRule, is_stream: bool) -> None:
        """The request noted last is answered from this interaction, with a fault.

        Args:
            is_stream: Whether the recorded answer is a stream.
        """
        attempt = self._attempts[-1]
        attempt.index, attempt.rule, attempt.is_stream = index, rule, is_stream

    def note_answer(self, index: int) -> None:
        """The request noted last is answered from this interaction, as recorded."""
        self._attempts[-1].index = index

    def note_client_left(self, index: int) -> None:
        """The client hung up before it had the whole answer of this interaction."""
        for attempt in reversed(self._attempts):
            if attempt.index == index:
                attempt.has_left = True
                return

    def verdicts(self) -> tuple[ClientVerdict, ...]:
        """One verdict for each interaction that had a fault, in the order in which the first faults came."""
        answered: dict[int, list[int]] = {}
        unanswered: dict[str, list[int]] = {}
        first_faults: dict[int, int] = {}
        for position, attempt in enumerate(self._attempts):
            if attempt.index is None:
                unanswered.setdefault(attempt.hash, []).append(position)
                continue
            answered.setdefault(attempt.index, []).append(position)
            if attempt.rule is not None:
                first_faults.setdefault(attempt.index, position)
        # The same question answered from another interaction is the recorded conversation going on, not a retry.
        return tuple(
            self._judge(index, sorted(at for at in (*answered[index], *unanswered.get(self._attempts[first].hash, ())) if at >= first))
            for index, first in first_faults.items()
        )

    def _judge(self, index: int, positions: list[int]) -> ClientVerdict:
        """Judge by the requests for one interaction, given by their places among all; the first of them met a fault."""
        own = [self._attempts[position] for position in positions]
        waits = list(pairwise(own))
        early = [early_ms for before, after in waits if (early_ms := _early_ms(before, after)) is not None]
        went_on = positions[-1] < len(self._attempts) - 1
        return ClientVerdict(
            index=index,
            hash=own[0].hash,
            rules=tuple(attempt.rule for attempt in own if attempt.rule is not None),
            reaction=_reaction(own[-1], went_on),
            waits_ms=tuple(after.at_ms - before.at_ms for before, after in waits),
            early_ms=max(early) if early else None,
            went_on=went_on,
            has_left=any(attempt.has_left for attempt in own),
        )


def _early_ms(before: _Attempt, after: _Attempt) -> float | None:
    action = before.rule.action if before.rule is not None else None
    if not isinstance(action, ErrorStatus) or action.retry_after_s is None:
        return None
    early_ms = action.retry_after_s * 1000 - (after.at_ms - before.at_ms)
    return early_ms if early_ms > _CLOCK_SLACK_MS else 0.0


def _reaction(last: _Attempt, went_on: bool) -> Reaction:
    if last.rule is None:
        return Reaction.RETRIED  # the last request came after a fault and was not faulted itself
    accepted_half = Reaction.ACCEPTED_HALF_STREAM if last.is_stream else Reaction.ACCEPTED_HALF_ANSWER
    match last.rule.action:
        case ErrorStatus() | Refuse():
            return Reaction.GAVE_UP
        case Cut() as cut:
            is_content = cut.ending is Ending.COMPLETE or went_on
            return accepted_half if is_content and not last.has_left else Reaction.GAVE_UP
        case Stall():
            return accepted_half if went_on else Reaction.GAVE_UP
        case DropEvent() | DuplicateEvent() | CorruptEvent():
            return Reaction.GAVE_UP if last.has_left else Reaction.ACCEPTED_ALTERED_STREAM
        case _:  # a delay or a split character: the answer is whole
            return Reaction.GAVE_UP if last.has_left else Reaction.TOOK_ANSWER
