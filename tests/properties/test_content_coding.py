from __future__ import annotations

import gzip
import sys
import zlib
from itertools import pairwise

import brotli
from hypothesis import given, settings
from hypothesis import strategies as st

from spycatcher_addon.content_coding import ContentCodingError, StreamDecoder, decode_body

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ENCODERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}
codings = st.lists(st.sampled_from(sorted(ENCODERS)), min_size=1, max_size=3)
texts = st.binary() | st.builds(lambda piece, count: piece * count, st.binary(max_size=20), st.integers(0, 20_000))


def encode(text: bytes, names: list[str]) -> bytes:
    for name in names:
        text = ENCODERS[name](text)
    return text


@settings(deadline=None)
@given(text=texts, names=codings, data=st.data())
def test_any_cut_decodes_to_the_text(text: bytes, names: list[str], data: st.DataObject) -> None:
    body = encode(text, names)
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=8).map(sorted))
    decoder = StreamDecoder(",".join(names))
    pieces = [decoder.feed(body[start:end]) for start, end in pairwise([0, *cuts, len(body)])]
    assert b"".join(pieces) + decoder.finish() == text
    assert decode_body(body, (("content-encoding", ", ".join(names)),)) == text


@settings(deadline=None)
@given(text=st.binary(min_size=1), names=codings, data=st.data())
def test_every_proper_prefix_is_refused(text: bytes, names: list[str], data: st.DataObject) -> None:
    body = encode(text, names)
    kept = data.draw(st.integers(1, len(body) - 1))
    assert decode_body(body[:kept], (("content-encoding", ",".join(names)),)) is None


@settings(deadline=None)
@given(body=st.binary(), names=codings)
def test_random_bytes_only_raise_the_own_error(body: bytes, names: list[str]) -> None:
    try:
        decoder = StreamDecoder(",".join(names), limit=10_000)
        decoder.feed(body)
        decoder.finish()
    except ContentCodingError:
        pass
