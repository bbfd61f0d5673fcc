from __future__ import annotations

import json
from typing import Any

import pytest

from spycatcher_addon.cassette.model import (
    Cassette,
    DataEvent,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.cassette.schema import (
    EMPTY_TAIL,
    FIRST,
    FORMAT_VERSION,
    SEPARATOR,
    TAIL,
    OtherwiseLaidOutError,
    encode_cassette,
    encode_head,
    encode_interaction,
    is_canonical_tail,
    parse_cassette,
    stream_cassette,
)
from spycatcher_addon.errors import InvalidCassetteError, UnsupportedCassetteFormatVersionError
from spycatcher_addon.sse import encode_events

METADATA = Metadata("openai.chat_completions.v1", "openrouter", "2026-01-01T00:00:00Z", 0)
HASHING = Hashing(("/user",), ("authorization",))
GENERATOR = "spycatcher-harness 1.2.3"
EVENTS = (DataEvent('{"a":"é"}'), DataEvent("[DONE]"))
INTERACTIONS = (
    Interaction(RecordedRequest("POST", "/v1/x", "", (("a", "b"),), b'{"b":1,"a":2}'), NonStreamResponse(200, (), b"\xff"), METADATA),
    Interaction(
        RecordedRequest("POST", "/v1/x", "", (), b"two", stable_hash="0" * 64),
        StreamResponse(200, (), EVENTS, encode_events(EVENTS), Timing(1, ((26, 1),))),
        METADATA,
    ),
)
CASSETTE = Cassette(2, INTERACTIONS, HASHING, GENERATOR)
FILE = encode_cassette(CASSETTE)
VERSION_1 = {
    "format_version": 1,
    "interactions": [
        {
            "request": {"method": "POST", "path": "/", "query": "", "headers": [], "body": [123, 125]},
            "response": {"kind": "non_stream", "status": 200, "headers": [], "body": [104, 105]},
            "metadata": {"protocol_id": "p", "upstream_id": "u", "recorded_at": "t", "relative_offset_ms": 0},
        }
    ],
}


def message(data: bytes) -> str:
    with pytest.raises(InvalidCassetteError) as caught:
        parse_cassette(data, "tapes/chat")
    assert caught.value.message.startswith("tapes/chat: ")
    return caught.value.message


def test_an_empty_file_of_the_format() -> None:
    expected = b"""\
{
  "format_version": 2,
  "generator": "spycatcher-harness 1.2.3",
  "hashing": {
    "ignore_paths": [
      "/user"
    ],
    "redaction_rules": [
      "authorization"
    ]
  },
  "interactions": []
}
"""
    assert encode_cassette(Cassette(2, (), HASHING, GENERATOR)) == expected
    assert parse_cassette(expected, "x") == Cassette(2, (), HASHING, GENERATOR)


def test_a_file_is_head_and_interactions_and_tail() -> None:
    head = encode_head(HASHING, GENERATOR)
    first, second = map(encode_interaction, INTERACTIONS)
    assert head + FIRST + first + SEPARATOR + second + TAIL == FILE
    assert encode_cassette(Cassette(2, (), HASHING, GENERATOR)) == head + EMPTY_TAIL
    assert FILE.endswith(b"    }\n  ]\n}\n")
    json.loads(FILE)


def test_what_is_written_is_read_back() -> None:
    assert parse_cassette(FILE, "x") == CASSETTE
    assert encode_cassette(parse_cassette(FILE, "x")) == FILE


@pytest.mark.parametrize(
    "data",
    [
        FILE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + FILE,
        b"\xef\xbb\xbf" + FILE.replace(b"\n", b"\r\n"),
        FILE.rstrip(),
        json.dumps(json.loads(FILE)).encode(),
        json.dumps(json.loads(FILE), indent="\t", ensure_ascii=False).encode(),
        json.dumps(dict(reversed(json.loads(FILE).items()))).encode(),
        json.dumps(json.loads(FILE) | {"unknown": [{"x": 1.5}]}).encode(),
    ],
    ids=["CRLF", "byte order mark", "both", "no final newline", "one line", "tabs", "version last", "unknown key"],
)
def test_other_spellings_of_the_same_file(data: bytes) -> None:
    assert parse_cassette(data, "x") == CASSETTE


def test_parts_of_the_head_may_be_missing() -> None:
    assert parse_cassette(b'{"format_version": 2, "interactions": []}', "x") == Cassette(2)
    assert parse_cassette(b'{"format_version": 2, "generator": null, "hashing": null, "interactions": []}', "x") == Cassette(2)


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
def test_version_1_is_read(prefix: bytes) -> None:
    data = prefix + json.dumps(VERSION_1, indent=2).replace("\n", "\r\n").encode()
    cassette = parse_cassette(data, "x")
    assert cassette.format_version == 1
    assert cassette.interactions[0].response == NonStreamResponse(200, (), b"hi")
    rewritten = parse_cassette(encode_cassette(cassette), "x")
    assert rewritten.format_version == FORMAT_VERSION
    assert rewritten.interactions == cassette.interactions


@pytest.mark.parametrize("version", [0, 3, 2**32 - 1])
@pytest.mark.parametrize("rest", ['"interactions": [{"of": "another shape"}]}', '"tapes": "elsewhere"}', "and the rest is not even JSON"])
def test_other_versions_are_told_first(version: int, rest: str) -> None:
    with pytest.raises(UnsupportedCassetteFormatVersionError) as caught:
        parse_cassette(f'{{"format_version": {version}, {rest}'.encode(), "x")
    assert (caught.value.found, caught.value.supported) == (version, 2)


def test_another_version_behind_its_interactions() -> None:
    with pytest.raises(UnsupportedCassetteFormatVersionError):
        parse_cassette(b'{"interactions": [1], "format_version": 3}', "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", "format_version: missing"),
        ('{"format_version": 2}', "interactions: missing"),
        ('{"format_version": 1}', "interactions: missing"),
        ('{"format_version": 2, "interactions": {}}', "interactions: expected an array, found an object"),
        ('{"format_version": "2", "interactions": []}', "format_version: expected an integer"),
        ('{"format_version": 2.0, "interactions": []}', "format_version: expected an integer"),
        ('{"format_version": true, "interactions": []}', "format_version: expected an integer"),
        ('{"format_version": -1, "interactions": []}', "format_version: expected an integer"),
        ('{"format_version": 4294967296, "interactions": []}', "format_version: expected an integer"),
        ('{"format_version": 2, "interactions": [1]}', "interactions[0]: expected an object, found an integer"),
        ('{"format_version": 2, "interactions": [], "generator": 1}', "generator: expected a string"),
        ('{"format_version": 2, "interactions": [], "hashing": []}', "hashing: expected an object"),
        ('{"format_version": 2, "interactions": [], "hashing": {"ignore_paths": []}}', "hashing.redaction_rules: missing"),
        ('{"format_version": 2, "interactions": [], "generator": "\\ud83d"}', "generator: a string with a lone surrogate"),
        ("", "the file is empty"),
        ("[]", "expected an object at the top"),
    ],
)
def test_broken_heads_are_named(text: str, expected: str) -> None:
    found = message(text.encode())
    assert expected in found
    assert "record the conversation again" in found


