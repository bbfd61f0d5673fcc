"""The page that follows the Rust edition's guide: every heading of it, every error, every code block run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spycatcher_addon import errors
from tests.support.doc_blocks import FENCE

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide-parity.md").read_text(encoding="utf-8")

HEADINGS = [
    "Library API",
    "Starting the harness",
    "Configuration",
    "Localizing library messages",
    "Security considerations",
    "Record mode proxying",
    "Replay matching modes",
    "Canonical request hashing",
    "Error handling",
    "Shutdown",
    "CLI binary",
    "Common CLI flags",
    "Localized CLI help, version, and parse errors",
    "Configuration file shape",
    "Environment variable shape",
    "CLI usage examples",
]


def test_the_headings_are_those_of_the_guide_in_its_order() -> None:
    assert re.findall(r"^##+ (.*)$", re.sub(FENCE, "", PAGE), re.MULTILINE) == HEADINGS


def test_every_block_is_run() -> None:
    blocks = [match["info"] for match in FENCE.finditer(PAGE)]
    assert len(blocks) >= len(HEADINGS)
    assert [info for info in blocks if "run" not in info.split()] == []


@pytest.mark.parametrize(
    "name",
    [name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.HarnessError)],
)
def test_every_error_of_the_guide_is_there(name: str) -> None:
    ours_only = {"HarnessError", "CanonicalError", "InvalidPointerPathError"}
    ours_only |= {"StreamParseError", "InvalidUtf8Error", "IncompleteEventError"}
    assert f"`{name}`" in PAGE or name in ours_only
