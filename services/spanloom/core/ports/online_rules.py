"""The port for storing online rules, their work, and the positions of their backfills.

The work of a rule is a row for each run that the rule selects. The row has the state, the time
at which the run is due to be judged, and the cost of judging it.
"""

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
        """Store a rule, durable on return; of several with the same name the latest counts.

        The store sets ``since_us`` if it is 0.
        """

    def list(self, reach: Reach, name: str = "") -> Sequence[OnlineRule]:
        """Return all rules, or the rule ``name``, even if deleted, ordered by project and name."""

    def add_work(self, work: Sequence[Work]) -> None:
        """Store new states of work, durable on return."""

    def waiting(
        self,
        slices: Slices,
        now_us: int,
        limit: int,
        rules: Collection[RuleId],
        states: Collection[WorkState],
    ) -> Sequence[Work]:
        """Return the due work of these rules on runs in ``slices`` that is in one of ``states``.

        Pending work comes before deferred work; within a state the work with the earliest due time
        comes first.
        """

    def work_of(self, keys: Sequence[TraceKey]) -> Sequence[Work]:
        """Return the work of all rules for these runs, each task in its newest state."""

    def progress(self, project: str, name: str = "") -> Mapping[str, RuleProgress]:
        """Return the progress of a project's rules, or of one rule; omit rules without work."""

    def spent(self, project: str, name: str, since_us: int) -> Spent:
        """Return how many dollars, tokens, calls and runs a rule has spent since a time."""

    def judged_before(
        self, project: str, name: str, version: int, after: str, limit: int
    ) -> Sequence[str]:
        """Return the runs for which earlier versions of a rule have work, as trace ids in order.

        Returns up to ``limit`` ids that are greater than ``after``.
        """

    def place(self, place: WalkPlace) -> None:
        """Store the position of a backfill, durable on return."""

    def places(self, reach: Reach) -> Sequence[WalkPlace]:
        """Return the positions of backfills."""
