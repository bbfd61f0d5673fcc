"""Check a cassette: is it intact, does it agree with itself and with the configuration, may it be committed?

Gives findings as values, each with the id of its text; reads no file and prints nothing. A finding names fields, headers and
parameters, never the value of one that may be secret.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.diff import differences
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    Cassette,
    DataEvent,
    Hashing,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
    StreamEvent,
    StreamResponse,
    Timing,
)
from spycatcher_addon.content_coding import DEFAULT_LIMIT_BYTES, decode_body
from spycatcher_addon.errors import InvalidPointerPathError, StreamParseError
from spycatcher_addon.headers import select_replayed
from spycatcher_addon.protocols import PROTOCOLS
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules, rules_from_names
from spycatcher_addon.sse import SseParser

_UTC_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?Z", re.ASCII)
_CREDENTIAL_NAME = re.compile(
    r"(^|[-_.])(key|apikey|token|secret|password|passwd|pwd|sig|signature|auth|authorization|credential|credentials)$|(api|access)key$",
    re.IGNORECASE,
)
_SHOWN_DIFFERENCES = 5
_DIGEST_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    message_id: str
    """Fluent id of its text."""
    arguments: tuple[tuple[str, str], ...] = ()
    """Named parts of the text."""
    interaction: int | None = None
    """Zero-based index of the interaction; ``None`` when it concerns the cassette as a whole."""
    is_warning: bool = False
    """Worth a look, but no reason to fail."""


def verify_cassette(cassette: Cassette, ignore: IgnorePathConfig, rules: RedactionRules) -> tuple[Finding, ...]:
    """Make every check, in the order of the tape.

    Args:
        ignore: The ignore paths of the configuration.
        rules: What must not be on the tape, known values included.
    """
    checks = _Checks(
        cassette,
        ignore,
        rules,
        InteractionRedactor(rules, DEFAULT_LIMIT_BYTES),
        InteractionRedactor(rules_from_names(cassette.hashing.redaction_rules), DEFAULT_LIMIT_BYTES),
    )
    findings = list(_check_hashing(cassette, ignore))
    for index, interaction in enumerate(cassette.interactions):
        for found in _check_interaction(checks, interaction):
            findings.append(Finding(found.message_id, found.arguments, index, found.is_warning))
    return tuple(findings)


@dataclass(frozen=True, slots=True)
class _Checks:
    """What every interaction is checked against."""

    cassette: Cassette
    ignore: IgnorePathConfig
    rules: RedactionRules
    redactor: InteractionRedactor
    """Has the rules of the configuration."""
    recorded_redactor: InteractionRedactor
    """Has those that the tape's hashes were made with."""


def _finding(message_id: str, *, is_warning: bool = False, **arguments: object) -> Finding:
    return Finding(message_id, tuple((name, str(value)) for name, value in arguments.items()), is_warning=is_warning)


def _check_hashing(cassette: Cassette, ignore: IgnorePathConfig) -> Iterator[Finding]:
    """A tape of format 1 does not say what its hashes were made with; an empty one has none."""
    recorded, configured = set(cassette.hashing.ignore_paths), set(ignore.ignored_body_paths)
    if cassette.format_version != 1 and cassette.interactions and recorded != configured:
        yield _finding("verify-ignore-paths-drift", recorded=_listed(recorded), configured=_listed(configured))


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "-"


def _check_interaction(checks: _Checks, interaction: Interaction) -> Iterator[Finding]:
    request, response = interaction.request, interaction.response
    drop_headers = checks.rules.drop_headers
    yield from _check_hash(request, checks)
    yield from _check_request_json(request)
    yield from _check_secrets(interaction, checks)
    for name in _names_to_drop(request.headers, drop_headers):
        yield _finding("verify-request-header", name=name)
    for name in _credential_parameters(request.query, checks.rules.query_parameters):
        yield _finding("verify-query-credential", name=name, is_warning=True)
    for name in _names_to_drop(response.headers, drop_headers):
        yield _finding("verify-response-header", name=name)
    for name in dict.fromkeys(select_replayed(response.headers)[1]):
        yield _finding("verify-header-not-sendable", name=name, is_warning=True)
    if isinstance(response, StreamResponse):
        yield from _check_stream(response, interaction)
    else:
        yield from _check_plain_answer(request, response)
    if not _is_utc_time(interaction.metadata.recorded_at):
        yield _finding("verify-recorded-at", value=interaction.metadata.recorded_at)


