"""In-memory lists of runs, steps and conversations, and statistics over them."""

from __future__ import annotations

import operator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import orjson
from tests.support.listed_runs import listed_conversation
from tests.support.memory_lines import MemoryListing
from tests.support.memory_numbers import count_numbers
from tests.support.memory_steps import comes_later, in_order, step_rows
from tests.support.where_evaluation import rank_of

from spanloom.core.ports.steps import ANY_STEP
from spanloom.core.query.continuations import (
    NO_CONTINUATION,
    TURNS,
    Continuation,
)
from spanloom.core.query.lists import meets
from spanloom.core.query.selection import ANY_RUN, RunSelection, all_of, condition_of
from spanloom.evaluation.comparison.shaping import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.steps import ListedStep, StepCursor, StepSelection
    from spanloom.core.query.lists import Cursor, ListedConversation, ListedRun
    from spanloom.core.query.shapes import RunShape
    from spanloom.core.query.stats import Group, Numbers
    from spanloom.core.query.where.tree import Condition


class MemoryRuns(MemoryListing):
    """Lists of runs."""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
        query: RunSelection = ANY_RUN,
    ) -> Sequence[ListedRun]:
        """See ``RunReader.list``."""
        descending = query.order.is_descending
        comes_later = operator.lt if descending else operator.gt
        seen = [line for line in self._lines.all() if reach.covers(line.key.project)]
        matching = [
            replace(line, rank=rank_of(query.order, self._lines.run(line.key)))
            for line in seen
            if meets(line, where) and self._lines.is_asked_for(line.key, query)
        ]
        matching.sort(key=lambda line: line.cursor.place, reverse=descending)
        place = None if after is None else after.place
        rest = [m for m in matching if place is None or comes_later(m.cursor.place, place)]
        return rest[:limit]

    def matching_among(
        self, keys: Sequence[TraceKey], reach: Reach, where: Condition
    ) -> AbstractSet[TraceKey]:
        """See ``RunReader.matching_among``."""
        own = [key for key in keys if reach.covers(key.project) and key in self._state.records]
        return {key for key in own if self._lines.is_asked_for(key, RunSelection(where))}

    def matching_each(
        self, keys: Sequence[TraceKey], reach: Reach, wheres: Sequence[Condition]
    ) -> Sequence[AbstractSet[TraceKey]]:
        """See ``RunReader.matching_each``."""
        return [self.matching_among(keys, reach, where) for where in wheres]

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[ListedRun]:
        """See ``RunReader.conversation``."""
        where = all_of(where, condition_of({"conversation": conversation_id}))
        seen = [line for line in self._lines.all() if reach.covers(line.key.project)]
        matching = [line for line in seen if conversation_id and meets(line, where)]
        matching.sort(key=lambda line: line.cursor)
        ahead = [m for m in matching if after is None or m.cursor > after]
        return ahead[:limit]

    def continuation(self, key: TraceKey) -> Continuation:
        """See ``RunReader.continuation``."""
        found = [line.continuation for line in self._lines.all() if line.key == key]
        return found[0] if found else NO_CONTINUATION


class MemoryStats(MemoryListing):
    """Statistics over runs."""

    def numbers(self, reach: Reach, where: Condition | None, asked: Numbers) -> Sequence[Group]:
        """See ``StatsReader.numbers``."""
        seen = [line for line in self._lines.all() if reach.covers(line.key.project)]
        runs = [self._lines.run(line.key) for line in seen if meets(line, where)]
        return count_numbers(runs, asked)

    def shapes(self, reach: Reach, where: Condition | None, most: int) -> Sequence[RunShape]:
        """See ``StatsReader.shapes``; computed from documents, whose times are milliseconds."""
        lines = MemoryRuns(self._state).list(reach, None, most, query=RunSelection(where))
        with self._state.lock:
            documents = [self._state.records[line.key].document for line in lines]
        return [shape_of(orjson.loads(document)) for document in documents]


class MemorySteps(MemoryListing):
    """Lists of steps."""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: StepCursor | None = None,
        asked: StepSelection = ANY_STEP,
    ) -> Sequence[ListedStep]:
        """See ``StepReader.list``."""
        found: list[ListedStep] = []
        for line in MemoryRuns(self._state).list(reach, where, 2**31):
            with self._state.lock:
                record = self._state.records[line.key]
            found += step_rows(record, self._lines.run(line.key), asked)
        ordered = in_order(found, asked.order)
        if after is not None:
            ordered = [row for row in ordered if comes_later(row.cursor, after, asked.order)]
        return ordered[:limit]


class MemoryConversations(MemoryListing):
    """Lists of conversations."""

    def list(
        self, reach: Reach, where: Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ListedConversation]:
        """See ``ConversationReader.list``."""
        seen = [line for line in self._lines.all() if reach.covers(line.key.project)]
        turns = [line for line in seen if line.conversation_id and meets(line, TURNS)]
        turns.sort(key=lambda line: (_talk(line), line.cursor))
        talks = [_conversation(list(runs), where) for _, runs in groupby(turns, _talk)]
        found = [talk for talk in talks if talk and (after is None or talk.cursor < after)]
        return sorted(found, key=lambda talk: talk.cursor, reverse=True)[:limit]


def _talk(line: ListedRun) -> tuple[str, str]:
    return line.key.project, line.conversation_id


def _conversation(runs: Sequence[ListedRun], where: Condition | None) -> ListedConversation | None:
    """Return a conversation of these runs, oldest first, if one of them matches the filter."""
    first, last = runs[0], runs[-1]
    wanted = [run for run in runs if meets(run, where)]
    if not wanted:
        return None
    users = [run.run.user_id for run in runs if run.run.user_id]
    return listed_conversation(
        last,
        wanted[-1].cursor,
        runs=len(runs),
        started_at=first.run.started_at,
        question=first.run.question,
        user_id=users[-1] if users else None,
        input_tokens=sum(run.run.input_tokens for run in runs),
        output_tokens=sum(run.run.output_tokens for run in runs),
        failed_runs=sum(run.run.has_error for run in runs),
        cost=sum(run.run.cost or 0 for run in runs),
    )
