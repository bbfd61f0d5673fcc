"""Two sides of every message of a flow."""

from __future__ import annotations

import gzip
import json

import pytest
from mitmproxy import http
from mitmproxy.flow import Error
from mitmproxy.test import tflow

from spycatcher_addon.config import RedactionConfig
from spycatcher_addon.edge.veil import Veil
from spycatcher_addon.watching.masking import Masker

KEY = "sk-fake0123456789abcdef0123456789abcdef"
SECRET_BODY = json.dumps({"note": KEY}).encode()


@pytest.fixture
def veil() -> Veil:
    masker = Masker(RedactionConfig().rules, 1 << 20)
    return Veil(lambda: masker)


@pytest.fixture
def flow() -> http.HTTPFlow:
    made = tflow.tflow(resp=True)
    made.request.headers["Authorization"] = f"Bearer {KEY}"
    made.request.path = "/v1/chat/completions?key=abc"
    made.request.raw_content = SECRET_BODY
    assert made.response is not None
    made.response.headers["Set-Cookie"] = "session=1"
    return made


def response_of(flow: http.HTTPFlow) -> http.Response:
    assert flow.response is not None
    return flow.response


def test_the_covered_side_has_no_secret_and_the_real_one_everything(veil: Veil, flow: http.HTTPFlow) -> None:
    veil.cover(flow)
    assert flow.request.headers["authorization"] == "[redacted]"
    assert flow.request.path == "/v1/chat/completions?key=[redacted:query.key:1]"
    assert KEY.encode() not in (flow.request.raw_content or b"")
    assert response_of(flow).headers["set-cookie"] == "[redacted]"
    assert KEY.encode() not in json.dumps(flow.get_state(), default=repr).encode()
    veil.lift(flow)
    assert flow.request.headers["authorization"] == f"Bearer {KEY}"
    assert flow.request.path.endswith("key=abc")
    assert flow.request.raw_content == SECRET_BODY
    assert response_of(flow).headers["set-cookie"] == "session=1"


def test_covering_and_lifting_twice_is_as_once(veil: Veil, flow: http.HTTPFlow) -> None:
    veil.cover(flow)
    covered = flow.request.data
    veil.cover(flow)
    assert flow.request.data is covered
    veil.lift(flow)
    veil.lift(flow)
    assert flow.request.raw_content == SECRET_BODY


def test_changes_to_the_real_side_show_through(veil: Veil, flow: http.HTTPFlow) -> None:
    veil.cover(flow)
    with veil.lifted(flow):
        flow.request.headers["X-New"] = "1"
        flow.request.headers["Authorization"] = "Bearer other"
        flow.request.data.host, flow.request.data.path = "example.test", b"/other?key=def"
        flow.request.raw_content = b"new"
    assert flow.request.headers["x-new"] == "1"
    assert flow.request.headers["authorization"] == "[redacted]"
    assert (flow.request.host, flow.request.raw_content) == ("example.test", b"new")
    assert flow.request.path == "/other?key=[redacted:query.key:1]"


def test_the_cover_comes_back_when_the_work_fails(veil: Veil, flow: http.HTTPFlow) -> None:
    with pytest.raises(ZeroDivisionError), veil.lifted(flow):
        raise ZeroDivisionError
    assert flow.request.headers["authorization"] == "[redacted]"


def test_an_answer_of_our_own_is_shown_as_it_is(veil: Veil, flow: http.HTTPFlow) -> None:
    response_of(flow).raw_content = SECRET_BODY
    veil.cover(flow)
    assert response_of(flow).raw_content == SECRET_BODY


