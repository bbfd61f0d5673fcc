"""Catalogues as values, and errors put into words."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from fluent.runtime import FluentLocalization, FluentResource
from fluent.runtime.fallback import AbstractResourceLoader

from spycatcher_addon import errors
from spycatcher_addon.errors import CanonicalError, HarnessError, InvalidConfigError, RequestMismatchError, StreamParseError
from spycatcher_addon.i18n import BrokenCatalogueError, CatalogueChain, localize_harness_error, parse_catalogue

GUIDE_EXAMPLE = "invalid configuration: \u2068missing upstream\u2069"
SOURCE = "harness-error-invalid-config = invalid configuration: { $message }\n"


class OneCatalogue(AbstractResourceLoader):
    """Gives the same source for every locale."""

    def __init__(self, source: str) -> None:
        self.source = source

    def resources(self, locale: str, resource_ids: list[str]) -> Generator[list[Any], None, None]:
        yield [FluentResource(self.source)]


def chain(*sources: str) -> CatalogueChain:
    return CatalogueChain([parse_catalogue("en-US", source) for source in sources])


def localization(source: str) -> FluentLocalization:
    return FluentLocalization(["en-US"], ["x.ftl"], OneCatalogue(source), use_isolating=True)


@pytest.mark.parametrize("make", [chain, localization])
def test_the_guides_example(make: Any) -> None:
    assert localize_harness_error(make(SOURCE), InvalidConfigError("missing upstream")) == GUIDE_EXAMPLE


def test_a_localizer_of_ones_own() -> None:
    class Shouting:
        def format_value(self, msg_id: str, args: dict[str, Any] | None = None) -> str:
            return f"{msg_id.upper()}: {args}"

    text = localize_harness_error(Shouting(), InvalidConfigError("m"))
    assert text == "HARNESS-ERROR-INVALID-CONFIG: {'message': 'm'}"


@pytest.mark.parametrize(
    "source", ["other = x\n", "harness-error-invalid-config = { $mesage } x\n", "harness-error-invalid-config =\n    .a = x\n"]
)
@pytest.mark.parametrize("make", [chain, localization])
def test_without_a_usable_message_the_plain_text_is_given(make: Any, source: str) -> None:
    assert localize_harness_error(make(source), InvalidConfigError("m")) == "invalid configuration: m"


def test_an_error_family_of_somebody_else() -> None:
    class OwnError(HarnessError):
        pass

    assert localize_harness_error(chain(SOURCE), OwnError("text")) == "text"


def test_values_are_data() -> None:
    rendered = localize_harness_error(chain(SOURCE), InvalidConfigError("{ $message } \u2068x\u2069 -term"))
    assert rendered == "invalid configuration: \u2068{ $message } \u2068x\u2069 -term\u2069"


def test_numbers_in_errors_are_not_grouped() -> None:
    source = "harness-error-request-mismatch = { $interaction_id } { $expected_hash } { $observed_hash } { $diff_summary }\n"
    assert localize_harness_error(chain(source), RequestMismatchError(12345, "e", "o", "d")).startswith("\u206812345\u2069 ")


@pytest.mark.parametrize("family", [CanonicalError, StreamParseError])
def test_what_a_family_itself_says_is_its_detail(family: type[HarnessError]) -> None:
    assert localize_harness_error(chain(f"{family.message_id} = <{{ $detail }}>\n"), family("odd")) == "<\u2068odd\u2069>"


def test_a_later_catalogue_steps_in() -> None:
    both = chain("a = first\n", "a = second\nb = { $x } second\n")
    assert both.find("a", {}) == "first"
    assert both.find("b", {"x": "y"}) == "\u2068y\u2069 second"
    assert both.find("b", {}) is None
    assert both.format_value("b") == "b"
    assert both.format_value("a") == "first"


def test_numbers_choose_the_plural() -> None:
    catalogue = chain("n = { $n ->\n    [one] one\n   *[other] { $n } things\n }\n")
    assert catalogue.find("n", {"n": 1}) == "one"
    assert catalogue.find("n", {"n": 2000}) == "\u20682000\u2069 things"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a = x\nb = {\nc = y\n", "catalogue en-US, line 2: not Fluent syntax"),
        ("a = x\na = y\n", "catalogue en-US: a stands twice"),
        ("a = x\na = x\n", "catalogue en-US: a stands twice"),
        ("a = x\na = { $y ->\n   *[z] z\n }\n", "catalogue en-US: a stands twice"),
        ("a =  \n", "catalogue en-US, line 1: not Fluent syntax"),
        ("a = x }\n", "catalogue en-US, line 1: not Fluent syntax"),
        ("-t = x\n-t = y\n", "catalogue en-US: t stands twice"),
        ("# nothing\n", "catalogue en-US: there are no messages in it"),
        ("", "catalogue en-US: there are no messages in it"),
    ],
)
def test_broken_catalogues(source: str, message: str) -> None:
    with pytest.raises(BrokenCatalogueError) as caught:
        parse_catalogue("en-US", source)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = x\nb = y\n", "x"),
        ("a = x\n\n\nb = y\n", "x"),
        ("a = x\n    y\n", "x\ny"),
        ("a = x\n\n    y\n", "x\n\ny"),
        ("a = x\n    .attribute = y\n", "x"),
        ("a = x { b }\nb = y\n", "x \u2068y\u2069"),
        ("-t = y\na = x\nb = { -t }\n", "x"),
        ("a = x  ", "x"),
        ("a = x\r\nb = y\r\n", "x"),
        ("# comment\na = { $v }, { $v }\n# comment\nb = y\n", "\u20681\u2069, \u20681\u2069"),
    ],
)
def test_messages_of_every_shape_are_read_to_their_end(source: str, expected: str) -> None:
    catalogue = chain(source)
    assert catalogue.find("a", {"v": "1"}) == expected
    assert catalogue.find("a", {"v": "1"}) == expected


def test_every_error_has_a_message_id_of_its_own() -> None:
    leaves = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, HarnessError) and value is not HarnessError
    ]
    assert len({leaf.message_id for leaf in leaves}) == len(leaves)


def test_a_message_that_refers_to_itself_counts_as_missing() -> None:
    chain = CatalogueChain([parse_catalogue("de-DE", "a = { a }\n"), parse_catalogue("en-US", "a = plain\n")])
    assert chain.find("a", {}) == "plain"
    assert CatalogueChain([parse_catalogue("de-DE", "a = { b }\nb = { a }\n")]).find("a", {}) is None
