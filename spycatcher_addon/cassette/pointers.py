"""Ignored paths: their two spellings, and taking what they name out of a JSON value.

A path is a JSON Pointer (RFC 6901), where the token ``*`` stands for every element of an array. Configuration also takes the
dotted spelling that diffs print (``messages[0].content``), so that a path can be copied from a diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.errors import InvalidPointerPathError

_EVERY = "*"
_LARGEST_INDEX = 2**64 - 1
_BAD_TILDE = re.compile(r"~(?![01])")
_PADDED_NUMBER = re.compile(r"0[0-9]+")
_INDEX = re.compile(r"0|[1-9][0-9]*")
_DOTTED_PATH = re.compile(r"(?:[^.\[\]]+|\[(?:\*|[0-9]+)\])(?:\.[^.\[\]]+|\[(?:\*|[0-9]+)\])*")
_DOTTED_TOKEN = re.compile(r"[^.\[\]]+")
_BODY_PREFIX = re.compile(r"canonical_body(?:\.|(?=\[)|\Z)")


@dataclass(slots=True)
class PointerTree:
    """Pointers merged by their tokens, so that one walk removes them all and array indexes stay those of the original."""

    pointer: str = ""
    """A pointer that leads here, to be named in an error."""
    is_removed: bool = False
    children: dict[str, PointerTree] = field(default_factory=dict)


def parse_pointers(pointers: Iterable[str]) -> PointerTree:
    """Read JSON Pointers.

    Raises:
        InvalidPointerPathError: A pointer is empty, does not start with ``/``, has a ``~`` that is no escape, or a number
            with a leading zero as a token.
    """
    root = PointerTree()
    for pointer in pointers:
        node = root
        for token in _tokens(pointer):
            node = node.children.setdefault(token, PointerTree(pointer))
        node.is_removed = True
    return root


def remove_pointers(value: JsonValue, pointers: PointerTree) -> JsonValue:
    """Copy a value without what the pointers name; parts that do not change are shared with the original.

    A pointer to nothing has no effect; emptied parents stay; removing array elements closes the gaps.

    Raises:
        InvalidPointerPathError: A pointer has neither an index nor ``*`` where the value has an array.
    """
    return _remove(value, [pointers]) if pointers.children else value


def pointer_from_config(text: str) -> str:
    """Turn a configured path into a JSON Pointer.

    Args:
        text: A JSON Pointer, or the dotted spelling of a diff with or without its leading ``canonical_body.``, with ``[n]``,
            ``[*]`` or ``.*.`` for array elements. Keys with ``.``, ``[`` or ``]`` need the pointer.

    Raises:
        InvalidPointerPathError: It is neither, or names something other than a part of the body.

    >>> pointer_from_config("canonical_body.messages[*].content")
    '/messages/*/content'
    """
    pointer = text
    if not text.startswith("/"):
        dotted = _BODY_PREFIX.sub("", text, count=1) if text.startswith("canonical_body") else text
        # The query is compared whole; a diff prints it, but no path can leave it out.
        if dotted == "canonical_query" or not _DOTTED_PATH.fullmatch(dotted):
            raise InvalidPointerPathError(text)
        tokens = _DOTTED_TOKEN.findall(dotted)
        pointer = "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)
    try:
        _tokens(pointer)
    except InvalidPointerPathError as error:
        raise InvalidPointerPathError(text) from error
    return pointer


def _tokens(pointer: str) -> list[str]:
    tokens = pointer.split("/")
    if len(tokens) < 2 or tokens[0] or _BAD_TILDE.search(pointer) or any(map(_PADDED_NUMBER.fullmatch, tokens)):
        raise InvalidPointerPathError(pointer)
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens[1:]]


def _remove(value: JsonValue, nodes: list[PointerTree]) -> JsonValue:
    """Apply all nodes that have led to this value at once: one after the other, indexes would shift between them."""
    if isinstance(value, dict):
        return _remove_members(value, nodes)
    if isinstance(value, list):
        return _remove_elements(value, nodes)
    return value


def _remove_members(members: dict[str, JsonValue], nodes: list[PointerTree]) -> JsonValue:
    changed: dict[str, JsonValue] | None = None
    for key in dict.fromkeys(token for node in nodes for token in node.children):
        if key not in members:
            continue
        below = [node.children[key] for node in nodes if key in node.children]
        kept = _remove(members[key], below)  # also under a removed member: a path that does not fit must be told
        if any(node.is_removed for node in below):
            changed = dict(members) if changed is None else changed
            del changed[key]
        elif kept is not members[key]:
            changed = dict(members) if changed is None else changed
            changed[key] = kept
    return members if changed is None else changed


def _remove_elements(elements: list[JsonValue], nodes: list[PointerTree]) -> JsonValue:
    for node in nodes:
        for token, child in node.children.items():
            if token != _EVERY and not (_INDEX.fullmatch(token) and len(token) <= 20 and int(token) <= _LARGEST_INDEX):
                raise InvalidPointerPathError(child.pointer)
    every = [node.children[_EVERY] for node in nodes if _EVERY in node.children]
    has_indexes = any(token != _EVERY for node in nodes for token in node.children)
    kept: list[JsonValue] = []
    is_changed = False
    for index, element in enumerate(elements):
        below = every
        if has_indexes:
            token = str(index)
            below = every + [node.children[token] for node in nodes if token in node.children]
        remaining = _remove(element, below) if below else element
        is_removed = any(node.is_removed for node in below)
        is_changed = is_changed or is_removed or remaining is not element
        if not is_removed:
            kept.append(remaining)
    return kept if is_changed else elements
