"""Threads whose end is noticed: every long-running loop of the process runs in one of these."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable


def start_pool(workers: int, name: str) -> ThreadPoolExecutor:
    """Return a pool whose threads all run already: later there may be no memory for another."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
    together = Barrier(workers)
    wait([pool.submit(together.wait) for _ in range(workers)])
    return pool


class EndedUnaskedError(SpanloomError):
    """A loop returned although nobody had asked it to."""


class WatchedThread:
    """A thread that remembers why it ended.

    ``failed`` is ``None`` while the thread runs and after an end that ``expect_end`` announced;
    otherwise it is the error that ended the thread. Example: a writer whose loop raises
    ``KeyError`` has ``failed == KeyError(...)`` from then on, and its supervisor ends the process.
    """

    def __init__(
        self,
        name: str,
        target: Callable[[], None],
        on_failure: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        """Prepare the thread; ``on_failure`` is called in it, once, when it ends unasked."""
        self.failed: BaseException | None = None
        self._target = target
        self._on_failure = on_failure
        self._end_expected = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to run the target."""
        self._thread.start()

    def expect_end(self) -> None:
        """Take a return of the target as its proper end from now on."""
        self._end_expected.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end, at most ``timeout_s`` seconds; return whether it has come."""
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
        except BaseException as error:  # nothing above this would tell anybody
            self._fail(error)
        else:
            if not self._end_expected.is_set():
                self._fail(EndedUnaskedError("its loop ended without being asked to"))

    def _fail(self, error: BaseException) -> None:
        self.failed = error
        self._on_failure(error)
        get_logger(self._thread.name).error("a part has ended", exc_info=error)
