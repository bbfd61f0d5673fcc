"""Check a cassette: is it intact, does it agree with itself and with the configuration, may it be committed?

Gives findings as values, each with the id of its text; reads no file and prints nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.model import Cassette, Interaction, StreamResponse
from spycatcher_addon.content_coding import DEFAULT_LIMIT_BYTES
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.rules import RedactionRules, missing_rules
from spycatcher_addon.verifying.findings import Finding, Path, finding
from spycatcher_addon.verifying.interactions import InteractionChecks, secret_finding, time_of
from spycatcher_addon.verifying.other_texts import find_elsewhere
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.verifying.unknown_keys import find_unknown_keys
from spycatcher_addon.verifying.version_one import with_stored_values

LARGE_BYTES: Final = 16 * 1024 * 1024
"""An interaction from this size on is large whatever the others are."""
NOTABLE_BYTES: Final = 1024 * 1024
"""A smaller one is never large."""
TIMES_MEDIAN: Final = 50
"""Between the two it is large when it is as many times larger than the one in the middle."""
_FEWEST_TO_COMPARE: Final = 5
_SHOWN_RULES: Final = 5


def verify_cassette(
    cassette: Cassette,
    ignore: IgnorePathConfig,
    rules: RedactionRules,
    text: TapeText | None = None,
    walk: Callable[[Sequence[Interaction]], Iterable[Interaction]] = iter,
) -> tuple[Finding, ...]:
    """Make every check: what concerns the whole first, then in the order of the tape.

    Args:
        ignore: What the configuration leaves out of comparisons.
        rules: What must not be on the tape, known values included.
        text: The file it was read from; without it findings have no lines, and what only the file holds is not checked.
        walk: Gives the interactions in their order; for who shows how far the work is.
    """
    whole = _Whole(cassette)
    redactor = InteractionRedactor(rules, DEFAULT_LIMIT_BYTES)
    checks = InteractionChecks(cassette, ignore, rules)
    findings = [_placed(found, None, text) for found in _check_settings(cassette, ignore, rules)]
    if text is not None:
        unknown = list(find_unknown_keys(cassette.format_version, text))
        findings += [_placed(found, found.interaction, text) for found in unknown]
        elsewhere = find_elsewhere(cassette, text, rules, bool(unknown))
        findings += [_placed(secret_finding(found), index, text, found.secret) for index, found in elsewhere]
    for index, interaction in enumerate(walk(cassette.interactions)):
        if text is not None and cassette.format_version == 1:
            interaction, stored_findings = with_stored_values(interaction, text.element_bytes(index))
            findings += [_placed(found, index, text) for found in stored_findings]
        checked = checks.check(interaction)
        findings += [_placed(found, index, text) for found in (*checked.findings, *whole.check(index, interaction))]
        findings += [_placed(found, index, text, secret) for found, secret in checked.secrets]
    in_order = sorted(findings, key=lambda found: -1 if found.interaction is None else found.interaction)
    return tuple(_without_secrets(found, redactor) for found in in_order)


def _placed(found: Finding, index: int | None, text: TapeText | None, sought: str = "") -> Finding:
    line = None if text is None else text.line(index, found.path, sought)
    return replace(found, interaction=index, line=line)


def _without_secrets(found: Finding, redactor: InteractionRedactor) -> Finding:
    """What a finding quotes may be a secret that somebody put in the wrong place."""
    arguments = tuple((name, redactor.text(value)) for name, value in found.arguments)
    path = tuple(redactor.text(step) if isinstance(step, str) else step for step in found.path)
    return replace(found, arguments=arguments, path=path)


def _check_settings(cassette: Cassette, ignore: IgnorePathConfig, rules: RedactionRules) -> Iterator[Finding]:
    """A tape of format 1 does not say what its hashes were made with; an empty one has none."""
    if cassette.format_version == 1 or not cassette.interactions:
        return
    hashing = cassette.hashing
    recorded, configured = set(hashing.ignore_paths), set(ignore.ignored_body_paths)
    if recorded != configured:
        yield finding("ignore-paths-drift", ("hashing", "ignore_paths"), recorded=_listed(recorded), configured=_listed(configured))
    if hashing.normalize != ignore.normalize:
        names = [_listed([rule.name for rule in rules]) for rules in (hashing.normalize, ignore.normalize)]
        yield finding("normalize-drift", ("hashing", "normalize"), recorded=names[0], configured=names[1])
    missing = missing_rules(hashing.redaction_rules, rules.names)
    if missing:
        yield finding(
            "redaction-drift",
            ("hashing", "redaction_rules"),
            rules=", ".join(missing[:_SHOWN_RULES]) + ", ..." * (len(missing) > _SHOWN_RULES),
        )


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "-"


class _Whole:
    """Checks of an interaction against those before it, and against all."""

    def __init__(self, cassette: Cassette) -> None:
        self._interactions = cassette.interactions
        self._first_of: dict[bytes, int] = {}
        self._latest = -1
        sizes = [size_of(interaction) for interaction in cassette.interactions]
        middle = sorted(sizes)[len(sizes) // 2] if len(sizes) >= _FEWEST_TO_COMPARE else LARGE_BYTES
        self._large_bytes = min(LARGE_BYTES, max(NOTABLE_BYTES, TIMES_MEDIAN * middle))

    def check(self, index: int, interaction: Interaction) -> Iterator[Finding]:
        first = self._first_of.setdefault(_digest_of(interaction), index)
        if first != index:
            yield finding("duplicate", (), first=first)
        yield from self._check_order(index, interaction)
        size = size_of(interaction)
        if size >= self._large_bytes:
            sizes = _sizes(interaction)
            largest = max(sizes, key=lambda path: sizes[path])
            path = largest if sizes[largest] * 2 > size else ()
            yield finding("large", path, size=size, limit=int(self._large_bytes))

    def _check_order(self, index: int, interaction: Interaction) -> Iterator[Finding]:
        """Each is appended in the order in which ``recorded_at`` was read, by one thread: however small, no step goes back."""
        time = time_of(interaction.metadata.recorded_at)
        if time is None:
            return
        latest = None if self._latest < 0 else time_of(self._interactions[self._latest].metadata.recorded_at)
        if latest is not None and time < latest:
            yield finding(
                "recorded-earlier",
                ("metadata", "recorded_at"),
                value=interaction.metadata.recorded_at,
                other=self._latest,
                latest=self._interactions[self._latest].metadata.recorded_at,
            )
        else:
            self._latest = index


def size_of(interaction: Interaction) -> int:
    """Bytes of what was exchanged: query, headers and bodies."""
    return sum(_sizes(interaction).values())


def _sizes(interaction: Interaction) -> dict[Path, int]:
    """Where the bytes are."""
    request, response = interaction.request, interaction.response
    if isinstance(response, StreamResponse):
        part, body = "raw_transcript", response.raw_transcript
    else:
        part, body = "body", response.body
    return {
        ("request", "query"): _length(request.query),
        ("request", "headers"): sum(_length(name) + _length(value) for name, value in request.headers),
        ("request", "body"): len(request.body),
        ("response", "headers"): sum(_length(name) + _length(value) for name, value in response.headers),
        ("response", part): len(body),
    }


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _digest_of(interaction: Interaction) -> bytes:
    """Tells whether two interactions are one that was copied. The same question may get the same answer twice, but not at once."""
    request, response = interaction.request, interaction.response
    body = response.raw_transcript if isinstance(response, StreamResponse) else response.body
    digest = hashlib.sha256()
    head = (request.method, request.path, request.query, response.status, interaction.failure, interaction.metadata.recorded_at)
    for part in (repr(head).encode("utf-8", "surrogatepass"), request.body, body):
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.digest()