def changed(index: int, part: str, key: str, value: Any) -> bytes:
    document = json.loads(FILE)
    document["interactions"][index][part][key] = value
    return json.dumps(document).encode()


def test_broken_interactions_are_named() -> None:
    assert message(changed(1, "response", "status", "200")) == (
        "tapes/chat: interactions[1].response.status: expected an integer from 0 to 65535, found a string; "
        "restore the file from version control, or record the conversation again"
    )
    assert "interactions[1].request.path: a string with a lone surrogate" in message(changed(1, "request", "path", "/\udc00"))
    behind = json.dumps(dict(reversed(json.loads(changed(1, "request", "path", 1)).items()))).encode()
    assert "interactions[1].request.path: expected a string" in message(behind)


def test_pairs_of_surrogates_are_characters() -> None:
    assert parse_cassette(changed(1, "request", "path", "/\U0001f600"), "x").interactions[1].request.path == "/\U0001f600"


def test_a_formatter_that_sorts_keys_is_noticed() -> None:
    data = json.dumps(json.loads(FILE), indent=2, sort_keys=True).encode()
    found = message(data)
    assert "interactions[0].request.body.sha256" in found
    assert "sorted keys" in found


def test_damage_in_the_layout_of_the_harness_is_named_like_any_other() -> None:
    assert "interactions[1]: line " in message(FILE.replace(b'"kind": "stream"', b'"kind": stream'))
    assert "ends in the middle" in message(FILE[:-20])
    assert "zero bytes" in message(FILE + b"\0\0")
    assert "merge conflict" in message(FILE.replace(b"    },\n    {\n", b"<<<<<<< a\n    },\n=======\n    },\n>>>>>>> b\n    {\n"))
    assert "nested too deeply" in message(FILE.replace(b'"b": 1', b'"b": ' + b"[" * 100_000 + b"]" * 100_000))


