"""The words settings choose from, and listen addresses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.choices import ListenAddr, UpstreamKind


def test_the_older_spelling_of_a_kind_is_understood() -> None:
    assert UpstreamKind("open_router") is UpstreamKind.OPENROUTER
    with pytest.raises(ValueError, match="nobody"):
        UpstreamKind("nobody")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:8787", "127.0.0.1", 8787), ("[::1]:0", "::1", 0), ("0.0.0.0:65535", "0.0.0.0", 65535), ("[::]:1", "::", 1)],
)
def test_listen_addr_reads_and_prints(text: str, host: str, port: int) -> None:
    address = ListenAddr.parse(text)
    assert (address.host, address.port) == (host, port)
    assert str(address) == text


@given(st.ip_addresses(), st.integers(0, 65535))
def test_every_listen_addr_reads_back(host: Any, port: int) -> None:
    address = ListenAddr(str(host), port)
    assert ListenAddr.parse(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "localhost:1", "127.0.0.1", ":8787", "", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1",
        "::1:80", "[127.0.0.1]:80", "[::1]", "[::1:80", "127.0.0.1:１", "127.0.0.1:080000", "http://127.0.0.1:1",
    ],
)  # fmt: skip
def test_listen_addr_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="."):
        ListenAddr.parse(text)


@pytest.mark.parametrize("host", ["localhost", "", "[::1]"])
def test_listen_addr_is_checked_when_made_directly(host: str) -> None:
    with pytest.raises(ValueError, match="."):
        ListenAddr(host, 1)
