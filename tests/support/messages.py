"""Messages for people, as tests compare them."""

from __future__ import annotations


def without_marks(text: str) -> str:
    """The text without the isolation marks that stand around each argument of a localized message."""
    return text.translate({0x2068: None, 0x2069: None})
