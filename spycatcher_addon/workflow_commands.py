"""Workflow commands of GitHub Actions: lines of a log that become annotations of files.

Source: docs.github.com, "Workflow commands for GitHub Actions", setting an error or warning message.
"""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """How an annotation is shown."""

    ERROR = "error"
    WARNING = "warning"


def annotation(level: Level, message: str, *, file: str, line: int | None = None, title: str = "") -> str:
    """One command, on one line however many lines the message has.

    Args:
        file: Path of the annotated file, relative to the repository where it can be.
        line: Counted from 1; ``None`` annotates the file as a whole.
    """
    properties = {"file": file, "line": "" if line is None else str(line), "title": title}
    given = ",".join(f"{name}={_escaped(value, in_property=True)}" for name, value in properties.items() if value)
    return f"::{level} {given}::{_escaped(message)}"


def _escaped(text: str, *, in_property: bool = False) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if in_property else escaped
