from __future__ import annotations

import pytest

from spycatcher_addon.exchange import ObservedRequest
from spycatcher_addon.protocols import PROTOCOLS, UnknownPath, WrongMethod, route
from spycatcher_addon.protocols.adapter import ProtocolAdapter
from spycatcher_addon.protocols.chat_completions import CHAT_COMPLETIONS

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", CHAT, CHAT_COMPLETIONS),
        ("GET", CHAT, WrongMethod("POST")),
        ("HEAD", CHAT, WrongMethod("POST")),
        ("OPTIONS", CHAT, WrongMethod("POST")),
        ("post", CHAT, WrongMethod("POST")),
        ("POST ", CHAT, WrongMethod("POST")),
        ("", CHAT, WrongMethod("POST")),
        ("POST", CHAT + "/", UnknownPath()),
        ("POST", "/v1//chat/completions", UnknownPath()),
        ("POST", "/v1/chat/%63ompletions", UnknownPath()),
        ("POST", "/V1/chat/completions", UnknownPath()),
        ("POST", "/chat/completions", UnknownPath()),
        ("POST", "/v1/chat/completions/x", UnknownPath()),
        ("POST", "http://127.0.0.1:8787" + CHAT, UnknownPath()),
        ("POST", "/", UnknownPath()),
        ("POST", "", UnknownPath()),
        ("GET", "/v1/models", UnknownPath()),
    ],
)
def test_paths_are_compared_byte_for_byte_before_methods(
    method: str, path: str, found: ProtocolAdapter | UnknownPath | WrongMethod
) -> None:
    assert route(ObservedRequest(method, path, "", (), b"")) == found


def test_query_headers_and_body_take_no_part() -> None:
    assert route(ObservedRequest("POST", CHAT, "a=/x?y", ((b"content-type", b"text/plain"),), b"no JSON")) is CHAT_COMPLETIONS


def test_every_endpoint_is_reached_by_its_own_path_and_has_its_own_id() -> None:
    assert [route(ObservedRequest("POST", each.path, "", (), b"")) for each in PROTOCOLS] == list(PROTOCOLS)
    assert len({each.protocol_id for each in PROTOCOLS}) == len(PROTOCOLS)
