"""Stores online rules, their work items, and the progress of their walks over past runs."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import RuleProgress, Spent, Walk, WalkPlace
from spanloom.core.model.span import TraceKey
from spanloom.storage.annotations.rows import living, living_page
from spanloom.storage.engine.columns import Attribute, Columns
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.engine.remembered import Remembered
from spanloom.storage.engine.slices import in_slices
from spanloom.storage.online_rules.rows import (
    WORK_COLUMNS,
    rule_of,
    rule_row,
    work_of,
    work_row,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.online_rule import OnlineRule, RuleId, Work, WorkState
    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.connection import Connection


_WALKS = Columns(
    WalkPlace,
    {
        "Project": "project",
        "Rule": "rule",
        "Walk": Attribute("walk", read=Walk),
        "Wanted": "wanted",
        "Position": "position",
        "Taken": "taken",
        "IsDone": "is_done",
        "AtUnixMicro": "at_us",
    },
)


class ClickHouseOnlineRules:
    """``OnlineRuleStore`` in ClickHouse.

    Writes and most background reads use the extractor's connection; other reads use the readers'
    connection. The rules, which the service reads each second, are cached.
    """

    def __init__(self, worker: Connection, reader: Connection, *, is_alone: bool) -> None:
        """Use the connections, which the caller closes; see ``Remembered`` for ``is_alone``."""
        self._worker = worker
        self._reader = reader
        self._rules: Remembered[Sequence[OnlineRule]] = Remembered(is_alone=is_alone)

    def put(self, rule: OnlineRule) -> None:
        """See ``OnlineRuleStore.put``."""
        with self._rules.writes:
            self._worker.insert_objects("online_rules", [rule_row(rule)])

    def list(self, reach: Reach, name: str = "") -> Sequence[OnlineRule]:
        """See ``OnlineRuleStore.list``."""

        def read() -> Sequence[OnlineRule]:
            rows = self._reader.rows("read_online_rules", reach=within(reach), of_name=name)
            return tuple(map(rule_of, rows))

        return list(self._rules.get((reach, name), read))

    def add_work(self, work: Sequence[Work]) -> None:
        """See ``OnlineRuleStore.add_work``."""
        self._worker.insert_objects("online_work", map(work_row, work))

    def waiting(
        self,
        slices: Slices,
        now_us: int,
        limit: int,
        rules: Collection[RuleId],
        states: Collection[WorkState],
    ) -> Sequence[Work]:
        """See ``OnlineRuleStore.waiting``."""
        parameters = {"shared": in_slices(slices), "now_us": now_us}
        parameters |= {"rules": sorted(rules), "states": sorted(states)}
        while True:
            rows = self._worker.rows(
                "online_waiting", columns=WORK_COLUMNS, limit=limit, **parameters
            )
            found = list(map(work_of, rows))
            living_work = living(self._worker, found, attrgetter("key"))
            if living_work or len(found) < limit:
                return living_work
            limit *= 2  # all rows found belong to deleted runs

    def work_of(self, keys: Sequence[TraceKey]) -> Sequence[Work]:
        """See ``OnlineRuleStore.work_of``."""
        return [
            work_of(row)
            for some in batched(keys)
            for row in self._worker.rows("online_work_of", columns=WORK_COLUMNS, keys=some)
        ]

    def progress(self, project: str, name: str = "") -> Mapping[str, RuleProgress]:
        """See ``OnlineRuleStore.progress``."""
        rows = self._reader.rows("online_progress", project=project, of_name=name)
        return {rule: RuleProgress(*counts) for rule, *counts in rows}

    def spent(self, project: str, name: str, since_us: int) -> Spent:
        """See ``OnlineRuleStore.spent``."""
        place = {"project": project, "of_name": name}
        ((usd, tokens, calls, runs),) = self._worker.rows(
            "online_spent", since_us=since_us, **place
        )
        return Spent(usd, tokens, calls, runs)

    def judged_before(
        self, project: str, name: str, version: int, after: str, limit: int
    ) -> Sequence[str]:
        """See ``OnlineRuleStore.judged_before``."""
        place = {"project": project, "of_name": name, "version": version, "limit": limit}

        def read(last: TraceKey | None) -> Sequence[TraceKey]:
            start = last.trace_id if last else after
            rows = self._worker.rows("online_judged_before", after=start, **place)
            return [TraceKey(project, row.TraceId) for row in rows]

        found = living_page(self._worker, read, lambda key: key, limit)
        return [key.trace_id for key in found]

    def place(self, place: WalkPlace) -> None:
        """See ``OnlineRuleStore.place``."""
        self._worker.insert_objects("online_walks", [_WALKS.row(place)])

    def places(self, reach: Reach) -> Sequence[WalkPlace]:
        """See ``OnlineRuleStore.places``."""
        rows = self._reader.rows("read_online_walks", columns=_WALKS.columns, reach=within(reach))
        return list(map(_WALKS.object, rows))
