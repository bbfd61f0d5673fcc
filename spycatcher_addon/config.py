"""What can be configured: the settings, their types and defaults, and the checks made before a harness starts.

Knows nothing of files, variables or flags (:mod:`spycatcher_addon.edge.layers` reads those); paths are plain text here.
Each field carries an :class:`Expects`, from which the layers learn how its value is spelled in an environment variable
and what to tell a person who got it wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.normalizing import BUILT_IN, NormalizeRule, parse_normalize_rules
from spycatcher_addon.cassette.pointers import pointer_from_config
from spycatcher_addon.choices import (
    AuthScheme,
    Lane,
    ListenAddr,
    MatchMode,
    Mode,
    Protocol,
    RecordMode,
    ReportFormat,
    StreamSource,
    TimingMode,
    UiKind,
    UpstreamKind,
)
from spycatcher_addon.errors import InvalidConfigError, InvalidPointerPathError
from spycatcher_addon.fault_rules import FaultRule, parse_fault_rules
from spycatcher_addon.headers import FORBIDDEN_EXTRA_HEADERS, is_token
from spycatcher_addon.languages import language_problem
from spycatcher_addon.pacing import Pacing
from spycatcher_addon.redaction.digests import parse_secret_digest
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.redaction.shapes import SHAPE_NAMES, find_credentials
from spycatcher_addon.upstream_presets import UPSTREAM_PRESETS, azure_base_url, has_api_version

__all__ = [
    "FORBIDDEN_EXTRA_HEADERS",
    "UPSTREAM_MISSING",
    "AuthScheme",
    "AutoConfig",
    "Expects",
    "HarnessConfig",
    "Lane",
    "LimitsConfig",
    "ListenAddr",
    "LocalizationConfig",
    "MatchMode",
    "MatchingConfig",
    "Mode",
    "Protocol",
    "RecordConfig",
    "RecordMode",
    "RedactionConfig",
    "ReplayConfig",
    "Spelling",
    "StreamSource",
    "TimingMode",
    "UiConfig",
    "UiKind",
    "UpstreamConfig",
    "UpstreamKind",
    "validate_for_start",
]

UPSTREAM_MISSING = "upstream configuration is required for record mode"
"""Message of the error that record mode without an upstream is."""
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAMETER_NAME = re.compile(r"[A-Za-z0-9._-]+")
_ARGON2_HASH = re.compile(r"\$argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Spelling(StrEnum):
    """How a setting is written where only text is possible (environment variables, ``--set`` options)."""

    LITERAL = "literal"
    """The text is the value, whatever it looks like."""
    TOML = "toml"
    """A number, boolean or table as TOML spells it."""
    TOML_LIST = "toml list"
    """A list of strings as TOML spells it."""


@dataclass(frozen=True, slots=True)
class Expects:
    """What a field's value has to look like."""

    description: str
    """Completes the sentence "expected ..."."""
    spelling: Spelling = Spelling.LITERAL
    is_secret: bool = False
    """The value may hold a secret and is never shown, not even in an error."""


def _listen_addr(value: object) -> object:
    return ListenAddr.parse(value) if isinstance(value, str) else value


def _header_name(value: str) -> str:
    if not is_token(value):
        raise ValueError("not a header name (RFC 9110 section 5.1)")
    return value


def _extra_headers(value: dict[str, str]) -> dict[str, str]:
    seen: set[str] = set()
    for name, text in value.items():
        if not is_token(name):
            raise ValueError(f"{name!r} is not a header name (RFC 9110 section 5.1)")
        if name.lower() in FORBIDDEN_EXTRA_HEADERS:
            raise ValueError(f"the header {name} belongs to the transport and cannot be configured; remove it")
        if name.lower() in seen:
            raise ValueError(f"the header {name} is given twice, in different upper and lower case")
        if _CONTROL.search(text):
            raise ValueError(f"the value of the header {name} has a control character")
        seen.add(name.lower())
    return value


def _base_url(value: str) -> str:
    if re.search(r"[\x00-\x20\x7f]", value):
        raise ValueError("the URL has a blank or control character")
    parts = urlsplit(value)
    # Reading the port raises ValueError for one that is no number or out of range, and so does a host name no resolver takes.
    if parts.hostname:
        parts.hostname.encode("idna")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("not an absolute http or https URL")
    if parts.username is not None or parts.password is not None:
        raise ValueError("credentials in the URL are not sent; use upstream.api_key_env")
    if parts.fragment:
        raise ValueError("a URL with a fragment (#...) cannot be asked for")
    return value


