"""Following what changes: the feed is asked again and again, whatever becomes of the connection.

``Following`` decides what to ask, what is new and how long to wait, without a connection of its
own; ``Changes`` is it over one.
"""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, TypedDict

from pydantic import BaseModel, ConfigDict

from spanloom.client.errors import (
    ApiError,
    ClientError,
    TimedOutError,
    UnavailableError,
    UnreachableError,
)
from spanloom.client.models import Milliseconds, TrajectorySummary  # noqa: TC001  # fields
from spanloom.core.model.trajectory import Status  # noqa: TC001  # likewise
from spanloom.core.query.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.client.moments import Moment
    from spanloom.core.model.trajectory import Outcome

WAIT_S = 20.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0
PASSING = (UnreachableError, TimedOutError, UnavailableError)
"""What comes of a service that is being started again, or of a network that is away."""


class Change(BaseModel):
    """A version of a run that was stored."""

    model_config = ConfigDict(extra="allow", frozen=True)

    project: str
    trace_id: str
    version: int
    status: Status
    changed_at: Milliseconds
    start: Milliseconds
    trajectory: TrajectorySummary | None = None
    """What the run is now, if that was asked for."""


class ChangePage(BaseModel):
    """Some changes, oldest first, and where the next ones begin."""

    model_config = ConfigDict(extra="allow", frozen=True)

    items: list[Change]
    next: str


class RunFilters(TypedDict, total=False):
    """Which runs are wanted, as ``Client.trajectories`` takes it."""

    project: str | None
    since: Moment | None
    until: Moment | None
    status: Status | str | None
    root_name: str | None
    has_error: bool | None
    outcome: Outcome | str | None
    is_duplicate: bool | None
    has_steps: bool | None
    agent_name: str | None
    conversation_id: str | None
    model: str | None
    service: str | None
    environment: str | None
    user_id: str | None
    tag: str | None


class Following:
    """How far somebody has come who follows the feed."""

    def __init__(self, token: str | None) -> None:
        """Begin behind a token; ``None`` is now."""
        self.token = token
        self._known = Recent()
        self._was_answered = False
        self._failures = 0

    def question(self, wait_s: float) -> dict[str, str | float]:
        """Return what to ask next; a token is to be had at once, or a change may be missed."""
        return {"wait": 0} if self.token is None else {"after": self.token, "wait": wait_s}

    def take(self, page: ChangePage) -> Iterator[Change]:
        """Yield what is new; behind the last of it the token has moved on."""
        self._was_answered, self._failures = True, 0
        for change in page.items:
            if self._known.add((change.project, change.trace_id, change.version)):
                yield change
        self.token = page.next

    def pause_s(self, error: ClientError) -> float:
        """Return how long to wait before the next try; raises what does not pass.

        Nothing passes before the first answer: the address may be wrong.
        """
        if not self._was_answered or not isinstance(error, PASSING):
            raise error
        asked_s = error.retry_after_s if isinstance(error, ApiError) else None
        pause_s = min(FIRST_PAUSE_S * 2**self._failures, LONGEST_PAUSE_S)
        self._failures = min(self._failures + 1, 10)
        return pause_s if asked_s is None else asked_s


class Changes:
    """Changes one by one, each version once, without an end."""

    def __init__(
        self,
        ask: Callable[[dict[str, str | float]], ChangePage],
        after: str | None,
        wait_s: float = WAIT_S,
        on_trouble: Callable[[ClientError], None] = lambda _: None,
    ) -> None:
        """Take what asks the feed; nothing is asked before the first change is wanted."""
        self._ask = ask
        self._wait_s = wait_s
        self._on_trouble = on_trouble
        self._following = Following(after)
        self._changes = self._follow()

    @property
    def token(self) -> str | None:
        """Behind it goes on who begins again: all before it was taken; ``None`` before any answer.

        It moves on when the change after the last one of an answer is asked for.
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
                page = self._ask(self._following.question(self._wait_s))
            except ClientError as error:
                pause_s = self._following.pause_s(error)
                self._on_trouble(error)
                sleep(pause_s)
            else:
                yield from self._following.take(page)
