from __future__ import annotations

import json
from typing import Any

import pytest

from spycatcher_addon.cassette.document import (
    EMPTY_TAIL,
    FIRST,
    HEAD_END,
    SEPARATOR,
    TAIL,
    DamagedDocumentError,
    cut_canonical,
    normalize_text,
    parse_canonical_element,
    parse_canonical_head,
    scan_document,
)

FIRST_CHUNK = 100
HEAD = b'{\n  "format_version": 2,\n  "x": {\n    "y": []\n  },' + HEAD_END
ELEMENTS = [b'    {\n      "a": 1\n    }', b'    {\n      "a": "\\n    },\\n    {\\n"\n    }']
CANONICAL = HEAD + FIRST + SEPARATOR.join(ELEMENTS) + TAIL
MEMBERS = [("format_version", 2), ("x", {"y": []}), ("interactions", []), (0, {"a": 1}), (1, {"a": "\n    },\n    {\n"})]


def scan_canonical(data: bytes, chunk_bytes: int = 1 << 20) -> list[tuple[str | int, Any]]:
    chunks = [data[:FIRST_CHUNK], *(data[at : at + chunk_bytes] for at in range(FIRST_CHUNK, len(data), chunk_bytes))]
    (_, head), *elements = cut_canonical(chunks)
    return [*parse_canonical_head(head).items(), *((index, parse_canonical_element(piece)) for index, (_, piece) in enumerate(elements))]


@pytest.mark.parametrize("chunk_bytes", [1, 2, 7, 1 << 20])
def test_both_readers_give_the_same(chunk_bytes: int) -> None:
    assert scan_canonical(CANONICAL, chunk_bytes) == list(scan_document(CANONICAL)) == MEMBERS
    empty = HEAD + EMPTY_TAIL
    assert scan_canonical(empty, len(EMPTY_TAIL)) == list(scan_document(empty)) == MEMBERS[:3]


@pytest.mark.parametrize("chunk_bytes", [1, 30, 1 << 20])
def test_each_piece_says_where_it_stands(chunk_bytes: int) -> None:
    start = len(HEAD + FIRST)
    chunks = [CANONICAL[:start], *(CANONICAL[at : at + chunk_bytes] for at in range(start, len(CANONICAL), chunk_bytes))]
    pieces = list(cut_canonical(chunks))
    assert [piece for _, piece in pieces] == [HEAD, *ELEMENTS]
    assert all(CANONICAL.startswith(piece, place) for place, piece in pieces)


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4])
def test_any_layout_is_read(indent: int | None) -> None:
    data = b" \t\r\n" + json.dumps(json.loads(CANONICAL), indent=indent).encode() + b"\n \r\n\t"
    assert list(scan_document(data)) == MEMBERS


