"""The port of online rules, of their work, and of the positions of their backfills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.online_rule import (
        OnlineRule,
        RuleId,
        RuleProgress,
        Spent,
        WalkPlace,
        Work,
        WorkState,
    )
    from spanloom.core.model.span import TraceKey
    from spanloom.core.sharing import Slices


class OnlineRuleStore(Protocol):
    """Stores online rules and their work."""

    def put(self, rule: OnlineRule) -> None:
        """Store a rule, durable on return; the latest rule of a name counts.

        The store sets ``since_us`` if it is 0.
        """

    def list(self, reach: Reach, name: str = "") -> Sequence[OnlineRule]:
        """Return rules by project and name, all or only the named one, including deleted rules."""

    def add_work(self, work: Sequence[Work]) -> None:
        """Store revisions of work, durable on return."""

    def waiting(
        self,
        slices: Slices,
        now_us: int,
        limit: int,
        rules: Collection[RuleId],
        states: Collection[WorkState],
    ) -> Sequence[Work]:
        """Return work of these rules in one of these states, for runs in the slices.

        Work is left out before it is due. Pending work comes before deferred work; within a state
        the work with the earliest due time comes first.
        """

    def work_of(self, keys: Sequence[TraceKey]) -> Sequence[Work]:
        """Return all work of these runs, each in its highest revision."""

    def progress(self, project: str, name: str = "") -> Mapping[str, RuleProgress]:
        """Return the progress of a project's rules, or of one; rules without work are left out."""

    def spent(self, project: str, name: str, since_us: int) -> Spent:
        """Return how many dollars, tokens, calls and runs a rule has spent since a time."""

    def judged_before(
        self, project: str, name: str, version: int, after: str, limit: int
    ) -> Sequence[str]:
        """Return trace ids after one, in order, that earlier versions of a rule have work for."""

    def place(self, place: WalkPlace) -> None:
        """Store the position of a backfill, durable on return."""

    def places(self, reach: Reach) -> Sequence[WalkPlace]:
        """Return the positions of backfills."""
