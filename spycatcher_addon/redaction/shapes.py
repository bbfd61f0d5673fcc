"""What credentials of well-known makers look like.

Each shape begins with a mark that ordinary text does not have, and is at least as long as a real one, so that placeholders
in documentation (``sk-...``) and words (``task-list``) are left alone. Every pattern is matched at a mark only and scans a
bounded stretch, so the work is linear whatever the text holds.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

_WORD = re.compile(r"[A-Za-z0-9_-]*")
_WORD_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_REST = re.compile(r"[A-Za-z0-9+/=\s\\:,.-]*")
_LONGEST_PEM: Final = 64 * 1024
_NEAR: Final = 120
"""How far from an AWS key id its secret is looked for, in characters."""
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")


def _whole_word(text: str, match: re.Match[str]) -> int:
    """Where a key ends whose pattern scans a bounded stretch only: with the run of characters it consists of."""
    rest = _WORD.match(text, match.end())
    return rest.end() if rest else match.end()


def _as_matched(text: str, match: re.Match[str]) -> int:
    return match.end()


def _json_web_token(text: str, match: re.Match[str]) -> int | None:
    """Only what has a header that is one (RFC 7515 section 4) is a token; dotted names can look alike."""
    header = match[1]
    try:
        value = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return match.end() if isinstance(value, dict) and ("alg" in value or "typ" in value) else None


def _private_key(text: str, match: re.Match[str]) -> int:
    """Up to the end line; a block without one ends where its characters do."""
    end = _PEM_END.search(text, match.end(), match.end() + _LONGEST_PEM)
    if end is not None:
        return end.end()
    rest = _PEM_REST.match(text, match.end(), match.end() + _LONGEST_PEM)
    return rest.end() if rest else match.end()


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of credential that is known by its looks."""

    name: str
    """The rule's name, in tokens and in ``redaction.shapes``."""
    marks: tuple[str, ...]
    """Each begins a credential of this shape."""
    pattern: re.Pattern[str]
    """Matched at a mark."""
    end_of: Callable[[str, re.Match[str]], int | None] = _whole_word
    """Where the credential ends; ``None`` when it is none after all."""


def _shape(name: str, marks: str, pattern: str, end_of: Callable[[str, re.Match[str]], int | None] = _whole_word) -> Shape:
    return Shape(name, tuple(marks.split("|")), re.compile(pattern), end_of)


SHAPES: Final[tuple[Shape, ...]] = (
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,256}"),
    _shape("openrouter-key", "sk-or-", r"sk-or-(?:v[0-9]-)?[A-Za-z0-9_-]{20,256}"),
    _shape(
        "openai-key",
        "sk-",
        # The last form is that of other makers' keys: long, with more digits than a hyphenated name has, and with a stretch of
        # letters and digits that is no word.
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,256}|[A-Za-z0-9]{20,256}"
        r"|(?=(?:[A-Za-z_-]{0,64}+[0-9]){4})"
        r"(?=(?:[A-Za-z0-9]{0,64}+[_-]){0,16}(?=[A-Za-z]{0,64}+[0-9])(?=[0-9]{0,64}+[A-Za-z])[A-Za-z0-9]{10})[A-Za-z0-9_-]{32,256})",
    ),
    _shape("google-key", "AIza|GOCSPX-", r"(?:AIza|GOCSPX-)[A-Za-z0-9_-]{24,64}"),
    _shape("aws-key-id", "AKIA|ASIA", r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])", _as_matched),
    _shape("github-token", "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_", r"(?:gh[pousr]_[A-Za-z0-9]{30,256}|github_pat_[A-Za-z0-9_]{36,256})"),
    _shape("gitlab-token", "glpat-|gldt-|glrt-", r"gl(?:pat|dt|rt)-(?=[a-z_-]{0,64}+[0-9A-Z])[A-Za-z0-9_-]{20,256}"),
    _shape(
        "slack-token",
        "xoxa-|xoxb-|xoxe-|xoxp-|xoxr-|xoxs-|xapp-",
        r"x(?:ox[abeprs]|app)-(?=[A-Za-z-]{0,64}+[0-9])[A-Za-z0-9-]{20,256}",
    ),
    _shape("stripe-key", "sk_live_|rk_live_|sk_test_|rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,256}"),
    _shape("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,64}"),
    _shape("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{32,128}"),
    _shape("xai-key", "xai-", r"xai-[A-Za-z0-9]{32,128}"),
    _shape("replicate-token", "r8_", r"r8_[A-Za-z0-9]{30,64}"),
    _shape("jwt", "eyJ", r"(eyJ[A-Za-z0-9_-]{8,4096})\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", _json_web_token),
    _shape("private-key", "-----BEGIN ", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", _private_key),
)
"""By their marks; of two that match at one place the first has it."""

