"""The six catalogues: whole, alike in ids and variables, used to the last message, consistent in their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax.ast import BaseNode, Junk, Message, SelectExpression, Term, VariableReference

from spycatcher_addon import errors
from spycatcher_addon.edge.catalogues import CATALOGUE_FILE, LOCALES, SOURCE_LOCALE, read_catalogue
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.i18n import parse_catalogue

ROOT = Path(__file__).resolve().parents[2]
TRANSLATIONS = [locale for locale in LOCALES if locale != SOURCE_LOCALE]

NEVER_ASKED_FOR = {"clap-error-argument-conflict", "clap-error-no-equals", "clap-error-too-few-values"}
"""Kept because other programs know the ids; this command line has no options that could lead to them."""

BUILT = re.compile(
    r"f\"(?P<prefix>(?:cli|clap-error|verify|notice|log)-[a-z-]*)\{[^}]*\}(?P<suffix>[a-z-]*)\"",
)


def messages(locale: str) -> dict[str, Message]:
    resource = FluentParser(with_spans=False).parse(read_catalogue(locale))
    assert not [entry for entry in resource.body if isinstance(entry, Junk | Term)]
    return {entry.id.name: entry for entry in resource.body if isinstance(entry, Message)}


def nodes(node: object) -> Iterator[BaseNode]:
    if isinstance(node, BaseNode):
        yield node
        for value in vars(node).values():
            yield from nodes(value)
    elif isinstance(node, list):
        for value in node:
            yield from nodes(value)


def variables(message: Message) -> set[str]:
    return {node.id.name for node in nodes(message) if isinstance(node, VariableReference)}


SOURCE = messages(SOURCE_LOCALE)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_catalogue_is_whole(locale: str) -> None:
    parse_catalogue(locale, read_catalogue(locale))


@pytest.mark.parametrize("locale", TRANSLATIONS)
def test_the_same_ids_in_the_same_order(locale: str) -> None:
    assert list(messages(locale)) == list(SOURCE)


@pytest.mark.parametrize("locale", TRANSLATIONS)
def test_the_same_variables(locale: str) -> None:
    translated = messages(locale)
    assert {name: variables(message) for name, message in translated.items()} == {
        name: variables(message) for name, message in SOURCE.items()
    }


@pytest.mark.parametrize("locale", LOCALES)
def test_every_message_has_a_value_and_no_attributes(locale: str) -> None:
    assert [name for name, message in messages(locale).items() if message.value is None or message.attributes] == []


@pytest.mark.parametrize("locale", [locale for locale in LOCALES if locale != "ja-JP"])
def test_what_depends_on_a_number_has_a_singular_and_a_plural(locale: str) -> None:
    for name, message in messages(locale).items():
        for node in nodes(message):
            if isinstance(node, SelectExpression):
                keys = {getattr(variant.key, "name", None) for variant in node.variants}
                assert {"one", "other"} <= keys, name


@pytest.mark.parametrize("locale", [locale for locale in TRANSLATIONS if locale != "en-GB"])
def test_everything_is_translated(locale: str) -> None:
    same_in_every_language = {"cli-version"}
    lines = {line.strip() for line in read_catalogue(SOURCE_LOCALE).splitlines()}
    untranslated = [
        line for line in map(str.strip, read_catalogue(locale).splitlines()) if line in lines and " = " in line and line.count(" ") > 3
    ]
    assert [line for line in untranslated if line.split(" = ")[0] not in same_in_every_language] == []


def used_ids() -> tuple[set[str], list[re.Pattern[str]]]:
    """Ids that stand in the code, and patterns of those that are put together there."""
    whole: set[str] = {leaf.message_id for leaf in vars(errors).values() if isinstance(leaf, type) and hasattr(leaf, "message_id")}
    built: list[re.Pattern[str]] = []
    for path in (ROOT / "spycatcher_addon").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        whole |= set(re.findall(r"[\"']((?:cli|clap-error|verify|notice|log)-[a-z0-9-]+)[\"']", source))
        for match in BUILT.finditer(source):
            built.append(re.compile(f"{match['prefix']}[a-z0-9-]+{match['suffix']}"))
    return whole, built


def test_every_message_is_used() -> None:
    whole, built = used_ids()
    unused = [name for name in SOURCE if name not in whole and not any(pattern.fullmatch(name) for pattern in built)]
    assert set(unused) == NEVER_ASKED_FOR


def test_every_id_in_the_code_is_a_message() -> None:
    whole, _ = used_ids()
    assert sorted(name for name in whole if name not in SOURCE) == []


def test_every_error_has_a_message_with_its_own_fields() -> None:
    for error in vars(errors).values():
        if isinstance(error, type) and issubclass(error, HarnessError) and error is not HarnessError:
            names = set(error.__init__.__annotations__) - {"return"} if "__init__" in vars(error) else {"detail"}
            assert variables(SOURCE[error.message_id]) == names, error


FORBIDDEN_WORDS = {
    "en-US": ["tape", "customise", "catalog "],
    "en-GB": ["tape", "customize", "honored", "catalog "],
    "de-DE": ["Cassette", "Request", "Response", "Default", "Interaction"],
    "fr-FR": ["tape", "casette", "harness", "upstream "],
    "es-ES": ["cassette", "casette", "solicitud", "harness", "upstream "],
    "ja-JP": ["リプレイ", "レスポンス", "カセットテープ", "サーバ:", "レコード"],
}
"""Another word for the same thing, or another spelling; one catalogue uses one word throughout."""


@pytest.mark.parametrize("locale", LOCALES)
def test_terms_are_consistent(locale: str) -> None:
    found = []
    for line in read_catalogue(locale).splitlines():
        text = re.sub(r"^[a-z][a-z0-9-]* =|`[^`]*`|\{[^}]*\}|--[a-z-]+|[\w.$~/]*_[\w.]+", "", line)
        if not line.startswith("#"):
            found += [f"{word}: {line}" for word in FORBIDDEN_WORDS[locale] if word in text]
    assert found == []


@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_the_same_in_every_language_stays(locale: str) -> None:
    """Commands, settings and file names are not translated."""
    pattern = re.compile(r"--[a-z-]+|[a-z_]+\.[a-z_]+(?:\.[a-z_]+)?|\b[a-z]+_[a-z_]+\b|`[^`]+`")
    for name, message in messages(locale).items():
        texts = [read_entry(SOURCE_LOCALE, name), read_entry(locale, name)]
        first, second = (set(pattern.findall(text)) for text in texts)
        assert first == second, name
        assert message.id.name == name


def read_entry(locale: str, name: str) -> str:
    """The source of one message."""
    found = re.search(rf"^{name} =((?:.*\n)(?:[ ].*\n)*)", read_catalogue(locale), re.MULTILINE)
    assert found is not None, name
    return re.sub(r"\$\w+", "", found[1])


@pytest.mark.parametrize("locale", LOCALES)
def test_punctuation_that_announces_a_value_ends_the_text(locale: str) -> None:
    """Where English ends with a colon, something follows, and so it does in every language."""
    for name in SOURCE:
        source = read_entry(SOURCE_LOCALE, name).strip()
        if source.endswith(":"):
            assert read_entry(locale, name).strip().endswith(":"), name


def test_file_names() -> None:
    assert {path.name for path in (ROOT / "i18n").rglob("*") if path.is_file()} == {CATALOGUE_FILE}
