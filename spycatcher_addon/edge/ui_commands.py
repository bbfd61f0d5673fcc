"""Commands for people who watch: in the palette of mitmweb and behind ``:`` in mitmproxy's console."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from mitmproxy import ctx, flow, http
from mitmproxy.addonmanager import Loader
from mitmproxy.command import CommandManager
from mitmproxy.exceptions import CommandError
from mitmproxy.types import Path

from spycatcher_addon.cassette.model import Hashing, Interaction
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.assembly import Assembled
from spycatcher_addon.edge.flow_import import interactions_of_file, interactions_of_flows
from spycatcher_addon.edge.mitm import ReplayHooks
from spycatcher_addon.edge.resending import ResendHandler, why_not
from spycatcher_addon.edge.tape_reading import read_cassette
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.edge.watched import WatchedHooks
from spycatcher_addon.errors import HarnessError, HarnessIOError
from spycatcher_addon.known_values import recorded_rules
from spycatcher_addon.watching.chat_text import first_words, interaction_text

logger = logging.getLogger("spycatcher_addon")

_SHOWN_REASONS = 10
_SHOWN_UNUSED = 100


class HarnessCommands:
    """The commands of one harness."""

    name = "spycatcher-commands"

    def __init__(self, config: HarnessConfig, assembled: Assembled, environ: Mapping[str, str]) -> None:
        self._config = config
        self._assembled = assembled
        self._environ = environ
        self._sending: set[asyncio.Task[None]] = set()
        # What a command says is long at times; the log of a user interface has the room and the line ends for it.
        self._level_before = logger.level
        logger.setLevel(logging.INFO)

    def load(self, loader: Loader) -> None:
        """Offer the commands, where mitmproxy itself adds this."""
        self.offer(loader.master.commands)

    def offer(self, commands: CommandManager) -> None:
        """Offer the commands. The last one takes the place of mitmproxy's own: so the button of the page is ours too."""
        offered: dict[str, Callable[..., object]] = {
            "spycatcher.status": self.status,
            "spycatcher.unused": self.unused,
            "spycatcher.show": self.show,
            "spycatcher.rewind": self.rewind,
            "spycatcher.save": self.save,
            "spycatcher.import": self.import_file,
            "spycatcher.resend": self.resend,
            "replay.client": self.resend_aside,
        }
        for path, function in offered.items():
            commands.add(path, function)

    def done(self) -> None:
        """Give up what is being sent."""
        logger.setLevel(self._level_before)
        for task in self._sending:
            task.cancel()

    def status(self) -> str:
        """Say how far the recording or the replay has come."""
        stats, path = self._assembled.stats(), self._config.cassette_path
        shown = f"the list shows the last {self._config.ui.keep} exchanges"
        if isinstance(self._assembled.hooks, ReplayHooks):
            used = stats.interactions - len(stats.unused)
            return _said(
                f"replay of {path}: {used} of {stats.interactions} interactions used, {stats.mismatched} requests did not match, "
                f"{stats.rejected} refused; {shown}"
            )
        return _said(
            f"recording to {path}: {stats.recorded} interactions recorded, {stats.interactions} on the cassette, {stats.failed} failed, "
            f"{stats.abandoned} left early, {stats.refused} refused; {shown}"
        )

    def unused(self) -> Sequence[str]:
        """List the interactions that nobody has asked for yet."""
        session = self._replay().session
        unused = session.unused()
        lines = [f"#{index} {first_words(session.interaction(index))}" for index in unused[:_SHOWN_UNUSED]]
        if len(unused) > _SHOWN_UNUSED:
            lines.append(f"… and {len(unused) - _SHOWN_UNUSED} more")
        _said("\n".join(lines) or "every interaction has been used")
        return lines

    def show(self, index: int) -> str:
        """Show an interaction of the cassette, counted from 0."""
        hooks = self._assembled.hooks
        count = self._assembled.stats().interactions
        try:
            if isinstance(hooks, ReplayHooks):
                interaction = hooks.session.interaction(index) if index >= 0 else None
            else:
                interactions = read_cassette(self._config.cassette_path).cassette.interactions
                count = len(interactions)
                interaction = interactions[index] if 0 <= index < count else None
        except IndexError:
            interaction = None
        except HarnessError as error:
            raise CommandError(_text(error)) from error
        if interaction is None:
            raise CommandError(f"there is no interaction {index}; the cassette has {count}, counted from 0")
        return _said(interaction_text(index, interaction))

    def rewind(self) -> str:
        """Replay from the start of the cassette again."""
        session = self._replay().session
        session.rewind()
        return _said(f"replaying from the start; {len(session)} interactions are unused")

    def save(self, flows: Sequence[flow.Flow], cassette: Path) -> str:
        """Append exchanges to a cassette, which is made if there is none."""
        return self._append(str(cassette), *interactions_of_flows(flows, self._watched.stories, self._config, self._environ))

    def import_file(self, file: Path, cassette: Path) -> str:
        """Append the exchanges of a dump of mitmproxy or a HAR file to a cassette, which is made if there is none."""
        try:
            found = interactions_of_file(str(file), self._config, self._environ)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise CommandError(f"{file} cannot be imported: {reason}") from error
        return self._append(str(cassette), *found)

    def resend(self, flows: Sequence[flow.Flow]) -> str:
        """Send requests once more, as a client would: a recording records them, a replay consumes interactions."""
        return self._send(flows, is_counted=True)

    def resend_aside(self, flows: Sequence[flow.Flow]) -> None:
        """Send requests once more, outside of the recording or the replay: nothing is recorded, nothing consumed."""
        self._send(flows, is_counted=False)

    @property
    def _watched(self) -> WatchedHooks:
        hooks = self._assembled.hooks
        assert isinstance(hooks, WatchedHooks), "these commands are offered only where somebody watches"
        return hooks

    def _replay(self) -> ReplayHooks:
        hooks = self._assembled.hooks
        if not isinstance(hooks, ReplayHooks):
            raise CommandError("this is for a replay; a recording uses no interactions up")
        return hooks

    def _send(self, flows: Sequence[flow.Flow], is_counted: bool) -> str:
        if not flows:
            raise CommandError("no exchange is selected")
        for each in flows:
            reason = why_not(each)
            if reason is not None:
                raise CommandError(f"not sent: {reason}")
        for each in flows:
            assert isinstance(each, http.HTTPFlow), "checked above"
            self._send_one(each, is_counted)
        return f"sent {len(flows)} once more"

    def _send_one(self, each: http.HTTPFlow, is_counted: bool) -> None:
        hooks = self._watched
        each.backup()
        each.is_replay, each.response, each.error = "request", None, None
        hooks.stories.pop(each, None)
        if is_counted:
            hooks.counted.add(each)
        else:
            hooks.counted.discard(each)
        task = asyncio.create_task(ResendHandler(each, ctx.options, hooks).replay())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        hooks.on_change(each)

    def _append(self, path: str, interactions: Sequence[Interaction], reasons: Sequence[str]) -> str:
        if not interactions:
            raise CommandError("\n".join(["nothing was written: no exchange can be kept", *_shortened(reasons)]))
        ignore = self._config.matching.ignore
        try:
            hashing = Hashing(tuple(ignore.ignored_body_paths), recorded_rules(self._config), ignore.normalize)
            with CassetteWriter.open(path, hashing) as writer:
                for interaction in interactions:
                    writer.append(interaction)
                count = writer.interaction_count
        except HarnessError as error:
            raise CommandError(_text(error)) from error
        return _said("\n".join([f"appended {len(interactions)} to {path}, which has {count} now", *_shortened(reasons)]))


def _said(text: str) -> str:
    logger.info("%s", text)
    return text


def _text(error: HarnessError) -> str:
    return error.source if isinstance(error, HarnessIOError) else str(error)


def _shortened(reasons: Sequence[str]) -> Iterator[str]:
    yield from (f"left out: {reason}" for reason in reasons[:_SHOWN_REASONS])
    if len(reasons) > _SHOWN_REASONS:
        yield f"… and {len(reasons) - _SHOWN_REASONS} more left out"
