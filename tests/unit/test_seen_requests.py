"""Recognizing requests by their bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spycatcher_addon import seen_requests
from spycatcher_addon.exchange import ObservedRequest
from spycatcher_addon.seen_requests import SeenRequest, SeenRequests

REQUEST = ObservedRequest("POST", "/v1/chat/completions", "a=1", ((b"x", b"1"),), b'{"n":1}')
FOUND = SeenRequest("hash", is_stream_shaped=True)


def test_a_request_is_known_once_it_was_remembered_twice() -> None:
    seen = SeenRequests()
    assert seen.recall(REQUEST) is None
    seen.remember(REQUEST, FOUND)
    assert seen.recall(REQUEST) is None
    seen.remember(REQUEST, FOUND)
    assert seen.recall(REQUEST) == FOUND
    assert seen.recall(replace(REQUEST, headers=((b"y", b"2"),))) == FOUND


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, query="a=2"),
        replace(REQUEST, path="/v1/other"),
        replace(REQUEST, method="PUT"),
        replace(REQUEST, body=b'{"n":2}'),
        replace(REQUEST, headers=((b"Content-Encoding", b"gzip"),)),
    ],
    ids=["query", "path", "method", "body", "coding"],
)
def test_whatever_the_hash_depends_on_makes_another_request(other: ObservedRequest) -> None:
    seen = SeenRequests()
    seen.remember(REQUEST, FOUND)
    seen.remember(REQUEST, FOUND)
    assert seen.recall(other) is None


def test_bodies_that_differ_only_before_their_ends_are_told_apart() -> None:
    seen = SeenRequests()
    one, other = (replace(REQUEST, body=first + b"x" * 100) for first in (b"1", b"2"))
    seen.remember(one, FOUND)
    seen.remember(one, FOUND)
    assert (seen.recall(one), seen.recall(other)) == (FOUND, None)


def test_it_forgets_everything_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_requests, "_MOST", 3)
    seen = SeenRequests()
    seen.remember(REQUEST, FOUND)
    seen.remember(REQUEST, FOUND)
    for number in range(2):
        seen.remember(replace(REQUEST, body=b"%d" % number * (number + 1)), FOUND)
    assert seen.recall(REQUEST) is None
