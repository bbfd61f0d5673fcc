"""Log lines in the user's language."""

from __future__ import annotations

import ast
import logging
from pathlib import Path

import pytest

import spycatcher_addon
from spycatcher_addon import upstream_failure
from spycatcher_addon.edge.catalogues import LOCALES, load_catalogues
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.log_texts import LOG_TEXTS, REASONS, localized_line

PACKAGE = Path(spycatcher_addon.__file__).parent
ENGLISH = Texts(load_catalogues(["en-US"]))
ELSEWHERE = {"script.py"}
"""Logs under mitmdump only; what of it is translated goes through the catalogues before it is logged."""


def record(message: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord("spycatcher_addon", logging.WARNING, "", 0, message, arguments, None)


def logged_templates() -> set[str]:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name in ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(ast.Name("logger"), "warning" | "error"), args=[ast.Constant(str(template)), *_]):
                    found.add(template)
    return found


def test_every_line_that_is_logged_while_serving_has_a_text() -> None:
    known = {f"{text.english}{text.arguments}" for text in LOG_TEXTS}
    assert logged_templates() - known == {"%s", "a harness that was stopped in the background did not stop cleanly: %s"}


@pytest.mark.parametrize("text", LOG_TEXTS, ids=lambda text: text.message_id)
def test_the_english_catalogue_says_what_is_logged(text: tuple[str, str, str]) -> None:
    assert ENGLISH(text[0]) == text[1]


@pytest.mark.parametrize(("english", "message_id"), REASONS.items())
def test_the_english_catalogue_gives_the_reasons_of_the_recorder(english: str, message_id: str) -> None:
    assert ENGLISH(message_id) == english


def test_every_kind_of_an_upstreams_failure_is_a_reason() -> None:
    kinds = {phrase for _, phrase in upstream_failure._PHRASES}
    kinds |= {upstream_failure.describe_failure(text, is_connecting) for text in ("", "timed out") for is_connecting in (False, True)}
    assert kinds - set(REASONS) == set()


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("de-DE", "NICHT AUFGEZEICHNET: Der Upstream hat versagt: die Verbindung wurde abgelehnt"),
        ("fr-FR", "NON ENREGISTRÉ : le fournisseur a échoué : la connexion a été refusée"),
    ],
)
def test_what_is_behind_a_text_has_the_colons_of_its_language(locale: str, line: str) -> None:
    texts = Texts(load_catalogues([locale]))
    assert localized_line(record("NOT RECORDED: the upstream failed: %s", "the connection was refused"), texts) == line
    quoted = localized_line(record("NOT RECORDED: the cassette could not be written: %s", "a: b"), texts)
    assert quoted.endswith("a: b")


@pytest.mark.parametrize("locale", LOCALES)
def test_arguments_stand_behind_the_text_as_they_are(locale: str) -> None:
    texts = Texts(load_catalogues([locale]))
    line = localized_line(record("recorded an answer with error status %d", 429), texts)
    assert line == f"{texts('log-error-status')} 429"


def test_a_reason_is_translated_with_its_line() -> None:
    texts = Texts(load_catalogues(["de-DE"]))
    assert localized_line(record("NOT RECORDED: %s", "the upstream never answered"), texts) == (
        "NICHT AUFGEZEICHNET: der Upstream hat nie geantwortet"
    )
    assert localized_line(record("NOT RECORDED: %s", "quoted 100 %"), texts) == "NICHT AUFGEZEICHNET: quoted 100 %"


def test_what_is_not_ours_stays_as_it_is() -> None:
    assert localized_line(record("Client closed %s", "x"), ENGLISH) == "Client closed x"
    assert localized_line(record("100 % %r"), ENGLISH) == "100 % %r"
    assert localized_line(record("%(a)s", {"a": 1}), ENGLISH) == "1"
