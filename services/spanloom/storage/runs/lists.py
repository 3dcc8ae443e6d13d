"""Lists of trajectories, and the runs of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation
from spanloom.core.query.lists import Cursor, ListedRun
from spanloom.core.query.selection import ANY_RUN, all_of, condition_of
from spanloom.storage.engine.failures import bounded
from spanloom.storage.engine.parameters import Condition, both, within
from spanloom.storage.runs.candidates import BEFORE_ALL, Candidate, Key, place_parameters, read_list
from spanloom.storage.runs.current import (
    SUMMARY,
    LineT,
    Shown,
    read_current,
    still_current,
    with_continuations,
)
from spanloom.storage.where.compile import compile_each, compile_where, passing
from spanloom.storage.where.orders import ordered
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.query.selection import RunSelection
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.connection import Connection


class ClickHouseLists:
    """Lists runs; queries that may take long run on the query connection, not on the readers'."""

    def __init__(self, reader: Connection, asker: Connection) -> None:
        """Use the connections; the caller closes them."""
        self._reader = reader
        self._asker = asker

    def list(
        self,
        reach: Reach,
        where: tree.Condition | None,
        limit: int,
        after: Cursor | None = None,
        query: RunSelection = ANY_RUN,
    ) -> Sequence[ListedRun]:
        """See ``RunReader.list``."""
        connection = self._reader if query == ANY_RUN else self._asker  # it may take long
        with bounded():
            lines = find_lines(connection, reach, where, limit, after, query, SUMMARY)
        return with_continuations(self._reader, lines)

    def matching_among(
        self, keys: Sequence[TraceKey], reach: Reach, where: tree.Condition
    ) -> AbstractSet[TraceKey]:
        """See ``RunReader.matching_among``."""
        wanted = compile_where(where, SideTables(self._asker, reach))
        own = [key for key in keys if reach.covers(key.project)]
        with bounded():
            return {line.key for line in read_current(self._asker, wanted, own, SUMMARY)}

    def matching_each(
        self, keys: Sequence[TraceKey], reach: Reach, wheres: Sequence[tree.Condition]
    ) -> Sequence[AbstractSet[TraceKey]]:
        """See ``RunReader.matching_each``."""
        met = compile_each(wheres, SideTables(self._asker, reach))
        columns = Condition(f"Project, TraceId, {met.text} AS Met", met.values)
        shown: Shown[Any] = Shown(columns, lambda row: _Met(TraceKey(*row[:2]), row.Met))
        own = [key for key in keys if reach.covers(key.project)]
        with bounded():
            lines = read_current(self._asker, passing(None), own, shown)
        return [{line.key for line in lines if line.met[at]} for at in range(len(wheres))]

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: tree.Condition | None,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[ListedRun]:
        """See ``RunReader.conversation``."""

        def candidates(most: int, after: Cursor | None) -> Sequence[Candidate]:
            rows = self._reader.rows(
                "conversation_candidates",
                conversation_id=conversation_id,
                reach=within(reach),
                most=most,
                **place_parameters(after or BEFORE_ALL),
            )
            return [
                Candidate(Cursor(start, trace_id, project), (project, trace_id))
                for project, start, trace_id in rows
            ]

        def current(found: Sequence[Candidate]) -> Mapping[Key, ListedRun]:
            lines = read_current(self._reader, wanted, [one.key for one in found], SUMMARY)
            return {line.key: line for line in lines}

        wanted = passing(all_of(where, condition_of({"conversation": conversation_id})))
        lines = read_list(candidates, current, limit, after, is_descending=False)
        return with_continuations(self._reader, lines)

    def continuation(self, key: TraceKey) -> Continuation:
        """See ``RunReader.continuation``."""
        lines = with_continuations(
            self._reader, read_current(self._reader, passing(None), [key], SUMMARY)
        )
        return lines[0].continuation if lines else NO_CONTINUATION


class _Met(NamedTuple):
    """A run, with 1 for each condition that it meets and 0 for each other condition."""

    key: TraceKey
    met: Sequence[int]


def find_lines(
    connection: Connection,
    reach: Reach,
    where: tree.Condition | None,
    limit: int,
    after: Cursor | None,
    query: RunSelection,
    shown: Shown[LineT],
) -> Sequence[LineT]:
    """Return the lines of a list, without their continuations."""

    def candidates(most: int, after: Cursor | None) -> Sequence[Candidate]:
        rows = connection.rows(
            "list_candidates",
            columns=shown.columns,
            reach=within(reach),
            filter=wanted,
            most=most,
            **ordered(query.order, after),
        )
        return [
            Candidate(
                Cursor(row.StartTimeUnixNano, row.TraceId, row.Project, tuple(row.Rank)),
                (row.Project, row.TraceId),
                row,
            )
            for row in rows
        ]

    def current(found: Sequence[Candidate]) -> Mapping[Key, LineT]:
        return still_current(connection, [one.row for one in found], shown)

    wanted = condition_on_runs(where, query, SideTables(connection, reach))
    descending = query.order.is_descending
    return read_list(candidates, current, limit, after, is_descending=descending)


def condition_on_runs(
    where: tree.Condition | None, query: RunSelection, tables: SideTables
) -> Condition:
    """Return the condition that a run passes the filters and meets the query."""
    passes = passing(where)
    return passes if query.where is None else both(passes, compile_where(query.where, tables))
