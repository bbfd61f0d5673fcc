"""The hooks of both modes for where somebody looks at the flows: each tells its story, and none shows a secret."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from mitmproxy import http

from spycatcher_addon.cassette.model import Interaction, StreamResponse
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.conversion import observe_headers, observe_request
from spycatcher_addon.edge.mitm import LaneHooks, RecordHooks, ReplayHooks
from spycatcher_addon.edge.veil import Veil
from spycatcher_addon.exchange import ObservedRequest, ReplayResponse
from spycatcher_addon.known_values import known_values
from spycatcher_addon.outbound import inbound_target
from spycatcher_addon.recording import Recorder
from spycatcher_addon.redaction.rules import NO_RULES
from spycatcher_addon.replaying import ReplaySession
from spycatcher_addon.watching.masking import Masker
from spycatcher_addon.watching.story import (
    Outcome,
    Story,
    answered,
    compared_index,
    mismatched,
    not_recorded,
    recorded,
    resent,
)

logger = logging.getLogger("spycatcher_addon")


def masker_source(config: HarnessConfig, environ: Mapping[str, str], tape_rules: tuple[str, ...] = ()) -> Callable[[], Masker]:
    """What hides secrets from those who look; it follows the values in the environment, as recording does.

    Args:
        tape_rules: The rules that the replayed tape notes.
    """
    limit = config.limits.max_body_bytes
    if not config.ui.mask_secrets:
        unmasked = Masker(NO_RULES, limit)
        return lambda: unmasked
    make = lru_cache(maxsize=4)(lambda known: Masker(config.redaction.rules.with_known(known), limit))
    return lambda: make(known_values(config, environ, tape_rules))


class WatchedHooks(LaneHooks):
    """What watched hooks of both modes share."""

    wants_flows = True
    veil: Veil

    def begin_watching(self, masker: Callable[[], Masker]) -> None:
        """Prepare for flows; called once, before any comes."""
        self.veil = Veil(masker)
        self.stories: WeakKeyDictionary[http.HTTPFlow, Story] = WeakKeyDictionary()
        """What became of each flow, as far as it is known."""
        self.on_story: Callable[[http.HTTPFlow, Story], None] = lambda flow, story: None
        """Called when a story is known, or known better; perhaps while the flow is uncovered, so it must not be shown then."""
        self.on_change: Callable[[http.HTTPFlow], None] = lambda flow: None
        """Called when a flow has changed outside of a hook of its own."""
        self.counted: WeakSet[http.HTTPFlow] = WeakSet()
        """Flows that are sent once more by hand and, because somebody asked for it, recorded or consumed."""

    def cover(self, flow: http.HTTPFlow) -> None:
        self.veil.cover(flow)

    def lift(self, flow: http.HTTPFlow) -> None:
        self.veil.lift(flow)

    def was_answered(self, flow: http.HTTPFlow, answer: ReplayResponse) -> None:
        story = self.stories.get(flow)
        self.tell(flow, lambda: answered(answer, None) if story is None else replace(story, has_own_answer=True))
        self.on_change(flow)

    def tell(self, flow: http.HTTPFlow, make: Callable[[], Story]) -> None:
        """Note a story. Whatever goes wrong with it, the exchange goes on."""
        try:
            self.stories[flow] = made = make()
            self.on_story(flow, made)
        except Exception:
            logger.debug("an exchange could not be described", exc_info=True)

    def is_aside(self, flow: http.HTTPFlow) -> bool:
        """Whether a flow was sent once more by hand, and takes no part in the recording or the replay."""
        return flow.is_replay == "request" and flow not in self.counted

    def show_local_address(self, flow: http.HTTPFlow) -> None:
        """Name the address that the client used: the made-up one of the reverse proxy would tell nobody anything."""
        address = flow.client_conn.sockname
        if flow.is_replay or not address:
            return
        host, port = address[:2]
        authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        flow.request.data.host, flow.request.data.port = host, port
        flow.request.host_header = authority


class WatchedReplayHooks(WatchedHooks, ReplayHooks):
    """Replays, and says of each flow which interaction it came from, or what did not match."""

    def __init__(self, session: ReplaySession, max_body_bytes: int, masker: Callable[[], Masker]) -> None:
        super().__init__(session, max_body_bytes)
        self.begin_watching(masker)

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Name the address that the client used."""
        with self.veil.lifted(flow):
            self.show_local_address(flow)

    def request(self, flow: http.HTTPFlow) -> None:
        """Answer the request as it really came."""
        with self.veil.lifted(flow):
            super().request(flow)

    def answer(self, flow: http.HTTPFlow) -> ReplayResponse:
        observed = observe_request(flow.request, observe_headers(flow.request))
        is_aside = self.is_aside(flow)
        reply = self.session.answer_again(observed) if is_aside else self.session.handle(observed)
        self.tell(flow, lambda: self._story(observed, reply, is_aside))
        return reply

    def _story(self, observed: ObservedRequest, reply: ReplayResponse, is_aside: bool) -> Story:
        session = self.session
        if reply.interaction_index is not None:
            return answered(reply, session.interaction(reply.interaction_index), is_aside)
        # A mismatch has changed nothing, so looking once more finds the same.
        diagnostic = session.explain(observed) if reply.status == 409 else None
        if diagnostic is None:
            return answered(reply, None)
        index = compared_index(diagnostic)
        return mismatched(diagnostic, None if index is None else session.interaction(index))


