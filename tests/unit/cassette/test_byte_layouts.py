from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from spycatcher_addon.cassette.byte_layouts import (
    LAYOUTS,
    encode_byte_field,
    parse_byte_field,
    print_indented,
    select_layout,
    sha256,
)
from spycatcher_addon.cassette.fields import MalformedFieldError

VALUE = {"model": "m", "texts": ["é", "a\nb", ""], "n": [1, 1.5, True, None, {}, []], "deep": {"a": {"b": [[1]]}}}
PRINTED = {
    "compact": json.dumps(VALUE, ensure_ascii=False, separators=(",", ":")),
    "compact-ascii": json.dumps(VALUE, separators=(",", ":")),
    "spaced": json.dumps(VALUE, ensure_ascii=False),
    "spaced-ascii": json.dumps(VALUE),
    "indent2": json.dumps(VALUE, ensure_ascii=False, indent=2),
}


def field(body: bytes) -> dict[str, Any]:
    value = json.loads(encode_byte_field(body, "\n    "))
    assert isinstance(value, dict)
    return value


def test_the_layouts_are_those_of_the_format() -> None:
    assert list(LAYOUTS) == list(PRINTED)


@pytest.mark.parametrize("layout", PRINTED)
def test_json_is_kept_as_json(layout: str) -> None:
    body = PRINTED[layout].encode("utf-8")
    assert field(body) == {"layout": layout, "sha256": sha256(body), "json": VALUE}
    assert list(field(body)) == ["layout", "sha256", "json"]
    assert parse_byte_field(field(body), "body") == body
    assert LAYOUTS[layout](VALUE) == PRINTED[layout]


@pytest.mark.parametrize(
    "text", ["{}", "[]", "0", "-1", "1.5", '"x"', "null", "true", "false", "12345678901234567890123", "1e-05", "1e+16"]
)
def test_scalars_and_exact_numbers_are_kept_as_json(text: str) -> None:
    assert select_layout(text) == ("compact", json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " {}",
        "{}\n",
        "[1 ,2]",
        '{"a":1, "b":2}',
        '{"a":1,"a":1}',
        "-0",
        "1.10",
        "1E5",
        "0.1e1",
        "1e5",
        "1e400",
        "[-1e400]",
        "NaN",
        "[Infinity]",
        "[-Infinity]",
        "0.12345678901234567890",
        "9" * 5000,
        '"\\ud800"',
        '{"\\udc00":1}',
        '"\\u00E9"',
        '"\\/"',
        '"\\u0041"',
        '"é\\u00e9"',
        "\ufeff{}",
        '{\n    "four": 4\n}',
        '{\r\n  "a": 1\r\n}',
        "{bad",
        "[DONE]",
        "none",
        "[" * 101 + "]" * 101,
        "[" * 100_000,
        "hello",
    ],
)
def test_what_no_layout_reproduces_is_kept_as_text(text: str) -> None:
    assert select_layout(text) is None
    body = text.encode("utf-8")
    assert list(field(body)) == ["text"]
    assert parse_byte_field(field(body), "body") == body


def test_the_deepest_json_that_is_kept_as_json() -> None:
    text = "[" * 100 + "]" * 100
    assert field(text.encode())["layout"] == "compact"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", []),
        (b"\n", ["", ""]),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two", ""]),
        (b"one\r\ntwo\rthree", ["one\r", "two\rthree"]),
        ("\u2028\x85\0\x1f\x7f".encode(), ["\u2028\x85\0\x1f\x7f"]),
    ],
)
def test_text_is_split_at_line_feeds_only(body: bytes, lines: list[str]) -> None:
    assert field(body) == {"text": lines}
    assert parse_byte_field({"text": list(lines)}, "body") == body


def test_other_bytes_are_kept_as_base64() -> None:
    body = bytes(range(256))
    lines = field(body)["base64"]
    assert [len(line) for line in lines] == [128, 128, 88]
    assert base64.b64decode("".join(lines)) == body == parse_byte_field(field(body), "body")


def test_printing_is_that_of_the_json_module_at_any_depth() -> None:
    assert print_indented(VALUE) == PRINTED["indent2"]
    assert print_indented(VALUE, "\n    ") == PRINTED["indent2"].replace("\n", "\n    ")


GOOD = {"layout": "compact", "sha256": sha256(b'{"a":1}'), "json": {"a": 1}}


@pytest.mark.parametrize(
    ("broken", "place", "problem"),
    [
        ({}, "body", 'exactly one of "json", "text" and "base64"'),
        ({"text": [], "base64": []}, "body", "exactly one of"),
        (GOOD | {"text": []}, "body", "exactly one of"),
        ({"text": "one"}, "body.text", "expected an array, found a string"),
        ({"text": ["one", 2]}, "body.text[1]", "expected a string, found an integer"),
        ({"base64": ["####"]}, "body.base64", "not base64"),
        ({"base64": ["QQ"]}, "body.base64", "not base64"),
        ({"base64": ["é"]}, "body.base64", "not base64"),
        (GOOD | {"layout": "pretty"}, "body.layout", "unknown layout 'pretty'; known are compact, "),
        (GOOD | {"layout": 1}, "body.layout", "expected a string"),
        (GOOD | {"sha256": sha256(b"{}")}, "body.sha256", "not that of the recorded bytes"),
        ({"layout": "compact", "json": {}}, "body.sha256", "missing"),
        ({"layout": "compact", "sha256": "00"}, "body.json", "missing"),
        ({"json": {}, "sha256": "00"}, "body.layout", "missing"),
        ({"layout": "compact", "sha256": "00", "json": float("inf")}, "body.json", "beyond the range of a double"),
    ],
)
def test_broken_fields_are_named(broken: dict[str, Any], place: str, problem: str) -> None:
    with pytest.raises(MalformedFieldError) as caught:
        parse_byte_field(broken, "body")
    assert caught.value.place == place
    assert problem in caught.value.problem


def test_sorted_keys_are_noticed() -> None:
    stored = field(b'{"b":1,"a":2}')
    stored["json"] = dict(sorted(stored["json"].items()))
    with pytest.raises(MalformedFieldError, match="sorted keys"):
        parse_byte_field(stored, "body")
