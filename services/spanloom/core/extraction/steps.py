"""Steps and the agents that own them.

An agent owns everything below it down to and including the next agent, flat and in order.
What no agent owns is the root's. No step is lost, none stands under two agents.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanloom.core.extraction.agent_texts import tell_texts
from spanloom.core.extraction.completing import complete
from spanloom.core.model.message import as_conversation
from spanloom.core.model.trajectory import Kind, Step, StepType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.extraction.once import Reports
    from spanloom.core.model.normalized import Facts, NormalizedSpan
    from spanloom.core.model.trajectory import StepError
    from spanloom.core.model.tree import SpanTree

_NO_CODE = -1
_STEP_TYPES = {
    Kind.AGENT: StepType.AGENT,
    Kind.MODEL: StepType.MODEL,
    Kind.TOOL: StepType.TOOL,
    Kind.GRAPH: StepType.GRAPH,
    Kind.OTHER: StepType.GRAPH,  # a root that is no step still bears the run's texts and times
}


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The steps of a trace and how they hang together."""

    root: Step
    steps: Mapping[str, Step]
    """Step id to step, the root's own included if it is a step."""
    owned: Mapping[str, Sequence[Step]]
    """Agent step id, or the root's id, to the steps directly under it, in order."""
    facts: Mapping[str, Facts]


def arrange_steps(tree: SpanTree, spans: Sequence[NormalizedSpan], reports: Reports) -> Anatomy:
    """Make a step of every span that is one, and give each its parent and its owner."""
    by_id = {n.span.span_id: n for n in spans}
    anchors = _anchor(tree, by_id, reports)
    facts = {
        i: complete(by_id[i], reports.merged.get(i, ()))
        for i in {*reports.step_of.values(), tree.root.span_id}
    }
    steps = {
        i: _make_step(by_id[i], anchors[i], facts[i], reports)
        for i in dict.fromkeys(
            reports.step_of[n.span.span_id] for n in spans if n.span.span_id in reports.step_of
        )
    }
    root_id = tree.root.span_id
    root = steps.get(root_id) or _make_step(by_id[root_id], "", facts[root_id], reports)
    owned = _own(steps, root_id, anchors)
    owners = [s for s in steps.values() if s.type is StepType.AGENT or s.id == root_id]
    if told := tell_texts(owners if root_id in steps else [root, *owners], owned):
        root = told.get(root_id, root)
        steps = {i: told.get(i, step) for i, step in steps.items()}
        owned = {i: [told.get(s.id, s) for s in mine] for i, mine in owned.items()}
    return Anatomy(root, steps, owned, facts)


def _anchor(
    tree: SpanTree, by_id: Mapping[str, NormalizedSpan], reports: Reports
) -> dict[str, str]:
    """Give each span's parent step: the nearest step above, or the root; empty for the root."""
    above: dict[str, str] = {}
    nearest: dict[str, str] = {}
    for span in tree.top_down:
        span_id, place = span.span_id, tree.place(span)
        above[span_id] = nearest[place.span_id] if place is not None else ""
        nearest[span_id] = reports.step_of.get(span_id) or above[span_id] or span_id
    for span_id, n in by_id.items():
        if n.inside in nearest and reports.step_of.get(span_id) == span_id != tree.root.span_id:
            above[span_id] = nearest[n.inside]
    return above


def _own(
    steps: Mapping[str, Step], root_id: str, anchors: Mapping[str, str]
) -> dict[str, Sequence[Step]]:
    owned: defaultdict[str, list[Step]] = defaultdict(list)
    owner: dict[str, str] = {}
    for step in steps.values():
        if step.id == root_id:
            if step.type in (StepType.MODEL, StepType.TOOL):
                owned[root_id].append(step)
            continue
        owned[_owner(step.id, steps, root_id, anchors, owner)].append(step)
    return {i: sorted(s, key=lambda s: (s.start_ns, s.end_ns, s.id)) for i, s in owned.items()}


def _owner(
    step_id: str,
    steps: Mapping[str, Step],
    root_id: str,
    anchors: Mapping[str, str],
    known: dict[str, str],
) -> str:
    """Walk up to the nearest agent; what is found is remembered for the whole path."""
    path, above = [], anchors[step_id]
    while above and above not in known and above != root_id and steps[above].type != StepType.AGENT:
        path.append(above)
        above = anchors[above]
    found = known.get(above, above or root_id)
    for passed in path:
        known[passed] = found
    return found


def _make_step(n: NormalizedSpan, parent_id: str, facts: Facts, reports: Reports) -> Step:
    span = n.span
    others = reports.merged.get(span.span_id, ())
    is_call = n.kind is Kind.MODEL
    error = _find_error(n, others)
    metadata = _metadata(n, parent_id, facts, others)
    if error is not None:
        metadata["error_told_by"] = error.told_by
    return Step(
        id=span.span_id,
        parent_id=parent_id,
        type=_STEP_TYPES[n.kind],
        name=span.name,
        start_ns=span.start_ns,
        end_ns=_end_ns(n, others) if others else span.end_ns,
        input=as_conversation(facts.input, "user") if is_call else facts.input,
        output=as_conversation(facts.output, "assistant") if is_call else facts.output,
        error=error,
        usage=facts.usage if is_call else None,
        model=facts.model if is_call else "",
        first_token_ms=facts.first_token_ms if is_call else None,
        metadata=metadata,
    )


def _find_error(n: NormalizedSpan, others: Sequence[NormalizedSpan]) -> StepError | None:
    """Give the failure; a report that names the code completes one that does not."""
    if not others:
        return n.error
    told = [report.error for report in (n, *others) if report.error is not None]
    if not told:
        return None
    code = next((error.code for error in told if error.code != _NO_CODE), _NO_CODE)
    return replace(told[0], code=code)


def _end_ns(n: NormalizedSpan, others: Sequence[NormalizedSpan]) -> int:
    """Give the end: an agent's span may end when the run is handed out, and others know better."""
    end_ns = n.span.end_ns
    return max(end_ns, *(o.span.end_ns for o in others)) if n.kind is Kind.AGENT else end_ns


def _metadata(
    n: NormalizedSpan, parent_id: str, facts: Facts, others: Sequence[NormalizedSpan]
) -> dict[str, str]:
    shown = {**facts.metadata, "dialect": n.dialect, "rule": n.rule}
    if facts.agent_name:
        shown["agent_name"] = facts.agent_name
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