def _variable_name(value: str) -> str:
    if not _VARIABLE_NAME.fullmatch(value) or find_credentials(value, SHAPE_NAMES):  # some providers' keys could be names
        raise ValueError("not the name of an environment variable")
    return value


def _parameter_name(value: str) -> str:
    if not _PARAMETER_NAME.fullmatch(value):
        raise ValueError("not a parameter name of letters, digits, dots, underscores and hyphens")
    return value


def _shape_name(value: str) -> str:
    if value not in SHAPE_NAMES:
        raise ValueError(f"unknown shape {value!r}; known are {', '.join(SHAPE_NAMES)}")
    return value


def _secret_digest(value: str) -> str:
    parse_secret_digest(value)
    return value


def _password(value: str | None) -> str | None:
    if value is not None and value.startswith("$") and not _ARGON2_HASH.fullmatch(value):
        raise ValueError("it begins with $ and is no argon2 hash")
    return value


def _ignore_path(value: str) -> str:
    try:
        pointer_from_config(value)
    except InvalidPointerPathError as error:
        raise ValueError(str(error)) from error
    return value


_Text = Annotated[str, Field(strict=True)]
_PathText = Annotated[_Text, Expects("a path")]
_LANGUAGE = Expects("a language identifier such as en-US")
_Flag = Annotated[bool, Field(strict=True), Expects("true or false", Spelling.TOML)]
_MOST: Final = 10**12
"""Bound of whole numbers: beyond anything meant, within what can be reckoned with."""
_Seconds = Annotated[float, Field(strict=True, ge=0, le=1e9), Expects("a number of seconds, 0 or more", Spelling.TOML)]
_Timeout = Annotated[float, Field(strict=True, gt=0, le=1e9), Expects("a number of seconds above 0", Spelling.TOML)]
_Millis = Annotated[int, Field(strict=True, ge=0, le=_MOST), Expects("a whole number of milliseconds, 0 or more", Spelling.TOML)]
_Positive = Annotated[int, Field(strict=True, ge=1, le=_MOST), Expects("a whole number, 1 or more", Spelling.TOML)]
_HeaderNames = Annotated[
    tuple[Annotated[str, Field(strict=True), AfterValidator(_header_name)], ...],
    Expects("a list of header names", Spelling.TOML_LIST),
]


def _one_of(values: type[StrEnum]) -> Expects:
    return Expects(f"one of {', '.join(values)}")


class _Section(BaseModel):
    # Validators are built when first needed: help only looks at the defaults, and should not wait for them.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


