"""The agent's tests: offline, from the tapes in ``cassettes/``. Record them anew with ``pytest --spycatcher=rewrite``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agent import answer, answer_all
from openai import AsyncOpenAI


def run(work: Any) -> Any:
    """Run a coroutine that needs a client, which finds its base URL and its key in the environment."""

    async def with_client() -> Any:
        async with AsyncOpenAI() as client:
            return await work(client)

    return asyncio.run(with_client())


@pytest.mark.spycatcher
def test_the_agent_calls_its_tool_and_streams_the_answer() -> None:
    pieces: list[str] = []
    text = run(lambda client: answer(client, "How is the weather in Paris?", pieces.append))
    assert "22 degrees and sunny in Paris" in text
    assert len(pieces) > 3, "it came in pieces"
    assert "".join(pieces) == text


@pytest.mark.spycatcher(match_mode="keyed")
def test_several_questions_at_once() -> None:
    cities = ["Rome", "Oslo", "Lima"]
    texts = run(lambda client: answer_all(client, [f"How is the weather in {city}?" for city in cities]))
    for city, text in zip(cities, texts, strict=True):
        assert f"sunny in {city}" in text


@pytest.mark.spycatcher
@pytest.mark.parametrize("city", ["New York", "São Paulo"])
def test_cities_with_two_words(city: str) -> None:
    assert "sunny" in run(lambda client: answer(client, f"How is the weather in {city}?"))
