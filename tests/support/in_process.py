"""Runs a harness inside the test process, on an event loop in a thread of its own: quick to start, real sockets."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from spycatcher_addon.cassette import Cassette
from spycatcher_addon.config import HarnessConfig, Lane, ListenAddr, Mode, ReplayConfig, UpstreamConfig
from spycatcher_addon.edge.assembly import Stats
from spycatcher_addon.edge.mitm import ReplayHooks
from spycatcher_addon.edge.server import RunningHarness, start_harness
from spycatcher_addon.edge.tape_reading import read_cassette
from tests.support.cli import FAKE_KEY

KEY_VARIABLE = "STUB_API_KEY"
TAPE_NAME = "tape.json"
REPLAY_LANE: ContextVar[Lane] = ContextVar("REPLAY_LANE", default=Lane.AUTO)
"""What :func:`replay_config` sets."""


class InProcessHarness:
    """A harness that accepts connections until :meth:`stop`."""

    def __init__(self, config: HarnessConfig, environ: Mapping[str, str] | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="harness under test", daemon=True)
        self._thread.start()
        self._config = config
        try:
            self.running: RunningHarness = self.call(start_harness(config, {KEY_VARIABLE: FAKE_KEY} if environ is None else environ))
        except BaseException:
            self._end_loop()
            raise
        self.addr: tuple[str, int] = (self.running.addr.host, self.running.addr.port)

    @property
    def answers_on_wire(self) -> int:
        """How many requests the fast lane of a replay has answered."""
        hooks = self.running._hosted.hooks
        assert isinstance(hooks, ReplayHooks)
        return hooks.answers_on_wire

    @property
    def base_url(self) -> str:
        return self.running.base_url

    @property
    def stats(self) -> Stats:
        return self.running.stats

    def tape(self) -> Cassette:
        """What is on the tape now."""
        return read_cassette(self._config.cassette_path).cassette

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the harness's loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def stop(self, grace: float | None = None) -> Stats:
        """Shut down; a second call does nothing."""
        if self._thread.is_alive():
            self.call(self.running.shutdown(grace))
            self._end_loop()
        return self.running.stats

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def record_config(folder: Path, base_url: str, **upstream: Any) -> HarnessConfig:
    """A recorder of ``folder/tape.json`` on a free port."""
    return HarnessConfig(
        mode=Mode.RECORD,
        listen=ListenAddr("127.0.0.1", 0),
        cassette_dir=str(folder),
        cassette_name=TAPE_NAME,
        upstream=UpstreamConfig(base_url=base_url, api_key_env=KEY_VARIABLE, **upstream),
    )


def replay_config(folder: Path, **settings: Any) -> HarnessConfig:
    """A replay of ``folder/tape.json`` on a free port, on the lane that the test is about."""
    settings["replay"] = settings.get("replay", ReplayConfig()).model_copy(update={"lane": REPLAY_LANE.get()})
    return HarnessConfig(mode=Mode.REPLAY, listen=ListenAddr("127.0.0.1", 0), cassette_dir=str(folder), cassette_name=TAPE_NAME, **settings)
