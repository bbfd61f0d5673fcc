"""Checks of a recorded stream: its events against its transcript, and its times against both."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from spycatcher_addon.cassette.model import DataEvent, Interaction, StreamEvent, StreamResponse, Timing
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.errors import StreamParseError
from spycatcher_addon.protocols import PROTOCOLS
from spycatcher_addon.sse import SseParser
from spycatcher_addon.verifying.findings import Finding, Path, finding

_EVENTS: Path = ("response", "events")
_TRANSCRIPT: Path = ("response", "raw_transcript")
_CHUNKS: Path = ("response", "timing", "chunks")


def check_stream(response: StreamResponse, interaction: Interaction) -> Iterator[Finding]:
    """Check the answer of an interaction that is a stream."""
    for number, event in enumerate(response.events):
        if "\r" in (event.raw if isinstance(event, DataEvent) else event.text):
            yield finding("event-carriage-return", (*_EVENTS, number), event=number)
    yield from _check_transcript(response, interaction)
    if response.timing is not None:
        yield from _check_timing(response.timing, len(response.raw_transcript))


def _check_transcript(response: StreamResponse, interaction: Interaction) -> Iterator[Finding]:
    transcript = decode_body(response.raw_transcript, response.headers)
    if transcript is None:
        # A coding that cannot be undone was noted when the stream was recorded: no events, every byte.
        if response.events:
            yield finding("transcript-unreadable", _TRANSCRIPT, problem="content-encoding")
        return
    parsed, problem = _parse_events(transcript)
    if problem is not None and interaction.failure is None and not _has_last_event(parsed):
        yield finding("transcript-unreadable", _TRANSCRIPT, problem=problem)
    for number, (stored, again) in enumerate(zip(response.events, parsed, strict=False)):
        if stored != again:
            yield finding("events-mismatch", (*_EVENTS, number), event=number)
            return
    if len(parsed) != len(response.events):
        yield finding("events-count", _EVENTS, events=len(response.events), parsed=len(parsed))


def _parse_events(transcript: bytes) -> tuple[list[StreamEvent], str | None]:
    """The events of a transcript up to its end or first broken place, and what is wrong there."""
    parser = SseParser()
    events: list[StreamEvent] = []
    try:
        events += parser.feed(transcript)
        events += parser.finish()
    except StreamParseError as error:
        return events, str(error)
    return events, None


def _has_last_event(events: Collection[StreamEvent]) -> bool:
    """Whether an end mark came: such a stream is complete, whatever follows the mark."""
    return any(protocol.is_last_event(event) for protocol in PROTOCOLS for event in events)


def _check_timing(timing: Timing, length: int) -> Iterator[Finding]:
    if not timing.chunks:
        return
    for number, ((end, ms), (next_end, next_ms)) in enumerate(pairwise(timing.chunks), 1):
        if next_end < end:
            yield finding("chunks-order", (*_CHUNKS, number), chunk=number)
        if next_ms < ms:
            yield finding("chunks-time", (*_CHUNKS, number), chunk=number)
    last_end, first_ms = timing.chunks[-1][0], timing.chunks[0][1]
    if last_end != length:
        yield finding("chunks-end", (*_CHUNKS, len(timing.chunks) - 1), end=last_end, length=length)
    if first_ms < timing.ttft_ms:
        yield finding("chunks-ttft", (*_CHUNKS, 0), first_ms=first_ms, ttft_ms=timing.ttft_ms)