_NAMED: Final[dict[str, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    "aws-secret-key": (
        re.compile(r"(?:aws[_-]?)?secret[_ -]?(?:access[_ -]?)?key", re.IGNORECASE),
        re.compile(r"(?![0-9a-f]{40})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"),  # 40 lower-case hex digits are a commit
    ),
    "azure-key": (
        re.compile(
            r"azure[_-]?(?:openai[_-]?)?(?:api[_-]?)?key|(?:ocp-apim-)?subscription-key|api[_-]key|AccountKey|SharedAccessKey",
            re.IGNORECASE,
        ),
        re.compile(r"(?:[0-9a-f]{32}|[A-Za-z0-9]{84}|[A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=)(?![A-Za-z0-9+/=])"),
    ),
}
"""Shapes that say nothing by themselves: what a name before them, and then the value, looks like."""

_END_OF_NAMES: Final = "key"
"""How all names of :data:`_NAMED` end."""
_BETWEEN = re.compile(r"[\"'\s:=>\\`]{1,12}")

SHAPE_NAMES: Final = tuple(sorted([*(shape.name for shape in SHAPES), *_NAMED]))
"""All names that ``redaction.shapes`` knows."""

MARKS: Final = tuple(dict.fromkeys(mark for shape in SHAPES for mark in shape.marks))
"""Text without any of these, and without a name of a nameless shape, has no credential known by its looks."""


@dataclass(frozen=True, slots=True)
class Credential:
    """Where in a text a credential stands."""

    start: int
    end: int
    shape: str


def find_credentials(text: str, enabled: Collection[str]) -> list[Credential]:
    """Find what looks like a credential, in no particular order; two may overlap where one is part of the other.

    Args:
        enabled: Names of the shapes to look for.
    """
    found: dict[int, Credential] = {}
    # Most of what is looked at is short and has none.
    for shape in SHAPES if any(mark in text for mark in MARKS) else ():
        if shape.name in enabled:
            for credential in _find_marked(text, shape):
                found.setdefault(credential.start, credential)
    others: list[Credential] = []
    if "aws-secret-key" in enabled:
        others += [secret for each in list(found.values()) if each.shape == "aws-key-id" for secret in _secrets_near(text, each)]
    if _may_have_names(text):
        for name, (names, values) in _NAMED.items():
            if name in enabled:
                others += _find_named(text, name, names, values)
    return [*found.values(), *others]


def named_credential(name: str, value: str, enabled: Collection[str]) -> str | None:
    """The shape of a value that tells it only together with its name, as members of a JSON object are."""
    for shape, (names, values) in _NAMED.items():
        if shape in enabled and names.fullmatch(name) and values.fullmatch(value):
            return shape
    return None


def _find_marked(text: str, shape: Shape) -> Iterator[Credential]:
    for mark in shape.marks:
        start = text.find(mark)
        while start >= 0:
            next_at = start + len(mark)
            # Behind a letter or digit it is the middle of a word; a block's dashes may stand anywhere.
            if start == 0 or mark[0] == "-" or text[start - 1] not in _WORD_CHARACTERS:
                match = shape.pattern.match(text, start)
                end = None if match is None else shape.end_of(text, match)
                if end is not None:
                    yield Credential(start, end, shape.name)
                    next_at = end
            start = text.find(mark, next_at)


def _secrets_near(text: str, key_id: Credential) -> Iterator[Credential]:
    for start, end in ((max(0, key_id.start - _NEAR), key_id.start), (key_id.end, key_id.end + _NEAR)):
        for match in _AWS_SECRET.finditer(text, start, end):
            # A hash is of one case; a path has no digit or no upper case.
            if {"digit", "upper", "lower"} <= {_kind(character) for character in match[0]}:
                yield Credential(match.start(), match.end(), "aws-secret-key")


def _kind(character: str) -> str:
    if character.isdigit():
        return "digit"
    return "" if not character.isalpha() else "upper" if character.isupper() else "lower"


def _may_have_names(text: str) -> bool:
    """Whether a name of a nameless shape may be in the text; a long image, which has none, is passed over quickly."""
    lowered = text.lower()
    start = lowered.find(_END_OF_NAMES)
    while start >= 0:
        if _BETWEEN.match(lowered, start + len(_END_OF_NAMES)):
            return True
        start = lowered.find(_END_OF_NAMES, start + len(_END_OF_NAMES))
    return False


def _find_named(text: str, shape: str, names: re.Pattern[str], values: re.Pattern[str]) -> Iterator[Credential]:
    for name in names.finditer(text):
        between = _BETWEEN.match(text, name.end())
        value = None if between is None else values.match(text, between.end())
        if value is not None:
            yield Credential(value.start(), value.end(), shape)