class UpstreamConfig(_Section):
    """The provider that record mode talks to. Settings left out come from the preset of ``kind``.

    Raises:
        pydantic.ValidationError: A value is unusable, or a kind without a preset address got no ``base_url``.
    """

    kind: Annotated[UpstreamKind, _one_of(UpstreamKind)] = UpstreamKind.OPENROUTER
    base_url: Annotated[_Text, AfterValidator(_base_url), Expects("an absolute http or https URL")] = "https://openrouter.ai/api/v1"
    """The endpoint's path is appended to its path; its query is kept and comes first."""
    api_key_env: Annotated[
        _Text,
        AfterValidator(_variable_name),
        Expects("the name of an environment variable (letters, digits, _), not the key itself", is_secret=True),
    ] = "OPENROUTER_API_KEY"
    """Name of the environment variable that holds the key; read anew for each request."""
    api_key_required: _Flag = True
    """Whether a request without a key is refused with 502 instead of sent without one."""
    auth: Annotated[AuthScheme, _one_of(AuthScheme)] = AuthScheme.BEARER
    deployment: Annotated[_Text | None, Expects("the name of an Azure deployment")] = None
    """``azure`` only: appended to ``base_url``, which then is the address of the resource."""
    api_version: Annotated[_Text | None, Expects("an Azure API version such as 2024-10-21")] = None
    """``azure`` only: becomes the query parameter ``api-version``."""
    extra_headers: Annotated[
        dict[str, str],
        AfterValidator(_extra_headers),
        Expects("a table of header names and text values", Spelling.TOML, is_secret=True),
    ] = Field(default_factory=dict)
    """Added to the request that goes upstream, never to the recorded one."""
    connect_timeout_s: _Timeout = 10.0
    total_timeout_s: _Timeout = 600.0
    """For an answer that is not a stream."""
    idle_timeout_s: _Timeout = 300.0
    """For a stream: the longest silence."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in_preset(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        try:
            kind = UpstreamKind(given.get("kind", UpstreamKind.OPENROUTER))
        except ValueError:
            return given  # the field's own check reports it
        preset = UPSTREAM_PRESETS[kind]
        filled = {"api_key_env": preset.api_key_env, "auth": preset.auth, "api_key_required": preset.api_key_required}
        if preset.base_url is not None:
            filled["base_url"] = preset.base_url
        filled.update(given)
        if "base_url" not in filled:
            raise ValueError(f"upstream.base_url is required for the upstream kind {kind}; set it")
        if kind is UpstreamKind.AZURE:
            filled["base_url"] = _complete_azure_url(filled)
        elif filled.get("deployment") is not None or filled.get("api_version") is not None:
            raise ValueError("upstream.deployment and upstream.api_version are for the upstream kind azure only")
        return filled


def _complete_azure_url(given: Mapping[str, Any]) -> Any:
    """Put deployment and API version into the base URL, unless it is already whole."""
    url, deployment, api_version = given["base_url"], given.get("deployment"), given.get("api_version")
    if not isinstance(url, str):
        return url
    path = urlsplit(url).path
    if deployment is None and path.rstrip("/").endswith("/openai/v1"):
        return url  # the versionless API names the deployment in the body
    if not deployment and "/deployments/" not in path:
        raise ValueError("the upstream kind azure needs upstream.deployment (or a base_url with /openai/deployments/NAME)")
    if not api_version and not has_api_version(url):
        raise ValueError("the upstream kind azure needs upstream.api_version, 2024-10-21 for example")
    return azure_base_url(url, str(deployment), str(api_version))


class RedactionConfig(_Section):
    """What never reaches a cassette; each list replaces its default, and an empty one switches its rules off."""

    drop_headers: _HeaderNames = (
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "x-auth-token",
        "x-amz-security-token",
        "cookie",
        "set-cookie",
        "openai-organization",
        "openai-project",
    )
    """Left out whole."""
    extra_drop_headers: _HeaderNames = ()
    """In addition to ``drop_headers``, so the defaults need not be repeated."""
    query_parameters: Annotated[
        tuple[Annotated[str, Field(strict=True), AfterValidator(_parameter_name)], ...],
        Expects("a list of query parameter names (letters, digits, . _ -)", Spelling.TOML_LIST),
    ] = (
        "key",
        "api_key",
        "api-key",
        "apikey",
        "access_token",
        "auth_token",
        "refresh_token",
        "id_token",
        "token",
        "client_secret",
        "secret",
        "password",
        "sig",
        "signature",
        "x-amz-signature",
        "x-amz-security-token",
        "x-goog-signature",
    )
    """Their values are secrets; compared without case."""
    body_paths: Annotated[
        tuple[Annotated[str, Field(strict=True), AfterValidator(_ignore_path)], ...],
        Expects("a list of JSON Pointers (/metadata/token) or dotted paths (messages[*].name)", Spelling.TOML_LIST),
    ] = ()
    """Parts of JSON bodies, of requests and answers, that are secrets whatever they hold."""
    secret_env: Annotated[
        tuple[Annotated[str, Field(strict=True), AfterValidator(_variable_name)], ...],
        Expects("a list of names of environment variables, not of their values", Spelling.TOML_LIST, is_secret=True),
    ] = ()
    """Variables whose values are secrets wherever they occur, like that of ``upstream.api_key_env``."""
    secret_sha256: Annotated[
        tuple[Annotated[str, Field(strict=True), AfterValidator(_secret_digest)], ...],
        Expects("a list of LENGTH:SHA256, the length of a secret and the 64 hex digits of its SHA-256", Spelling.TOML_LIST, is_secret=True),
    ] = ()
    """Secrets known by nothing but their SHA-256, where the secrets themselves must not be; of 16 to 512 characters."""
    shapes: Annotated[
        tuple[Annotated[str, Field(strict=True), AfterValidator(_shape_name)], ...],
        Expects("a list of shapes that docs/redaction.md names", Spelling.TOML_LIST),
    ] = SHAPE_NAMES
    """Kinds of credentials that are known by their looks."""

    @property
    def effective_drop_headers(self) -> frozenset[str]:
        """All names, in lower case."""
        return frozenset(name.lower() for name in (*self.drop_headers, *self.extra_drop_headers))

    @property
    def rules(self) -> RedactionRules:
        """The settings as rules, without the values of variables."""
        return RedactionRules(
            drop_headers=self.effective_drop_headers,
            query_parameters=frozenset(name.lower() for name in self.query_parameters),
            body_paths=tuple(map(pointer_from_config, self.body_paths)),
            shapes=frozenset(self.shapes),
            digests=tuple(map(parse_secret_digest, self.secret_sha256)),
        )


class MatchingConfig(_Section):
    """What is left out when requests are compared."""

    ignore_paths: Annotated[
        tuple[Annotated[str, Field(strict=True), AfterValidator(_ignore_path)], ...],
        Expects("a list of JSON Pointers (/metadata/run_id) or dotted paths (messages[0].content)", Spelling.TOML_LIST),
    ] = ()
    """JSON Pointers (RFC 6901) or dotted paths, ``*`` for every array element; as written by the user."""
    normalize: Annotated[
        tuple[NormalizeRule, ...],
        BeforeValidator(parse_normalize_rules),
        Expects(f"a list of rules: {', '.join(BUILT_IN)}, NAME=PATTERN, or tables with name and pattern", Spelling.TOML_LIST),
    ] = ()
    """What is replaced inside strings before they are compared (docs/mismatch-reports.md)."""

    @property
    def ignore(self) -> IgnorePathConfig:
        """The settings as requests are reduced with them."""
        return IgnorePathConfig(tuple(map(pointer_from_config, self.ignore_paths)), self.normalize)


class RecordConfig(_Section):
    """What a recorder keeps."""

    keep_failures: _Flag = False
    """Keep exchanges that ended badly, marked as such."""
    expected_statuses: Annotated[
        tuple[Annotated[int, Field(strict=True, ge=400, le=599)], ...],
        Expects("a list of HTTP statuses from 400 to 599", Spelling.TOML),
    ] = ()
    """Error statuses that are meant to be recorded, without a warning."""


class ReplayConfig(_Section):
    """How recorded answers are sent."""

    stream_source: Annotated[StreamSource, _one_of(StreamSource)] = StreamSource.EVENTS
    lane: Annotated[Lane, _one_of(Lane)] = Lane.AUTO
    """``flow`` makes every exchange a flow of mitmproxy, which costs more time; the answers are the same."""
    include_failures: _Flag = False
    """Match and repeat recorded failures too."""
    timing: Annotated[TimingMode, _one_of(TimingMode)] = TimingMode.OFF
    timing_factor: Annotated[float, Field(strict=True, gt=0, le=1e6), Expects("a number above 0, at most 1000000", Spelling.TOML)] = 1.0
    """``scaled``: recorded times are multiplied with it."""
    timing_seed: Annotated[int, Field(strict=True), Expects("a whole number", Spelling.TOML)] = 0
    """``realistic``: the same seed gives the same times."""
    simulate_timing: _Flag = False
    """With ``timing`` off, the same as ``timing = "fixed"``."""
    ttft_ms: _Millis = 200
    """``fixed``: pause before the first event, in milliseconds."""
    tps: _Positive = 50
    """``fixed``: events per second after that."""

    report: Annotated[_Text | None, Expects("the path of a file to write")] = None
    """Where requests that the cassette does not answer are written down (docs/mismatch-reports.md)."""
    report_format: Annotated[ReportFormat, _one_of(ReportFormat)] = ReportFormat.JSONL

    @property
    def pacing(self) -> Pacing:
        """The settings as the schedule of an answer needs them."""
        mode = TimingMode.FIXED if self.simulate_timing and self.timing is TimingMode.OFF else self.timing
        return Pacing(mode, self.timing_factor, self.timing_seed, self.ttft_ms, self.tps)


class AutoConfig(_Section):
    """The mode ``auto``."""

    mode: Annotated[RecordMode, _one_of(RecordMode)] = RecordMode.ONCE


class UiConfig(_Section):
    """Watching a recording or a replay."""

    kind: Annotated[UiKind, _one_of(UiKind)] = UiKind.NONE
    port: Annotated[int, Field(strict=True, ge=0, le=65535), Expects("a port from 0 to 65535", Spelling.TOML)] = 8081
    """Where the page is, on 127.0.0.1; 0 lets the system choose one."""
    password: Annotated[
        str | None,
        Field(strict=True, min_length=1),
        AfterValidator(_password),
        Expects("a password of at least one character, or an argon2 hash of one", is_secret=True),
    ] = None
    """Asked for by the page, instead of a token that is made anew at each start."""
    keep: _Positive = 500
    """How many exchanges the list keeps; the oldest leave it first. The cassette keeps all."""
    mask_secrets: _Flag = True
    """Hide what redaction keeps off the cassette."""


class LimitsConfig(_Section):
    """What the harness refuses to take."""

    max_body_bytes: _Positive = 128 * 1024 * 1024
    """Largest request body, in bytes; a larger one is answered with 413."""
    max_header_bytes: _Positive = 64 * 1024
    """Largest request head, in bytes; a larger one is answered with 431."""
    max_headers: _Positive = 200
    """Most header fields of a request; more are answered with 431."""
    header_timeout_s: _Timeout = 60.0
    """How long a request's head may take to come; then the connection closes."""
    idle_timeout_s: _Timeout = 600.0
    """How long a connection may stay open without a request."""


