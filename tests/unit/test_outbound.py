from __future__ import annotations

import pytest

from spycatcher_addon.config import AuthScheme
from spycatcher_addon.exchange import ObservedRequest, RawHeaders
from spycatcher_addon.outbound import UpstreamTarget, inbound_target, outbound_headers, outbound_path, parse_target, usable_key

CHAT = "/chat/completions"


@pytest.mark.parametrize(
    ("base_url", "target", "authority"),
    [
        ("https://openrouter.ai/api/v1", UpstreamTarget("https", "openrouter.ai", 443, "/api/v1", ""), "openrouter.ai"),
        ("http://127.0.0.1:8080/v1", UpstreamTarget("http", "127.0.0.1", 8080, "/v1", ""), "127.0.0.1:8080"),
        ("http://localhost", UpstreamTarget("http", "localhost", 80, "", ""), "localhost"),
        ("http://localhost:80", UpstreamTarget("http", "localhost", 80, "", ""), "localhost"),
        ("https://localhost:443", UpstreamTarget("https", "localhost", 443, "", ""), "localhost"),
        ("http://localhost:443", UpstreamTarget("http", "localhost", 443, "", ""), "localhost:443"),
        ("https://localhost:80", UpstreamTarget("https", "localhost", 80, "", ""), "localhost:80"),
        ("HTTPS://API.Example.COM/V1", UpstreamTarget("https", "api.example.com", 443, "/V1", ""), "api.example.com"),
        ("http://[::1]/v1", UpstreamTarget("http", "::1", 80, "/v1", ""), "[::1]"),
        ("http://[2001:DB8::1]:8443/", UpstreamTarget("http", "2001:db8::1", 8443, "", ""), "[2001:db8::1]:8443"),
        ("https://bücher.example:8443", UpstreamTarget("https", "xn--bcher-kva.example", 8443, "", ""), "xn--bcher-kva.example:8443"),
        ("https://日本.example/v1", UpstreamTarget("https", "xn--wgv71a.example", 443, "/v1", ""), "xn--wgv71a.example"),
        ("https://h/ü?k=ß", UpstreamTarget("https", "h", 443, "/%C3%BC", "k=%C3%9F"), "h"),
        ("https://h/a%2Fb//c;d=(~)?k=%zz+[]|", UpstreamTarget("https", "h", 443, "/a%2Fb//c;d=(~)", "k=%zz+[]|"), "h"),
    ],
)
def test_a_base_url_taken_apart(base_url: str, target: UpstreamTarget, authority: str) -> None:
    assert parse_target(base_url) == target
    assert target.authority == authority


@pytest.mark.parametrize(
    "base_url", ["", "openrouter.ai/api/v1", "ftp://h/", "http://", "http:///v1", "//h/v1", "http://h:99999", "http://h:x", "http://a..b"]
)
def test_what_is_no_base_url(base_url: str) -> None:
    with pytest.raises(ValueError):
        parse_target(base_url)


@pytest.mark.parametrize(
    ("base_url", "inbound_query", "path"),
    [
        ("https://openrouter.ai/api/v1", "", "/api/v1/chat/completions"),
        ("https://openrouter.ai/api/v1/", "", "/api/v1/chat/completions"),
        ("https://openrouter.ai/api/v1", "foo=bar&baz=1", "/api/v1/chat/completions?foo=bar&baz=1"),
        ("https://openrouter.ai/api/v1?configured=true", "foo=bar", "/api/v1/chat/completions?configured=true&foo=bar"),
        ("https://openrouter.ai/api/v1/?configured=true", "", "/api/v1/chat/completions?configured=true"),
        ("https://openrouter.ai", "", "/chat/completions"),
        ("https://openrouter.ai/", "a", "/chat/completions?a"),
        ("https://openrouter.ai/v1//", "", "/v1//chat/completions"),
        ("https://openrouter.ai/v1", "b=2&a=%zz&a=+&&", "/v1/chat/completions?b=2&a=%zz&a=+&&"),
    ],
)
def test_paths(base_url: str, inbound_query: str, path: str) -> None:
    assert outbound_path(parse_target(base_url), CHAT, inbound_query) == path


def built(
    headers: RawHeaders,
    auth: AuthScheme = AuthScheme.BEARER,
    api_key: str | None = "sk-fake",
    extra: dict[str, str] | None = None,
) -> RawHeaders:
    return outbound_headers(ObservedRequest("POST", "/v1/chat/completions", "", headers, b""), auth, api_key, extra or {})


