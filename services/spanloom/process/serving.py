"""Runs an ASGI application under uvicorn, in a thread, on a socket bound beforehand.

Sockets are bound first so that a port in use ends the start at once with a one-line error, and so
that port 0 has its real number before anything runs.

uvicorn's own loop wakes up ten times a second in each server to check whether it should end. In an
idle service that was an eighth of the CPU time, so ``PatientServer`` waits for an event instead.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from spanloom.access.headers import SECURITY_HEADERS
from spanloom.access.refusals import OncePerMinute
from spanloom.core.errors import StartupError
from spanloom.core.model.notation import authority
from spanloom.logs import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable
    from ssl import SSLContext

    from starlette.types import ASGIApp
    from uvicorn import Config


class PatientServer(uvicorn.Server):
    """A uvicorn server that serves until ``end`` is called."""

    def __init__(self, config: Config) -> None:
        """Create a server; ``config`` has ``date_header=False`` and no ``limit_max_requests``.

        Both need uvicorn's polling main loop, which this class replaces.
        """
        super().__init__(config)
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        """Override of ``uvicorn.Server``: return when the server should shut down."""
        self._loop = asyncio.get_running_loop()
        if not await self.on_tick(0):
            await self._end.wait()

    def end(self) -> None:
        """Shut the server down; callable from any thread, at any time."""
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has ended already, and its loop is closed
                self._loop.call_soon_threadsafe(self._end.set)


BACKLOG = 2048
"""Connections that the kernel queues until they are accepted."""
ACCEPTS = 1
"""Connections accepted in a row, called backlog in asyncio. If no descriptor is free, asyncio logs
an error and schedules a retry for each of them: 2048 would keep the process busy for half a
minute."""
HEAD_BYTES = 32 * 1024
"""Maximum bytes of a request head; a larger head gets status 400, and the connection is closed."""
HEAD_S = 10.0
"""Seconds that a request head may take to arrive; the first is timed from the connection on."""
IDLE_S = 60
"""Seconds that an idle connection stays open between requests."""
START_S = 30.0
GRPC_PREFACE = b"PRI * HTTP/2.0"
"""First bytes of an HTTP/2 connection, and so of gRPC (RFC 9113, 3.4)."""
_POLL_S = 0.01


def bind(host: str, port: int, flag: str) -> socket.socket:
    """Listen on a port, 0 for any free one.

    Raises ``StartupError`` with one line that names the address and the flag to change.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is explicit because asyncio disables Nagle's algorithm only if it is.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        is_host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        wrong = "--host" if is_host else flag
        raise StartupError(unusable_port(host, port, wrong, error.strerror)) from error
    return listener


def unusable_port(host: str, port: int, flag: str, reason: str | None) -> str:
    """Return the error message for an address that cannot be bound, with the flag to change."""
    address = authority(host, port)
    return f"cannot listen on {address}: {reason or 'refused'}; use {flag} to choose another"


class HttpServer:
    """One application on one socket, served between ``start`` and ``stop``; a ``Part``."""

    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        name: str,
        tls: SSLContext | None = None,
        end_waits: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare; nothing is accepted before ``start``.

        ``end_waits`` is called at the stop to end long-polling requests, which would delay it.
        """
        self.name = name
        self._end_waits = end_waits
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._server = PatientServer(_config(app, tls))
        self._thread = WatchedThread(name, self._run)

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    def start(self) -> None:
        """Start serving; return once connections are accepted."""
        self._thread.start()
        until = time.monotonic() + START_S
        while not self._server.started:
            if not self._thread.is_alive or time.monotonic() > until:
                raise StartupError(f"the server on port {self.port} did not start; see the log")
            time.sleep(_POLL_S)
        self._listener.listen(BACKLOG)  # asyncio has set the backlog to ACCEPTS

    def stop(self, grace_s: float) -> None:
        """Stop accepting; abort requests that are still open after ``grace_s`` seconds."""
        self._server.config.timeout_graceful_shutdown = max(1, round(grace_s))
        self._thread.expect_end()
        self._end_waits()
        self._server.end()
        self._thread.join(grace_s + 5)
        self._listener.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._listener])


_wrong_protocol = OncePerMinute[int]()


def warn_wrong_protocol(port: int) -> None:
    """Log that a sender speaks gRPC to an HTTP port, at most once a minute for each port."""
    if _wrong_protocol.due(port):
        get_logger("http").warning(
            "a sender speaks gRPC to a port of HTTP",
            port=port,
            todo="send to the OTLP/gRPC port, or export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        )


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's httptools protocol with limits on the size and time of a request head."""

    _head_bytes = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Start the timeout of the first head."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; refuse an incomplete head that exceeds the size limit."""
        if self._deadline is not None:
            if not self._head_bytes and data.startswith(GRPC_PREFACE):
                warn_wrong_protocol(self.transport.get_extra_info("sockname")[1])
            self._head_bytes += len(data)
        super().data_received(data)
        if self._deadline is not None and self._head_bytes > HEAD_BYTES:
            self.send_400_response("The request head is too large.")

    def on_message_begin(self) -> None:
        """Start the timeout of the head of a further request on the connection."""
        super().on_message_begin()
        if self._deadline is None:
            self._start_clock()

    def on_headers_complete(self) -> None:
        """Stop the timeout; refuse a head that is too large or has not exactly one Host."""
        self._stop_clock()
        if sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            raise ValueError("head too large")  # the parser turns it into a 400
        hosts = [name for name, _ in self.headers if name == b"host"]
        if len(hosts) != 1 and self.parser.get_http_version() == "1.1":
            raise ValueError("exactly one Host is required")  # RFC 9112, 3.2
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request with status 400 and the usual security headers, then close."""
        headers = {
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(msg)),
            "Connection": "close",
            **SECURITY_HEADERS,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{lines}\r\n{msg}".encode("ascii"))
        self.transport.close()

    def _start_clock(self) -> None:
        self._head_bytes = 0
        self._deadline = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _config(app: ASGIApp, tls: SSLContext | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ssl_context_factory=None if tls is None else lambda _config, _default: tls,
        timeout_keep_alive=IDLE_S,
        backlog=ACCEPTS,
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
    )
