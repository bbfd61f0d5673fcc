"""Undo the content codings of HTTP bodies (RFC 9110 section 8.4): whole bodies, and streams piece by piece.

Knows gzip, deflate, br and zstd, and lists of them. Never encodes: bodies are stored and passed on as they came, decoding
serves only to look inside. What cannot be decoded whole and without rest counts as not decodable; nothing is guessed.
Output comes in small pieces, so a body that swells beyond its limit is given up on before it takes memory.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol

import brotli  # type: ignore[import-untyped]

from spycatcher_addon.exchange import Headers

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DEFAULT_LIMIT_BYTES: Final = 128 * 1024 * 1024
"""How large a decoded body may be unless the caller says otherwise."""

_PIECE_BYTES: Final = 64 * 1024
_MAX_CODINGS: Final = 8
"""Nobody applies more in earnest; each one multiplies what a hostile body can cost."""


class ContentCodingError(ValueError):
    """The bytes are not what their ``content-encoding`` says: broken, cut short, followed by a rest, or too large."""


class UnknownCodingError(ContentCodingError):
    """A ``content-encoding`` names a coding that cannot be undone here."""


class _Coding(Protocol):
    """One coding being undone."""

    def feed(self, block: bytes) -> Iterator[bytes]:
        """Yield all that ``block`` makes decodable, in pieces of about ``_PIECE_BYTES``."""

    def is_complete(self) -> bool:
        """Whether the input so far is whole, so that it may end here."""


class _Zlib:
    """Gzip, zlib or raw deflate, by ``window_bits`` as :func:`zlib.decompressobj` takes them."""

    def __init__(self, window_bits: int, *, is_multi_member: bool) -> None:
        self._window_bits = window_bits
        self._is_multi_member = is_multi_member
        self._decompressor = zlib.decompressobj(window_bits)

    def feed(self, block: bytes) -> Iterator[bytes]:
        while block:
            if self._decompressor.eof:
                if not self._is_multi_member:
                    raise ContentCodingError("bytes follow the end of the compressed data")
                self._decompressor = zlib.decompressobj(self._window_bits)
            while True:
                piece = self._decompressor.decompress(block, _PIECE_BYTES)
                yield piece
                block = self._decompressor.unconsumed_tail
                # A full piece may have more behind it even when all input is taken.
                if self._decompressor.eof or (not block and len(piece) < _PIECE_BYTES):
                    break
            block = self._decompressor.unused_data

    def is_complete(self) -> bool:
        return self._decompressor.eof


class _Deflate:
    """``deflate`` as RFC 9110 means it (zlib), or the raw data some servers send instead; the first two bytes tell."""

    def __init__(self) -> None:
        self._start = b""
        self._inner: _Zlib | None = None

    def feed(self, block: bytes) -> Iterator[bytes]:
        if self._inner is None:
            self._start += block
            if len(self._start) < 2:
                return
            block = self._start
            # RFC 1950 section 2.2: method 8, and the two bytes are a multiple of 31.
            is_zlib = block[0] & 0x0F == 8 and int.from_bytes(block[:2]) % 31 == 0
            self._inner = _Zlib(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS, is_multi_member=False)
        yield from self._inner.feed(block)

    def is_complete(self) -> bool:
        return self._inner is not None and self._inner.is_complete()


class _Brotli:
    """``br`` (RFC 7932)."""

    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    def feed(self, block: bytes) -> Iterator[bytes]:
        # Bytes behind the end of the data make the library itself raise.
        piece = self._decompressor.process(block, output_buffer_limit=_PIECE_BYTES)
        yield piece
        # Output can be pending when all input is taken, so only an empty piece says that there is no more.
        while not self._decompressor.is_finished() and (piece or not self._decompressor.can_accept_more_data()):
            piece = self._decompressor.process(b"", output_buffer_limit=_PIECE_BYTES)
            yield piece

    def is_complete(self) -> bool:
        return bool(self._decompressor.is_finished())


class _Zstd:
    """``zstd`` (RFC 8878), one frame or several."""

    def __init__(self) -> None:
        self._decompressor = zstd.ZstdDecompressor()

    def feed(self, block: bytes) -> Iterator[bytes]:
        while block:
            if self._decompressor.eof:
                self._decompressor = zstd.ZstdDecompressor()
            yield self._decompressor.decompress(block, _PIECE_BYTES)
            while not self._decompressor.needs_input and not self._decompressor.eof:
                yield self._decompressor.decompress(b"", _PIECE_BYTES)
            block = self._decompressor.unused_data if self._decompressor.eof else b""

    def is_complete(self) -> bool:
        return self._decompressor.eof


def _gzip() -> _Coding:
    return _Zlib(zlib.MAX_WBITS + 16, is_multi_member=True)


_CODINGS: Final[dict[str, Callable[[], _Coding]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


class StreamDecoder:
    """Undo the codings of one body as its bytes arrive.

    Whatever the sender flushed comes out of :meth:`feed` at once. A body without a single byte is complete: a HEAD or 204
    answer may name a coding it never applied.

    >>> decoder = StreamDecoder("gzip")
    >>> decoder.feed(bytes.fromhex("1f8b08000000000002ffcb4807008b37d5b602000000")[:12])
    b'h'
    """

    def __init__(self, codings: str, limit: int | None = None) -> None:
        """Prepare for ``codings``, in the order they were applied.

        Args:
            codings: Value of ``content-encoding``: names with commas between them, in any case; ``identity`` does nothing.
            limit: Most bytes any coding may give in all; ``None`` for no limit.

        Raises:
            UnknownCodingError: A name is unknown, or there are more than eight.
        """
        names = _coding_names(codings)
        if len(names) > _MAX_CODINGS:
            raise UnknownCodingError(f"{len(names)} content codings on one body; at most {_MAX_CODINGS} are undone")
        for name in names:
            if name not in _CODINGS:
                raise UnknownCodingError(f"unknown content coding {name!r}; known are {', '.join(_CODINGS)}")
        self._stages = [_CODINGS[name]() for name in reversed(names)]
        self._left_bytes = [limit] * len(names)
        self._has_input = False

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes and return everything that can be decoded so far.

        Raises:
            ContentCodingError: The bytes are broken, go on behind the end of the data, or give more than the limit.
        """
        self._has_input = self._has_input or bool(chunk)
        try:
            return b"".join(self._run(0, chunk))
        except (zlib.error, brotli.error, zstd.ZstdError) as error:
            raise ContentCodingError(f"the compressed data is broken: {error}") from error

    def finish(self) -> bytes:
        """Say that the body is over; all its bytes have been returned by then.

        Raises:
            ContentCodingError: The compressed data is cut short.
        """
        if self._has_input and not all(stage.is_complete() for stage in self._stages):
            raise ContentCodingError("the compressed data is cut short")
        return b""

    def _run(self, depth: int, data: bytes) -> Iterator[bytes]:
        if depth == len(self._stages):
            yield data
            return
        # Blocks keep the unread rest, which zlib copies at each call, short.
        for start in range(0, len(data), _PIECE_BYTES):
            for piece in self._stages[depth].feed(data[start : start + _PIECE_BYTES]):
                left = self._left_bytes[depth]
                if left is not None:
                    if len(piece) > left:
                        raise ContentCodingError("the decoded body is larger than its limit")
                    self._left_bytes[depth] = left - len(piece)
                yield from self._run(depth + 1, piece)


