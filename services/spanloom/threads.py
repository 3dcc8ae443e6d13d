"""Watched threads, in which every long-running loop of the process runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable


def start_pool(workers: int, name: str) -> ThreadPoolExecutor:
    """Return a pool with all threads started, because later there may be no memory for more."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
    together = Barrier(workers)
    wait([pool.submit(together.wait) for _ in range(workers)])
    return pool


class UnexpectedEndError(SpanloomError):
    """A loop returned without being stopped."""


class WatchedThread:
    """A thread that records why it ended.

    ``failed`` is ``None`` while the thread runs and after an end expected by ``expect_end``;
    otherwise it is the error that ended the thread. Example: a writer whose loop raises
    ``KeyError`` has ``failed == KeyError(...)`` from then on, and the supervisor ends the process.
    """

    def __init__(
        self,
        name: str,
        target: Callable[[], None],
        on_failure: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        """Prepare the thread; ``on_failure`` is called in it, once, if it ends unexpectedly."""
        self.failed: BaseException | None = None
        self._target = target
        self._on_failure = on_failure
        self._end_expected = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start running the target."""
        self._thread.start()

    def expect_end(self) -> None:
        """From now on treat a return of the target as its regular end."""
        self._end_expected.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end, at most ``timeout_s`` seconds; return whether the thread has ended."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @property
    def is_alive(self) -> bool:
        """Whether the target is running."""
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._target()
        except BaseException as error:  # nothing above this would report it
            self._fail(error)
        else:
            if not self._end_expected.is_set():
                self._fail(UnexpectedEndError("its loop stopped unexpectedly"))

    def _fail(self, error: BaseException) -> None:
        self.failed = error
        self._on_failure(error)
        get_logger(self._thread.name).error("a part has ended", exc_info=error)


class RepeatingPart(ABC):
    """A ``Part`` that calls ``_round`` at an interval, between ``start`` and ``stop``.

    A subclass sets ``name`` and does the work in ``_round``, which may change the interval,
    ``_every_s``. Example: the limits file is reloaded every second.
    """

    name: str

    def __init__(self, every_s: float) -> None:
        """Prepare the thread; the first round runs ``every_s`` seconds after the start."""
        self._every_s = every_s
        self._stopping = Event()
        self._thread = WatchedThread(self.name, self._repeat)

    @property
    def failed(self) -> BaseException | None:
        """Why the rounds have ended; ``None`` while they run."""
        return self._thread.failed

    def start(self) -> None:
        """Start the rounds."""
        self._thread.start()

    def stop(self, grace_s: float) -> None:
        """Stop after the current round, waiting at most ``grace_s`` seconds."""
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join(grace_s)

    @abstractmethod
    def _round(self) -> None:
        """Do the work once; an error raised here ends the component."""

    def _repeat(self) -> None:
        while not self._stopping.wait(self._every_s):
            self._round()
