"""The wall clock, as tapes and reports have it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """The time in RFC 3339, UTC, with a fraction only where there is one, without trailing zeros."""
    now = datetime.now(UTC)
    fraction = f".{now.microsecond:06d}".rstrip("0") if now.microsecond else ""
    return now.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"
