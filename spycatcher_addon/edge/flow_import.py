"""Flows as interactions: those in the list of a user interface, and those in a dump of mitmproxy or a HAR file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from mitmproxy import exceptions, flow, http
from mitmproxy.io import FlowReader

from spycatcher_addon.cassette.canonical import IgnorePathConfig, pointer_from_config
from spycatcher_addon.cassette.jsontext import NotJsonError, parse_json
from spycatcher_addon.cassette.model import Interaction
from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.disk import read_regular_file
from spycatcher_addon.errors import InvalidPointerPathError
from spycatcher_addon.known_values import known_values
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.tools.editing import with_hash
from spycatcher_addon.tools.har import import_har
from spycatcher_addon.tools.importing import ForeignExchange, import_exchange
from spycatcher_addon.tools.losses import LossKind
from spycatcher_addon.watching.story import Outcome, Story

_LEFT_OUT = {
    LossKind.FOREIGN: "exchanges with other endpoints",
    LossKind.UNUSABLE: "exchanges without a whole answer",
}


class _Importer:
    """Settings that hold for every exchange of one import."""

    def __init__(self, config: HarnessConfig, environ: Mapping[str, str]) -> None:
        self._rules = config.redaction.rules.with_known(known_values(config, environ))
        self.drop_headers = self._rules.drop_headers
        self.ignore = IgnorePathConfig(tuple(pointer_from_config(written) for written in config.matching.ignore_paths))
        self._redactor = InteractionRedactor(self._rules, config.limits.max_body_bytes)

    def clean(self, interaction: Interaction) -> Interaction:
        """The interaction without secrets, hashed."""
        return with_hash(self._redactor.interaction(interaction)[0], self.ignore)

    def flow(self, each: flow.Flow) -> Interaction | str:
        """A flow as an interaction, or why it is none."""
        if not isinstance(each, http.HTTPFlow):
            return f"a {each.type} connection, which is no HTTP exchange"
        name = f"{each.request.method} {each.request.pretty_url.partition('?')[0]}"
        response = each.response
        if response is None or each.error is not None:
            return f"{name}: no whole answer"
        if each.request.raw_content is None or response.raw_content is None:
            return f"{name}: the body is missing (mitmproxy keeps streamed bodies only with store_streamed_bodies)"
        started = each.request.timestamp_start
        exchange = ForeignExchange(
            method=each.request.method,
            url=each.request.url,
            request_headers=tuple(each.request.headers.items(multi=True)),
            request_body=each.request.raw_content,
            status=response.status_code,
            response_headers=tuple(response.headers.items(multi=True)),
            response_body=response.raw_content,
            recorded_at=f"{datetime.fromtimestamp(started, UTC):%Y-%m-%dT%H:%M:%S.%f}Z",
            duration_ms=None if response.timestamp_end is None else max(0, round((response.timestamp_end - started) * 1000)),
        )
        try:
            interaction, losses = import_exchange(exchange, self.drop_headers, self.ignore)
            if interaction is not None:
                return self.clean(interaction)
        except (InvalidPointerPathError, UnicodeEncodeError) as error:
            return f"{name}: {error}"
        return f"{name}: {'another endpoint' if LossKind.FOREIGN in losses else 'no whole answer'}"


def interactions_of_flows(
    flows: Iterable[flow.Flow], stories: Mapping[http.HTTPFlow, Story], config: HarnessConfig, environ: Mapping[str, str]
) -> tuple[list[Interaction], list[str]]:
    """Flows from the list as interactions, and in words what cannot be one.

    Args:
        stories: A flow that has been recorded or replayed is taken from the tape instead of from what is shown of it.
    """
    importer = _Importer(config, environ)
    interactions: list[Interaction] = []
    reasons: list[str] = []
    for each in flows:
        story = stories.get(each) if isinstance(each, http.HTTPFlow) else None
        outcome: Interaction | str
        if story is not None and story.is_harness_made:
            outcome = f"{story.comment}: the answer was made by the harness"
        elif (
            story is not None
            and story.interaction is not None
            and story.outcome in (Outcome.RECORDED, Outcome.KEPT_FAILURE, Outcome.REPLAYED)
        ):
            outcome = with_hash(story.interaction, importer.ignore)
        else:
            outcome = importer.flow(each)
        if isinstance(outcome, str):
            reasons.append(outcome)
        else:
            interactions.append(outcome)
    return interactions, reasons


def interactions_of_file(path: str, config: HarnessConfig, environ: Mapping[str, str]) -> tuple[list[Interaction], list[str]]:
    """The exchanges of a dump of mitmproxy or of a HAR file, told apart by content; and in words what cannot be one.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is neither.
    """
    importer = _Importer(config, environ)
    data, status = read_regular_file(path)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _of_archive(data, f"{datetime.fromtimestamp(status.st_mtime, UTC):%Y-%m-%dT%H:%M:%S.%f}Z", importer)
    interactions: list[Interaction] = []
    reasons: list[str] = []
    with open(path, "rb") as file:
        try:
            for each in FlowReader(file).stream():
                outcome = importer.flow(each)
                if isinstance(outcome, str):
                    reasons.append(outcome)
                else:
                    interactions.append(outcome)
        except exceptions.FlowReadException as error:
            if not interactions and not reasons:
                raise ValueError(f"it is neither a dump of mitmproxy nor a HAR file ({error})") from error
            reasons.append(f"the rest of the file, which is damaged ({error})")
    return interactions, reasons


def _of_archive(data: bytes, modified: str, importer: _Importer) -> tuple[list[Interaction], list[str]]:
    try:
        document = parse_json(data.removeprefix(b"\xef\xbb\xbf"))
    except NotJsonError as error:
        raise ValueError(f"it is no HAR file: {error}") from error
    imported = import_har(document, importer.drop_headers, importer.ignore, modified)
    reasons = [f"{loss.count} {_LEFT_OUT[loss.kind]}" for loss in imported.losses if loss.kind in _LEFT_OUT]
    return [importer.clean(interaction) for interaction in imported.interactions], reasons
