"""Builds the trajectory; the result does not depend on the order of the spans.

SDKs send a span when it ends, so the root of a run in progress is missing. If there is a single
topmost span, it serves as the root; otherwise a root is created above the topmost spans. A created
root is named after the first agent, whose name many instrumentations report on every call. If no
agent is named, and the run begins with a call, the root is named after the service, because
``chat gpt-4o`` is no name for a run.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.conventions.evaluations import read_evaluations
from spanloom.core.conventions.names import name_of
from spanloom.core.duplicates.spans import Reports, find_reports
from spanloom.core.extraction.extras import list_extras
from spanloom.core.extraction.failures import list_failures
from spanloom.core.extraction.metrics import measure, with_cost
from spanloom.core.extraction.pauses import (
    described,
    is_ended_by_cancellation,
    is_resuming,
    list_pauses,
)
from spanloom.core.extraction.run_warnings import list_warnings
from spanloom.core.extraction.steps import ArrangedSteps, arrange_steps
from spanloom.core.model.step import Step, StepType, names_of_agents
from spanloom.core.model.trajectory import AgentStep, Kind, SpanVerdict, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.span import NormalizedSpan, TraceKey
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.pricing import PriceBook

_OTHER = Kind.OTHER  # cached: before Python 3.12, enum members are looked up in Python code
_KINDS = {step_type: Kind(step_type) for step_type in StepType}
_IN_ORDER = attrgetter("start_ns", "id")


def build_trajectory(
    key: TraceKey,
    tree: SpanTree,
    spans: Sequence[NormalizedSpan],
    extractor_version: str,
    prices: PriceBook,
) -> Trajectory:
    """Return the trajectory of a trace; ``spans`` are in the order of ``tree.placed``."""
    return build_reported(key, tree, spans, find_reports(tree, spans), extractor_version, prices)


def build_reported(  # needs everything of which a trajectory is made
    key: TraceKey,
    tree: SpanTree,
    spans: Sequence[NormalizedSpan],
    reports: Reports,
    extractor_version: str,
    prices: PriceBook,
) -> Trajectory:
    """Return the trajectory; ``reports`` has the step that each span reports."""
    sent = spans if tree.stand_in is None else spans[1:]
    pauses = list_pauses(tree, reports)
    failures = list_failures(tree, reports)
    is_cancelled = is_ended_by_cancellation(tree, reports)
    arranged = name_root(tree, arrange_steps(tree, reports, prices, pauses))
    verdicts = [_judge(n, reports) for n in sent]
    by_type = _by_type(arranged.steps.values())
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=arranged.root,
        root_type=_kind(arranged.root.id, arranged),
        root_metrics=measure(arranged.steps.values()),
        agent_steps=_agents(arranged, by_type[StepType.AGENT]),
        verdicts=verdicts,
        span_count=len(verdicts),
        step_counts=_count(by_type, len(verdicts)),
        dialects=sorted({n.dialect for n in sent}),
        warnings=[
            *list_warnings(tree, sent, by_type),
            *arranged.facts[arranged.root.id].notes,
        ],
        extras=list_extras(tree, arranged, by_type),
        failures=described(failures) if is_cancelled else failures,
        pauses=pauses,
        is_cancelled=is_cancelled,
        is_unfinished=_is_unfinished(tree, arranged),
        is_resuming=is_resuming(arranged.root, arranged.facts, by_type),
        extractor_version=extractor_version,
        has_root=tree.has_root,
        absences=tree.absences,
    )


_RUNS = (StepType.AGENT, StepType.GRAPH)
_CALLS = (StepType.MODEL, StepType.TOOL)


def _is_unfinished(tree: SpanTree, arranged: ArrangedSteps) -> bool:
    """Return whether the root, or an agent or graph not run by another agent, has no end.

    If the root was created, return true also if the last step that it owns has no end.
    """
    if not tree.open:
        return False
    outermost = arranged.owned.get(arranged.root.id, ())
    if tree.stand_in is not None and any(step.id in tree.open for step in outermost[-1:]):
        return True
    return tree.root.span_id in tree.open or any(
        step.id in tree.open for step in outermost if step.type in _RUNS
    )


def _by_type(steps: Iterable[Step]) -> Mapping[StepType, Sequence[Step]]:
    by_type: dict[StepType, list[Step]] = {step_type: [] for step_type in _KINDS}
    for step in steps:
        by_type[step.type].append(step)
    return by_type


def _agents(arranged: ArrangedSteps, agents: Sequence[Step]) -> Sequence[AgentStep]:
    """Return every agent, and the root if it owns steps, ordered by start and span id."""
    root = arranged.root
    is_owner = root.id in arranged.owned and root.id not in {s.id for s in agents}
    return [
        AgentStep(with_cost(step, owned := arranged.owned.get(step.id, ())), owned, measure(owned))
        for step in sorted([*agents, root] if is_owner else agents, key=_IN_ORDER)
    ]


def _judge(n: NormalizedSpan, reports: Reports) -> SpanVerdict:
    span = n.span
    span_id = span.span_id
    demoted = reports.demoted.get(span_id)
    return SpanVerdict(  # positional, because keyword arguments take twice the time
        span_id,
        span.parent_span_id,
        span.name,
        n.kind if demoted is None else _OTHER,
        reports.step_of.get(span_id),
        n.dialect,
        demoted or n.rule,
        span.start_ns,
        span.end_ns,
        n.error,
        read_evaluations(span) if span.events else (),
    )


def _kind(step_id: str, arranged: ArrangedSteps) -> Kind:
    step = arranged.steps.get(step_id)
    return _OTHER if step is None else _KINDS[step.type]


def _count(by_type: Mapping[StepType, Sequence[Step]], span_count: int) -> dict[str, int]:
    counts = {str(step_type): len(steps) for step_type, steps in by_type.items()}
    return {**counts, "other": span_count - sum(counts.values())}


def describe_failure(
    key: TraceKey, tree: SpanTree, error: Exception, extractor_version: str
) -> Trajectory:
    """Return a trajectory for a trace that failed to build, with its spans and error, no steps."""
    span = tree.root
    root = Step(span.span_id, "", StepType.GRAPH, span.name, span.start_ns, span.end_ns)
    what = f"extraction failed: {type(error).__name__}: {error}"
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
    failed = _failed(key, root, len(verdicts), [what, *tree.warnings], extractor_version)
    return replace(failed, verdicts=verdicts, has_root=tree.has_root)


def describe_unreadable(
    key: TraceKey, accepted_ns: int, span_count: int, error: Exception, extractor_version: str
) -> Trajectory:
    """Return a trajectory for a trace that cannot be built, with the error as its warning.

    The time of arrival, ``accepted_ns``, replaces the start and end, which only the spans have.
    """
    root = Step("", "", StepType.GRAPH, "", accepted_ns, accepted_ns)
    what = f"the trace could not be built: {type(error).__name__}: {error}"
    return _failed(key, root, span_count, [what], extractor_version)


def _failed(
    key: TraceKey, root: Step, span_count: int, warnings: Sequence[str], extractor_version: str
) -> Trajectory:
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=root,
        root_type=Kind.OTHER,
        root_metrics=measure([]),
        agent_steps=[],
        verdicts=[],
        span_count=span_count,
        step_counts=_count(_by_type([]), span_count),
        dialects=[],
        warnings=warnings,
        extras={},
        extractor_version=extractor_version,
        has_root=False,
    )


_NO_SERVICE = "unknown_service"
"""Prefix of the service name that SDKs send if none is configured: ``unknown_service:python``."""


def name_root(tree: SpanTree, arranged: ArrangedSteps) -> ArrangedSteps:
    """Return the steps with a name for the root if it was created; otherwise return them unchanged.

    The name is the first agent's name. If no agent is named, it is the service's name if the run
    begins with a call, otherwise the name of the first step.
    """
    if tree.stand_in is None:
        return arranged
    steps, top = arranged.steps, tree.top_down[1]
    first = steps.get(top.span_id)
    service = top.service_name if first is not None and first.type in _CALLS else ""
    name = _name_of_run(steps.values(), service) or (first.name if first else name_of(top))
    return arranged._replace(root=arranged.root._replace(name=name))


def _name_of_run(steps: Iterable[Step], service: str) -> str:
    named = [s for s in steps if s.type is StepType.AGENT or s.metadata.get("agent_name")]
    if agents := names_of_agents(named):
        return agents[0]
    return "" if service.startswith(_NO_SERVICE) else service
