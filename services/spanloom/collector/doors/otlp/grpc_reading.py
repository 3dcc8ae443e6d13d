"""Waiting for gRPC messages, but not for ever: a call that sends nothing would hold a thread."""

from __future__ import annotations

import time
from threading import Event, Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidRequestError
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Iterator

    import grpc

_LOOK_EVERY_S = 1.0


class MessageReader:
    """Reads the one message of a call; cancels calls whose message takes too long."""

    def __init__(self, timeout_s: float) -> None:
        """Cancel calls after ``timeout_s``, once started."""
        self._timeout_s = timeout_s
        self._waiting: dict[grpc.ServicerContext, float] = {}
        self._lock = Lock()
        self._closed = Event()
        self._thread = WatchedThread("otlp-grpc-timeouts", self._cancel_late)

    @property
    def failed(self) -> BaseException | None:
        """Why nobody cancels late calls any more; ``None`` while somebody does."""
        return self._thread.failed

    def start(self) -> None:
        """Begin to look for late calls."""
        self._thread.start()

    def read(self, messages: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
        """Return the message; raises ``grpc.RpcError`` if the call ends before it is whole.

        Raises ``InvalidRequestError`` for a call without a message.
        """
        with self._lock:
            self._waiting[context] = time.monotonic()
        try:
            for message in messages:
                return message
        finally:
            with self._lock:
                del self._waiting[context]
        raise InvalidRequestError("The call has no message.")

    def stop(self) -> None:
        """Look no more."""
        self._thread.expect_end()
        self._closed.set()

    def _cancel_late(self) -> None:
        while not self._closed.wait(_LOOK_EVERY_S):
            before = time.monotonic() - self._timeout_s
            with self._lock:
                late = [call for call, since in self._waiting.items() if since < before]
            for call in late:
                call.cancel()  # type: ignore[no-untyped-call]  # its stubs have no types
