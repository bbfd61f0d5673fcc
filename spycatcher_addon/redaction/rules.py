"""Which values are secrets: the rules of a recording, and their names as a tape notes them.

All but the known values can be told from their names, so a tape says by itself what its hashes were made with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from spycatcher_addon.cassette.pointers import PointerTree, parse_pointers
from spycatcher_addon.redaction.digests import SecretDigest
from spycatcher_addon.redaction.shapes import SHAPE_NAMES

QUERY_RULE: Final = "query."
"""What the rule of a query parameter begins with."""
BODY_RULE: Final = "body-path"
KNOWN_RULE: Final = "env"
"""All known values share one rule: which variable holds a value may differ from run to run."""
DIGEST_RULE: Final = "sha256"
"""Of the values that are known by their digest."""

_HEADER_PREFIX = "header."
_BODY_PREFIX = "body."
_SHAPE_PREFIX = "shape."

_SHORTEST_KNOWN = 8
_SHORTEST_ODD_KNOWN = 6


@dataclass(frozen=True)
class RedactionRules:
    """The settings that name secrets, the same for recording, replaying and verifying."""

    drop_headers: frozenset[str] = frozenset()
    """Lower-case names of header fields that are left out whole."""
    query_parameters: frozenset[str] = frozenset()
    """Lower-case names of query parameters whose values are secrets."""
    body_paths: tuple[str, ...] = ()
    """JSON Pointers (RFC 6901) into bodies, ``*`` for every array element."""
    shapes: frozenset[str] = frozenset()
    """Names of the credential shapes that are looked for."""
    known: tuple[str, ...] = field(default=(), repr=False)
    """Values that are secrets wherever they stand."""
    digests: tuple[SecretDigest, ...] = ()
    """What is known of values that are secrets wherever they stand, where the values themselves are not."""

    @cached_property
    def pointers(self) -> PointerTree:
        """The body paths, parsed once.

        Raises:
            InvalidPointerPathError: A path is not a usable pointer.
        """
        return parse_pointers(self.body_paths)

    @property
    def names(self) -> tuple[str, ...]:
        """The rules in force, for the tape; without the known values, which differ from run to run."""
        return (
            *(_HEADER_PREFIX + name for name in sorted(self.drop_headers)),
            *(QUERY_RULE + name for name in sorted(self.query_parameters)),
            *(_BODY_PREFIX + path for path in sorted(set(self.body_paths))),
            *(_SHAPE_PREFIX + name for name in sorted(self.shapes)),
        )

    def with_known(self, values: Iterable[str]) -> RedactionRules:
        """The same rules and these values too."""
        known = tuple(dict.fromkeys((*self.known, *values)))
        if known == self.known:
            return self
        return replace(self, known=known)


NO_RULES: Final = RedactionRules()


def rules_from_names(names: Iterable[str]) -> RedactionRules:
    """The rules that a tape was made with, from what it notes; names that say nothing here are passed over."""
    by_kind: dict[str, list[str]] = {_HEADER_PREFIX: [], QUERY_RULE: [], _BODY_PREFIX: [], _SHAPE_PREFIX: []}
    for name in names:
        for prefix, of_kind in by_kind.items():
            if name.startswith(prefix):
                of_kind.append(name.removeprefix(prefix))
    return RedactionRules(
        drop_headers=frozenset(by_kind[_HEADER_PREFIX]),
        query_parameters=frozenset(by_kind[QUERY_RULE]),
        body_paths=tuple(by_kind[_BODY_PREFIX]),
        shapes=frozenset(by_kind[_SHAPE_PREFIX]).intersection(SHAPE_NAMES),
    )


def missing_rules(recorded: Iterable[str], today: Iterable[str]) -> tuple[str, ...]:
    """The rules of today that a tape was made without; none for a tape that notes no rules, as those made by hand."""
    had = set(recorded)
    prefixes = (_HEADER_PREFIX, QUERY_RULE, _BODY_PREFIX, _SHAPE_PREFIX)
    return tuple(name for name in today if name not in had) if any(name.startswith(prefixes) for name in had) else ()


def touch_requests_alike(names: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two sets of rules change the compared part of a request alike; headers take no part in it."""

    def compared(rules: Iterable[str]) -> set[str]:
        return {name for name in rules if name.startswith((QUERY_RULE, _BODY_PREFIX, _SHAPE_PREFIX))}

    return compared(names) == compared(others)


def is_long_enough(value: str) -> bool:
    """Whether a known value can be looked for without hitting ordinary text: a short word is no secret worth the damage."""
    return len(value) >= _SHORTEST_KNOWN or (len(value) >= _SHORTEST_ODD_KNOWN and not value.isalpha())
