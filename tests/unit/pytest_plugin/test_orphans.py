"""Tapes that nobody uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from spycatcher_addon.pytest_plugin.orphans import Scope, find_orphans

TAPE = '{\n  "format_version": 2,\n  "interactions": []\n}\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "tests/cassettes/test_a/one.json": TAPE,
        "tests/cassettes/test_a/two.json": TAPE,
        "tests/cassettes/shared.json": TAPE,
        "tests/cassettes/test_a/vcr.json": '{"version": 1}',
        "tests/cassettes/test_a/notes.txt": TAPE,
        "tests/cassettes/test_a/.one.json.00112233.recording": TAPE,
        "tests/cassettes/test_a/.hidden.json": TAPE,
        "tests/deep/cassettes/test_b/three.json": TAPE,
        "tests/.venv/cassettes/x.json": TAPE,
        "tests/node_modules/p/cassettes/x.json": TAPE,
        "tests/fixtures/four.json": TAPE,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(tree: Path, scope: Scope, *used: str) -> list[str]:
    return [str(Path(path).relative_to(tree)) for path in find_orphans(scope, {str(tree / name) for name in used})]


def test_everything_below_a_folder(tree: Path) -> None:
    assert names(tree, Scope((str(tree / "tests"),)), "tests/cassettes/test_a/one.json") == [
        "tests/cassettes/shared.json",
        "tests/cassettes/test_a/two.json",
        "tests/deep/cassettes/test_b/three.json",
    ]


def test_the_tapes_of_one_test_file(tree: Path) -> None:
    scope = Scope((), (str(tree / "tests/cassettes/test_a"), str(tree / "tests/cassettes/test_none")))
    assert names(tree, scope, "tests/cassettes/test_a/one.json") == ["tests/cassettes/test_a/two.json"]


def test_folders_within_each_other_are_searched_once(tree: Path) -> None:
    assert len(names(tree, Scope((str(tree), str(tree / "tests"))))) == 4
