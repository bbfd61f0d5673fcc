"""Secrets that are known by their SHA-256 only."""

from __future__ import annotations

import hashlib

import pytest

from spycatcher_addon.redaction.digests import DigestFinder, SecretDigest, parse_secret_digest

SECRET = "fake-Secret_0123456789.~"
OTHER = "another+fake/secret="


def digest_of(secret: str) -> SecretDigest:
    return parse_secret_digest(f"{len(secret)}:{hashlib.sha256(secret.encode()).hexdigest()}")


FINDER = DigestFinder([digest_of(SECRET), digest_of(OTHER)])


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in FINDER.find(text.encode())]


@pytest.mark.parametrize("before", ["", " ", '"', "token=", "Bearer:", "x", "\\n", "wörd "])
@pytest.mark.parametrize("after", ["", " ", '"', "&x=1", "x", "\n", "\\"])
def test_whatever_stands_beside_a_secret_does_not_hide_it(before: str, after: str) -> None:
    data = f"{before}{SECRET}{after}".encode()
    assert [data[start:end] for start, end in FINDER.find(data)] == [SECRET.encode()]


def test_several_are_found_in_their_order() -> None:
    assert found(f"{OTHER} and {SECRET}, {SECRET}") == [OTHER, SECRET, SECRET]
    assert found(f"{SECRET}{OTHER}") == [SECRET, OTHER]


@pytest.mark.parametrize("text", ["", SECRET[:-1], SECRET.upper(), SECRET[::-1], f"{SECRET[:9]} {SECRET[9:]}", "x" * 5000])
def test_nothing_else_is(text: str) -> None:
    assert found(text) == []


def test_an_image_is_not_tried() -> None:
    """Documented: runs of more than 4,096 characters."""
    assert found("A" * 4000 + SECRET) == [SECRET]
    assert found("A" * 5000 + SECRET) == []


def test_without_digests_there_is_nothing_to_look_for() -> None:
    assert not DigestFinder([])
    assert list(DigestFinder([]).find(SECRET.encode())) == []
    assert FINDER


def test_written_digests() -> None:
    sha256 = hashlib.sha256(SECRET.encode()).digest()
    assert parse_secret_digest(f"24:{sha256.hex().upper()}") == SecretDigest(24, sha256)
    assert parse_secret_digest("16:" + "0" * 64).length == 16
    assert parse_secret_digest("512:" + "0" * 64).length == 512


@pytest.mark.parametrize(
    "written",
    ["", SECRET, "0" * 64, ":" + "0" * 64, "20:" + "0" * 63, "20:" + "0" * 65, "20:" + "g" * 64, " 20:" + "0" * 64, "20:" + "0" * 64 + "\n"]
    + ["020:" + "0" * 64, "-20:" + "0" * 64, "２０:" + "0" * 64],
)
def test_what_is_no_digest_is_refused_and_not_repeated(written: str) -> None:
    """Somebody may have written the secret itself there."""
    with pytest.raises(ValueError, match="64 hex digits") as refused:
        parse_secret_digest(written)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("length", [1, 15, 513, 9999])
def test_a_secret_that_could_be_guessed_or_is_no_token_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="16 to 512"):
        parse_secret_digest(f"{length}:" + "0" * 64)
