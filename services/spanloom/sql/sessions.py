"""Sessions, each with one statement at a time. They hold no state, because callers only read."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        """Begin without sessions."""
        self._now_s = now_s
        self._sessions: dict[_Key, _Session] = {}

    @contextmanager
    def entered(self, query: Query, caller: SqlCaller) -> Iterator[None]:
        """Hold the session of a query, if it has one; raises ``SqlError`` if it is in use."""
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
