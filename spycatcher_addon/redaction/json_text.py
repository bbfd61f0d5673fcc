"""The strings of a JSON text and where they stand, so that one can be changed without printing the rest anew."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spycatcher_addon.cassette.pointers import PointerTree

_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_EVERY: Final = "*"


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A scalar or a member's name; or a whole value that a pointer names, with all that is in it."""

    start: int
    end: int
    """Quotes included."""
    path: tuple[str | int, ...]
    """Names and indexes that lead to the value, or to the object that has the member."""
    is_name: bool = False
    is_named: bool = False
    """A pointer names this value."""

    def is_string(self, text: str) -> bool:
        """Whether this is a string in ``text``."""
        return text[self.start] == '"'


@dataclass(slots=True)
class _Container:
    is_array: bool
    key: str | int
    nodes: list[PointerTree]
    start: int
    is_named: bool


def json_parts(text: str, pointers: PointerTree | None = None) -> Iterator[JsonPart]:
    """Walk a JSON text, which must be one, without recursion.

    Args:
        pointers: What they name is given as one part. A pointer that does not fit is one to nothing.
    """
    stack: list[_Container] = []
    root = [] if pointers is None else [pointers]
    expects_name = False
    hidden = 0
    """How many named containers stand around: what is inside is part of theirs."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == ":":
            expects_name = False
        elif token == ",":
            top = stack[-1]
            expects_name = not top.is_array
            if isinstance(top.key, int):
                top.key += 1
        elif token in "}]":
            closed = stack.pop()
            hidden -= closed.is_named
            if closed.is_named and not hidden:
                yield JsonPart(closed.start, match.end(), _path(stack), is_named=True)
            expects_name = False
        elif expects_name and token[0] == '"':
            stack[-1].key = str(json.loads(token, strict=False))
            if not hidden:
                yield JsonPart(match.start(), match.end(), _path(stack[:-1]), is_name=True)
        else:
            nodes = _below(stack[-1]) if stack else root
            is_named = any(node.is_removed for node in nodes)
            if token in "{[":
                stack.append(_Container(token == "[", 0 if token == "[" else "", nodes, match.start(), is_named))
                hidden += is_named
                expects_name = token == "{"
            elif not hidden:
                yield JsonPart(match.start(), match.end(), _path(stack), is_named=is_named)


def _below(container: _Container) -> list[PointerTree]:
    key = str(container.key)
    found = [node.children[key] for node in container.nodes if key in node.children]
    if container.is_array:
        found += [node.children[_EVERY] for node in container.nodes if _EVERY in node.children]
    return found


def _path(stack: list[_Container]) -> tuple[str | int, ...]:
    return tuple(container.key for container in stack)
