"""Where in its file the damage of a cassette is, as told by the error of whoever could not read it."""

from __future__ import annotations

import re
from typing import Final

from spycatcher_addon.verifying.findings import Path
from spycatcher_addon.verifying.tape_text import TapeText

_LINE: Final = re.compile(r"\bline ([0-9]+)\b")
_PLACE: Final = re.compile(r"\binteractions\[([0-9]+)\]((?:\.[a-z0-9_]+|\[[0-9]+\])*)")
_STEP: Final = re.compile(r"\.([a-z0-9_]+)|\[([0-9]+)\]")


def line_of_damage(problem: str, data: bytes) -> int | None:
    """The line, from 1, that an error names, or on which the field stands that it names; ``None`` when it names neither.

    Args:
        problem: The error's text, without the name of the file.
        data: The file.
    """
    line = _LINE.search(problem)
    if line is not None:
        return int(line[1])
    place = _PLACE.search(problem)
    if place is None:
        return None
    path: Path = tuple(step[1] or int(step[2]) for step in _STEP.finditer(place[2]))
    try:
        return TapeText(data).line(int(place[1]), path)
    except (ValueError, RecursionError):
        # Not even JSON up to there.
        return None
