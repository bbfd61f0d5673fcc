"""Field-level differences between an expected and an observed JSON value, and how they are told.

:func:`diff_summary` is complete and its text is stable, for programs; :func:`excerpt` is bounded, for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from spycatcher_addon.cassette.jsontext import JsonValue, format_scalar

_ROOT = "(root)"
_CONTEXT_SHARE = 3
"""One n-th of a shortened value shows what stands before the first difference."""


class DifferenceKind(StrEnum):
    """What happened to a field on the way from expected to observed."""

    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs."""

    kind: DifferenceKind
    path: str
    """Keys joined by dots, array elements as ``[n]``; ``(root)`` for the whole value."""
    expected: JsonValue
    """``None`` also when ``kind`` is ``added``."""
    observed: JsonValue
    """``None`` also when ``kind`` is ``removed``."""

    @property
    def line(self) -> str:
        """The difference as one line, values in full."""
        return self._line(_format(self.expected), _format(self.observed))

    def excerpt(self, max_value_chars: int) -> str:
        """The difference as one line, with long strings cut to the part around the first place where they differ."""
        start = 0
        if isinstance(self.expected, str) and isinstance(self.observed, str):
            start = max(0, common_prefix_length(self.expected, self.observed) - max_value_chars // _CONTEXT_SHARE)
        return self._line(*(_format(_cut(value, start, max_value_chars)) for value in (self.expected, self.observed)))

    def _line(self, expected: str, observed: str) -> str:
        match self.kind:
            case DifferenceKind.REMOVED:
                return f"removed: {self.path}"
            case DifferenceKind.ADDED:
                return f"added: {self.path}: {observed}"
            case DifferenceKind.CHANGED:
                return f"changed: {self.path}: {expected} -> {observed}"
            case _ as unreachable:
                assert_never(unreachable)


def differences(expected: JsonValue, observed: JsonValue) -> tuple[Difference, ...]:
    """Compare two values.

    Objects: removed keys, added keys, then common keys, each group by code point. Arrays: index by index, moved elements are
    not looked for. ``1`` and ``1.0`` differ, ``0.0`` and ``-0.0`` do not.
    """
    return tuple(_walk(expected, observed, ""))


def diff_summary(found: Iterable[Difference]) -> str:
    """Print all differences in full, one per line; the empty string when there are none."""
    return "\n".join(difference.line for difference in found)


def excerpt(found: Sequence[Difference], max_lines: int = 12, max_value_chars: int = 160) -> str:
    """Print differences for a person: at most ``max_lines``, then how many more there are, long strings shortened."""
    lines = [difference.excerpt(max_value_chars) for difference in found[:max_lines]]
    left_out = len(found) - len(lines)
    if left_out:
        lines.append(f"and {left_out} more {'difference' if left_out == 1 else 'differences'}")
    return "\n".join(lines)


def common_prefix_length(left: str, right: str) -> int:
    """Count the leading characters two strings share, in a logarithmic number of slice comparisons."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _walk(expected: JsonValue, observed: JsonValue, path: str) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key in sorted(expected.keys() - observed.keys()):
            yield Difference(DifferenceKind.REMOVED, _key_path(path, key), expected[key], None)
        for key in sorted(observed.keys() - expected.keys()):
            yield Difference(DifferenceKind.ADDED, _key_path(path, key), None, observed[key])
        for key in sorted(expected.keys() & observed.keys()):
            yield from _walk(expected[key], observed[key], _key_path(path, key))
    elif isinstance(expected, list) and isinstance(observed, list):
        shared = min(len(expected), len(observed))
        for index in range(shared):
            yield from _walk(expected[index], observed[index], f"{path}[{index}]")
        for index in range(shared, len(expected)):
            yield Difference(DifferenceKind.REMOVED, f"{path}[{index}]", expected[index], None)
        for index in range(shared, len(observed)):
            yield Difference(DifferenceKind.ADDED, f"{path}[{index}]", None, observed[index])
    elif type(expected) is not type(observed) or expected != observed:  # Python holds 1, 1.0 and True for equal
        yield Difference(DifferenceKind.CHANGED, path or _ROOT, expected, observed)


def _key_path(path: str, key: str) -> str:
    return f"{path}{key}" if not path or key.startswith("[") else f"{path}.{key}"


def _format(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "{...}"
    if isinstance(value, list):
        return "[...]"
    return format_scalar(value)


def _cut(value: JsonValue, start: int, max_chars: int) -> JsonValue:
    """Cut a string that is too long to the piece from ``start`` on; marks of omission stand inside the quotes."""
    if not isinstance(value, str) or len(value) <= max_chars:
        return value
    start = min(start, len(value) - max_chars)
    end = start + max_chars
    return f"{'…' if start else ''}{value[start:end]}{'…' if end < len(value) else ''}"
