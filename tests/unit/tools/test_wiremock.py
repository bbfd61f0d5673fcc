"""Mappings for WireMock."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

from spycatcher_addon.cassette.model import FailureKind, Interaction, NonStreamResponse, RecordedRequest, StreamResponse
from spycatcher_addon.tools.losses import Loss, LossKind
from spycatcher_addon.tools.wiremock import encode_wiremock
from tests.support.tool_samples import cassette, plain, streamed


def mappings(*interactions: Interaction) -> list[Any]:
    made: Any = json.loads(json.dumps(encode_wiremock(cassette(*interactions))[0]))
    assert list(made) == ["mappings"]
    return list(made["mappings"])


def test_a_mapping() -> None:
    (made,) = mappings(plain())
    response = plain().response
    assert isinstance(response, NonStreamResponse)
    assert made["request"]["method"] == "POST"
    assert made["request"]["urlPath"] == "/v1/chat/completions"
    assert json.loads(made["request"]["bodyPatterns"][0]["equalToJson"]) == plain().request.parsed_json
    assert made["response"] == {"status": 200, "headers": {"content-type": "application/json"}, "body": response.body.decode()}
    assert "scenarioName" not in made


def test_a_stream_is_its_transcript() -> None:
    (made,) = mappings(streamed())
    response = streamed().response
    assert isinstance(response, StreamResponse)
    assert made["response"]["body"].encode() == response.raw_transcript


def test_equal_requests_are_a_scenario() -> None:
    first, other, second, third = mappings(plain("a"), plain("b"), plain("a"), plain("a"))
    assert (first["requiredScenarioState"], first["newScenarioState"]) == ("Started", "1")
    assert (second["requiredScenarioState"], second["newScenarioState"]) == ("1", "2")
    assert third["requiredScenarioState"] == "2" and "newScenarioState" not in third
    assert first["scenarioName"] == second["scenarioName"] == third["scenarioName"]
    assert "scenarioName" not in other


def test_query_headers_and_bytes() -> None:
    request = RecordedRequest("POST", "/x", "a=1&a=2", body=b"\xff")
    headers = (("x", "1"), ("x", "2"), ("x", "3"), ("connection", "close"))
    (made,) = mappings(replace(plain(), request=request, response=NonStreamResponse(200, headers, b"\xfe")))
    assert made["request"]["queryParameters"] == {"a": {"equalTo": "1"}}
    assert made["request"]["bodyPatterns"] == [{"binaryEqualTo": base64.b64encode(b"\xff").decode()}]
    assert made["response"] == {"status": 200, "headers": {"x": ["1", "2", "3"]}, "base64Body": base64.b64encode(b"\xfe").decode()}


def test_an_empty_body_matches_anything() -> None:
    (made,) = mappings(replace(plain(), request=RecordedRequest("GET", "/x")))
    assert made["request"] == {"method": "GET", "urlPath": "/x"}


def test_losses() -> None:
    unhashed = replace(plain(failure=FailureKind.CUT), request=replace(plain().request, stable_hash=None))
    assert encode_wiremock(cassette(unhashed, streamed()))[1] == (
        Loss(LossKind.FAILURES, 1),
        Loss(LossKind.CHUNK_TIMES, 1),
        Loss(LossKind.HASHES, 1),
        Loss(LossKind.TIMES, 2),
    )