class WatchedRecordHooks(WatchedHooks, RecordHooks):
    """Records, and says of each flow where on the tape it is, or why it is not."""

    def __init__(self, *arguments: Any, masker: Callable[[], Masker], first_index: int, **more: Any) -> None:
        """
        Args:
            first_index: Index of the first interaction that is recorded now.
        """
        super().__init__(*arguments, **more)
        self.begin_watching(masker)
        self._first_index = first_index
        self._sent_aside: WeakSet[http.HTTPFlow] = WeakSet()

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Note the client's real headers."""
        with self.veil.lifted(flow):
            super().requestheaders(flow)
            self.show_local_address(flow)

    def request(self, flow: http.HTTPFlow) -> None:
        """Send the real request on; one that is sent once more by hand without a recorder, unless it is to have one."""
        with self.veil.lifted(flow):
            if flow.is_replay == "request" and flow.response is None:
                path = flow.request.data.path.decode("latin-1")
                flow.request.data.path = inbound_target(self._target, path).encode("latin-1")
                self.send_or_refuse(flow)
                if self.is_aside(flow) and self._exchanges.pop(flow, None) is not None:
                    self._sent_aside.add(flow)
            else:
                super().request(flow)
            is_answered = flow.response is not None
        if is_answered and flow not in self.stories:
            self.tell(flow, lambda: Story(Outcome.HARNESS_ANSWER, "500 internal"))

    def _prepare(self, flow: http.HTTPFlow) -> ReplayResponse | None:
        refusal = super()._prepare(flow)
        if refusal is not None:
            self.tell(flow, lambda: answered(refusal, None))
        return refusal

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Note the answer's real head; its body is not shown before it has been searched for secrets."""
        with self.veil.lifted(flow):
            super().responseheaders(flow)
            if flow.response is not None and (flow in self._exchanges or flow in self._sent_aside):
                self.veil.withhold(flow.response)

    def take_whole_answer(self, flow: http.HTTPFlow) -> Recorder | None:
        with self.veil.lifted(flow):
            return super().take_whole_answer(flow)

    async def response(self, flow: http.HTTPFlow) -> None:
        """Put the finished exchange on the tape, then show the answer."""
        await super().response(flow)
        if flow in self._sent_aside:
            self._sent_aside.discard(flow)
            self.tell(flow, lambda: resent("not recorded"))
        await self._show_withheld(flow)

    async def error(self, flow: http.HTTPFlow) -> None:
        """An exchange broke; show how far its answer had come."""
        await super().error(flow)
        if flow in self._sent_aside:
            self._sent_aside.discard(flow)
            self.tell(flow, lambda: resent("no whole answer came, not recorded"))
        await self._show_withheld(flow)

    async def client_disconnected(self, client: Any) -> None:
        """End the exchanges of a client that left."""
        flows = [flow for flow in self._exchanges if flow.client_conn is client]
        await super().client_disconnected(client)
        for flow in flows:
            await self._show_withheld(flow)
            self.on_change(flow)

    def was_kept(self, flow: http.HTTPFlow, interaction: Interaction, index: int) -> None:
        response = interaction.response
        if flow.response is not None:
            body = response.raw_transcript if isinstance(response, StreamResponse) else response.body
            had_coding = "content-encoding" in flow.response.headers
            has_coding = any(name == "content-encoding" for name, _ in response.headers)
            self.veil.show_body(flow.response, body, is_decoded=had_coding and not has_coding)
        self.tell(flow, lambda: recorded(self._first_index + index, interaction))

    def was_not_kept(self, flow: http.HTTPFlow, recorder: Recorder, reason: str) -> None:
        if flow.response is not None and recorder.received and self.veil.withheld_body(flow.response) is None:
            self.veil.take_body(flow.response, recorder.received)
        self.tell(flow, lambda: not_recorded(reason))

    async def _show_withheld(self, flow: http.HTTPFlow) -> None:
        """Search a body that the tape has not, and show what may be shown of it; in a thread, as it may be long."""
        withheld = None if flow.response is None else self.veil.withheld_body(flow.response)
        if withheld is None or flow.response is None:
            return
        body, fields = withheld
        try:
            shown, rest = await asyncio.get_running_loop().run_in_executor(self._writing, self.veil.masker().body, body, fields)
        except Exception:
            logger.debug("an answer could not be searched, and is not shown", exc_info=True)
            return
        self.veil.show_body(flow.response, shown, is_decoded=len(rest) != len(fields))
