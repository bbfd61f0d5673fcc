"""Which token stands for which secret within one interaction."""

from __future__ import annotations

from spycatcher_addon.cassette.tokens import TOKEN, token
from spycatcher_addon.redaction.finder import Span


class TokenBook:
    """Counts the distinct secrets of each rule, in the order in which they are asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        self._taken: dict[str, set[int]] = {}
        self.uses: list[tuple[str, str]] = []
        """Rule and secret of each token given out, in order."""

    def reserve(self, text: str) -> None:
        """Leave out the numbers of tokens that stand in a text already, so that one token never means two secrets."""
        for match in TOKEN.finditer(text):
            self._taken.setdefault(match[1], set()).add(int(match[2]))

    def token(self, rule: str, secret: str) -> str:
        """The token of a secret; the same one each time."""
        numbers, taken = self._numbers.setdefault(rule, {}), self._taken.setdefault(rule, set())
        self.uses.append((rule, secret))
        if secret not in numbers:
            number = max(numbers.values(), default=0) + 1
            while number in taken:
                number += 1
            numbers[secret] = number
        return token(rule, numbers[secret])

    def tokens(self, span: Span) -> str:
        """What stands in the place of a span."""
        return "".join(dict.fromkeys(self.token(span.rule, secret) for secret in span.secrets))
