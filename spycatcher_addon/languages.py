"""Language identifiers: which texts are well-formed ones (Unicode Technical Standard 35, without extensions).

Only the form is judged; nothing is looked up, so a well-formed identifier of no real language passes.
"""

from __future__ import annotations

import re

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
