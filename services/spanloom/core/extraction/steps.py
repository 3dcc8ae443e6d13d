"""Makes the steps of a trace and assigns them to the agents that own them.

An agent owns all steps below it, down to and including the next agent, as a flat list in order. The
root owns the steps without an agent above them. Each step has exactly one owner.
"""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.names import author_name, function_name, name_of, without_ids
from spanloom.core.duplicates.reports import complete, complete_error
from spanloom.core.extraction.anchors import anchor_spans
from spanloom.core.extraction.metrics import price_call
from spanloom.core.extraction.pauses import show_pauses
from spanloom.core.extraction.texts import adds_to_error, complete_arguments, complete_texts
from spanloom.core.model.message import as_conversation, make_message
from spanloom.core.model.span import GUARDRAIL
from spanloom.core.model.step import Step, StepType
from spanloom.core.model.trajectory import Kind, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.duplicates.spans import Reports
    from spanloom.core.model.span import Facts, NormalizedSpan
    from spanloom.core.model.step import StepError
    from spanloom.core.model.trajectory import Pause
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.pricing import PriceBook

_STEP_TYPES = {
    Kind.AGENT: StepType.AGENT,
    Kind.MODEL: StepType.MODEL,
    Kind.TOOL: StepType.TOOL,
    Kind.GRAPH: StepType.GRAPH,
    Kind.OTHER: StepType.GRAPH,  # a root that is no step still has the run's texts and times
}
_AGENT = StepType.AGENT  # cached: slow enum lookup before Python 3.12
_MODEL, _TOOL, _AGENT_KIND = Kind.MODEL, Kind.TOOL, Kind.AGENT
_NO_DIALECT = "fallback"
_CALLS = (StepType.MODEL, StepType.TOOL)
_IN_ORDER = attrgetter("start_ns", "end_ns", "id")
_EMPTY_ANSWER = make_message("", "assistant")
"""The answer that LangChain reports on a call whose request was rejected."""


class ArrangedSteps(NamedTuple):
    """The steps of a trace and their owners."""

    root: Step
    steps: Mapping[str, Step]
    """The steps by id, including the root if it is a step."""
    owned: Mapping[str, Sequence[Step]]
    """The steps that each agent or the root owns, in order, keyed by the owner's step id."""
    facts: Mapping[str, Facts]


def arrange_steps(
    tree: SpanTree, reports: Reports, prices: PriceBook, pauses: Iterable[Pause] = ()
) -> ArrangedSteps:
    """Return a step for each span that is a step, with its parent and owner."""
    root_id = tree.root.span_id
    anchors = anchor_spans(tree, reports)
    facts = {i: reports.spans[i].facts for i in (*reports.step_of.values(), root_id)}
    for step_id, others in reports.merged.items():
        facts[step_id] = complete(reports.spans[step_id], others)
    steps = {i: _make_step(i, anchors[i], f, reports, prices) for i, f in facts.items()}
    for step_id in tree.open & steps.keys():
        steps[step_id] = _unfinished(steps[step_id])
    steps.update((step.id, step) for step in complete_arguments([*steps.values()]))
    show_pauses(steps, anchors, pauses)
    root = steps[root_id] if reports.step_of.get(root_id) == root_id else steps.pop(root_id)
    owned = _own(steps, root_id, anchors)
    owners = [s for s in steps.values() if s.type is _AGENT and s.id != root_id]
    if completed := complete_texts([root, *owners], owned):
        root = completed.get(root_id, root)
        steps.update((i, step) for i, step in completed.items() if i in steps)
        if len(completed) > 1 or root_id not in completed:  # the root itself has no owner
            owned = {i: [completed.get(s.id, s) for s in mine] for i, mine in owned.items()}
    return ArrangedSteps(root, steps, owned, facts)


def _unfinished(step: Step) -> Step:
    """Return a step that has no end, with the outcome unfinished unless another one is set."""
    return step._replace(metadata={"outcome": str(Outcome.UNFINISHED), **step.metadata})


def _own(
    steps: Mapping[str, Step], root_id: str, anchors: Mapping[str, str]
) -> dict[str, Sequence[Step]]:
    owned: defaultdict[str, list[Step]] = defaultdict(list)
    owner: dict[str, str] = {}
    for step in steps.values():
        if step.id == root_id:
            if step.type in _CALLS:
                owned[root_id].append(step)
            continue
        above = anchors[step.id]
        if above != root_id and steps[above].type is not _AGENT:
            above = _owner(step.id, steps, root_id, anchors, owner)
        owned[above].append(step)
    return {i: sorted(mine, key=_IN_ORDER) for i, mine in owned.items()}


