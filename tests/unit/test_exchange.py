from __future__ import annotations

import dataclasses

import pytest

from spycatcher_addon.exchange import ObservedRequest, ObservedResponseHead, ReplayResponse


@pytest.mark.parametrize(
    ("pieces", "body"),
    [((), b""), ((b"whole",), b"whole"), ((b"data: a\n\n", b"", b"data: b\n\n"), b"data: a\n\ndata: b\n\n")],
)
def test_the_body_is_all_pieces(pieces: tuple[bytes, ...], body: bytes) -> None:
    assert ReplayResponse(200, (), pieces).body == body


def test_an_answer_is_plain_and_of_no_interaction_unless_it_says_so() -> None:
    answer = ReplayResponse(200, (), ())
    assert (answer.interaction_index, answer.is_stream, answer.error_kind) == (None, False, None)


@pytest.mark.parametrize("value", [ObservedRequest("POST", "/", "", (), b""), ObservedResponseHead(200, ()), ReplayResponse(200, (), ())])
def test_values_do_not_change(value: object) -> None:
    name = dataclasses.fields(value)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)