def test_a_withheld_body_is_shown_once_it_has_been_searched(veil: Veil, flow: http.HTTPFlow) -> None:
    response = response_of(flow)
    veil.cover(flow)
    with veil.lifted(flow):
        veil.withhold(response)
        response.raw_content = SECRET_BODY
    assert response.raw_content is None
    withheld = veil.withheld_body(response)
    assert withheld is not None
    assert withheld[0] == SECRET_BODY
    veil.show_body(response, b"searched")
    assert response.raw_content == b"searched"
    assert veil.withheld_body(response) is None
    veil.lift(flow)
    assert response.raw_content == SECRET_BODY
    veil.cover(flow)
    assert response.raw_content == b"searched"


def test_a_body_shown_decoded_has_no_coding_any_more(veil: Veil, flow: http.HTTPFlow) -> None:
    response = response_of(flow)
    response.headers["content-encoding"] = "gzip"
    veil.withhold(response)
    veil.show_body(response, b"plain", is_decoded=True)
    veil.cover(flow)
    assert (response.raw_content, "content-encoding" in response.headers) == (b"plain", False)
    veil.lift(flow)
    assert response.headers["content-encoding"] == "gzip"


def test_an_empty_body_is_never_withheld(veil: Veil, flow: http.HTTPFlow) -> None:
    response = response_of(flow)
    veil.withhold(response)
    response.raw_content = b""
    veil.cover(flow)
    assert response.raw_content == b""
    assert veil.withheld_body(response) is None


def test_half_a_body_can_be_put_in(veil: Veil, flow: http.HTTPFlow) -> None:
    response = response_of(flow)
    response.raw_content = None
    veil.withhold(response)
    veil.cover(flow)
    veil.take_body(response, b"half")
    withheld = veil.withheld_body(response)
    assert withheld is not None
    assert (withheld[0], dict(withheld[1])[b"Set-Cookie"]) == (b"half", b"session=1")
    veil.show_body(response, b"half")
    assert response.raw_content == b"half"


def test_a_request_is_made_ready_to_be_sent_once_more(veil: Veil, flow: http.HTTPFlow) -> None:
    flow.request.headers["content-encoding"] = "gzip"
    flow.request.raw_content = gzip.compress(SECRET_BODY)
    real = (flow.request.path, sorted(flow.request.headers.fields), flow.request.raw_content)
    veil.cover(flow)
    assert "content-encoding" not in flow.request.headers
    veil.prepare_again(flow.request)
    assert (flow.request.path, sorted(flow.request.headers.fields), flow.request.raw_content) == real


def test_what_was_changed_by_hand_stays_changed(veil: Veil, flow: http.HTTPFlow) -> None:
    veil.cover(flow)
    flow.request.headers["X-Hand"] = "1"
    flow.request.path = "/v1/chat/completions"
    flow.request.text = "by hand"
    veil.prepare_again(flow.request)
    assert flow.request.headers["authorization"] == f"Bearer {KEY}"
    assert flow.request.headers["x-hand"] == "1"
    assert (flow.request.path, flow.request.text) == ("/v1/chat/completions", "by hand")


def test_in_a_copy_nothing_is_behind_the_masks(veil: Veil, flow: http.HTTPFlow) -> None:
    veil.cover(flow)
    copy = flow.copy()
    veil.prepare_again(copy.request)
    assert "authorization" not in copy.request.headers


def test_what_quotes_a_message_is_covered_too(veil: Veil, flow: http.HTTPFlow) -> None:
    response = response_of(flow)
    response.reason, flow.request.data.method = f"OK {KEY}", KEY.encode()
    flow.error = Error(f"Cannot parse HTTP response: Invalid header line: b'bad line {KEY} \udcff'")
    veil.cover(flow)
    assert not any(KEY in text for text in (response.reason, flow.request.data.method.decode(), flow.error.msg))
    assert flow.error.msg.startswith("Cannot parse HTTP response: Invalid header line: b'bad line [redacted:")
    veil.lift(flow)
    assert (response.reason, flow.request.data.method) == (f"OK {KEY}", KEY.encode())
    flow.error = Error("server closed connection")
    veil.cover(flow)
    assert flow.error.msg == "server closed connection"
