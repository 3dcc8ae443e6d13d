"""Finds the spans of a trace that repeat another span's report, so that each call is one step."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.duplicates.legs import FAR_SIDE, Calls, find_legs, is_far_side
from spanloom.core.duplicates.matching import has_usage, pair_orphans, pair_siblings
from spanloom.core.duplicates.reports import pair_twins
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import with_all_below

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from spanloom.core.conventions.mcp import Leg
    from spanloom.core.model.span import NormalizedSpan
    from spanloom.core.model.tree import SpanTree

_AGENT, _MODEL, _TOOL, _OTHER = Kind.AGENT, Kind.MODEL, Kind.TOOL, Kind.OTHER
"""Cached: before Python 3.12, enum members are looked up in Python code."""


@dataclass(slots=True)
class Reports:
    """The steps of a trace, and the spans that report each of them."""

    spans: Mapping[str, NormalizedSpan]
    """All spans by span id."""
    step_of: dict[str, str] = field(default_factory=dict)
    """Step id by span id, for all spans except noise; its own id if the span is the step."""
    merged: defaultdict[str, list[NormalizedSpan]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """The further spans that report a step, in order, keyed by step id."""
    demoted: dict[str, str] = field(default_factory=dict)
    """Ids of spans that are not steps after all, with the rule that decided."""


def find_reports(tree: SpanTree, spans: Sequence[NormalizedSpan]) -> Reports:
    """Decide for every span whether it is a step, a second report of a step, or noise.

    ``ChatOpenAI`` with the client's ``openai.chat`` inside is one step, made from the outer span.
    """
    reports = Reports({n.span.span_id: n for n in spans})
    outer = _merge_second_reports(spans, reports.spans)
    if legs := find_legs(spans):
        calls = Calls(tree, reports.spans, legs)
        outer = calls.without_own_calls(outer)
        outer |= calls.pair(outer)
    outer |= _merge_nested(tree, reports, outer, legs)
    if _have_several_scopes(_free_steps(spans, reports, outer)):
        outer |= pair_siblings(tree, _free_calls(spans, reports, outer))
        outer |= pair_orphans(tree, _free_calls(spans, reports, outer))
        steps = _free_steps(spans, reports, outer)
        outer |= pair_twins(tree, [n for n in steps if n.span.span_id not in legs])
    _demote_lone_embeddings(spans, reports)
    if legs:
        _demote_far_sides(tree, reports, outer, legs)
    _assign(spans, reports, outer)
    return reports


def _assign(spans: Sequence[NormalizedSpan], reports: Reports, outer: Mapping[str, str]) -> None:
    """Assign each span to its step, except noise."""
    known: dict[str, str] = {}
    for n in spans:
        span_id = n.span.span_id
        step_id = _outermost(span_id, outer, known) if span_id in outer else span_id
        if reports.spans[step_id].kind is _OTHER or step_id in reports.demoted:
            continue
        reports.step_of[span_id] = step_id
        if step_id != span_id:
            reports.merged[step_id].append(n)


def _demote_lone_embeddings(spans: Sequence[NormalizedSpan], reports: Reports) -> None:
    """Demote embeddings if their trace has no other steps, because it then only indexes texts."""
    if all(n.facts.data_kind == "embedding" for n in spans if n.kind is not _OTHER):
        kept = [n.span.span_id for n in spans if n.kind is not _OTHER]
        reports.demoted |= dict.fromkeys(kept, "once.embedding_alone")


def _demote_far_sides(
    tree: SpanTree, reports: Reports, outer: Mapping[str, str], legs: Mapping[str, Leg]
) -> None:
    """Demote far sides of MCP calls if the trace has no other steps, except steps below them."""
    far = {i for i, leg in legs.items() if i not in outer and is_far_side(tree, i, leg)}
    if not far:
        return
    steps = {i for i, n in reports.spans.items() if n.kind is not _OTHER}
    if steps - reports.demoted.keys() <= with_all_below(tree, far):
        reports.demoted |= dict.fromkeys(far, FAR_SIDE)


def _merge_second_reports(
    spans: Sequence[NormalizedSpan], by_id: Mapping[str, NormalizedSpan]
) -> dict[str, str]:
    return {
        n.span.span_id: n.part_of
        for n in spans
        if n.part_of and n.part_of in by_id and by_id[n.part_of].kind is not _OTHER
    }


def _outermost(span_id: str, outer: Mapping[str, str], known: dict[str, str]) -> str:
    """Return the outermost report of a span; cache it in ``known`` for the whole path."""
    path: dict[str, None] = {}
    while span_id not in known and span_id not in path:
        path[span_id] = None
        span_id = outer.get(span_id, span_id)
    outermost = known.get(span_id, span_id)
    known.update(dict.fromkeys(path, outermost))
    return outermost


def _merge_nested(
    tree: SpanTree, reports: Reports, outer: Mapping[str, str], legs: Collection[str]
) -> dict[str, str]:
    """Map the id of each span that repeats the nearest step above it to that step's id.

    Both have the same kind, and only noise between them. ``legs`` (spans of MCP calls), which are
    paired already, are skipped.
    """
    calls: dict[str, str] = {}
    merged: dict[str, str] = {}
    idle: dict[str, bool] = {}

    def is_idle(agent_id: str) -> bool:
        if agent_id not in idle:
            idle[agent_id] = _does_nothing_itself(tree, reports.spans, agent_id)
        return idle[agent_id]

    tools: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for n, above in _nearest_above(tree, reports.spans, outer):
        if n.kind is _MODEL:
            if not _comes_after(n, above):
                calls[n.span.span_id] = above.span.span_id
        elif n.span.span_id in legs:
            continue
        elif _is_same_tool(n, above):
            tools[above.span.span_id, n.span.scope_name].append(n.span.span_id)
        elif _is_part_of_tool(n) or _is_same_agent(n, above, is_idle):
            merged[n.span.span_id] = above.span.span_id
    # No instrumentation reports a run twice, so several runs inside a tool of the same name are
    # runs of their own.
    merged |= {ids[0]: outer_id for (outer_id, _), ids in tools.items() if len(ids) == 1}
    return merged | _merge_calls(calls, reports) if calls else merged


def _merge_calls(calls: dict[str, str], reports: Reports) -> dict[str, str]:
    """Map each model call to the call above that it repeats; demote wrappers of several calls.

    A wrapper encloses several calls and reports no tokens. Calls in it are not merged into it.
    """
    within: Counter[str] = Counter()

    def is_wrapper(call: str) -> bool:
        return within[call] > 1 and not has_usage(reports.spans[call])

    for call, above in reversed(calls.items()):  # innermost calls first
        within[above] += within[call] if is_wrapper(call) else 1
    wrappers = set(filter(is_wrapper, within))
    reports.demoted |= dict.fromkeys(wrappers, "once.wraps_several_calls")
    merged: dict[str, str] = {}
    for call, above in calls.items():
        merged[call] = merged.get(above, "") if above in wrappers else above
    return {call: above for call, above in merged.items() if above and call not in wrappers}


def _nearest_above(
    tree: SpanTree, by_id: Mapping[str, NormalizedSpan], outer: Mapping[str, str]
) -> Sequence[tuple[NormalizedSpan, NormalizedSpan]]:
    """Return pairs of each step and the nearest step above it, if both have the same kind.

    The span's parent is above it, unless the dialect set another parent (``inside``).
    """
    nearest: dict[str, NormalizedSpan | None] = {}
    pairs = []
    for span in tree.top_down:
        span_id = span.span_id
        n = by_id[span_id]
        above = nearest.get(span.parent_span_id)  # missing only where a cycle was cut
        if span_id in outer:
            nearest[span_id] = by_id[outer[span_id]]
        elif n.kind is _OTHER:
            nearest[span_id] = above
        else:
            nearest[span_id] = n
            if n.inside is not None:
                above = nearest.get(n.inside)
            if above is not None and above.kind is n.kind:
                pairs.append((n, above))
    return pairs


def _free_calls(
    spans: Sequence[NormalizedSpan], reports: Reports, outer: Mapping[str, str]
) -> Sequence[NormalizedSpan]:
    """Return the model calls that are not merged into another step yet."""
    return [n for n in _free_steps(spans, reports, outer) if n.kind is _MODEL]


def _free_steps(
    spans: Sequence[NormalizedSpan], reports: Reports, outer: Mapping[str, str]
) -> Sequence[NormalizedSpan]:
    """Return the steps that are not merged into another step yet."""
    taken = reports.demoted.keys() | outer.keys()
    return [n for n in spans if n.kind is not _OTHER and n.span.span_id not in taken]


def _have_several_scopes(steps: Sequence[NormalizedSpan]) -> bool:
    """Return whether the steps have several scopes; one scope never reports a step twice."""
    return len({n.span.scope_name for n in steps}) > 1


def _comes_after(n: NormalizedSpan, above: NormalizedSpan) -> bool:
    """Return whether the span began after its parent of the same scope had ended.

    MLflow leaves a failed call as the current span: the next call, of another model, is its child.
    """
    is_same_scope = n.span.scope_name == above.span.scope_name
    return is_same_scope and n.span.start_ns >= above.span.end_ns


def _is_same_agent(
    n: NormalizedSpan, above: NormalizedSpan, is_idle: Callable[[str], bool]
) -> bool:
    """Return whether two nested agent spans report the same run.

    Either the author's span encloses the framework's span, or a proxy's span encloses the agent's
    own span in another service.
    """
    if n.kind is not _AGENT or not n.facts.agent_name == above.facts.agent_name != "":
        return False
    if _convention(n) != _convention(above):
        return True
    return n.span.service_name != above.span.service_name and is_idle(above.span.span_id)


def _does_nothing_itself(
    tree: SpanTree, by_id: Mapping[str, NormalizedSpan], agent_id: str
) -> bool:
    """Return whether an agent runs no model and no tool in its own service."""
    agent = by_id[agent_id].span
    below = list(tree.children(agent))
    for span in below:
        if span.service_name == agent.service_name:
            if by_id[span.span_id].kind in (_MODEL, _TOOL):
                return False
            below.extend(tree.children(span))
    return True


def _convention(n: NormalizedSpan) -> str:
    """Return the first component of the rule's name, which is the convention."""
    return n.rule.partition(".")[0]


def _is_part_of_tool(n: NormalizedSpan) -> bool:
    """Return whether a tool is a retrieval, embedding or the like, which an outer tool includes."""
    return n.kind is _TOOL and bool(n.facts.data_kind)


def _is_same_tool(n: NormalizedSpan, above: NormalizedSpan) -> bool:
    """Return whether two nested spans of different conventions report one tool, by its name."""
    is_named_so = n.facts.tool_name == above.facts.tool_name and n.dialect != above.dialect
    return n.kind is _TOOL and is_named_so and not n.facts.data_kind
