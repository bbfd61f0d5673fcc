"""The add-on behind ``mitmdump -s``: mitmproxy's options become the command-line layer of the configuration.

Everything that can fail happens in ``configure``, where ending the process still keeps the listener closed: an error
raised in ``load`` would be lost, and mitmproxy would go on as an open proxy without the add-on. For the same reason all
options are plain text or lists of text, and are read by our own rules.
"""

from __future__ import annotations

import atexit
import difflib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from mitmproxy.addonmanager import Loader
from mitmproxy.addons.view import View
from mitmproxy.connection import Client
from mitmproxy.master import Master
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.mode_specs import ProxyMode, ReverseMode
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from spycatcher_addon.config import HarnessConfig, Mode
from spycatcher_addon.edge.assembly import Assembled, assemble
from spycatcher_addon.edge.cli_language import LocalizationError, configured_texts
from spycatcher_addon.edge.cli_text import Texts, without_marks
from spycatcher_addon.edge.flow_stories import COLUMNS, put_story, watch_flows
from spycatcher_addon.edge.layers import OPTION_PREFIX, ResolvedConfig, option_names, option_origin, resolve_config
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.edge.serving import record_summary, replay_summary
from spycatcher_addon.edge.ui_commands import HarnessCommands
from spycatcher_addon.edge.watched import WatchedHooks
from spycatcher_addon.errors import HarnessError, HarnessIOError, InvalidConfigError

logger = logging.getLogger("spycatcher_addon")

_MODE_OPTION = f"{OPTION_PREFIX}mode"
_CONFIG_OPTION = f"{OPTION_PREFIX}config"
_USAGE_EXIT = 2
_DUMPS = ("save_stream_file", "hardump")
"""Options of mitmproxy that write flows to a file."""
_FLOW_OPTIONS = (
    "anticache",
    "anticomp",
    "block_list",
    "dumper_filter",
    "flow_detail",
    "intercept",
    "map_local",
    "map_remote",
    "modify_body",
    "modify_headers",
    "proxyauth",
    "server_replay",
    "stickyauth",
    "stickycookie",
)
"""Options of mitmproxy that do something with flows, or print them."""
_TEXT: Any = Optional[str]  # noqa: UP045 - one of the type objects that mitmproxy knows how to parse
_TEXTS: Any = Sequence[str]


