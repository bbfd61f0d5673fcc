from __future__ import annotations

import pytest

from spycatcher_addon.cassette.jsontext import JsonValue, encode_canonical, parse_json
from spycatcher_addon.cassette.pointers import parse_pointers, pointer_from_config, remove_pointers
from spycatcher_addon.errors import InvalidPointerPathError

CHAT = b'{"messages":[{"content":"a","id":1},{"content":"b","id":2}],"*":{"k":1},"n":1}'


@pytest.mark.parametrize(
    ("body", "pointers", "left"),
    [
        (CHAT, ["/messages/*/id"], '{"*":{"k":1},"messages":[{"content":"a"},{"content":"b"}],"n":1}'),
        (CHAT, ["/messages/*"], '{"*":{"k":1},"messages":[],"n":1}'),
        (CHAT, ["/*/k"], '{"*":{},"messages":[{"content":"a","id":1},{"content":"b","id":2}],"n":1}'),
        (CHAT, ["/n/x", "/messages/7/id", "/gone/*"], encode_canonical(parse_json(CHAT))),
        (b"[[1,2,3],[4,5,6]]", ["/*/0", "/1/0", "/1/2"], "[[2,3],[5]]"),
        (b"[[1,2],[3,4]]", ["/0", "/*/1"], "[[3]]"),
        (b"[1,2,3]", ["/*", "/0"], "[]"),
        (b'{"a":{"b":{"c":1}}}', ["/a/b", "/a/b/c"], '{"a":{}}'),
        (b"[1]", ["/18446744073709551615"], "[1]"),
        (b'{"-":1,"01x":2}', ["/-", "/01x"], "{}"),
        (b'"scalar"', ["/a/b"], '"scalar"'),
    ],
)
def test_removal(body: bytes, pointers: list[str], left: str) -> None:
    for order in (pointers, pointers[::-1]):
        assert encode_canonical(remove_pointers(parse_json(body), parse_pointers(order))) == left


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"items":[1]}', "/items/name"),
        (b'{"items":[1]}', "/items/-"),
        (b'{"items":[]}', "/items/name"),
        (b'{"items":[1]}', "/items/18446744073709551616"),
        (b'{"items":[1]}', "/items/" + "9" * 5000),
        (b'{"items":[1]}', "/items/\u0661"),
        (b'{"items":[{"a":[1]}]}', "/items/*/a/b"),
    ],
)
def test_a_token_that_is_no_index_on_an_array_is_an_error(body: bytes, pointer: str) -> None:
    with pytest.raises(InvalidPointerPathError) as caught:
        remove_pointers(parse_json(body), parse_pointers(["/items/0/ok", pointer]))
    assert caught.value.path == pointer


def test_a_path_below_a_removed_member_is_checked_all_the_same() -> None:
    with pytest.raises(InvalidPointerPathError):
        remove_pointers({"items": [1]}, parse_pointers(["/items", "/items/x"]))


@pytest.mark.parametrize("pointer", ["", "a", "a/b", "/a~2", "/a~", "/01", "/items/007"])
def test_unusable_pointers(pointer: str) -> None:
    with pytest.raises(InvalidPointerPathError) as caught:
        parse_pointers([pointer])
    assert caught.value.path == pointer


def test_what_does_not_change_is_shared_and_the_original_is_kept() -> None:
    inner: dict[str, JsonValue] = {"x": 1}
    value: JsonValue = {"keep": inner, "list": [inner, 2], "drop": 3}
    left = remove_pointers(value, parse_pointers(["/drop", "/list/1"]))
    assert value == {"keep": inner, "list": [inner, 2], "drop": 3}
    assert left == {"keep": inner, "list": [inner]}
    assert isinstance(left, dict) and left["keep"] is inner
    assert remove_pointers(value, parse_pointers(["/gone", "/list/9", "/keep/y"])) is value


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("/messages/0/content", "/messages/0/content"),
        ("/", "/"),
        ("/a.b", "/a.b"),
        ("/canonical_query", "/canonical_query"),
        ("messages[0].content", "/messages/0/content"),
        ("canonical_body.messages[0].content", "/messages/0/content"),
        ("canonical_body[2].id", "/2/id"),
        ("messages[*].content", "/messages/*/content"),
        ("messages.*.content", "/messages/*/content"),
        ("messages.0.content", "/messages/0/content"),
        ("m[0][1]", "/m/0/1"),
        ("metadata.run_id", "/metadata/run_id"),
        ("user", "/user"),
        ("a/b.c~d", "/a~1b/c~0d"),
        ("canonical_bodyguard", "/canonical_bodyguard"),
    ],
)
def test_configured_paths(text: str, pointer: str) -> None:
    assert pointer_from_config(text) == pointer


@pytest.mark.parametrize(
    "text",
    ["", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "a]b", "a[01]", "x.007", "/a~2", "/01", "canonical_body",
     "canonical_body.", "canonical_query"],
)  # fmt: skip
def test_configured_paths_that_name_nothing_are_refused_as_written(text: str) -> None:
    with pytest.raises(InvalidPointerPathError) as caught:
        pointer_from_config(text)
    assert caught.value.path == text
