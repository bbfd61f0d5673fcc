from __future__ import annotations

import json

import pytest

from spycatcher_addon.cassette.model import (
    Cassette,
    DataEvent,
    Hashing,
    Interaction,
    Metadata,
    RecordedAnswer,
    RecordedRequest,
    StreamResponse,
)
from spycatcher_addon.cassette.places import (
    ChangedBytesError,
    Place,
    TapeIndex,
    index_tape,
    parse_placed,
    parse_placed_answer,
    parse_placed_request,
)
from spycatcher_addon.cassette.schema import OtherwiseLaidOutError, encode_cassette
from spycatcher_addon.errors import UnsupportedCassetteFormatVersionError
from spycatcher_addon.tools.version_one import encode_version_one
from tests.support.tape_samples import HASHING, sample_interaction

STREAM = Interaction(
    RecordedRequest("POST", "/v1/chat/completions", body=b'{"response": "\\n},\\n      \\"response\\": {"}', stable_hash="5" * 64),
    StreamResponse(200, (), (DataEvent('{"a":1}'), DataEvent("[DONE]")), b'data: {"a":1}\n\ndata: [DONE]\n\n'),
    Metadata("p", "u", "2026-01-02T03:04:05Z", 0),
)
INTERACTIONS = (sample_interaction(0), STREAM, sample_interaction(2, size=5_000))
TAPE = encode_cassette(Cassette(2, INTERACTIONS, HASHING, "a recorder"))


def whole(place: Place, data: bytes = TAPE) -> bytes:
    return data[place.start : place.end]


def answered(place: Place, data: bytes = TAPE) -> bytes:
    return data[place.request_end : place.end]


def answer_of(interaction: Interaction) -> RecordedAnswer:
    return RecordedAnswer(interaction.response, interaction.metadata, interaction.failure)


def asked(place: Place, data: bytes = TAPE) -> bytes:
    return data[place.start : place.request_end]


def in_chunks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [300, 1000, 1 << 20])
def test_every_interaction_is_found_where_it_stands(size: int) -> None:
    index = index_tape(in_chunks(TAPE, size))
    assert index.head == Cassette(2, (), HASHING, "a recorder")
    assert index.outlines == Cassette(2, INTERACTIONS).outlines()
    for place, interaction in zip(index.places, INTERACTIONS, strict=True):
        assert parse_placed(place, whole(place), 2) == interaction
        assert parse_placed_request(place, asked(place), 2) == interaction.request
        assert parse_placed_answer(place, answered(place), 2) == answer_of(interaction)
        assert b'"status"' not in asked(place)


def test_an_empty_tape_has_no_places() -> None:
    assert index_tape([encode_cassette(Cassette(2, (), HASHING, "r"))]) == TapeIndex(Cassette(2, (), HASHING, "r"), (), ())


def test_a_tape_of_format_1_is_indexed_as_well() -> None:
    data, _ = encode_version_one(Cassette(2, INTERACTIONS))
    data += b"\n"
    index = index_tape([data])
    assert index.head == Cassette(1, (), Hashing())
    for place, interaction in zip(index.places, INTERACTIONS, strict=True):
        assert parse_placed(place, whole(place, data), 1).response == interaction.response
        assert parse_placed_request(place, asked(place, data), 1) == parse_placed(place, whole(place, data), 1).request
        assert parse_placed_answer(place, answered(place, data), 1) == answer_of(parse_placed(place, whole(place, data), 1))


@pytest.mark.parametrize("offset", range(0, 1200, 60))
def test_no_changed_byte_is_overlooked(offset: int) -> None:
    place = index_tape([TAPE]).places[1]
    data = bytearray(whole(place))
    offset %= len(data)
    data[offset] ^= 1
    with pytest.raises(ChangedBytesError):
        parse_placed(place, bytes(data), 2)
    is_in_request = offset < place.request_end - place.start
    if not is_in_request:
        with pytest.raises(ChangedBytesError):
            parse_placed_answer(place, bytes(data[place.request_end - place.start :]), 2)
    else:
        with pytest.raises(ChangedBytesError):
            parse_placed_request(place, bytes(data[: place.request_end - place.start]), 2)


@pytest.mark.parametrize("read", [parse_placed, parse_placed_answer, parse_placed_request])
def test_a_short_read_is_a_change(read: object) -> None:
    place = index_tape([TAPE]).places[0]
    assert callable(read)
    for data in (b"", whole(place)[:50]):
        with pytest.raises(ChangedBytesError):
            read(place, data, 2)


def unusual(old: str, new: str) -> bytes:
    text = encode_cassette(Cassette(2, (STREAM,), HASHING)).decode()
    assert old in text
    return text.replace(old, new).encode()


@pytest.mark.parametrize(
    "data",
    [
        unusual('      "response": {\n', '      "response" : {\n'),
        unusual('      "response": {\n', '      "x": {"y": 0,\n      "response": 0},\n      "response": {\n'),
        unusual('      "request": {\n', '      "x": {\n      "z": 0,\n      "response": 0},\n      "request": {\n'),
    ],
)
def test_an_interaction_printed_in_an_unusual_way_is_read_whole(data: bytes) -> None:
    [place] = index_tape([data]).places
    assert parse_placed(place, whole(place, data), 2) == STREAM
    assert parse_placed_request(place, asked(place, data), 2) in (None, STREAM.request)
    assert parse_placed_answer(place, answered(place, data), 2) in (None, answer_of(STREAM))


def test_an_interaction_in_another_order_is_read_whole() -> None:
    document = json.loads(encode_cassette(Cassette(2, (STREAM,), HASHING)))
    document["interactions"] = [{name: each[name] for name in ("metadata", "response", "request")} for each in document["interactions"]]
    data = json.dumps(document, indent=2).encode() + b"\n"
    [place] = index_tape([data]).places
    assert parse_placed(place, whole(place, data), 2) == STREAM
    assert parse_placed_request(place, asked(place, data), 2) is None
    assert parse_placed_answer(place, answered(place, data), 2) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        TAPE[:-1],
        TAPE.replace(b"\n", b"\r\n"),
        TAPE.replace(b'"status": 200', b'"status": "200"'),
        TAPE.replace(b'"status": 200', b'"status": 200, "status": 200'),
        TAPE.replace(b"question 0", b"question 1"),
    ],
)
def test_anything_else_is_left_to_who_reads_the_whole(data: bytes) -> None:
    with pytest.raises(OtherwiseLaidOutError):
        index_tape([data])


def test_another_version_is_told_at_once() -> None:
    with pytest.raises(UnsupportedCassetteFormatVersionError):
        index_tape([TAPE.replace(b'"format_version": 2', b'"format_version": 3')])
