"""Secrets that are known by their SHA-256 only, so that even a machine that must not have them can look for them.

A digest says nothing of where a secret begins, so every stretch of its length is tried, within runs of the characters that
credentials are made of: whatever stands beside it there, as in ``token=SECRET``, does not hide it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 16
"""A shorter secret can be found out from its digest by trying, which would give it away."""
LONGEST: Final = 512

_WRITTEN: Final = re.compile(r"([1-9][0-9]{0,3}):([0-9a-fA-F]{64})")
_RUN: Final = re.compile(rb"[!#$%&*+./0-9:=?@A-Z^_a-z|~-]+")
_LONGEST_RUN: Final = 4096
"""A longer one is an image or the like, where trying would take long."""


@dataclass(frozen=True, slots=True)
class SecretDigest:
    """What is known of a secret."""

    length: int
    """In characters, all of them ASCII."""
    sha256: bytes


def parse_secret_digest(written: str) -> SecretDigest:
    """Read ``LENGTH:HEX``.

    Raises:
        ValueError: It is something else, or the secret is too short or too long; the text does not repeat it.

    >>> parse_secret_digest("20:" + "0f" * 32).length
    20
    """
    match = _WRITTEN.fullmatch(written)
    if match is None:
        raise ValueError("not the length of a secret, a colon and the 64 hex digits of its SHA-256")
    length = int(match[1])
    if not SHORTEST <= length <= LONGEST:
        raise ValueError(f"a secret of {length} characters cannot be looked for by its digest; it takes {SHORTEST} to {LONGEST}")
    return SecretDigest(length, bytes.fromhex(match[2]))


class DigestFinder:
    """Some digests, ready to be looked for in many texts."""

    def __init__(self, digests: Iterable[SecretDigest]) -> None:
        self._by_length: dict[int, set[bytes]] = {}
        for digest in digests:
            self._by_length.setdefault(digest.length, set()).add(digest.sha256)
        self._shortest = min(self._by_length, default=0)

    def __bool__(self) -> bool:
        return bool(self._by_length)

    def find(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where secrets begin and end, in the order of their beginnings."""
        if not self._by_length:
            return
        for run in _RUN.finditer(data):
            if self._shortest <= run.end() - run.start() <= _LONGEST_RUN:
                yield from self._find_in_run(data, run.start(), run.end())

    def _find_in_run(self, data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
        for begin in range(start, end - self._shortest + 1):
            for length, digests in self._by_length.items():
                if begin + length <= end and hashlib.sha256(data[begin : begin + length]).digest() in digests:
                    yield begin, begin + length
