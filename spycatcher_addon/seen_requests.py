"""Recognizing a request by its very bytes, so that one that comes again is neither parsed nor hashed again.

What is kept of a request is a digest and what was found out about it, not its bytes. Whether the tape still answers it is
the match engine's business.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from spycatcher_addon.exchange import Headers, ObservedRequest
from spycatcher_addon.headers import content_encoding_of

_MOST = 1024
"""Requests that are remembered; when there are more, remembering starts anew."""
_SAMPLE_BYTES = 64

type _Sample = tuple[int, bytes]
type _Key = tuple[str, str, str, Headers, bytes]


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """What was found out about a request."""

    request_hash: str
    is_stream_shaped: bool


class SeenRequests:
    """The requests of one replay.

    A digest of a long body takes time, and most requests come once. So the first time only length and last bytes are noted,
    and a digest is made of what looks like something that has come before.
    """

    def __init__(self) -> None:
        self._samples: set[_Sample] = set()
        self._seen: dict[_Key, SeenRequest] = {}

    def recall(self, request: ObservedRequest) -> SeenRequest | None:
        """What is known of a request with the same bytes."""
        return self._seen.get(_key(request)) if _sample(request) in self._samples else None

    def remember(self, request: ObservedRequest, seen: SeenRequest) -> None:
        """Note what was found out, from the second time on that a request comes."""
        sample = _sample(request)
        if sample in self._samples:
            self._seen[_key(request)] = seen
        elif len(self._samples) < _MOST:
            self._samples.add(sample)
        if len(self._samples) >= _MOST or len(self._seen) >= _MOST:
            self._samples.clear()
            self._seen.clear()


def _sample(request: ObservedRequest) -> _Sample:
    return len(request.body), request.body[-_SAMPLE_BYTES:]


def _key(request: ObservedRequest) -> _Key:
    """All of a request that its hash depends on."""
    digest = hashlib.sha256(request.body).digest()
    return request.method, request.path, request.query, content_encoding_of(request.headers), digest
