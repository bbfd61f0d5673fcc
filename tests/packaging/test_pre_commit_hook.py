"""The hook for pre-commit: which files it takes, and that its command is the one that checks them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support.cli import HarnessCli
from tests.support.tapes_on_disk import tape_of

ROOT = Path(__file__).resolve().parent.parent.parent
(HOOK,) = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_it_is_a_hook() -> None:
    required = {"id", "name", "entry", "language"}
    assert required <= set(HOOK) <= required | {"description", "files", "exclude", "types", "require_serial"}
    assert (HOOK["id"], HOOK["language"]) == ("spycatcher-verify", "python")
    assert "id: spycatcher-verify" in (ROOT / "docs/safe-to-commit.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        ("fixtures/llm/default", True),
        ("packages/a/fixtures/llm/deep/checkout.json", True),
        ("fixtures/llm/default.lock", False),
        ("fixtures/llm/.default.tmp", False),
        ("fixtures/llm/README.md", False),
        ("src/default", False),
    ],
)
def test_it_takes_cassettes(path: str, is_taken: bool) -> None:
    assert bool(re.search(HOOK["files"], path) and not re.search(HOOK["exclude"], path)) is is_taken


def test_its_command_passes_clean_files_and_stops_others(harness: HarnessCli) -> None:
    program, *words = shlex.split(HOOK["entry"])
    assert program == "spycatcher-harness"
    (harness.cwd / ".spycatcher_harness.toml").write_text('[cmds.verify.matching]\nignore_paths = ["/metadata"]\n')
    folder = harness.cwd / "fixtures" / "llm"
    folder.mkdir(parents=True)
    paths: list[Any] = []
    for name in ("one", "two"):
        (folder / name).write_bytes(tape_of(2))
        paths.append(f"fixtures/llm/{name}")
    assert harness.run_cli(*words, *paths).returncode == 0
    (folder / "two").write_bytes(tape_of(2)[:-9])
    assert harness.run_cli(*words, *paths).returncode == 1
