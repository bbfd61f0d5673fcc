"""Find secrets in a text: as they are, and under escapes, percent-encoding and base64 in any order.

A cheap look at the bytes comes first, so that ordinary traffic costs next to nothing: every credential is a long run of
characters without a space, and only where there is one is anything decoded.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spycatcher_addon.redaction.digests import DigestFinder
from spycatcher_addon.redaction.layers import EncodedRun, Layer, undo_base64, undo_json_escapes, undo_percent
from spycatcher_addon.redaction.rules import DIGEST_RULE, KNOWN_RULE, RedactionRules, is_long_enough
from spycatcher_addon.redaction.shapes import MARKS, find_credentials

_DEEPEST: Final = 5
"""How many encodings inside each other are undone."""

_RUN_BYTES: Final = 20
_LONGEST_WORD: Final = 4096
_RUN_CHARACTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+%\\=~")
_RUN_MAP = bytes(ord("x") if byte in _RUN_CHARACTERS else ord(" ") for byte in range(256))
_RUN = b"x" * _RUN_BYTES
_NAMELESS_HINT = re.compile(rb"secret|[Kk]ey|KEY|SECRET|Secret")
_NAMELESS_VALUE = re.compile(r"[A-Za-z0-9+/]{32}")
_ENCODED_HINT = re.compile(rb"\\u00[2-7]|%[2-7][0-9A-Fa-f]")
_LINE_OF_BASE64: Final = b"x" * 60
_WRAPPED_HINT = re.compile(rb"[\r\n\\](?<=[A-Za-z0-9+/_-]{60}.)(?:(?<=\n)|(?<=\r)\n|(?<=\\)\\*[rn])", re.DOTALL)
"""A full line of base64 and its end. Begins with the end, which the engine looks for at once in an image that has none."""
_PLAIN_STRETCH = re.compile(r"[A-Za-z0-9_-]+")
_BASE64_CHARACTERS = re.compile(r"[A-Za-z0-9+/_=-]*")
_SHORTEST_NEEDLE: Final = 8


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text that gives a secret away."""

    start: int
    end: int
    rule: str
    secrets: tuple[str, ...]
    """In the clear; more than one where a coded stretch, which can only be taken out whole, holds several."""


