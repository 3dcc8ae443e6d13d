"""The record for a stored span: its step, and the rule by which it was classified."""

from typing import Annotated

from pydantic import Field

from spanloom.core.model.trajectory import Kind
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, Milliseconds, Moment
from spanloom.core.records.record import Record


class Evaluation(Record):
    """The result of an evaluation, as an event of the span reports it."""

    name: Annotated[str | None, Example("Relevance")] = None
    score: Annotated[float | None, Example(4.0)] = None
    label: Annotated[str | None, Example("relevant")] = None
    explanation: Annotated[str | None, Example("It answers the question.")] = None
    response_id: Annotated[str | None, Example("chatcmpl-123")] = None
    error_type: Annotated[
        str | None, Field(description="Why the evaluation itself failed."), Example("timeout")
    ] = None


class SpanVerdict(Record):
    """How one stored span was classified, and why."""

    span_id: Annotated[str, Example("a1c4e1b7d2f30002")]
    parent_span_id: Annotated[
        str | None, Field(description="Null for a root."), Example("00f067aa0ba902b7")
    ]
    name: Annotated[str, Example("weather")]
    kind: Annotated[Kind, Example("tool")]
    step_id: Annotated[
        str | None,
        Field(description="Id of the step that it counts for, its own or another; null for noise."),
        Example("a1c4e1b7d2f30002"),
    ]
    dialect: Annotated[
        str, Field(description="The dialect that read it."), Example("openinference")
    ]
    rule: Annotated[
        str,
        Field(description="The rule that classified it."),
        Example("openinference.span.kind=TOOL"),
    ]
    started_at: Annotated[
        Moment, Field(description="Milliseconds since the epoch."), Example("1715400000500")
    ]
    duration: Annotated[Milliseconds, Field(description="Milliseconds."), Example("500")]
    error: Annotated[
        str | None,
        Field(description="The failure that it reports, in one line; null if there is none."),
    ] = None
    evaluations: Annotated[
        list[Evaluation] | None,
        Field(description="Results of `gen_ai.evaluation.result` events; absent without any."),
    ] = None


class SpanList(Record):
    """The spans that a trajectory is built from, by (start, span id); usually all stored spans."""

    trace_id: Annotated[str, Example("4bf92f3577b34da6a3ce929d0e0e4736")]
    spans: list[SpanVerdict]


SPAN = Declaration(SpanVerdict)