class HarnessScript:
    """Reads the options once, then hands every hook to the add-on of the chosen mode."""

    def __init__(self) -> None:
        self.addons: list[object] = []
        """Add-ons below this one; mitmproxy calls their hooks too."""
        self._master: Master | None = None
        self._assembled: Assembled | None = None
        self._texts: Texts | None = None
        self._path = ""

    def load(self, loader: Loader) -> None:
        """Register the options; may not fail."""
        self._master = loader.master
        # The listener may be open already: nobody who comes in before the configuration is known may cause a connection.
        self._master.options.update_known(connection_strategy="lazy")
        for name, (dotted, is_list) in option_names().items():
            loader.add_option(name, _TEXTS if is_list else _TEXT, [] if is_list else None, f"Setting `{dotted}` of spycatcher-harness.")
        loader.add_option(_CONFIG_OPTION, _TEXT, None, "The one configuration file to read instead of the discovered ones.")

    def client_connected(self, client: Client) -> None:
        """Turn away who comes before the harness stands, or while the process ends because it cannot."""
        if self._assembled is None:
            client.error = "spycatcher has not started"

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """The same for the way upstream."""
        if self._assembled is None:
            data.server.error = "spycatcher has not started"

    def configure(self, updated: set[str]) -> None:
        """At the start, build the harness or end the process with one line; later changes are only reported."""
        assert self._master is not None
        if self._assembled is not None:
            late = sorted(name for name in updated if name.startswith(OPTION_PREFIX))
            if late:
                logger.warning("spycatcher: %s changed; it takes effect at the next start", ", ".join(late))
            return
        try:
            config = self._resolve(self._master)
            self._texts = configured_texts(config.localization)
            view = self._master.addons.get("view")
            dumps = [option for option in _DUMPS if getattr(self._master.options, option, None)]
            # A recording has the provider's key in its flows, which mitmdump prints when it is asked for details.
            is_watched = view is not None or bool(dumps) or config.mode is Mode.RECORD
            self._assembled = assemble(config, os.environ, is_watched=is_watched)
        except LocalizationError as error:
            logger.error("spycatcher: failed to prepare localization: %s", error)
            raise SystemExit(1) from None
        except HarnessError as error:
            _log_start_failure(error, self._texts)
            raise SystemExit(error.exit_code if not isinstance(error, InvalidConfigError) else _USAGE_EXIT) from None
        self._start(self._master, self._assembled, config, self._texts)
        if isinstance(view, View):
            self._show(self._master, view, self._assembled, config)
        elif isinstance(self._assembled.hooks, WatchedHooks):
            self._assembled.hooks.on_story = put_story
        if dumps:
            _announce_dumps(" and ".join(dumps), config.ui.mask_secrets)

    def next_layer(self, next_layer: NextLayer) -> None:
        """Let mitmproxy choose first: its own add-on has its turn only after those of a script, and ours goes by its choice."""
        assert self._master is not None
        stock = self._master.addons.get("nextlayer")
        if stock is not None:
            stock.next_layer(next_layer)

    def _show(self, master: Master, view: View, assembled: Assembled, config: HarnessConfig) -> None:
        """Somebody watches, in mitmweb or in the console."""
        hooks = assembled.hooks
        assert isinstance(hooks, WatchedHooks), "asked for where there is a view"
        self.addons.extend(watch_flows(master, view, hooks, config.ui.keep))
        commands = HarnessCommands(config, assembled, os.environ)
        commands.offer(master.commands)
        self.addons.append(commands)
        if "web_columns" in master.options and not master.options.has_changed("web_columns"):
            master.options.update(web_columns=list(COLUMNS))

    def _resolve(self, master: Master) -> HarnessConfig:
        options = master.options
        self._refuse_unknown_options(list(options.deferred))
        given: dict[str, object] = {}
        for name, (dotted, _) in option_names().items():
            value = getattr(options, name)
            if value is not None and value != []:
                given[dotted] = list(value) if isinstance(value, (list, tuple)) else value
        mode_text = str(given.pop("mode", Mode.REPLAY))
        try:
            mode = Mode(mode_text)
            if mode is Mode.AUTO:  # whose recording becomes the tape at a clean end, which a script does not see
                raise ValueError
        except ValueError:
            raise InvalidConfigError(f"option {_MODE_OPTION} is {mode_text!r}; use record or replay") from None
        target = _reverse_target(list(options.mode))
        resolved = self._merge(mode, given)
        if mode is Mode.RECORD and not (resolved.is_set("upstream.base_url") or resolved.is_set("upstream.kind")):
            resolved = self._merge(mode, {**given, "upstream.base_url": f"{target}/v1"})
        return resolved.config

    def _merge(self, mode: Mode, given: Mapping[str, object]) -> ResolvedConfig:
        assert self._master is not None
        return resolve_config(
            mode,
            cli=given,
            environ=os.environ,
            cwd=os.getcwd(),
            home=os.environ.get("HOME") or os.environ.get("USERPROFILE"),
            config_file=getattr(self._master.options, _CONFIG_OPTION),
            cli_origin=option_origin,
        )

    def _refuse_unknown_options(self, deferred: list[str]) -> None:
        known = [*option_names(), _CONFIG_OPTION]
        for name in deferred:
            if name.startswith(OPTION_PREFIX):
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]}?" if close else f"options are settings with {OPTION_PREFIX} before, like {_MODE_OPTION}"
                raise InvalidConfigError(f"unknown option {name}; {hint}")

    def _start(self, master: Master, assembled: Assembled, config: HarnessConfig, texts: Texts) -> None:
        hooks = assembled.hooks
        settings: dict[str, object] = {"connection_strategy": "lazy", "keep_alt_svc_header": True}
        if isinstance(hooks, RecordHooks):
            # Without this a recorded stream would have no body to show in mitmweb or to save with -w.
            settings["store_streamed_bodies"] = True
            settings["tcp_timeout"] = max(master.options.tcp_timeout, hooks.longest_silence_s)
            # Not in done(): mitmproxy calls it before the last exchanges have ended.
            atexit.register(hooks.close)
        for name in ("stream_large_bodies", "body_size_limit"):
            if getattr(master.options, name):
                logger.warning("spycatcher: %s is set back: it would change what is recorded; limits.max_body_bytes is ours", name)
                settings[name] = None
        master.options.update(**settings)
        proxyserver = master.addons.get("proxyserver")
        if proxyserver is not None:
            hooks.connections = proxyserver.connections
        if isinstance(hooks, ReplayHooks):
            wanted_by = _wants_flows(master)
            hooks.has_fast_lane = hooks.has_fast_lane and wanted_by is None
            if hooks.wants_flows or not hooks.has_fast_lane:
                logger.info("spycatcher: every exchange is a flow%s", f", because of {wanted_by}" if wanted_by else "")
            else:
                logger.info("spycatcher: ordinary requests are answered without flows; set replay.lane to flow to see them")
        for notice in assembled.notices:
            logger.warning("spycatcher: %s", without_marks(texts.notice(notice)))
        self._path = config.cassette_path
        logger.info("spycatcher: %s %s", config.mode, self._path)
        self.addons.append(hooks)

    def done(self) -> None:
        """Say how it went."""
        if self._assembled is not None and self._texts is not None:
            for line in _summary(self._texts, self._assembled, self._path):
                logger.info("spycatcher: %s", without_marks(line))
            if isinstance(self._assembled.hooks, ReplayHooks):
                self._close_replay(self._assembled)

    def _close_replay(self, assembled: Assembled) -> None:
        try:
            assembled.close(True)
        except HarnessIOError as error:
            logger.error("spycatcher: %s", error.source)


