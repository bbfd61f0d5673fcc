"""The hooks: what mitmproxy tells us and what we tell it back, one class per mode. Carries bytes, decides nothing.

Replay fails closed three times over: every hook body is wrapped (an exception becomes a 500 answer), ``server_connect``
vetoes every connection, and the lazy connection strategy never dials before a request asks for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakKeyDictionary

from mitmproxy import http
from mitmproxy.connection import Connection
from mitmproxy.net.http.http1 import expected_http_body_size
from mitmproxy.proxy import layer
from mitmproxy.proxy.server import ConnectionHandler
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from spycatcher_addon import answers
from spycatcher_addon.cassette.model import FailureKind, Interaction
from spycatcher_addon.config import AuthScheme, LimitsConfig, UpstreamConfig
from spycatcher_addon.edge import fast_lane, lanes
from spycatcher_addon.edge.clock import utc_now
from spycatcher_addon.edge.conversion import (
    Outgoing,
    observe_headers,
    observe_request,
    observe_response_head,
    plan_outgoing,
    to_flow_response,
)
from spycatcher_addon.edge.direct_reading import read_directly
from spycatcher_addon.edge.patience import Patience
from spycatcher_addon.edge.wire import WireAnswer, prepare_wire
from spycatcher_addon.errors import HarnessError, HarnessIOError
from spycatcher_addon.exchange import ObservedRequest, RawHeaders, ReplayResponse
from spycatcher_addon.headers import select_forwarded_response
from spycatcher_addon.outbound import outbound_headers, outbound_path, parse_target, usable_key
from spycatcher_addon.recording import NotRecorded, Recorder, RecordingPolicy
from spycatcher_addon.replaying import ReplaySession, refuse_unrouted
from spycatcher_addon.upstream_failure import describe_failure

logger = logging.getLogger("spycatcher_addon")


_BAD_ENDS = {
    FailureKind.CUT: "the upstream cut the body",
    FailureKind.RESET: "the upstream reset the connection",
    FailureKind.TIME_OUT: "the upstream fell silent for too long",
}
_CLIENT_LEFT = "not recorded: the client left before its answer was complete"


class LaneHooks:
    """What both modes share: installing the lane, and knowing which client connections are busy."""

    wants_flows = False
    """Whether somebody looks at the flows: then every exchange has to be one, and secrets are covered in it."""

    def __init__(self, max_body_bytes: int) -> None:
        self.max_body_bytes = max_body_bytes
        self.connect_timeout_s = self.total_timeout_s = self.idle_timeout_s = float("inf")
        self.connections: Mapping[object, ConnectionHandler] = {}
        """Live client connections by client id; whoever hosts these hooks puts them here."""
        self.on_idle: Callable[[str], None] | None = None
        """Called with a client id when the last running exchange of that connection has ended."""
        self._active: dict[str, int] = {}
        self.limits = LimitsConfig()
        self._patience: Patience | None = None

    def client_connected(self, client: Connection) -> None:
        """Wait for its first request, but not for ever."""
        if self._patience is None:
            self._patience = Patience(self.limits.header_timeout_s, self.limits.idle_timeout_s, self._hang_up)
        self._patience.await_request(client.id)

    def client_disconnected(self, client: Connection) -> Awaitable[None] | None:
        """Nothing is waited for any more."""
        if self._patience is not None:
            self._patience.forget(client.id)
        return None

    def _hang_up(self, client_id: str) -> None:
        handler = self.connections.get(client_id)
        transport = None if handler is None else handler.transports.get(handler.client)
        if transport is not None and transport.handler is not None:
            transport.handler.cancel("the client sent no request")

    def next_layer(self, next_layer: layer.NextLayer) -> None:
        """Swap mitmproxy's HTTP layer, once its own add-on has chosen it, for ours."""
        lanes.install(next_layer, self)

    @property
    def is_stopping(self) -> bool:
        """Whether the host has begun to end connections."""
        return self.on_idle is not None

    def is_busy(self, client_id: str) -> bool:
        """Whether an exchange is running on this client connection."""
        return client_id in self._active

    def head_began(self, client_id: str) -> None:
        if self._patience is not None:
            self._patience.await_head(client_id)

    def exchange_began(self, client_id: str) -> None:
        self._active[client_id] = self._active.get(client_id, 0) + 1
        if self._patience is not None:
            self._patience.forget(client_id)

    def exchange_ended(self, client_id: str) -> None:
        running = self._active.pop(client_id, 0) - 1
        if running > 0:
            self._active[client_id] = running
        else:
            if self._patience is not None:
                self._patience.await_request(client_id)
            if self.on_idle is not None:
                self.on_idle(client_id)

    def _client_writer(self, client: Connection) -> asyncio.StreamWriter | None:
        handler = self.connections.get(client.id)
        writer = handler.transports[client].writer if handler and client in handler.transports else None
        return writer if isinstance(writer, asyncio.StreamWriter) else None

    def reset_client(self, client: Connection) -> None:
        writer = self._client_writer(client)
        if writer is not None:
            linger_none = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_none)

    def was_reset(self, client: Connection, server: Connection) -> bool:
        handler = self.connections.get(client.id)
        reader = handler.transports[server].reader if handler and server in handler.transports else None
        return isinstance(reader, asyncio.StreamReader) and reader.exception() is not None

    def is_streaming(self, flow: http.HTTPFlow) -> bool:
        return False

    def client_left(self, flow: http.HTTPFlow) -> None:
        pass

    def take_outgoing(self, flow: http.HTTPFlow) -> Outgoing | None:
        return None

    def partial_body(self, flow: http.HTTPFlow, body: bytes) -> None:
        pass

    def breaks_off(self, flow: http.HTTPFlow) -> bool:
        return False

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse:
        raise NotImplementedError

    def cover(self, flow: http.HTTPFlow) -> None:
        pass

    def lift(self, flow: http.HTTPFlow) -> None:
        pass

    def was_answered(self, flow: http.HTTPFlow, answer: ReplayResponse) -> None:
        pass