def test_values_too_deep_to_be_printed_are_refused() -> None:
    deep = b'"layout": "indent2", "sha256": "", "json": ' + b"[" * 2000 + b"]" * 2000
    assert "nested too deeply" in message(FILE.replace(b'"base64": [', deep + b', "x": ['))


@pytest.mark.parametrize("size", range(0, len(FILE) - 1, 17))
def test_every_truncated_file_is_refused(size: int) -> None:
    message(FILE[:size])


def test_where_appending_in_place_is_possible() -> None:
    empty = encode_cassette(Cassette(2, (), HASHING, GENERATOR))
    assert is_canonical_tail(FILE)
    assert is_canonical_tail(empty)
    assert is_canonical_tail(b"\xef\xbb\xbf" + FILE)
    for other in (
        b"",
        FILE.rstrip(),
        FILE + b"\n",
        FILE.replace(b"\n", b"\r\n"),
        json.dumps(json.loads(FILE), indent=2).encode(),
        empty.replace(b"[]\n}", b"[ ]\n}"),
        FILE.removesuffix(b"\n}\n") + b',\n  "extra": [\n    {\n      "a": 1\n    }\n  ]\n}\n',
        empty.removesuffix(b"\n}\n") + b',\n  "extra": [\n    {\n      "a": 1\n    }\n  ]\n}\n',
    ):
        assert not is_canonical_tail(other), other[-60:]


def test_half_a_character_is_never_written() -> None:
    with pytest.raises(InvalidCassetteError, match=r"lone surrogate.*\\ud800"):
        encode_interaction(Interaction(RecordedRequest("POST", "/\ud800"), NonStreamResponse(200, (), b""), METADATA))
    with pytest.raises(InvalidCassetteError, match="the head"):
        encode_head(Hashing(("/\ud800",)), GENERATOR)


@pytest.mark.parametrize("size", [300, 333, 10_000])
def test_a_file_in_pieces_comes_one_interaction_at_a_time(size: int) -> None:
    head, elements = stream_cassette([FILE[start : start + size] for start in range(0, len(FILE), size)])
    assert head == Cassette(2, (), HASHING, GENERATOR)
    found = list(elements)
    assert tuple(element.interaction for element in found) == INTERACTIONS
    assert [FILE[element.start : element.start + len(element.data)] for element in found] == [*map(encode_interaction, INTERACTIONS)]


def test_an_interaction_is_given_before_the_next_piece_of_the_file_is_read() -> None:
    half = FILE.index(b'"two"')
    pieces = iter([FILE[:half], FILE[half:]])
    _, elements = stream_cassette(pieces)
    assert next(elements).interaction == INTERACTIONS[0]
    assert next(pieces) == FILE[half:]


@pytest.mark.parametrize("data", [b"", FILE[:-1], FILE.replace(b'"status": 200', b'"status": -1'), FILE.replace(b"two", b"t\xff")])
def test_what_is_damaged_or_laid_out_otherwise_is_not_read_in_pieces(data: bytes) -> None:
    with pytest.raises(OtherwiseLaidOutError):
        list(stream_cassette([data])[1])


def test_normalize_rules_stand_in_the_head_only_where_there_are_any() -> None:
    rules = parse_normalize_rules(["uuid", {"name": "run", "pattern": "run-[0-9]+", "replacement": "R"}])
    data = encode_cassette(Cassette(2, (), Hashing(normalize=rules)))
    assert json.loads(data)["hashing"]["normalize"] == ["uuid", {"name": "run", "pattern": "run-[0-9]+", "replacement": "R"}]
    assert parse_cassette(data, "tape").hashing.normalize == rules
    assert b"normalize" not in encode_cassette(Cassette(2, (), Hashing()))


def test_a_normalize_rule_that_is_not_known_is_named() -> None:
    assert "hashing.normalize: rule 0: 'guid' is no built-in rule" in message(
        b'{"format_version": 2, "hashing": {"ignore_paths": [], "redaction_rules": [], "normalize": ["guid"]}, "interactions": []}'
    )
