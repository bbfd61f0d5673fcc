"""Language identifiers: which texts are well-formed ones, and which available language serves a wanted one.

The form is that of Unicode Technical Standard 35, without extensions. Only the form is judged; nothing is looked up, so a
well-formed identifier of no real language passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}|[A-Za-z]{5,8}")
_SCRIPT = re.compile(r"[A-Za-z]{4}")
_REGION = re.compile(r"[A-Za-z]{2}|[0-9]{3}")
_VARIANT = re.compile(r"[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}")


def language_problem(text: str) -> str | None:
    """Say why a text is not a language identifier; ``None`` when it is one.

    >>> language_problem("zz-Zzzz-QQ-valencia") is None
    True
    >>> language_problem("not_a_locale")
    'Parser error: Invalid subtag'
    """
    language, *rest = re.split("[-_]", text)
    if not _LANGUAGE.fullmatch(language):
        return "Parser error: The given language subtag is invalid"
    for pattern in (_SCRIPT, _REGION):
        if rest and pattern.fullmatch(rest[0]):
            del rest[0]
    if all(_VARIANT.fullmatch(subtag) for subtag in rest):
        return None
    return "Parser error: Invalid subtag"


def select_languages(wanted: Sequence[str], available: Sequence[str]) -> list[str]:
    """Choose from the available languages those that serve the wanted ones, in the order of preference.

    Upper and lower case and the separator make no difference. Where the exact language is not available, the first
    available one that differs only in region serves.

    >>> select_languages(["de_at", "zz", "EN-gb"], ["en-US", "en-GB", "de-DE"])
    ['de-DE', 'en-GB']
    """
    return list(dict.fromkeys(_serving(wanted, available)))


def _serving(wanted: Sequence[str], available: Sequence[str]) -> Iterator[str]:
    for identifier in wanted:
        subtags = re.split("[-_]", identifier.lower())
        exact = [candidate for candidate in available if candidate.lower().split("-") == subtags]
        has_script = len(subtags) > 1 and _SCRIPT.fullmatch(subtags[1]) is not None
        near = [] if has_script else [candidate for candidate in available if candidate.lower().split("-")[0] == subtags[0]]
        yield from (exact or near)[:1]