class LocalizationConfig(_Section):
    """Language of messages for people."""

    locale: Annotated[_Text | None, _LANGUAGE] = None
    fallback_locale: Annotated[_Text, _LANGUAGE] = "en-US"


class HarnessConfig(_Section):
    """Everything a harness can be told."""

    listen: Annotated[
        ListenAddr,
        BeforeValidator(_listen_addr),
        Expects("an IP address with a port, such as 127.0.0.1:8787 or [::1]:0 (host names are not accepted)"),
    ] = ListenAddr("127.0.0.1", 8787)
    mode: Annotated[Mode, _one_of(Mode)] = Mode.REPLAY
    protocol: Annotated[Protocol, _one_of(Protocol)] = Protocol.OPENAI_CHAT_COMPLETIONS
    match_mode: Annotated[MatchMode, _one_of(MatchMode)] = MatchMode.SEQUENTIAL_STRICT
    cassette_dir: _PathText = "fixtures/llm"
    cassette_name: Annotated[_Text, Expects("a file name below the cassette directory")] = "default"
    """The exact name of the file; no suffix is added."""
    upstream: UpstreamConfig | None = None
    redaction: RedactionConfig = Field(default_factory=RedactionConfig)
    matching: MatchingConfig = Field(default_factory=MatchingConfig)
    record: RecordConfig = Field(default_factory=RecordConfig)
    replay: ReplayConfig = Field(default_factory=ReplayConfig)
    auto: AutoConfig = Field(default_factory=AutoConfig)
    ui: UiConfig = Field(default_factory=UiConfig)
    limits: LimitsConfig = Field(default_factory=LimitsConfig)
    localization: LocalizationConfig = Field(default_factory=LocalizationConfig)
    faults: Annotated[
        tuple[FaultRule, ...],
        BeforeValidator(parse_fault_rules),
        Expects("a list of fault rules, each a table or a text such as status=429,interaction=0", Spelling.TOML_LIST),
    ] = ()
    """Replay: what to break in which answers (docs/faults.md); the first rule that fits an answer strikes it."""
    fault_seed: Annotated[int, Field(strict=True), Expects("a whole number", Spelling.TOML)] = 0
    """Decides what rules with a probability strike; the same seed gives the same run."""
    fault_report: Annotated[_Text | None, Expects("the path of a file to write")] = None
    """Replay: where faults and the client's reactions are written as JSON at the end."""
    fail_unused: _Flag = False
    """Replay: recorded interactions that nobody asked for make the command fail."""
    shutdown_grace_s: _Seconds = 5.0
    """How long running exchanges may take to finish at shutdown."""

    @property
    def cassette_path(self) -> str:
        """``cassette_dir`` joined with ``cassette_name``, not resolved."""
        if not self.cassette_dir or self.cassette_dir.endswith("/"):
            return self.cassette_dir + self.cassette_name
        return f"{self.cassette_dir}/{self.cassette_name}"

    def with_mode(self, mode: Mode) -> Self:
        """The same settings in another mode."""
        return self.model_copy(update={"mode": mode})


