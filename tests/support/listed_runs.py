"""List items of runs and steps; a test sets only the relevant fields."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanloom.core.model.trajectory import Outcome
from spanloom.core.query.lists import Cursor, ListedConversation, ListedRun
from spanloom.core.records.conversation import ConversationItem, LastRun
from spanloom.core.records.run import Run

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey

PLAIN: dict[str, Any] = {
    "version": 1,
    "status": "settled",
    "root_name": "team",
    "root_type": "graph",
    "outcome": "ok",
    "failures": 0,
    "agent_names": ["a"],
    "step_counts": {"agent": 1},
    "span_count": 3,
    "input_tokens": 10,
    "output_tokens": 5,
    "dialects": ["openinference"],
}


def listed_run(key: TraceKey, start_ns: int, duration_ns: int = 0, **fields: Any) -> ListedRun:
    """Return an item of a list, with fields of its run."""
    values = {
        "trace_id": key.trace_id,
        "project": key.project,
        "started_at": start_ns // 1_000_000,
        "duration": duration_ns // 1_000_000,
        "has_error": fields.get("outcome") == Outcome.FAILED,
        **PLAIN,
        **fields,
    }
    return ListedRun(Run.model_validate(values), start_ns)


def listed_conversation(
    last: ListedRun, passing: Cursor | None = None, **fields: Any
) -> ListedConversation:
    """Return an item of the list of conversations with this last run."""
    run = last.run
    last_run = LastRun(**{name: getattr(run, name) for name in LastRun.model_fields})
    values = {
        "project": run.project,
        "conversation_id": run.conversation_id,
        "started_at": run.started_at,
        "runs": 1,
        "question": run.question,
        "answer": run.answer,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "failed_runs": int(run.has_error),
        "cost": run.cost or 0,
        "last_run": last_run,
        **fields,
    }
    return ListedConversation(ConversationItem(**values), passing or last.cursor)


def changed(line: ListedRun, **fields: Any) -> ListedRun:
    """Return a list item in which these fields of the run have other values."""
    return replace(line, run=line.run.model_copy(update=fields))


def of_trace(line: ListedRun, key: TraceKey) -> ListedRun:
    """Return the same item for another trace."""
    return changed(line, trace_id=key.trace_id, project=key.project)
