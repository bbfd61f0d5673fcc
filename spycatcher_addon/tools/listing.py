"""A cassette as a table: one row per interaction."""

from __future__ import annotations

from dataclasses import dataclass

from spycatcher_addon.cassette.fields import JsonObject
from spycatcher_addon.cassette.model import Cassette, Interaction, StreamResponse
from spycatcher_addon.tools.assembly import answer_bytes, assemble_answer
from spycatcher_addon.tools.conversation import Usage, read_usage


@dataclass(frozen=True, slots=True)
class Row:
    """What a table says of one interaction."""

    index: int
    """Zero-based."""
    recorded_at: str
    model: str
    """As requested; empty when the request names none."""
    is_stream: bool
    """Whether the answer was kept as a stream."""
    status: int
    usage: Usage
    request_bytes: int
    response_bytes: int
    stable_hash: str | None
    failure: str | None

    def as_json(self) -> JsonObject:
        """The row for programs."""
        return {
            "index": self.index,
            "recorded_at": self.recorded_at,
            "model": self.model,
            "stream": self.is_stream,
            "status": self.status,
            "usage": self.usage.as_json(),
            "request_bytes": self.request_bytes,
            "response_bytes": self.response_bytes,
            "stable_hash": self.stable_hash,
            "failure": self.failure,
        }


def list_interactions(cassette: Cassette) -> tuple[Row, ...]:
    """Describe every interaction, in the order of the tape."""
    return tuple(describe(index, interaction) for index, interaction in enumerate(cassette.interactions))


def describe(index: int, interaction: Interaction) -> Row:
    """Describe one interaction."""
    body = interaction.request.parse_body()
    model = body.get("model") if isinstance(body, dict) else None
    response = interaction.response
    return Row(
        index=index,
        recorded_at=interaction.metadata.recorded_at,
        model=model if isinstance(model, str) else "",
        is_stream=isinstance(response, StreamResponse),
        status=response.status,
        usage=read_usage(assemble_answer(response)),
        request_bytes=len(interaction.request.body),
        response_bytes=answer_bytes(response),
        stable_hash=interaction.request.stable_hash,
        failure=None if interaction.failure is None else interaction.failure.value,
    )
