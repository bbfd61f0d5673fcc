"""Cassettes of vcrpy."""

from __future__ import annotations

import base64

import pytest

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED
from spycatcher_addon.cassette.model import NonStreamResponse
from spycatcher_addon.tools.importing import Imported, ImportFormatError
from spycatcher_addon.tools.losses import Loss, LossKind
from spycatcher_addon.tools.vcr import import_vcr

AT = "2026-01-02T03:04:05Z"


URI = "https://api.example.test/v1/chat/completions"


def entry(body: object = '{"model": "m"}', answer: object = None, uri: str = URI) -> dict[str, object]:
    return {
        "request": {"method": "POST", "uri": uri, "headers": {"authorization": ["Bearer sk-fake"], "accept": "*/*"}, "body": body},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"], "x-many": ["1", "2"]},
            "body": {"string": "{}"} if answer is None else answer,
        },
    }


def imported(*entries: dict[str, object]) -> Imported:
    return import_vcr({"version": 1, "interactions": list(entries)}, frozenset(), NOTHING_IGNORED, AT)


def test_an_interaction() -> None:
    read = imported(entry())
    (interaction,) = read.interactions
    assert interaction.request.headers == (("accept", "*/*"),)
    assert interaction.request.parsed_json == {"model": "m"}
    assert interaction.response == NonStreamResponse(200, (("content-type", "application/json"), ("x-many", "1"), ("x-many", "2")), b"{}")
    assert interaction.metadata.recorded_at == AT
    assert read.losses == (Loss(LossKind.REDACTED, 1),)


def test_others_are_counted() -> None:
    read = imported(entry(uri="https://pypi.example.test/"), entry())
    assert len(read.interactions) == 1
    assert Loss(LossKind.FOREIGN, 1) in read.losses


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (None, b""),
        ("ü", "ü".encode()),
        (b"\xff", b"\xff"),
        ({"string": b"\xff"}, b"\xff"),
        ({"base64_string": base64.b64encode(b"\xff").decode()}, b"\xff"),
    ],
)
def test_bodies(body: object, expected: bytes) -> None:
    assert imported(entry(body=body)).interactions[0].request.body == expected


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ([], "the document: expected a mapping"),
        ({}, "has a list named interactions"),
        ({"interactions": [1]}, r"interactions\[0\]: expected a mapping"),
        ({"interactions": [{}]}, r"interactions\[0\].request: expected a mapping"),
        ({"interactions": [{"request": {}, "response": {"status": {}}}]}, "expected request.method"),
        ({"interactions": [entry(body=3)]}, "request.body: expected a text or bytes"),
        ({"interactions": [entry(body={"string": {"string": "x"}})]}, "request.body: expected a text or bytes"),
        ({"interactions": [entry(body={"base64_string": "a"})]}, "base64_string"),
    ],
)
def test_what_is_no_cassette_of_vcrpy(document: object, problem: str) -> None:
    with pytest.raises(ImportFormatError, match=problem):
        import_vcr(document, frozenset(), NOTHING_IGNORED, AT)
