"""Checks of one interaction by itself: hashes, JSON, headers, times, and what must not be on a tape."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.diff import differences
from spycatcher_addon.cassette.jsontext import JsonValue, NotJsonError, parse_json
from spycatcher_addon.cassette.model import (
    CanonicalRequest,
    Cassette,
    Interaction,
    NonStreamResponse,
    RecordedRequest,
    StreamResponse,
)
from spycatcher_addon.content_coding import DEFAULT_LIMIT_BYTES, decode_body
from spycatcher_addon.errors import InvalidPointerPathError
from spycatcher_addon.headers import select_replayed
from spycatcher_addon.protocols import PROTOCOLS
from spycatcher_addon.redaction.apply import FoundSecret, InteractionRedactor
from spycatcher_addon.redaction.finder import SecretFinder
from spycatcher_addon.redaction.rules import RedactionRules, rules_from_names
from spycatcher_addon.replaying import SENDABLE_STATUSES
from spycatcher_addon.verifying.findings import Finding, Path, finding, parse_path
from spycatcher_addon.verifying.other_texts import find_undecoded
from spycatcher_addon.verifying.streams import check_stream

_UTC_TIME: Final = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?Z", re.ASCII)
_CREDENTIAL_NAME: Final = re.compile(
    r"(^|[-_.])(key|apikey|token|secret|password|passwd|pwd|sig|signature|auth|authorization|credential|credentials)$|(api|access)key$",
    re.IGNORECASE,
)
_SHOWN_DIFFERENCES: Final = 5
_DIGEST_DIGITS: Final = 8
_REQUEST: Final[Path] = ("request",)
_RESPONSE: Final[Path] = ("response",)
_HASH: Final[Path] = ("request", "stable_hash")


@dataclass(frozen=True, slots=True)
class InteractionFindings:
    """What one interaction has."""

    findings: tuple[Finding, ...]
    secrets: tuple[tuple[Finding, str], ...]
    """Each with the secret, so that its line can be found; it goes no further."""


class InteractionChecks:
    """What every interaction of a cassette is checked against."""

    def __init__(self, cassette: Cassette, ignore: IgnorePathConfig, rules: RedactionRules) -> None:
        """Prepare the checks.

        Args:
            cassette: Says what its hashes were made with.
            ignore: What the configuration leaves out of comparisons.
            rules: What must not be on the tape, known values included.
        """
        self._ignore = ignore
        self._rules = rules
        self._redactor = InteractionRedactor(rules, DEFAULT_LIMIT_BYTES)
        self._finder = SecretFinder(rules)
        self._recorded_ignore = IgnorePathConfig(cassette.hashing.ignore_paths, cassette.hashing.normalize)
        recorded_rules = rules_from_names(cassette.hashing.redaction_rules)
        self._recorded_redactor = InteractionRedactor(recorded_rules, DEFAULT_LIMIT_BYTES)
        self._is_recorded_alike = self._recorded_ignore == ignore and _covers(rules, recorded_rules)
        self._is_version_1 = cassette.format_version == 1

    def check(self, interaction: Interaction) -> InteractionFindings:
        """Make every check of one interaction."""
        observed = _from_bytes(interaction.request)
        found: tuple[FoundSecret, ...] = ()
        try:
            redacted, found = self._redactor.interaction(replace(interaction, request=observed))
            hash_findings = tuple(self._check_hash(interaction.request, observed, redacted.request))
        except InvalidPointerPathError as error:
            hash_findings = (finding("ignore-path-misfit", _REQUEST, path=error.path),)
        found = (*found, *find_undecoded(interaction.response, self._finder))
        secrets = tuple((secret_finding(each), each.secret) for each in found)
        return InteractionFindings((*hash_findings, *self._check_rest(interaction, observed)), secrets)

    def _check_hash(self, request: RecordedRequest, observed: RecordedRequest, redacted: RecordedRequest) -> Iterator[Finding]:
        configured = canonicalize(redacted, self._ignore)
        if self._is_recorded_alike and redacted is observed:
            made_with = configured
        else:
            made_with = canonicalize(self._recorded_redactor.request(observed), self._recorded_ignore)
        computed = stable_hash(made_with)
        accepted = {computed}
        if self._is_version_1:
            accepted.add(stable_hash(configured))
        if request.stable_hash is None:
            yield finding("hash-missing", _HASH, computed=computed)
        elif request.stable_hash not in accepted:
            yield finding("hash-mismatch", _HASH, stored=request.stable_hash, computed=computed)
        stored = request.canonical_request
        if stored is not None and all(differences(_as_json(stored), _as_json(canonical)) for canonical in (made_with, configured)):
            places = [difference.path for difference in differences(_as_json(stored), _as_json(made_with))]
            more = ", ..." if len(places) > _SHOWN_DIFFERENCES else ""
            listed = ", ".join(places[:_SHOWN_DIFFERENCES]) + more
            yield finding("canonical-mismatch", (*_REQUEST, "canonical_request"), differences=listed)

    def _check_rest(self, interaction: Interaction, observed: RecordedRequest) -> Iterator[Finding]:
        request, response = interaction.request, interaction.response
        drop_headers = self._rules.drop_headers
        yield from _check_request_json(request, observed)
        for number, name in _named(request.headers, drop_headers):
            yield finding("request-header", (*_REQUEST, "headers", number), name=name)
        for name in _credential_parameters(request.query, self._rules.query_parameters):
            yield finding("query-credential", (*_REQUEST, "query"), name=name)
        for number, name in _named(response.headers, drop_headers):
            yield finding("response-header", (*_RESPONSE, "headers", number), name=name)
        for number, name in _named(response.headers, {name.lower() for name in select_replayed(response.headers)[1]}):
            yield finding("header-not-sendable", (*_RESPONSE, "headers", number), name=name)
        if response.status not in SENDABLE_STATUSES:
            yield finding("response-status", (*_RESPONSE, "status"), status=response.status)
        if isinstance(response, StreamResponse):
            yield from check_stream(response, interaction)
        else:
            yield from _check_plain_answer(observed, response)
        recorded_at = interaction.metadata.recorded_at
        if time_of(recorded_at) is None:
            yield finding("recorded-at", ("metadata", "recorded_at"), value=recorded_at)


def _covers(rules: RedactionRules, recorded: RedactionRules) -> bool:
    """Whether what has no secret under ``rules`` has none under ``recorded`` either, in what is compared of a request."""
    return (
        rules.query_parameters >= recorded.query_parameters
        and set(rules.body_paths) >= set(recorded.body_paths)
        and rules.shapes >= recorded.shapes
    )


def secret_finding(found: FoundSecret) -> Finding:
    """Name a secret by its rule and place, and by a digest that tells whether two are the same, never by its value."""
    digest = hashlib.sha256(found.secret.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    return finding("secret", parse_path(found.place), rule=found.rule, place=found.place, digest=digest)


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


def _check_request_json(request: RecordedRequest, observed: RecordedRequest) -> Iterator[Finding]:
    if observed.parsed_json is None:
        decoded = decode_body(observed.body, observed.headers)
        if decoded is None or not _is_json(decoded):
            yield finding("request-not-json", (*_REQUEST, "body"))
    if "parsed_json" in vars(request) and differences(request.parsed_json, observed.parsed_json):
        yield finding("request-json-mismatch", (*_REQUEST, "parsed_json"))


def _is_json(body: bytes) -> bool:
    """Whether it is JSON at all: the value ``null`` looks like none."""
    try:
        parse_json(body)
    except NotJsonError:
        return False
    return True


def _check_plain_answer(observed: RecordedRequest, response: NonStreamResponse) -> Iterator[Finding]:
    if "parsed_json" in vars(response):
        derived = NonStreamResponse(response.status, response.headers, response.body)
        if differences(response.parsed_json, derived.parsed_json):
            yield finding("response-json-mismatch", (*_RESPONSE, "parsed_json"))
    protocol = next((protocol for protocol in PROTOCOLS if protocol.path == observed.path), None)
    if protocol is not None and protocol.is_stream_shaped(observed.parsed_json) and not response.answers_stream:
        yield finding("stream-without-events", _RESPONSE)


def _named(headers: Collection[tuple[str, str]], wanted: Collection[str]) -> list[tuple[int, str]]:
    """Index and name, in lower case, of the first header of each wanted name."""
    first: dict[str, int] = {}
    for number, (name, _) in enumerate(headers):
        if name.lower() in wanted:
            first.setdefault(name.lower(), number)
    return [(number, name) for name, number in first.items()]


def _credential_parameters(query: str, redacted: Collection[str]) -> list[str]:
    """Parameters that look like credentials but have no rule of their own, by which they would have been found as secrets."""
    names = (piece.partition("=") for piece in query.split("&"))
    return list(dict.fromkeys(name for name, _, value in names if value and _CREDENTIAL_NAME.search(name) and name.lower() not in redacted))


def time_of(text: str) -> datetime | None:
    """The time that a cassette's text says, to the microsecond; ``None`` for what is none in UTC."""
    match = _UTC_TIME.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime.fromisoformat(match[1] + (match[2] or ""))
    except ValueError:
        # A leap second is a time, although the library knows none: the end of the second before it.
        return time_of(f"{text[:17]}59.999999Z") if text[17:19] == "60" else None
