from __future__ import annotations

import pytest

from spycatcher_addon.upstream_failure import describe_failure

CONNECTING = [
    ("timed out while connecting", "the connection timed out (upstream.connect_timeout_s)"),
    ("[Errno 110] Connect call failed ('192.0.2.1', 443)", "the connection timed out (upstream.connect_timeout_s)"),
    ("[Errno 110] Connection timed out", "the connection timed out (upstream.connect_timeout_s)"),
    ("connection cancelled", "the connection attempt was given up"),
    ("[Errno 111] Connect call failed ('127.0.0.1', 9)", "the connection was refused"),
    ("[Errno 61] Connect call failed ('127.0.0.1', 9)", "the connection was refused"),
    ("[WinError 1225] The remote computer refused the network connection", "the connection was refused"),
    (
        "Multiple exceptions: [Errno 101] Connect call failed ('2001:db8::1', 80, 0, 0), [Errno 111] Connect call failed ('192.0.2.1', 80)",
        "the connection was refused",
    ),
    ("[Errno 113] Connect call failed ('192.0.2.1', 80)", "its network could not be reached"),
    ("[Errno 101] Network is unreachable", "its network could not be reached"),
    ("[Errno 113] No route to host", "its network could not be reached"),
    ("[Errno -2] Name or service not known", "its host name could not be resolved"),
    ("[Errno -3] Temporary failure in name resolution", "its host name could not be resolved"),
    ("[Errno 8] nodename nor servname provided, or not known", "its host name could not be resolved"),
    ("[Errno -5] No address associated with hostname", "its host name could not be resolved"),
    ("Certificate verify failed: self-signed certificate", "the TLS handshake failed: its certificate is not trusted"),
    ("Certificate verify failed: certificate has expired", "the TLS handshake failed: its certificate is not trusted"),
    ("ssl/tls alert bad certificate", "the TLS handshake failed"),
    ("The remote server does not speak TLS.", "the TLS handshake failed"),
    ("[Errno 99] Connect call failed ('secret.example', 443)", "the connection could not be made"),
    ("", "the connection could not be made"),
]
ANSWERING = [
    ("timed out waiting for the upstream", "the answer took too long (upstream.total_timeout_s or upstream.idle_timeout_s)"),
    ("the upstream reset the connection", "the connection was reset"),
    ("[Errno 104] Connection reset by peer", "the connection was reset"),
    ("server closed connection", "the connection was closed before the answer was complete"),
    ("peer closed connection", "the connection was closed before the answer was complete"),
    ("Cannot parse HTTP response: Invalid HTTP request line", "its answer was not valid HTTP"),
    ("unexpected server response", "its answer was not valid HTTP"),
    ("HTTP/2 protocol error: Invalid input", "its answer was not valid HTTP"),
    ("Cannot parse HTTP response: Bad HTTP response line: b'timed out, connection reset'", "its answer was not valid HTTP"),
    (
        "Received invalid header name: b'x-ratelimit-reset ' from server, refusing to prevent request smuggling attacks.",
        "its answer had ambiguous or illegal headers",
    ),
    ("Disable the validate_inbound_headers option to skip this security check.", "its answer had ambiguous or illegal headers"),
    ("the upstream switched protocols without being asked to", "it switched protocols without being asked to"),
    ("something about secret.example", "the connection broke before the answer was complete"),
]


@pytest.mark.parametrize(("message", "phrase"), CONNECTING)
def test_failures_to_connect(message: str, phrase: str) -> None:
    assert describe_failure(message, is_connecting=True) == phrase


@pytest.mark.parametrize(("message", "phrase"), ANSWERING)
def test_failures_of_an_answer(message: str, phrase: str) -> None:
    assert describe_failure(message, is_connecting=False) == phrase


@pytest.mark.parametrize("is_connecting", [True, False])
@pytest.mark.parametrize(("message", "_phrase"), CONNECTING + ANSWERING)
def test_no_host_address_or_key_gets_through(message: str, _phrase: str, is_connecting: bool) -> None:
    told = describe_failure(f"{message} secret.example:8443 sk-fake-0000", is_connecting)
    for secret in ("secret.example", "8443", "sk-fake", "192.0.2.1", "127.0.0.1", "Errno"):
        assert secret not in told
