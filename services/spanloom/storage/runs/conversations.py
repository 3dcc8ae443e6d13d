"""The list of conversations: candidates from the list of runs, then their current summaries.

The list of runs is read newest first, so each conversation appears at its newest run; if it
appears again later, it was on an earlier page and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.query.continuations import TURNS
from spanloom.core.query.shorts import all_of
from spanloom.core.query.summaries import ConversationSummary, Cursor
from spanloom.storage.engine.conditions import within
from spanloom.storage.engine.parameters import batched
from spanloom.storage.runs.candidates import KEYS_AT_ONCE, Candidate, Key, behind, read_list
from spanloom.storage.where.compile import passing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.lane import Lane


class ClickHouseConversations:
    """The list of conversations over the lane of readers."""

    def __init__(self, reader: Lane) -> None:
        """Use the lane, which the caller owns and closes."""
        self._reader = reader

    def list(
        self, reach: Reach, where: tree.Condition | None, limit: int, after: Cursor | None = None
    ) -> Sequence[ConversationSummary]:
        """See ``ConversationReader.list``."""
        where = all_of(where, TURNS)

        def candidates(most: int, after: Cursor | None) -> Sequence[Candidate]:
            rows = self._reader.rows(
                "newest_conversations",
                reach=within(reach),
                filter=passing(where),
                most=most,
                **behind(after),
            )
            return [
                Candidate(
                    Cursor(row.StartTimeUnixNano, row.TraceId, row.Project),
                    (row.Project, row.ConversationId),
                )
                for row in rows
            ]

        def current(found: Sequence[Candidate]) -> Mapping[Key, ConversationSummary]:
            return self._current(where, list(dict.fromkeys(one.key for one in found)))

        return read_list(candidates, current, limit, after, is_descending=True)

    def _current(
        self, where: tree.Condition | None, asked: Sequence[Key]
    ) -> Mapping[Key, ConversationSummary]:
        """Return those of the conversations that have a current run that passes the filter."""
        if not asked:
            return {}
        members = self._reader.rows("conversation_keys", conversations=asked)
        told = dict.fromkeys(asked, _NOTHING)
        for keys in batched([(row.Project, row.TraceId) for row in members], KEYS_AT_ONCE):
            rows = self._reader.rows(
                "conversation_page", keys=keys, turns=passing(TURNS, "t"), filter=passing(where)
            )
            for project, conversation_id, *part in rows:
                if known := told.get((project, conversation_id)):  # one may have moved elsewhere
                    told[project, conversation_id] = known.joined(_Part(*part))
        return {of: part.summary(*of) for of, part in told.items() if part.passing > _NOWHERE}


_NOWHERE = [0, ""]
_Place = list[Any]  # start and trace id, as JSON values; places compare by the start of the runs


class _Part(NamedTuple):
    """The summary of some runs of a conversation: a row of ``conversation_page.sql``."""

    runs: int
    input_tokens: int
    output_tokens: int
    first: list[Any]
    """The place of the first run, and its question."""
    last: list[Any]
    """The place of the last run, and its result."""
    last_user: list[Any]
    """The place of the last run with a user, and the user."""
    passing: _Place

    def joined(self, other: _Part) -> _Part:
        """Return the summary of these and the other runs together."""
        return _Part(
            self.runs + other.runs,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            min(self.first, other.first),
            max(self.last, other.last),
            max(self.last_user, other.last_user),
            max(self.passing, other.passing),
        )

    def summary(self, project: str, conversation_id: str) -> ConversationSummary:
        """Return it as a line of the list."""
        (start_ns, _), question = self.first
        passing_ns, passing_trace_id = self.passing
        (last_start_ns, last_trace_id), status, outcome, last_duration_ns, answer = self.last
        return ConversationSummary(
            project=project,
            conversation_id=conversation_id,
            cursor=Cursor(passing_ns, passing_trace_id, project),
            runs=self.runs,
            start_ns=start_ns,
            question=question,
            answer=answer,
            user_id=self.last_user[1],
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            last_trace_id=last_trace_id,
            last_start_ns=last_start_ns,
            last_duration_ns=last_duration_ns,
            last_status=Status(status),
            last_outcome=Outcome(outcome),
        )


_NOTHING = _Part(0, 0, 0, [[2**64, ""], ""], [_NOWHERE], [_NOWHERE, ""], _NOWHERE)
