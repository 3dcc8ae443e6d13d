"""Makes canonical documents from drafts, which the readers of other systems' files produce.

A draft has the steps of a run as the file shows them, with their types. Owners, metrics, failures
and outcome are computed from the steps by the rules of extraction, but texts are not parsed, and
steps are not merged as duplicates. All members of a step in a draft are in the document unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

import orjson

from spanloom.core.conventions import imported as carried
from spanloom.core.duplicates.spans import Reports
from spanloom.core.errors import InvalidRequestError
from spanloom.core.extract import EXTRACTOR_VERSION
from spanloom.core.extraction.build import build_reported
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import Facts, NormalizedSpan, Span, TraceKey
from spanloom.core.model.step import Step, StepType, Usage
from spanloom.core.model.trajectory import Kind, Status
from spanloom.core.model.tree import SpanTree
from spanloom.core.pricing import PriceBook
from spanloom.core.values.attributes import decimal, json_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.model.step import StepError
    from spanloom.core.model.trajectory import AgentStep, Trajectory

MAX_STEPS = 100_000
"""Maximum number of steps in a run that is read from a file."""
_LAST_MS = 2**63 // 10**6 - 1
_RULE = "read"
_NUMBERS = (COST, "reported_cost")
_PRICED = (StepType.MODEL, StepType.TOOL)


class NoPrices(PriceBook):
    """A price book without prices, so that a cost that a source does not report stays unknown."""

    def price(self, *_: object) -> None:
        """Return ``None``, because this book has no prices."""


@dataclass(slots=True)
class DraftStep:
    """A step as the file shows it; the first step of a draft is the root."""

    id: str
    """16 hex digits, unique in the run (see ``ids.step_id_of``)."""
    parent_id: str
    """Id of the parent step; empty for the root."""
    kind: Kind
    """``Kind.OTHER`` only for a root that is not an agent, model call, tool or graph node."""
    name: str
    input: str = ""
    output: str = ""
    start_ms: int = 0
    """The start in milliseconds since the epoch."""
    duration_ms: int = 0
    error: StepError | None = None
    usage: Usage | None = None
    """Token usage of a model call; if ``None``, all token counts are 0."""
    model: str = ""
    first_token_ms: float | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The step's ``metadata`` in the document; the ``model`` need not be repeated here.

    The ``cost`` of an agent is only in ``agent_steps``.
    """


@dataclass(slots=True)
class Draft:
    """A run as the file shows it."""

    trace_id: str
    """32 hex digits (see ``ids.trace_id_of``)."""
    project: str
    format: str
    """The name of the file's format, which becomes ``extraction.dialects``."""
    steps: Sequence[DraftStep]
    """The root first; steps that start in the same millisecond stay in this order."""
    extras: Mapping[str, object] = field(default_factory=dict)
    """Members of ``extraction`` that cannot be computed from the steps.

    They are ``conversation_id``, ``user_id``, ``tags``, ``environment``, ``metadata`` (strings by
    name, for example ``source_id``) …
    """
    warnings: Sequence[str] = ()


def complete(draft: Draft) -> Json:
    """Return the canonical document for a draft.

    Raises ``InvalidRequestError`` if there is no root, for a duplicate id, and for impossible
    times.
    """
    _check(draft.steps)
    spans = _spans(draft)
    tree = SpanTree(spans)
    by_id = {step.id: _countable(step) for step in draft.steps}
    normalized = [_normalized(span, by_id[span.span_id], draft.format) for span in tree.placed]
    reports = Reports({n.span.span_id: n for n in normalized})
    reports.step_of = {n.span.span_id: n.span.span_id for n in normalized if _is_step(n)}
    key = TraceKey(draft.project, draft.trace_id)
    built = build_reported(key, tree, normalized, reports, EXTRACTOR_VERSION, NoPrices())
    document: Json = orjson.loads(
        encode_document(_as_drafted(built, draft, by_id), 1, Status.SETTLED)
    )
    return document


def _check(steps: Sequence[DraftStep]) -> None:
    if not steps:
        raise InvalidRequestError("it has no steps")
    if len(steps) > MAX_STEPS:
        raise InvalidRequestError(f"it has {len(steps):,} steps, more than {MAX_STEPS:,}")
    if len({step.id for step in steps}) < len(steps):
        raise InvalidRequestError("two of its steps have the same id")
    for step in steps:
        if not 0 <= step.start_ms <= _LAST_MS or not 0 <= step.duration_ms <= _LAST_MS:
            raise InvalidRequestError(f"{step.name}: no time that a step can have")


