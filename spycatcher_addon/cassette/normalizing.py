"""Volatile values inside strings: rules that put a placeholder in their place before a request is hashed and compared.

Only string values of the compared form change, never keys, never what is recorded, forwarded or answered. A rule is one of
the built-in names or a pattern of the user's own, which is checked here, before anything depends on it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from spycatcher_addon.cassette.jsontext import JsonValue

# Every pattern but the path's begins and ends with a letter or digit and tolerates none beside it. Two of them can therefore
# never stand side by side, so putting one placeholder in makes no other rule match: a second pass changes nothing.
_START, _END = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
_DATE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SECONDS = r":[0-5][0-9](?:[.,][0-9]{1,9})?"
_ZONE = r"(?:[Zz]|[+-][0-9]{2}:?[0-9]{2}| UTC)?"
_COMPACT = r"[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9](?:[Zz]|[+-][0-9]{4})?"
_PLACEHOLDER = r"<(?:timestamp|uuid|hex_id|epoch|temp_path)>"
_AFTER_PLACEHOLDER = "".join(rf"(?<!<{name}>)" for name in ("timestamp", "uuid", "hex_id", "epoch", "temp_path"))
_PATH_REST = rf"""(?:[^\s"'`,;:()<>\[\]{{}}|*?]|{_PLACEHOLDER})+(?<![.!])"""

BUILT_IN: Final[Mapping[str, str]] = {
    "timestamp": rf"{_START}(?:{_DATE}(?:[Tt]{_CLOCK}(?:{_SECONDS})?| {_CLOCK}{_SECONDS}){_ZONE}|{_COMPACT}){_END}",
    "uuid": rf"{_START}[0-9A-Fa-f]{{8}}-(?:[0-9A-Fa-f]{{4}}-){{3}}[0-9A-Fa-f]{{12}}{_END}",
    "hex_id": rf"{_START}(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{{16,128}}{_END}",
    "epoch": rf"{_START}(?:1[0-9]{{12}}|1[0-9]{{9}}(?:\.[0-9]{{1,9}})?){_END}",
    "temp_path": (
        rf"(?:(?<![0-9A-Za-z_.~/-]){_AFTER_PLACEHOLDER}(?:/private)?/(?:tmp|var/tmp|var/folders)/"
        rf"|{_START}[A-Za-z]:[\\/](?:Users[\\/][^\\/\s]+[\\/]AppData[\\/]Local[\\/]Temp|Windows[\\/]Temp|Temp)[\\/]){_PATH_REST}"
    ),
}
"""Name -> pattern, in the order in which they are applied."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_KEYS = ("name", "pattern", "replacement")
_TOKEN = re.compile(
    r"(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<atomic>\(\?>)"
    r"|(?P<open>\((?:\?(?:P?<[A-Za-z_]\w*>|<?[=!]|[A-Za-z-]*:|#[^)]*(?=\))|P=\w+|\([^)]*\)|[A-Za-z]+(?=\))))?)|(?P<close>\))|(?P<branch>\|)"
    r"|(?P<repeat>[*+?]|\{[0-9]*(?:,[0-9]*)?\})(?P<manner>[+?]?)|.",
    re.DOTALL,
)
_FEW = 3
"""A group of many meanings may be repeated this often."""


@dataclass(frozen=True, slots=True)
class NormalizeRule:
    """One rule; a built-in one has the pattern of its name."""

    name: str
    pattern: str
    """As Python's ``re`` reads it."""
    replacement: str
    """What stands for every match, taken literally."""

    @property
    def is_built_in(self) -> bool:
        """Whether the name says all."""
        return self.name in BUILT_IN

    def as_json(self) -> JsonValue:
        """The rule as a cassette notes it and a configuration spells it."""
        return self.name if self.is_built_in else {"name": self.name, "pattern": self.pattern, "replacement": self.replacement}


def normalize_strings(value: JsonValue, rules: Sequence[NormalizeRule]) -> JsonValue:
    """Replace every match in every string value; what has none stays the same object.

    Args:
        rules: As :func:`parse_normalize_rules` gives them; applied one after the other.

    >>> normalize_strings({"at": "seen 2026-01-02T03:04:05Z"}, parse_normalize_rules(["timestamp"]))
    {'at': 'seen <timestamp>'}
    """
    if isinstance(value, str):
        text: str = value
        for rule in rules:
            text = _replace(text, rule)
        return text
    if isinstance(value, dict):
        members = {key: normalize_strings(member, rules) for key, member in value.items()}
        return members if any(members[key] is not value[key] for key in members) else value
    if isinstance(value, list):
        elements = [normalize_strings(element, rules) for element in value]
        return elements if any(new is not old for new, old in zip(elements, value, strict=True)) else value
    return value


def parse_normalize_rules(given: object) -> tuple[NormalizeRule, ...]:
    """Read rules: names of built-in ones, ``NAME=PATTERN``, or tables of ``name``, ``pattern`` and, if wanted, ``replacement``.

    Returns:
        The built-in ones first, in their own order, so that the order they are named in changes no hash; then the others.

    Raises:
        ValueError: One cannot be used; the text says which, why, and what to do.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"not a list of rules; the built-in ones are {', '.join(BUILT_IN)}")
    named: dict[str, NormalizeRule] = {}
    for position, value in enumerate(given):
        rule = _parse_rule(value, f"rule {position}")
        if rule.name in named and named[rule.name] != rule:
            raise ValueError(f"rule {position}: the name {rule.name!r} is given twice; give each rule a name of its own")
        named[rule.name] = rule
    return (*(named[name] for name in BUILT_IN if name in named), *(rule for rule in named.values() if not rule.is_built_in))


def _parse_rule(value: object, place: str) -> NormalizeRule:
    if isinstance(value, NormalizeRule):
        return value
    if isinstance(value, str):
        if value in BUILT_IN:
            return NormalizeRule(value, BUILT_IN[value], f"<{value}>")
        own_name, equals, own_pattern = value.partition("=")
        if not equals:
            raise ValueError(
                f"{place}: {value!r} is no built-in rule; use one of {', '.join(BUILT_IN)}, or NAME=PATTERN for one of your own"
            )
        value = {"name": own_name.strip(), "pattern": own_pattern}
    if not isinstance(value, Mapping):
        raise ValueError(f"{place}: it is neither a name nor a table with name and pattern")
    unknown = [str(key) for key in value if key not in _KEYS]
    if unknown:
        raise ValueError(f"{place}: unknown key {unknown[0]!r}; a rule has {', '.join(_KEYS)}")
    name, pattern = value.get("name"), value.get("pattern")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{place}: it needs a name of letters, digits, _ and -, beginning with a letter")
    if name in BUILT_IN:
        raise ValueError(f"{place}: {name!r} is the name of a built-in rule; choose another name, or give the name alone")
    replacement = value.get("replacement", f"<{name}>")
    if not isinstance(pattern, str) or not isinstance(replacement, str):
        raise ValueError(f"{place} ({name}): pattern and replacement must be texts")
    _check_pattern(pattern, f"{place} ({name})")
    return NormalizeRule(name, pattern, replacement)


def _check_pattern(pattern: str, place: str) -> None:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{place}: the pattern {pattern!r} is no regular expression: {error}; correct it") from error
    if compiled.search("") is not None:
        raise ValueError(f"{place}: the pattern {pattern!r} matches the empty text, so it would match everywhere; make it match something")
    if _can_explode(pattern):
        raise ValueError(
            f"{place}: the pattern {pattern!r} repeats a group that has a repetition or an alternative in it, which can take for ever; "
            "make the repetition possessive, as in (...)++, or the group atomic, as in (?>...)"
        )


def _can_explode(pattern: str) -> bool:
    """Whether a repetition that gives back stands around a part that can match one text in several ways."""
    varies, atomic = [False], [False]
    """Per open group, innermost last: whether its content can match in several ways, and whether it gives nothing back."""
    is_last_varying = False
    """Whether the item before was a group whose content can."""
    for match in _TOKEN.finditer(pattern):
        was_varying, is_last_varying = is_last_varying, False
        if match["open"] or match["atomic"]:
            varies.append(False)
            atomic.append(match["atomic"] is not None)
        elif match["close"] and len(varies) > 1:
            content_varies, is_atomic = varies.pop(), atomic.pop()
            is_last_varying = content_varies and not is_atomic
            varies[-1] = varies[-1] or is_last_varying
        elif match["branch"]:
            varies[-1] = True
        elif match["repeat"] and match["manner"] != "+":
            least, most = _counts(match["repeat"])
            if was_varying and most > _FEW:
                return True
            varies[-1] = varies[-1] or least != most
    return False


def _counts(repeat: str) -> tuple[float, float]:
    """How often a repetition repeats, at least and at most."""
    if repeat in "*+?":
        return {"*": (0, math.inf), "+": (1, math.inf), "?": (0, 1)}[repeat]
    least, comma, most = repeat[1:-1].partition(",")
    return float(least or 0), float(most or math.inf) if comma else float(least or 0)


def _replace(text: str, rule: NormalizeRule) -> str:
    # An empty match (a word boundary, say) is nothing volatile.
    replaced = _compiled(rule.pattern).sub(lambda match: rule.replacement if match[0] else "", text)
    return text if replaced == text else replaced


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
