"""Waiting for gRPC messages, but not for ever: a call that sends nothing would hold a thread.

Each call that waits for its message has a thread. When many wait, each may do so for a short time
only, and beyond a bound calls are refused with a retry hint: normal ones, whose message is there
within milliseconds, do not notice slow ones.
"""

from __future__ import annotations

import time
from threading import Event, Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidRequestError, OverloadedError
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Iterator

    import grpc

_LOOK_EVERY_S = 1.0
_CROWD = 4
"""One in so many of the calls that may wait make a crowd."""
_CROWDED_S = 2.0
"""How long a message may take to arrive while there is a crowd."""


class MessageReader:
    """Reads the one message of a call; cancels calls whose message takes too long."""

    def __init__(self, timeout_s: float, max_calls: int) -> None:
        """Let ``max_calls`` wait at one time; cancel calls after ``timeout_s``, once started."""
        self._timeout_s = timeout_s
        self._max_calls = max_calls
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

        Raises ``InvalidRequestError`` for a call without a message and ``OverloadedError`` if
        too many calls wait for theirs.
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
        raise InvalidRequestError("The call has no message.")

    def stop(self) -> None:
        """Stop watching."""
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
