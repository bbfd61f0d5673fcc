"""Where the catalogues are, and which serve a language."""

from __future__ import annotations

from pathlib import Path

import pytest
from fluent.runtime import FluentLocalization

from spycatcher_addon.edge import catalogues
from spycatcher_addon.edge.catalogues import CATALOGUE_FILE, LOCALES, HarnessLocalizations, load_catalogues, read_catalogue
from spycatcher_addon.errors import CassetteNotFoundError, InvalidConfigError
from spycatcher_addon.i18n import BrokenCatalogueError, localize_harness_error

ROOT = Path(__file__).resolve().parents[3]


def test_the_folders_are_those_of_the_locales() -> None:
    assert sorted(path.name for path in (ROOT / "i18n").iterdir()) == sorted(LOCALES)


def test_an_application_with_its_own_localization() -> None:
    localization = FluentLocalization(["de-DE", "en-US"], [CATALOGUE_FILE], HarnessLocalizations(), use_isolating=True)
    assert localize_harness_error(localization, CassetteNotFoundError("x")) == "Kassette nicht gefunden: \u2068x\u2069"
    localization = FluentLocalization(["en-US"], [CATALOGUE_FILE], HarnessLocalizations(), use_isolating=True)
    assert (
        localize_harness_error(localization, InvalidConfigError("missing upstream"))
        == "invalid configuration: \u2068missing upstream\u2069"
    )


@pytest.mark.parametrize(("locale", "file"), [("zz", CATALOGUE_FILE), ("en-US", "other.ftl"), ("../en-US", CATALOGUE_FILE)])
def test_what_is_not_ours_is_not_given(locale: str, file: str) -> None:
    assert list(HarnessLocalizations().resources(locale, [file])) == []


def test_english_is_the_last_resort() -> None:
    assert load_catalogues(["zz"]).find("cli-usage", {}) == "Usage:"
    assert load_catalogues(["ja"]).find("cli-usage", {}) == read_catalogue("ja-JP").partition("cli-usage = ")[2].splitlines()[0]


def test_a_message_missing_in_one_language_comes_from_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for locale, source in (("de-DE", "a = A\n"), ("fr-FR", "a = B\nb = B\n"), ("en-US", "a = C\nb = C\nc = C\n")):
        (tmp_path / locale).mkdir()
        (tmp_path / locale / CATALOGUE_FILE).write_text(source, encoding="utf-8")
    monkeypatch.setattr(catalogues, "_PLACES", (tmp_path,))
    chain = load_catalogues(["de-DE", "fr-FR"])
    assert [chain.find(name, {}) for name in "abcd"] == ["A", "B", "C", None]


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_catalogue_that_cannot_be_read(content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "en-US").mkdir()
        (tmp_path / "en-US" / CATALOGUE_FILE).write_bytes(content)
    monkeypatch.setattr(catalogues, "_PLACES", (tmp_path / "absent", tmp_path))
    with pytest.raises(BrokenCatalogueError, match="cannot read catalogue en-US"):
        read_catalogue("en-US")
