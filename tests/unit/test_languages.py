"""Which texts are language identifiers."""

from __future__ import annotations

import pytest

from spycatcher_addon.languages import language_problem, select_languages

BAD_LANGUAGE = "Parser error: The given language subtag is invalid"
BAD_SUBTAG = "Parser error: Invalid subtag"


@pytest.mark.parametrize(
    "text", ["en", "EN", "en-US", "en_us", "zh-Hant-TW", "es-419", "sl-rozaj-biske", "de-1996", "zz-Zzzz-QQ-valencia", "abcde", "deu"]
)
def test_well_formed(text: str) -> None:
    assert language_problem(text) is None


@pytest.mark.parametrize("text", ["", "e", "abcd", "toolonglang", "12", "-en", "日本", "en\n"])
def test_bad_language(text: str) -> None:
    assert language_problem(text) == BAD_LANGUAGE


@pytest.mark.parametrize(
    "text", ["not_a_locale", "en-", "en--US", "en-US-Latn", "en-US-GB", "en-x-private", "en-US-abcd", "en-u-ca-buddhist"]
)
def test_bad_subtag(text: str) -> None:
    assert language_problem(text) == BAD_SUBTAG


AVAILABLE = ("en-US", "en-GB", "de-DE", "ja-JP")


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        (["en-GB"], ["en-GB"]),
        (["EN_gb"], ["en-GB"]),
        (["en"], ["en-US"]),
        (["en-AU", "de"], ["en-US", "de-DE"]),
        (["de-AT", "de-DE", "en-US"], ["de-DE", "en-US"]),
        (["ja-Latn"], []),
        (["zz-Zzzz-QQ-valencia"], []),
        ([], []),
    ],
)
def test_select_languages(wanted: list[str], selected: list[str]) -> None:
    assert select_languages(wanted, AVAILABLE) == selected
