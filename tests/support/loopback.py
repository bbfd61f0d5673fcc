"""Keeps the test process off the network: any connection that is not to this machine is refused and remembered.

An audit hook (PEP 578) sees every socket call of the process, whichever library makes it, and cannot be bypassed by
code that holds an earlier reference to a socket function.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any

RESERVED_NAMES = (".invalid", ".test")
"""Names that never resolve (RFC 6761): refused without a query, so that tests of failing names stay offline."""


class NonLoopbackError(OSError):
    """A test tried to leave this machine."""


class LoopbackGuard:
    """Refuses connections and name look-ups that leave the machine while it is installed; one per process."""

    def __init__(self) -> None:
        self.attempts: list[str] = []
        """What was refused since the last ``clear``; code under test may have swallowed the exception."""

    def install(self) -> None:
        """Start guarding; an audit hook cannot be removed again."""
        sys.addaudithook(self._check)

    def _check(self, event: str, args: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto"):
            address = args[1]
            if isinstance(address, tuple) and not is_loopback(address[0]):
                self._refuse(f"{event} {address}")
        elif event == "socket.getaddrinfo":
            host = args[0].decode() if isinstance(args[0], bytes) else args[0]
            if host and host.endswith(RESERVED_NAMES):
                raise socket.gaierror(socket.EAI_NONAME, f"{host} is a reserved name")
            if host and not is_literal(host) and not is_loopback(host):
                self._refuse(f"{event} {host}")

    def _refuse(self, attempt: str) -> None:
        self.attempts.append(attempt)
        raise NonLoopbackError(f"tests may only talk to this machine: {attempt}")


def is_loopback(host: str) -> bool:
    """Whether a host names this machine."""
    if host in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def is_literal(host: str) -> bool:
    """Whether a host is an IP address that needs no look-up."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
