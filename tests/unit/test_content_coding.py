from __future__ import annotations

import gzip
import sys
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest

from spycatcher_addon.content_coding import ContentCodingError, StreamDecoder, UnknownCodingError, decode_body, stream_decoder
from spycatcher_addon.exchange import Headers

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b'{"model": "m", "messages": []}' * 50


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate-zlib": ("deflate", zlib.compress),
    "deflate-zlib-fast": ("deflate", lambda data: zlib.compress(data, 1)),
    "deflate-raw": ("deflate", raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
}
each_coding = pytest.mark.parametrize(("coding", "encode"), ENCODERS.values(), ids=ENCODERS)


def coded(coding: str) -> Headers:
    return (("content-type", "application/json"), ("content-encoding", coding))


@each_coding
def test_whole_body_is_decoded(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode_body(encode(TEXT), coded(coding)) == TEXT


@each_coding
def test_empty_text_survives(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode_body(encode(b""), coded(coding)) == b""


@each_coding
@pytest.mark.parametrize("kept", [1, 5, -1], ids=["first byte", "five bytes", "all but the last byte"])
def test_truncated_body_is_not_decoded(coding: str, encode: Callable[[bytes], bytes], kept: int) -> None:
    assert decode_body(encode(TEXT)[:kept], coded(coding)) is None


@each_coding
def test_trailing_garbage_is_refused(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode_body(encode(TEXT) + b"garbage", coded(coding)) is None
    decoder = StreamDecoder(coding)
    assert decoder.feed(encode(TEXT)) == TEXT
    with pytest.raises(ContentCodingError):
        decoder.feed(b"garbage" * 3)


@each_coding
def test_plain_bytes_are_refused(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode_body(TEXT, coded(coding)) is None


@each_coding
def test_limit_is_exact(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode_body(encode(TEXT), coded(coding), limit=len(TEXT)) == TEXT
    assert decode_body(encode(TEXT), coded(coding), limit=len(TEXT) - 1) is None


@each_coding
def test_bomb_stops_at_the_limit(coding: str, encode: Callable[[bytes], bytes]) -> None:
    bomb = encode(b"\0" * 20_000_000)
    tracemalloc.start()
    try:
        assert decode_body(bomb, coded(coding), limit=100_000) is None
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()


@each_coding
def test_large_output_of_one_chunk_is_whole(coding: str, encode: Callable[[bytes], bytes]) -> None:
    text = b"".join(b"%d," % number for number in range(200_000))
    assert StreamDecoder(coding).feed(encode(text)) == text


@each_coding
@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 131_072])
def test_sizes_around_the_internal_piece(coding: str, encode: Callable[[bytes], bytes], size: int) -> None:
    decoder = StreamDecoder(coding)
    assert decoder.feed(encode(b"a" * size)) + decoder.finish() == b"a" * size


@each_coding
def test_single_bytes_decode_alike(coding: str, encode: Callable[[bytes], bytes]) -> None:
    decoder = StreamDecoder(coding)
    assert b"".join(decoder.feed(bytes([byte])) for byte in encode(TEXT)) + decoder.finish() == TEXT


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_members_after_one_another_are_joined(coding: str) -> None:
    encode = ENCODERS[coding][1]
    assert decode_body(encode(b"one,") + encode(b"") + encode(b"two"), coded(coding)) == b"one,two"


def test_flushed_text_comes_out_at_once() -> None:
    gzip_compressor = zlib.compressobj(wbits=31)
    zstd_compressor = zstd.ZstdCompressor()
    brotli_compressor = brotli.Compressor()
    flushes = {
        "gzip": lambda text: gzip_compressor.compress(text) + gzip_compressor.flush(zlib.Z_SYNC_FLUSH),
        "br": lambda text: brotli_compressor.process(text) + brotli_compressor.flush(),
        "zstd": lambda text: zstd_compressor.compress(text, zstd.ZstdCompressor.FLUSH_BLOCK),
    }
    for coding, flush in flushes.items():
        decoder = StreamDecoder(coding)
        for text in (b"data: one\n\n", b"data: two\n\n"):
            assert decoder.feed(flush(text)) == text, coding
        with pytest.raises(ContentCodingError, match="cut short"):
            decoder.finish()


def test_codings_are_undone_last_first() -> None:
    body = brotli.compress(zlib.compress(gzip.compress(TEXT)))
    assert decode_body(body, coded(" GZIP,deflate ,, identity,Br")) == TEXT
    assert decode_body(body, coded("br, deflate, gzip")) is None
    split_over_two_fields = (("Content-Encoding", "gzip, deflate"), ("content-encoding", "br"))
    assert decode_body(body, split_over_two_fields) == TEXT


def test_a_coding_inside_another_that_is_cut_short() -> None:
    assert decode_body(gzip.compress(gzip.compress(TEXT)[:-1]), coded("gzip, gzip")) is None


@pytest.mark.parametrize("headers", [(), coded("identity"), coded(""), coded(" , ")])
def test_no_coding_leaves_the_body_alone(headers: Headers) -> None:
    assert decode_body(TEXT, headers, limit=1) is TEXT
    assert stream_decoder(headers) is None


@pytest.mark.parametrize("coding", ["compress", "gzip, snappy", ", ".join(["gzip"] * 9)])
def test_unknown_codings(coding: str) -> None:
    assert decode_body(gzip.compress(TEXT), coded(coding)) is None
    with pytest.raises(UnknownCodingError):
        stream_decoder(coded(coding))


def test_a_body_without_bytes_needs_no_decoding() -> None:
    assert decode_body(b"", coded("gzip")) == b""


def test_stream_decoder_follows_the_headers() -> None:
    decoder = stream_decoder(coded("deflate, zstd"))
    assert decoder is not None
    assert decoder.feed(zstd.compress(zlib.compress(TEXT))) == TEXT
    assert decoder.finish() == b""
