"""Foreign exchanges under the rules of a recording."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Interaction, NonStreamResponse, StreamResponse
from spycatcher_addon.tools.importing import ForeignExchange, import_exchange
from spycatcher_addon.tools.losses import LossKind

STREAM = b'data: {"choices":[]}\n\ndata: [DONE]\n\n'
EXCHANGE = ForeignExchange(
    method="POST",
    url="https://api.example.test/v1/chat/completions?b=1",
    request_headers=(("Content-Type", "application/json"), ("Authorization", "Bearer sk-fake"), (":authority", "api.example.test")),
    request_body=b'{"model":"m"}',
    status=200,
    response_headers=(("Content-Type", "application/json"), ("Set-Cookie", "a=b"), ("X-Secret", "s")),
    response_body=b"{}",
    recorded_at="2026-01-02T03:04:05Z",
    relative_offset_ms=7,
)
SSE_TYPE = (("content-type", "text/event-stream"),)
ASKS_STREAM = replace(EXCHANGE, request_body=b'{"stream":true}', response_headers=SSE_TYPE, response_body=STREAM)


def imported(exchange: ForeignExchange, ignore: IgnorePathConfig = NOTHING_IGNORED) -> Interaction:
    interaction, _ = import_exchange(exchange, frozenset({"x-secret"}), ignore)
    assert interaction is not None
    return interaction


def test_an_exchange_becomes_an_interaction() -> None:
    interaction, losses = import_exchange(EXCHANGE, frozenset({"x-secret"}), NOTHING_IGNORED)
    assert interaction is not None
    assert (interaction.request.method, interaction.request.path, interaction.request.query) == ("POST", "/v1/chat/completions", "b=1")
    assert interaction.request.headers == (("content-type", "application/json"),)
    assert interaction.request.stable_hash == stable_hash(canonicalize(interaction.request, NOTHING_IGNORED))
    assert interaction.response == NonStreamResponse(200, (("content-type", "application/json"),), b"{}")
    assert (interaction.metadata.upstream_id, interaction.metadata.relative_offset_ms) == ("api.example.test", 7)
    assert losses == [LossKind.REDACTED] * 3


def test_the_path_is_the_one_a_client_of_the_harness_asks_for() -> None:
    assert imported(replace(EXCHANGE, url="https://openrouter.ai/api/v1/chat/completions")).request.path == "/v1/chat/completions"


def test_a_stream() -> None:
    interaction, losses = import_exchange(ASKS_STREAM, frozenset(), NOTHING_IGNORED)
    assert interaction is not None and isinstance(interaction.response, StreamResponse)
    assert (len(interaction.response.events), interaction.response.raw_transcript, interaction.response.timing) == (2, STREAM, None)
    assert LossKind.CHUNK_TIMES in losses


def test_a_stream_is_whole_with_its_end_mark() -> None:
    assert imported(replace(ASKS_STREAM, response_body=STREAM + b"data: x")).response.status == 200
    assert import_exchange(replace(ASKS_STREAM, response_body=STREAM[:10]), frozenset(), NOTHING_IGNORED) == (
        None,
        [LossKind.UNUSABLE],
    )


def test_a_plain_answer_to_a_request_for_a_stream_is_marked() -> None:
    response = imported(replace(EXCHANGE, request_body=b'{"stream":true}')).response
    assert isinstance(response, NonStreamResponse) and response.answers_stream


def test_ignore_paths_are_honoured() -> None:
    other = replace(EXCHANGE, request_body=b'{"model":"n"}')
    ignore = IgnorePathConfig(["/model"])
    assert imported(EXCHANGE, ignore).request.stable_hash == imported(other, ignore).request.stable_hash


@pytest.mark.parametrize(
    ("exchange", "loss"),
    [
        (replace(EXCHANGE, url="https://api.example.test/v1/models"), LossKind.FOREIGN),
        (replace(EXCHANGE, method="GET"), LossKind.FOREIGN),
        (replace(EXCHANGE, url="http://["), LossKind.FOREIGN),
        (replace(EXCHANGE, status=0), LossKind.UNUSABLE),
    ],
)
def test_what_cannot_be_replayed_is_left_out(exchange: ForeignExchange, loss: LossKind) -> None:
    assert import_exchange(exchange, frozenset(), NOTHING_IGNORED) == (None, [loss])


@pytest.mark.parametrize(
    ("body", "is_kept"),
    [(gzip.compress(b"{}", mtime=0), True), (b"{}", False), (b"plain text", False)],
)
def test_a_coding_is_kept_only_where_it_is_true(body: bytes, is_kept: bool) -> None:
    exchange = replace(EXCHANGE, response_headers=(("content-encoding", "gzip"),), response_body=body)
    assert (imported(exchange).response.headers == (("content-encoding", "gzip"),)) is is_kept
