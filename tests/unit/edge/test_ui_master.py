"""The masters of the user interfaces: what is set on them. Their life is in tests/integration and tests/e2e."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import argon2
import pytest
from mitmproxy import ctx
from mitmproxy.master import Master

from spycatcher_addon.config import UiConfig, UiKind
from spycatcher_addon.edge.assembly import assemble
from spycatcher_addon.edge.embedding import end_master
from spycatcher_addon.edge.ui_master import PageMaster, TerminalMaster, make_ui_master
from tests.support.in_process import record_config

HASH = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("fake-password")


def with_master(tmp_path: Path, look: Callable[[Any], None], **settings: Any) -> None:
    config = record_config(tmp_path, "http://127.0.0.1:1/v1", total_timeout_s=717.0)
    config = config.model_copy(update={"ui": UiConfig(**settings)})
    assembled = assemble(config, {}, is_watched=True)

    async def make() -> None:
        made = make_ui_master(config, assembled, {"SSL_CERT_FILE": "ca.pem"})
        try:
            look(made)
        finally:
            await end_master(made)

    asyncio.run(make())
    assembled.close(True)


def test_the_page_has_the_comments_and_opens_no_socket_of_mitmproxys(tmp_path: Path) -> None:
    def look(made: Master) -> None:
        assert isinstance(made, PageMaster)
        assert "comment" in made.options.web_columns
        assert (made.options.server, made.options.web_open_browser, made.options.onboarding) == (False, False, False)
        assert (made.options.connection_strategy, made.options.keep_alt_svc_header) == ("lazy", True)
        assert made.options.store_streamed_bodies is True
        assert made.options.command_history is False
        assert (made.options.web_host, made.options.web_port) == ("127.0.0.1", 1234)
        assert made.options.tcp_timeout == 777
        assert made.options.ssl_verify_upstream_trusted_ca == "ca.pem"

    with_master(tmp_path, look, kind=UiKind.WEB, port=1234)


@pytest.mark.parametrize("password", ["fake-password", HASH], ids=["plain", "hash"])
def test_a_password_is_kept_as_its_hash(tmp_path: Path, password: str) -> None:
    def look(made: Master) -> None:
        assert made.options.web_password.startswith("$argon2")
        assert argon2.PasswordHasher().verify(made.options.web_password, "fake-password")

    with_master(tmp_path, look, kind=UiKind.WEB, password=password)


def test_a_console_that_was_never_shown_can_be_ended(tmp_path: Path) -> None:
    with_master(tmp_path, lambda made: isinstance(made, TerminalMaster) or pytest.fail(), kind=UiKind.CONSOLE)


def test_nothing_is_left_in_the_process(tmp_path: Path) -> None:
    before = getattr(ctx, "master", None)
    with_master(tmp_path, lambda made: None, kind=UiKind.WEB)
    assert getattr(ctx, "master", None) is before
