"""Reads the message of a gRPC call within a timeout, aborts calls, and answers health checks."""

from __future__ import annotations

import time
from threading import Event, Lock
from typing import TYPE_CHECKING, NoReturn

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1.health import OVERALL_HEALTH, SERVICE_NAME, HealthServicer
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

from spanloom.collector.doors.status import build_status
from spanloom.core.errors import (
    InvalidRequestError,
    OverloadedError,
    RequestTooLargeError,
    SpanloomError,
)
from spanloom.logs import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


if TYPE_CHECKING:
    Send = Callable[[HealthCheckResponse | None], None]


_LOOK_EVERY_S = 1.0
_CROWD = 4
"""The server is crowded while at least 1 / ``_CROWD`` of the allowed calls are waiting."""
_CROWDED_S = 2.0
"""Seconds that a message may take to arrive while the server is crowded."""


class MessageReader:
    """Reads the single message of a call; cancels calls whose message takes too long."""

    def __init__(self, timeout_s: float, max_calls: int, max_bytes: int) -> None:
        """Allow ``max_calls`` waiting calls; cancel calls older than ``timeout_s``.

        ``max_bytes`` is the maximum message size, which gRPC itself enforces.
        """
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._max_calls = max_calls
        self._waiting: dict[grpc.ServicerContext, float] = {}
        self._lock = Lock()
        self._closed = Event()
        self._thread = WatchedThread("otlp-grpc-timeouts", self._cancel_late)

    @property
    def failed(self) -> BaseException | None:
        """The error that ended the cancelling thread; ``None`` while it runs."""
        return self._thread.failed

    def start(self) -> None:
        """Start the thread that cancels late calls."""
        self._thread.start()

    def read(self, messages: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
        """Return the message of a call.

        Raises ``grpc.RpcError`` if the call ends before the message is complete,
        ``OverloadedError`` if too many calls are waiting, and ``RequestTooLargeError`` if there is
        no message, which usually means that gRPC has refused a message as too large.
        """
        with self._lock:
            if len(self._waiting) >= self._max_calls:
                raise OverloadedError("Too many calls are waiting: try again.")
            self._waiting[context] = time.monotonic()
        try:
            for message in messages:
                return message
        finally:
            with self._lock:
                del self._waiting[context]
        raise RequestTooLargeError(
            f"The call has no message of at most {self._max_bytes} bytes: send smaller batches."
        )

    def stop(self) -> None:
        """Stop cancelling late calls."""
        self._thread.expect_end()
        self._closed.set()

    def _cancel_late(self) -> None:
        while not self._closed.wait(_LOOK_EVERY_S):
            with self._lock:
                is_crowd = len(self._waiting) * _CROWD >= self._max_calls
                patience_s = min(self._timeout_s, _CROWDED_S) if is_crowd else self._timeout_s
                before = time.monotonic() - patience_s
                late = [call for call, since in self._waiting.items() if since < before]
            for call in late:
                call.cancel()  # type: ignore[no-untyped-call]  # its stubs have no types


_CODES = {code.value[0]: code for code in grpc.StatusCode}


def abort(context: grpc.ServicerContext, error: Exception) -> NoReturn:
    """End a call with an error's status and details; always raises, like gRPC's ``abort``."""
    status = build_status(error)
    code = _CODES[status.code]
    if code is grpc.StatusCode.INTERNAL:
        get_logger("grpc").error("a request failed", exc_info=error)
    details = status.SerializeToString()
    context.set_trailing_metadata((("grpc-status-details-bin", details),))
    context.abort(code, status.message)


class Health:
    """gRPC's health service, with the state of each service; an empty name means the server."""

    def __init__(self, server: grpc.Server, services: Sequence[str], reader: MessageReader) -> None:
        """Add the health service to a server that has not been started yet."""
        self._services = (OVERALL_HEALTH, *services)
        self._reader = reader
        self._servicer = HealthServicer()
        encode = HealthCheckResponse.SerializeToString

        def watch(messages: Iterator[bytes], context: grpc.ServicerContext, send: Send) -> None:
            self._servicer.Watch(self._read(messages, context), context, send)

        watch.experimental_non_blocking = True  # type: ignore[attr-defined]  # holds no thread
        methods = {
            "Check": grpc.stream_unary_rpc_method_handler(self._check, None, encode),
            "Watch": grpc.stream_stream_rpc_method_handler(watch, None, encode),
        }
        handler = grpc.method_handlers_generic_handler(SERVICE_NAME, methods)
        server.add_generic_rpc_handlers((handler,))

    def start(self) -> None:
        """Report SERVING to health checks."""
        for service in self._services:
            self._servicer.set(service, HealthCheckResponse.SERVING)

    def stop(self) -> None:
        """Report NOT_SERVING to health checks from now on, and notify watchers."""
        self._servicer.enter_graceful_shutdown()

    def _check(
        self, messages: Iterator[bytes], context: grpc.ServicerContext
    ) -> HealthCheckResponse:
        return self._servicer.Check(self._read(messages, context), context)

    def _read(self, messages: Iterator[bytes], context: grpc.ServicerContext) -> HealthCheckRequest:
        try:
            return HealthCheckRequest.FromString(self._reader.read(messages, context))
        except DecodeError as error:
            abort(context, InvalidRequestError(f"The request cannot be read: {error}."))
        except SpanloomError as error:
            abort(context, error)
