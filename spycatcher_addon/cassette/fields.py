"""Typed access to the members of a parsed cassette, for the readers of every format version.

Decides what each kind of field may hold and how a wrong one is named; knows neither files nor versions. Booleans are not
integers here, and ``1.0`` is not one either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.exchange import Headers

type JsonObject = dict[str, JsonValue]

MAX_STATUS: Final = 2**16 - 1
"""What the formats can hold. A status no client could be sent is refused when it is replayed, not when it is read."""
MAX_UNSIGNED: Final = 2**64 - 1

_WORD: Final = re.compile(r"[a-z][a-z_-]{0,23}[0-9]?")
"""Whatever a format has for a key or a choice looks like this."""
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class MalformedFieldError(Exception):
    """A field is missing or of the wrong type; the reader of the file adds file, interaction and cure.

    ``place`` is the path from where reading began (``request.headers[2]``), ``problem`` a clause that follows a colon.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem


def found(value: JsonValue) -> str:
    """Name the JSON type of a value, as it is said in messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a number with a fraction or exponent"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"


def step(key: str) -> str:
    """A key as messages show it. One that no format has could be anything, a secret too: ``*`` stands for it."""
    return key if _WORD.fullmatch(key) else "*"


def shown(text: str) -> str:
    """A value where one of a few words was expected, as messages show it; the length of one that may be anything."""
    return repr(text) if _WORD.fullmatch(text) else f"a text of {len(text)} characters"


def unexpected(place: str, expected: str, value: JsonValue) -> MalformedFieldError:
    """Build the error for a value of another type than the one expected there."""
    return MalformedFieldError(place, f"expected {expected}, found {found(value)}")


def required(members: JsonObject, key: str, place: str) -> JsonValue:
    """Give the member ``key`` of the object at ``place``; raises :class:`MalformedFieldError` when it is missing."""
    if key not in members:
        raise MalformedFieldError(join(place, key), "missing")
    return members[key]


def join(place: str, key: str) -> str:
    """Spell the path of a member, or of what is at ``place`` itself when ``key`` is empty."""
    return f"{place}.{key}" if place and key else place or key


def as_object(value: JsonValue, place: str) -> JsonObject:
    """Take a value as an object."""
    if not isinstance(value, dict):
        raise unexpected(place, "an object", value)
    return value


def object_at(members: JsonObject, key: str, place: str) -> JsonObject:
    """Read a required object."""
    return as_object(required(members, key, place), join(place, key))


def list_at(members: JsonObject, key: str, place: str) -> list[JsonValue]:
    """Read a required array."""
    value = required(members, key, place)
    if not isinstance(value, list):
        raise unexpected(join(place, key), "an array", value)
    return value


def text_at(members: JsonObject, key: str, place: str) -> str:
    """Read a required string."""
    value = required(members, key, place)
    if not isinstance(value, str):
        raise unexpected(join(place, key), "a string", value)
    return value


def optional_text_at(members: JsonObject, key: str, place: str) -> str | None:
    """Read a string that may be ``null`` or absent."""
    return None if members.get(key) is None else text_at(members, key, place)


def texts_at(members: JsonObject, key: str, place: str) -> list[str]:
    """Read a required array of strings."""
    texts = []
    for index, value in enumerate(list_at(members, key, place)):
        if not isinstance(value, str):
            raise unexpected(f"{join(place, key)}[{index}]", "a string", value)
        texts.append(value)
    return texts


def as_integer(value: JsonValue, place: str, high: int) -> int:
    """Take a value as an integer from 0 to ``high``."""
    if type(value) is not int:
        raise unexpected(place, f"an integer from 0 to {high}", value)
    if not 0 <= value <= high:
        shown = str(value) if abs(value) < 10**20 else "one of more than 20 digits"
        raise MalformedFieldError(place, f"expected an integer from 0 to {high}, found {shown}")
    return value


def integer_at(members: JsonObject, key: str, place: str, high: int = MAX_UNSIGNED) -> int:
    """Read a required integer from 0 to ``high``."""
    return as_integer(required(members, key, place), join(place, key), high)


def optional_integer_at(members: JsonObject, key: str, place: str) -> int | None:
    """Read an integer from 0 that may be ``null`` or absent."""
    return None if members.get(key) is None else integer_at(members, key, place)


def headers_at(members: JsonObject, place: str) -> Headers:
    """Read the required ``headers``: an array of ``[name, value]`` pairs."""
    headers = []
    for index, pair in enumerate(list_at(members, "headers", place)):
        match pair:
            case [str(name), str(value)]:
                headers.append((name, value))
            case _:
                raise MalformedFieldError(f"{place}.headers[{index}]", "expected a pair of strings, [name, value]")
    return tuple(headers)


def mentions_surrogates(data: bytes) -> bool:
    r"""Whether a JSON text has escapes (``\ud83d``) that could leave half a character in a string."""
    return _SURROGATE_ESCAPE.search(data) is not None


def reject_lone_surrogates(value: JsonValue, place: str) -> None:
    """Refuse strings with half a character in them: no bytes exist for those.

    Raises:
        MalformedFieldError: A key or a string is affected.
    """
    for where, text in _strings(value, place):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise MalformedFieldError(where, "a string with a lone surrogate, which cannot be sent or stored as UTF-8") from None


def _strings(root: JsonValue, place: str) -> Iterator[tuple[str, str]]:
    pending = [(place, root)]
    while pending:
        where, value = pending.pop()
        match value:
            case str():
                yield where, value
            case list():
                pending.extend((f"{where}[{index}]", item) for index, item in enumerate(value))
            case dict():
                for key, item in value.items():
                    yield where, key
                    pending.append((join(where, step(key)), item))


def depth_exceeds(root: JsonValue, limit: int) -> bool:
    """Whether arrays and objects stand more than ``limit`` deep in one another; works without recursion."""
    level = [root] if isinstance(root, dict | list) else []
    for _ in range(limit):
        if not level:
            return False
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, dict | list)
        ]
    return bool(level)
