"""A cassette as mappings for WireMock: one per interaction, in the form its import takes.

Equal requests become a scenario, so that they are answered in the recorded order; different ones match by content.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qs

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.jsontext import encode_canonical
from spycatcher_addon.cassette.model import Cassette, Interaction, RecordedRequest, RecordedResponse, StreamResponse
from spycatcher_addon.headers import select_replayed
from spycatcher_addon.tools.losses import Loss, LossKind, count_losses

_FIRST_STATE = "Started"
"""The state that every scenario of WireMock begins in."""


def encode_wiremock(cassette: Cassette) -> tuple[JsonObject, tuple[Loss, ...]]:
    """Give a cassette as the document ``{"mappings": [...]}``, and say what it has no place for."""
    keys = [stable_hash(canonicalize(interaction.request, NOTHING_IGNORED)) for interaction in cassette.interactions]
    totals = Counter(keys)
    met: Counter[str] = Counter()
    mappings = []
    for interaction, key in zip(cassette.interactions, keys, strict=True):
        mapping: JsonObject = {"request": _request(interaction.request), "response": _response(interaction.response)}
        if totals[key] > 1:
            number = met[key]
            met[key] += 1
            mapping["scenarioName"] = key
            mapping["requiredScenarioState"] = str(number) if number else _FIRST_STATE
            if number + 1 < totals[key]:
                mapping["newScenarioState"] = str(number + 1)
        mappings.append(mapping)
    losses = [loss for interaction in cassette.interactions for loss in _losses(interaction)]
    return {"mappings": [*mappings]}, count_losses(losses)


def _losses(interaction: Interaction) -> Iterator[LossKind]:
    yield LossKind.TIMES
    if interaction.request.stable_hash is not None:
        yield LossKind.HASHES
    if interaction.failure is not None:
        yield LossKind.FAILURES
    if isinstance(interaction.response, StreamResponse) and interaction.response.timing is not None:
        yield LossKind.CHUNK_TIMES


def _request(request: RecordedRequest) -> JsonObject:
    members: JsonObject = {"method": request.method, "urlPath": request.path}
    queries = parse_qs(request.query, keep_blank_values=True)
    if queries:
        members["queryParameters"] = {name: {"equalTo": values[0]} for name, values in queries.items()}
    body = request.parse_body()
    if body is not None:
        members["bodyPatterns"] = [{"equalToJson": encode_canonical(body)}]
    elif request.body:
        members["bodyPatterns"] = [{"binaryEqualTo": base64.b64encode(request.body).decode("ascii")}]
    return members


def _response(response: RecordedResponse) -> JsonObject:
    headers: JsonObject = {}
    for name, value in select_replayed(response.headers)[0]:
        before = headers.get(name)
        headers[name] = value if before is None else [*(before if isinstance(before, list) else [before]), value]
    body = response.raw_transcript if isinstance(response, StreamResponse) else response.body
    members: JsonObject = {"status": response.status, "headers": headers}
    try:
        members["body"] = body.decode("utf-8")
    except UnicodeDecodeError:
        members["base64Body"] = base64.b64encode(body).decode("ascii")
    return members
