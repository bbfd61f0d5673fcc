from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from spycatcher_addon.cassette import jsontext
from spycatcher_addon.cassette.jsontext import MAX_DEPTH, NotJsonError, encode_canonical, format_scalar, parse_json

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "canonical-vectors.json").read_text(encoding="utf-8"))

# Tokens whose vectors come from a reader that does not round correctly. Ours does, so here the two differ, and only here.
CORRECTLY_ROUNDED = {
    "3e23": "3e+23",
    "1e-23": "1e-23",
    "0.9424502837770503": "0.9424502837770503",
    "0.9433567169983137": "0.9433567169983137",
}


@pytest.fixture(params=["orjson", "standard library"], autouse=True)
def printer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to print must pass the same tests."""
    if request.param == "standard library":
        monkeypatch.setattr(jsontext, "_orjson", None)


@pytest.mark.parametrize("vector", VECTORS["number_tokens"], ids=lambda vector: vector["token"])
def test_number_tokens_are_read_and_printed_in_their_one_spelling(vector: dict[str, str | None]) -> None:
    token, printed = str(vector["token"]), vector["printed"]
    if printed is None:
        with pytest.raises(NotJsonError):
            parse_json(token.encode())
        return
    expected = CORRECTLY_ROUNDED.get(token, printed)
    assert encode_canonical(parse_json(token.encode())) == expected
    assert (expected != printed) == (token in CORRECTLY_ROUNDED)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (1e-5, "0.00001"),
        (-1.5e-5, "-0.000015"),
        (9.99e-6, "9.99e-6"),
        (-2.25e-7, "-2.25e-7"),
        (1e-9, "1e-9"),
        (1e-10, "1e-10"),
        (0.0001, "0.0001"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        ([1e-5, {"a": 1e-6}], '[0.00001,{"a":1e-6}]'),
        ("1e-05", '"1e-05"'),
        (['a"1e-05,', 1e-5], '["a\\"1e-05,",0.00001]'),
        ({"k\\": "-05]", "x": 2e-8}, '{"k\\\\":"-05]","x":2e-8}'),
    ],
)
def test_floats_never_have_a_padded_exponent_and_strings_are_left_alone(value: object, printed: str) -> None:
    assert encode_canonical(value) == printed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'{"a":1,}',
        b"[1,]",
        b"[01]",
        b"[-]",
        b"{'a':1}",
        b'{"a":NaN}',
        b"[-Infinity]",
        b"1 2",
        b"\x0b1",
        b"\xc2\xa01",
        "1\u0661".encode(),
        b'"a\nb"',
        b'"a\x00b"',
        b"/*c*/1",
        b'"\\x"',
        b'"\\u12"',
        b'"\\ud800"',
        b'"\\uDFFF"',
        b'"\\ud83d\\n\\ude00"',
        b'"\\ud83d\\ud83d\\ude00"',
        b'{"a":"\\udead","a":1}',
        b"9" * 5000,
        b"-" + b"9" * 400,
        b"[1e400]",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
    ],
    ids=lambda body: repr(body[:16]),
)
def test_what_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(NotJsonError):
        parse_json(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b" \t\r\n1 \n", 1),
        (b"null", None),
        (b'"x"', "x"),
        (b'"\x7f"', "\x7f"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"\\/"', "/"),
        (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        (b'["' + b"[" * 300 + b'"]', ["[" * 300]),
        (b"-" + b"9" * 30, -1e30),
        (b"1" + b"0" * 25, 1e25),
    ],
    ids=lambda part: repr(part)[:24],
)
def test_what_is_json_is_read(body: bytes, value: object) -> None:
    parsed = parse_json(body)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"k":', b"}")])
def test_nesting_is_bounded(opening: bytes, closing: bytes) -> None:
    inner = b'"' + b"[{" * 200 + b'"'
    parse_json(opening * MAX_DEPTH + inner + closing * MAX_DEPTH)
    with pytest.raises(NotJsonError, match="127"):
        parse_json(opening * (MAX_DEPTH + 1) + inner + closing * (MAX_DEPTH + 1))


def test_duplicate_keys_keep_the_first_place() -> None:
    assert list(parse_json(b'{"a":1,"b":2,"a":3}')) == ["a", "b"]  # type: ignore[arg-type]


def test_keys_are_sorted_by_code_point_and_text_is_raw() -> None:
    value = parse_json('{"\U0001f600":1,"\uff5e":2,"b":{"z":1,"a":"\\u001f\\b\\f\\n\\r\\t\\"\\\\/\\u007f\\u2028é"}}'.encode())
    assert encode_canonical(value) == '{"b":{"a":"\\u001f\\b\\f\\n\\r\\t\\"\\\\/\x7f\u2028é","z":1},"\uff5e":2,"\U0001f600":1}'


def test_printing_a_value_that_json_cannot_hold_is_refused() -> None:
    deep: list[object] = []
    for _ in range(200_000):
        deep = [deep]
    for value in (deep, {1, 2}):
        with pytest.raises(NotJsonError):
            encode_canonical(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "text"), [(None, "null"), (True, "true"), (1, "1"), (1.0, "1.0"), (1e-6, "1e-6"), ('a"\n', '"a\\"\\n"')])
def test_scalars_are_formatted_as_json(value: None | bool | float | str, text: str) -> None:
    assert format_scalar(value) == text


def test_a_library_that_spells_numbers_in_another_way_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    usable = jsontext._usable_orjson()
    assert usable is not None

    def dumps(value: object, option: int) -> bytes:
        return usable.dumps(value, option=usable.OPT_SORT_KEYS).replace(b"e+", b"e")  # type: ignore[no-any-return]

    monkeypatch.setitem(sys.modules, "orjson", SimpleNamespace(OPT_SORT_KEYS=0, dumps=dumps))
    assert jsontext._usable_orjson() is None
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert jsontext._usable_orjson() is None
