"""What a record mode means: whether a tape is replayed, recorded or both, what is kept at the end, and in which order.

Knows no disk and no server: whether the tape is there, what was asked in which order and how it went arrive as arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spycatcher_addon.cassette.model import Interaction
from spycatcher_addon.choices import MatchMode, RecordMode


@dataclass(frozen=True, slots=True)
class TapePlan:
    """What is done with the requests for one tape."""

    replays: bool
    """Requests that the tape knows are answered from it."""
    forwards: bool
    """Requests that are not replayed go upstream."""
    records: bool
    """What went upstream is recorded."""


def plan_tape(mode: RecordMode, is_tape_there: bool) -> TapePlan:
    """What a mode does, given whether the tape exists."""
    match mode:
        case RecordMode.REPLAY:
            return TapePlan(replays=True, forwards=False, records=False)
        case RecordMode.ONCE:
            return TapePlan(replays=is_tape_there, forwards=not is_tape_there, records=not is_tape_there)
        case RecordMode.NEW_EPISODES:
            return TapePlan(replays=is_tape_there, forwards=True, records=True)
        case RecordMode.ALL | RecordMode.REWRITE:
            return TapePlan(replays=False, forwards=True, records=True)
        case RecordMode.OFF:
            return TapePlan(replays=False, forwards=True, records=False)


def select_mode(wanted: RecordMode, is_explicit: bool, environ: Mapping[str, str]) -> RecordMode:
    """The mode that holds: where the variable ``CI`` is set, a mode that records does so only if asked for explicitly."""
    is_ci = environ.get("CI", "").strip().lower() not in ("", "0", "false", "no", "off")
    may_record = wanted not in (RecordMode.REPLAY, RecordMode.OFF)
    return RecordMode.REPLAY if is_ci and may_record and not is_explicit else wanted


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a recording is put in the tape's place."""

    is_kept: bool
    reason: str = ""
    """Why it is not, as a part of a sentence."""


def judge_recording(mode: RecordMode, recorded: int, lost: int, succeeded: bool) -> Verdict:
    """Whether what was recorded is kept.

    Args:
        recorded: Interactions recorded.
        lost: Exchanges that went upstream and were not recorded, because they broke or were given up.
        succeeded: Whether the program under test, as far as anybody can tell, did what it should.
    """
    if not recorded:
        return Verdict(False, "nothing was recorded")
    if not succeeded:
        return Verdict(False, "the run did not succeed")
    if mode is RecordMode.REWRITE and lost:
        return Verdict(False, f"{lost} exchange{'s were' if lost != 1 else ' was'} not recorded whole")
    return Verdict(True)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that was answered from the tape: when, and from where on it."""

    offset_ms: int
    """Milliseconds after the start of the recording, as ``metadata.relative_offset_ms`` has them."""
    index: int


def arrange(
    old: Sequence[Interaction], new: Sequence[Interaction], asked: Sequence[Asked], match_mode: MatchMode, keeps_old: bool
) -> tuple[Interaction, ...]:
    """The interactions of the tape to be, in the order that makes its next replay work and its diff small.

    A sequential replay needs the order in which the requests came; what nobody asked for goes to the end. A keyed replay
    does not mind, so everything keeps its old place: an interaction recorded anew takes that of the same request.

    Args:
        new: As recorded, so in the order in which the answers were complete.
        asked: The requests answered from ``old``, in their order.
        keeps_old: Whether the old interactions stay on the tape.
    """
    if match_mode is MatchMode.KEYED:
        return (*old, *new) if keeps_old else _in_old_places(old, new)
    came = [(request.offset_ms, old[request.index]) for request in asked if keeps_old]
    came += [(interaction.metadata.relative_offset_ms, interaction) for interaction in new]
    # Stable: of a replayed and a recorded request within the same millisecond, the replayed one came first, as it is quicker.
    came.sort(key=lambda arrival: arrival[0])
    used = {request.index for request in asked}
    unused = [interaction for index, interaction in enumerate(old) if keeps_old and index not in used]
    return (*(interaction for _, interaction in came), *unused)


def _in_old_places(old: Sequence[Interaction], new: Sequence[Interaction]) -> tuple[Interaction, ...]:
    places: defaultdict[str | None, list[int]] = defaultdict(list)
    for index, interaction in enumerate(old):
        places[interaction.request.stable_hash].append(index)
    placed: list[tuple[int, Interaction]] = []
    for interaction in new:
        free = places[interaction.request.stable_hash]
        placed.append((free.pop(0) if free else len(old), interaction))
    placed.sort(key=lambda pair: pair[0])
    return tuple(interaction for _, interaction in placed)
