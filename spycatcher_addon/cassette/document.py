"""The JSON document of a cassette file: its top-level members and, one by one, its interactions.

Decides whether the bytes are a JSON document at all and explains in words what happened to a file that is not; what the
members mean is for the readers of the format versions. Interactions come one at a time, so a large file never stands in
memory as JSON values as a whole. Files laid out as the harness writes them are cut at their lines and never even decoded as a whole;
that reader only says yes or no, and every other file, broken or formatted in some other way, goes through the general one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

from spycatcher_addon.cassette.fields import JsonObject, found, step
from spycatcher_addon.cassette.jsontext import JsonValue

INTERACTIONS: Final = "interactions"
HEAD_END: Final = b'\n  "interactions": ['
"""Last line of what stands before the interactions."""
FIRST: Final = b"\n"
SEPARATOR: Final = b",\n"
TAIL: Final = b"\n  ]\n}\n"
EMPTY_TAIL: Final = b"]\n}\n"
"""What follows the head when there are no interactions."""

RESTORE: Final = "restore the file from version control, or record the conversation again"
"""The cure for most damage."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_ELEMENT_START: Final = b"    {\n"
_ELEMENT_END: Final = b"\n    }"
_BOUNDARY: Final = _ELEMENT_END + SEPARATOR + _ELEMENT_START
_OTHERWISE: Final = "not laid out as the harness writes it"
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_CONFLICT_MARKER: Final = re.compile(rb"^(?:<{7} |\|{7} |={7}$|>{7} )", re.MULTILINE)


class DamagedDocumentError(Exception):
    """The bytes are not one JSON document; the text says where, what, and what to do."""


class DuplicateKeyError(ValueError):
    """A key stands twice in one object."""


def normalize_text(data: bytes) -> bytes:
    """Undo what a checkout or an editor may do to a whole file: a byte order mark in front, CRLF line ends.

    Nothing recorded is touched: inside JSON strings both kinds of line end are escaped.
    """
    data = data.removeprefix(_BYTE_ORDER_MARK)
    # The search for one byte is several times faster, and nearly always ends the matter.
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def cut_canonical(chunks: Iterable[bytes | memoryview]) -> Iterator[tuple[int, bytes]]:
    """Cut a document that is laid out as the harness writes it: first what stands before the interactions, then each of them.

    Cutting at lines is safe: a JSON string holds no raw line feed, and the pieces between the cuts are whole values. Only one
    interaction and one chunk are held at a time.

    Args:
        chunks: The file from its first byte to its last; the first chunk must hold everything before the interactions, and a byte more.

    Yields:
        Where a piece begins in the file, and the piece; the first one ends with :data:`HEAD_END`.

    Raises:
        ValueError: The document is laid out in another way, or broken; some of it may have been given already.
    """
    source = iter(chunks)
    buffer = bytearray(next(source, b""))
    start = buffer.find(HEAD_END) + len(HEAD_END)
    if start < len(HEAD_END):
        raise ValueError(_OTHERWISE)
    yield 0, bytes(buffer[:start])
    if not buffer.startswith(FIRST, start):
        if buffer[start:] + next(source, b"") != EMPTY_TAIL:
            raise ValueError(_OTHERWISE)
        return
    start += len(FIRST)
    place = searched = 0
    while True:
        searched = max(searched, start)
        while (cut := buffer.find(_BOUNDARY, searched)) >= 0:
            stop = cut + len(_ELEMENT_END)
            yield place + start, bytes(buffer[start:stop])
            start = searched = stop + len(SEPARATOR)
        chunk = next(source, None)
        if chunk is None:
            break
        del buffer[:start]
        place += start
        start = 0
        searched = max(0, len(buffer) - len(_BOUNDARY))
        buffer += chunk
    if not buffer.endswith(_ELEMENT_END + TAIL):
        raise ValueError(_OTHERWISE)
    yield place + start, bytes(buffer[start : -len(TAIL)])


def parse_canonical_head(piece: bytes) -> JsonObject:
    """Read the first piece of :func:`cut_canonical`: the top-level members, with no interactions.

    Raises:
        ValueError, RecursionError: It is not JSON.
    """
    head = _decode(piece + EMPTY_TAIL)
    assert isinstance(head, dict), "a JSON text that ends with a closing brace is an object"
    return head


def parse_canonical_element(piece: bytes) -> JsonValue:
    """Read one of the other pieces of :func:`cut_canonical`.

    Raises:
        ValueError, RecursionError: It is not JSON.
    """
    return _decode(piece)


def scan_document(data: bytes) -> Iterator[tuple[str | int, JsonValue]]:
    """Read the document from its first byte to its last, whatever its layout.

    Yields:
        The top-level members in the order of the file. The array ``interactions`` comes as an empty one, followed by its
        elements, each with its zero-based index in place of a key.

    Raises:
        DamagedDocumentError: The bytes are not one JSON document with an object at the top.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedDocumentError(_explain_encoding(data, error)) from None
    scanner = _Scanner(text)
    try:
        yield from scanner.members()
    except DuplicateKeyError as error:
        raise DamagedDocumentError(f"{scanner.place()}: {error}; {RESTORE}") from None
    except json.JSONDecodeError as error:
        raise DamagedDocumentError(_explain_syntax(data, text, error, scanner.place())) from None
    except RecursionError:
        raise DamagedDocumentError(f"{scanner.place()}: nested too deeply to be read; {RESTORE}") from None
    except ValueError as error:
        # An integer of more digits than Python converts, or NaN.
        raise DamagedDocumentError(f"{scanner.place()}: {error}; {RESTORE}") from None


class _Scanner:
    """Walks the top level by hand and leaves the values below it to the JSON decoder."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._key: str | None = None
        self._index: int | None = None

    def place(self) -> str:
        """Name what was being read last."""
        if self._index is not None:
            return f"{INTERACTIONS}[{self._index}]"
        return self._key or "top level"

    def members(self) -> Iterator[tuple[str | int, JsonValue]]:
        self._skip_space()
        if self._peek() != "{":
            value = self._value()
            raise json.JSONDecodeError(f"expected an object at the top, found {found(value)}", self._text, 0)
        self._position += 1
        keys: set[str] = set()
        for _ in self._items("}"):
            key = self._member_key()
            if key in keys:
                raise DuplicateKeyError(f'the key "{step(key)}" stands twice')
            keys.add(key)
            self._key = step(key)
            if key == INTERACTIONS and self._peek() == "[":
                yield key, []
                yield from self._elements()
            else:
                yield key, self._value()
        self._key = None
        if self._position != len(self._text):
            raise json.JSONDecodeError("text after the end of the document", self._text, self._position)

    def _elements(self) -> Iterator[tuple[int, JsonValue]]:
        self._position += 1
        for index, _ in enumerate(self._items("]")):
            self._index = index
            yield index, self._value()
        self._index = None

    def _items(self, closing: str) -> Iterator[None]:
        """Yield before each item of the container whose opening bracket has been passed; ends behind the closing one."""
        self._skip_space()
        if not self._take(closing):
            yield
            while self._take(","):
                yield
            if not self._take(closing):
                raise json.JSONDecodeError(f"expected ',' or '{closing}'", self._text, self._position)

    def _member_key(self) -> str:
        if self._peek() != '"':
            raise json.JSONDecodeError("expected a key in double quotes", self._text, self._position)
        key = self._value()
        if not self._take(":"):
            raise json.JSONDecodeError("expected ':'", self._text, self._position)
        assert isinstance(key, str)
        return key

    def _value(self) -> JsonValue:
        value: JsonValue
        value, self._position = _DECODER.raw_decode(self._text, self._position)
        self._skip_space()
        return value

    def _take(self, character: str) -> bool:
        if self._peek() != character:
            return False
        self._position += 1
        self._skip_space()
        return True

    def _peek(self) -> str:
        return self._text[self._position : self._position + 1]

    def _skip_space(self) -> None:
        space = _SPACE.match(self._text, self._position)
        assert space is not None
        self._position = space.end()


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise DuplicateKeyError(f'the key "{step(twice)}" stands twice in one object')
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def _decode(data: bytes) -> JsonValue:
    value: JsonValue = _DECODER.decode(data.decode("utf-8"))
    return value


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def _explain_encoding(data: bytes, error: UnicodeDecodeError) -> str:
    marker = _CONFLICT_MARKER.search(data)
    if marker:
        return _explain_conflict(data, marker.start())
    if error.reason == "unexpected end of data":
        return f"the file ends in the middle of a character, at line {_line_of(data, len(data))}; {RESTORE}"
    return f"byte {error.start} (line {_line_of(data, error.start)}) is not UTF-8; save the file as UTF-8, or {RESTORE}"


def _explain_conflict(data: bytes, position: int) -> str:
    return (
        f"line {_line_of(data, position)} is the marker of an unresolved merge conflict; take one side of the file as a whole "
        "(git checkout --ours or --theirs), or record the conversation again"
    )


def _explain_syntax(data: bytes, text: str, error: json.JSONDecodeError, place: str) -> str:
    if not text.strip():
        return f"the file is empty; {RESTORE}, or delete it and record"
    zero = data.find(b"\0")
    if zero >= 0:
        line = _line_of(data, zero)
        return f"{data.count(0)} zero bytes, from byte {zero} (line {line}) on, as a crash or a full disk leaves them; {RESTORE}"
    marker = _CONFLICT_MARKER.search(data)
    if marker:
        return _explain_conflict(data, marker.start())
    unread = text[error.pos :].rstrip()
    # What is left is nothing, an unclosed string, or the beginning of a literal.
    if error.msg.startswith("Unterminated string") or any(word.startswith(unread) for word in ("tru", "fals", "nul", "-")):
        return f"{place}: the file ends in the middle, at line {_line_of(data, len(data.rstrip()))}; {RESTORE}"
    return f"{place}: line {error.lineno} column {error.colno}: {error.msg}; mend that place, or {RESTORE}"