class SecretFinder:
    """The rules about values, ready to be used on many texts."""

    def __init__(self, rules: RedactionRules) -> None:
        """Prepare the known values; those too short to be told from ordinary text are left out."""
        self._shapes = rules.shapes
        self._digests = DigestFinder(rules.digests)
        self._known = tuple(sorted((value for value in rules.known if is_long_enough(value)), key=len, reverse=True))
        self._needles = {needle: value for value in self._known for needle in _base64_needles(value)}
        self._hints = (*map(_hint, self._known), *(needle.encode("ascii") for needle in self._needles))

    def suspects(self, data: bytes) -> bool:
        """Whether a closer look is worth its time; false only when there is no secret, however encoded."""
        if not self._shapes and not self._known and not self._digests:
            return False
        if any(hint in data for hint in self._hints):
            return True
        if (b"\\u00" in data or b"%" in data) and _ENCODED_HINT.search(data):
            return True
        if self._digests and (b"\\/" in data or any(self._digests.find(data))):
            return True
        mapped = data.translate(_RUN_MAP)
        if _RUN not in mapped:
            return False
        if _LINE_OF_BASE64 in mapped and _WRAPPED_HINT.search(data):
            return True
        runs = dict.fromkeys(_runs(data, mapped))  # ids are repeated by every event of a stream
        # By chance the long run of an image has every mark, but no credential.
        images = [run for run in runs if len(run) > _LONGEST_WORD and b"\\" not in run]
        text = b" ".join(run for run in runs if len(run) <= _LONGEST_WORD or b"\\" in run).decode("ascii")
        if any(mark in text for mark in MARKS) or b"-----BEGIN " in data:
            return True
        if (_NAMELESS_VALUE.search(text) or "\\/" in text) and _NAMELESS_HINT.search(data):
            return True
        if any(find_credentials(run.decode("ascii"), self._shapes) for run in images):
            return True
        return any(self._suspects_run(run) for part in (text, *(run.decode("ascii") for run in images)) for run in undo_base64(part))

    def _suspects_run(self, run: EncodedRun) -> bool:
        """What decodes to something other than text was no base64 of text: only looked at as it is."""
        if run.is_text:
            return self.suspects(run.text.encode("utf-8"))
        return bool(find_credentials(run.text, self._shapes)) or any(value in run.text for value in self._known)

    def find(self, text: str, depth: int = 0) -> list[Span]:
        """Find all secrets, merged where they overlap, in the order of the text."""
        spans: list[Span] = []
        # What is undone first has it where both see the same stretch: a secret is the same one however it is spelled.
        if depth < _DEEPEST:
            for layer in (undo_json_escapes(text), undo_percent(text)):
                if layer is not None:
                    spans += self._find_below(layer, depth)
        for each in find_credentials(text, self._shapes):
            spans.append(Span(each.start, each.end, each.shape, (text[each.start : each.end],)))
        spans += self._find_known(text)
        spans += self._find_digests(text)
        if depth < _DEEPEST:
            spans += self._find_in_base64(text, depth)
        return merge_spans(spans)

    def _find_known(self, text: str) -> Iterator[Span]:
        for value in self._known:
            for start in _all(value, text):
                yield Span(start, start + len(value), KNOWN_RULE, (value,))
        for needle, value in self._needles.items():
            for start in _all(needle, text):
                # The characters beside the needle still carry some bits of the value, so the whole run goes.
                first = start
                while first > 0 and _BASE64_CHARACTERS.fullmatch(text[first - 1]):
                    first -= 1
                rest = _BASE64_CHARACTERS.match(text, start)
                yield Span(first, rest.end() if rest else start + len(needle), KNOWN_RULE, (value,))

    def _find_digests(self, text: str) -> Iterator[Span]:
        # Other characters than ASCII, which no such secret has, become one byte each: places stay what they are.
        for start, end in self._digests.find(text.encode("ascii", "replace") if self._digests else b""):
            yield Span(start, end, DIGEST_RULE, (text[start:end],))

    def _find_below(self, layer: Layer, depth: int) -> Iterator[Span]:
        for span in self.find(layer.text, depth + 1):
            yield Span(layer.outer(span.start), layer.outer(span.end), span.rule, span.secrets)

    def _find_in_base64(self, text: str, depth: int) -> Iterator[Span]:
        for run in undo_base64(text):
            inner = self.find(run.text, depth + 1 if run.is_text else _DEEPEST)
            if inner:
                secrets = tuple(secret for span in inner if span.rule == inner[0].rule for secret in span.secrets)
                yield Span(run.start, run.end, inner[0].rule, secrets)


def merge_spans(spans: list[Span]) -> list[Span]:
    """Join overlapping spans into one each, in the order of the text.

    The joined one has the rule that needs no knowledge of the value where there is one, so that a replay which does not
    know the value gives the same token; else that of the longest.
    """
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            best = min((last, span), key=lambda each: (each.rule in (KNOWN_RULE, DIGEST_RULE), each.start - each.end))
            span = Span(last.start, max(last.end, span.end), best.rule, best.secrets)
        merged.append(span)
    return merged


def _all(needle: str, text: str) -> Iterator[int]:
    start = text.find(needle)
    while start >= 0:
        yield start
        start = text.find(needle, start + len(needle))


def _runs(data: bytes, mapped: bytes) -> Iterator[bytes]:
    start = mapped.find(_RUN)
    while start >= 0:
        end = mapped.find(b" ", start)
        end = len(data) if end < 0 else end
        yield data[start:end]
        start = mapped.find(_RUN, end)


def _hint(value: str) -> bytes:
    """The longest part of a value that stands as it is in every encoding but base64 and needless escapes."""
    stretches = _PLAIN_STRETCH.findall(value)
    return max(stretches, key=len).encode("ascii") if stretches else b""


def _base64_needles(value: str) -> set[str]:
    """What base64 of any text with ``value`` in it holds, whatever stands around it: one needle per alignment and alphabet."""
    needles = set()
    data = value.encode("utf-8", "surrogateescape")
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + data).decode("ascii")
        first = -(-8 * before // 6)
        needle = encoded[first : (before + len(data)) * 8 // 6]
        if len(needle) >= _SHORTEST_NEEDLE:
            needles |= {needle, needle.replace("+", "-").replace("/", "_")}
    return needles
