"""Today's redaction rules on a cassette that was recorded under others.

Only what the rules name changes. Says what was replaced by rule and place, never by value; reads and writes no file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from spycatcher_addon.cassette.canonical import IgnorePathConfig
from spycatcher_addon.cassette.jsontext import JsonValue
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction, StreamResponse
from spycatcher_addon.cassette.schema import FORMAT_VERSION
from spycatcher_addon.content_coding import decode_body
from spycatcher_addon.exchange import Headers
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.finder import SecretFinder
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.tools.editing import with_hash
from spycatcher_addon.verifying.other_texts import find_elsewhere, find_undecoded
from spycatcher_addon.verifying.tape_text import TapeText
from spycatcher_addon.version import GENERATOR


@dataclass(frozen=True, slots=True)
class Replaced:
    """What one rule did at one place."""

    interaction: int
    """Zero-based index."""
    place: str
    """The field of the interaction, ``request.body``."""
    rule: str
    count: int
    """Different values; for a header, the fields that were left out."""

    def as_json(self) -> JsonValue:
        """The members for programs."""
        return {"interaction": self.interaction, "place": self.place, "rule": self.rule, "count": self.count}


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A cassette after the rules have been applied."""

    cassette: Cassette
    """The very one that was given if nothing had to change."""
    is_changed: bool
    replaced: tuple[Replaced, ...] = ()
    unsearched: tuple[tuple[int, str], ...] = ()
    """Index and field of each body whose content coding is broken or unknown: secrets in it would not be found."""


@dataclass(frozen=True, slots=True)
class Left:
    """A secret where nothing can be put in its place: a path, a provider's name, a key of no format."""

    interaction: int | None
    """Zero-based index; ``None`` where it stands in none."""
    place: str
    """The field of the interaction or of the document, ``request.path``."""
    rule: str

    def as_json(self) -> JsonValue:
        """The members for programs."""
        return {"interaction": self.interaction, "place": self.place, "rule": self.rule}


def scrub_cassette(
    cassette: Cassette, rules: RedactionRules, rule_names: Sequence[str], ignore: IgnorePathConfig, max_body_bytes: int
) -> Scrubbed:
    """Take out of every interaction what the rules name.

    Args:
        rules: Known values included.
        rule_names: The rules as the new cassette notes them.
        ignore: For the hashes of a cassette of format 1, which does not say what its own were made with.
        max_body_bytes: Largest body that is decoded to be searched.

    Returns:
        Where something was replaced: a cassette of the written format, all hashes computed anew under the settings of the old one.

    Raises:
        InvalidPointerPathError: A body path or ignore path is not usable, or does not fit a body.
    """
    redactor = InteractionRedactor(rules, max_body_bytes)
    replaced: list[Replaced] = []
    unsearched: list[tuple[int, str]] = []
    interactions: list[Interaction] = []
    for index, old in enumerate(cassette.interactions):
        unsearched += ((index, place) for place in _unsearched(old, max_body_bytes))
        new, found = redactor.interaction(old)
        counts = Counter((each.place, each.rule) for each in found)
        counts.update(_dropped(old, rules.drop_headers))
        replaced += (Replaced(index, place, rule, count) for (place, rule), count in counts.items())
        interactions.append(new)
    if all(new is old for new, old in zip(interactions, cassette.interactions, strict=True)):
        return Scrubbed(cassette, False, (), tuple(unsearched))
    compared = ignore
    if cassette.format_version == FORMAT_VERSION:
        compared = IgnorePathConfig(cassette.hashing.ignore_paths, cassette.hashing.normalize)
    hashing = Hashing(tuple(compared.ignored_body_paths), tuple(rule_names), compared.normalize)
    hashed = tuple(with_hash(interaction, compared) for interaction in interactions)
    return Scrubbed(Cassette(FORMAT_VERSION, hashed, hashing, cassette.generator or GENERATOR), True, tuple(replaced), tuple(unsearched))


def find_left(scrubbed: Scrubbed, data: bytes, rules: RedactionRules, max_body_bytes: int) -> tuple[Left, ...]:
    """Find what is still on the tape although a rule names it, as a check of the tape would.

    Args:
        data: The file as it is after scrubbing.
        rules: Known values included.
    """
    cassette = scrubbed.cassette
    # Only what was read and stays as it is can have keys that are not the format's own.
    found = list(find_elsewhere(cassette, TapeText(data), rules, has_unknown_keys=not scrubbed.is_changed))
    finder = SecretFinder(rules)
    for index, interaction in enumerate(cassette.interactions):
        found += ((index, each) for each in find_undecoded(interaction.response, finder))
    redactor = InteractionRedactor(rules, max_body_bytes)  # a key may be a secret itself
    return tuple(dict.fromkeys(Left(index, redactor.text(each.place), each.rule) for index, each in found))


def interactions_with_secrets(cassette: Cassette, rules: RedactionRules, max_body_bytes: int) -> int:
    """How many interactions hold something that the rules take out.

    Args:
        rules: Known values included.

    Raises:
        InvalidPointerPathError: A body path is not usable.
    """
    redactor = InteractionRedactor(rules, max_body_bytes)
    return sum(redactor.interaction(interaction)[0] is not interaction for interaction in cassette.interactions)


def _dropped(interaction: Interaction, drop_headers: Collection[str]) -> Iterator[tuple[str, str]]:
    for part, headers in (("request", interaction.request.headers), ("response", interaction.response.headers)):
        for name, _ in headers:
            if name.lower() in drop_headers:
                yield f"{part}.headers", f"header.{name.lower()}"


def _unsearched(interaction: Interaction, max_body_bytes: int) -> Iterator[str]:
    response = interaction.response
    is_stream = isinstance(response, StreamResponse)
    body = response.raw_transcript if isinstance(response, StreamResponse) else response.body
    parts: tuple[tuple[str, bytes, Headers], ...] = (
        ("request.body", interaction.request.body, interaction.request.headers),
        ("response.raw_transcript" if is_stream else "response.body", body, response.headers),
    )
    for place, data, headers in parts:
        if decode_body(data, headers, max_body_bytes) is None:
            yield place
