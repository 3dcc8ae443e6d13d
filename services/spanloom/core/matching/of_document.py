"""Converts a document back to a trajectory, to compute the row of its run.

A document has times in whole milliseconds. Steps that began in the same millisecond are in document
order: an agent's steps as listed, each before its own steps. Missing members are read as empty, as
in ``core/document``; other members must have the schema's types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.conventions.imported import NS_PER_MS, TOKEN_COUNTS
from spanloom.core.document import whole
from spanloom.core.matching.listed import placed_steps
from spanloom.core.matching.row import RunRow
from spanloom.core.model.step import Step, StepError, StepType, Usage
from spanloom.core.model.trajectory import (
    AgentStep,
    DuplicateOf,
    Failure,
    Kind,
    Metrics,
    Outcome,
    Trajectory,
)
from spanloom.core.query.flat_steps import place_in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import (
        Document,
        DocumentAgent,
        DocumentFailure,
        DocumentMetrics,
        DocumentStep,
    )

_TYPES = {str(one): one for one in StepType}
_KINDS = {str(one): one for one in Kind}


class _Shown(Trajectory):
    """A trajectory with the outcome and failure count that its document states."""

    __slots__ = ()

    @property
    def outcome(self) -> Outcome:
        """The outcome that the document states; see ``Trajectory``."""
        return Outcome(str(self.extras.get("outcome") or Outcome.OK))

    @property
    def failure_count(self) -> int:
        """The number of failures that the document states; its list may be shorter."""
        return whole(self.extras.get("failures"), len(self.failures))


def row_of(document: Document) -> RunRow:
    """Return the row of a document's run.

    Raises ``TypeError``, ``ValueError`` or ``AttributeError`` if a member's type differs from the
    schema.
    """
    trajectory, extraction = _trajectory(document), document.extraction
    status = extraction.status
    steps = place_in_order(_in_order(trajectory))
    return RunRow(trajectory, extraction.version or 1, status, steps=steps)


def _in_order(trajectory: Trajectory) -> Sequence[tuple[str, Step]]:
    """Return the steps ordered by start in milliseconds, then in document order."""
    owned: dict[str, list[tuple[str, Step]]] = {}
    for agent_id, step in placed_steps(trajectory):
        owned.setdefault(agent_id, []).append((agent_id, step))
    return sorted(_walked(owned), key=lambda placed: placed[1].start_ns)


def _walked(owned: dict[str, list[tuple[str, Step]]]) -> Iterator[tuple[str, Step]]:
    """Yield each step once, an agent's steps after the agent.

    Agents that are not a step of another agent come last, in document order.
    """
    while owned:
        waiting = [iter(owned.pop(next(iter(owned))))]
        while waiting:
            placed = next(waiting[-1], None)
            if placed is None:
                waiting.pop()
                continue
            yield placed
            if below := owned.pop(placed[1].id, None):
                waiting.append(iter(below))


def _trajectory(document: Document) -> Trajectory:
    extraction, agents = document.extraction, list(document.agents)
    root_type = _KINDS.get(document.root_type) or _kind_of_root(document, agents)
    return _Shown(
        trace_id=document.id,
        project=extraction.project,
        root=_step(document.root, _TYPES.get(root_type, StepType.GRAPH)),
        root_type=root_type,
        root_metrics=_metrics(document.root.metrics),
        agent_steps=[
            AgentStep(_step(agent, StepType.AGENT), list(map(_own_step, agent.steps)), Metrics())
            for agent in agents
        ],
        verdicts=(),
        span_count=extraction.span_count,
        step_counts=extraction.step_counts,
        dialects=extraction.dialects,
        warnings=extraction.warnings,
        extras=extraction.json,
        failures=list(map(_failure, extraction.errors)),
        duplicate_of=_original(extraction.duplicate_of),
    )


def _kind_of_root(document: Document, agents: Sequence[DocumentAgent]) -> Kind:
    """Return the root's kind in another tool's document: agent if ``agents`` contain the root."""
    root_id = document.root.id
    return Kind.AGENT if any(agent.id == root_id for agent in agents) else Kind.OTHER


def _own_step(step: DocumentStep) -> Step:
    return _step(step, _TYPES.get(step.type, StepType.GRAPH))


def _step(shown: DocumentStep, type_: StepType) -> Step:
    started_at, ended_at = shown.times
    metadata, is_model = shown.metadata, type_ is StepType.MODEL
    info = shown.model_info if is_model else {}
    latency = info.get("latency_first_resp")
    return Step(
        id=shown.id,
        parent_id=shown.parent_id,
        type=type_,
        name=shown.name,
        start_ns=started_at * NS_PER_MS,
        end_ns=ended_at * NS_PER_MS,
        input=shown.input,
        output=shown.output,
        error=_error(shown, metadata) if shown.error else None,
        usage=Usage(*(whole(info.get(name)) for name in TOKEN_COUNTS)) if info else None,
        model=shown.model if is_model else "",
        first_token_ms=None if latency is None else float(whole(latency)),
        metadata=metadata,
    )


def _error(failed: DocumentStep, metadata: Mapping[str, str]) -> StepError:
    return StepError(failed.error_code, failed.error_message, metadata.get("error_type", ""))


def _failure(failure: DocumentFailure) -> Failure:
    error = StepError(failure.code, failure.message, failure.type)
    return Failure(failure.where, failure.step_id, error, recovered=failure.is_recovered)


def _metrics(metrics: DocumentMetrics) -> Metrics:
    return Metrics(
        llm_duration_ns=metrics.llm_duration * NS_PER_MS,
        tool_duration_ns=metrics.tool_duration * NS_PER_MS,
        input_tokens=metrics.input_tokens,
        output_tokens=metrics.output_tokens,
    )


def _original(original: Mapping[str, Any] | None) -> DuplicateOf | None:
    return None if original is None else DuplicateOf(original["trace_id"], original["span_id"])
