"""Faults change what they say and nothing else, and can be repeated."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from spycatcher_addon.cassette.jsontext import NotJsonError, parse_json
from spycatcher_addon.cassette.model import CommentEvent, DataEvent
from spycatcher_addon.event_frames import event_frames
from spycatcher_addon.exchange import Delivery, Ending, ReplayResponse
from spycatcher_addon.fault_effects import NotApplicableError, apply_fault
from spycatcher_addon.fault_rules import FaultRule, parse_fault_rules
from spycatcher_addon.faults import FaultPlan
from spycatcher_addon.sse import SseParser

LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
LINES = st.sampled_from(
    [
        'data: {"a":1}',
        "data:[1]",
        "data: é",
        "data",
        "",
        "",
        "",
        ": ping",
        ":",
        "id: 7",
        "event: e",
        "retry: 3",
        "x: y",
        "data: [DONE]",
        "☕",
    ]
)


@st.composite
def transcripts(draw: st.DrawFn) -> bytes:
    """Streams with every kind of line and every mix of line ends, not all of them whole."""
    lines = draw(st.lists(st.tuples(LINES, LINE_ENDS), max_size=30))
    tail = draw(st.sampled_from(["", "data: unfinished"]))
    return ("".join(line + end for line, end in lines) + tail).encode()


@st.composite
def streams(draw: st.DrawFn) -> ReplayResponse:
    """A replayed stream, cut anywhere, with or without a schedule."""
    transcript = draw(transcripts())
    cuts = sorted(draw(st.sets(st.integers(1, max(len(transcript) - 1, 1)), max_size=8)))
    bounds = [0, *(cut for cut in cuts if cut < len(transcript)), len(transcript)]
    pieces = tuple(transcript[start:end] for start, end in zip(bounds, bounds[1:], strict=False) if end > start)
    due_ms = tuple(sorted(draw(st.lists(st.floats(0, 1000), min_size=len(pieces), max_size=len(pieces)))))
    delivery = draw(st.sampled_from([None, Delivery(due_ms, ending_due_ms=due_ms[-1] if due_ms else 0.0)]))
    return ReplayResponse(200, (("content-type", "text/event-stream"),), pieces, interaction_index=0, is_stream=True, delivery=delivery)


COUNTS = st.integers(0, 6)
RULES = st.one_of(
    st.builds("delay_ms={}".format, COUNTS),
    st.builds("stall,after_events={}".format, COUNTS),
    st.builds("stall,after_bytes={}".format, COUNTS),
    st.builds("cut_after_events={},ending={}".format, COUNTS, st.sampled_from(["clean", "unfinished", "reset"])),
    st.builds("cut_after_bytes={},ending={}".format, COUNTS, st.sampled_from(["clean", "unfinished", "reset"])),
    st.builds("duplicate_event={}".format, COUNTS),
    st.builds("drop_event={}".format, COUNTS),
    st.builds("corrupt_event={}".format, COUNTS),
    st.sampled_from(["split_utf8", "refuse", "status=429,retry_after_s=1", "status=500"]),
)


def parsed(text: str) -> FaultRule:
    (rule,) = parse_fault_rules([text])
    return rule


def events_of(body: bytes) -> list[CommentEvent | DataEvent]:
    return list(SseParser().feed(body))


@given(transcripts())
def test_frames_are_those_of_the_parser(transcript: bytes) -> None:
    parser = SseParser()
    events = parser.feed(transcript)
    frames = event_frames(transcript)
    if transcript.endswith(b"\r"):
        # The parser waits for a line feed that may follow; the frames are those of a body that is over.
        assume(len(frames) == len(events))
    assert len(frames) == len(events)
    spans = sorted((span.start, span.end) for frame in frames for span in frame)
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False)), "frames overlap"
    for event, frame, end in zip(events, frames, parser.event_end_offsets, strict=True):
        assert frame[-1].end == end or (isinstance(event, CommentEvent) and transcript[end : frame[-1].end] in (b"\n", b"\r", b"\r\n"))
        own = b"".join(transcript[span.start : span.end] for span in frame)
        assert events_of(own + b"\n") == [event]


@given(streams(), RULES)
def test_a_fault_changes_what_it_says_and_nothing_else(reply: ReplayResponse, text: str) -> None:
    rule = parsed(text)
    before = reply.body
    try:
        faulted = apply_fault(rule, reply)
    except NotApplicableError:
        return
    assert reply.body == before
    assert faulted.interaction_index == reply.interaction_index
    if text.startswith("status"):
        assert faulted.status != 200
        return
    assert (faulted.status, faulted.headers) == (reply.status, reply.headers)
    delivery = faulted.delivery
    assert delivery is not None
    assert len(delivery.due_ms) == len(faulted.pieces)
    assert list(delivery.due_ms) == sorted(delivery.due_ms)
    assert all(faulted.pieces), "an empty piece would end a chunked body"
    kind = text.partition("=")[0].partition(",")[0]
    if kind in ("delay_ms", "split_utf8"):
        assert faulted.body == before
    elif kind in ("stall", "cut_after_events", "cut_after_bytes"):
        assert before.startswith(faulted.body)
        if kind != "stall":
            assert delivery.ending is not Ending.STALL
    elif kind == "refuse":
        assert (faulted.body, delivery.has_head) == (b"", False)
    else:
        _check_events(kind, int(text.partition("=")[2]), before, faulted.body)


def _check_events(kind: str, number: int, before: bytes, after: bytes) -> None:
    # A lone carriage return at the very end is a line end once the body is over.
    events, left = events_of(before + b"\n"), events_of(after + b"\n")
    event = events[number]
    expected = Counter(map(repr, events))
    if kind == "drop_event":
        expected -= Counter([repr(event)])
    elif kind == "duplicate_event":
        expected += Counter([repr(event)])
    else:
        assert len(left) == len(events)
        assert len(after) < len(before)
        (changed,) = Counter(map(repr, left)) - expected
        assert "DataEvent" in changed
        (now,) = [each for each in left if repr(each) == changed]
        assert isinstance(now, DataEvent)
        try:
            parse_json(now.raw.encode())
        except NotJsonError:
            return
        raise AssertionError(f"{now.raw!r} is still JSON")
    assert Counter(map(repr, left)) == expected


@given(st.lists(RULES, max_size=4), st.integers(), st.lists(st.integers(0, 3), max_size=30), st.randoms())
def test_the_same_seed_gives_the_same_run(texts: list[str], seed: int, asked: list[int], random: object) -> None:
    rules = parse_fault_rules([f"{text},probability=0.5,times=3" for text in texts])
    reply = ReplayResponse(200, (), (b'data: {"a":1}\n\n', "data: é\n\n".encode()), interaction_index=0, is_stream=True)

    def run(order: list[int]) -> dict[int, list[str]]:
        plan = FaultPlan(rules, seed)
        struck: dict[int, list[str]] = {}
        for index in order:
            fault = plan.strike(index, "/v1/chat/completions", reply, 0.0)
            struck.setdefault(index, []).append("" if fault is None else str(fault.rule))
        return struck

    shuffled = list(asked)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert run(asked) == run(asked) == run(shuffled)
