"""Texts of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spycatcher_addon.edge import cli_text
from spycatcher_addon.edge.cli_text import counted, text


def test_arguments_are_data() -> None:
    assert text("clap-error-unknown-argument", argument="{value}") == "unknown argument: {value}"


def test_a_missing_message_or_argument_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        text("no-such-message")
    with pytest.raises(KeyError):
        text("clap-error-unknown-argument")


@pytest.mark.parametrize(("count", "expected"), [(0, "0 interactions"), (1, "1 interaction"), (2000, "2000 interactions")])
def test_counted(count: int, expected: str) -> None:
    assert counted("interaction", count) == expected


def test_every_text_is_used() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in Path(cli_text.__file__).parent.glob("*.py") if path.name != "cli_text.py"
    )
    built = re.compile(r"cli-(option|group|interaction|request|exchange)-|cli-[a-z-]+-about$")
    unused = [name for name in cli_text._ENGLISH if name not in source and not built.match(name)]
    assert unused == []
