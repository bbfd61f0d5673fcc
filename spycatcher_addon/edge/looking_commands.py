"""The commands that look at cassettes and change nothing: ``ls``, ``show``, ``diff``, ``stats``.

Without a path they take the cassette that ``replay`` would take. What they find out is in :mod:`spycatcher_addon.tools`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from spycatcher_addon.edge import cli_options as options
from spycatcher_addon.edge import tape_options as tape
from spycatcher_addon.edge.cli_failure import EXIT_FAILURE, EXIT_USAGE, CommandError
from spycatcher_addon.edge.cli_help import HelpCommand
from spycatcher_addon.edge.cli_text import Texts
from spycatcher_addon.edge.tape_options import Settings
from spycatcher_addon.edge.terminal import write_err, write_out, write_out_bytes

if TYPE_CHECKING:
    from spycatcher_addon.cassette.canonical import IgnorePathConfig
    from spycatcher_addon.cassette.jsontext import JsonValue
    from spycatcher_addon.cassette.model import Cassette, Interaction
    from spycatcher_addon.tools.comparison import Pair
    from spycatcher_addon.tools.conversation import Conversation, Message
    from spycatcher_addon.tools.listing import Row
    from spycatcher_addon.tools.statistics import ModelStats, PriceTable

_SHOWN_HASH_DIGITS = 12
_EXCERPT_CHARS = 160
_KIND_KEYS = ("request", "behaviour", "wording")


def register_looking_commands(app: typer.Typer, settings: Settings) -> None:
    """Add the commands to the program."""

    # The first line of each docstring is the help that typer shows when there are no catalogues.
    @app.command("ls", cls=HelpCommand)
    def _ls(
        ctx: typer.Context,
        cassette: tape.OneCassette = None,
        as_json: tape.AsJson = False,
        cassette_dir: options.CassetteDir = None,
        cassette_name: options.CassetteName = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """List the interactions of a cassette."""
        configured, texts = settings(ctx)
        return _list(texts, cassette or configured.cassette_path, as_json)

    @app.command("show", cls=HelpCommand)
    def _show(
        ctx: typer.Context,
        number: tape.Number,
        cassette: tape.OneCassette = None,
        raw: tape.Raw = False,
        as_json: tape.AsJson = False,
        cassette_dir: options.CassetteDir = None,
        cassette_name: options.CassetteName = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Show one interaction as a conversation."""
        configured, texts = settings(ctx)
        return _show_interaction(texts, cassette or configured.cassette_path, number, is_raw=raw, is_json=as_json)

    @app.command("diff", cls=HelpCommand)
    def _diff(
        ctx: typer.Context,
        left: tape.Left,
        right: tape.Right,
        as_json: tape.AsJson = False,
        ignore_path: options.IgnorePath = None,
        normalize: options.Normalize = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Compare two cassettes, wording and behavior apart."""
        try:
            configured, texts = settings(ctx)
        except CommandError as error:
            # 1 says that the two are different, so nothing else may.
            error.exit_code = EXIT_USAGE
            raise
        return _compare(texts, left, right, configured.matching.ignore, as_json)

    @app.command("stats", cls=HelpCommand)
    def _stats(
        ctx: typer.Context,
        cassettes: tape.SomeCassettes = None,
        prices: tape.Prices = None,
        as_json: tape.AsJson = False,
        cassette_dir: options.CassetteDir = None,
        cassette_name: options.CassetteName = None,
        config: options.ConfigFileOption = None,
        locale: options.Locale = None,
        fallback_locale: options.FallbackLocale = None,
    ) -> int:
        """Count tokens, bytes, durations and the estimated cost."""
        configured, texts = settings(ctx)
        return _count(texts, cassettes or [configured.cassette_path], prices, as_json)


def _list(texts: Texts, path: str, is_json: bool) -> int:
    from spycatcher_addon.edge.tape_files import load_cassette
    from spycatcher_addon.edge.tape_view import show_json, show_table, terminal_width
    from spycatcher_addon.tools.listing import list_interactions

    cassette = load_cassette(texts, path)
    rows = list_interactions(cassette)
    if is_json:
        show_json({"cassette": path, "format_version": cassette.format_version, "interactions": [row.as_json() for row in rows]})
        return 0
    if not rows:
        write_out(f"{texts('cli-tape-empty')}\n")
        return 0
    is_short = terminal_width() > 0
    columns = ("index", "time", "model", "stream", "status", "input", "output", "bytes", "hash")
    headings = [texts(f"cli-column-{column}") for column in columns]
    show_table(headings, [_list_cells(texts, row, is_short) for row in rows], numeric={0, 4, 5, 6, 7})
    if is_short:
        write_out(f"{texts('cli-hashes-shortened')}\n")
    return 0


def _list_cells(texts: Texts, row: Row, is_short: bool) -> list[str]:
    status = str(row.status) if row.failure is None else f"{row.status} {row.failure}"
    return [
        str(row.index),
        row.recorded_at,
        row.model or "-",
        texts("cli-yes") if row.is_stream else "-",
        status,
        _or_dash(row.usage.input_tokens),
        _or_dash(row.usage.output_tokens),
        str(row.request_bytes + row.response_bytes),
        (row.stable_hash or "-")[: _SHOWN_HASH_DIGITS if is_short else None],
    ]


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)


def _show_interaction(texts: Texts, path: str, number: int, *, is_raw: bool, is_json: bool) -> int:
    from spycatcher_addon.cassette.model import StreamResponse
    from spycatcher_addon.edge.tape_files import load_cassette
    from spycatcher_addon.edge.tape_view import show_json
    from spycatcher_addon.tools.conversation import read_conversation
    from spycatcher_addon.tools.listing import describe

    interaction = _interaction_at(texts, load_cassette(texts, path), number)
    if is_raw:
        response = interaction.response
        write_out_bytes(response.raw_transcript if isinstance(response, StreamResponse) else response.body)
        return 0
    row, conversation = describe(number, interaction), read_conversation(interaction)
    if is_json:
        show_json({"cassette": path, **row.as_json(), "conversation": conversation.as_json()})
        return 0
    write_out("".join(_conversation_lines(row, conversation)))
    return 0


def _interaction_at(texts: Texts, cassette: Cassette, number: int) -> Interaction:
    count = len(cassette.interactions)
    if number < count:
        return cassette.interactions[number]
    message = texts("cli-show-missing", index=str(number), last=str(count - 1)) if count else texts("cli-tape-empty")
    raise CommandError(message)


def _conversation_lines(row: Row, conversation: Conversation) -> Iterator[str]:
    """The conversation; labels are the protocol's own names, which are the same in every language."""
    from spycatcher_addon.edge.tape_view import on_one_line, paragraph

    kind = "stream" if row.is_stream else "non_stream"
    failure = "" if row.failure is None else f" failure={row.failure}"
    model = on_one_line(conversation.model) or "-"
    yield f"[{row.index}] {on_one_line(row.recorded_at)} model={model} {kind} status={row.status}{failure}\n"
    if conversation.tools:
        yield f"tools: {on_one_line(', '.join(conversation.tools))}\n"
    for message in conversation.asked:
        yield from _message_lines(message, "")
    for number, message in enumerate(conversation.answered):
        yield from _message_lines(message, f" choices[{number}]" if len(conversation.answered) > 1 else "")
    if conversation.error is not None:
        yield f"\nerror:\n{paragraph(json.dumps(conversation.error, ensure_ascii=False, indent=2), '  ')}"
    if conversation.other:
        yield f"\nbody:\n{paragraph(conversation.other, '  ')}"
    usage = [f"{name}={value}" for name, value in conversation.usage.as_json().items() if value is not None]
    if usage:
        yield f"\nusage: {' '.join(usage)}\n"


def _message_lines(message: Message, note: str) -> Iterator[str]:
    from spycatcher_addon.edge.tape_view import on_one_line, paragraph

    answers = f" tool_call_id={on_one_line(message.tool_call_id)}" if message.tool_call_id else ""
    ended = f" finish_reason={on_one_line(message.finish_reason)}" if message.finish_reason else ""
    yield f"\n{on_one_line(message.role) or '-'}{note}{answers}{ended}:\n"
    if message.reasoning:
        yield f"  reasoning:\n{paragraph(message.reasoning, '    ')}"
    if message.text:
        yield paragraph(message.text, "  ")
    if message.refusal:
        yield f"  refusal:\n{paragraph(message.refusal, '    ')}"
    for call in message.tool_calls:
        call_id = f" id={on_one_line(call.call_id)}" if call.call_id else ""
        yield f"  tool_call{call_id} {on_one_line(call.name)}:\n{paragraph(call.arguments, '    ')}"


def _compare(texts: Texts, left: str, right: str, ignore: IgnorePathConfig, is_json: bool) -> int:
    from spycatcher_addon.edge.tape_files import load_cassette
    from spycatcher_addon.edge.tape_view import show_json
    from spycatcher_addon.errors import HarnessError
    from spycatcher_addon.tools.comparison import compare_cassettes

    one, other = (load_cassette(texts, path, EXIT_USAGE) for path in (left, right))
    try:
        pairs = compare_cassettes(one, other, ignore)
    except HarnessError as error:
        raise CommandError(texts.error(error), exit_code=EXIT_USAGE) from error
    is_same = all(pair.is_same for pair in pairs)
    if is_json:
        show_json({"left": left, "right": right, "same": is_same, "pairs": [pair.as_json() for pair in pairs]})
    elif is_same:
        write_out(f"{texts('cli-diff-same', count=len(pairs))}\n")
    else:
        write_out("".join(f"{line}\n" for pair in pairs for line in _pair_lines(texts, pair, left, right)))
        write_out(f"{_diff_summary(texts, pairs)}\n")
    return 0 if is_same else EXIT_FAILURE


def _pair_lines(texts: Texts, pair: Pair, left: str, right: str) -> Iterator[str]:
    from spycatcher_addon.edge.tape_view import on_one_line

    word = texts("verify-interaction")
    if not pair.is_paired:
        index, path = (pair.right, right) if pair.left is None else (pair.left, left)
        yield f"{word} {index}: {texts('cli-diff-single')} {path}"
        return
    place = f"{word} {pair.left}" if pair.left == pair.right else f"{word} {pair.left} / {pair.right}"
    for key, found in zip(_KIND_KEYS, (pair.request, pair.behaviour, pair.wording), strict=True):
        label = texts(f"cli-diff-{key}")
        for difference in found:
            yield f"{place}: {label}: {on_one_line(difference.excerpt(_EXCERPT_CHARS))}"


def _diff_summary(texts: Texts, pairs: Sequence[Pair]) -> str:
    return texts(
        "cli-diff-summary",
        same=str(sum(pair.is_same for pair in pairs)),
        request=str(sum(bool(pair.request) for pair in pairs)),
        behaviour=str(sum(bool(pair.behaviour) for pair in pairs)),
        wording=str(sum(bool(pair.wording) for pair in pairs)),
        single=str(sum(not pair.is_paired for pair in pairs)),
    )


def _count(texts: Texts, paths: Sequence[str], prices_path: str | None, is_json: bool) -> int:
    from spycatcher_addon.edge.progress import progress
    from spycatcher_addon.edge.tape_files import load_cassette, load_prices
    from spycatcher_addon.edge.tape_view import show_json
    from spycatcher_addon.tools.statistics import collect_stats, sum_stats

    prices = None if prices_path is None else load_prices(texts, prices_path)
    by_model = collect_stats((each for path in progress(paths, "stats") for each in load_cassette(texts, path).interactions), prices)
    total = sum_stats(by_model)
    if is_json:
        models: list[JsonValue] = [each.as_json() for each in by_model]
        currency = None if prices is None else prices.currency
        show_json({"cassettes": list(paths), "currency": currency, "models": models, "total": {**total.as_json(), "model": None}})
        return 0
    _show_stats(texts, by_model, total, prices)
    if total.without_usage:
        write_err(f"warning: {texts('cli-stats-no-usage', count=total.without_usage)}\n")
    unpriced = [each.model or "-" for each in by_model if each.cost is None]
    if prices is not None and unpriced:
        write_err(f"warning: {texts('cli-stats-no-price')} {', '.join(unpriced)}\n")
    return 0


def _show_stats(texts: Texts, by_model: Sequence[ModelStats], total: ModelStats, prices: PriceTable | None) -> None:
    from spycatcher_addon.edge.tape_view import show_table

    columns = ["model", "interactions", "errors", "streams", "input", "output", "sent", "received", "first", "whole"]
    headings = [texts(f"cli-column-{column}") for column in columns]
    if prices is not None:
        headings.append(f"{texts('cli-column-cost')} {prices.currency}".rstrip())
    rows = [_stats_cells(each, each.model or "-", prices) for each in by_model]
    rows.append(_stats_cells(total, texts("cli-stats-total"), prices))
    show_table(headings, rows, numeric=set(range(1, len(headings))))


def _stats_cells(stats: ModelStats, name: str, prices: PriceTable | None) -> list[str]:
    from spycatcher_addon.tools.statistics import middle

    counts = (stats.interactions, stats.errors, stats.streams, stats.input_tokens, stats.output_tokens)
    cells = [name, *map(str, counts), str(stats.request_bytes), str(stats.response_bytes)]
    cells += [_or_dash(middle(stats.ttft_ms)), _or_dash(middle(stats.duration_ms))]
    if prices is not None:
        cells.append("-" if stats.cost is None else f"{stats.cost:.6f}")
    return cells
