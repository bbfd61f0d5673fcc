"""New cassettes out of old ones: several put one after the other, one with some interactions left out.

Interactions go over as they are; only the hashes are computed anew where they were made under other settings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction
from spycatcher_addon.cassette.schema import FORMAT_VERSION

_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", re.ASCII)


class IndexListError(ValueError):
    """A list of indexes cannot be used; the text says which part, and why."""


def merge_cassettes(cassettes: Sequence[Cassette], generator: str) -> Cassette:
    """Put cassettes one after the other.

    The first one's ignore paths hold for all. A redaction rule is only noted if every interaction was recorded under it.

    Raises:
        InvalidPointerPathError: The first one's ignore paths do not fit a body of another one.
    """
    first = cassettes[0].hashing
    shared = [rule for rule in first.redaction_rules if all(rule in each.hashing.redaction_rules for each in cassettes)]
    hashing = Hashing(first.ignore_paths, tuple(shared), first.normalize)
    interactions = [interaction for each in cassettes for interaction in under_settings(each, hashing).interactions]
    return Cassette(FORMAT_VERSION, tuple(interactions), hashing, generator)


def under_settings(cassette: Cassette, hashing: Hashing) -> Cassette:
    """The same tape in the written format, with hashes made under the ignore paths of ``hashing``.

    Raises:
        InvalidPointerPathError: An ignore path does not fit a recorded body.
    """
    interactions = cassette.interactions
    is_same = cassette.format_version == FORMAT_VERSION and cassette.hashing.compares_like(hashing.ignore_paths, hashing.normalize)
    if not is_same:
        ignore = IgnorePathConfig(hashing.ignore_paths, hashing.normalize)
        interactions = tuple(with_hash(interaction, ignore) for interaction in interactions)
    return Cassette(FORMAT_VERSION, interactions, hashing, cassette.generator)


def with_hash(interaction: Interaction, ignore: IgnorePathConfig) -> Interaction:
    """The interaction with its hash computed from the recorded request.

    Raises:
        InvalidPointerPathError: An ignore path does not fit the body.
    """
    request = replace(interaction.request, stable_hash=stable_hash(canonicalize(interaction.request, ignore)))
    return replace(interaction, request=request)


def prune_cassette(cassette: Cassette, drop: Collection[int]) -> Cassette:
    """Leave interactions out.

    Args:
        drop: Zero-based indexes.

    Raises:
        IndexListError: There is no interaction of one of these indexes.
    """
    count = len(cassette.interactions)
    missing = sorted(index for index in drop if not 0 <= index < count)
    if missing:
        last = f"the last one is {count - 1}" if count else "the cassette is empty"
        raise IndexListError(f"there is no interaction {missing[0]}; {last}")
    kept = tuple(interaction for index, interaction in enumerate(cassette.interactions) if index not in drop)
    return replace(cassette, interactions=kept)


def parse_index_list(text: str) -> frozenset[int]:
    """Read indexes and ranges of them, such as ``0,3-5``; both ends of a range are meant.

    Raises:
        IndexListError: It is something else.
    """
    indexes: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise IndexListError(f"{part.strip()!r} is no index and no range of indexes such as 3-5")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first > 1_000_000:
            raise IndexListError(f"the range {part.strip()} must run upwards, over at most 1000000 indexes")
        indexes.update(range(first, last + 1))
    return frozenset(indexes)
