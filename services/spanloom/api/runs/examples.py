"""Examples of responses of the routes of runs, for the OpenAPI description."""

from spanloom.api.responses import answer, answer_of, or_chosen, or_rows, reference_to
from spanloom.api.schemas import (
    EXAMPLE_CONVERSATION,
    EXAMPLE_CURSOR,
    EXAMPLE_TRACE,
    encode_step_cursor,
)
from spanloom.core.document import Document
from spanloom.core.formats.entry import HTML, JSON, Of, Via
from spanloom.core.formats.losses import LOSSES
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.schema import canonical_example
from spanloom.core.ports.steps import StepCursor
from spanloom.core.records.conversation import CONVERSATION as CONVERSATION_RECORD
from spanloom.core.records.record import example_of
from spanloom.core.records.run import RUN
from spanloom.core.records.span import SPAN, SpanList
from spanloom.core.records.step import STEP as STEP_RECORD

_ITEM = RUN.example
_SPAN = SPAN.example
LIST = or_rows(
    or_chosen(
        answer(
            "A page of trajectories; or all of them as lines, or as a table.",
            "TrajectoryList",
            {"items": [_ITEM], "next_cursor": EXAMPLE_CURSOR},
        )
    )
)
_STEP_CURSOR = StepCursor(1_715_400_000_000_000_000, EXAMPLE_TRACE, "default", 3)
_STEP = STEP_RECORD.example
STEPS = or_rows(
    or_chosen(
        answer(
            "A page of steps; or all of them as lines, or as a table.",
            "StepList",
            {"items": [_STEP], "next_cursor": encode_step_cursor(_STEP_CURSOR, "")},
        )
    )
)
_DESCRIBED = {"canonical", "coze"}
"""Formats of a run whose schemas are components of the OpenAPI description."""
_OTHER_FORMATS = [{"description": "The run in another `format`, as that system reads it."}] * bool(
    formats_of(Of.RUN, Via.QUERY).keys() - _DESCRIBED
)
_LINES_OF_A_RUN = (
    '{"type":"session","harness":"spanloom","name":"planner"}\n'
    '{"type":"message","message":{"role":"user","content":"Oslo or Bergen?"}}\n'
)
DOCUMENT = answer_of(
    "The document in the requested format.",
    {
        "anyOf": [
            reference_to("Trajectory"),
            reference_to("ParsedTrajectory"),
            reference_to("CozeTrajectory"),
            *_OTHER_FORMATS,
        ]
    },
    canonical_example(),
)
DOCUMENT["content"] |= {
    known.media_type: {"schema": {"type": "string"}, "example": _LINES_OF_A_RUN}
    for known in formats_of(Of.RUN, Via.QUERY).values()
    if known.media_type != JSON
}
DOCUMENT["headers"] = {
    LOSSES: {
        "description": "Losses of the `format` for this run, counted by code: "
        "`parts_dropped=2, times_dropped=7`; absent if nothing is lost.",
        "schema": {"type": "string"},
    }
}
SPANS = answer(
    "Every stored span of the trace.",
    "SpanList",
    example_of(SpanList),
)
EXPORT_HTML = answer_of("The file.", {"type": "string"}, "<!doctype html>…", HTML)
STEP = answer_of(
    "The step, and the agent that owns it.",
    {"type": "object"},
    {**next(Document(canonical_example()).steps).json, "agent_id": "00f067aa0ba902b7"},
)
_SENT = {
    "resourceSpans": [
        {
            "resource": {
                "attributes": [{"key": "service.name", "value": {"stringValue": "travel"}}]
            },
            "scopeSpans": [
                {
                    "scope": {"name": "openinference.instrumentation.langchain"},
                    "spans": [
                        {
                            "traceId": EXAMPLE_TRACE,
                            "spanId": _SPAN["span_id"],
                            "parentSpanId": _SPAN["parent_span_id"],
                            "name": "weather",
                            "kind": 1,
                            "startTimeUnixNano": "1715400000500000000",
                            "endTimeUnixNano": "1715400001000000000",
                        }
                    ],
                }
            ],
        }
    ]
}
SENT_SPAN = answer_of("The span with its resource and scope, OTLP JSON.", {"type": "object"}, _SENT)
OTLP = answer_of("All spans, OTLP JSON or protobuf.", {"type": "object"}, _SENT)
OTLP["content"]["application/x-protobuf"] = {
    "schema": {"type": "string", "format": "binary"},
    "example": "a TracesData message",
}
CONVERSATIONS = or_rows(
    answer(
        "A page of conversations; or all of them as lines, or as a table.",
        "ConversationList",
        {"items": [CONVERSATION_RECORD.example], "next_cursor": EXAMPLE_CURSOR},
    )
)
CONVERSATION = or_rows(
    answer(
        "A page of the conversation; or all its runs as lines, or as a table.",
        "Conversation",
        {"conversation_id": EXAMPLE_CONVERSATION, "items": [_ITEM], "next_cursor": EXAMPLE_CURSOR},
    )
)
_SIDE = {
    "project": "default",
    "version": 1,
    "status": "settled",
    "outcome": "ok",
    "name": "travel_assistant",
    "started_at": "1767225600000",
}
DIFF = answer_of(
    "What differs.",
    {"type": "object"},
    {
        "a": {"trace_id": EXAMPLE_TRACE, **_SIDE},
        "b": {"trace_id": "90b325520ed0ce887b2ef6a21b7e346f", **_SIDE},
        "same": False,
        "summary": {
            "same": 12,
            "changed": 1,
            "added": 1,
            "removed": 0,
            "moved": 0,
            "metrics": {
                "duration": [4500, 9400],
                "model_time": [3900, 8100],
                "tool_time": [350, 900],
                "input_tokens": [650, 700],
                "output_tokens": [260, 270],
                "cost": [0.0042, 0.0044],
                "agent_steps": [1, 1],
                "model_steps": [6, 6],
                "tool_steps": [6, 7],
                "graph_steps": [0, 0],
                "errors": [0, 1],
            },
            "first_difference": 4,
        },
        "steps": [
            {
                "op": "changed",
                "a": 4,
                "a_id": _SPAN["span_id"],
                "b": 4,
                "b_id": "00f067aa0ba902b7",
                "type": "tool",
                "name": "search",
                "changes": [{"field": "input.limit", "a": 5, "b": 10}],
            },
            {
                "op": "added",
                "b": 5,
                "b_id": "53995c3f42cd8ad8",
                "type": "tool",
                "name": "book",
                "changes": [{"field": "input", "a": None, "b": '{"hotel":1}'}],
            },
        ],
        "omitted": {"texts": True, "same": True},
    },
)
