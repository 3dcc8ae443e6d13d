"""A TCP proxy that breaks connections after a request has passed."""

from __future__ import annotations

import select
import threading
import time
from typing import TYPE_CHECKING

from tests.support.proxy import Proxy, reset

if TYPE_CHECKING:
    import socket


class LossyProxy(Proxy):
    """A context manager that forwards bytes in both directions, with faults.

    The first ``times`` that ``marker`` arrives from a client, all later bytes of the server are
    lost, and ``after_s`` seconds later both connections are reset.
    """

    def __init__(self, address: str, marker: bytes, times: int, after_s: float) -> None:
        super().__init__(address)
        self._marker = marker
        self._left = times
        self._after_s = after_s
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """The number of faults that have not occurred yet."""
        return self._left

    def pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Forward until one side ends, or the fault ends both."""
        ends, until = {client: server, server: client}, None
        while until is None or time.monotonic() < until:
            wait_s = None if until is None else max(until - time.monotonic(), 0)
            for side in select.select(list(ends), (), (), wait_s)[0]:
                if not (data := side.recv(65536)):
                    return
                if side is client:
                    server.sendall(data)
                    until = until or self._end_of(data)
                elif until is None:
                    client.sendall(data)
        reset(*ends)

    def _end_of(self, data: bytes) -> float | None:
        """Return when to break the connection if this request must get no response."""
        with self._lock:
            if self._left and self._marker in data:
                self._left -= 1
                return time.monotonic() + self._after_s
        return None