def _log_start_failure(error: HarnessError, texts: Texts | None) -> None:
    """Say why there is no harness: in English as long as no configuration says another language."""
    if texts is None:
        logger.error("spycatcher: failed to start harness: %s", error.source if isinstance(error, HarnessIOError) else error)
    else:
        detail = error.source if isinstance(error, HarnessIOError) else texts.error(error)
        logger.error("spycatcher: %s", without_marks(f"{texts('cli-start-failed')} {detail}"))


def _announce_dumps(named: str, is_masked: bool) -> None:
    if is_masked:
        logger.info("spycatcher: %s is written with secrets masked as on the cassette (ui.mask_secrets)", named)
    else:
        logger.warning("spycatcher: %s holds secrets as they travel, because ui.mask_secrets is off; keep it to yourself", named)


def _summary(texts: Texts, assembled: Assembled, path: str) -> Iterator[str]:
    stats = assembled.stats()
    if isinstance(assembled.hooks, RecordHooks):
        return record_summary(texts, stats, path, texts("cli-mitmproxy-address"))
    return replay_summary(texts, stats, path)


def _wants_flows(master: Master) -> str | None:
    """What besides the harness does something with flows: an option of mitmproxy or another script; ``None`` if nothing does."""
    options = master.options
    if len(getattr(options, "scripts", ())) > 1:
        return "another script"
    return next((name for name in _FLOW_OPTIONS if name in options and options.has_changed(name) and getattr(options, name)), None)


def _reverse_target(modes: list[str]) -> str:
    """The URL of the one reverse proxy mode that the harness needs, ``http://host:port``.

    Raises:
        InvalidConfigError: mitmproxy was started in another mode, or in several.
    """
    wanted = "start mitmproxy with --mode reverse:http://HOST (replay ignores HOST; record sends there unless upstream.base_url is set)"
    if len(modes) != 1:
        raise InvalidConfigError(f"spycatcher works in exactly one proxy mode; {wanted}")
    spec = ProxyMode.parse(modes[0])
    if not isinstance(spec, ReverseMode) or spec.scheme not in ("http", "https"):
        raise InvalidConfigError(f"spycatcher does not work in the proxy mode {modes[0]!r}; {wanted}")
    host, port = spec.address
    return f"{spec.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


addons = [HarnessScript()]
"""What mitmproxy's script loader looks for; a list made once, because a new add-on per look would lose its state."""
