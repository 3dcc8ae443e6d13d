"""One call, one step: finds the spans that report again what another span reports.

Three shapes, each seen in real traces: a model span inside a model span (a client instrumented
under a framework), a model span beside one (the client's parent got lost), and the second
report of a run that a dialect has marked. Data access inside a tool (a retriever that a tool
wraps) is part of the tool. The outer span keeps its identity; what the others know more
completes it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanloom.core.model.message import CONVERSATION_START
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.normalized import Facts, NormalizedSpan
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Usage
    from spanloom.core.model.tree import SpanTree

MAX_OPEN = 64
"""Calls that run at one time and are compared with one that begins, the last started ones."""


@dataclass(slots=True)
class Reports:
    """Which span stands for which step."""

    step_of: dict[str, str] = field(default_factory=dict)
    """Span id of each span that counts to the span id of its step (its own, if it is the step)."""
    merged: defaultdict[str, list[NormalizedSpan]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Step id to the other spans that report it, in order."""
    demoted: dict[str, str] = field(default_factory=dict)
    """Span ids that turned out to be wrappers, with the rule that says so."""


def find_reports(tree: SpanTree, spans: Sequence[NormalizedSpan]) -> Reports:
    """Decide for every span whether it is a step, a second report of one, or noise."""
    by_id = {n.span.span_id: n for n in spans}
    reports = Reports()
    outer = _merge_second_reports(spans, by_id)
    outer |= _merge_nested(tree, by_id, reports, outer)
    outer |= _merge_siblings(tree, by_id, reports, outer)
    outer |= _merge_orphans(tree, spans, reports, outer)
    _demote_lone_embeddings(spans, reports)
    known: dict[str, str] = {}
    for n in spans:
        span_id = n.span.span_id
        step_id = _outermost(span_id, outer, known)
        if by_id[step_id].kind is Kind.OTHER or step_id in reports.demoted:
            continue
        reports.step_of[span_id] = step_id
        if step_id != span_id:
            reports.merged[step_id].append(n)
    return reports


def complete(step: NormalizedSpan, others: Sequence[NormalizedSpan]) -> Facts:
    """Give the step's facts with what is missing filled in from the other reports."""
    facts = step.facts
    for other in others:
        richer = _richer(facts, other.facts, messages_first=step.kind is Kind.MODEL)
        facts = _with_documents(richer, other.facts)
    return facts


def _with_documents(facts: Facts, part: Facts) -> Facts:
    """Keep what a retriever inside a tool found, where the tool's own result is another text."""
    is_part = part.data_kind in ("retrieval", "reranking") and not facts.data_kind
    if not is_part or not part.output or part.output == facts.output:
        return facts
    found = facts.metadata.get("documents")
    documents = f"{found}\n{part.output}" if found else part.output
    return replace(facts, metadata={**facts.metadata, "documents": documents})


def _demote_lone_embeddings(spans: Sequence[NormalizedSpan], reports: Reports) -> None:
    """Embeddings with nothing else in their trace are indexing, and no step of any agent."""
    kept = [n for n in spans if n.kind is not Kind.OTHER]
    if all(n.facts.data_kind == "embedding" for n in kept):
        reports.demoted |= {n.span.span_id: "once.embedding_alone" for n in kept}


def _merge_second_reports(
    spans: Sequence[NormalizedSpan], by_id: Mapping[str, NormalizedSpan]
) -> dict[str, str]:
    return {
        n.span.span_id: n.part_of
        for n in spans
        if n.part_of and n.part_of in by_id and by_id[n.part_of].kind is not Kind.OTHER
    }


def _outermost(span_id: str, outer: Mapping[str, str], known: dict[str, str]) -> str:
    """Walk up to the outermost report; what is found is remembered for the whole path."""
    path: dict[str, None] = {}
    while span_id not in known and span_id not in path:
        path[span_id] = None
        span_id = outer.get(span_id, span_id)
    found = known.get(span_id, span_id)
    known.update(dict.fromkeys(path, found))
    return found


def _merge_nested(
    tree: SpanTree,
    by_id: Mapping[str, NormalizedSpan],
    reports: Reports,
    outer: Mapping[str, str],
) -> dict[str, str]:
    """Merge calls into the call they stand in, with nothing but noise between."""
    calls: dict[str, str] = {}
    found: dict[str, str] = {}
    for n, above in _nearest_above(tree, by_id, outer):
        if n.kind is Kind.MODEL and above.kind is Kind.MODEL:
            calls[n.span.span_id] = above.span.span_id
        elif _is_part_of_tool(n, above):
            found[n.span.span_id] = above.span.span_id
    return found | _merge_calls(calls, by_id, reports)


def _merge_calls(
    calls: dict[str, str], by_id: Mapping[str, NormalizedSpan], reports: Reports
) -> dict[str, str]:
    """Merge each call into the one above it, unless that only wraps several calls."""
    within: Counter[str] = Counter()

    def is_wrapper(call: str) -> bool:
        return within[call] > 1 and not _has_usage(by_id[call])

    for call, above in reversed(calls.items()):  # from the innermost outwards
        within[above] += within[call] if is_wrapper(call) else 1
    wrappers = set(filter(is_wrapper, within))
    reports.demoted |= dict.fromkeys(wrappers, "once.wraps_several_calls")
    found: dict[str, str] = {}
    for call, above in calls.items():
        found[call] = found.get(above, "") if above in wrappers else above
    return {call: above for call, above in found.items() if above and call not in wrappers}


