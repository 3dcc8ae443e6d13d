"""A TCP proxy between a service and its store, with a fault that can be switched."""

from __future__ import annotations

import select
import time
from enum import Enum, auto
from typing import TYPE_CHECKING

from tests.support.proxy import Proxy, reset

if TYPE_CHECKING:
    import socket

SLOW_S = 0.05
PIECE = 65536


class Fault(Enum):
    """The fault of the link."""

    NONE = auto()
    SLOW = auto()
    """Each chunk of a response takes ``SLOW_S`` seconds longer."""
    CUT = auto()
    """Half of the first chunk of a response is forwarded, then both sides get a reset."""
    REFUSED = auto()
    """Every connection is reset at its first byte."""


class FaultyLink(Proxy):
    """A context manager that forwards bytes in both directions, subject to its ``fault``."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.fault = Fault.NONE
        self.hits = 0
        """How many times the current fault occurred."""

    def switch(self, fault: Fault) -> None:
        """Apply a fault to all further bytes, in open connections too."""
        self.fault, self.hits = fault, 0

    def pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Forward until one side ends, or the fault ends both."""
        ends = {client: server, server: client}
        while True:
            for side in select.select(list(ends), (), ())[0]:
                data = side.recv(PIECE)
                if not data:
                    return
                if not self._pass(data, ends[side], is_answer=side is server):
                    reset(*ends)
                    return

    def _pass(self, data: bytes, to: socket.socket, *, is_answer: bool) -> bool:
        """Forward one chunk as the fault allows; return whether the connection continues."""
        fault = self.fault
        self.hits += fault is Fault.REFUSED or (is_answer and fault is not Fault.NONE)
        if fault is Fault.REFUSED:
            return False
        if is_answer and fault is Fault.CUT:
            to.sendall(data[: len(data) // 2])
            return False
        if is_answer and fault is Fault.SLOW:
            time.sleep(SLOW_S)
        to.sendall(data)
        return True
