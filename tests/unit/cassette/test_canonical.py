from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import (
    IgnorePathConfig,
    canonical_json,
    canonical_query,
    canonicalize,
    canonicalize_parts,
    stable_hash,
)
from spycatcher_addon.cassette.jsontext import NotJsonError, encode_canonical, parse_json
from spycatcher_addon.cassette.model import CanonicalRequest, RecordedRequest
from spycatcher_addon.errors import CanonicalError, InvalidPointerPathError

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "canonical-vectors.json").read_text(encoding="utf-8"))
PATH = "/v1/chat/completions"

# Vectors that contain floats which their reader does not round correctly; the canonical bodies that correct rounding gives.
CORRECTLY_ROUNDED = {
    "number-fast-parse-17-digits": '{"temperature":0.9424502837770503,"top_p":0.013114189588902203}',
    "number-fast-parse-small": '{"n":[1e-23,2e-25,3e+23,1e-30]}',
}


def _request(vector: dict[str, Any]) -> RecordedRequest:
    body = bytes.fromhex(vector["body_hex"]) if "body_hex" in vector else vector["body_utf8"].encode()
    return RecordedRequest(method=vector["method"], path=vector["path"], query=vector["query"], body=body)


@pytest.mark.parametrize("vector", VECTORS["requests"], ids=lambda vector: vector["id"])
def test_golden_requests(vector: dict[str, Any]) -> None:
    request, ignore, expect = _request(vector), IgnorePathConfig(vector["ignored_body_paths"]), vector["expect"]
    if "error" in expect:
        with pytest.raises(InvalidPointerPathError) as caught:
            canonicalize(request, ignore)
        assert caught.value.path == expect["path"]
        assert isinstance(caught.value, CanonicalError)
        return
    canonical = canonicalize(request, ignore)
    assert canonical.method == expect["method"]
    assert canonical.canonical_query == expect["canonical_query"]
    try:
        parse_json(request.body)
        is_json = True
    except NotJsonError:
        is_json = False
    assert is_json == expect["body_is_json"]
    if vector["id"] in CORRECTLY_ROUNDED:
        assert encode_canonical(canonical.canonical_body) == CORRECTLY_ROUNDED[vector["id"]]
        assert canonical_json(canonical) != expect["canonical_json"]
        assert stable_hash(canonical) != expect["sha256"]
        return
    assert canonical_json(canonical) == expect["canonical_json"]
    assert stable_hash(canonical) == expect["sha256"]
    parts = canonicalize_parts(request.method, request.path, request.query, request.parsed_json, ignore)
    assert parts == canonical
    assert stable_hash(parts) == expect["sha256"]


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("", ""),
        ("z=last&a=2&a=1", "a=1&a=2&z=last"),
        ("q=C++&lang=en+GB", "lang=en%2BGB&q=C%2B%2B"),
        ("flag&&a=&=v&", "=v&a=&flag="),
        ("a=%zz&b=%&c=%4", "a=%25zz&b=%25&c=%254"),
        ("q=a%2fb%7e%41&e=%e9&sp=%20+", "e=%E9&q=a%2Fb~A&sp=%20%2B"),
        ("k=2&k=10&k=2&K=1", "K=1&k=10&k=2&k=2"),
        ("a=%C3%A9&a=z&a=%7B&a=-", "a=%7B&a=%C3%A9&a=-&a=z"),
        ("a=b=c;d&é=%c3%A9", "%C3%A9=%C3%A9&a=b%3Dc%3Bd"),
        ("a=%2541", "a=%2541"),
        ("a=\udce9", "a=%ED%B3%A9"),
    ],
)
def test_queries(query: str, canonical: str) -> None:
    assert canonical_query(query) == canonical


def test_only_ascii_letters_of_the_method_are_raised() -> None:
    assert canonicalize(RecordedRequest("pößt", PATH), IgnorePathConfig()).method == "PößT"


def test_headers_take_no_part() -> None:
    plain = RecordedRequest("POST", PATH, body=b"{}")
    with_headers = RecordedRequest("POST", PATH, body=b"{}", headers=(("x", "y"),))
    assert canonicalize(plain, IgnorePathConfig()) == canonicalize(with_headers, IgnorePathConfig())


def test_body_keys_are_sorted_at_every_level() -> None:
    canonical = canonicalize(RecordedRequest("POST", PATH, body=b'{"b":[{"z":1,"y":2}],"a":3}'), IgnorePathConfig())
    assert json.dumps(canonical.canonical_body) == '{"a": 3, "b": [{"y": 2, "z": 1}]}'


def test_given_json_is_used_without_a_body() -> None:
    request = RecordedRequest("post", PATH, parsed_json={"metadata": {"run_id": "42"}, "model": "gpt-test"})
    canonical = canonicalize(request, IgnorePathConfig(["/metadata/run_id"]))
    assert canonical.canonical_body == {"metadata": {}, "model": "gpt-test"}


def test_a_bad_pointer_is_told_on_use_not_when_the_configuration_is_made() -> None:
    ignore = IgnorePathConfig(["nope"])
    for _ in range(2):
        with pytest.raises(InvalidPointerPathError):
            canonicalize(RecordedRequest("POST", PATH, body=b"no json"), ignore)


def test_a_path_that_is_no_text_still_has_a_hash() -> None:
    canonical = CanonicalRequest("POST", "/\udcff", "", None)
    assert stable_hash(canonical) == hashlib.sha256(canonical_json(canonical).encode("utf-8", "surrogatepass")).hexdigest()


def test_ignored_paths_do_not_change_the_request() -> None:
    request = RecordedRequest("POST", PATH, body=b'{"a":[1,2],"b":{"c":1}}')
    before = encode_canonical(request.parsed_json)
    canonicalize(request, IgnorePathConfig(["/a/0", "/b/c"]))
    assert encode_canonical(request.parsed_json) == before