def validate_for_start(config: HarnessConfig) -> None:
    """Make the checks that have to hold before anything is opened or bound; the first failing one decides.

    Raises:
        InvalidConfigError: The cassette name cannot be used, record mode has no upstream, or a language identifier is
            malformed.
    """
    name = config.cassette_name
    if not name:
        raise InvalidConfigError("cassette name must not be empty")
    if name.startswith(("/", "\\")) or ".." in name or re.match(r"[A-Za-z]:[\\/]", name):
        raise InvalidConfigError("cassette name must not contain path traversal sequences")
    if config.mode is Mode.RECORD and config.upstream is None:
        raise InvalidConfigError(UPSTREAM_MISSING)
    if "\0" in name or "\0" in config.cassette_dir:
        raise InvalidConfigError("cassette name and directory must not contain a NUL character")
    if name.endswith("/"):
        raise InvalidConfigError("cassette name must name a file; remove the slash at its end")
    problem = localization_problem(config.localization)
    if problem is not None:
        raise InvalidConfigError(problem)


def localization_problem(localization: LocalizationConfig) -> str | None:
    """Say what is wrong with the first malformed language identifier, if any is."""
    for field in ("locale", "fallback_locale"):
        value = getattr(localization, field)
        if value is not None and (problem := language_problem(value)) is not None:
            return f"invalid localization field `{field}` value `{value}`: {problem}"
    return None
