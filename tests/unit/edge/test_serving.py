"""Serving until a signal, with a harness that only pretends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from spycatcher_addon.client_verdict import ClientVerdict, Reaction
from spycatcher_addon.config import HarnessConfig, ListenAddr, Mode, ReplayConfig, UiConfig, UiKind, UpstreamConfig
from spycatcher_addon.edge.assembly import Stats
from spycatcher_addon.edge.catalogues import load_catalogues
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.layers import ResolvedConfig
from spycatcher_addon.edge.serving import ServingError, _optional_key_missing, record_summary, replay_summary, serve
from spycatcher_addon.edge.terminal import OutputError
from spycatcher_addon.errors import CassetteNotFoundError, HarnessError, HarnessIOError, InvalidConfigError
from spycatcher_addon.fault_injection import FaultFindings
from spycatcher_addon.fault_rules import parse_fault_rules
from tests.support.texts import ENGLISH, without_marks


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
    page_url: str | None = None
    is_shown: bool = False

    async def show_in_terminal(self, on_quit: Callable[[], None]) -> None:
        self.is_shown = True
        on_quit()

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

    return asyncio.run(serve(ResolvedConfig(config, sources), ENGLISH, {}, start))


def failing(error: HarnessError) -> str:
    async def start(_: HarnessConfig) -> Any:
        raise error

    with pytest.raises(ServingError) as caught:
        asyncio.run(serve(ResolvedConfig(HarnessConfig(), {}), ENGLISH, {}, start))
    return without_marks(str(caught.value))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_two_lines_out_and_the_rest_on_standard_error(capfd: pytest.CaptureFixture[str], number: int) -> None:
    harness = PretendedHarness(Stats(interactions=1, unused=(0,)), notices=("mind the gap",))
    assert run(HarnessConfig(shutdown_grace_s=2), harness, number) == 0
    out, err = capfd.readouterr()
    err = without_marks(err)
    assert out == "listening on 127.0.0.1:5\nexport OPENAI_BASE_URL=http://127.0.0.1:5/v1\n"
    assert "warning: mind the gap\n" in err
    assert "replayed 0 of 1 interaction from dir/name\n" in err
    assert harness.graces == [2.0]


@pytest.mark.parametrize(
    ("settings", "label"), [({}, "watch at:"), ({"password": "fake"}, "watch, with the password, at:")], ids=["token", "password"]
)
def test_the_address_of_the_page_is_no_part_of_standard_output(
    capfd: pytest.CaptureFixture[str], settings: dict[str, str], label: str
) -> None:
    url = "http://127.0.0.1:8081/?token=fake"
    harness = PretendedHarness(Stats(interactions=0), page_url=url)
    assert run(HarnessConfig(ui=UiConfig(kind=UiKind.WEB, **settings)), harness) == 0  # type: ignore[arg-type]
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 2
    assert f"{label} {url}\n" in err
    assert not harness.is_shown


def test_who_leaves_the_console_ends_the_harness(capfd: pytest.CaptureFixture[str]) -> None:
    harness = PretendedHarness(Stats(interactions=1, unused=(0,)))

    async def start(_: HarnessConfig) -> PretendedHarness:
        return harness

    config = HarnessConfig(ui=UiConfig(kind=UiKind.CONSOLE), fail_unused=True)
    assert asyncio.run(serve(ResolvedConfig(config, {}), ENGLISH, {}, start)) == 3
    assert harness.is_shown
    assert harness.graces == [5.0]
    assert "watch" not in capfd.readouterr().err


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
    with pytest.raises(ServingError, match="failed to shut down harness: io failure: \u2068disk full\u2069"):
        run(HarnessConfig(), PretendedHarness(Stats(interactions=0), shutdown_error=HarnessIOError("disk full")))


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
    assert ("environment variable MINE" in without_marks(capfd.readouterr().err)) is is_warned


@pytest.mark.parametrize(("key", "is_warned"), [("sk-fake", False), ("", True), ("sk-fake\n", True)])
def test_an_optional_key_that_cannot_be_sent_is_as_good_as_none(key: str, is_warned: bool) -> None:
    config = HarnessConfig(mode=Mode.RECORD, upstream=UpstreamConfig(kind="vllm", api_key_env="MINE"))  # type: ignore[arg-type]
    resolved = ResolvedConfig(config, {"upstream.api_key_env": "flag --api-key-env"})
    warnings = told(_optional_key_missing(resolved, ENGLISH, {"MINE": key}))
    assert [" is unset, empty or not usable; " in line for line in warnings] == [True] * is_warned


@pytest.mark.parametrize(
    ("replay", "setting", "source", "is_warned"),
    [
        ({"timing_factor": 2.0}, "timing_factor", "flag --timing-factor", True),
        ({"timing_factor": 2.0, "timing": "scaled"}, "timing_factor", "flag --timing-factor", False),
        ({"timing_factor": 2.0}, "timing_factor", "file ./pyproject.toml, line 2", False),
        ({"timing_seed": 1, "timing": "demo"}, "timing_seed", "flag --timing-seed", False),
        ({"timing_seed": 1, "timing": "ci"}, "timing_seed", "flag --timing-seed", True),
    ],
)
def test_a_flag_that_the_timing_does_not_look_at_is_told(
    capfd: pytest.CaptureFixture[str], replay: dict[str, Any], setting: str, source: str, is_warned: bool
) -> None:
    run(HarnessConfig(replay=ReplayConfig(**replay)), PretendedHarness(Stats(interactions=0)), **{f"replay.{setting}": source})
    text = f"warning: replay.{setting} is set and has no effect while replay.timing is {replay.get('timing', 'off')}\n"
    assert (text in capfd.readouterr().err) is is_warned


def test_a_start_that_cannot_be_announced_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = PretendedHarness(Stats(interactions=0))
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="No space left"):
            run(HarnessConfig(), harness)
        monkeypatch.undo()
    assert harness.graces == [0]


def told(lines: Iterator[str]) -> list[str]:
    return [without_marks(line) for line in lines]


def test_record_summary() -> None:
    assert told(record_summary(ENGLISH, Stats(interactions=3, recorded=2), "p", "u")) == ["recorded 2 interactions to p"]
    assert told(record_summary(ENGLISH, Stats(interactions=3, recorded=1), "p", "u")) == ["recorded 1 interaction to p"]
    lines = told(record_summary(ENGLISH, Stats(interactions=0, failed=1, abandoned=2, refused=3, error_statuses=4), "p", "u"))
    assert lines[0] == "warning: recorded 0 interactions; this is the base URL that the client has to use: u"
    assert [line.startswith("warning: ") for line in lines] == [True] * 5
    assert [part for part in ("1 exchange ", "2 exchanges", "3 requests", "4 exchanges") if part not in "\n".join(lines)] == []


def test_replay_summary() -> None:
    assert told(replay_summary(ENGLISH, Stats(interactions=2, matched=2), "p")) == ["replayed 2 of 2 interactions from p"]
    stats = Stats(interactions=50, mismatched=1, rejected=2, unused=tuple(range(30)), dropped_headers=("b", "a", "b"))
    lines = told(replay_summary(ENGLISH, stats, "p"))
    assert lines[0] == "replayed 20 of 50 interactions from p"
    assert lines[1].endswith("18, 19, ...")
    assert lines[2:] == [
        "warning: 1 request was answered with 409 because nothing recorded matched",
        "warning: 2 requests were refused before matching (bad JSON, unknown path, ...)",
        "warning: recorded headers that cannot be sent were left out: a, b",
    ]


@pytest.mark.parametrize(
    ("locale", "unused", "count", "line"),
    [
        ("fr-FR", 3, 3, "0 interaction rejouée sur 3 depuis p"),
        ("fr-FR", 2, 3, "1 interaction rejouée sur 3 depuis p"),
        ("fr-FR", 1, 3, "2 interactions rejouées sur 3 depuis p"),
        ("es-ES", 0, 1, "interacciones reproducidas: 1 de 1, del archivo p"),
        ("de-DE", 2, 3, "1 von 3 Interaktionen wiedergegeben aus p"),
    ],
)
def test_words_agree_with_their_numbers(locale: str, unused: int, count: int, line: str) -> None:
    stats = Stats(interactions=count, unused=tuple(range(unused)))
    assert told(replay_summary(Texts(load_catalogues([locale])), stats, "p"))[0] == line


def test_faults_are_in_the_replay_summary() -> None:
    (rule,) = parse_fault_rules("refuse")
    verdict = ClientVerdict(0, "h", (rule,), Reaction.GAVE_UP, (), None, False, False)
    stats = Stats(interactions=1, faults=FaultFindings(idle=((0, rule),), verdicts=(verdict,)))
    assert told(replay_summary(ENGLISH, stats, "p"))[1:] == [
        "interaction 0: refuse=true: the client gave up without retrying",
        "warning: no answer met this fault rule; check its interaction and path: refuse=true",
    ]
