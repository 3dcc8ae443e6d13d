"""A TCP proxy in front of a port, which breaks connections after a request has come through."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Self

RESET = struct.pack("ii", 1, 0)
"""To close with a reset instead of an orderly end (socket(7), SO_LINGER)."""


class LossyProxy:
    """Passes bytes on both ways, between entering and leaving, but for the faults.

    The first ``times`` that ``marker`` comes through from a client, all that the server says from
    then on is lost, and ``after_s`` seconds later both connections are reset.
    """

    def __init__(self, address: str, marker: bytes, times: int, after_s: float) -> None:
        host, _, port = address.removeprefix("http://").rpartition(":")
        self._target = (host, int(port))
        self._marker = marker
        self._left = times
        self._after_s = after_s
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def left(self) -> int:
        """How many faults have not been made yet."""
        return self._left

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server, suppress(OSError):
            self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Pass on until one side ends, or the fault does it."""
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
        for side in ends:
            side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def _end_of(self, data: bytes) -> float | None:
        """Return when to break the connection, if this request is to have no answer."""
        with self._lock:
            if self._left and self._marker in data:
                self._left -= 1
                return time.monotonic() + self._after_s
        return None
