"""Finds runs that several instrumentations report, and completes them from each other's spans."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.duplicates.matching import MAX_OPEN, may_be_one, own_slack_ns
from spanloom.core.model.message import CONVERSATION_START
from spanloom.core.model.step import NO_CODE, explained
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.span import Facts, NormalizedSpan
    from spanloom.core.model.step import StepError, Usage
    from spanloom.core.model.tree import SpanTree

MAX_REPORTERS = 8
"""Maximum number of instrumentations that report one run; more are never installed together."""
MAX_PAIRS = 8
"""How many earlier runs a span is paired with, to limit the work for traces of equal spans."""


class Twins(NamedTuple):
    """Two spans that may report one run; pairs are sorted with the most likely pair first."""

    texts_differ: bool
    apart_ns: int
    first: str
    second: str


def pair_twins(tree: SpanTree, steps: Sequence[NormalizedSpan]) -> dict[str, str]:
    """Map the span id of each further report of a run to the span id of the first report.

    No instrumentation reports a run twice, so each run has at most one span per scope. The first
    report is the highest in the tree, so that no step is below a span that is merged into it.
    """
    groups: dict[str, dict[str, NormalizedSpan]] = {
        n.span.span_id: {n.span.scope_name: n} for n in steps
    }
    for pair in sorted(_candidates(steps)):
        ours, theirs = groups[pair.first], groups[pair.second]
        if ours is theirs or len(ours) + len(theirs) > MAX_REPORTERS:
            continue
        if ours.keys().isdisjoint(theirs.keys()):
            ours |= theirs
            groups |= dict.fromkeys((n.span.span_id for n in theirs.values()), ours)
    place = {span.span_id: number for number, span in enumerate(tree.top_down)}
    return {
        span_id: first
        for span_id, group in groups.items()
        if (first := min((n.span.span_id for n in group.values()), key=place.__getitem__))
        != span_id
    }


def _candidates(steps: Iterable[NormalizedSpan]) -> Iterator[Twins]:
    by_kind: defaultdict[Kind, list[NormalizedSpan]] = defaultdict(list)
    for n in sorted(steps, key=_in_order):
        open_runs = by_kind[n.kind]
        open_runs[:] = [o for o in open_runs[-MAX_OPEN:] if n.span.start_ns <= _latest_start(o)]
        pairs = (_pair(other, n) for other in open_runs if may_be_one(other, n))
        yield from nsmallest(MAX_PAIRS, pairs)
        open_runs.append(n)


def _latest_start(n: NormalizedSpan) -> int:
    """Return the latest start, in ns, that another report of this span's run may have."""
    return max(n.span.start_ns, n.span.end_ns) + own_slack_ns(n)


def _pair(ours: NormalizedSpan, theirs: NormalizedSpan) -> Twins:
    apart_ns = abs(theirs.span.start_ns - ours.span.start_ns)
    apart_ns += abs(theirs.span.end_ns - ours.span.end_ns)
    texts = ((ours.facts.input, theirs.facts.input), (ours.facts.output, theirs.facts.output))
    texts_differ = any(a and b and a != b for a, b in texts)
    return Twins(texts_differ, apart_ns, ours.span.span_id, theirs.span.span_id)


def _in_order(n: NormalizedSpan) -> tuple[int, str]:
    return n.span.start_ns, n.span.span_id


def complete(step: NormalizedSpan, others: Sequence[NormalizedSpan]) -> Facts:
    """Return the step's facts, completed from the other reports."""
    facts = step.facts
    for other in others:
        richer = _richer(facts, other.facts, messages_first=step.kind is Kind.MODEL)
        facts = _with_documents(richer, other.facts)
    return facts


def complete_error(reports: Iterable[NormalizedSpan]) -> StepError | None:
    """Return the first error with a message, with missing code, type and traceback from others."""
    errors = [report.error for report in reports if report.error is not None]
    if not errors:
        return None
    best = next((error for error in errors if error.message != error.type), errors[0])
    kind = best.type or next((error.type for error in errors if error.type), "")
    return replace(
        best,
        message=explained(best.message, kind),
        code=next((error.code for error in errors if error.code != NO_CODE), NO_CODE),
        type=kind,
        traceback=next((error.traceback for error in errors if error.traceback), ""),
    )


def _with_documents(facts: Facts, part: Facts) -> Facts:
    """Add the documents of a retriever inside a tool, if the tool's own result is another text."""
    is_part = part.data_kind in ("retrieval", "reranking") and not facts.data_kind
    if not is_part or not part.output or part.output == facts.output:
        return facts
    earlier = facts.metadata.get("documents")
    documents = f"{earlier}\n{part.output}" if earlier else part.output
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
    """Return messages rather than other text; some outer spans have only a repr of the request."""
    if theirs.startswith(CONVERSATION_START) and not ours.startswith(CONVERSATION_START):
        return theirs
    return ours or theirs


def _richer_usage(ours: Usage | None, theirs: Usage | None) -> Usage | None:
    if ours is None or theirs is None:
        return ours or theirs
    return ours.completed_by(theirs)
