"""Reads a file in a child process: starts the child, receives its messages, and kills it."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeAlias

from spanloom.client.transfer.otlp_file import Piece
from spanloom.core.errors import InvalidRequestError, OverloadedError
from spanloom.logs import get_logger
from spanloom.process.imports.messages import Begun, Ended, Failed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.client.transfer.otlp_file import Unreadable
    from spanloom.process.imports.messages import Begin, Message

    Messages: TypeAlias = Connection[bytes, bytes]

CHILD = "spanloom.process.imports.child"
TOO_LONG = "it takes more than {s:.0f} s to read; `spanloom import` has no such limit"
GONE = "it is too large to be read, or damaged: its reader ended ({why})"


class FileReading:
    """A file that a child process reads."""

    def __init__(self, begin: Begin) -> None:
        """Start the child; raises ``OverloadedError`` if it cannot be started."""
        self._begin = begin
        ours, theirs = socket.socketpair()
        self._connection: Messages = Connection(ours.detach())
        try:
            with theirs:
                self._process = _start(theirs.fileno())
        except OSError as error:
            self._connection.close()
            raise OverloadedError(f"No process can be started to read the file: {error}") from error
        self.source = ""
        """The format of the file; empty until the child has reported it."""
        self.traces: tuple[str, ...] = ()
        """The trace ids of the current ``Piece`` if its spans are sent unchanged."""

    def pieces(self) -> Iterator[Piece | Unreadable]:
        """Yield the contents of the file; raises ``InvalidRequestError`` where reading fails."""
        self._send_begin()
        whole: Piece | None = None
        while not isinstance(message := self._receive(), Ended):
            if isinstance(message, Begun):
                self.source = message.source
            elif isinstance(message, Failed):
                raise _refusal(message)
            else:
                piece, self.traces = message
                if isinstance(piece, Piece):
                    if whole is not None and piece.item == whole.item:
                        piece = piece._replace(run=whole.run, losses=whole.losses)
                    whole = piece
                yield piece

    def kill(self) -> None:
        """Kill the child, and reap it; from any thread, at any time."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()

    def _send_begin(self) -> None:
        with suppress(OSError):  # the child has ended: ``_receive`` raises with the reason
            self._connection.send_bytes(pickle.dumps(self._begin, pickle.HIGHEST_PROTOCOL))

    def _receive(self) -> Message:
        try:
            message: Message = pickle.loads(self._connection.recv_bytes())  # noqa: S301  # our own
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise InvalidRequestError(self._end()) from error
        return message

    def _end(self) -> str:
        """Return why there is no further message."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        status = self._process.poll()
        self.kill()
        if status == -signal.SIGPROF:
            return TOO_LONG.format(s=self._begin.limit_s)
        return GONE.format(why=status)


def _start(fd: int) -> subprocess.Popen[bytes]:
    """Start a child process with the same module path as this process, in a separate session."""
    return subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-P", "-m", CHILD, str(fd)],
        pass_fds=[fd],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _refusal(failed: Failed) -> InvalidRequestError:
    if failed.fault:
        get_logger("imports").error("a file cannot be read", fault=failed.fault)
    return InvalidRequestError(failed.reason)
