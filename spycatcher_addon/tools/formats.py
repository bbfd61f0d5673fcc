"""File formats a conversion reads and writes."""

from __future__ import annotations

from enum import StrEnum, auto

from spycatcher_addon.cassette.jsontext import JsonValue


class TargetFormat(StrEnum):
    """What can be written."""

    V1 = "v1"
    """A cassette for the Rust harness."""
    V2 = "v2"
    HAR = "har"
    WIREMOCK = "wiremock"


class SourceFormat(StrEnum):
    """What can be read."""

    CASSETTE = auto()
    """Of any version."""
    HAR = auto()
    VCR = auto()


def source_format(document: JsonValue) -> SourceFormat:
    """Tell by its top-level members what a JSON document is; what is nothing else passes for a cassette."""
    if isinstance(document, dict) and "format_version" not in document:
        if "log" in document:
            return SourceFormat.HAR
        if "interactions" in document:
            return SourceFormat.VCR
    return SourceFormat.CASSETTE
