"""Comparing recorded stream events apart from what a policy calls irrelevant.

For tools that compare tapes. Request matching never looks at events, so none of this changes a replay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spycatcher_addon.cassette.model import DataEvent, StreamEvent


@dataclass(frozen=True, slots=True)
class StreamCanonicalPolicy:
    """What is left out before two event sequences are compared; by default nothing."""

    ignore_comment_events: bool = False
    """Providers send comments to keep a connection open; how many is chance."""

    @classmethod
    def ignore_comments(cls) -> StreamCanonicalPolicy:
        """Leave out comments, keep data events."""
        return cls(ignore_comment_events=True)


def canonicalize_events(events: Iterable[StreamEvent], policy: StreamCanonicalPolicy) -> tuple[StreamEvent, ...]:
    """Return the events that count, in their order. Doing it twice changes nothing."""
    if policy.ignore_comment_events:
        return tuple(event for event in events if isinstance(event, DataEvent))
    return tuple(events)
