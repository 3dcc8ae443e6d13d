"""Sessions: one statement at a time in each. A reader can leave nothing behind in one."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.sql import SqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.sql.reader import Asker
    from spanloom.sql.requests import Question

MAX_SESSIONS = 10_000
_Key = tuple[str, str]


class _Session(NamedTuple):
    is_busy: bool
    ends_s: float


class Sessions:
    """The sessions of all callers; nobody meets another key's. For one thread."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        """Begin without any."""
        self._now_s = now_s
        self._sessions: dict[_Key, _Session] = {}

    @contextmanager
    def entered(self, question: Question, asker: Asker) -> Iterator[None]:
        """Hold the session of a question, if it names one; raises ``SqlError`` if it is held."""
        if not question.session_id:
            yield
            return
        key = (asker.key_id, question.session_id)
        self._check(key, question)
        self._sessions[key] = _Session(is_busy=True, ends_s=0)
        try:
            yield
        finally:
            lasts_s = 0 if question.closes_session else question.session_s
            self._sessions[key] = _Session(is_busy=False, ends_s=self._now_s() + lasts_s)

    def _check(self, key: _Key, question: Question) -> None:
        now = self._now_s()
        found = self._sessions.get(key)
        if found and found.is_busy:
            raise SqlError(
                *(373, "SESSION_IS_LOCKED"),
                f"Session {question.session_id} is locked by a concurrent client",
            )
        if question.session_check and (found is None or found.ends_s <= now):
            raise SqlError(372, "SESSION_NOT_FOUND", f"Session {question.session_id} not found")
        if len(self._sessions) >= MAX_SESSIONS:
            self._sessions = {
                k: s for k, s in self._sessions.items() if s.is_busy or s.ends_s > now
            }
