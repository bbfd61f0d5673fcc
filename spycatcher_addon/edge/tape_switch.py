"""The add-on behind ``auto`` and the tape server: gives each exchange to the tape it is for, and vetoes everything else.

A replayed tape cannot reach an upstream through here: a connection is allowed only to the upstream of an exchange that a
recording tape has just sent there on the same client connection.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from mitmproxy import http
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from spycatcher_addon import answers
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.conversion import Outgoing, to_flow_response
from spycatcher_addon.edge.mitm import LaneHooks
from spycatcher_addon.edge.tape_run import TapeRun
from spycatcher_addon.exchange import ReplayResponse

logger = logging.getLogger("spycatcher_addon")

type Choose = Callable[[http.HTTPFlow], TapeRun | ReplayResponse]


class TapeSwitch(LaneHooks):
    """Hooks that stand in front of any number of tapes."""

    def __init__(self, config: HarnessConfig, choose: Choose, runs: Callable[[], Iterable[TapeRun]]) -> None:
        """
        Args:
            config: Its limits and time-outs hold for all tapes.
            choose: Finds the tape of a request, of which only the head has come yet, and removes from it whatever named
                the tape; or gives the answer that says there is none.
            runs: All tapes in use.
        """
        super().__init__(config.limits.max_body_bytes)
        self.limits = config.limits
        if config.upstream is not None:
            self.connect_timeout_s = config.upstream.connect_timeout_s
            self.total_timeout_s = config.upstream.total_timeout_s
            self.idle_timeout_s = config.upstream.idle_timeout_s
        self._choose = choose
        self._runs = runs
        self._chosen: WeakKeyDictionary[http.HTTPFlow, TapeRun] = WeakKeyDictionary()
        self._refused: WeakKeyDictionary[http.HTTPFlow, ReplayResponse] = WeakKeyDictionary()

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Choose the tape."""
        chosen = self._choose(flow)
        if isinstance(chosen, TapeRun):
            self._chosen[flow] = chosen
            chosen.requestheaders(flow)
        else:
            self._refused[flow] = chosen

    def request(self, flow: http.HTTPFlow) -> None:
        """Hand the request to its tape; whatever goes wrong is an answer, never a way through."""
        run = self._chosen.get(flow)
        if run is not None:
            try:
                run.request(flow)
                return
            except Exception as error:
                logger.error("the request could not be given to its cassette; answered 500 (%s)", type(error).__name__)
                logger.debug("the request could not be given to its tape", exc_info=True)
        refusal = self._refused.pop(flow, None) or answers.internal("replay")
        flow.response = to_flow_response(refusal, flow.request)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Pass on."""
        if (run := self._chosen.get(flow)) is not None:
            run.responseheaders(flow)

    async def response(self, flow: http.HTTPFlow) -> None:
        """Pass on."""
        if (run := self._chosen.get(flow)) is not None:
            await run.response(flow)

    async def error(self, flow: http.HTTPFlow) -> None:
        """Pass on."""
        if (run := self._chosen.get(flow)) is not None:
            await run.error(flow)

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Veto every connection but the ones a recording has asked for."""
        if not any(run.is_upstream_of(data) for run in self._runs()):
            data.server.error = "only a tape that records connects to its upstream"

    def _hooks_of(self, flow: http.HTTPFlow) -> LaneHooks | None:
        run = self._chosen.get(flow)
        return None if run is None else run.hooks_of(flow)

    def is_streaming(self, flow: http.HTTPFlow) -> bool:
        hooks = self._hooks_of(flow)
        return hooks is not None and hooks.is_streaming(flow)

    def client_left(self, flow: http.HTTPFlow) -> None:
        if (hooks := self._hooks_of(flow)) is not None:
            hooks.client_left(flow)

    def take_outgoing(self, flow: http.HTTPFlow) -> Outgoing | None:
        hooks = self._hooks_of(flow)
        return None if hooks is None else hooks.take_outgoing(flow)

    def partial_body(self, flow: http.HTTPFlow, body: bytes) -> None:
        if (hooks := self._hooks_of(flow)) is not None:
            hooks.partial_body(flow, body)

    def breaks_off(self, flow: http.HTTPFlow) -> bool:
        hooks = self._hooks_of(flow)
        return hooks is not None and hooks.breaks_off(flow)

    def cover(self, flow: http.HTTPFlow) -> None:
        if (hooks := self._hooks_of(flow)) is not None:
            hooks.cover(flow)

    def lift(self, flow: http.HTTPFlow) -> None:
        if (hooks := self._hooks_of(flow)) is not None:
            hooks.lift(flow)

    def was_answered(self, flow: http.HTTPFlow, answer: ReplayResponse) -> None:
        if (hooks := self._hooks_of(flow)) is not None:
            hooks.was_answered(flow, answer)

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse:
        answers_of_recorders = (run.answer_for_failure(message, phase) for run in self._runs())
        return next((answer for answer in answers_of_recorders if answer is not None), answers.internal("replay"))
