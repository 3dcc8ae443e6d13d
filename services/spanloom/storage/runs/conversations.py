"""Lists conversations: first candidates from the list of runs, then their current summaries.

The list of runs is read newest first, so a conversation is listed where its newest run is found. A
conversation found at an older run was listed on an earlier page, and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.query.continuations import TURNS
from spanloom.core.query.lists import Cursor, ListedConversation
from spanloom.core.query.selection import all_of
from spanloom.core.records.conversation import CONVERSATION, ConversationItem, LastRun
from spanloom.core.records.declared import Summed
from spanloom.storage.engine.parameters import Condition, batched, within
from spanloom.storage.runs.candidates import (
    KEYS_AT_ONCE,
    Candidate,
    Key,
    place_parameters,
    read_list,
)
from spanloom.storage.where.compile import passing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.connection import Connection


class ClickHouseConversations:
    """Implements ``ConversationReader`` with the readers' connection to ClickHouse."""

    def __init__(self, reader: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._reader = reader

    def list(
        self, reach: Reach, where: tree.Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ListedConversation]:
        """See ``ConversationReader.list``."""
        where = all_of(where, TURNS)

        def candidates(most: int, after: Cursor | None) -> Sequence[Candidate]:
            rows = self._reader.rows(
                "newest_conversations",
                reach=within(reach),
                filter=passing(where),
                most=most,
                **place_parameters(after),
            )
            return [
                Candidate(
                    Cursor(row.StartTimeUnixNano, row.TraceId, row.Project),
                    (row.Project, row.ConversationId),
                )
                for row in rows
            ]

        def current(found: Sequence[Candidate]) -> Mapping[Key, ListedConversation]:
            return self._current(where, list(dict.fromkeys(one.key for one in found)))

        return read_list(candidates, current, limit, after, is_descending=True)

    def _current(
        self, where: tree.Condition | None, asked: Sequence[Key]
    ) -> Mapping[Key, ListedConversation]:
        """Return the conversations with a current run that passes the filter."""
        if not asked:
            return {}
        members = self._reader.rows("conversation_keys", conversations=asked)
        parts = dict.fromkeys(asked, _NOTHING)
        for keys in batched([(row.Project, row.TraceId) for row in members], KEYS_AT_ONCE):
            rows = self._reader.rows(
                "conversation_page",
                keys=keys,
                turns=passing(TURNS, "t"),
                filter=passing(where),
                columns=_TOTALS,
            )
            for project, conversation_id, *part in rows:
                if known := parts.get((project, conversation_id)):  # a run may have moved
                    parts[project, conversation_id] = known.joined(_part(part))
        return {of: part.line(*of) for of, part in parts.items() if part.passing > _NOWHERE}


_SUMMED = {
    field.name: summed.sql for field in CONVERSATION.fields if (summed := field.find(Summed))
}
_TOTALS = Condition(", ".join(f"sum({sql}) AS {name}" for name, sql in _SUMMED.items()), {})
_NOWHERE = [0, ""]
_Place = list[Any]  # start and trace id, as JSON values; compared by start


class _Part(NamedTuple):
    """The summary of some runs of a conversation: a row of ``conversation_page.sql``."""

    totals: list[float]
    """The values of the fields that are sums, in order."""
    first: list[Any]
    """The position of the first run, and its question."""
    last: list[Any]
    """The position of the last run, and its result."""
    last_user: list[Any]
    """The position of the last run with a user, and the user."""
    passing: _Place

    def joined(self, other: _Part) -> _Part:
        """Return the summary of both sets of runs."""
        return _Part(
            [one + more for one, more in zip(self.totals, other.totals, strict=True)],
            min(self.first, other.first),
            max(self.last, other.last),
            max(self.last_user, other.last_user),
            max(self.passing, other.passing),
        )

    def line(self, project: str, conversation_id: str) -> ListedConversation:
        """Return the summary as a line of the list."""
        (start_ns, _), question = self.first
        passing_ns, passing_trace_id = self.passing
        (last_start_ns, last_trace_id), status, outcome, last_duration_ns, answer = self.last
        last_run = LastRun(
            trace_id=last_trace_id,
            started_at=last_start_ns // 1_000_000,
            duration=max(0, last_duration_ns) // 1_000_000,
            status=status,
            outcome=outcome,
        )
        item = ConversationItem(
            conversation_id=conversation_id,
            project=project,
            started_at=start_ns // 1_000_000,
            question=question,
            answer=answer,
            user_id=self.last_user[1] or None,
            last_run=last_run,
            **dict(zip(_SUMMED, self.totals, strict=True)),
        )
        return ListedConversation(item, Cursor(passing_ns, passing_trace_id, project))


def _part(columns: list[Any]) -> _Part:
    """Return the summary from the columns of a row that follow the conversation's columns."""
    return _Part(columns[: len(_SUMMED)], *columns[len(_SUMMED) :])


_NOTHING = _Part([0] * len(_SUMMED), [[2**64, ""], ""], [_NOWHERE], [_NOWHERE, ""], _NOWHERE)
