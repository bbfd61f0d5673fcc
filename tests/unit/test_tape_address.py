"""Tapes named in request targets."""

from __future__ import annotations

import pytest

from spycatcher_addon.tape_address import TapeAddress, is_token, parse_tape_address, tape_path

TOKEN = "0123456789abcdefABC-_"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (f"/_tape/{TOKEN}/v1/chat/completions", TapeAddress(TOKEN, "/v1/chat/completions")),
        (f"/_tape/{TOKEN}/v1/chat/completions?a=/b?c", TapeAddress(TOKEN, "/v1/chat/completions?a=/b?c")),
        (f"/_tape/{TOKEN}", TapeAddress(TOKEN, "/")),
        (f"/_tape/{TOKEN}?a=1", TapeAddress(TOKEN, "/?a=1")),
        (f"/_tape/{TOKEN}//v1", TapeAddress(TOKEN, "//v1")),
        ("/_tape//v1", TapeAddress("", "/v1")),
        ("/_tape/..%2Fetc/v1", TapeAddress("..%2Fetc", "/v1")),
        ("/v1/chat/completions", None),
        ("/v1/_tape/x/v1", None),
        ("/_tape", None),
    ],
)
def test_targets(target: str, expected: TapeAddress | None) -> None:
    assert parse_tape_address(target) == expected


def test_the_path_of_a_tape_is_read_back() -> None:
    assert parse_tape_address(f"{tape_path(TOKEN)}/chat/completions") == TapeAddress(TOKEN, "/v1/chat/completions")


@pytest.mark.parametrize(
    "text", ["", "short", "0123456789abcde", "../../../../etc/passwd", "0123456789abcdef/", "0123456789 abcdef", "é" * 20]
)
def test_what_no_token_is(text: str) -> None:
    assert not is_token(text)


def test_a_token_is_long_and_plain() -> None:
    assert is_token(TOKEN) and is_token("a" * 128) and not is_token("a" * 129)