ACCEPT = (b"Accept", b"text/event-stream")
CLIENT_KEYS = ((b"Authorization", b"Bearer dummy"), (b"API-Key", b"dummy"))


@pytest.mark.parametrize(
    ("auth", "api_key", "credentials"),
    [
        (AuthScheme.BEARER, "sk-fake", ((b"API-Key", b"dummy"), (b"authorization", b"Bearer sk-fake"))),
        (AuthScheme.BEARER, "clé", ((b"API-Key", b"dummy"), (b"authorization", "Bearer clé".encode()))),
        (AuthScheme.BEARER, None, ((b"API-Key", b"dummy"),)),
        (AuthScheme.API_KEY, "sk-fake", ((b"api-key", b"sk-fake"),)),
        (AuthScheme.API_KEY, None, ()),
        (AuthScheme.NONE, None, ((b"API-Key", b"dummy"),)),
        (AuthScheme.NONE, "sk-fake", ((b"API-Key", b"dummy"),)),
    ],
)
def test_credentials_replace_those_of_the_client(auth: AuthScheme, api_key: str | None, credentials: RawHeaders) -> None:
    fields = built((ACCEPT, *CLIENT_KEYS), auth, api_key)
    assert fields == (ACCEPT, *credentials)


def test_selected_client_fields_come_first_as_they_came() -> None:
    client = ((b"Host", b"127.0.0.1"), (b"X-B", b"\xff"), ACCEPT, (b"Accept-Encoding", b"gzip"), (b"x-b", b"2"), (b"Content-Length", b"9"))
    assert built(client) == ((b"X-B", b"\xff"), ACCEPT, (b"x-b", b"2"), (b"authorization", b"Bearer sk-fake"))


def test_accept_is_made_up_only_where_it_is_missing() -> None:
    assert built(((b"x", b"1"),)) == ((b"x", b"1"), (b"accept", b"*/*"), (b"authorization", b"Bearer sk-fake"))
    assert built(((b"ACCEPT", b""),)) == ((b"ACCEPT", b""), (b"authorization", b"Bearer sk-fake"))


def test_extra_headers_are_added_behind_in_order_of_their_names() -> None:
    extra = {"x-title": "tests", "AUTHORIZATION": "Bearer other", "HTTP-Referer": "https://example.test/ü", "X-B": "configured"}
    assert built((ACCEPT, (b"x-b", b"client")), extra=extra) == (
        ACCEPT,
        (b"x-b", b"client"),
        (b"authorization", b"Bearer sk-fake"),
        (b"HTTP-Referer", "https://example.test/ü".encode()),
        (b"X-B", b"configured"),
        (b"x-title", b"tests"),
    )


@pytest.mark.parametrize("auth", AuthScheme)
def test_no_configured_header_carries_an_authorization(auth: AuthScheme) -> None:
    fields = built((ACCEPT,), auth, None, {"authorization": "Bearer other", "Authorization": "Bearer other"})
    assert fields == (ACCEPT,)


@pytest.mark.parametrize("key", ["sk-fake", " padded ", "clé", "日本", "a b", "\x85\xa0x"])
def test_keys_that_can_be_sent(key: str) -> None:
    assert usable_key(key) == key


@pytest.mark.parametrize("key", [None, "", " ", "\t\n", "sk\n", "\rsk", "s\x00k", "s\tk", "sk\x7f", "sk-\udcff"])
def test_keys_that_cannot_be_sent(key: str | None) -> None:
    assert usable_key(key) is None


@pytest.mark.parametrize(
    ("base_url", "outbound", "inbound"),
    [
        ("http://h/api/v1", "/api/v1/chat/completions", "/v1/chat/completions"),
        ("http://h", "/chat/completions?a=1", "/v1/chat/completions?a=1"),
        ("http://h/v1?v=2", "/v1/chat/completions?v=2&a=1", "/v1/chat/completions?a=1"),
        ("http://h/v1?v=2", "/v1/chat/completions?v=2", "/v1/chat/completions"),
        ("http://h/api", "/other/chat/completions?a=1", "/other/chat/completions?a=1"),
    ],
)
def test_an_outbound_path_can_be_undone(base_url: str, outbound: str, inbound: str) -> None:
    assert inbound_target(parse_target(base_url), outbound) == inbound
