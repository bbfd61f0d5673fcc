"""JSON text to values and back, exactly as hashes and diffs need it.

Stricter than :mod:`json` where that module accepts more than RFC 8259 (``NaN``, lone surrogates, unbounded nesting), and with
one fixed spelling per number. The C scanner and the C printer of the standard library do the work; only what they would
get wrong is done here. Where orjson prints the very same, it does so ten times faster.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from types import ModuleType
from typing import Any

type JsonValue = None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]
"""A JSON value. Integers are those of the 64-bit ranges, all other numbers are floats; ``1`` and ``1.0`` are different."""

MAX_DEPTH = 127
"""Arrays and objects that may stand inside each other."""

_SMALLEST_INT = -(2**63)
_LARGEST_INT = 2**64 - 1
_LONGEST_INT = 20
"""Characters of the longest token that can be a 64-bit integer; also keeps :func:`int` off its 4,300 digit limit."""

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F])|\\.")
"""One escape at a time, so that ``\\\\ud800`` is read as an escaped backslash; group 1 is a surrogate without its partner."""
_PADDED_EXPONENT = re.compile(r"-0[5-9](?:[,\]}]|\Z)")
"""Starts with a plain character, which the engine looks for much faster than for a class."""
_STRING_OR_PADDED_EXPONENT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(-?)(\d)(?:\.(\d+))?e-0(\d)')
_CONTAINERS = frozenset({list, dict})
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"


class NotJsonError(ValueError):
    """The bytes are not one JSON text (or, when printing, the value has no JSON text); the message says why."""


def parse_json(body: bytes) -> JsonValue:
    """Read one JSON text in UTF-8 (RFC 8259).

    Floats are correctly rounded; integers outside the signed and unsigned 64-bit ranges become floats; ``-0`` is ``-0.0``.
    Of duplicate keys the last value wins, at the place of the first.

    Raises:
        NotJsonError: A byte order mark, invalid UTF-8, a lone surrogate, ``NaN``, a number beyond the double range,
            more than :data:`MAX_DEPTH` levels, or any breach of the grammar.
    """
    try:
        text = body.decode("utf-8")
        value: JsonValue = _DECODER.decode(text)
    except NotJsonError:
        raise
    except UnicodeDecodeError as error:
        raise NotJsonError(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise NotJsonError(str(error)) from error
    except RecursionError as error:
        raise NotJsonError(_TOO_DEEP) from error
    if len(body) > 2 * MAX_DEPTH and (_has_many(body, b"[") or _has_many(body, b"{")) and _is_too_deep(value):
        raise NotJsonError(_TOO_DEEP)
    if "\\" in text and _SURROGATE_ESCAPE.search(text) and any(escape[1] for escape in _ESCAPE.finditer(text)):
        raise NotJsonError("lone surrogate escape")
    return value


def encode_canonical(value: JsonValue) -> str:
    """Print a value compactly, keys sorted by code point, non-ASCII raw, numbers in their one spelling.

    Floats have the shortest digits that read back; from 1e-5 up to below 1e16 without exponent, else ``d.ddde±x``.

    Raises:
        NotJsonError: The value was not made by :func:`parse_json`, and has too many levels or no text.
    """
    if _orjson is not None:
        try:
            printed: bytes = _orjson.dumps(value, option=_orjson.OPT_SORT_KEYS)
            return printed.decode("utf-8")
        except TypeError:
            pass  # beyond what it prints
    return _print_exactly(value)


def _print_exactly(value: JsonValue) -> str:
    try:
        text = _ENCODER.encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotJsonError(f"cannot be printed as JSON: {error}") from error
    # Python pads one-digit negative exponents and turns to exponents one decade early. The cheap test may also hit inside a
    # string; the substitution steps over strings.
    if _PADDED_EXPONENT.search(text):
        return _STRING_OR_PADDED_EXPONENT.sub(_respell, text)
    return text


def encode_string(text: str) -> str:
    """Print a string like :func:`encode_canonical`, without its care for numbers."""
    return json.encoder.encode_basestring(text)


def format_scalar(value: None | bool | int | float | str) -> str:
    """Print a scalar as it stands in a diff line: like :func:`encode_canonical`."""
    return encode_canonical(value)


def _respell(match: re.Match[str]) -> str:
    sign, first, rest, exponent = match.groups(default="")
    if not first:
        return match[0]
    if exponent == "5":
        return f"{sign}0.0000{first}{rest}"
    return f"{sign}{first}.{rest}e-{exponent}" if rest else f"{sign}{first}e-{exponent}"


def _has_many(body: bytes, bracket: bytes) -> bool:
    """Whether a bracket occurs in half as many places as make too many levels. Finding so many is faster than counting all."""
    at = -1
    for _ in range(MAX_DEPTH // 2 + 1):
        at = body.find(bracket, at + 1)
        if at < 0:
            return False
    return True


def _is_too_deep(value: JsonValue) -> bool:
    """Walk level by level, without recursion, and only through containers. A member that a duplicate key replaced is not seen."""
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        items = chain.from_iterable(outer.values() if type(outer) is dict else outer for outer in level)
        level = [item for item in items if type(item) in _CONTAINERS]
    return bool(level)


def _parse_int(token: str) -> int | float:
    if len(token) <= _LONGEST_INT:
        number = int(token)
        if number == 0 and token[0] == "-":
            return -0.0
        if _SMALLEST_INT <= number <= _LARGEST_INT:
            return number
    return _parse_float(token)


def _parse_float(token: str) -> float:
    number = float(token)
    if number in _INFINITIES:
        raise NotJsonError(f"number out of range: {token[:40]}")
    return number


def _refuse_constant(token: str) -> JsonValue:
    raise NotJsonError(f"{token} is not JSON")


_INFINITIES = (float("inf"), float("-inf"))
_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_float=_parse_float, parse_constant=_refuse_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":"))

_PROBES: JsonValue = {
    "b": [1e15, 1e16, 1.5e300, 1e-5, 1.25e-5, 1e-6, 5e-324, -0.0, 0.1, 2**64 - 1, -(2**63)],
    "a": '\x00\x1f\x7f\u2028é/"\\',
}


def _usable_orjson() -> ModuleType | None:
    """The library, if it is there and prints as hashes need it: how it spells exponents has changed between its versions."""
    try:
        import orjson
    except ImportError:
        return None
    return orjson if orjson.dumps(_PROBES, option=orjson.OPT_SORT_KEYS).decode("utf-8") == _print_exactly(_PROBES) else None


_orjson = _usable_orjson()