def stream_decoder(headers: Headers, limit: int | None = None) -> StreamDecoder | None:
    """Give the decoder that a message's headers ask for, or ``None`` when its body stands as it is.

    Args:
        limit: Most bytes that may come out; more is a :class:`ContentCodingError`.

    Raises:
        UnknownCodingError: The headers name a coding that cannot be undone here.
    """
    codings = _content_encoding(headers)
    return StreamDecoder(codings, limit) if _coding_names(codings) else None


def decode_body(body: bytes, headers: Headers, limit: int = DEFAULT_LIMIT_BYTES) -> bytes | None:
    """Undo the content codings of a whole body.

    Args:
        limit: Most bytes to decode to. A body without codings is returned as it is, whatever its size.

    Returns:
        The decoded body; ``None`` when a coding is unknown, or the bytes are broken, cut short, followed by a rest, or
        larger than the limit once decoded.
    """
    codings = _content_encoding(headers)
    if not _coding_names(codings):
        return body
    try:
        decoder = StreamDecoder(codings, limit)
        return decoder.feed(body) + decoder.finish()
    except ContentCodingError:
        return None


def _content_encoding(headers: Headers) -> str:
    return ",".join(value for name, value in headers if name.lower() == "content-encoding")


def _coding_names(codings: str) -> list[str]:
    names = (name.strip(" \t").lower() for name in codings.split(","))
    return [name for name in names if name and name != "identity"]