def _nearest_above(
    tree: SpanTree, by_id: Mapping[str, NormalizedSpan], outer: Mapping[str, str]
) -> Sequence[tuple[NormalizedSpan, NormalizedSpan]]:
    """Pair each step with the nearest step above it, by reported parents only."""
    nearest: dict[str, NormalizedSpan | None] = {}
    pairs = []
    for span in tree.top_down:
        n, parent = by_id[span.span_id], tree.parent(span)
        above = None if parent is None else nearest[parent.span_id]
        if n.kind is Kind.OTHER or span.span_id in outer:
            nearest[span.span_id] = by_id[outer[span.span_id]] if span.span_id in outer else above
        else:
            nearest[span.span_id] = n
            if above is not None:
                pairs.append((n, above))
    return pairs


def _is_part_of_tool(n: NormalizedSpan, above: NormalizedSpan) -> bool:
    if n.kind is not Kind.TOOL or above.kind is not Kind.TOOL:
        return False
    same_tool = n.facts.tool_name == above.facts.tool_name and n.dialect != above.dialect
    return bool(n.facts.data_kind) or same_tool


def _merge_siblings(
    tree: SpanTree,
    by_id: Mapping[str, NormalizedSpan],
    reports: Reports,
    outer: Mapping[str, str],
) -> dict[str, str]:
    """Merge a client's span into the framework's call that encloses it in time."""
    found: dict[str, str] = {}
    families: defaultdict[str, list[NormalizedSpan]] = defaultdict(list)
    for n in by_id.values():
        free = n.span.span_id not in outer and n.span.span_id not in reports.demoted
        if n.kind is Kind.MODEL and free and tree.parent(n.span) is not None:
            families[n.span.parent_span_id].append(n)
    for calls in families.values():
        if len({n.span.scope_name for n in calls}) > 1:
            found |= _pair_by_time(calls)
    return found


def _pair_by_time(calls: Sequence[NormalizedSpan]) -> dict[str, str]:
    """Pair calls in start order: each with the last open one of another instrumentation."""
    found: dict[str, str] = {}
    open_calls: list[NormalizedSpan] = []
    for n in calls:
        open_calls = [c for c in open_calls[-MAX_OPEN:] if c.span.end_ns >= n.span.start_ns]
        match = next((c for c in reversed(open_calls) if _reports_same_call(c, n)), None)
        if match is None:
            open_calls.append(n)
        else:
            open_calls.remove(match)
            found[n.span.span_id] = match.span.span_id
    return found


def _merge_orphans(
    tree: SpanTree,
    spans: Sequence[NormalizedSpan],
    reports: Reports,
    outer: Mapping[str, str],
) -> dict[str, str]:
    """Merge a client's span whose parent was lost into the call that ran around it.

    Nothing but time links the two, so they must also have counted the same, or name one response.
    """
    found: dict[str, str] = {}
    open_calls: list[NormalizedSpan] = []
    for n in spans:
        span_id = n.span.span_id
        if n.kind is not Kind.MODEL or span_id in outer or span_id in reports.demoted:
            continue
        open_calls = [c for c in open_calls[-MAX_OPEN:] if c.span.end_ns >= n.span.start_ns]
        is_orphan = bool(n.span.parent_span_id) and tree.parent(n.span) is None
        match = next((c for c in reversed(open_calls) if _is_surely_same(c, n)), None)
        if match is None or not is_orphan:
            open_calls.append(n)
        else:
            open_calls.remove(match)
            found[span_id] = match.span.span_id
    return found


def _is_surely_same(outer: NormalizedSpan, inner: NormalizedSpan) -> bool:
    known = _has_usage(outer) and _has_usage(inner)
    named = outer.facts.response_id and inner.facts.response_id
    return bool(known or named) and _reports_same_call(outer, inner)


def _reports_same_call(outer: NormalizedSpan, inner: NormalizedSpan) -> bool:
    if outer.span.scope_name == inner.span.scope_name or not _encloses(outer.span, inner.span):
        return False
    ours, theirs = outer.facts, inner.facts
    if ours.response_id and theirs.response_id:
        return ours.response_id == theirs.response_id
    if _has_usage(outer) and _has_usage(inner):
        return _count_the_same(ours.usage, theirs.usage)
    return bool(outer.error) == bool(inner.error)


def _encloses(outer: Span, inner: Span) -> bool:
    return outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns


def _has_usage(n: NormalizedSpan) -> bool:
    return any(_counts(n.facts.usage))


def _counts(usage: Usage | None) -> tuple[int, int]:
    return (usage.input_tokens, usage.output_tokens) if usage else (0, 0)


def _count_the_same(ours: Usage | None, theirs: Usage | None) -> bool:
    """Whether the counts are one call's; some clients leave cached tokens out of the input."""
    if ours is None or theirs is None:
        return False
    same_input = not _input_readings(ours).isdisjoint(_input_readings(theirs))
    return same_input and ours.output_tokens == theirs.output_tokens


def _input_readings(usage: Usage) -> set[int]:
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    return {usage.input_tokens - cached, usage.input_tokens, usage.input_tokens + cached}


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
