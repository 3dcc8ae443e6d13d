"""A TCP proxy in front of a port; subclasses decide what happens to the bytes."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from typing import Self

RESET = struct.pack("ii", 1, 0)
"""Closes with a reset instead of an orderly shutdown (socket(7), SO_LINGER)."""


class Proxy:
    """A context manager that accepts connections, and opens one to the port for each."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("http://").rpartition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Forward bytes until one side ends; then both connections are closed."""
        raise NotImplementedError

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._target) as server:
            self.pass_on(client, server)


def reset(*sides: socket.socket) -> None:
    """Make connections end with a reset when they are closed."""
    for side in sides:
        side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
