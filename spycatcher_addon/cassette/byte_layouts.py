"""How bytes stand readably in a cassette of format 2 and still come back exactly (docs/cassette-format.md, "Byte fields").

A JSON body is kept as JSON if one of five known printings gives the very same bytes again; other UTF-8 is kept as lines of
text, anything else as base64. Every choice is made by encoding back and comparing, so odd numbers, spacing or duplicate keys
need no rules of their own: the comparison fails and a later form is taken.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable
from typing import Final, NoReturn

from spycatcher_addon.cassette.fields import JsonObject, MalformedFieldError, depth_exceeds, join, required, shown, text_at, texts_at
from spycatcher_addon.cassette.jsontext import JsonValue

MAX_JSON_DEPTH: Final = 100
"""Deeper values are kept as text, so that every JSON reader can load the file."""

_BASE64_LINE_BYTES: Final = 96


def _printer(*, is_ascii: bool, separators: tuple[str, str]) -> Callable[[JsonValue], str]:
    # Values come from JSON text, so they cannot hold themselves; not looking for that makes small values half as dear.
    return json.JSONEncoder(ensure_ascii=is_ascii, allow_nan=False, check_circular=False, separators=separators).encode


print_compact: Final = _printer(is_ascii=False, separators=(",", ":"))
"""JSON on one line without spaces; raises :class:`ValueError` for infinity, which JSON cannot spell."""


def print_indented(value: JsonValue, newline: str = "\n") -> str:
    r"""Print JSON with two spaces per level, one member or element per line, as ``json.dumps(value, indent=2)`` does.

    Args:
        newline: ``\n`` and the indentation of the line the value begins on.
    """
    inner = newline + "  "
    if isinstance(value, dict) and value:
        members = (f"{print_compact(key)}: {print_indented(item, inner)}" for key, item in value.items())
        return "{" + inner + ("," + inner).join(members) + newline + "}"
    if isinstance(value, list) and value:
        return "[" + inner + ("," + inner).join(print_indented(item, inner) for item in value) + newline + "]"
    return print_compact(value)


LAYOUTS: Final[dict[str, Callable[[JsonValue], str]]] = {
    "compact": print_compact,
    "compact-ascii": _printer(is_ascii=True, separators=(",", ":")),
    "spaced": _printer(is_ascii=False, separators=(", ", ": ")),
    "spaced-ascii": _printer(is_ascii=True, separators=(", ", ": ")),
    "indent2": print_indented,
}
"""The known printings, in the order they are tried."""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODE: Final = json.JSONDecoder(parse_constant=_refuse_constant).decode


def select_layout(text: str) -> tuple[str, JsonValue] | None:
    """Find the printing that turns the JSON value of ``text`` into exactly ``text`` again.

    Returns:
        Name of the layout and the value; ``None`` when ``text`` is not JSON or no layout reproduces it.
    """
    # Text of another kind is the common case in streams; a failing parse costs more than a look at the first character.
    if not text or text[0] not in '{["-0123456789tfn':
        return None
    try:
        value: JsonValue = _DECODE(text)
        if "\\u" in text:
            print_compact(value).encode("utf-8")  # half a character can be escaped, but not stored raw in the cassette
        if text.count("{") + text.count("[") > MAX_JSON_DEPTH and depth_exceeds(value, MAX_JSON_DEPTH):
            return None
        for name, encode in LAYOUTS.items():
            if (name != "indent2" or text[1:2] == "\n") and encode(value) == text:
                return name, value
    except (ValueError, RecursionError):
        return None
    return None


def encode_with_layout(value: JsonValue, layout: str, place: str) -> str:
    """Print a value that was read from a cassette the way its layout says.

    Raises:
        MalformedFieldError: The layout is unknown, or the value has a number that no JSON text could have held.
    """
    if layout not in LAYOUTS:
        raise MalformedFieldError(join(place, "layout"), f"unknown layout {shown(layout)}; known are {', '.join(LAYOUTS)}")
    try:
        return LAYOUTS[layout](value)
    except ValueError:
        raise MalformedFieldError(join(place, "json"), "a number is beyond the range of a double") from None


def encode_byte_field(data: bytes, newline: str) -> str:
    r"""Print bytes as the object that stands for them.

    Args:
        newline: ``\n`` and the indentation of the line the object begins on.
    """
    inner = newline + "  "
    selected = select_layout(text) if (text := _text_or_none(data)) is not None else None
    if selected is None:
        return "{" + inner + encode_plain_bytes(data, inner) + newline + "}"
    layout, value = selected
    return f'{{{inner}"layout": "{layout}",{inner}"sha256": "{sha256(data)}",{inner}"json": {print_indented(value, inner)}{newline}}}'


def encode_plain_bytes(data: bytes, newline: str) -> str:
    """Print the member ``text`` or, when the bytes are not UTF-8, ``base64``."""
    text = _text_or_none(data)
    if text is None:
        lines = [data[start : start + _BASE64_LINE_BYTES] for start in range(0, len(data), _BASE64_LINE_BYTES)]
        return '"base64": ' + print_indented([base64.b64encode(line).decode("ascii") for line in lines], newline)
    return '"text": ' + print_indented(list(text.split("\n")) if text else [], newline)


def parse_byte_field(field: JsonObject, place: str) -> bytes:
    """Give back the bytes that an object of a cassette stands for.

    Raises:
        MalformedFieldError: The object is not one of the three forms, or its bytes are not those recorded.
    """
    if "layout" not in field and "json" not in field:
        return parse_plain_bytes(field, place, "json")
    if "text" in field or "base64" in field:
        raise MalformedFieldError(place, 'expected exactly one of "json", "text" and "base64"')
    text = encode_with_layout(required(field, "json", place), text_at(field, "layout", place), place)
    data = text.encode("utf-8")
    verify_sha256(data, field, "sha256", place)
    return data


def parse_plain_bytes(field: JsonObject, place: str, other: str) -> bytes:
    """Read ``text`` or ``base64``; ``other`` is the form the caller reads itself, for the message."""
    if ("text" in field) == ("base64" in field):
        raise MalformedFieldError(place, f'expected exactly one of "{other}", "text" and "base64"')
    if "text" in field:
        return "\n".join(texts_at(field, "text", place)).encode("utf-8")
    try:
        return base64.b64decode("".join(texts_at(field, "base64", place)), validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedFieldError(f"{place}.base64", f"not base64: {error}") from None


def sha256(data: bytes) -> str:
    """Give the SHA-256 as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def verify_sha256(data: bytes, field: JsonObject, key: str, place: str) -> None:
    """Refuse bytes that are not the recorded ones.

    Raises:
        MalformedFieldError: The digest is missing or another.
    """
    if text_at(field, key, place) != sha256(data):
        raise MalformedFieldError(
            f"{place}.{key}",
            "the SHA-256 is not that of the recorded bytes: a formatter sorted keys or rewrote numbers, or the value was edited",
        )


def _text_or_none(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
