"""The faults a replay can be told to put into its answers: what they are, where they strike, how they are written.

A rule is written as a table (``{status = 429, retry_after_s = 1, interaction = 0}``) or in one line
(``status=429,retry_after_s=1,interaction=0``); docs/faults.md lists the keys. Knows nothing of answers or tapes:
:mod:`spycatcher_addon.fault_effects` carries a rule out.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spycatcher_addon.exchange import Ending

ERROR_STATUSES = (429, 500, 503, 529)


@dataclass(frozen=True, slots=True)
class Point:
    """A place in an answer: behind its first ``count`` events (comments count), or bytes of its body."""

    count: int
    is_bytes: bool = False


@dataclass(frozen=True, slots=True)
class Delay:
    """The whole answer comes later."""

    delay_ms: float


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing more comes, and the connection stays open."""

    after: Point


@dataclass(frozen=True, slots=True)
class Cut:
    """The body ends early: cleanly, unfinished, or by a reset."""

    after: Point
    ending: Ending


@dataclass(frozen=True, slots=True)
class DuplicateEvent:
    """One event comes twice in a row."""

    event: int
    """Zero-based, comments counted, as in the recorded stream; the same for the other faults of one event."""


@dataclass(frozen=True, slots=True)
class DropEvent:
    """One event is missing."""

    event: int


@dataclass(frozen=True, slots=True)
class CorruptEvent:
    """The JSON of one event is cut in its middle; its frame stays whole."""

    event: int


@dataclass(frozen=True, slots=True)
class SplitUtf8:
    """Two pieces of the body meet inside a character."""


@dataclass(frozen=True, slots=True)
class ErrorStatus:
    """The provider answers with an error."""

    status: int
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """The connection is reset before any answer."""


type FaultAction = Delay | Stall | Cut | DuplicateEvent | DropEvent | CorruptEvent | SplitUtf8 | ErrorStatus | Refuse


@dataclass(frozen=True, slots=True)
class FaultRule:
    """One fault, and the answers it may strike."""

    action: FaultAction
    interactions: frozenset[int] | None = None
    """Zero-based indexes; ``None`` means all."""
    path: str | None = None
    """The request's path; ``None`` means any."""
    probability: float = 1.0
    times: int = 1
    """How many answers of one interaction it strikes at most."""
    text: str = ""
    """The rule in one line, for messages."""

    @property
    def consumes(self) -> bool:
        """Whether the faulted answer uses up its interaction.

        It does where the client has every reason to be content. After an error it may ask again and finds its answer.
        """
        if isinstance(self.action, Cut):
            return self.action.ending is Ending.COMPLETE
        return not isinstance(self.action, Stall | ErrorStatus | Refuse)

    def may_strike(self, index: int, path: str) -> bool:
        """Whether an interaction answering a request at ``path`` is among those it is meant for."""
        return (self.interactions is None or index in self.interactions) and self.path in (None, path)

    def __str__(self) -> str:
        return self.text


def parse_fault_rules(value: object) -> tuple[FaultRule, ...]:
    """Read the rules of a configuration: a list of tables and one-line texts, or one of these alone.

    Raises:
        ValueError: A rule is not usable; names it by its zero-based place in the list, and the key.
    """
    if isinstance(value, str | Mapping | FaultRule):
        value = [value]
    if not isinstance(value, Sequence):
        raise ValueError("not a list")
    return tuple(parse_fault_rule(f"faults[{number}]", rule) for number, rule in enumerate(value))


def parse_fault_rule(where: str, rule: object) -> FaultRule:
    """Read one rule, a table or a one-line text; ``where`` is its name in messages.

    Raises:
        ValueError: It is not usable; names the key.
    """
    if isinstance(rule, FaultRule):
        return rule
    if isinstance(rule, str):
        rule = _table_from_text(where, rule)
    if not isinstance(rule, Mapping):
        raise ValueError(f"{where} is neither a table nor a text")
    return _RuleReader(where, {str(key): value for key, value in rule.items()}).read()


_PAIR = re.compile(r'\s*(?P<key>[^=,\s]+)\s*(?:=\s*(?P<value>\[[^\]]*\]|"[^"]*"|[^,]*?)\s*)?(?:,|$)')


def _table_from_text(where: str, text: str) -> dict[str, object]:
    """Read ``key=value,key=value``; a key alone is true, a value that is no JSON is text."""
    table: dict[str, object] = {}
    position = 0
    while position < len(text):
        pair = _PAIR.match(text, position)
        if pair is None:
            raise ValueError(f"{where}: {text[position:]!r} is not key=value; write a rule as status=429,interaction=0")
        if pair["key"] in table:
            raise ValueError(f"{where}.{pair['key']} is given twice")
        table[pair["key"]] = True if pair["value"] is None else _value_from_text(pair["value"])
        position = pair.end()
    return table


