"""Runs statements in threads of its own: few at a time, ended when nobody waits for them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from spanloom.sql.reader import Asker
    from spanloom.sql.requests import Question

T = TypeVar("T")
MAX_WAITING = 64
WAIT_S = 20.0
"""How many statements wait for a thread, and how long, before they are refused."""
_CANCEL_AGAIN_S = 0.2
_LOOK_S = 0.5
"""How soon a statement notices that the service stops."""


class _Running(NamedTuple):
    key_id: str
    tag: str
    replaced: asyncio.Event
    """Set once another statement has taken its id."""


class Runner:
    """Threads for statements, and the statements that run. Called from one event loop."""

    def __init__(self, at_a_time: int, cancel: Callable[[str], None]) -> None:
        """``cancel`` ends the statement of a tag; it may block."""
        self._pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="sql")
        self._cancellers = ThreadPoolExecutor(1, thread_name_prefix="sql-cancel")
        self._free = asyncio.Semaphore(at_a_time)
        self._cancel = cancel
        self._waiting = 0
        self._is_ending = False
        self._by_id: dict[str, _Running] = {}

    async def run(
        self,
        question: Question,
        asker: Asker,
        call: Callable[[str], T],
        gone: Callable[[], Coroutine[Any, Any, None]],
    ) -> T:
        """Return what the call gives for its tag; ``gone`` ends when nobody waits any more.

        Raises ``SqlError``, 394 (QUERY_WAS_CANCELLED) for a statement that was ended.
        """
        with self._registered(question, asker) as running:
            async with self._turn():
                if self._is_ending:
                    raise SqlError(394, "QUERY_WAS_CANCELLED", "The service stops")
                if running.replaced.is_set():
                    raise SqlError(394, "QUERY_WAS_CANCELLED", "Another statement has taken its id")
                future = asyncio.get_running_loop().run_in_executor(self._pool, call, running.tag)
                return await self._watched(future, running, gone())

    def end(self) -> None:
        """End what runs and what waits, within a second; from any thread."""
        self._is_ending = True

    def close(self) -> None:
        """Give back the threads; nothing runs in them any more."""
        self._cancellers.shutdown()
        self._pool.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def _registered(self, question: Question, asker: Asker) -> Iterator[_Running]:
        """Note that a statement of this id runs, or waits to; one of its own id it may replace."""
        running = self._by_id.get(question.query_id)
        if running and not (question.replaces and running.key_id == asker.key_id):
            raise SqlError(
                *(216, "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING"),
                f"Query with id = {question.query_id} is already running",
            )
        if running:
            running.replaced.set()
        new = _Running(asker.key_id, str(uuid4()), asyncio.Event())
        self._by_id[question.query_id] = new
        try:
            yield new
        finally:
            if self._by_id.get(question.query_id) is new:
                del self._by_id[question.query_id]

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold one of the threads, waited for within bounds."""
        if self._waiting >= MAX_WAITING:
            raise _too_many()
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT_S):
                await self._free.acquire()
        except TimeoutError:
            raise _too_many() from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._free.release()

    async def _watched(
        self, future: asyncio.Future[T], running: _Running, gone: Coroutine[Any, Any, None]
    ) -> T:
        """Wait for the call; end it when nobody else waits, again and again until it has ended."""
        loop = asyncio.get_running_loop()
        ends = {asyncio.create_task(gone), asyncio.create_task(running.replaced.wait())}
        try:
            any_of: set[asyncio.Future[Any]] = {future, *ends}
            while not (any(each.done() for each in any_of) or self._is_ending):
                await asyncio.wait(any_of, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            while not future.done():  # it may not have begun when it is cancelled first
                loop.run_in_executor(self._cancellers, self._cancel, running.tag)
                await asyncio.wait({future}, timeout=_CANCEL_AGAIN_S)
            return await future
        finally:
            for end in ends:
                end.cancel()
            await asyncio.gather(*ends, return_exceptions=True)


def _too_many() -> SqlError:
    return SqlError(
        *(202, "TOO_MANY_SIMULTANEOUS_QUERIES"),
        "Too many statements wait already: try again, or see --sql-queries",
    )
