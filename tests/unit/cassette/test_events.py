from __future__ import annotations

from spycatcher_addon.cassette.events import StreamCanonicalPolicy, canonicalize_events
from spycatcher_addon.cassette.model import CommentEvent, DataEvent

EVENTS = (CommentEvent("PROCESSING"), DataEvent('{"a":1}'), CommentEvent(""), DataEvent("[DONE]", event="end"))


def test_by_default_nothing_is_left_out() -> None:
    assert canonicalize_events(EVENTS, StreamCanonicalPolicy()) == EVENTS


def test_comments_can_be_left_out_once_and_for_all() -> None:
    policy = StreamCanonicalPolicy.ignore_comments()
    once = canonicalize_events(list(EVENTS), policy)
    assert once == (EVENTS[1], EVENTS[3])
    assert canonicalize_events(once, policy) == once


def test_data_events_compare_by_what_they_carry() -> None:
    policy = StreamCanonicalPolicy.ignore_comments()
    assert canonicalize_events([DataEvent("1")], policy) != canonicalize_events([DataEvent("1.0")], policy)
