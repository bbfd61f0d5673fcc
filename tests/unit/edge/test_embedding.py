"""Masters without mitmproxy's ``run``: what they leave behind, and which of mitmproxy's add-ons may speak."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import ctx, exceptions, http
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.proxy.context import Context
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers.http import HttpRequestHook
from mitmproxy.test import tflow

from spycatcher_addon.edge.embedding import CertificatesOnDemand, end_master, make_master

NAMES = ("master", "log", "options")


def context_state() -> dict[str, Any]:
    return {name: getattr(ctx, name, "missing") for name in NAMES}


@pytest.fixture(autouse=True)
def context_of_a_host_application(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A host that uses mitmproxy itself: values of its own stand in ``mitmproxy.ctx``, one name is not set at all."""
    monkeypatch.setattr(ctx, "master", "the host's master", raising=False)
    monkeypatch.setattr(ctx, "options", "the host's options", raising=False)
    monkeypatch.delattr(ctx, "log", raising=False)
    yield
    assert context_state() == {"master": "the host's master", "options": "the host's options", "log": "missing"}


def test_ctx_is_put_back_after_the_last_of_several_masters() -> None:
    async def run() -> None:
        before = context_state()
        masters = [make_master() for _ in range(3)]
        assert ctx.master is masters[2]
        # Not the last made ends last: what counts is that none is left.
        for ended in (masters[2], masters[0]):
            await end_master(ended)
            assert context_state() != before
        await end_master(masters[1])
        assert context_state() == before

    asyncio.run(run())


def test_masters_that_come_after_the_last_one_start_anew() -> None:
    async def run() -> None:
        for _ in range(2):
            before = context_state()
            await end_master(make_master())
            assert context_state() == before

    asyncio.run(run())


def test_ctx_is_put_back_when_a_master_cannot_be_made_or_ended() -> None:
    class Failing:
        def done(self) -> None:
            raise exceptions.OptionsError  # what the add-on manager lets through

    async def run() -> None:
        before = context_state()
        with pytest.raises(KeyError):
            make_master(no_such_option="x")
        assert context_state() == before
        failing = make_master(Failing())
        with pytest.raises(exceptions.OptionsError):
            await end_master(failing)

    asyncio.run(run())


def test_the_root_logger_keeps_its_handlers() -> None:
    async def run() -> None:
        before = list(logging.getLogger().handlers)
        made = make_master()
        assert logging.getLogger().handlers == before
        await end_master(made)
        assert logging.getLogger().handlers == before

    asyncio.run(run())


def test_connections_are_lazy_and_settings_arrive() -> None:
    async def run() -> None:
        made = make_master(tcp_timeout=7)
        assert (made.options.connection_strategy, made.options.tcp_timeout) == ("lazy", 7)
        await end_master(made)

    asyncio.run(run())


def test_no_add_on_of_mitmproxy_answers_or_complains_about_a_request(caplog: pytest.LogCaptureFixture) -> None:
    class Seen:
        flows: list[http.HTTPFlow] = []

        def request(self, flow: http.HTTPFlow) -> None:
            self.flows.append(flow)

    async def run() -> None:
        seen = Seen()
        made = make_master(seen)
        flow = tflow.tflow()
        await made.addons.trigger_event(HttpRequestHook(flow))
        assert (seen.flows, flow.response) == ([flow], None)
        await end_master(made)

    asyncio.run(run())
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


# --- certificates ---------------------------------------------------------------------------------------------------------

TLS_HELLO = b"\x16\x03\x01\x00\x05"


def next_layer_with(data: bytes) -> NextLayer:
    layer = NextLayer(Context(tflow.tclient_conn(), None))
    layer.data_client = lambda: data  # type: ignore[method-assign]
    return layer


@pytest.mark.parametrize(("first_bytes", "is_wanted"), [(b"POST /v1", False), (b"", False), (b"\x16", False), (TLS_HELLO, True)])
def test_certificates_are_made_for_the_first_tls_client_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first_bytes: bytes, is_wanted: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async def run() -> None:
        tls = TlsConfig()
        made = make_master()
        CertificatesOnDemand(tls).next_layer(next_layer_with(first_bytes))
        assert (tls.certstore is not None) is is_wanted
        assert (tmp_path / ".mitmproxy").exists() is is_wanted
        await end_master(made)

    asyncio.run(run())


def test_an_unusable_certificate_folder_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".mitmproxy").write_text("a file where the folder should be")
    monkeypatch.setenv("HOME", str(tmp_path))

    async def run() -> None:
        made = make_master()
        CertificatesOnDemand(TlsConfig()).next_layer(next_layer_with(TLS_HELLO))
        await end_master(made)

    asyncio.run(run())
    (record,) = (record for record in caplog.records if record.levelno >= logging.WARNING)
    assert record.getMessage().startswith("a TLS client cannot be served: the certificate folder")
    assert record.exc_info is None
