"""The options of the command line: their spelling, their checks, and the setting each one stands for.

The help written here is what typer shows by itself when localization is switched off or unusable; otherwise
:mod:`spycatcher_addon.edge.cli_help` takes the texts from the catalogues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from spycatcher_addon.choices import (
    ListenAddr,
    MatchMode,
    Mode,
    RecordMode,
    ReportFormat,
    StreamSource,
    TimingMode,
    UiKind,
    UpstreamKind,
    VerifyFormat,
)
from spycatcher_addon.errors import InvalidPointerPathError
from spycatcher_addon.tools.formats import TargetFormat

if TYPE_CHECKING:
    from spycatcher_addon.layering import Place

FLAGS: Mapping[str, Place] = {
    "listen": ("listen",),
    "grace": ("shutdown_grace_s",),
    "cassette_dir": ("cassette_dir",),
    "cassette_name": ("cassette_name",),
    "match_mode": ("match_mode",),
    "ignore_path": ("matching", "ignore_paths"),
    "normalize": ("matching", "normalize"),
    "fail_unused": ("fail_unused",),
    "stream_source": ("replay", "stream_source"),
    "include_failures": ("replay", "include_failures"),
    "report": ("replay", "report"),
    "report_format": ("replay", "report_format"),
    "timing": ("replay", "timing"),
    "timing_factor": ("replay", "timing_factor"),
    "timing_seed": ("replay", "timing_seed"),
    "keep_failures": ("record", "keep_failures"),
    "record_mode": ("auto", "mode"),
    "ui": ("ui", "kind"),
    "ui_port": ("ui", "port"),
    "ui_password": ("ui", "password"),
    "ui_keep": ("ui", "keep"),
    "fault": ("faults",),
    "fault_seed": ("fault_seed",),
    "fault_report": ("fault_report",),
    "upstream_kind": ("upstream", "kind"),
    "base_url": ("upstream", "base_url"),
    "api_key_env": ("upstream", "api_key_env"),
    "locale": ("localization", "locale"),
    "fallback_locale": ("localization", "fallback_locale"),
}
"""Parameter of a command -> the setting it stands for."""


_DEFAULTS: Mapping[str, str] = {
    "listen": "127.0.0.1:8787",
    "grace": "5",
    "cassette_dir": "fixtures/llm",
    "cassette_name": "default",
    "match_mode": MatchMode.SEQUENTIAL_STRICT,
    "stream_source": StreamSource.EVENTS,
    "report_format": ReportFormat.JSONL,
    "timing": TimingMode.OFF,
    "timing_factor": "1",
    "timing_seed": "0",
    "record_mode": RecordMode.ONCE,
    "ui": UiKind.NONE,
    "ui_port": "8081",
    "ui_keep": "500",
    "fault_seed": "0",
    "fallback_locale": "en-US",
    "form": VerifyFormat.TEXT,
}
"""Parameter of a command -> the default of its setting. Written out, for the settings themselves take longer to load than all
of help; the tests hold it to them. Flags of the upstream have no default: without any of them there is no upstream."""

CHOICES: Mapping[str, type[StrEnum]] = {
    "match_mode": MatchMode,
    "stream_source": StreamSource,
    "timing": TimingMode,
    "report_format": ReportFormat,
    "record_mode": RecordMode,
    "upstream_kind": UpstreamKind,
    "ui": UiKind,
    "subcommand": Mode,
    "to": TargetFormat,
    "form": VerifyFormat,
}
"""Parameter of a command -> the values it can have, for those with a fixed list."""


class BadValueError(typer.BadParameter):
    """An option's value cannot be used."""

    def __init__(self, value: str, expected: str, choices: tuple[str, ...] = (), detail: str = "") -> None:
        """Args:
        expected: What it should have been, in English; the last part of the id of the localized text.
        detail: Which part of the value is wrong, and how, where it has parts.
        """
        super().__init__(f"{value!r} is not {expected.replace('-', ' ')}")
        self.value = value
        self.expected_id = f"cli-expected-{expected}"
        self.choices = choices
        self.detail = detail


def flag_name(place: Place) -> str:
    """How messages name the flag of a setting, or of the first flag that sets something in a table."""
    parameter = next(name for name, target in FLAGS.items() if target[: len(place)] == place)
    return f"flag --{parameter.replace('_', '-')}"


def cli_values(parameters: Mapping[str, object]) -> dict[str, object]:
    """The settings given by flags: dotted key -> value. Flags that were not given are left out."""
    return {
        ".".join(FLAGS[name]): value
        for name, value in parameters.items()
        # An empty text is a value somebody gave; an empty list is what typer makes of a flag that nobody gave.
        if name in FLAGS and value is not None and value is not False and value not in ([], ())
    }


