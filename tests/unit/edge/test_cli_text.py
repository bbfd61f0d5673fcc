"""Texts with their arguments."""

from __future__ import annotations

import pytest

from spycatcher_addon.edge.cli_text import MissingTextError, without_marks
from spycatcher_addon.errors import HarnessIOError
from tests.support.texts import ENGLISH


def test_arguments_are_data_between_isolation_marks() -> None:
    assert ENGLISH("clap-error-unknown-argument", argument="{ $value }") == "unknown argument: \u2068{ $value }\u2069"


def test_logs_have_no_marks() -> None:
    assert without_marks(ENGLISH("clap-error-unknown-argument", argument="a:b")) == "unknown argument: a:b"


def test_a_text_of_one_argument_has_no_marks() -> None:
    assert ENGLISH("cli-version", version="1.2.3") == "1.2.3"


def test_a_missing_message_or_argument_is_an_error() -> None:
    with pytest.raises(MissingTextError, match="no-such-message"):
        ENGLISH("no-such-message")
    with pytest.raises(MissingTextError):
        ENGLISH("clap-error-unknown-argument")


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "\u20680\u2069 requests"), (1, "\u20681\u2069 request "), (2000, "\u20682000\u2069 requests")]
)
def test_numbers_choose_the_plural_and_are_not_grouped(count: int, expected: str) -> None:
    assert ENGLISH("cli-mismatched", count=count).startswith(expected)


def test_errors() -> None:
    assert ENGLISH.error(HarnessIOError("disk full")) == "io failure: \u2068disk full\u2069"
