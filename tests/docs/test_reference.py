"""The pages that are made from the program are the ones that would be made now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import reference
from spycatcher_addon.choices import AuthScheme
from spycatcher_addon.layering import SETTINGS
from spycatcher_addon.upstream_presets import UPSTREAM_PRESETS


def test_the_pages_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference.main(["--check"]) == 0, capsys.readouterr().err


def test_an_outdated_page_is_told_and_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{reference.BEGIN}\nold\n{reference.END}\nafter\n")
    monkeypatch.setattr(reference, "ROOT", tmp_path)
    monkeypatch.setattr(reference, "MADE", {page: lambda: "new"})
    assert reference.main(["--check"]) == 1
    assert "page.md is not up to date" in capsys.readouterr().err
    assert "old" in page.read_text()
    assert reference.main([]) == 0
    assert page.read_text() == f"before\n{reference.BEGIN}\n\nnew\n\n{reference.END}\nafter\n"
    assert reference.main(["--check"]) == 0
    assert reference.main(["--nope"]) == 2


def test_every_setting_is_documented() -> None:
    text = reference.CONFIGURATION_PAGE.read_text(encoding="utf-8")
    assert [setting.dotted for setting in SETTINGS.values() if f"| `{setting.place[-1]}` |" not in text] == []


def test_every_upstream_kind_is_documented_with_its_values() -> None:
    text = reference.CONFIGURATION_PAGE.read_text(encoding="utf-8")
    sent_as = {AuthScheme.BEARER: "`authorization: Bearer`", AuthScheme.API_KEY: "`api-key`"}
    for kind, preset in UPSTREAM_PRESETS.items():
        found = re.search(rf"^\| `{kind}` \| (.*) \|$", text, re.MULTILINE)
        assert found is not None, kind
        base_url, variable, key, required = found[1].split(" | ")
        assert base_url == f"`{preset.base_url}`" if preset.base_url else base_url.startswith("yours")
        assert (variable, key, required) == (f"`{preset.api_key_env}`", sent_as[preset.auth], "yes" if preset.api_key_required else "no")