def default_of(parameter: str) -> str | None:
    """The default of a flag's setting as text for help; ``None`` where there is nothing worth showing."""
    return _DEFAULTS.get(parameter)


def _listen(text: str) -> str:
    try:
        ListenAddr.parse(text)
    except ValueError as error:
        raise BadValueError(text, "listen") from error
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:  # NaN is not in there either
        raise BadValueError(text, "seconds")
    return seconds


def _ignore_path(text: str) -> str:
    from spycatcher_addon.cassette.pointers import pointer_from_config

    try:
        pointer_from_config(text)
    except InvalidPointerPathError as error:
        raise BadValueError(text, "ignore-path") from error
    return text


def _normalize(text: str) -> str:
    from spycatcher_addon.cassette.normalizing import parse_normalize_rules

    try:
        parse_normalize_rules([text])
    except ValueError as error:
        raise BadValueError(text, "normalize", detail=str(error).partition(": ")[2]) from error
    return text


def _fault(text: str) -> str:
    from spycatcher_addon.fault_rules import parse_fault_rule

    try:
        parse_fault_rule("fault", text)
    except ValueError as error:
        raise BadValueError(text, "fault", detail=str(error)) from error
    return text


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor < math.inf:  # NaN is not in there either
        raise BadValueError(text, "factor")
    return factor


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise BadValueError(text, "number") from error


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > 65535:
        raise BadValueError(text, "port")
    return int(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise BadValueError(text, "count")
    return int(text)


def _password(text: str) -> str:
    if not text:
        raise BadValueError(text, "password")
    return text


def _choice(values: type[StrEnum]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        try:
            return values(text).value
        except ValueError as error:
            raise BadValueError(text, "choice", tuple(values)) from error

    parse.__name__ = values.__name__
    return parse


def _complete(values: type[StrEnum]) -> Callable[[str], list[str]]:
    return lambda incomplete: [value for value in values if value.startswith(incomplete)]


SERVER, CASSETTE, MATCHING, ANSWERS = "cli-group-server", "cli-group-cassette", "cli-group-matching", "cli-group-answers"
FAULTS, WATCHING, OUTPUT = "cli-group-faults", "cli-group-watching", "cli-group-output"
UPSTREAM, SOURCES, MESSAGES = "cli-group-upstream", "cli-group-sources", "cli-group-messages"
"""Message ids of the headings that options stand under in help."""

Listen = Annotated[
    str | None,
    typer.Option(
        "--listen", metavar="IP:PORT", parser=_listen, help="Address to listen on; port 0 picks a free one.", rich_help_panel=SERVER
    ),
]
Grace = Annotated[
    float | None,
    typer.Option(
        "--grace", metavar="SECONDS", parser=_seconds, help="How long running exchanges may finish at shutdown.", rich_help_panel=SERVER
    ),
]
CassetteDir = Annotated[
    str | None,
    typer.Option("--cassette-dir", metavar="PATH", help="Directory of the cassettes.", rich_help_panel=CASSETTE),
]
CassetteName = Annotated[
    str | None,
    typer.Option("--cassette-name", metavar="NAME", help="File name of the cassette, exactly as on disk.", rich_help_panel=CASSETTE),
]
FailUnused = Annotated[
    bool,
    typer.Option("--fail-unused", help="Exit with code 3 if recorded interactions were never asked for.", rich_help_panel=MATCHING),
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report", metavar="FILE", help="File for requests without a recorded answer, one JSON line each.", rich_help_panel=MATCHING
    ),
]
ReportFormatOption = Annotated[
    str | None,
    typer.Option(
        "--report-format",
        metavar="FORMAT",
        parser=_choice(ReportFormat),
        autocompletion=_complete(ReportFormat),
        help="What --report is written as.",
        rich_help_panel=MATCHING,
    ),
]
KeepFailures = Annotated[
    bool,
    typer.Option("--keep-failures", help="Keep exchanges that ended badly, marked as failures.", rich_help_panel=CASSETTE),
]
RecordModeOption = Annotated[
    str | None,
    typer.Option(
        "--record-mode",
        metavar="MODE",
        parser=_choice(RecordMode),
        autocompletion=_complete(RecordMode),
        help="What is replayed and what is recorded.",
        rich_help_panel=CASSETTE,
    ),
]
MatchModeOption = Annotated[
    str | None,
    typer.Option(
        "--match-mode",
        metavar="MODE",
        parser=_choice(MatchMode),
        autocompletion=_complete(MatchMode),
        help="In recorded order, or in any order by content.",
        rich_help_panel=MATCHING,
    ),
]
IgnorePath = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore-path",
        metavar="PATH",
        parser=_ignore_path,
        help="Part of the body left out of comparisons: /metadata/run_id or messages[*].id.",
        rich_help_panel=MATCHING,
    ),
]
Normalize = Annotated[
    list[str] | None,
    typer.Option(
        "--normalize",
        metavar="RULE",
        parser=_normalize,
        help="Volatile values replaced before comparing: timestamp, uuid, hex_id, epoch, temp_path or NAME=PATTERN.",
        rich_help_panel=MATCHING,
    ),
]
StreamSourceOption = Annotated[
    str | None,
    typer.Option(
        "--stream-source",
        metavar="SOURCE",
        parser=_choice(StreamSource),
        autocompletion=_complete(StreamSource),
        help="What replayed streams are made of.",
        rich_help_panel=ANSWERS,
    ),
]
Timing = Annotated[
    str | None,
    typer.Option(
        "--timing",
        metavar="TIMING",
        parser=_choice(TimingMode),
        autocompletion=_complete(TimingMode),
        help="Pace of replayed streams.",
        rich_help_panel=ANSWERS,
    ),
]
TimingFactor = Annotated[
    float | None,
    typer.Option(
        "--timing-factor",
        metavar="NUMBER",
        parser=_factor,
        help="With --timing scaled: recorded times are multiplied by it.",
        rich_help_panel=ANSWERS,
    ),
]
TimingSeed = Annotated[
    int | None,
    typer.Option(
        "--timing-seed",
        metavar="NUMBER",
        parser=_whole_number,
        help="With --timing realistic or demo: decides the jitter.",
        rich_help_panel=ANSWERS,
    ),
]
IncludeFailures = Annotated[
    bool,
    typer.Option("--include-failures", help="Match recorded failures too, and repeat them.", rich_help_panel=ANSWERS),
]
Fault = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        metavar="RULE",
        parser=_fault,
        help="Fault to put into answers: status=429,retry_after_s=1,interaction=0.",
        rich_help_panel=FAULTS,
    ),
]
FaultSeed = Annotated[
    int | None,
    typer.Option(
        "--fault-seed",
        metavar="NUMBER",
        parser=_whole_number,
        help="Decides what faults with a probability strike.",
        rich_help_panel=FAULTS,
    ),
]
FaultReport = Annotated[
    str | None,
    typer.Option("--fault-report", metavar="FILE", help="File for faults and the client's reactions, as JSON.", rich_help_panel=FAULTS),
]
Ui = Annotated[
    str | None,
    typer.Option(
        "--ui",
        metavar="UI",
        parser=_choice(UiKind),
        autocompletion=_complete(UiKind),
        help="Watch every exchange in a browser (web) or in the terminal (console).",
        rich_help_panel=WATCHING,
    ),
]
UiPort = Annotated[
    int | None,
    typer.Option("--ui-port", metavar="PORT", parser=_port, help="Port of the page; 0 picks a free one.", rich_help_panel=WATCHING),
]
UiPassword = Annotated[
    str | None,
    typer.Option(
        "--ui-password", metavar="TEXT", parser=_password, help="Password of the page instead of a token.", rich_help_panel=WATCHING
    ),
]
UiKeep = Annotated[
    int | None,
    typer.Option("--ui-keep", metavar="NUMBER", parser=_count, help="How many exchanges the list keeps.", rich_help_panel=WATCHING),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--upstream-kind",
        metavar="KIND",
        parser=_choice(UpstreamKind),
        autocompletion=_complete(UpstreamKind),
        help="Provider preset.",
        rich_help_panel=UPSTREAM,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="Base URL of the provider's API.", rich_help_panel=UPSTREAM),
]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option("--api-key-env", metavar="NAME", help="Name of the environment variable that holds the key.", rich_help_panel=UPSTREAM),
]
ConfigFileOption = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Read this file instead of the usual ones.", rich_help_panel=SOURCES),
]
Locale = Annotated[
    str | None,
    typer.Option("--locale", metavar="LANGID", help="Preferred language of messages.", rich_help_panel=MESSAGES),
]
FallbackLocale = Annotated[
    str | None,
    typer.Option("--fallback-locale", metavar="LANGID", help="Language where the preferred one has no text.", rich_help_panel=MESSAGES),
]
VerifyFormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        parser=_choice(VerifyFormat),
        autocompletion=_complete(VerifyFormat),
        help="What is printed: text for people, anything else for programs.",
        rich_help_panel=OUTPUT,
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Let warnings count as problems.", rich_help_panel=OUTPUT)]
ModeArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SUBCOMMAND]",
        parser=_choice(Mode),
        autocompletion=_complete(Mode),
        help="Subcommand whose configuration is shown.",
    ),
]
