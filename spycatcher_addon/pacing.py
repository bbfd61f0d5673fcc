"""When the pieces of a replayed answer are due.

Schedules are absolute: each piece has its own time after the request, so lateness never adds up. Knows no clock; chance
comes from a seed and the interaction's index, so a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from spycatcher_addon.cassette.model import NonStreamResponse, StreamResponse
from spycatcher_addon.choices import TimingMode
from spycatcher_addon.content_coding import ContentCodingError, stream_decoder
from spycatcher_addon.errors import StreamParseError
from spycatcher_addon.sse import SseParser

_JITTER_SIGMA = 0.25
"""Spread of the factor on each gap: with this, nine of ten gaps stay between 0.66 and 1.5 times the recorded one."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """The settings behind a schedule."""

    mode: TimingMode = TimingMode.OFF
    factor: float = 1.0
    """``scaled``: what recorded times are multiplied with; 0.5 is twice as fast."""
    seed: int = 0
    ttft_ms: float = 200.0
    """``fixed``: pause before the first piece."""
    tps: float = 50.0
    """``fixed``: pieces (for a plain answer: completion tokens) per second after it."""

    @property
    def is_off(self) -> bool:
        """Whether answers go out at once."""
        return self.mode is TimingMode.OFF

    def stream_due_ms(self, arrivals_ms: Sequence[int] | None, count: int, index: int) -> tuple[float, ...]:
        """Due times of the pieces of a stream, in milliseconds after the request.

        Args:
            arrivals_ms: When each piece came while it was recorded, never decreasing; ``None`` when the tape has no times.
            count: Number of pieces.
            index: Zero-based index of the interaction; makes its jitter its own.
        """
        match self.mode:
            case TimingMode.OFF:
                return (0.0,) * count
            case TimingMode.FIXED:
                return _steady(count, self.ttft_ms, self.tps)
            case TimingMode.CI:
                return _steady(count, 10.0, 500.0)
            case TimingMode.DEMO if arrivals_ms is None:
                return _jittered(_steady(count, 400.0, 30.0), Random(f"{self.seed}/{index}"))
            case _ if arrivals_ms is None:
                return (0.0,) * count
            case TimingMode.RECORDED:
                return tuple(map(float, arrivals_ms))
            case TimingMode.SCALED:
                return tuple(arrival * self.factor for arrival in arrivals_ms)
            case TimingMode.REALISTIC | TimingMode.DEMO:
                return _jittered(arrivals_ms, Random(f"{self.seed}/{index}"))

    def plain_due_ms(self, response: NonStreamResponse, duration_ms: int | None, index: int) -> float:
        """When a plain answer is due, whole: after the time it took while it was recorded, or would take at a steady rate.

        Args:
            duration_ms: How long the recorded answer took; ``None`` when the tape does not say.
            index: Zero-based index of the interaction; makes its jitter its own.
        """
        match self.mode:
            case TimingMode.OFF:
                return 0.0
            case TimingMode.FIXED:
                return _total_ms(response, self.ttft_ms, self.tps)
            case TimingMode.CI:
                return _total_ms(response, 10.0, 500.0)
            case TimingMode.DEMO if duration_ms is None:
                return _jittered((_total_ms(response, 400.0, 30.0),), Random(f"{self.seed}/{index}"))[0]
            case _ if duration_ms is None:
                return 0.0
            case TimingMode.RECORDED:
                return float(duration_ms)
            case TimingMode.SCALED:
                return duration_ms * self.factor
            case TimingMode.REALISTIC | TimingMode.DEMO:
                return _jittered((duration_ms,), Random(f"{self.seed}/{index}"))[0]


def cut_at_chunks(response: StreamResponse) -> tuple[bytes, ...]:
    """The transcript in the chunks it was received in; in one piece where the tape does not say."""
    transcript = response.raw_transcript
    if response.timing is None:
        return (transcript,) if transcript else ()
    bounds = [0, *(end for end, _ in response.timing.chunks)]
    chunks = [transcript[start:end] for start, end in pairwise(bounds)]
    return tuple(chunk for chunk in (*chunks, transcript[bounds[-1] :]) if chunk)


def chunk_arrivals_ms(response: StreamResponse) -> tuple[int, ...] | None:
    """When each piece of :func:`cut_at_chunks` came; ``None`` where the tape does not say."""
    if response.timing is None:
        return None
    transcript_bytes = len(response.raw_transcript)
    bounds = [0, *(min(end, transcript_bytes) for end, _ in response.timing.chunks)]
    times = [ms for (start, end), (_, ms) in zip(pairwise(bounds), response.timing.chunks, strict=True) if end > start]
    if bounds[-1] < transcript_bytes:
        times.append(times[-1] if times else 0)
    return _never_decreasing(times)


def event_arrivals_ms(response: StreamResponse) -> tuple[int, ...] | None:
    """When the chunk that completed each event came; ``None`` where the tape does not say.

    Reads the transcript again, through its content coding: only the recorded chunks know when an event was whole.
    """
    chunk_times = chunk_arrivals_ms(response)
    if chunk_times is None:
        return None
    parser = SseParser()
    times: list[int] = []
    try:
        decoder = stream_decoder(tuple((name, value) for name, value in response.headers if name.lower() == "content-encoding"))
        for chunk, ms in zip(cut_at_chunks(response), chunk_times, strict=True):
            times.extend([ms] * len(parser.feed(chunk if decoder is None else decoder.feed(chunk))))
    except (StreamParseError, ContentCodingError):
        pass  # bytes behind the end mark may be broken, and a hand may have written anything; events not found come last
    last = chunk_times[-1] if chunk_times else 0
    times.extend([last] * (len(response.events) - len(times)))
    return tuple(times[: len(response.events)])


def _steady(count: int, first_ms: float, per_second: float) -> tuple[float, ...]:
    return tuple(first_ms + 1000.0 * number / per_second for number in range(count))


def _total_ms(response: NonStreamResponse, first_ms: float, per_second: float) -> float:
    """When the last token of a plain answer would have come at a steady rate."""
    return first_ms + 1000.0 * _completion_tokens(response) / per_second


def _jittered(times: Sequence[float], chance: Random) -> tuple[float, ...]:
    due, before, jittered = 0.0, 0.0, []
    for time in times:
        due += (time - before) * chance.lognormvariate(0.0, _JITTER_SIGMA)
        before = time
        jittered.append(due)
    return tuple(jittered)


def _never_decreasing(times: Sequence[int]) -> tuple[int, ...]:
    """A hand may have written times that run backwards; a schedule cannot."""
    latest, kept = 0, []
    for time in times:
        latest = max(latest, time)
        kept.append(latest)
    return tuple(kept)


def _completion_tokens(response: NonStreamResponse) -> int:
    body = response.parsed_json
    usage = body.get("usage") if isinstance(body, dict) else None
    tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and tokens > 0 else 0
