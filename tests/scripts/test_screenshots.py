"""The pictures of the pages can be made anew."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from scripts import screenshots

NAMES = {"mitmweb-list.png", "mitmweb-mismatch.png", "mitmweb-stream.png"}
SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.mark.needs("chromium")
def test_the_pictures_are_made_and_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert screenshots.main([str(tmp_path)]) == 0, capsys.readouterr().err
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(made) == NAMES
    for data in made.values():
        assert data.startswith(SIGNATURE)
        assert struct.unpack(">II", data[16:24]) == (1180, 560)
        assert len(data) <= screenshots.MAX_BYTES


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert screenshots.main([]) == 2
    assert "apt-get install chromium" in capsys.readouterr().err


def test_the_pictures_of_the_pages_are_there_and_small() -> None:
    for name in NAMES:
        data = (screenshots.IMAGES / name).read_bytes()
        assert data.startswith(SIGNATURE)
        assert len(data) <= screenshots.MAX_BYTES
