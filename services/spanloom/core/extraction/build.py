"""Build the trajectory: the same spans, in whatever order, give the same result."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.core.extraction.metrics import measure, union_ns
from spanloom.core.extraction.once import Reports, find_reports
from spanloom.core.extraction.steps import Anatomy, arrange_steps
from spanloom.core.model.trajectory import (
    AgentStep,
    Kind,
    SpanVerdict,
    Step,
    StepType,
    Trajectory,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.normalized import NormalizedSpan
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tree import SpanTree

CLOCK_GRAIN_NS = 2_000_000
"""Some SDKs keep time in whole milliseconds: less than two tell nothing of a clock."""
MAX_LINKED_TRACES = 100


def build_trajectory(
    key: TraceKey, tree: SpanTree, spans: Sequence[NormalizedSpan], extractor_version: str
) -> Trajectory:
    """Give the trajectory of a trace; ``spans`` are the tree's, in its order."""
    reports = find_reports(tree, spans)
    anatomy = arrange_steps(tree, spans, reports)
    verdicts = [_judge(n, reports) for n in spans]
    steps = list(anatomy.steps.values())
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=anatomy.root,
        root_type=_kind(anatomy.root.id, anatomy),
        root_metrics=measure(steps),
        agent_steps=_agents(anatomy),
        verdicts=verdicts,
        span_count=len(verdicts),
        step_counts=_count(steps, len(verdicts)),
        dialects=sorted({n.dialect for n in spans}),
        warnings=[*tree.warnings, *_clock_warnings(tree)],
        extras=_extras(anatomy, steps) | _links(tree, key.trace_id),
        extractor_version=extractor_version,
        has_root=tree.has_root,
    )


def _agents(anatomy: Anatomy) -> Sequence[AgentStep]:
    """Give every agent and, where it owns steps, the root, by (start, span id)."""
    owners = [s for s in anatomy.steps.values() if s.type is StepType.AGENT]
    root = anatomy.root
    if root.id in anatomy.owned and root.id not in {s.id for s in owners}:
        owners.append(root)
    return [
        AgentStep(step, owned := anatomy.owned.get(step.id, ()), measure(owned))
        for step in sorted(owners, key=lambda s: (s.start_ns, s.id))
    ]


def _judge(n: NormalizedSpan, reports: Reports) -> SpanVerdict:
    span = n.span
    demoted = reports.demoted.get(span.span_id)
    return SpanVerdict(
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        name=span.name,
        kind=n.kind if demoted is None else Kind.OTHER,
        step_id=reports.step_of.get(span.span_id),
        dialect=n.dialect,
        rule=demoted or n.rule,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
    )


def _kind(step_id: str, anatomy: Anatomy) -> Kind:
    step = anatomy.steps.get(step_id)
    return Kind.OTHER if step is None else Kind(step.type)


def _count(steps: Sequence[Step], span_count: int) -> dict[str, int]:
    found = Counter(str(s.type) for s in steps)
    counts = {str(t): found[str(t)] for t in StepType}
    return {**counts, "other": span_count - len(steps)}


def _clock_warnings(tree: SpanTree) -> Sequence[str]:
    """Say where clocks disagree; times are shown as they were sent."""
    backwards = sum(s.end_ns < s.start_ns for s in tree.spans)
    skewed = sum(
        (parent := tree.parent(s)) is not None and s.start_ns < parent.start_ns - CLOCK_GRAIN_NS
        for s in tree.spans
    )
    found = {
        f"{backwards} spans end before they start: their duration counts as zero": backwards,
        f"{skewed} spans start before their parent: the clocks of two machines may differ": skewed,
    }
    return [text for text, count in found.items() if count]


def _links(tree: SpanTree, own: str) -> dict[str, object]:
    """Name the traces that spans of this one point to, as message passing leaves them."""
    linked = {link.trace_id for span in tree.spans if span.links for link in span.links}
    others = sorted(linked - {own, ""})[:MAX_LINKED_TRACES]
    return {"linked_traces": others} if others else {}


def _extras(anatomy: Anatomy, steps: Sequence[Step]) -> dict[str, object]:
    """Give what the seed schema has no place for: wall-clock times, first token, models, totals."""
    models = [s for s in steps if s.type is StepType.MODEL]
    tools = [s for s in steps if s.type is StepType.TOOL]
    usages = [s.usage for s in models if s.usage]
    first_tokens = [
        (s.start_ns - anatomy.root.start_ns) / 1e6 + s.first_token_ms
        for s in models
        if s.first_token_ms is not None
    ]
    shown: dict[str, object] = {
        "llm_wall_ms": union_ns(models) // 1_000_000,
        "tool_wall_ms": union_ns(tools) // 1_000_000,
        "time_to_first_token_ms": round(min(first_tokens), 3) if first_tokens else None,
        "models": sorted({s.model for s in models} - {""}),
        "agents": sorted(
            {s.metadata.get("agent_name", s.name) for s in steps if s.type is StepType.AGENT}
        ),
        "conversation_id": _conversation(anatomy),
        "reasoning_tokens": sum(u.reasoning_tokens for u in usages),
        "cache_read_tokens": sum(u.cache_read_tokens for u in usages),
        "cache_creation_tokens": sum(u.cache_creation_tokens for u in usages),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _conversation(anatomy: Anatomy) -> str | None:
    """Give the conversation that the root names, else the only one that any step names."""
    if own := anatomy.facts[anatomy.root.id].conversation_id:
        return own
    named = {facts.conversation_id for facts in anatomy.facts.values()} - {""}
    return named.pop() if len(named) == 1 else None


def describe_failure(
    key: TraceKey, tree: SpanTree, error: Exception, extractor_version: str
) -> Trajectory:
    """Give what can be said of a trace that could not be built: spans, root and error."""
    span = tree.root
    root = Step(span.span_id, "", StepType.GRAPH, span.name, span.start_ns, span.end_ns)
    verdicts = [
        SpanVerdict(
            s.span_id,
            s.parent_span_id,
            s.name,
            Kind.OTHER,
            None,
            "none",
            "extraction.failed",
            s.start_ns,
            s.end_ns,
        )
        for s in tree.spans
    ]
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=root,
        root_type=Kind.OTHER,
        root_metrics=measure([]),
        agent_steps=[],
        verdicts=verdicts,
        span_count=len(verdicts),
        step_counts=_count([], len(verdicts)),
        dialects=[],
        warnings=[f"extraction failed: {type(error).__name__}: {error}", *tree.warnings],
        extras={},
        extractor_version=extractor_version,
        has_root=tree.has_root,
    )
