"""Secrets beside what was exchanged: where a person put them, not a recorder."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.verifying.findings import Finding
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.whole_tape import verify_cassette
from tests.support.secrets import BY_SHAPE
from tests.support.verify_tapes import plain, stream, tape_of, version_1_document

SECRET = BY_SHAPE["github-token"]
RULES = RedactionRules(shapes=frozenset({"github-token", "azure-key"}))


def check(document: Any) -> list[Finding]:
    data = json.dumps(document, indent=2).encode()
    return list(verify_cassette(parse_cassette(data, "tape"), IgnorePathConfig(), RULES, TapeText(data)))


def secrets(document: Any) -> list[Finding]:
    found = check(document)
    assert SECRET not in repr(found)
    return [each for each in found if each.rule == "secret"]


def placed(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    target = document
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return document


def version_2_document() -> Any:
    return json.loads(tape_of(plain(), stream()))


@pytest.mark.parametrize("make", [version_1_document, version_2_document], ids=["format 1", "format 2"])
def test_what_is_recorded_has_none(make: Any) -> None:
    assert [found.rule for found in check(make())] in ([], ["redaction-drift"])


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("generator",), "generator"),
        (("hashing", "redaction_rules"), "hashing.redaction_rules"),
        (("note",), "note"),
        (("interactions", 1, "note"), "note"),
        (("interactions", 1, "metadata", "upstream_id"), "metadata.upstream_id"),
        (("interactions", 1, "metadata", "protocol_id"), "metadata.protocol_id"),
        (("interactions", 1, "request", "path"), "request.path"),
        (("interactions", 1, "request", "method"), "request.method"),
        (("interactions", 1, "request", "note"), "request.note"),
        (("interactions", 1, "request", "body", "note"), "request.body.note"),
        (("interactions", 1, "response", "note"), "response.note"),
        (("interactions", 1, "response", "events", 1, "note"), "response.events"),
    ],
)
def test_one_is_found_wherever_it_was_put(path: tuple[str | int, ...], field: str) -> None:
    value: Any = [f"a {SECRET}"] if path[0] == "hashing" else f"a {SECRET}"
    document = placed(version_2_document(), path, value)
    (found,) = secrets(document)
    assert (found.field, found.interaction) == (field, 1 if path[0] == "interactions" else None)
    assert dict(found.arguments)["rule"] == "github-token"
    assert found.line is not None and SECRET in json.dumps(document, indent=2).split("\n")[found.line - 1]


def test_one_that_is_a_key_is_found_and_not_shown() -> None:
    (found,) = secrets(placed(version_2_document(), ("interactions", 0, SECRET), 1))
    assert (found.field, found.interaction) == ("[redacted:github-token:1]", 0)


def test_one_that_two_keys_have_is_told_at_both() -> None:
    document = placed(version_2_document(), ("interactions", 0, "request", "note"), SECRET)
    found = secrets(placed(document, ("interactions", 0, "request", "path"), f"/{SECRET}"))
    assert {each.field for each in found} == {"request.path", "request.note"}
    assert len(found) == 2


def test_one_in_base64_has_its_place_too() -> None:
    document = placed(version_2_document(), ("interactions", 0, "metadata", "note"), base64.b64encode(f"it is {SECRET}".encode()).decode())
    found = check(document)
    assert [(each.rule, each.field) for each in found if each.rule == "secret"] == [("secret", "metadata.note")]


def test_one_that_its_name_gives_away() -> None:
    value = "0123456789abcdef" * 2
    (found,) = secrets(placed(version_2_document(), ("interactions", 0, "AZURE_OPENAI_API_KEY"), value))
    assert dict(found.arguments)["rule"] == "azure-key"


def test_a_tape_of_format_1_is_gone_through_alike() -> None:
    (found,) = secrets(placed(json.loads(json.dumps(version_1_document())), ("interactions", 1, "metadata", "note"), SECRET))
    assert (found.field, found.interaction) == ("metadata.note", 1)


def test_what_was_exchanged_is_not_told_twice() -> None:
    document = placed(version_2_document(), ("interactions", 0, "note"), "x")
    assert len(secrets(placed(document, ("interactions", 0, "request", "query"), f"a={SECRET}"))) == 1
    document["interactions"][1]["response"]["headers"].append(["x-echo", SECRET])
    assert [each.field for each in secrets(document)] == ["request.query", "response.headers"]


@pytest.mark.parametrize("path", [("recorded_at",), ("stable_hash",)])
def test_what_is_quoted_is_not_shown(path: tuple[str]) -> None:
    part = "metadata" if path == ("recorded_at",) else "request"
    found = check(placed(version_2_document(), ("interactions", 0, part, *path), SECRET))
    assert found != [] and SECRET not in repr(found)
