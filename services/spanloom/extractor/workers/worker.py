"""The owner's handle of a worker process: start it, ask it, listen, and kill it."""

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
"""Questions that a worker has at a time, so that the next is there when one is done."""
STOPPED_S = 120.0
"""A worker that neither answers nor receives for so long is killed: the CPU time limit ends a
working one long before, and a stopped one (SIGSTOP) must not block the owner."""


class WorkerGoneError(Exception):
    """A worker ended without an answer."""

    def __init__(self, *, is_stuck: bool, why: str) -> None:
        """Keep whether it exceeded its CPU time, and the reason as the message."""
        super().__init__(why)
        self.is_stuck = is_stuck


class Worker:
    """One worker process; its answers come in the order of the questions."""

    def __init__(self, begin: Begin) -> None:
        """Start the process and send ``begin``; raises ``OSError`` if it cannot be started."""
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(STOPPED_S), 0))
        with theirs:
            # -P and the same path: it imports the same modules as its owner. A session of its own:
            # Ctrl-C in the terminal goes to the owner only, which lets it finish.
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
        """Its process id."""
        return self._process.pid

    @property
    def has_room(self) -> bool:
        """Whether it takes another question without blocking the sender."""
        return self.is_ready and len(self.under_way) < MAX_UNDER_WAY

    @property
    def is_silent(self) -> bool:
        """Whether it has not answered for so long that it must have been stopped."""
        waits = bool(self.under_way) or not self.is_ready
        return waits and time.monotonic() - self._heard_s > STOPPED_S

    def ask(self, question: Question) -> None:
        """Send a question; if the worker has ended, ``listen`` raises."""
        if not self.under_way:
            self._heard_s = time.monotonic()
        self.under_way.append(question)
        self._send(question)

    def listen(self) -> tuple[Question | None, Answer]:
        """Return the next answer and its question; raises ``WorkerGoneError`` if it has ended."""
        try:
            answer: Answer = pickle.loads(self.connection.recv_bytes())  # noqa: S301  # our own
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise self._gone_error() from error
        self._heard_s = time.monotonic()
        if isinstance(answer, Ready):
            self.is_ready = True
            return None, answer
        return self.under_way.popleft(), answer

    def kill(self) -> None:
        """Kill the process, and reap it."""
        self._process.kill()
        self._process.wait()
        self.connection.close()

    def _send(self, message: Question | Begin) -> None:
        try:
            self.connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:  # it has ended, or is stopped: listen raises
            self._process.kill()

    def _gone_error(self) -> WorkerGoneError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        status = self._process.poll()
        self.kill()
        return WorkerGoneError(
            is_stuck=status == -signal.SIGPROF,
            why="it took too long" if status == -signal.SIGPROF else f"it ended with {status}",
        )
