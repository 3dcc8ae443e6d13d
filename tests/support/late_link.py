"""A TCP proxy in front of a server: bytes from a client arrive seconds later."""

from __future__ import annotations

import select
import time
from collections import deque
from typing import TYPE_CHECKING

from tests.support.proxy import Proxy

if TYPE_CHECKING:
    import socket

PIECE = 65536


class LateLink(Proxy):
    """A context manager that delays each chunk of a request by ``late_s`` seconds."""

    def __init__(self, address: str, late_s: float = 0.0) -> None:
        super().__init__(address)
        self.late_s = late_s

    def pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Forward until one side ends.

        Bytes that a client has sent before its end arrive as well.
        """
        held: deque[tuple[float, bytes]] = deque()
        sides = [client, server]
        while client in sides or held:
            wait_s = max(held[0][0] - time.monotonic(), 0) if held else None
            for side in select.select(sides, (), (), wait_s)[0]:
                data = side.recv(PIECE)
                if not data and side is server:
                    return
                if not data:
                    sides.remove(client)
                elif side is client:
                    held.append((time.monotonic() + self.late_s, data))
                else:
                    client.sendall(data)
            while held and held[0][0] <= time.monotonic():
                server.sendall(held.popleft()[1])
