"""Which language the command line speaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from spycatcher_addon.config import LocalizationConfig
from spycatcher_addon.edge import catalogues
from spycatcher_addon.edge.cli_language import EarlyLanguage, LocalizationError, configured_texts


def early(**environ: str) -> tuple[str | None, list[str]]:
    """The word for "Usage" in the early language, and the warnings."""
    warnings: list[str] = []
    names = {"locale": "SPYCATCHER_HARNESS_LOCALE", "fallback": "SPYCATCHER_HARNESS_FALLBACK_LOCALE"}
    names["off"] = "SPYCATCHER_HARNESS_DISABLE_LOCALIZATION"
    language = EarlyLanguage({names[name]: value for name, value in environ.items()}, warnings.append)
    return (None if language.texts is None else language.texts("cli-usage")), warnings


@pytest.mark.parametrize(
    ("environ", "usage", "warning_count"),
    [
        ({}, "Usage:", 0),
        ({"locale": "de-DE"}, "Aufruf:", 0),
        ({"locale": "de_at"}, "Aufruf:", 0),
        ({"fallback": "de"}, "Aufruf:", 0),
        ({"locale": "zz-Zzzz"}, "Usage:", 0),
        ({"locale": "not_a_locale", "fallback": "de-DE"}, "Aufruf:", 1),
        ({"locale": "not_a_locale", "fallback": "x"}, "Usage:", 2),
        ({"locale": "", "fallback": "de-DE"}, "Aufruf:", 1),
        ({"locale": "de-DE", "fallback": "not_a_locale"}, "Aufruf:", 0),
        ({"off": "yes", "locale": "not_a_locale"}, None, 0),
        ({"off": "no", "locale": "de-DE"}, "Aufruf:", 0),
    ],
)
def test_early_language(environ: dict[str, str], usage: str | None, warning_count: int) -> None:
    found, warnings = early(**environ)
    assert (found, len(warnings)) == (usage, warning_count)


def test_a_warning_names_the_variable_and_the_value() -> None:
    (warning,) = early(locale="not_a_locale")[1]
    assert "SPYCATCHER_HARNESS_LOCALE = 'not_a_locale'" in warning


def test_catalogues_are_loaded_when_a_text_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(catalogues, "_PLACES", (tmp_path,))
    warnings: list[str] = []
    language = EarlyLanguage({}, warnings.append)
    assert warnings == []
    assert language.texts is None and language.texts is None
    (warning,) = warnings
    assert "not localized: cannot read catalogue en-US" in warning


@pytest.mark.parametrize(
    ("locale", "fallback", "usage"),
    [
        ("de-DE", "en-US", "Aufruf:"),
        (None, "de-DE", "Aufruf:"),
        (None, "en-US", "Usage:"),
        ("zz", "de-DE", "Aufruf:"),
        ("zz", "en-GB", "Usage:"),
        ("zz", "zz", "Usage:"),
    ],
)
def test_configured_texts(locale: str | None, fallback: str, usage: str) -> None:
    assert configured_texts(LocalizationConfig(locale=locale, fallback_locale=fallback))("cli-usage") == usage


def test_unusable_catalogues(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(catalogues, "_PLACES", (tmp_path,))
    with pytest.raises(LocalizationError, match="cannot read catalogue en-US"):
        configured_texts(LocalizationConfig())