def _spans(draft: Draft) -> Sequence[Span]:
    """Return a span for each step, each starting 1 ns later, to preserve the draft's order."""
    in_order = sorted(draft.steps, key=attrgetter("start_ms"))
    return [_span(draft.trace_id, step, at) for at, step in enumerate(in_order)]


def _span(trace_id: str, step: DraftStep, later_ns: int) -> Span:
    error = step.error
    start_ns = step.start_ms * carried.NS_PER_MS + later_ns
    return Span(
        trace_id=trace_id,
        span_id=step.id,
        parent_span_id=step.parent_id,
        name=step.name,
        kind="Internal",
        start_ns=start_ns,
        end_ns=max(start_ns + step.duration_ms * carried.NS_PER_MS, 1),
        status_code="Unset" if error is None else "Error",
        status_message="" if error is None else error.message,
        service_name="",
        scope_name=carried.SCOPE,
        scope_version="",
        attributes={},
        events=(),
        links=(),
        row_version=0,
    )


def _normalized(span: Span, step: DraftStep, dialect: str) -> NormalizedSpan:
    facts = Facts(
        input=step.input,
        output=step.output,
        usage=step.usage or Usage(),
        model=step.model,
        first_token_ms=step.first_token_ms,
        agent_name=step.name if step.kind is Kind.AGENT else "",
        tool_name=step.name if step.kind is Kind.TOOL else "",
        metadata=step.metadata,
    )
    return NormalizedSpan(span, dialect, step.kind, _RULE, None, facts, step.error)


def _countable(step: DraftStep) -> DraftStep:
    """Return the step without metadata that extraction could not parse as a number or tags."""
    metadata = step.metadata
    wrong = {name for name in _NUMBERS if name in metadata and decimal(metadata[name]) is None}
    if "tags" in metadata:
        tags = json_value(metadata["tags"])
        is_list = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
        wrong |= set() if is_list else {"tags"}
    if not wrong:
        return step
    return replace(step, metadata={k: v for k, v in metadata.items() if k not in wrong})


def _is_step(n: NormalizedSpan) -> bool:
    return n.kind is not Kind.OTHER


def _as_drafted(built: Trajectory, draft: Draft, by_id: Mapping[str, DraftStep]) -> Trajectory:
    """Return the built trajectory with every step restored as it is in the draft."""

    def drafted(step: Step) -> Step:
        return _step(step, by_id[step.id], () if step.type in _PRICED else (COST,))

    def all_drafted(agent: AgentStep) -> AgentStep:
        owner = _step(agent.step, by_id[agent.step.id], ())
        shown = owner._replace(metadata={**_cost(agent.step), **owner.metadata})
        return agent._replace(step=shown, steps=list(map(drafted, agent.steps)))

    return replace(
        built,
        root=drafted(built.root),
        agent_steps=list(map(all_drafted, built.agent_steps)),
        dialects=[draft.format],
        is_resuming=draft.extras.get("is_resuming") is True,
        warnings=list(draft.warnings),
        extras={**_known(built.extras), **draft.extras},
    )


def _step(built: Step, drafted: DraftStep, without: Collection[str]) -> Step:
    return built._replace(
        name=drafted.name,
        input=drafted.input,
        output=drafted.output,
        error=drafted.error,
        metadata={k: v for k, v in drafted.metadata.items() if k not in without},
    )


def _cost(agent: Step) -> Mapping[str, str]:
    """Return, as metadata, the cost of an agent's own calls, which is the sum of their costs."""
    return {COST: agent.metadata[COST]} if COST in agent.metadata else {}


_FROM_TEXTS = frozenset(
    {"conversation_id", "user_id", "environment", "release", "tags", "metadata"}
)


def _known(extras: Mapping[str, object]) -> Mapping[str, object]:
    """Return the members of ``extras`` that extraction does not take from span attributes."""
    return {name: value for name, value in extras.items() if name not in _FROM_TEXTS}


def usage_of(counts: Iterable[object]) -> Usage:
    """Return token counts in the order of ``Usage``; invalid counts are 0."""
    return Usage(
        *(max(0, n) if isinstance(n, int) and not isinstance(n, bool) else 0 for n in counts)
    )


STEP_KINDS: Mapping[str, Kind] = {str(kind): Kind(kind) for kind in StepType}
"""The kinds of steps, keyed by their type in a document."""
