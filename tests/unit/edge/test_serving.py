"""Serving until a signal, with a harness that only pretends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode, UpstreamConfig
from spycatcher_addon.edge.assembly import Stats
from spycatcher_addon.edge.layers import ResolvedConfig
from spycatcher_addon.edge.serving import ServingError, error_text, record_summary, replay_summary, serve
from spycatcher_addon.errors import CassetteNotFoundError, HarnessError, HarnessIOError, InvalidConfigError


@dataclass
class PretendedHarness:
    """Sends its own process a signal as soon as it is started."""

    stats: Stats
    addr: ListenAddr = ListenAddr("127.0.0.1", 5)
    base_url: str = "http://127.0.0.1:5/v1"
    cassette_path: str = "dir/name"
    notices: tuple[str, ...] = ()
    shutdown_error: HarnessError | None = None
    graces: list[float | None] = field(default_factory=list)

    async def shutdown(self, grace: float | None = None) -> None:
        self.graces.append(grace)
        if self.shutdown_error is not None:
            raise self.shutdown_error


@pytest.fixture(autouse=True)
def signal_handlers_of_the_test_run() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def run(config: HarnessConfig, harness: PretendedHarness, number: int = signal.SIGINT, **sources: str) -> int:
    async def start(given: HarnessConfig) -> PretendedHarness:
        assert given is config
        os.kill(os.getpid(), number)
        return harness

    return asyncio.run(serve(ResolvedConfig(config, sources), {}, start))


def failing(error: HarnessError) -> str:
    async def start(_: HarnessConfig) -> Any:
        raise error

    with pytest.raises(ServingError) as caught:
        asyncio.run(serve(ResolvedConfig(HarnessConfig(), {}), {}, start))
    return str(caught.value)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_two_lines_out_and_the_rest_on_standard_error(capfd: pytest.CaptureFixture[str], number: int) -> None:
    harness = PretendedHarness(Stats(interactions=1, unused=(0,)), notices=("mind the gap",))
    assert run(HarnessConfig(shutdown_grace_s=2), harness, number) == 0
    out, err = capfd.readouterr()
    assert out == "listening on 127.0.0.1:5\nexport OPENAI_BASE_URL=http://127.0.0.1:5/v1\n"
    assert "warning: mind the gap\n" in err
    assert "replayed 0 of 1 interaction from dir/name\n" in err
    assert harness.graces == [2.0]


@pytest.mark.parametrize(
    ("mode", "fail_unused", "unused", "code"),
    [(Mode.REPLAY, True, (0,), 3), (Mode.REPLAY, True, (), 0), (Mode.REPLAY, False, (0,), 0), (Mode.RECORD, True, (0,), 0)],
)
def test_exit_code_for_unused_interactions(mode: Mode, fail_unused: bool, unused: tuple[int, ...], code: int) -> None:
    config = HarnessConfig(mode=mode, fail_unused=fail_unused)
    assert run(config, PretendedHarness(Stats(interactions=1, unused=unused))) == code


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InvalidConfigError("m"), "failed to start harness: invalid configuration: m"),
        (HarnessIOError("port taken"), "failed to start harness: io failure: port taken"),
    ],
)
def test_start_failures(error: HarnessError, text: str) -> None:
    assert failing(error) == text


def test_a_missing_cassette_gets_advice() -> None:
    first, advice = failing(CassetteNotFoundError("default")).split("\n")
    assert first == "failed to start harness: cassette not found: default"
    assert "fixtures/llm/default" in advice


def test_shutdown_failure() -> None:
    with pytest.raises(ServingError, match="failed to shut down harness: io failure: disk full"):
        run(HarnessConfig(), PretendedHarness(Stats(interactions=0), shutdown_error=HarnessIOError("disk full")))


def test_error_text_shows_the_source_only_of_io_failures() -> None:
    assert error_text(HarnessIOError("x")) == "io failure: x"
    assert error_text(InvalidConfigError("x")) == "invalid configuration: x"


@pytest.mark.parametrize(
    ("upstream", "source", "is_warned"),
    [
        (UpstreamConfig(kind="vllm", api_key_env="MINE"), "flag --api-key-env", True),  # type: ignore[arg-type]
        (UpstreamConfig(kind="vllm"), "default for upstream.kind vllm", False),  # type: ignore[arg-type]
        (UpstreamConfig(kind="vllm", api_key_env="MINE", auth="none"), "flag --api-key-env", False),  # type: ignore[arg-type]
    ],
)
def test_warning_for_an_optional_key(capfd: pytest.CaptureFixture[str], upstream: UpstreamConfig, source: str, is_warned: bool) -> None:
    config = HarnessConfig(mode=Mode.RECORD, upstream=upstream)
    run(config, PretendedHarness(Stats(interactions=0)), **{"upstream.api_key_env": source})
    assert ("environment variable MINE" in capfd.readouterr().err) is is_warned


def test_record_summary() -> None:
    assert list(record_summary(Stats(interactions=3, recorded=2), "p", "u")) == ["recorded 2 interactions to p"]
    lines = list(record_summary(Stats(interactions=0, failed=1, abandoned=2, refused=3, error_statuses=4), "p", "u"))
    assert lines[0] == "warning: recorded 0 interactions; point the client's base URL at u"
    assert [line.startswith("warning: ") for line in lines] == [True] * 5
    assert [part for part in ("1 exchange;", "2 exchanges", "3 exchanges", "4 exchanges") if part not in "\n".join(lines)] == []


def test_replay_summary() -> None:
    assert list(replay_summary(Stats(interactions=2, matched=2), "p")) == ["replayed 2 of 2 interactions from p"]
    lines = list(
        replay_summary(Stats(interactions=50, mismatched=1, rejected=2, unused=tuple(range(30)), dropped_headers=("b", "a", "b")), "p")
    )
    assert lines[0] == "replayed 20 of 50 interactions from p"
    assert lines[1].endswith("18, 19, ...")
    assert lines[2:] == [
        "warning: answered with 409 because nothing recorded matched: 1 request",
        "warning: refused before matching: 2 requests (bad JSON, unknown path, ...)",
        "warning: recorded headers that cannot be sent were left out: a, b",
    ]