@pytest.mark.parametrize(
    "data",
    [
        b"",
        json.dumps(json.loads(CANONICAL)).encode(),
        CANONICAL.rstrip(),
        CANONICAL[: -len(TAIL)],
        CANONICAL + b"x",
        HEAD + EMPTY_TAIL + CANONICAL,
        CANONICAL.replace(b'"a": 1', b'"a": 1,'),
        CANONICAL.replace(b'"a": 1', b'"a": 1, "a": 1'),
        CANONICAL.replace(b'"a": 1', b'"a": "\xff"'),
        CANONICAL.replace(b'"x": {', b'"x": ['),
        b'{"z": {' + HEAD_END[1:] + FIRST + ELEMENTS[0] + TAIL,
        b"[" + CANONICAL.removeprefix(b"{"),
    ],
)
def test_the_fast_reader_leaves_everything_else_to_the_general_one(data: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        scan_canonical(data)


def test_interactions_that_are_no_array_come_as_they_are() -> None:
    assert list(scan_document(b'{"interactions": {"a": [1]}}')) == [("interactions", {"a": [1]})]


def test_marks_of_editors_and_checkouts_are_undone() -> None:
    assert normalize_text(b"\xef\xbb\xbf{\r\n}\r\n") == b"{\n}\n"
    assert normalize_text(CANONICAL) is CANONICAL


def interactions(text: str) -> bytes:
    return b'{\n  "format_version": 2,\n  "interactions": [\n{"a": 1},\n' + text.encode()


DAMAGES: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["the file is empty", "restore the file"]),
    "blank": (b" \n\t", ["the file is empty"]),
    "array at the top": (b"[1]", ["line 1 column 1", "expected an object at the top, found an array"]),
    "scalar at the top": (b"1", ["expected an object at the top, found an integer"]),
    "literal at the top": (b"null\n", ["expected an object at the top, found null"]),
    "truncated in a string": (interactions('{"a": "b'), ["interactions[1]", "ends in the middle, at line 5"]),
    "truncated in an array": (interactions('{"a": [1,'), ["interactions[1]", "ends in the middle"]),
    "truncated in a literal": (interactions('{"a": tru'), ["ends in the middle"]),
    "truncated between interactions": (interactions('{"a": 1}'), ["ends in the middle"]),
    "truncated in a character": (interactions('{"a": "é')[:-1], ["ends in the middle of a character, at line 5"]),
    "truncated in the head": (b'{\n  "format_version"', ["ends in the middle, at line 2"]),
    "zero bytes": (interactions("\0\0\0"), ["3 zero bytes, from byte", "(line 5)", "full disk"]),
    "zero bytes behind the end": (interactions("{}]}\n") + b"\0" * 9, ["9 zero bytes"]),
    "conflict": (
        interactions('<<<<<<< HEAD\n{"a": 2}\n=======\n{"a": 3}\n>>>>>>> topic\n]}'),
        ["line 5", "merge conflict", "git checkout"],
    ),
    "rest of a conflict": (interactions('{"a": 2}\n=======\n]}'), ["line 6", "merge conflict"]),
    "conflict in bytes that are not UTF-8": (b"{\n<<<<<<< HEAD\n\xff", ["line 2", "merge conflict"]),
    "not UTF-8": (b'{\n"a": "\xff"}', ["byte 8 (line 2) is not UTF-8"]),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), ["byte 0 (line 1) is not UTF-8"]),
    "comma missing": (interactions('{"a": 1} {"a": 2}]}'), ["interactions[1]: line 5 column 10: expected ',' or ']'", "mend that place"]),
    "comma too many": (interactions("{},]}"), ["interactions[2]: line 5 column 4"]),
    "colon missing": (b'{"format_version" 2}', ["line 1 column 19: expected ':'"]),
    "key without quotes": (b"{format_version: 2}", ["expected a key in double quotes"]),
    "text behind the end": (interactions("{}]}\n]"), ["line 6 column 1: text after the end of the document"]),
    "second document": (b"{}{}", ["line 1 column 3: text after the end of the document"]),
    "raw control character": (interactions('{"a": "\n"}]}'), ["interactions[1]: line 5 column 8: Invalid control character"]),
    "key twice": (interactions('{"a": {"b": 1, "b": 1}}]}'), ['interactions[1]: the key "b" stands twice in one object']),
    "key twice at the top": (b'{"a": 1, "a": 2}', ['a: the key "a" stands twice']),
    "interactions twice": (b'{"interactions": [], "interactions": []}', ['the key "interactions" stands twice']),
    "NaN": (interactions("[NaN]]}"), ["interactions[1]: NaN is not JSON"]),
    "huge integer": (interactions("9" * 5000 + "]}"), ["interactions[1]", "digits"]),
    "nesting": (interactions("[" * 200_000), ["interactions[1]: nested too deeply"]),
}


@pytest.mark.parametrize(("data", "texts"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_explained(data: bytes, texts: list[str]) -> None:
    with pytest.raises(DamagedDocumentError) as caught:
        list(scan_document(data))
    for text in texts:
        assert text in str(caught.value)
    assert "record the conversation again" in str(caught.value)


def test_elements_before_the_damage_are_given() -> None:
    given: list[Any] = []
    with pytest.raises(DamagedDocumentError):
        for item in scan_document(interactions('{"a": 2}, !')):
            given.append(item)
    assert given[-1] == (1, {"a": 2})
