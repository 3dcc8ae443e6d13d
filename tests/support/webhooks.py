"""A receiver of webhooks on loopback, which records requests and answers as configured."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator


class Received(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


class Webhooks:
    """The received requests, and the responses to the next ones."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.received: list[Received] = []
        self.status = 200
        self.location = ""
        self.drips_s = 0.0
        """Seconds between the bytes of an endless response head; 0 means a normal response."""

    def wait_for(self, count: int, within_s: float = 60.0) -> list[Received]:
        """Return the received requests once there are ``count``."""
        until = time.monotonic() + within_s
        while len(self.received) < count:
            assert time.monotonic() < until, f"{len(self.received)} of {count} were received"
            time.sleep(0.05)
        return self.received


@contextmanager
def receiving(port: int = 0) -> Iterator[Webhooks]:
    """Receive at a port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # named by the library
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            hooks.received.append(Received(self.path, headers, body))
            if hooks.drips_s:
                self._drip()
                return
            self.send_response(hooks.status)
            if hooks.location:
                self.send_header("location", hooks.location)
            self.send_header("content-length", "0")
            self.end_headers()

        def _drip(self) -> None:
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nx: ")
                while not ended.wait(hooks.drips_s):
                    self.wfile.write(b"x")
            except OSError:
                return

        def log_message(self, *_: object) -> None: ...

    ended = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    hooks = Webhooks(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hooks
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