def _value_from_text(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_ACTION_KEYS = (
    "delay_ms",
    "stall",
    "cut_after_events",
    "cut_after_bytes",
    "duplicate_event",
    "drop_event",
    "corrupt_event",
    "split_utf8",
    "status",
    "refuse",
)
_DETAIL_KEYS = {
    "ending": ("cut_after_events", "cut_after_bytes"),
    "after_events": ("stall",),
    "after_bytes": ("stall",),
    "retry_after_s": ("status",),
}
"""Key -> the actions it says more about."""
_SELECTOR_KEYS = ("interaction", "path", "probability", "times")
_KNOWN_KEYS = (*_ACTION_KEYS, *_DETAIL_KEYS, *_SELECTOR_KEYS)
_ENDINGS = {"clean": Ending.COMPLETE, "unfinished": Ending.UNFINISHED, "reset": Ending.RESET}


class _RuleReader:
    """Checks one rule key by key; every error names rule and key."""

    def __init__(self, where: str, table: dict[str, object]) -> None:
        self._where = where
        self._table = table

    def read(self) -> FaultRule:
        for key in self._table:
            if key not in _KNOWN_KEYS:
                close = difflib.get_close_matches(key.replace("-", "_"), _KNOWN_KEYS, n=1)
                hint = f"did you mean {close[0]}?" if close else f"known keys: {', '.join(_KNOWN_KEYS)}"
                raise ValueError(f"{self._where}.{key} is not known; {hint}")
        kinds = [key for key in _ACTION_KEYS if key in self._table]
        if len(kinds) != 1:
            found = f"it has {' and '.join(kinds)}; make them rules of their own" if kinds else "it has none"
            raise ValueError(f"{self._where} needs exactly one of {', '.join(_ACTION_KEYS)}; {found}")
        for key, actions in _DETAIL_KEYS.items():
            if key in self._table and kinds[0] not in actions:
                raise ValueError(f"{self._where}.{key} goes with {' or '.join(actions)}, not with {kinds[0]}")
        return FaultRule(
            action=self._action(kinds[0]),
            interactions=self._interactions(),
            path=self._path(),
            probability=self._number("probability", 1.0, 1.0),
            times=self._whole("times", 1) if "times" in self._table else 1,
            text=",".join(f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in self._table.items()),
        )

    def _action(self, kind: str) -> FaultAction:
        match kind:
            case "delay_ms":
                return Delay(self._number(kind, 0.0, None))
            case "stall":
                self._only_true(kind)
                return Stall(self._stall_point())
            case "cut_after_events" | "cut_after_bytes":
                return Cut(Point(self._whole(kind, 0), kind == "cut_after_bytes"), self._ending())
            case "duplicate_event":
                return DuplicateEvent(self._whole(kind, 0))
            case "drop_event":
                return DropEvent(self._whole(kind, 0))
            case "corrupt_event":
                return CorruptEvent(self._whole(kind, 0))
            case "split_utf8":
                self._only_true(kind)
                return SplitUtf8()
            case "status":
                return self._error_status()
            case _:
                self._only_true(kind)
                return Refuse()

    def _stall_point(self) -> Point:
        if "after_events" in self._table and "after_bytes" in self._table:
            raise ValueError(f"{self._where} has after_events and after_bytes; keep one")
        key = "after_bytes" if "after_bytes" in self._table else "after_events"
        return Point(self._whole(key, 0) if key in self._table else 0, key == "after_bytes")

    def _ending(self) -> Ending:
        value = self._table.get("ending", "clean")
        if not isinstance(value, str) or value not in _ENDINGS:
            raise self._wrong("ending", f"one of {', '.join(_ENDINGS)}")
        return _ENDINGS[value]

    def _error_status(self) -> ErrorStatus:
        status = self._whole("status", 0)
        if status not in ERROR_STATUSES:
            raise self._wrong("status", f"one of {', '.join(map(str, ERROR_STATUSES))}")
        return ErrorStatus(status, self._whole("retry_after_s", 0) if "retry_after_s" in self._table else None)

    def _interactions(self) -> frozenset[int] | None:
        if "interaction" not in self._table:
            return None
        value = self._table["interaction"]
        indexes = value if isinstance(value, list | tuple) else [value]
        if not indexes or not all(type(index) is int and index >= 0 for index in indexes):
            raise self._wrong("interaction", "an index counted from 0, or a list of them")
        return frozenset(indexes)

    def _path(self) -> str | None:
        value = self._table.get("path")
        if value is None or (isinstance(value, str) and value.startswith("/")):
            return value
        raise self._wrong("path", "the path of requests, such as /v1/chat/completions")

    def _number(self, key: str, default: float, most: float | None) -> float:
        value = self._table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= (most or 1e12):
            raise self._wrong(key, "a number, 0 or more" if most is None else f"a number from 0 to {most:g}")
        return float(value)

    def _whole(self, key: str, least: int) -> int:
        value = self._table[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self._wrong(key, f"a whole number, {least} or more")
        return value

    def _only_true(self, key: str) -> None:
        if self._table[key] is not True:
            raise self._wrong(key, "true; leave the rule out to switch it off")

    def _wrong(self, key: str, expected: str) -> ValueError:
        return ValueError(f"{self._where}.{key} is {json.dumps(self._table[key], default=str)}; expected {expected}")
