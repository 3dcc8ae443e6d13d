"""One call, one step: finds the spans that report again what another span reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.duplicates.matching import has_usage, pair_orphans, pair_siblings
from spanloom.core.duplicates.reports import pair_twins
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.normalized import NormalizedSpan
    from spanloom.core.model.tree import SpanTree


_AGENT, _MODEL, _TOOL, _OTHER = Kind.AGENT, Kind.MODEL, Kind.TOOL, Kind.OTHER
"""Kept here because until Python 3.12 an enum looks its members up in Python code."""


@dataclass(slots=True)
class Reports:
    """Which span stands for which step."""

    spans: Mapping[str, NormalizedSpan]
    """Span id to the span, of all spans."""
    step_of: dict[str, str] = field(default_factory=dict)
    """Span id of each span that counts to the span id of its step (its own, if it is the step)."""
    merged: defaultdict[str, list[NormalizedSpan]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Step id to the other spans that report it, in order."""
    demoted: dict[str, str] = field(default_factory=dict)
    """Span ids that turned out to be wrappers, with the rule that says so."""


def find_reports(tree: SpanTree, spans: Sequence[NormalizedSpan]) -> Reports:
    """Decide for every span whether it is a step, a second report of one, or noise.

    ``ChatOpenAI`` with the client's ``openai.chat`` inside is one step: the outer span's.
    """
    reports = Reports({n.span.span_id: n for n in spans})
    outer = _merge_second_reports(spans, reports.spans)
    outer |= _merge_nested(tree, reports, outer)
    if _have_several_scopes(_free_steps(spans, reports, outer)):
        outer |= pair_siblings(tree, _free_calls(spans, reports, outer))
        outer |= pair_orphans(tree, _free_calls(spans, reports, outer))
        outer |= pair_twins(tree, _free_steps(spans, reports, outer))
    _demote_lone_embeddings(spans, reports)
    _assign(spans, reports, outer)
    return reports


def _assign(spans: Sequence[NormalizedSpan], reports: Reports, outer: Mapping[str, str]) -> None:
    """Assign every span its step, unless it is noise."""
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
    """Embeddings with nothing else in their trace are indexing, and no step of any agent."""
    if all(n.facts.data_kind == "embedding" for n in spans if n.kind is not _OTHER):
        kept = [n.span.span_id for n in spans if n.kind is not _OTHER]
        reports.demoted |= dict.fromkeys(kept, "once.embedding_alone")


def _merge_second_reports(
    spans: Sequence[NormalizedSpan], by_id: Mapping[str, NormalizedSpan]
) -> dict[str, str]:
    return {
        n.span.span_id: n.part_of
        for n in spans
        if n.part_of and n.part_of in by_id and by_id[n.part_of].kind is not _OTHER
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


def _merge_nested(tree: SpanTree, reports: Reports, outer: Mapping[str, str]) -> dict[str, str]:
    """Merge calls into the call they stand in, with nothing but noise between."""
    calls: dict[str, str] = {}
    found: dict[str, str] = {}
    for n, above in _nearest_above(tree, reports.spans, outer):
        if n.kind is _MODEL:
            if not _comes_after(n, above):
                calls[n.span.span_id] = above.span.span_id
        elif _is_part_of_tool(n, above) or _is_same_agent(n, above):
            found[n.span.span_id] = above.span.span_id
    return found | _merge_calls(calls, reports) if calls else found


def _merge_calls(calls: dict[str, str], reports: Reports) -> dict[str, str]:
    """Merge each call into the one above it, unless that only wraps several calls."""
    within: Counter[str] = Counter()

    def is_wrapper(call: str) -> bool:
        return within[call] > 1 and not has_usage(reports.spans[call])

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
    """Pair each step with the nearest one above it, if both are of one kind.

    What is above goes by reported parents unless told otherwise.
    """
    nearest: dict[str, NormalizedSpan | None] = {}
    pairs = []
    for span in tree.top_down:
        span_id = span.span_id
        n = by_id[span_id]
        above = nearest.get(span.parent_span_id)  # known by now, unless a cycle was cut here
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
    """Return the calls that are no part of another yet."""
    return [n for n in _free_steps(spans, reports, outer) if n.kind is _MODEL]


def _free_steps(
    spans: Sequence[NormalizedSpan], reports: Reports, outer: Mapping[str, str]
) -> Sequence[NormalizedSpan]:
    """Return the steps that are no part of another yet."""
    taken = reports.demoted.keys() | outer.keys()
    return [n for n in spans if n.kind is not _OTHER and n.span.span_id not in taken]


def _have_several_scopes(steps: Sequence[NormalizedSpan]) -> bool:
    """Return whether steps beside each other may be one: no scope reports a step twice."""
    return len({n.span.scope_name for n in steps}) > 1


def _comes_after(n: NormalizedSpan, above: NormalizedSpan) -> bool:
    """Return whether it began after the one that it stands in had ended, for the same teller.

    MLflow leaves a call that failed its current span: the next one, of another model, is in it.
    """
    is_same_teller = n.span.scope_name == above.span.scope_name
    return is_same_teller and n.span.start_ns >= above.span.end_ns


def _is_same_agent(n: NormalizedSpan, above: NormalizedSpan) -> bool:
    """Return whether an author's mark and a framework's, one in the other, tell the same run."""
    has_same_name = n.facts.agent_name == above.facts.agent_name != ""
    return n.kind is _AGENT and has_same_name and _convention(n) != _convention(above)


def _convention(n: NormalizedSpan) -> str:
    """Return whose rule decided: the first word of its name."""
    return n.rule.partition(".")[0]


def _is_part_of_tool(n: NormalizedSpan, above: NormalizedSpan) -> bool:
    if n.kind is not _TOOL:
        return False
    same_tool = n.facts.tool_name == above.facts.tool_name and n.dialect != above.dialect
    return bool(n.facts.data_kind) or same_tool
