"""A worker as its owner sees it: started, given questions, and ended whatever it does."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeAlias

from spanloom.extractor.workers.messages import Ready

if TYPE_CHECKING:
    from spanloom.extractor.workers.messages import Answer, Begin, Question

    Messages: TypeAlias = Connection[bytes, bytes]

CHILD = "spanloom.extractor.workers.child"
MAX_UNDER_WAY = 2
"""Questions that a worker has at a time: while it works on one, the next is there already."""
STOPPED_S = 120.0
"""So long a worker may say nothing, or take nothing in: one that works is ended by the system
long before, and one that somebody has stopped must not stop us."""


class WorkerGoneError(Exception):
    """A worker ended without an answer."""

    def __init__(self, *, is_stuck: bool, why: str) -> None:
        """Keep whether it took too long, and what there is to say."""
        super().__init__(why)
        self.is_stuck = is_stuck


class Worker:
    """One process; its answers come in the order of the questions."""

    def __init__(self, begin: Begin) -> None:
        """Start it; raises ``OSError`` if the system has no room for a process."""
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(STOPPED_S), 0))
        with theirs:
            # -P and the same path: what it imports is what we did. A session of its own: Ctrl-C
            # in the terminal is for us, who let it finish.
            self._process = subprocess.Popen(  # noqa: S603  # our own program
                [sys.executable, "-P", "-m", CHILD, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self.connection: Messages = Connection(ours.detach())
        self.is_ready = False
        self.under_way: deque[Question] = deque()
        self._heard_s = time.monotonic()
        self._send(begin)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def has_room(self) -> bool:
        """Whether it takes another question without anybody waiting."""
        return self.is_ready and len(self.under_way) < MAX_UNDER_WAY

    @property
    def is_silent(self) -> bool:
        """Whether nothing has come from it for so long that it must have been stopped."""
        waits = bool(self.under_way) or not self.is_ready
        return waits and time.monotonic() - self._heard_s > STOPPED_S

    def ask(self, question: Question) -> None:
        """Send a question; one that has ended shows when it is listened to."""
        if not self.under_way:
            self._heard_s = time.monotonic()
        self.under_way.append(question)
        self._send(question)

    def listen(self) -> tuple[Question | None, Answer]:
        """Return the next answer and its question; raises ``WorkerGoneError`` if it has ended."""
        try:
            answer: Answer = pickle.loads(self.connection.recv_bytes())  # noqa: S301  # our own
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise self._gone() from error
        self._heard_s = time.monotonic()
        if isinstance(answer, Ready):
            self.is_ready = True
            return None, answer
        return self.under_way.popleft(), answer

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        self.connection.close()

    def _send(self, message: Question | Begin) -> None:
        try:
            self.connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:  # it has ended, or is stopped: who listens to it will know
            self._process.kill()

    def _gone(self) -> WorkerGoneError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        status = self._process.poll()
        self.kill()
        return WorkerGoneError(
            is_stuck=status == -signal.SIGPROF,
            why="it took too long" if status == -signal.SIGPROF else f"it ended with {status}",
        )