def _check_secrets(interaction: Interaction, checks: _Checks) -> Iterator[Finding]:
    """Name each secret by its rule and place, and by a digest that tells whether two are the same, never by its value."""
    for found in checks.redactor.interaction(interaction)[1]:
        digest = hashlib.sha256(found.secret.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
        yield _finding("verify-secret", rule=found.rule, place=found.place, digest=digest)


def _check_hash(request: RecordedRequest, checks: _Checks) -> Iterator[Finding]:
    cassette = checks.cassette
    try:
        observed = _from_bytes(request)
        configured = canonicalize(checks.redactor.request(observed), checks.ignore)
        made_with = canonicalize(checks.recorded_redactor.request(observed), _settings_of(cassette.hashing))
    except InvalidPointerPathError as error:
        yield _finding("verify-ignore-path-misfit", path=error.path)
        return
    computed = stable_hash(made_with)
    accepted = {computed}
    if cassette.format_version == 1:
        accepted.add(stable_hash(configured))
    if request.stable_hash is None:
        yield _finding("verify-hash-missing", computed=computed)
    elif request.stable_hash not in accepted:
        yield _finding("verify-hash-mismatch", stored=request.stable_hash, computed=computed)
    stored = request.canonical_request
    if stored is not None and all(differences(_as_json(stored), _as_json(canonical)) for canonical in (made_with, configured)):
        places = [difference.path for difference in differences(_as_json(stored), _as_json(made_with))]
        more = ", ..." if len(places) > _SHOWN_DIFFERENCES else ""
        yield _finding("verify-canonical-mismatch", differences=", ".join(places[:_SHOWN_DIFFERENCES]) + more)


def _settings_of(hashing: Hashing) -> IgnorePathConfig:
    return IgnorePathConfig(hashing.ignore_paths)


def _from_bytes(request: RecordedRequest) -> RecordedRequest:
    """The request with nothing in it that was derived from its body by somebody else."""
    return RecordedRequest(request.method, request.path, request.query, request.headers, request.body)


def _as_json(canonical: CanonicalRequest) -> JsonValue:
    return {
        "method": canonical.method,
        "path": canonical.path,
        "canonical_query": canonical.canonical_query,
        "canonical_body": canonical.canonical_body,
    }


def _check_request_json(request: RecordedRequest) -> Iterator[Finding]:
    decoded = decode_body(request.body, request.headers)
    try:
        from_body = None if decoded is None else parse_json(decoded)
    except NotJsonError:
        decoded = from_body = None
    if decoded is None:
        yield _finding("verify-request-not-json", is_warning=True)
    if differences(request.parsed_json, from_body):
        yield _finding("verify-request-json-mismatch")


def _check_plain_answer(request: RecordedRequest, response: NonStreamResponse) -> Iterator[Finding]:
    try:
        from_body = parse_json(response.body)
    except NotJsonError:
        from_body = None
    if differences(response.parsed_json, from_body):
        yield _finding("verify-response-json-mismatch")
    protocol = next((protocol for protocol in PROTOCOLS if protocol.path == request.path), None)
    if protocol is not None and protocol.is_stream_shaped(request.parsed_json) and not response.answers_stream:
        yield _finding("verify-stream-without-events", is_warning=True)


def _names_to_drop(headers: Collection[tuple[str, str]], drop_headers: Collection[str]) -> list[str]:
    return list(dict.fromkeys(name.lower() for name, _ in headers if name.lower() in drop_headers))


def _credential_parameters(query: str, redacted: Collection[str]) -> list[str]:
    """Parameters that look like credentials but have no rule of their own, which :func:`_check_secrets` would have used."""
    names = (piece.partition("=") for piece in query.split("&"))
    return list(dict.fromkeys(name for name, _, value in names if value and _CREDENTIAL_NAME.search(name) and name.lower() not in redacted))


def _check_stream(response: StreamResponse, interaction: Interaction) -> Iterator[Finding]:
    for number, event in enumerate(response.events):
        if "\r" in (event.raw if isinstance(event, DataEvent) else event.text):
            yield _finding("verify-event-carriage-return", event=number, is_warning=True)
    yield from _check_transcript(response, interaction)
    if response.timing is not None:
        yield from _check_timing(response.timing, len(response.raw_transcript))


def _check_transcript(response: StreamResponse, interaction: Interaction) -> Iterator[Finding]:
    transcript = decode_body(response.raw_transcript, response.headers)
    if transcript is None:
        # A coding that cannot be undone was noted when the stream was recorded: no events, every byte.
        if response.events:
            yield _finding("verify-transcript-unreadable", problem="content-encoding")
        return
    parsed, problem = _parse_events(transcript)
    if problem is not None and interaction.failure is None and not _has_last_event(parsed):
        yield _finding("verify-transcript-unreadable", problem=problem)
    for number, (stored, again) in enumerate(zip(response.events, parsed, strict=False)):
        if stored != again:
            yield _finding("verify-events-mismatch", event=number)
            return
    if len(parsed) != len(response.events):
        yield _finding("verify-events-count", events=len(response.events), parsed=len(parsed))


def _parse_events(transcript: bytes) -> tuple[list[StreamEvent], str | None]:
    """The events of a transcript up to its end or first broken place, and what is wrong there."""
    parser = SseParser()
    events: list[StreamEvent] = []
    try:
        events += parser.feed(transcript)
        events += parser.finish()
    except StreamParseError as error:
        return events, str(error)
    return events, None


def _has_last_event(events: Collection[StreamEvent]) -> bool:
    """Whether an end mark came: such a stream is complete, whatever follows the mark."""
    return any(protocol.is_last_event(event) for protocol in PROTOCOLS for event in events)


def _check_timing(timing: Timing, length: int) -> Iterator[Finding]:
    if not timing.chunks:
        return
    for number, ((end, ms), (next_end, next_ms)) in enumerate(pairwise(timing.chunks), 1):
        if next_end < end:
            yield _finding("verify-chunks-order", chunk=number)
        if next_ms < ms:
            yield _finding("verify-chunks-time", chunk=number)
    last_end, first_ms = timing.chunks[-1][0], timing.chunks[0][1]
    if last_end != length:
        yield _finding("verify-chunks-end", end=last_end, length=length)
    if first_ms < timing.ttft_ms:
        yield _finding("verify-chunks-ttft", first_ms=first_ms, ttft_ms=timing.ttft_ms)


def _is_utc_time(text: str) -> bool:
    match = _UTC_TIME.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.fromisoformat(match[1])
    except ValueError:
        # A leap second is a time, although the library knows none.
        return text[17:19] == "60" and _is_utc_time(f"{text[:17]}59{text[19:]}")
    return True
