"""Which recorded interaction a request that matches none was probably meant to be.

An answer for a person, so it may be approximate, but it must come at once on any tape: only some interactions are compared.
Which ones is decided without parsing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest

from spycatcher_addon.cassette.diff import common_prefix_length
from spycatcher_addon.cassette.jsontext import JsonValue

MAX_CANDIDATES = 320
"""Interactions compared; 20,000 typical chat requests stay well within 50 ms with it."""
MAX_CANDIDATE_BYTES = 2 * 1024 * 1024
"""Recorded bodies read for it, in total; the first candidate is always read."""
_NEIGHBOURS = 64
"""Candidates on each side of the place the program has reached: a changed request mostly comes in its turn."""
_USED_HANDICAP = 0.05
"""An interaction that was used already must be clearly nearer to be preferred to an unused one."""


def find_nearest(
    observed: JsonValue,
    observed_bytes: int,
    body_sizes: Sequence[int],
    used: bytearray,
    place: int,
    load: Callable[[int], JsonValue],
) -> int | None:
    """Find the interaction most like a request.

    Args:
        observed_bytes: Length of the request's body, or an estimate.
        body_sizes: Lengths of the recorded bodies, one per interaction.
        used: One byte per interaction, 1 where it was used.
        place: Index after the interaction used last.
        load: Gives what ``observed`` is compared with for an index; the expensive part.

    Returns:
        A zero-based index, or ``None`` on an empty tape.
    """
    best: tuple[float, int, int] | None = None
    budget_bytes = MAX_CANDIDATE_BYTES
    for index in _candidates(observed_bytes, body_sizes, used, place):
        budget_bytes -= body_sizes[index]
        if budget_bytes < 0 and best is not None:
            break
        rank = (distance(load(index), observed) + used[index] * _USED_HANDICAP, abs(index - place), index)
        best = rank if best is None else min(best, rank)
    return None if best is None else best[2]


def distance(left: JsonValue, right: JsonValue) -> float:
    """Measure how unlike two values are: 0 for equal ones, 1 for values with nothing in common.

    Strings count by the share between their common beginning and end, containers by the mean over their parts. Equal parts
    are stepped over by Python's own comparison, which makes this cheap for requests that share most messages.
    """
    if left == right:
        return 0.0
    if isinstance(left, str) and isinstance(right, str):
        return _text_distance(left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        keys = left.keys() | right.keys()
        return sum(distance(left[key], right[key]) if key in left and key in right else 1.0 for key in keys) / len(keys)
    if isinstance(left, list) and isinstance(right, list):
        return _list_distance(left, right)
    return 1.0


def _candidates(observed_bytes: int, body_sizes: Sequence[int], used: bytearray, place: int) -> Iterator[int]:
    """Give each index at most once, the most promising first."""
    seen: set[int] = set()
    for index in _all_candidates(observed_bytes, body_sizes, used, place):
        if index not in seen:
            seen.add(index)
            yield index
        if len(seen) >= MAX_CANDIDATES:
            return


def _all_candidates(observed_bytes: int, body_sizes: Sequence[int], used: bytearray, place: int) -> Iterator[int]:
    before = _unused_before(used, place)
    for after_index in _unused_from(used, place):
        yield after_index
        before_index = next(before, None)
        if before_index is not None:
            yield before_index
    yield from before
    yield from nsmallest(MAX_CANDIDATES, range(len(body_sizes)), key=lambda index: abs(body_sizes[index] - observed_bytes) + used[index])


def _unused_from(used: bytearray, place: int) -> Iterator[int]:
    for _ in range(_NEIGHBOURS):
        index = used.find(0, place)
        if index < 0:
            return
        yield index
        place = index + 1


def _unused_before(used: bytearray, place: int) -> Iterator[int]:
    for _ in range(_NEIGHBOURS):
        index = used.rfind(0, 0, place)
        if index < 0:
            return
        yield index
        place = index


def _text_distance(left: str, right: str) -> float:
    prefix = common_prefix_length(left, right)
    rest_left, rest_right = left[prefix:], right[prefix:]
    suffix = common_prefix_length(rest_left[::-1], rest_right[::-1])
    return 1.0 - (prefix + suffix) / max(len(left), len(right))


def _list_distance(left: list[JsonValue], right: list[JsonValue]) -> float:
    shorter, longer = sorted((len(left), len(right)))
    start = 0
    while start < shorter and left[start] == right[start]:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    between = zip(left[start : len(left) - end], right[start : len(right) - end], strict=False)
    surplus = longer - shorter
    return (sum(distance(one, other) for one, other in between) + surplus) / longer
