"""Interactions for tests of tapes on disk: cheap to make, told apart by their number, of any size."""

from __future__ import annotations

import random

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Hashing, Interaction, Metadata, NonStreamResponse, RecordedRequest

HASHING = Hashing(ignore_paths=("/metadata",), redaction_rules=("authorization",))


def sample_interaction(number: int, size: int = 20) -> Interaction:
    """The interaction of that number; its answer has at least ``size`` bytes, which depend on both arguments only."""
    body = b'{"model":"m","messages":[{"role":"user","content":"question %d"}]}' % number
    request = RecordedRequest("POST", "/v1/chat/completions", "", (("content-type", "application/json"),), body)
    digest = stable_hash(canonicalize(request, IgnorePathConfig(HASHING.ignore_paths)))
    request = RecordedRequest(request.method, request.path, "", request.headers, body, stable_hash=digest)
    text = (random.Random(number).randbytes(16).hex() + "\n") * (size // 33 + 1)
    response = NonStreamResponse(200, (("content-type", "text/plain"),), text.encode())
    return Interaction(request, response, Metadata("openai_chat_completions", "stub", "2026-01-02T03:04:05Z", number))


def sample_size(seed: int, number: int) -> int:
    """Mostly small, now and then several megabytes."""
    chance = random.Random(seed * 100_003 + number)
    return chance.choice((10, 500, 5_000, 5_000, 60_000, 60_000, 400_000, 3_000_000))
