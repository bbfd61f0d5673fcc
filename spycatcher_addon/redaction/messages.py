"""Take secrets out of the parts of a message: query, header values, bodies. Nothing else in them changes.

A part without a secret comes back as the very object that went in.
"""

from __future__ import annotations

import json
import re
from urllib.parse import unquote_to_bytes

from spycatcher_addon.cassette.jsontext import NotJsonError, parse_json
from spycatcher_addon.cassette.tokens import TOKEN
from spycatcher_addon.exchange import Headers
from spycatcher_addon.redaction.book import TokenBook
from spycatcher_addon.redaction.finder import SecretFinder, Span
from spycatcher_addon.redaction.json_text import JsonPart, json_parts
from spycatcher_addon.redaction.layers import undo_json_escapes
from spycatcher_addon.redaction.rules import BODY_RULE, QUERY_RULE, RedactionRules
from spycatcher_addon.redaction.shapes import named_credential

_URL_PARAMETER = re.compile(r"([?&])([^=&#\s\"]{1,64})=([^&#\s\"<>]+)")


class Redactor:
    """The rules, and the tokens of one interaction."""

    def __init__(self, rules: RedactionRules, finder: SecretFinder | None = None) -> None:
        """Start a new interaction.

        Args:
            finder: Made from ``rules``; give the same one for many interactions.
        """
        self.rules = rules
        self.finder = SecretFinder(rules) if finder is None else finder
        self.book = TokenBook()

    def query(self, query: str) -> str:
        """Redact a raw query: the values of named parameters, and what else gives a secret away."""
        if not query:
            return query
        redacted = "&".join(map(self._parameter, query.split("&")))
        return self.text(redacted)

    def _parameter(self, piece: str) -> str:
        name, equals, value = piece.partition("=")
        return f"{name}={self._parameter_value(name, value)}" if equals else piece

    def _parameter_value(self, name: str, value: str) -> str:
        plain = _unquote(name).lower()
        secret = _unquote(value)
        if not value or plain not in self.rules.query_parameters or TOKEN.fullmatch(secret):
            return value
        return self.book.token(QUERY_RULE + plain, secret)

    def headers(self, headers: Headers) -> Headers:
        """Redact the values that remain of header fields, and named parameters of URLs in them."""
        redacted = tuple((name, self._header_value(value)) for name, value in headers if name.lower() not in self.rules.drop_headers)
        return headers if redacted == headers else redacted

    def _header_value(self, value: str) -> str:
        if "?" in value and self.rules.query_parameters:
            value = _URL_PARAMETER.sub(lambda match: f"{match[1]}{match[2]}={self._parameter_value(match[2], match[3])}", value)
        return self.text(value)

    def text(self, text: str) -> str:
        """Redact a text of which nothing is known."""
        if not self.finder.suspects(text.encode("utf-8", "surrogatepass")):
            return text
        return self.replace(text, self.finder.find(text))

    def replace(self, text: str, spans: list[Span]) -> str:
        """Put tokens in the place of spans."""
        pieces, position = [], 0
        for span in spans:
            pieces += [text[position : span.start], self.book.tokens(span)]
            position = span.end
        return "".join((*pieces, text[position:])) if spans else text

    def body(self, body: bytes) -> bytes:
        """Redact a body after content decoding: JSON string by string, anything else as text."""
        has_paths = bool(self.rules.body_paths)
        if not has_paths and not self.finder.suspects(body):
            return body
        text = body.decode("utf-8", "surrogateescape")
        redacted = self.json(text, has_paths) if _is_json(body) else self.replace(text, self.finder.find(text))
        return body if redacted == text else redacted.encode("utf-8", "surrogateescape")

    def json(self, text: str, has_paths: bool = False) -> str:
        """Redact a JSON text, which must be one; strings keep their spelling around what is taken out."""
        pieces, position = [], 0
        for part in json_parts(text, self.rules.pointers if has_paths else None):
            old = text[part.start : part.end]
            new = self._json_part(part, old)
            if new != old:
                pieces += [text[position : part.start], new]
                position = part.end
        return "".join((*pieces, text[position:]))

    def _json_part(self, part: JsonPart, old: str) -> str:
        if part.is_named:
            return self.named_value(old)
        if old[0] != '"':
            return f'"{self.replace(old, spans)}"' if old[0] in "-0123456789" and (spans := self.finder.find(old)) else old
        inner = old[1:-1]
        return f'"{self.replace(inner, self.spans_of_json_string(inner, None if part.is_name else part.path))}"'

    def named_value(self, old: str) -> str:
        """The token, as JSON text, for a JSON text that a body path names; what is empty or a token already stays."""
        value = json.loads(old, strict=False)
        if value is None or value == "" or (isinstance(value, str) and TOKEN.fullmatch(value)):
            return old
        secret = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        return f'"{self.book.token(BODY_RULE, secret)}"'

    def spans_of_json_string(self, inner: str, path: tuple[str | int, ...] | None, is_plain: bool = False) -> list[Span]:
        """Where secrets stand in what is between the quotes of a JSON string.

        Args:
            path: Where the string stands; the last name on it tells credentials that have no looks of their own.
            is_plain: ``inner`` has its escapes undone already.
        """
        layer = None if is_plain else undo_json_escapes(inner)
        plain = inner if layer is None else layer.text
        name = next((key for key in reversed(path or ()) if isinstance(key, str)), "")
        shape = named_credential(name, plain, self.rules.shapes) if name else None
        if shape is not None:
            return [Span(0, len(inner), shape, (plain,))]
        if not self.finder.suspects(plain.encode("utf-8", "surrogatepass")):
            return []
        spans = self.finder.find(plain)
        if layer is None:
            return spans
        return [Span(layer.outer(span.start), layer.outer(span.end), span.rule, span.secrets) for span in spans]


def _unquote(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


def _is_json(body: bytes) -> bool:
    try:
        parse_json(body)
    except NotJsonError:
        return False
    return True
