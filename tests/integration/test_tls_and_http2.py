"""TLS and HTTP/2 on either side of the harness."""

from __future__ import annotations

import json
import ssl
import threading
from pathlib import Path
from typing import Any

import pytest

from scripts.stub_upstream import LAST_CHUNK, SSE_HEAD, Close, Send, Stall, StubUpstream, Wait, chunk, encode_response
from tests.support.certificates import make_certificate
from tests.support.http2 import Http2Connection, trusting_nobody
from tests.support.in_process import KEY_VARIABLE, InProcessHarness, record_config, replay_config
from tests.support.raw_http import BodyEnd, RawConnection, encode_json_request, exchange

ASK = {"model": "stub", "messages": [{"role": "user", "content": "hi"}]}
ASK_STREAM = {**ASK, "stream": True}
DONE = b"data: [DONE]\n\n"
ONE = b'data: {"n":1}\n\n'


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """mitmproxy keeps its certificate authority in the home directory."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_a_tls_client_records_and_replays(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        with RawConnection(recorder.addr, tls=trusting_nobody(["http/1.1"])) as connection:
            connection.send(encode_json_request(ASK_STREAM) + encode_json_request(ASK))
            streamed, plain = connection.read_response(), connection.read_response()
    with InProcessHarness(replay_config(tmp_path)) as replay:
        with RawConnection(replay.addr, tls=trusting_nobody(["http/1.1"])) as connection:
            connection.send(encode_json_request(ASK_STREAM) + encode_json_request(ASK))
            assert connection.read_response().body == streamed.body
            assert connection.read_response().body == plain.body
    assert upstream.connection_count == 2, "one per recorded exchange, none for the replay"


def test_an_http2_client_records_and_replays(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        with Http2Connection(recorder.addr) as connection:
            streamed = connection.read_response(connection.request(body(ASK_STREAM), [("accept-encoding", "gzip"), ("x-one", "1")]))
            plain = connection.read_response(connection.request(body(ASK)))
        assert (streamed.status, plain.status) == (200, 200)
        assert streamed.body.endswith(DONE)
        assert "transfer-encoding" not in dict(streamed.headers)
        tape = recorder.tape()
        assert tape.interactions[0].request.headers == (("x-one", "1"),)
    seen = upstream.requests[0]
    assert (seen.method, seen.target) == ("POST", "/api/v1/chat/completions")
    assert seen.header("host") == f"127.0.0.1:{upstream.port}".encode()
    assert seen.header("authorization") is not None
    with InProcessHarness(replay_config(tmp_path)) as replay, Http2Connection(replay.addr) as connection:
        assert connection.read_response(connection.request(body(ASK_STREAM))).body == streamed.body
        assert connection.read_response(connection.request(body(ASK))).body == plain.body
        refused = connection.read_response(connection.request(body(ASK)))
        assert (refused.status, refused.json()["error"]["kind"]) == (409, "request_mismatch")
        assert connection.read_response(connection.request(b"", method="GET", path="/nowhere")).status == 404


def test_http2_streams_arrive_as_they_are_sent(tmp_path: Path, upstream: StubUpstream) -> None:
    seen = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Wait(seen), Send(chunk(DONE)), Send(LAST_CHUNK)])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, Http2Connection(recorder.addr) as connection:
        stream = connection.request(body(ASK_STREAM))
        connection.read_until(stream, ONE)
        seen.set()
        assert connection.read_response(stream).body == ONE + DONE
    assert not upstream.problems


def test_a_broken_stream_is_a_reset_over_http2(tmp_path: Path, upstream: StubUpstream) -> None:
    seen = threading.Event()
    upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Wait(seen), Close()])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, Http2Connection(recorder.addr) as connection:
        stream = connection.request(body(ASK_STREAM))
        connection.read_until(stream, ONE)
        seen.set()
        response = connection.read_response(stream)
        assert (response.is_reset, response.is_ended) == (True, False)
        assert recorder.stop().failed == 1


def test_a_dead_upstream_is_a_json_502_over_http2(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.script([Close()])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, Http2Connection(recorder.addr) as connection:
        response = connection.read_response(connection.request(body(ASK)))
        assert (response.status, response.json()["error"]["kind"]) == (502, "upstream_request_failed")
        assert connection.read_response(connection.request(body(ASK))).status == 200


def test_http2_streams_run_side_by_side(tmp_path: Path, upstream: StubUpstream) -> None:
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, Http2Connection(recorder.addr) as connection:
        upstream.script([Stall()])
        slow = connection.request(body(ASK))
        upstream.wait_for_requests(1)
        assert connection.read_response(connection.request(body(ASK_STREAM))).status == 200
        assert not connection.responses[slow].headers


def test_a_tls_upstream_with_a_trusted_certificate(tmp_path: Path) -> None:
    certificate, server_context = make_certificate(tmp_path)
    with StubUpstream(tls_context=server_context) as upstream:
        environ = {KEY_VARIABLE: "sk-fake-key", "SSL_CERT_FILE": str(certificate)}
        with InProcessHarness(record_config(tmp_path, upstream.base_url), environ) as recorder:
            assert exchange(recorder.addr, encode_json_request(ASK)).status == 200
            streamed = exchange(recorder.addr, encode_json_request(ASK_STREAM))
            assert (streamed.status, streamed.end) == (200, BodyEnd.COMPLETE)
            assert recorder.stop().recorded == 2


def test_a_tls_upstream_with_an_unknown_certificate_is_a_json_502(tmp_path: Path) -> None:
    _, server_context = make_certificate(tmp_path)
    with StubUpstream(tls_context=server_context) as upstream, InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        answer = exchange(recorder.addr, encode_json_request(ASK))
        assert answer.status == 502
        assert "not trusted" in answer.json()["error"]["message"]
        assert not upstream.requests


def test_a_tls_upstream_that_breaks_mid_stream(tmp_path: Path) -> None:
    certificate, server_context = make_certificate(tmp_path)
    with StubUpstream(tls_context=server_context) as upstream:
        environ = {KEY_VARIABLE: "sk-fake-key", "SSL_CERT_FILE": str(certificate)}
        upstream.script([Send(SSE_HEAD), Send(chunk(ONE)), Close()])
        with InProcessHarness(record_config(tmp_path, upstream.base_url), environ) as recorder:
            answer = exchange(recorder.addr, encode_json_request(ASK_STREAM))
            assert answer.end is BodyEnd.UNFINISHED
            assert recorder.stop().failed == 1


def test_a_home_that_cannot_be_written_spoils_only_tls(tmp_path: Path, upstream: StubUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder:
        with pytest.raises((ssl.SSLError, ConnectionError, TimeoutError)):
            RawConnection(recorder.addr, timeout_s=5, tls=trusting_nobody(["http/1.1"]))
        assert exchange(recorder.addr, encode_json_request(ASK)).status == 200


def test_a_plain_answer_is_whole_over_http2(tmp_path: Path, upstream: StubUpstream) -> None:
    upstream.script([Send(encode_response(200, b"{}" * 100_000, headers=[("x-one", "1")]))])
    with InProcessHarness(record_config(tmp_path, upstream.base_url)) as recorder, Http2Connection(recorder.addr) as connection:
        response = connection.read_response(connection.request(body(ASK)))
        assert (response.body, dict(response.headers)["x-one"]) == (b"{}" * 100_000, "1")
