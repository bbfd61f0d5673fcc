"""Flows as others may see them: the messages that really travel are put aside while anybody can look.

Every message has two sides, the real one and the covered one. The lane lifts the cover while it works and nobody else
has a turn, so what is sent, received and recorded is the real side; a UI, a dump and every other add-on see the covered one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from mitmproxy import http
from mitmproxy.http import MessageData, RequestData, ResponseData

from spycatcher_addon.exchange import RawHeaders
from spycatcher_addon.watching.masking import MASK, Masker

_CODING = b"content-encoding"


@dataclass(slots=True, eq=False)
class _Sides:
    """Both sides of one message."""

    real: MessageData
    covered: MessageData | None = None
    """In the message now, if the cover is on."""
    fields_seen: RawHeaders | None = None
    fields: RawHeaders = ()
    path_seen: bytes | None = None
    path: bytes = b""
    content_seen: bytes | None = None
    content: bytes | None = None
    drops_coding: bool = False
    """Whether the covered body has no content coding any more."""
    is_withheld: bool = False
    """Whether a new body is kept back until somebody who had time to search it shows it."""


class Veil:
    """The covers of all flows of one harness; needs no reference to a flow that nobody else has."""

    def __init__(self, masker: Callable[[], Masker]) -> None:
        """
        Args:
            masker: Gives the rules in force, anew each time.
        """
        self.masker = masker
        self._sides: WeakKeyDictionary[http.Message, _Sides] = WeakKeyDictionary()

    def cover(self, flow: http.HTTPFlow) -> None:
        """Put the covered sides into the flow. Does nothing where they are in it already."""
        for message in (flow.request, flow.response):
            if message is not None:
                self._cover(message)
        if flow.error is not None:  # mitmproxy quotes there what it could not read, and nothing that travels
            flow.error.msg = self.masker().line(flow.error.msg.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def lift(self, flow: http.HTTPFlow) -> None:
        """Put the real sides into the flow; what was changed on the covered ones is lost."""
        for message in (flow.request, flow.response):
            if message is not None:
                self._lift(message)

    @contextmanager
    def lifted(self, flow: http.HTTPFlow) -> Iterator[None]:
        """Lift the cover for a piece of work that gives nobody else a turn."""
        self.lift(flow)
        try:
            yield
        finally:
            self.cover(flow)

    def withhold(self, response: http.Response) -> None:
        """Keep the body of an answer from an upstream back until :meth:`show_body`."""
        self._of(response).is_withheld = True

    def withheld_body(self, response: http.Response) -> tuple[bytes, RawHeaders] | None:
        """The real body, and the real header fields, where the body is withheld still."""
        sides = self._sides.get(response)
        if sides is None or not sides.is_withheld or not sides.real.content:
            return None
        return sides.real.content, sides.real.headers.fields

    def take_body(self, response: http.Response, body: bytes) -> None:
        """Put a real body into an answer that broke off before it had one."""
        self._of(response).real.content = body

    def show_body(self, response: http.Response, body: bytes, is_decoded: bool = False) -> None:
        """Show this in the place of the real body.

        Args:
            is_decoded: It has no content coding any more, though the real one may have.
        """
        sides = self._of(response)
        sides.is_withheld = False
        sides.content_seen, sides.content, sides.drops_coding = sides.real.content, body, is_decoded
        if sides.covered is not None:
            self._lift(response)
            self._cover(response)

    def prepare_again(self, request: http.Request) -> None:
        """Make a request ready to be sent once more: what was covered becomes real again, what a person changed stays.

        A mask that has nothing behind it, in a copy of a flow for example, is left out.
        """
        sides = self._sides.pop(request, None)
        shown = request.data
        real: dict[tuple[bytes, bytes], bytes] = {}
        if sides is not None and sides.covered is shown and isinstance(sides.real, RequestData):
            real = {pair: value for pair, (_, value) in zip(sides.fields, sides.real.headers.fields, strict=True)}
            if shown.path == sides.path:
                shown.path = sides.real.path
            if shown.content == sides.content:
                shown.content = sides.real.content
                if sides.drops_coding:  # the body travels in its coding again
                    coding = [pair for pair in sides.real.headers.fields if pair[0].lower() == _CODING]
                    shown.headers = http.Headers((*shown.headers.fields, *coding))
        restored = [(name, real.get((name, value), value)) for name, value in shown.headers.fields]
        shown.headers = http.Headers([(name, value) for name, value in restored if value != MASK])

    def _of(self, message: http.Message) -> _Sides:
        sides = self._sides.get(message)
        if sides is None:
            sides = self._sides[message] = _Sides(message.data)
        return sides

    def _lift(self, message: http.Message) -> None:
        sides = self._sides.get(message)
        if sides is not None and sides.covered is not None:
            message.data = sides.real
            sides.covered = None

    def _cover(self, message: http.Message) -> None:
        sides = self._of(message)
        if sides.covered is not None:
            return
        real = sides.real = message.data
        masker = self.masker()
        if sides.fields_seen != real.headers.fields:
            sides.fields_seen, sides.fields = real.headers.fields, masker.fields(real.headers.fields)
        if isinstance(real, RequestData) and sides.path_seen != real.path:
            sides.path_seen, sides.path = real.path, masker.target(real.path)
        if sides.content_seen is not real.content:
            self._cover_content(sides, masker)
        covered = copy(real)
        fields = [pair for pair in sides.fields if pair[0].lower() != _CODING] if sides.drops_coding else sides.fields
        covered.headers = http.Headers(fields)
        covered.content = sides.content
        if isinstance(covered, RequestData):
            covered.path, covered.method = sides.path, masker.line(covered.method)
        elif isinstance(covered, ResponseData):
            covered.reason = masker.line(covered.reason)
        message.data = sides.covered = covered

    def _cover_content(self, sides: _Sides, masker: Masker) -> None:
        content = sides.real.content
        if sides.is_withheld:
            sides.content = None if content else content
            return
        sides.content_seen = content
        if content and isinstance(sides.real, RequestData):
            fields = sides.real.headers.fields
            sides.content, rest = masker.body(content, fields)
            sides.drops_coding = len(rest) != len(fields)
        else:
            sides.content = content
