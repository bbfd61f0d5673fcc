"""What the tests over sockets share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spycatcher_addon.config import Lane
from tests.support import in_process

ON_BOTH_LANES = frozenset({"test_replay_transport", "test_replay_delivery", "test_replay_faults", "test_replay_limits"})
"""Modules whose every test holds whichever lane answers."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.rpartition(".")[2] in ON_BOTH_LANES:
        metafunc.fixturenames.append("lane")
        metafunc.parametrize("lane", list(Lane), indirect=True)


@pytest.fixture
def lane(request: pytest.FixtureRequest) -> Iterator[Lane]:
    """The lane of replays made with ``replay_config`` during the test."""
    before = in_process.REPLAY_LANE.set(request.param)
    yield request.param
    in_process.REPLAY_LANE.reset(before)
