"""Deadlines of connections that ask for nothing."""

from __future__ import annotations

import asyncio

from spycatcher_addon.edge.patience import Patience


def hung_up(head_s: float, idle_s: float, *steps: str, wait_s: float = 0.05) -> list[str]:
    """Which connections are ended after some calls, each ``method client``."""
    ended: list[str] = []

    async def run() -> None:
        patience = Patience(head_s, idle_s, ended.append)
        for step in steps:
            method, client = step.split()
            getattr(patience, method)(client)
        await asyncio.sleep(wait_s)

    asyncio.run(run())
    return ended


def test_an_idle_connection_ends() -> None:
    assert hung_up(9, 0.01, "await_request a", "await_request b") == ["a", "b"]


def test_a_head_that_takes_too_long_ends_its_connection() -> None:
    assert hung_up(0.01, 9, "await_request a", "await_request b", "await_head b") == ["b"]


def test_an_exchange_stops_the_clock() -> None:
    assert hung_up(0.01, 0.01, "await_request a", "await_head a", "forget a") == []


def test_a_head_that_comes_while_nothing_is_awaited_starts_no_clock() -> None:
    assert hung_up(0.01, 0.01, "await_head a") == []


def test_more_of_the_same_head_gives_no_more_time() -> None:
    ended: list[str] = []

    async def run() -> None:
        patience = Patience(0.03, 9, ended.append)
        patience.await_request("a")
        for _ in range(5):
            patience.await_head("a")
            await asyncio.sleep(0.01)

    asyncio.run(run())
    assert ended == ["a"]


def test_time_begins_anew_after_each_exchange() -> None:
    ended: list[str] = []

    async def run() -> None:
        patience = Patience(9, 0.04, ended.append)
        patience.await_request("a")
        for _ in range(8):
            await asyncio.sleep(0.01)
            patience.forget("a")
            patience.await_request("a")

    asyncio.run(run())
    assert ended == []
