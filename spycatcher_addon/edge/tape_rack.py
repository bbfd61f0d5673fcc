"""Many tapes in one server: opened under a token, found by it in each request, closed with a report."""

from __future__ import annotations

from collections.abc import Mapping

from mitmproxy import http

from spycatcher_addon import answers
from spycatcher_addon.choices import RecordMode
from spycatcher_addon.config import HarnessConfig, UpstreamConfig
from spycatcher_addon.edge.assembly import Stats
from spycatcher_addon.edge.mitm import LaneHooks
from spycatcher_addon.edge.server import in_thread
from spycatcher_addon.edge.tape_run import TapeReport, TapeRun
from spycatcher_addon.edge.tape_switch import TapeSwitch
from spycatcher_addon.errors import InvalidConfigError
from spycatcher_addon.exchange import ReplayResponse
from spycatcher_addon.tape_address import TAPE_HEADER, is_token, parse_tape_address


class TapeRack:
    """The tapes in use, and the switch in front of them, without a listener. Belongs to one event loop."""

    notices: tuple[str, ...] = ()

    def __init__(self, config: HarnessConfig, environ: Mapping[str, str]) -> None:
        """
        Args:
            config: Limits and time-outs for all tapes.
            environ: Where the variable named by ``upstream.api_key_env`` is looked up, at each request.
        """
        upstream = config.upstream or UpstreamConfig()
        self._config = config.model_copy(update={"upstream": upstream})
        self._environ = environ
        self._runs: dict[str, TapeRun] = {}
        self._opening: set[str] = set()
        self.hooks: LaneHooks = TapeSwitch(self._config, self._choose, lambda: tuple(self._runs.values()))
        self.longest_silence_s = int(max(upstream.total_timeout_s, upstream.idle_timeout_s, upstream.connect_timeout_s)) + 60

    async def open_tape(self, token: str, config: HarnessConfig, mode: RecordMode) -> TapeRun:
        """Open a tape under a token.

        Raises:
            HarnessError: The token or the tape cannot be used.
        """
        if not is_token(token):
            raise InvalidConfigError("a tape's token is 16 to 128 letters, digits, - and _")
        if token in self._runs or token in self._opening:
            raise InvalidConfigError("this token is in use; make up another one for each tape")
        self._opening.add(token)
        try:
            run = await in_thread(TapeRun.open, config, mode, self._environ, discard=lambda unwanted: unwanted.finish(False))
        finally:
            self._opening.discard(token)
        self._runs[token] = run
        return run

    def report(self, token: str) -> TapeReport:
        """What came of a tape up to now.

        Raises:
            InvalidConfigError: No tape in use has this token.
        """
        return self._run(token).report()

    async def close_tape(self, token: str, succeeded: bool) -> TapeReport:
        """Wait for exchanges that are under way, then close a tape: its token is unknown from here on.

        Args:
            succeeded: Whether what was recorded is worth keeping.

        Raises:
            HarnessError: There is no such tape, or its recording could not be put in its place.
        """
        run = self._run(token)
        await run.wait_for_exchanges(self._config.shutdown_grace_s)
        self._runs.pop(token, None)
        await in_thread(run.finish, succeeded)
        return run.report()

    def _run(self, token: str) -> TapeRun:
        run = self._runs.get(token)
        if run is None:
            raise InvalidConfigError("no tape in use has this token; it was closed, or never opened")
        return run

    def _choose(self, flow: http.HTTPFlow) -> TapeRun | ReplayResponse:
        request = flow.request
        token = request.headers.pop(TAPE_HEADER, "")
        address = parse_tape_address(request.data.path.decode("latin-1"))
        if address is not None:
            token = address.token
            request.data.path = address.target.encode("latin-1")
        return self._runs.get(token) or answers.unknown_tape()

    def stats(self) -> Stats:
        """Nothing: each tape has a report of its own."""
        return Stats(interactions=0)

    def close(self, is_clean: bool) -> None:
        """Close what is still open; nobody has said that any of it succeeded."""
        while self._runs:
            self._runs.popitem()[1].finish(succeeded=False)
