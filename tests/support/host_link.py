"""A TCP proxy in front of a server: one host of a list, which fails as a test chooses."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

PIECE = 1 << 16


class HostLink:
    """Forwards connections to a port of this machine, or applies a fault to them.

    ``context`` makes it speak TLS. It listens until the end; refused connections are closed at
    once.
    """

    def __init__(self, target: int, context: ssl.SSLContext | None = None) -> None:
        self.target = target
        self.mode: Callable[[socket.socket], None] | None = None
        """The fault applied to a connection instead of forwarding it."""
        self._context = context
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def fail(self, mode: Callable[[socket.socket], None]) -> None:
        """Close open connections, and apply a fault to every new connection."""
        self.mode = mode
        self._end()

    def work(self) -> None:
        """Forward connections again."""
        self.mode = None

    def close(self) -> None:
        self._listener.close()
        self._end()

    def _end(self) -> None:
        while self._open:
            with suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                came, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(came,), daemon=True).start()

    def _serve(self, came: socket.socket) -> None:
        with suppress(OSError), came:
            if self._context:
                came = self._context.wrap_socket(came, server_side=True)
            self._open.append(came)
            if self.mode:
                self.mode(came)
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                self._open.append(server)
                threading.Thread(target=_forward, args=(server, came), daemon=True).start()
                _forward(came, server)


def _forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def closes(_came: socket.socket) -> None:
    """Close the connection without a response."""


def says_nothing(came: socket.socket) -> None:
    """Read, and never respond."""
    while came.recv(PIECE):
        pass


def answers(status: str, body: Callable[[bytes], bytes] = lambda _: b"") -> Callable[..., None]:
    """Answer every request with this status; the body is made from the request."""

    def mode(came: socket.socket) -> None:
        while request := came.recv(PIECE):
            text = body(request)
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(text)}\r\n\r\n"
            came.sendall(head.encode() + text)

    return mode


@contextmanager
def host_link(target: int, context: ssl.SSLContext | None = None) -> Iterator[HostLink]:
    """Run a proxy in front of a port."""
    link = HostLink(target, context)
    try:
        yield link
    finally:
        link.close()
