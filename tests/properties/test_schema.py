from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spycatcher_addon.cassette.byte_layouts import LAYOUTS
from spycatcher_addon.cassette.model import (
    Cassette,
    CommentEvent,
    DataEvent,
    Hashing,
    Interaction,
    Metadata,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
    Timing,
)
from spycatcher_addon.cassette.schema import encode_cassette, encode_interaction, is_canonical_tail, parse_cassette
from spycatcher_addon.errors import HarnessError
from spycatcher_addon.sse import encode_events

texts = st.text(max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True, allow_infinity=True) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def in_some_layout(value: Any, layout: int) -> str:
    keywords: list[dict[str, Any]] = [
        {"separators": (",", ":"), "ensure_ascii": False},
        {"separators": (",", ":")},
        {"ensure_ascii": False},
        {},
        {"indent": 2, "ensure_ascii": False},
        {"indent": 2},
        {"indent": 4},
        {"sort_keys": True},
        {"separators": (" ,", ":")},
    ]
    return json.dumps(value, **keywords[layout])


json_texts = st.builds(in_some_layout, values, st.integers(0, 8))
# What json never prints, but clients do.
odd_texts = st.sampled_from(
    ["-0", "1E5", "1.10", "1e400", "[1.0,-0.0,1e-7]", '{"a":1,"a":2}', '"\\ud800"', '"\\/"', "NaN", "\ufeff1", "1\n", "9" * 30]
)
bodies = st.binary(max_size=300) | (json_texts | odd_texts | st.text()).map(lambda text: text.encode("utf-8"))
lines = st.text().map(lambda text: text.replace("\r", "").replace("\n", ""))
raw_texts = st.lists(lines, min_size=1, max_size=3).map("\n".join) | json_texts | odd_texts
events = st.builds(CommentEvent, lines) | st.builds(DataEvent, raw_texts, st.none() | lines, st.none() | lines, st.none() | lines)
headers = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
milliseconds = st.integers(0, 2**64 - 1)


@st.composite
def streams(draw: st.DrawFn) -> StreamResponse:
    all_events = tuple(draw(st.lists(events, max_size=4)))
    transcript = draw(st.just(encode_events(all_events)) | bodies)
    ends = sorted(draw(st.lists(st.integers(0, len(transcript)), max_size=20)))
    timing = draw(st.none() | st.builds(Timing, milliseconds, st.just(tuple((end, draw(milliseconds)) for end in ends))))
    return StreamResponse(draw(st.integers(0, 65535)), draw(headers), all_events, transcript, timing)


requests = st.builds(RecordedRequest, texts, texts, texts, headers, bodies, stable_hash=st.none() | texts)
plain = st.builds(NonStreamResponse, st.integers(0, 65535), headers, bodies, st.booleans())
interactions = st.builds(Interaction, requests, plain | streams(), st.builds(Metadata, texts, texts, texts, milliseconds))
hashings = st.builds(Hashing, st.lists(texts, max_size=2).map(tuple), st.lists(texts, max_size=2).map(tuple))
cassettes = st.builds(Cassette, st.just(2), st.lists(interactions, max_size=3).map(tuple), hashings, texts)


@settings(deadline=None)
@given(cassette=cassettes)
def test_cassettes_come_back_exactly(cassette: Cassette) -> None:
    encoded = encode_cassette(cassette)
    assert parse_cassette(encoded, "x") == cassette
    assert encode_cassette(parse_cassette(encoded, "x")) == encoded
    assert encoded.decode("utf-8").endswith("\n")
    assert is_canonical_tail(encoded)
    # The general reader, and any other JSON reader, see the same.
    assert parse_cassette(json.dumps(json.loads(encoded)).encode(), "x") == cassette
    assert parse_cassette(encoded.replace(b"\n", b"\r\n"), "x") == cassette


@settings(deadline=None)
@given(cassette=cassettes)
def test_no_event_and_no_header_takes_more_than_a_line(cassette: Cassette) -> None:
    for interaction in cassette.interactions:
        text = encode_interaction(interaction).decode("utf-8")
        assert "\r" not in text
        assert all(line == line.rstrip() and line.startswith("    ") for line in text.split("\n"))
        if isinstance(interaction.response, StreamResponse):
            found = [
                line
                for line in text.split("\n")
                if line.startswith(('          {"comment": ', '          {"data": ', '          {"json": '))
            ]
            assert len(found) >= len(interaction.response.events)


@settings(deadline=None)
@given(value=values)
def test_json_of_every_layout_stays_json(value: Any) -> None:
    for layout, encode in LAYOUTS.items():
        try:
            body = encode(value).encode("utf-8")
        except ValueError:
            continue
        interaction = Interaction(RecordedRequest("P", "/", body=body), NonStreamResponse(200, (), b""), Metadata("", "", "", 0))
        stored = json.loads(encode_interaction(interaction))["request"]["body"]
        assert encode(stored["json"]).encode("utf-8") == body
        assert stored["layout"] in LAYOUTS
        # An earlier layout may print the same bytes.
        assert list(LAYOUTS).index(stored["layout"]) <= list(LAYOUTS).index(layout)


@settings(deadline=None)
@given(data=st.binary())
def test_random_bytes_only_raise_harness_errors(data: bytes) -> None:
    with contextlib.suppress(HarnessError):
        parse_cassette(data, "x")


mutations = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 4),
        st.binary(max_size=3)
        | st.sampled_from(
            [b'"', b"{", b"}", b"[", b"]", b",", b"\\ud800", b"1e999", b"null", b"true", b"-1", b"1.5", b"9" * 5000, b"[" * 5000]
        ),
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None)
@given(cassette=cassettes, changes=mutations)
def test_mutated_files_only_raise_harness_errors(cassette: Cassette, changes: list[tuple[float, int, bytes]]) -> None:
    data = encode_cassette(cassette)
    for place, removed, inserted in changes:
        start = int(place * len(data))
        data = data[:start] + inserted + data[start + removed :]
    with contextlib.suppress(HarnessError):
        parsed = parse_cassette(data, "x")
        assert parse_cassette(encode_cassette(parsed), "x").interactions == parsed.interactions


paths = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)


@settings(deadline=None)
@given(cassette=cassettes.filter(lambda cassette: bool(cassette.interactions)), data=st.data(), version=st.sampled_from([1, 2]))
def test_values_of_other_types_only_raise_harness_errors(cassette: Cassette, data: st.DataObject, version: int) -> None:
    document = json.loads(encode_cassette(cassette))
    document["format_version"] = version
    target = document
    while isinstance(target, dict | list) and target:
        keys = list(target) if isinstance(target, dict) else range(len(target))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(target[key], dict | list) or not target[key] or data.draw(st.integers(0, 3)) == 0:
            target[key] = data.draw(paths)
            break
        target = target[key]
    with contextlib.suppress(HarnessError):
        parse_cassette(json.dumps(document).encode(), "x")
