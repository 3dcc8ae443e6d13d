"""Follows the change feed by polling, across lost connections.

``Following`` decides what to request, which changes are new and how long to wait, without I/O;
``Changes`` runs it over a connection, ``AsyncChanges`` over an asynchronous one.
"""

from __future__ import annotations

import asyncio
from time import sleep
from typing import TYPE_CHECKING

from spanloom.client.errors import (
    PASSING,
    ApiError,
    ClientError,
)
from spanloom.core.query.positions import Recent
from spanloom.core.records.change import Change  # noqa: TC001  # pydantic reads it
from spanloom.core.records.record import Record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

VERSION = "version"
WAIT_S = 20.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0


class ChangePage(Record):
    """Some changes, oldest first, and the token after which the next changes begin."""

    items: list[Change]
    next: str


class Following:
    """The position of a client in the feed, which decides what it requests, and when."""

    def __init__(self, token: str | None) -> None:
        """Begin after a token; ``None`` begins with the changes from now on."""
        self.token = token
        self._known = Recent()
        self._was_answered = False
        self._failures = 0

    def parameters(self, wait_s: float) -> dict[str, str | float]:
        """Return the parameters of the next poll; a poll without a token only requests a token."""
        return {"wait": 0} if self.token is None else {"after": self.token, "wait": wait_s}

    def take(self, page: ChangePage) -> Iterator[Change]:
        """Yield the changes not seen before; after the last change, advance the token."""
        self._was_answered, self._failures = True, 0
        for change in page.items:
            version = (change.project, change.trace_id, change.version)
            if change.what != VERSION or self._known.add(version):
                yield change
        self.token = page.next

    def pause_s(self, error: ClientError) -> float:
        """Return the seconds to wait before the next try; raises ``error`` if it is not transient.

        No error counts as transient before the first reply, because the URL may be wrong.
        """
        if not self._was_answered or not isinstance(error, PASSING):
            raise error
        retry_after_s = error.retry_after_s if isinstance(error, ApiError) else None
        pause_s = min(FIRST_PAUSE_S * 2**self._failures, LONGEST_PAUSE_S)
        self._failures = min(self._failures + 1, 10)
        return pause_s if retry_after_s is None else retry_after_s


class Changes:
    """The changes one by one, each version once; the iterator does not end."""

    def __init__(
        self,
        ask: Callable[[dict[str, str | float]], ChangePage],
        after: str | None,
        wait_s: float = WAIT_S,
        on_trouble: Callable[[ClientError], None] = lambda _: None,
    ) -> None:
        """Store the function that polls the feed; it is called when a change is requested."""
        self._ask = ask
        self._wait_s = wait_s
        self._on_trouble = on_trouble
        self._following = Following(after)
        self._changes = self._follow()

    @property
    def token(self) -> str | None:
        """The position after the changes read so far, to resume from; ``None`` before any reply.

        It advances when all changes of a reply were returned and the next change is requested.
        """
        return self._following.token

    def __iter__(self) -> Iterator[Change]:
        return self._changes

    def __next__(self) -> Change:
        """Wait for the next change."""
        return next(self._changes)

    def _follow(self) -> Iterator[Change]:
        while True:
            try:
                page = self._ask(self._following.parameters(self._wait_s))
            except ClientError as error:
                pause_s = self._following.pause_s(error)
                self._on_trouble(error)
                sleep(pause_s)
            else:
                yield from self._following.take(page)


class AsyncChanges:
    """``Changes`` for ``async for``."""

    def __init__(
        self,
        ask: Callable[[dict[str, str | float]], Awaitable[ChangePage]],
        after: str | None,
        wait_s: float = WAIT_S,
        on_trouble: Callable[[ClientError], None] = lambda _: None,
    ) -> None:
        """Store the function that polls the feed; it is called when a change is requested."""
        self._ask = ask
        self._wait_s = wait_s
        self._on_trouble = on_trouble
        self._following = Following(after)
        self._changes = self._follow()

    @property
    def token(self) -> str | None:
        """The position to resume from, as in ``Changes``."""
        return self._following.token

    def __aiter__(self) -> AsyncIterator[Change]:
        return self._changes

    async def __anext__(self) -> Change:
        """Wait for the next change."""
        return await anext(self._changes)

    async def _follow(self) -> AsyncIterator[Change]:
        while True:
            try:
                page = await self._ask(self._following.parameters(self._wait_s))
            except ClientError as error:
                pause_s = self._following.pause_s(error)
                self._on_trouble(error)
                await asyncio.sleep(pause_s)
            else:
                for change in self._following.take(page):
                    yield change