class ReplayHooks(LaneHooks):
    """Answers every request from a session, and lets nothing through to any network."""

    def __init__(self, session: ReplaySession, max_body_bytes: int) -> None:
        super().__init__(max_body_bytes)
        self.session = session
        self._outgoing: WeakKeyDictionary[http.HTTPFlow, Outgoing] = WeakKeyDictionary()
        self._interactions: WeakKeyDictionary[http.HTTPFlow, int] = WeakKeyDictionary()
        """Which interaction each flow is answered from; kept only where it matters, for the reactions to faults."""
        self.has_fast_lane = True
        """Whether ordinary requests may be answered without a flow; somebody who wants flows sets it to false."""
        self.answers_on_wire = 0
        """How many requests the fast lane has answered."""

    def next_layer(self, next_layer: layer.NextLayer) -> None:
        """Choose the lane of a connection."""
        if self.has_fast_lane and not self.wants_flows and fast_lane.install(next_layer, self):
            return
        super().next_layer(next_layer)

    def answer_on_wire(self, request: ObservedRequest) -> WireAnswer:
        try:
            self.answers_on_wire += 1
            return prepare_wire(self.session.handle(request))
        except Exception as error:
            return self.wire_for_error(error)

    def wire_for_error(self, error: Exception) -> WireAnswer:
        return prepare_wire(_answer_to_failure(error))

    def read_directly(self, lane: fast_lane.FastLane, client: Connection) -> fast_lane.Caller | None:
        handler = self.connections.get(client.id)
        return None if handler is None else read_directly(lane, handler, client)

    def unsent_bytes(self, client: Connection) -> int:
        writer = self._client_writer(client)
        return 0 if writer is None else writer.transport.get_write_buffer_size()

    def hold_reading(self, client: Connection, is_held: bool) -> None:
        writer = self._client_writer(client)
        if writer is not None and isinstance(writer.transport, asyncio.ReadTransport):
            if is_held:
                writer.transport.pause_reading()
            else:
                writer.transport.resume_reading()

    def left_wire(self, wire: WireAnswer) -> None:
        self._note_client_left(wire.interaction_index)

    def request(self, flow: http.HTTPFlow) -> None:
        """Answer the request; whatever goes wrong in doing so is a 500, never a way through."""
        try:
            reply = self.answer(flow)
            outgoing = plan_outgoing(reply, flow.request)
            response = to_flow_response(reply, flow.request)
            if self.session.faults is not None and reply.interaction_index is not None:
                self._interactions[flow] = reply.interaction_index
        except Exception as error:  # fail closed: mitmproxy would log it and go on to the upstream
            outgoing, response = None, to_flow_response(_answer_to_failure(error), flow.request)
        flow.response = response
        if outgoing is not None:
            self._outgoing[flow] = outgoing

    def answer(self, flow: http.HTTPFlow) -> ReplayResponse:
        """What the session says to a flow's request."""
        return self.session.handle(observe_request(flow.request, observe_headers(flow.request)))

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Veto: no upstream exists in replay."""
        data.server.error = "replay never connects to an upstream"

    def take_outgoing(self, flow: http.HTTPFlow) -> Outgoing | None:
        return self._outgoing.pop(flow, None)

    def client_left(self, flow: http.HTTPFlow) -> None:
        self._note_client_left(self._interactions.get(flow))

    def _note_client_left(self, index: int | None) -> None:
        # Once the harness is being stopped, it is not the client's doing.
        if self.session.faults is not None and index is not None and not self.is_stopping:
            self.session.faults.note_client_left(index)

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse:
        return answers.internal("replay")


def _answer_to_failure(error: Exception) -> ReplayResponse:
    """Tell the log what went wrong inside the harness, and give the client the answer that says that something did."""
    logger.error("replay failed inside the harness; answered 500 (%s)", type(error).__name__)
    logger.debug("replay failed inside the harness", exc_info=error)
    return answers.internal("replay")


@dataclass(slots=True)
class RecordCounts:
    """How the exchanges of a recording ended."""

    recorded: int = 0
    failed: int = 0
    """Broken, invalid or unwritable: answered as well as possible, not recorded."""
    abandoned: int = 0
    """The client left before its answer was complete."""
    refused: int = 0
    """Answered by the harness itself: 404, 405, missing credentials."""
    kept_failures: int = 0
    """Put on the tape as the failures they were."""
    error_statuses: int = 0
    """Recorded answers with a status of 400 or above that was not announced as expected."""


@dataclass(slots=True, eq=False)
class _Exchange:
    """One exchange on its way through the recorder."""

    recorder: Recorder
    sent_at_s: float
    """``time.monotonic()`` just before the request went upstream."""
    does_client_speak_chunks: bool
    """False for HTTP/1.0, which ends such a body by closing, and for HTTP/2, which has frames of its own."""
    has_client_left: bool = False
    is_close_delimited: bool = False
    is_teed: bool = False

    def elapsed_ms(self) -> int:
        return int((time.monotonic() - self.sent_at_s) * 1000)


class InteractionSink(Protocol):
    """Where finished interactions go; both calls may block, and may come from another thread."""

    def append(self, interaction: Interaction) -> None:
        """Take one interaction; return when it is safe.

        Raises:
            HarnessError: It could not be kept.
        """

    def close(self) -> None:
        """No more will come. A second call does nothing."""


class RecordHooks(LaneHooks):
    """Sends the one kind of request it knows upstream, and keeps what came back."""

    def __init__(
        self,
        writer: InteractionSink,
        upstream: UpstreamConfig,
        policy: RecordingPolicy,
        environ: Mapping[str, str] = os.environ,
        known_values: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """Prepare for exchanges.

        Args:
            known_values: Gives the values that must not reach the tape, anew for each exchange.
        """
        super().__init__(policy.max_body_bytes)
        self.connect_timeout_s = upstream.connect_timeout_s
        self.total_timeout_s = upstream.total_timeout_s
        self.idle_timeout_s = upstream.idle_timeout_s
        self.counts = RecordCounts()
        self._writer = writer
        self._upstream = upstream
        self._target = parse_target(upstream.base_url)
        self._policy = policy
        self._environ = environ
        self._known_values = known_values
        self._started_at_s = time.monotonic()
        self._inbound_headers: WeakKeyDictionary[http.HTTPFlow, RawHeaders] = WeakKeyDictionary()
        self._exchanges: WeakKeyDictionary[http.HTTPFlow, _Exchange] = WeakKeyDictionary()
        # One thread: interactions are appended one at a time, in the order their answers were complete.
        self._writing = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spycatcher-tape")

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Note the client's headers before mitmproxy answers ``expect`` and takes it out."""
        self._inbound_headers[flow] = observe_headers(flow.request)

    def request(self, flow: http.HTTPFlow) -> None:
        """Refuse what is not ours; otherwise note the request and make the outbound one of it."""
        if flow.is_replay or flow.response is not None:
            return
        self.send_or_refuse(flow)

    def send_or_refuse(self, flow: http.HTTPFlow) -> None:
        """Make the outbound request of a flow's request, or answer it; whatever goes wrong in doing so is a 500."""
        try:
            refusal = self._prepare(flow)
        except Exception as error:  # fail closed: an unprepared request must not travel with the client's own headers
            logger.error("recording failed inside the harness; answered 500 (%s)", type(error).__name__)
            logger.debug("recording failed inside the harness", exc_info=True)
            self.counts.failed += 1
            self._exchanges.pop(flow, None)
            refusal = answers.internal("record")
        if refusal is not None:
            flow.response = to_flow_response(refusal, flow.request)

    def _prepare(self, flow: http.HTTPFlow) -> ReplayResponse | None:
        headers = self._inbound_headers.pop(flow, None)
        observed = observe_request(flow.request, observe_headers(flow.request) if headers is None else headers)
        protocol = refuse_unrouted(observed)
        if isinstance(protocol, ReplayResponse):
            self.counts.refused += 1
            return protocol
        key = None
        if self._upstream.auth is not AuthScheme.NONE:
            key = usable_key(self._environ.get(self._upstream.api_key_env))
            if key is None and self._upstream.api_key_required:
                self.counts.refused += 1
                return answers.upstream_credentials_missing()
        offset_ms = int((time.monotonic() - self._started_at_s) * 1000)
        if not flow.client_conn.connected:
            self.counts.abandoned += 1
            logger.warning(_CLIENT_LEFT)
            return answers.internal("record", "nobody is there to read this")
        recorder = Recorder(observed, protocol, self._policy, offset_ms, self._known_values())
        fields = outbound_headers(observed, self._upstream.auth, key, self._upstream.extra_headers)
        path = outbound_path(self._target, protocol.upstream_path, flow.request.data.path.partition(b"?")[2].decode("latin-1"))
        speaks_chunks = not flow.request.is_http2 and flow.request.data.http_version != b"HTTP/1.0"
        self._send_upstream(flow.request, path, fields)
        self._exchanges[flow] = _Exchange(recorder, time.monotonic(), speaks_chunks)
        return None

    def _send_upstream(self, request: http.Request, path: str, fields: RawHeaders) -> None:
        """Turn the flow's request into the outbound one. Sets the raw data: the properties would rewrite each other."""
        target = self._target
        authority = target.authority.encode("idna" if not target.authority.isascii() else "ascii")
        length = (b"content-length", b"%d" % len(request.raw_content or b""))
        data = request.data
        data.host, data.port, data.scheme = target.host, target.port, target.scheme.encode("ascii")
        data.path = path.encode("latin-1")
        data.trailers = None
        if request.is_http2:
            data.authority = authority
            data.headers = http.Headers((*fields, length))
        else:
            data.authority = b""
            data.http_version = b"HTTP/1.1"
            data.headers = http.Headers(((b"Host", authority), *fields, length))

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Allow the configured upstream and nothing else."""
        if data.server.address is None or tuple(data.server.address[:2]) != (self._target.host, self._target.port):
            data.server.error = "recording connects to the configured upstream only"

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Note the answer's head as it came, then make the head the client gets; start the tee for a stream."""
        exchange = self._exchanges.get(flow)
        if exchange is None or flow.response is None:
            return
        response = flow.response
        observed = observe_response_head(response)
        exchange.recorder.response_started(observed)
        size = expected_http_body_size(flow.request, response)
        exchange.is_close_delimited = size == -1 and not response.is_http2
        fields = list(select_forwarded_response(observed.headers))
        if exchange.recorder.is_stream_shaped and size != 0:
            exchange.is_teed = True
            if exchange.does_client_speak_chunks:
                fields.append((b"transfer-encoding", b"chunked"))
            response.stream = self._tee(exchange)
        elif size == 0 and response.status_code not in (204, 304):
            fields.append((b"content-length", b"0"))
        response.headers = http.Headers(fields)
        if not 100 <= response.status_code <= 599:
            response.status_code, response.reason = 502, "Bad Gateway"

    def _tee(self, exchange: _Exchange) -> Callable[[bytes], bytes]:
        def tee(chunk: bytes) -> bytes:
            if chunk:
                try:
                    exchange.recorder.feed(chunk, exchange.elapsed_ms())
                except Exception as error:  # if this raised, mitmproxy would drop the chunk and hang the client
                    logger.error("the recorder failed on a chunk; the stream goes on unrecorded (%s)", type(error).__name__)
                    exchange.recorder.give_up(f"the recorder failed on a chunk ({type(error).__name__})")
            return chunk

        return tee

    async def response(self, flow: http.HTTPFlow) -> None:
        """Put the finished exchange on the tape; mitmproxy sends the answer's end only after this returns."""
        recorder = self.take_whole_answer(flow)
        if recorder is not None:
            await self._store(flow, recorder, recorder.finish)

    def take_whole_answer(self, flow: http.HTTPFlow) -> Recorder | None:
        """The recorder of an exchange whose answer is complete, with all of it; ``None`` for what is not recorded."""
        exchange = self._exchanges.pop(flow, None)
        if exchange is None or flow.response is None:
            return None
        if not exchange.is_teed:
            body = flow.response.raw_content or b""
            if body:
                exchange.recorder.feed(body, exchange.elapsed_ms())
            if flow.response.status_code not in (204, 304):
                flow.response.headers["content-length"] = str(len(body))
        return exchange.recorder

    async def error(self, flow: http.HTTPFlow) -> None:
        """An exchange broke. It is kept if it was a stream whose own end mark had come whole, or if failures are to be kept."""
        exchange = self._exchanges.pop(flow, None)
        reason = flow.error.msg if flow.error else "unknown error"
        is_client_lost = reason.startswith(("Client disconnected", "stream reset by client"))
        if exchange is not None:
            exchange.has_client_left = exchange.has_client_left or is_client_lost
            await self._end_badly(flow, exchange, reason)
        elif is_client_lost and self._inbound_headers.pop(flow, None) is not None:
            # It was gone before its request, though whole, had its turn.
            self.counts.abandoned += 1
            logger.warning(_CLIENT_LEFT)

    async def client_disconnected(self, client: Connection) -> None:
        """End the exchanges of a client that left while mitmproxy was busy with something else and so never said so."""
        super().client_disconnected(client)
        for flow in [flow for flow in self._exchanges if flow.client_conn is client]:
            exchange = self._exchanges.pop(flow)
            exchange.has_client_left = True
            await self._end_badly(flow, exchange, "the client left")

    async def _end_badly(self, flow: http.HTTPFlow, exchange: _Exchange, reason: str) -> None:
        recorder = exchange.recorder
        if exchange.is_teed and recorder.saw_last_event:
            await self._store(flow, recorder, recorder.finish_after_last_event)
        elif self._policy.keeps_failures and recorder.status is not None:
            kind = _failure_kind(exchange, reason)
            await self._store(flow, recorder, lambda recorded_at: recorder.finish_failed(kind, recorded_at))
        elif exchange.has_client_left:
            self.counts.abandoned += 1
            logger.warning(_CLIENT_LEFT)
            self.was_not_kept(flow, recorder, "the client left before its answer was complete")
        else:
            self.counts.failed += 1
            # A TCP connection says nothing of the TLS handshake, which the same limit ends.
            is_connecting = flow.server_conn.timestamp_tcp_setup is None or reason == lanes.CONNECT_TIMED_OUT
            cause = describe_failure(reason, is_connecting)
            logger.warning("NOT RECORDED: the upstream failed: %s", cause)
            logger.debug("the upstream failed: %s", reason)
            if recorder.status is None:
                self.was_not_kept(flow, recorder, f"the upstream failed, {cause}")
            else:
                self.was_not_kept(flow, recorder, _BAD_ENDS[_failure_kind(exchange, reason)])

    def was_kept(self, flow: http.HTTPFlow, interaction: Interaction, index: int) -> None:
        """An exchange is on the tape; ``index`` counts from the first one of this recording."""

    def was_not_kept(self, flow: http.HTTPFlow, recorder: Recorder, reason: str) -> None:
        """An exchange that went upstream has ended and is not on the tape."""

    async def _store(self, flow: http.HTTPFlow, recorder: Recorder, finish: Callable[[str], Interaction | NotRecorded]) -> None:
        """Build the interaction and append it, both in the writing thread."""
        recorded_at = utc_now()

        def build_and_append() -> Interaction | NotRecorded:
            outcome = finish(recorded_at)
            if not isinstance(outcome, NotRecorded):
                self._writer.append(outcome)
            return outcome

        try:
            outcome = await asyncio.get_running_loop().run_in_executor(self._writing, build_and_append)
        except HarnessError as error:
            self.counts.failed += 1
            detail = error.source if isinstance(error, HarnessIOError) else str(error)
            logger.error("NOT RECORDED: the cassette could not be written: %s", detail)
            self.was_not_kept(flow, recorder, "the cassette could not be written")
            return
        except Exception as error:  # the client must get its answer whatever happens to the tape
            self.counts.failed += 1
            logger.error("NOT RECORDED: the recorder failed (%s)", type(error).__name__)
            logger.debug("the recorder failed", exc_info=True)
            self.was_not_kept(flow, recorder, "the recorder failed")
            return
        for warning in recorder.warnings:
            logger.warning("%s", warning)
        if isinstance(outcome, NotRecorded):
            self.counts.failed += 1
            logger.warning("NOT RECORDED: %s", outcome.reason)
            self.was_not_kept(flow, recorder, outcome.reason)
            return
        self.was_kept(flow, outcome, self.counts.recorded + self.counts.kept_failures)
        if outcome.failure is not None:
            self.counts.kept_failures += 1
            logger.warning("kept as a failure; replay passes it over unless replay.include_failures is set (%s)", outcome.failure)
            return
        self.counts.recorded += 1
        if recorder.status is not None and recorder.status >= 400 and recorder.status not in self._policy.expected_statuses:
            self.counts.error_statuses += 1
            logger.warning("recorded an answer with error status %d", recorder.status)

    @property
    def longest_silence_s(self) -> int:
        """How long a connection may be silent before mitmproxy's own watchdog may end it: later than our time limits do."""
        return int(max(self.total_timeout_s, self.idle_timeout_s, self.connect_timeout_s)) + 60

    def close(self) -> None:
        """Finish pending writes and let go of the tape. Idempotent; exchanges that end later are not recorded."""
        self._writing.shutdown(wait=True)
        self._writer.close()

    def is_streaming(self, flow: http.HTTPFlow) -> bool:
        exchange = self._exchanges.get(flow)
        return exchange is not None and exchange.recorder.is_stream_shaped

    def client_left(self, flow: http.HTTPFlow) -> None:
        exchange = self._exchanges.get(flow)
        if exchange is not None:
            exchange.has_client_left = True

    def partial_body(self, flow: http.HTTPFlow, body: bytes) -> None:
        exchange = self._exchanges.get(flow)
        # Of a stream each chunk was fed as it came.
        if exchange is not None and self._policy.keeps_failures and not exchange.is_teed:
            exchange.recorder.feed(body, exchange.elapsed_ms())

    def breaks_off(self, flow: http.HTTPFlow) -> bool:
        exchange = self._exchanges.get(flow)
        return exchange is not None and exchange.is_close_delimited and exchange.recorder.ends_inside_event

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse:
        return answers.upstream_request_failed(describe_failure(message, is_connecting=phase == "connect"))


def _failure_kind(exchange: _Exchange, reason: str) -> FailureKind:
    if exchange.has_client_left:
        return FailureKind.CLIENT_LEFT
    if reason.startswith(lanes.TIMED_OUT):
        return FailureKind.TIME_OUT
    return FailureKind.RESET if reason == lanes.UPSTREAM_RESET else FailureKind.CUT
