"""A document is told by its members."""

from __future__ import annotations

import pytest

from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.tools.formats import SourceFormat, source_format


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"log": {}}, SourceFormat.HAR),
        ({"interactions": [], "version": 1}, SourceFormat.VCR),
        ({"interactions": [], "format_version": 2}, SourceFormat.CASSETTE),
        ({"log": {}, "format_version": 2}, SourceFormat.CASSETTE),
        ({}, SourceFormat.CASSETTE),
        (None, SourceFormat.CASSETTE),
        ([], SourceFormat.CASSETTE),
    ],
)
def test_source_format(document: JsonValue, expected: SourceFormat) -> None:
    assert source_format(document) is expected
