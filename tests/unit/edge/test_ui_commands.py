"""The commands by themselves; tests/integration/test_watching.py runs them through mitmweb's API."""

from __future__ import annotations

from pathlib import Path

import pytest
from mitmproxy.command import CommandManager
from mitmproxy.exceptions import CommandError
from mitmproxy.test import taddons, tflow
from mitmproxy.types import Path as PathArgument

from spycatcher_addon.cassette import encode_cassette
from spycatcher_addon.edge.assembly import assemble
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.ui_commands import HarnessCommands
from spycatcher_addon.edge.watched import WatchedReplayHooks
from spycatcher_addon.watching.story import not_recorded, recorded
from tests.support.in_process import TAPE_NAME, replay_config
from tests.support.tool_samples import cassette, plain


def commands_and_hooks(tmp_path: Path, count: int) -> tuple[HarnessCommands, WatchedReplayHooks]:
    tape = cassette(*(plain(f"Question {number}?", number=number % 60) for number in range(count)))
    (tmp_path / TAPE_NAME).write_bytes(encode_cassette(tape))
    config = replay_config(tmp_path)
    assembled = assemble(config, {}, is_watched=True)
    assert isinstance(assembled.hooks, WatchedReplayHooks)
    return HarnessCommands(config, assembled, {}), assembled.hooks


def test_the_commands_are_offered_and_the_button_of_mitmproxy_is_taken_over(tmp_path: Path) -> None:
    commands, _ = commands_and_hooks(tmp_path, 1)
    with taddons.context(commands) as context:
        manager = context.master.commands
        assert isinstance(manager, CommandManager)
        offered = {name for name in manager.commands if name.startswith("spycatcher.")}
        assert offered == {f"spycatcher.{name}" for name in ("status", "unused", "show", "rewind", "save", "import", "resend")}
        assert manager.commands["replay.client"].func == commands.resend_aside
        assert all(manager.commands[name].help for name in offered)


def test_a_long_list_of_unused_interactions_is_cut(tmp_path: Path) -> None:
    commands, _ = commands_and_hooks(tmp_path, 103)
    lines = commands.unused()
    assert (lines[0], lines[99], lines[-1], len(lines)) == ("#0 Question 0?", "#99 Question 99?", "… and 3 more", 101)


def test_an_index_beyond_the_tape_is_named(tmp_path: Path) -> None:
    commands, _ = commands_and_hooks(tmp_path, 2)
    assert commands.show(1).startswith("interaction 1, ")
    for index in (2, -1):
        with pytest.raises(CommandError, match=f"there is no interaction {index}; the cassette has 2, counted from 0"):
            commands.show(index)


def test_what_cannot_be_sent_once_more_is_refused(tmp_path: Path) -> None:
    commands, _ = commands_and_hooks(tmp_path, 1)
    with pytest.raises(CommandError, match="no exchange is selected"):
        commands.resend([])
    with pytest.raises(CommandError, match="not sent: only HTTP exchanges"):
        commands.resend([tflow.ttcpflow()])


def test_flows_are_taken_from_the_tape_where_they_are_on_it(tmp_path: Path) -> None:
    commands, hooks = commands_and_hooks(tmp_path, 1)
    flow, other = tflow.tflow(), tflow.tflow()
    hooks.stories[flow] = recorded(0, plain("Kept?"))
    hooks.stories[other] = not_recorded("why")
    path = tmp_path / "saved.json"
    said = commands.save([flow, other], PathArgument(str(path)))
    assert said.splitlines() == [f"appended 1 to {path}, which has 1 now", "left out: GET http://address:22/path: no whole answer"]
    assert read_cassette(path).cassette.interactions == (plain("Kept?"),)
    assert commands.save([flow], PathArgument(str(path))).endswith("which has 2 now")
    many = [tflow.tflow() for _ in range(12)]
    assert commands.save([flow, *many], PathArgument(str(path))).endswith("… and 2 more left out")


def test_an_unusable_tape_is_named(tmp_path: Path) -> None:
    commands, hooks = commands_and_hooks(tmp_path, 1)
    flow = tflow.tflow()
    hooks.stories[flow] = recorded(0, plain())
    (tmp_path / "broken").write_text("{")
    with pytest.raises(CommandError, match="broken"):
        commands.save([flow], PathArgument(str(tmp_path / "broken")))
    assert (tmp_path / "broken").read_text() == "{"