def _owner(
    step_id: str,
    steps: Mapping[str, Step],
    root_id: str,
    anchors: Mapping[str, str],
    known: dict[str, str],
) -> str:
    """Return the nearest agent above, or else the root; ``known`` caches owners by step id."""
    path, above = [], anchors[step_id]
    while above and above not in known and above != root_id and steps[above].type is not _AGENT:
        path.append(above)
        above = anchors[above]
    owner = known.get(above, above or root_id)
    for passed in path:
        known[passed] = owner
    return owner


def _make_step(
    step_id: str, parent_id: str, facts: Facts, reports: Reports, prices: PriceBook
) -> Step:
    n, others = reports.spans[step_id], reports.merged.get(step_id, ())
    span, is_call = n.span, n.kind is _MODEL
    name = _own_name(n, facts) or name_of(span)
    error = complete_error((n, *others)) if others else n.error
    metadata = _metadata(n, parent_id, facts, others)
    if name != span.name:
        metadata["span_name"] = span.name
    is_cancelled = n.is_cancelled or any(other.is_cancelled for other in others)
    if is_cancelled:
        metadata["outcome"] = str(Outcome.CANCELLED)
    if error is not None:
        metadata["error_told_by"] = error.reported_by
        if error.type:
            metadata["error_type"] = error.type
    if is_call:
        metadata.update(price_call(facts, span.start_ns, prices))
    has_no_output = is_cancelled and not is_call
    if error is not None and not has_no_output:
        has_no_output = _failed_without_output(n, facts.output, error)
    output = "" if has_no_output else facts.output
    return Step(  # positional, because keyword arguments take twice the time
        step_id,
        parent_id,
        _STEP_TYPES[n.kind],
        name,
        span.start_ns,
        _end_ns(n, others) if others else span.end_ns,
        as_conversation(facts.input, "user") if is_call else facts.input,
        as_conversation(output, "assistant") if is_call else output,
        error,
        facts.usage if is_call else None,
        facts.model if is_call else "",
        facts.first_token_ms if is_call else None,
        metadata,
    )


def _failed_without_output(n: NormalizedSpan, output: str, error: StepError) -> bool:
    """Return whether a failed step's output contains only its error."""
    return output == _EMPTY_ANSWER or (n.kind is _TOOL and not adds_to_error(output, error))


def _own_name(n: NormalizedSpan, facts: Facts) -> str:
    """Return the name of a tool or agent: ``weather`` for the span ``execute_tool weather``.

    For a graph, or a root that is no step, return the name that the author gave it.
    """
    if n.kind is _TOOL:
        return facts.tool_name
    if n.kind is _AGENT_KIND:
        return without_ids(facts.agent_name or function_name(n.span))
    if n.kind is _MODEL or n.dialect == _NO_DIALECT:
        return ""
    return facts.tool_name if facts.data_kind == GUARDRAIL else author_name(n.span)


def _end_ns(n: NormalizedSpan, others: Sequence[NormalizedSpan]) -> int:
    """Return a step's end in ns; for an agent the latest end that any of its reports has."""
    end_ns = n.span.end_ns
    return max(end_ns, *(o.span.end_ns for o in others)) if n.kind is Kind.AGENT else end_ns


def _metadata(
    n: NormalizedSpan, parent_id: str, facts: Facts, others: Sequence[NormalizedSpan]
) -> dict[str, str]:
    shown = {**facts.metadata, "dialect": n.dialect, "rule": n.rule}
    if facts.agent_name:
        shown["agent_name"] = without_ids(facts.agent_name)
    if facts.tool_name:
        shown["tool_name"] = facts.tool_name
    if facts.data_kind:
        shown["tool_kind"] = facts.data_kind
    if facts.conversation_id:
        shown["conversation_id"] = facts.conversation_id
    if n.span.parent_span_id != parent_id:
        shown["parent_span_id"] = n.span.parent_span_id
    if others:
        shown["merged_span_ids"] = ",".join(other.span.span_id for other in others)
    return shown
