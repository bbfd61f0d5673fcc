"""How long a client may keep a connection without asking for anything, and how long it may take over a request's head.

mitmproxy's own watchdog sees bytes and not requests: one byte now and then keeps a connection for ever.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_LOOKS_PER_TIMEOUT = 8
_LONGEST_LOOK_S = 5.0


class Patience:
    """The deadlines of all client connections of one harness. One timer looks after all of them, and only while there are any."""

    def __init__(self, head_s: float, idle_s: float, hang_up: Callable[[str], None]) -> None:
        """
        Args:
            head_s: From the first byte of a request to the end of its head.
            idle_s: From one exchange to the first byte of the next.
            hang_up: Ends the connection of a client id.
        """
        self._head_s = head_s
        self._idle_s = idle_s
        self._hang_up = hang_up
        self._deadlines: dict[str, float] = {}
        self._in_head: set[str] = set()
        self._look_every_s = min(_LONGEST_LOOK_S, min(head_s, idle_s) / _LOOKS_PER_TIMEOUT)
        self._timer: asyncio.TimerHandle | None = None

    def await_request(self, client_id: str) -> None:
        """Nothing is under way on this connection."""
        self._in_head.discard(client_id)
        self._deadlines[client_id] = time.monotonic() + self._idle_s
        if self._timer is None:
            self._look_later()

    def await_head(self, client_id: str) -> None:
        """A head has begun to come. More of the same head gives no more time."""
        if client_id not in self._in_head and client_id in self._deadlines:
            self._in_head.add(client_id)
            self._deadlines[client_id] = time.monotonic() + self._head_s

    def forget(self, client_id: str) -> None:
        """An exchange is under way, or the connection is gone."""
        self._in_head.discard(client_id)
        self._deadlines.pop(client_id, None)

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._look_every_s, self._look)

    def _look(self) -> None:
        now = time.monotonic()
        for client_id in [each for each, deadline in self._deadlines.items() if deadline <= now]:
            self.forget(client_id)
            self._hang_up(client_id)
        self._timer = None
        if self._deadlines:
            self._look_later()
