"""What several reports of one step say together: the first, completed by the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.model.message import CONVERSATION_START
from spanloom.core.model.trajectory import NO_CODE, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.normalized import Facts, NormalizedSpan
    from spanloom.core.model.trajectory import StepError, Usage


def complete(step: NormalizedSpan, others: Sequence[NormalizedSpan]) -> Facts:
    """Return the step's facts with what is missing filled in from the other reports."""
    facts = step.facts
    for other in others:
        richer = _richer(facts, other.facts, messages_first=step.kind is Kind.MODEL)
        facts = _with_documents(richer, other.facts)
    return facts


def complete_error(reports: Iterable[NormalizedSpan]) -> StepError | None:
    """Return the failure as the first tells it that has words, with code and traceback of any."""
    errors = [report.error for report in reports if report.error is not None]
    if not errors:
        return None
    told = next((error for error in errors if error.message != error.type), errors[0])
    return replace(
        told,
        code=next((error.code for error in errors if error.code != NO_CODE), NO_CODE),
        type=told.type or next((error.type for error in errors if error.type), ""),
        traceback=next((error.traceback for error in errors if error.traceback), ""),
    )


def _with_documents(facts: Facts, part: Facts) -> Facts:
    """Keep what a retriever inside a tool found, where the tool's own result is another text."""
    is_part = part.data_kind in ("retrieval", "reranking") and not facts.data_kind
    if not is_part or not part.output or part.output == facts.output:
        return facts
    found = facts.metadata.get("documents")
    documents = f"{found}\n{part.output}" if found else part.output
    return replace(facts, metadata={**facts.metadata, "documents": documents})


def _richer(ours: Facts, theirs: Facts, *, messages_first: bool) -> Facts:
    richer_text = _messages_or_text if messages_first else _any_text
    return replace(
        ours,
        input=richer_text(ours.input, theirs.input),
        output=richer_text(ours.output, theirs.output),
        usage=_richer_usage(ours.usage, theirs.usage),
        model=ours.model or theirs.model,
        first_token_ms=theirs.first_token_ms
        if ours.first_token_ms is None
        else ours.first_token_ms,
        agent_name=ours.agent_name or theirs.agent_name,
        tool_name=ours.tool_name or theirs.tool_name,
        data_kind=ours.data_kind,
        response_id=ours.response_id or theirs.response_id,
        conversation_id=ours.conversation_id or theirs.conversation_id,
        is_resuming=ours.is_resuming or theirs.is_resuming,
        metadata={**theirs.metadata, **ours.metadata},
    )


def _any_text(ours: str, theirs: str) -> str:
    return ours or theirs


def _messages_or_text(ours: str, theirs: str) -> str:
    """Prefer messages to another text: some outer spans have only a repr of the request."""
    if theirs.startswith(CONVERSATION_START) and not ours.startswith(CONVERSATION_START):
        return theirs
    return ours or theirs


def _richer_usage(ours: Usage | None, theirs: Usage | None) -> Usage | None:
    if ours is None or theirs is None:
        return ours or theirs
    return ours.completed_by(theirs)
