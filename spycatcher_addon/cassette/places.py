"""Where the interactions of a tape stand in its file, so that each can be read when it is asked for.

Decides how a file is indexed, and whether bytes read later are still the indexed ones; reading them is somebody else's.
The index is made from a tape that has been checked to its last byte, and holds a digest of every interaction: what those
vouch for needs no checking again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from spycatcher_addon.cassette import format_v1, format_v2
from spycatcher_addon.cassette.fields import as_object
from spycatcher_addon.cassette.model import Cassette, Interaction, Outline, RecordedAnswer, RecordedRequest, outline_of
from spycatcher_addon.cassette.schema import Element, stream_cassette

_RESPONSE: Final = b',\n      "response": '
"""What ends the request of an interaction as the harness prints it; deeper members are indented further."""
_REST: Final = b"\n    }"
"""What makes an object again of an interaction that is cut off there."""

_READ_INTERACTION: Final = {1: format_v1.parse_interaction, 2: format_v2.parse_interaction}
_READ_ANSWER: Final = {1: format_v1.parse_answer, 2: format_v2.parse_answer}
_READ_REQUEST: Final = {1: format_v1.parse_request, 2: format_v2.parse_request}


class ChangedBytesError(Exception):
    """The bytes are not those that were indexed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one interaction stands in a file, and what its bytes are."""

    start: int
    request_end: int
    """From ``start`` to here is all that is needed to read its request."""
    end: int
    request_digest: bytes
    rest_digest: bytes


@dataclass(frozen=True, slots=True)
class TapeIndex:
    """All that is kept of a tape whose interactions stay in the file."""

    head: Cassette
    """The cassette without its interactions."""
    outlines: tuple[Outline, ...]
    places: tuple[Place, ...]


def index_tape(chunks: Iterable[bytes | memoryview]) -> TapeIndex:
    """Check a file as ``parse_cassette`` does, and note where its interactions stand.

    Args:
        chunks: As for ``stream_cassette``.

    Raises:
        OtherwiseLaidOutError: The file can only be read as a whole, or is damaged.
        UnsupportedCassetteFormatVersionError: The version is another.
    """
    head, elements = stream_cassette(chunks)
    outlines: list[Outline] = []
    places: list[Place] = []
    for element in elements:
        outlines.append(outline_of(element.interaction))
        places.append(place_of(element))
    return TapeIndex(head, tuple(outlines), tuple(places))


def place_of(element: Element) -> Place:
    """Note where an interaction stands, and what its bytes are."""
    cut = element.data.find(_RESPONSE)
    if cut < 0:
        cut = len(element.data)
    start, data = element.start, memoryview(element.data)
    return Place(start, start + cut, start + len(data), _digest(data[:cut]), _digest(data[cut:]))


def parse_placed(place: Place, data: bytes, format_version: int) -> Interaction:
    """Read an interaction from the bytes between ``start`` and ``end`` of its place.

    Raises:
        ChangedBytesError: They are not those that were indexed.
    """
    cut = place.request_end - place.start
    view = memoryview(data)
    if _digest(view[:cut]) != place.request_digest or _digest(view[cut:]) != place.rest_digest:
        raise ChangedBytesError
    return _READ_INTERACTION[format_version](json.loads(data))


def parse_placed_answer(place: Place, data: bytes, format_version: int) -> RecordedAnswer | None:
    """Read all but the request from the bytes between ``request_end`` and ``end`` of its place.

    Returns:
        ``None`` when the interaction is printed in an unusual way and must be read whole; also then, if its members stand in
        another order, the failure may be missing.

    Raises:
        ChangedBytesError: They are not those that were indexed.
    """
    if _digest(data) != place.rest_digest:
        raise ChangedBytesError
    try:
        members = json.loads(b"{" + data[1:])
    except ValueError:
        return None
    return _READ_ANSWER[format_version](members) if "metadata" in members else None


def parse_placed_request(place: Place, data: bytes, format_version: int) -> RecordedRequest | None:
    """Read a request from the bytes between ``start`` and ``request_end`` of its place.

    Returns:
        ``None`` when the interaction is printed in an unusual way and must be read whole.

    Raises:
        ChangedBytesError: They are not those that were indexed.
    """
    if _digest(data) != place.request_digest:
        raise ChangedBytesError
    try:
        members = json.loads(data if place.request_end == place.end else data + _REST)
    except ValueError:
        return None
    return _READ_REQUEST[format_version](as_object(members, "")) if "request" in members else None


def _digest(data: bytes | memoryview) -> bytes:
    return hashlib.sha256(data).digest()
