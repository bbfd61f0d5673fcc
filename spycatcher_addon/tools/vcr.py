"""Cassettes of vcrpy (its YAML or JSON, version 1) as interactions."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.exchange import Headers
from spycatcher_addon.tools.importing import ForeignExchange, Imported, ImportFormatError, import_exchange
from spycatcher_addon.tools.losses import LossKind, count_losses


def import_vcr(document: object, drop_headers: frozenset[str], ignore: IgnorePathConfig, recorded_at: str) -> Imported:
    """Read a vcrpy cassette from the values of its YAML or JSON document.

    Args:
        drop_headers: Lower-case names of header fields that must not get onto the tape.
        recorded_at: RFC 3339, UTC: vcrpy notes no times.

    Raises:
        ImportFormatError: It is no such document.
        InvalidPointerPathError: An ignore path does not fit a body.
    """
    interactions = []
    losses: list[LossKind] = []
    for exchange in _exchanges(document, recorded_at):
        interaction, lost = import_exchange(exchange, drop_headers, ignore)
        losses += lost
        if interaction is not None:
            interactions.append(interaction)
    return Imported(tuple(interactions), count_losses(losses))


def _exchanges(document: object, recorded_at: str) -> Iterator[ForeignExchange]:
    entries = _mapping(document, "the document").get("interactions")
    if not isinstance(entries, list):
        raise ImportFormatError("a vcrpy cassette has a list named interactions at its top; this file has none")
    for index, entry in enumerate(entries):
        place = f"interactions[{index}]"
        members = _mapping(entry, place)
        request = _mapping(members.get("request"), f"{place}.request")
        response = _mapping(members.get("response"), f"{place}.response")
        code = _mapping(response.get("status"), f"{place}.response.status").get("code")
        method, uri = request.get("method"), request.get("uri")
        if not isinstance(method, str) or not isinstance(uri, str) or not isinstance(code, int):
            raise ImportFormatError(f"{place}: expected request.method, request.uri and response.status.code")
        yield ForeignExchange(
            method=method,
            url=uri,
            request_headers=_headers(request.get("headers")),
            request_body=_body(request.get("body"), f"{place}.request.body"),
            status=code,
            response_headers=_headers(response.get("headers")),
            response_body=_body(response.get("body"), f"{place}.response.body"),
            recorded_at=recorded_at,
        )


def _mapping(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ImportFormatError(f"{place}: expected a mapping")
    return value


def _headers(value: object) -> Headers:
    """A mapping of names to values or lists of values."""
    fields: list[tuple[str, str]] = []
    for name, values in value.items() if isinstance(value, Mapping) else ():
        for each in values if isinstance(values, list) else [values]:
            fields.append((str(name), each.decode("latin-1") if isinstance(each, bytes) else str(each)))
    return tuple(fields)


def _body(value: object, place: str) -> bytes:
    match value:
        case None:
            return b""
        case bytes():
            return value
        case str():
            return value.encode("utf-8", "surrogatepass")
        case {"base64_string": str(text)}:
            try:
                return base64.b64decode(text, validate=False)
            except binascii.Error as error:
                raise ImportFormatError(f"{place}.base64_string: {error}") from error
        case {"string": inner} if not isinstance(inner, Mapping):
            return _body(inner, place)
        case _:
            raise ImportFormatError(f"{place}: expected a text or bytes")
