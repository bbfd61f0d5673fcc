"""One row per interaction."""

from __future__ import annotations

from dataclasses import replace

from spycatcher_addon.cassette.model import FailureKind, RecordedRequest
from spycatcher_addon.tools.conversation import Usage
from spycatcher_addon.tools.listing import list_interactions
from tests.support.tool_samples import cassette, plain, streamed


def test_rows() -> None:
    one, other = plain(number=1), replace(streamed(number=2), failure=FailureKind.CUT)
    first, second = list_interactions(cassette(one, other))
    assert (first.index, first.recorded_at, first.model) == (0, "2026-01-02T03:04:01.000000Z", "m-1")
    assert (first.is_stream, first.status) == (False, 200)
    assert (first.usage, first.request_bytes, first.stable_hash, first.failure) == (
        Usage(12, 5),
        len(one.request.body),
        one.request.stable_hash,
        None,
    )
    assert (second.index, second.is_stream, second.failure) == (1, True, "cut")
    assert second.response_bytes == len(other.response.raw_transcript)  # type: ignore[union-attr]


def test_a_request_that_is_no_json_has_no_model() -> None:
    (row,) = list_interactions(cassette(replace(plain(), request=RecordedRequest("POST", "/", body=b"?"))))
    assert (row.model, row.stable_hash) == ("", None)


def test_for_programs() -> None:
    (row,) = list_interactions(cassette(plain()))
    assert list(row.as_json()) == [
        "index",
        "recorded_at",
        "model",
        "stream",
        "status",
        "usage",
        "request_bytes",
        "response_bytes",
        "stable_hash",
        "failure",
    ]
