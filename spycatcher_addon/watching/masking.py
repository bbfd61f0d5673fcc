"""Messages as they may be shown: what redaction keeps off a tape is not in them either.

A field that a tape leaves out whole stays visible as a name, with a mask for its value. Framing fields are left alone,
because whoever shows a message also reads its framing from it.
"""

from __future__ import annotations

from typing import Final

from spycatcher_addon.cassette.model import Interaction, Metadata, NonStreamResponse, RecordedRequest
from spycatcher_addon.exchange import Headers, RawHeaders
from spycatcher_addon.headers import FORBIDDEN_EXTRA_HEADERS
from spycatcher_addon.redaction.apply import InteractionRedactor
from spycatcher_addon.redaction.finder import SecretFinder
from spycatcher_addon.redaction.messages import Redactor
from spycatcher_addon.redaction.rules import RedactionRules

MASK: Final = b"[redacted]"

_SEARCHED = ("content-type", "content-encoding")


class Masker:
    """One set of rules, applied to messages as they come by."""

    def __init__(self, rules: RedactionRules, max_body_bytes: int) -> None:
        """Prepare the rules.

        Args:
            max_body_bytes: Largest body that is decoded to be searched.
        """
        self.rules = rules
        self._redactor = InteractionRedactor(rules, max_body_bytes)
        self._finder = SecretFinder(rules)

    def fields(self, fields: RawHeaders) -> RawHeaders:
        """Header fields, in order, with masks and tokens in the place of secrets."""
        return tuple((name, self._value(name, value)) for name, value in fields)

    def line(self, line: bytes) -> bytes:
        """What else of a message is text: a method, a reason phrase, what is said of an error."""
        return self._value(b"", line)

    def target(self, target: bytes) -> bytes:
        """A request target; only its query can hold secrets."""
        path, mark, query = target.partition(b"?")
        if not query:
            return target
        redacted = Redactor(self.rules, self._finder).query(query.decode("latin-1"))
        return path + mark + redacted.encode("latin-1", "replace")

    def body(self, body: bytes, fields: RawHeaders) -> tuple[bytes, RawHeaders]:
        """A body and the header fields that belong to it; a coded body with a secret comes back decoded.

        Args:
            fields: The real ones: they say how the body is coded.
        """
        headers: Headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in fields
            if name.decode("latin-1").lower() in _SEARCHED
        )
        nothing = RecordedRequest("GET", "/")
        observed = Interaction(nothing, NonStreamResponse(200, headers, body), Metadata("", "", "", 0))
        response = self._redactor.interaction(observed)[0].response
        assert isinstance(response, NonStreamResponse), "redaction keeps the kind"
        if response.body == body:
            return body, fields
        if any(name == "content-encoding" for name, _ in response.headers):
            return response.body, fields
        return response.body, tuple((name, value) for name, value in fields if name.lower() != b"content-encoding")

    def _value(self, name: bytes, value: bytes) -> bytes:
        lowered = name.decode("latin-1").lower()
        if lowered in FORBIDDEN_EXTRA_HEADERS:
            return value
        if lowered in self.rules.drop_headers:
            return MASK
        text = value.decode("latin-1")
        redacted = Redactor(self.rules, self._finder).headers((("", text),))
        return value if redacted[0][1] == text else redacted[0][1].encode("latin-1", "replace")
