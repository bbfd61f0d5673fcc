"""The stub provider and the raw client, against each other: what other tests rely on to see bytes and ends."""

from __future__ import annotations

import json
import threading

import pytest

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Close, HalfClose, Reset, Send, StubUpstream, Wait, chunk, encode_head
from tests.support.raw_http import BodyEnd, ClosedError, RawConnection, encode_json_request, encode_request, exchange

ASK = {"model": "stub-1", "messages": [{"role": "user", "content": "Weather in Paris?"}]}
TARGET = "/api/v1/chat/completions"


def ask(**more: object) -> bytes:
    return encode_json_request({**ASK, **more}, target=TARGET)


def test_same_request_gets_same_plain_answer(upstream: StubUpstream) -> None:
    address = ("127.0.0.1", upstream.port)
    first, second = exchange(address, ask()), exchange(address, ask())
    assert first.status == 200 and first.end is BodyEnd.COMPLETE
    assert first.body == second.body
    assert "Weather in Paris?" in first.json()["choices"][0]["message"]["content"]
    assert [json.loads(request.body) for request in upstream.requests] == [ASK, ASK]
    assert upstream.connection_count == 2


def test_stream_has_comments_usage_and_done(upstream: StubUpstream) -> None:
    answer = exchange(("127.0.0.1", upstream.port), ask(stream=True, stream_options={"include_usage": True}))
    assert answer.header("content-type") == "text/event-stream" and answer.end is BodyEnd.COMPLETE
    assert answer.chunks[0] == b": OPENROUTER PROCESSING\n\n"
    assert answer.chunks[-1] == b"data: [DONE]\n\n"
    assert b'"usage":{' in answer.chunks[-2]


def test_tools_are_called_until_their_result_is_there(upstream: StubUpstream) -> None:
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {"properties": {"city": {"type": "string"}}}}}]
    address = ("127.0.0.1", upstream.port)
    called = exchange(address, ask(tools=tools)).json()["choices"][0]
    assert called["finish_reason"] == "tool_calls"
    assert json.loads(called["message"]["tool_calls"][0]["function"]["arguments"]) == {"city": "Paris"}
    after = [*ASK["messages"], {"role": "tool", "tool_call_id": "call_stub_1", "content": "sunny"}]
    assert "sunny" in exchange(address, ask(tools=tools, messages=after)).json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (encode_request(method="GET", target=TARGET), 405),
        (encode_request(method="GET", target="/elsewhere"), 404),
        (encode_request(b"not json", target=TARGET), 400),
    ],
)
def test_refusals(upstream: StubUpstream, request_bytes: bytes, status: int) -> None:
    assert exchange(("127.0.0.1", upstream.port), request_bytes).status == status


def test_first_chunk_arrives_before_the_second_is_sent(upstream: StubUpstream) -> None:
    go = threading.Event()
    upstream.script([Send(SSE_HEAD + chunk(b"data: 1\n\n")), Wait(go), Send(chunk(b"data: 2\n\n") + LAST_CHUNK)])
    with RawConnection(("127.0.0.1", upstream.port)) as client:
        client.send(ask())
        head = client.read_head()
        assert client.read_chunk() == b"data: 1\n\n"
        assert not go.is_set()
        go.set()
        rest = client.read_rest(head)
    assert rest.chunks == (b"data: 2\n\n",) and rest.end is BodyEnd.COMPLETE


@pytest.mark.parametrize(
    ("steps", "end"),
    [
        ([Send(SSE_HEAD + chunk(b"a")), Close()], BodyEnd.UNFINISHED),
        ([Send(SSE_HEAD + chunk(b"a")), HalfClose()], BodyEnd.UNFINISHED),
        ([Send(encode_head(200, [("content-length", "9")]) + b"a"), Close()], BodyEnd.UNFINISHED),
        ([Send(encode_head(200, []) + b"a"), Close()], BodyEnd.CLOSED),
    ],
)
def test_ends_are_told_apart(upstream: StubUpstream, steps: list[Send | Close | HalfClose], end: BodyEnd) -> None:
    upstream.script(steps)
    answer = exchange(("127.0.0.1", upstream.port), ask())
    assert (answer.body, answer.end) == (b"a", end)


def test_reset_is_not_an_orderly_end(upstream: StubUpstream) -> None:
    go = threading.Event()
    upstream.script([Send(SSE_HEAD + chunk(b"a")), Wait(go), Reset()])
    with RawConnection(("127.0.0.1", upstream.port)) as client:
        client.send(ask())
        head = client.read_head()
        assert client.read_chunk() == b"a"  # read before the reset, which may discard it
        go.set()
        assert client.read_rest(head).end is BodyEnd.RESET


def test_connection_can_be_dropped_before_any_request(upstream: StubUpstream) -> None:
    upstream.script_connection([Close()])
    with RawConnection(("127.0.0.1", upstream.port)) as client, pytest.raises(ClosedError):
        client.read_head()
    assert upstream.requests == []


def test_chunked_and_expecting_requests_are_read_whole(upstream: StubUpstream) -> None:
    body = json.dumps(ASK).encode()
    headers = [("transfer-encoding", "chunked"), ("expect", "100-continue")]
    with RawConnection(("127.0.0.1", upstream.port)) as client:
        client.send(encode_request(headers=headers, target=TARGET))
        assert client.read_head().status == 100
        client.send(chunk(body[:10]) + chunk(body[10:]) + LAST_CHUNK)
        assert client.read_response().status == 200
    assert upstream.requests[0].body == body


def test_stop_ends_stalled_connections_and_threads() -> None:
    before = threading.active_count()
    stub = StubUpstream()
    stub.script([Wait(threading.Event())])
    with RawConnection(("127.0.0.1", stub.port)) as client:
        client.send(ask())
        stub.wait_for_requests(1)
        stub.stop()
        with pytest.raises(ClosedError):
            client.read_head()
    assert threading.active_count() == before
