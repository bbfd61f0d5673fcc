"""Errors in a person's language, with a log of what was not to be had."""

from __future__ import annotations

import logging

import pytest

import spycatcher_addon
from spycatcher_addon.edge.localizing import localize_harness_error
from spycatcher_addon.errors import InvalidConfigError
from spycatcher_addon.i18n import CatalogueChain, parse_catalogue

MISSING = ("spycatcher_addon", logging.DEBUG, "no catalogue has a usable text for harness-error-invalid-config")


def test_the_package_offers_this_one() -> None:
    assert spycatcher_addon.localize_harness_error is localize_harness_error


@pytest.mark.parametrize("source", ["other = x\n", "harness-error-invalid-config = { $unknown }\n"])
def test_a_message_that_is_not_to_be_had_is_logged_at_debug_level(source: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "spycatcher_addon")
    catalogues = CatalogueChain([parse_catalogue("en-US", source)])
    assert localize_harness_error(catalogues, InvalidConfigError("missing upstream")) == "invalid configuration: missing upstream"
    assert caplog.record_tuples == [MISSING]


def test_a_message_that_is_there_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "spycatcher_addon")
    catalogues = CatalogueChain([parse_catalogue("en-US", "harness-error-invalid-config = invalid configuration: { $message }\n")])
    assert (
        localize_harness_error(catalogues, InvalidConfigError("missing upstream")) == "invalid configuration: \u2068missing upstream\u2069"
    )
    assert caplog.record_tuples == []
