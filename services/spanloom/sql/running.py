"""Runs statements in a thread pool, one at a time in each session; cancelled on disconnect."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from spanloom.sql.reader import SqlCaller
    from spanloom.sql.requests import Query


MAX_SESSIONS = 10_000
_Key = tuple[str, str]


class _Session(NamedTuple):
    is_busy: bool
    ends_s: float


class Sessions:
    """The sessions of all callers, separate for each key. Not thread-safe."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        """Start without sessions."""
        self._now_s = now_s
        self._sessions: dict[_Key, _Session] = {}

    @contextmanager
    def entered(self, query: Query, caller: SqlCaller) -> Iterator[None]:
        """Reserve the session of a query, if it has one; raises ``SqlError`` if it is in use."""
        if not query.session_id:
            yield
            return
        key = (caller.key_id, query.session_id)
        self._check(key, query)
        self._sessions[key] = _Session(is_busy=True, ends_s=0)
        try:
            yield
        finally:
            lasts_s = 0 if query.closes_session else query.session_s
            self._sessions[key] = _Session(is_busy=False, ends_s=self._now_s() + lasts_s)

    def _check(self, key: _Key, query: Query) -> None:
        now = self._now_s()
        session = self._sessions.get(key)
        if session and session.is_busy:
            raise SqlError(
                *(373, "SESSION_IS_LOCKED"),
                f"Session {query.session_id} is locked by a concurrent client",
            )
        if query.session_check and (session is None or session.ends_s <= now):
            raise SqlError(372, "SESSION_NOT_FOUND", f"Session {query.session_id} not found")
        if len(self._sessions) >= MAX_SESSIONS:
            self._sessions = {
                k: s for k, s in self._sessions.items() if s.is_busy or s.ends_s > now
            }


T = TypeVar("T")
MAX_WAITING = 64
WAIT_S = 20.0
"""Maximum number of statements that wait for a thread, and maximum seconds that each waits."""
_CANCEL_AGAIN_S = 0.2
_LOOK_S = 0.5
"""Seconds between checks, while a statement runs, whether the service is stopping."""


class _Running(NamedTuple):
    key_id: str
    tag: str
    replaced: asyncio.Event
    """Set once another statement has replaced this one."""


class Runner:
    """Runs statements in a thread pool, and cancels them; used by one event loop only."""

    def __init__(self, at_a_time: int, cancel: Callable[[str], None]) -> None:
        """Use a pool of ``at_a_time`` threads; ``cancel`` ends the statement with a tag.

        ``cancel`` may block.
        """
        self._pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="sql")
        self._cancellers = ThreadPoolExecutor(1, thread_name_prefix="sql-cancel")
        self._free = asyncio.Semaphore(at_a_time)
        self._cancel = cancel
        self._waiting = 0
        self._is_ending = False
        self._by_id: dict[str, _Running] = {}

    async def run(
        self,
        query: Query,
        caller: SqlCaller,
        call: Callable[[str], T],
        disconnected: Callable[[], Coroutine[Any, Any, None]],
    ) -> T:
        """Call ``call`` in a thread with a new tag, and return its result.

        The call is cancelled when the client has disconnected, that is, when ``disconnected``
        returns. Raises ``SqlError``, with 394 (QUERY_WAS_CANCELLED) if the statement was cancelled.
        """
        with self._registered(query, caller) as running:
            async with self._turn():
                if self._is_ending:
                    raise SqlError(394, "QUERY_WAS_CANCELLED", "The service stops")
                if running.replaced.is_set():
                    raise SqlError(394, "QUERY_WAS_CANCELLED", "Another statement has taken its id")
                future = asyncio.get_running_loop().run_in_executor(self._pool, call, running.tag)
                return await self._watched(future, running, disconnected())

    def end(self) -> None:
        """End running and waiting statements within a second; callable from any thread."""
        self._is_ending = True

    def close(self) -> None:
        """Shut the thread pools down; no statement may be running."""
        self._cancellers.shutdown()
        self._pool.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def _registered(self, query: Query, caller: SqlCaller) -> Iterator[_Running]:
        """Register a query id while its statement runs.

        If the query asks for it, a running statement of the same id and key is replaced.
        """
        running = self._by_id.get(query.query_id)
        if running and not (query.replaces and running.key_id == caller.key_id):
            raise SqlError(
                *(216, "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING"),
                f"Query with id = {query.query_id} is already running",
            )
        if running:
            running.replaced.set()
        new = _Running(caller.key_id, str(uuid4()), asyncio.Event())
        self._by_id[query.query_id] = new
        try:
            yield new
        finally:
            if self._by_id.get(query.query_id) is new:
                del self._by_id[query.query_id]

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Reserve one of the threads that run statements for the block.

        Raises ``SqlError`` if too many statements wait for a thread, or if this one waits too long.
        """
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
        self, future: asyncio.Future[T], running: _Running, disconnected: Coroutine[Any, Any, None]
    ) -> T:
        """Wait for the call; cancel it repeatedly until it ends if its result is not needed."""
        loop = asyncio.get_running_loop()
        ends = {asyncio.create_task(disconnected), asyncio.create_task(running.replaced.wait())}
        try:
            any_of: set[asyncio.Future[Any]] = {future, *ends}
            while not (any(each.done() for each in any_of) or self._is_ending):
                await asyncio.wait(any_of, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            while not future.done():  # the first cancel may come before the call has begun
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
