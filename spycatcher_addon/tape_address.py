"""How a request names its tape where one server holds many: ``/_tape/<token>/v1/...``, or a header field.

A token is a random name that whoever opened the tape made up. It is never a path, and tells nothing about one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TAPE_HEADER = "x-spycatcher-tape"
TAPE_PREFIX = "/_tape/"

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,128}")


@dataclass(frozen=True, slots=True)
class TapeAddress:
    """A request target taken apart."""

    token: str
    """As written; it may be no token anybody knows."""
    target: str
    """What is left of path and query: the target as it would be without a tape in it, beginning with ``/``."""


def is_token(text: str) -> bool:
    """Whether a text can be a token: 16 to 128 letters, digits, ``-`` and ``_``, so hard to guess and harmless in a URL."""
    return _TOKEN.fullmatch(text) is not None


def parse_tape_address(target: str) -> TapeAddress | None:
    """Take the tape out of a request target; ``None`` for a target that names none.

    >>> parse_tape_address("/_tape/0123456789abcdef/v1/chat/completions?a=1")
    TapeAddress(token='0123456789abcdef', target='/v1/chat/completions?a=1')
    """
    if not target.startswith(TAPE_PREFIX):
        return None
    path, question, query = target.removeprefix(TAPE_PREFIX).partition("?")
    token, slash, rest = path.partition("/")
    return TapeAddress(token, f"{slash or '/'}{rest}{question}{query}")


def tape_path(token: str) -> str:
    """The path of a tape's base URL."""
    return f"{TAPE_PREFIX}{token}/v1"
