"""Two cassettes side by side: which interactions belong together, and what is different in each pair.

Tells wording (the texts a model wrote, and the token counts that follow from them) from behaviour (everything a program
branches on: status, finish reason, tool calls, the structure of an answer). What is new in every recording (ids, times,
header fields) takes no part.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, IgnorePathConfig, canonicalize_parts, stable_hash
from spycatcher_addon.cassette.diff import Difference, DifferenceKind, differences
from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import CanonicalRequest, Cassette, Interaction, StreamResponse
from spycatcher_addon.cassette.nearest import MAX_CANDIDATES, distance
from spycatcher_addon.tools.assembly import assemble_answer

MAX_DISTANCE = 0.6
"""Requests less alike than this are two different requests, not one that was changed (0 is equal, 1 has nothing in common)."""

_VOLATILE = re.compile(
    r"answer\.(?:id|created|system_fingerprint|service_tier|provider)|answer\.choices\[\d+\]\.message\.tool_calls\[\d+\]\.id"
)
_WORDING = re.compile(
    r"answer|answer\.usage\..+|answer\.events\[\d+\]"
    r"|answer\.choices\[\d+\](?:\.message)?\.(?:content|reasoning|reasoning_content|refusal|text|logprobs.*|reasoning_details.*)"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two interactions that belong together, or one that has no partner."""

    left: int | None
    """Zero-based index on the first tape."""
    right: int | None
    request: tuple[Difference, ...] = ()
    """Between the canonical requests; empty when they were paired by hash."""
    behaviour: tuple[Difference, ...] = ()
    wording: tuple[Difference, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether nothing that takes part is different."""
        return self.is_paired and not (self.request or self.behaviour or self.wording)

    @property
    def is_paired(self) -> bool:
        """Whether there is a partner."""
        return self.left is not None and self.right is not None

    def as_json(self) -> JsonObject:
        """The pair for programs."""
        return {
            "left": self.left,
            "right": self.right,
            "request": [_difference_json(each) for each in self.request],
            "behaviour": [_difference_json(each) for each in self.behaviour],
            "wording": [_difference_json(each) for each in self.wording],
        }


def compare_cassettes(left: Cassette, right: Cassette, ignore: IgnorePathConfig = NOTHING_IGNORED) -> tuple[Pair, ...]:
    """Pair the interactions of two tapes and compare each pair.

    Args:
        ignore: Parts of the request bodies that take no part.

    Returns:
        The pairs in the order of the first tape, then what only the second one has.

    Raises:
        InvalidPointerPathError: An ignore path does not fit a recorded body.
    """
    left_requests = [_canonical(interaction, ignore) for interaction in left.interactions]
    right_requests = [_canonical(interaction, ignore) for interaction in right.interactions]
    partner_of = _pair(left_requests, right_requests)
    pairs = []
    for index, request in enumerate(left_requests):
        partner = partner_of.get(index)
        if partner is None:
            pairs.append(Pair(index, None))
        else:
            pairs.append(_compare(index, partner, request, right_requests[partner], left.interactions[index], right.interactions[partner]))
    taken = set(partner_of.values())
    return (*pairs, *(Pair(None, index) for index in range(len(right_requests)) if index not in taken))


def compare_answers(left: Interaction, right: Interaction) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """Compare two answers; gives the differences in behaviour, then those in wording."""
    behaviour: list[Difference] = []
    wording: list[Difference] = []
    for found in differences(_answer_value(left), _answer_value(right)):
        if _VOLATILE.fullmatch(found.path):
            continue
        (wording if _is_wording(found) else behaviour).append(found)
    return tuple(behaviour), tuple(wording)


def _difference_json(difference: Difference) -> JsonObject:
    return {
        "kind": difference.kind.value,
        "path": difference.path,
        "expected": difference.expected,
        "observed": difference.observed,
    }


def _canonical(interaction: Interaction, ignore: IgnorePathConfig) -> CanonicalRequest:
    request = interaction.request
    return canonicalize_parts(request.method, request.path, request.query, request.parse_body(), ignore)


def _pair(left: Sequence[CanonicalRequest], right: Sequence[CanonicalRequest]) -> dict[int, int]:
    """Equal requests first, each with the first one that is free; then, among the rest, the nearest."""
    waiting: defaultdict[str, deque[int]] = defaultdict(deque)
    for index, request in enumerate(right):
        waiting[stable_hash(request)].append(index)
    pairs: dict[int, int] = {}
    for index, request in enumerate(left):
        same = waiting[stable_hash(request)]
        if same:
            pairs[index] = same.popleft()
    used = bytearray(len(right))
    for index in pairs.values():
        used[index] = 1
    for index, request in enumerate(left):
        free = [] if index in pairs else [at for at, is_used in enumerate(used) if not is_used]
        near = nsmallest(MAX_CANDIDATES, free, key=lambda at: abs(at - index))
        ranks = [(distance(_as_json(right[at]), _as_json(request)), abs(at - index), at) for at in near]
        nearest = min(ranks, default=None)
        if nearest is not None and nearest[0] < MAX_DISTANCE:
            pairs[index] = nearest[2]
            used[nearest[2]] = 1
    return pairs


def _as_json(request: CanonicalRequest) -> JsonObject:
    return {
        "method": request.method,
        "path": request.path,
        "canonical_query": request.canonical_query,
        "canonical_body": request.canonical_body,
    }


def _compare(index: int, partner: int, left: CanonicalRequest, right: CanonicalRequest, one: Interaction, other: Interaction) -> Pair:
    behaviour, wording = compare_answers(one, other)
    return Pair(index, partner, differences(_as_json(left), _as_json(right)), behaviour, wording)


def _answer_value(interaction: Interaction) -> JsonValue:
    response = interaction.response
    return {
        "status": response.status,
        "stream": isinstance(response, StreamResponse),
        "failure": None if interaction.failure is None else interaction.failure.value,
        "answer": _with_parsed_arguments(assemble_answer(response)),
    }


def _with_parsed_arguments(answer: JsonValue) -> JsonValue:
    """The arguments of tool calls as JSON where they are: their spacing is no difference in behaviour."""
    for function in _functions(answer):
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            try:
                function["arguments"] = parse_json(arguments.encode("utf-8", "surrogatepass"))
            except NotJsonError:
                continue
    return answer


def _functions(answer: JsonValue) -> Iterator[JsonObject]:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    for choice in choices if isinstance(choices, list) else []:
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                yield function


def _is_wording(found: Difference) -> bool:
    """A text that became another text; one that appeared or vanished is another structure."""
    if not _WORDING.fullmatch(found.path):
        return False
    if found.path.startswith("answer.usage") or ".logprobs" in found.path or ".reasoning_details" in found.path:
        return True
    return found.kind is DifferenceKind.CHANGED and isinstance(found.expected, str) and isinstance(found.observed, str)
