"""Rules every test lives under, and the fixtures that more than one folder needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from scripts.stub_upstream import StubUpstream
from tests.support.cli import HarnessCli
from tests.support.loopback import LoopbackGuard

# Machines differ in speed; a slow example is not a wrong one.
settings.register_profile("suite", deadline=None, print_blob=True)
settings.load_profile("suite")

GUARD = LoopbackGuard()
GUARD.install()


@pytest.fixture(autouse=True)
def only_loopback() -> Iterator[None]:
    """Fail a test that tried to reach anything but this machine, even where the code under test hid the refusal."""
    GUARD.attempts.clear()
    yield
    assert not GUARD.attempts, f"the test tried to leave this machine: {GUARD.attempts}"


@pytest.fixture
def upstream() -> Iterator[StubUpstream]:
    """A polite stub provider that a test may script."""
    with StubUpstream() as stub:
        yield stub


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[HarnessCli]:
    """The command line in a working folder of the test's own."""
    cli = HarnessCli(tmp_path)
    yield cli
    cli.close()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose program is missing, or fail it where ``SPYCATCHER_REQUIRE`` lists that program."""
    required = {name for name in os.environ.get("SPYCATCHER_REQUIRE", "").split(",") if name}
    for marker in item.iter_markers("needs"):
        (program,) = marker.args
        if shutil.which(program) is None:
            reason = f"{program} is not installed and the package index does not have it"
            if program in required:
                pytest.fail(f"{reason}, but SPYCATCHER_REQUIRE asks for it")
            pytest.skip(reason)
