"""A pool of worker processes, started on demand, ended when idle, killed if necessary."""

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
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, TypeAlias

from spanloom.extractor.workers.messages import Ready
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.extractor.workers.messages import Answer, Begin, Question
    from spanloom.metrics import Metrics

    Messages: TypeAlias = Connection[bytes, bytes]


CHILD = "spanloom.extractor.workers.child"
MAX_UNDER_WAY = 2
"""Maximum number of requests sent to a worker at a time, so that it need not wait for the next."""
STOPPED_S = 120.0
"""Seconds after which a worker is killed if it neither answers nor receives.

The CPU time limit ends a working process long before, and a stopped process (SIGSTOP) must not
block the owner.
"""


class WorkerGoneError(Exception):
    """Raised if a worker process has ended without an answer."""

    def __init__(self, *, is_stuck: bool, why: str) -> None:
        """Store whether the worker exceeded its CPU time limit, and the reason as the message."""
        super().__init__(why)
        self.is_stuck = is_stuck


class Worker:
    """One worker process; its answers come in the order of the requests."""

    def __init__(self, begin: Begin) -> None:
        """Start the process and send ``begin``; raises ``OSError`` if it cannot be started."""
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(STOPPED_S), 0))
        with theirs:
            # -P and the same path, so that it imports the same modules as its owner. A separate
            # session, so that Ctrl-C in the terminal goes only to the owner, which lets it finish.
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
        """The process id of the worker."""
        return self._process.pid

    @property
    def has_room(self) -> bool:
        """Whether the worker accepts another request without blocking the sender."""
        return self.is_ready and len(self.under_way) < MAX_UNDER_WAY

    @property
    def is_awaited(self) -> bool:
        """Whether an answer, possibly the first one, is still expected."""
        return bool(self.under_way) or not self.is_ready

    @property
    def is_silent(self) -> bool:
        """Whether the worker has sent nothing for so long that it must have been stopped."""
        return self.is_awaited and time.monotonic() - self._heard_s > STOPPED_S

    def ask(self, question: Question) -> None:
        """Send a request; if the worker has ended, the next ``listen`` raises."""
        if not self.under_way:
            self._heard_s = time.monotonic()
        self.under_way.append(question)
        self._send(question)

    def listen(self) -> tuple[Question | None, Answer]:
        """Return the next answer and its request.

        Raises ``WorkerGoneError`` if the process has ended.
        """
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
        except OSError:  # ended or stopped, so ``listen`` will raise
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


UNUSED_S = 60.0
"""Seconds after which unused workers are ended, which frees their memory."""
MANY_DEATHS = 3
"""After this many deaths without an answer in between, no worker starts for ``WITHOUT_S``."""
WITHOUT_S = 60.0
LOOK_S = 5.0
"""Seconds between checks for stopped workers while waiting."""
log = get_logger("extractor")


class Pool:
    """A pool with a maximum number of workers."""

    def __init__(self, most: int, begin: Begin, metrics: Metrics) -> None:
        """Allow up to ``most`` workers; each gets ``begin`` as its first message."""
        self._most = most
        self._begin = begin
        self._metrics = metrics
        self._workers: list[Worker] = []
        self._deaths = 0
        self._without_until_s = 0.0
        self._is_closed = False
        self._used_s = time.monotonic()

    @property
    def workers(self) -> Sequence[Worker]:
        """The running workers."""
        return self._workers

    def with_room(self) -> Worker | None:
        """Return the least busy worker with room; ``None`` if all are busy.

        If no worker is idle, another one is started, which is used once it is ready.
        """
        self._used_s = time.monotonic()
        starting = any(not worker.is_ready for worker in self._workers)
        if not starting and not any(w.has_room and not w.under_way for w in self._workers):
            self._start()
        ready = [worker for worker in self._workers if worker.has_room]
        return min(ready, key=lambda worker: len(worker.under_way), default=None)

    def wait_for_answers(self) -> Sequence[Worker]:
        """Wait for answers; return the workers that have one, or have ended."""
        while self._workers:
            if ready := wait([worker.connection for worker in self._workers], LOOK_S):
                return [worker for worker in self._workers if worker.connection in ready]
            for worker in self._workers:
                if worker.is_silent:
                    worker.kill()
                    return [worker]
        return []

    def note_answer(self) -> None:
        """Record an answer, which resets the count of consecutive deaths."""
        self._deaths = 0

    def note_death(self, worker: Worker, why: str) -> None:
        """Remove a worker that has ended; does nothing if the pool has ended it."""
        if worker not in self._workers:
            return
        self._workers.remove(worker)
        self._metrics.extract_worker_deaths.inc()
        self._metrics.extract_workers.set(len(self._workers))
        self._deaths += 1
        log.warning("a worker is gone; its traces are built again", pid=worker.pid, why=why)
        if self._deaths >= MANY_DEATHS:
            self._without_until_s = time.monotonic() + WITHOUT_S
            log.warning("building without workers for a while", deaths=self._deaths)
            self._deaths = 0

    def rest(self) -> None:
        """End all workers if none has been needed for long."""
        if self._workers and time.monotonic() - self._used_s > UNUSED_S:
            self.end()

    def end(self) -> None:
        """End all workers; their unfinished tasks are lost."""
        while self._workers:
            with suppress(OSError):
                self._workers.pop().kill()
        self._metrics.extract_workers.set(0)

    def close(self) -> None:
        """End all workers; no others are started, so traces are built without workers."""
        self._is_closed = True
        self.end()

    def _start(self) -> None:
        is_paused = time.monotonic() < self._without_until_s
        if self._is_closed or is_paused or len(self._workers) >= self._most:
            return
        try:
            self._workers.append(Worker(self._begin))
        except OSError as error:
            log.warning("no worker can be started", error=str(error))
            self._without_until_s = time.monotonic() + WITHOUT_S
        self._metrics.extract_workers.set(len(self._workers))
