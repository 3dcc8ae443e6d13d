"""Examples of responses for the OpenAPI description, one for each operation."""

from collections.abc import Iterable
from typing import Any

import orjson

from spanloom.api.schemas import (
    EXAMPLE_CONVERSATION,
    EXAMPLE_CURSOR,
    EXAMPLE_TRACE,
    encode_step_cursor,
)
from spanloom.core.document import Document
from spanloom.core.formats.entry import HTML, JSON, NDJSON, Of, Via
from spanloom.core.formats.losses import LOSSES
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.schema import canonical_example
from spanloom.core.ports.steps import StepCursor
from spanloom.core.records.change import CHANGE
from spanloom.core.records.conversation import CONVERSATION as CONVERSATION_RECORD
from spanloom.core.records.field import FieldList, Stats, ValueItem, ValueList
from spanloom.core.records.project import ProjectList
from spanloom.core.records.record import example_of
from spanloom.core.records.run import RUN
from spanloom.core.records.saved_view import VIEW as VIEW_RECORD
from spanloom.core.records.span import SPAN, SpanList
from spanloom.core.records.step import STEP as STEP_RECORD
from spanloom.core.records.upkeep import (
    Deletion,
    Diagnosis,
    Replay,
    ServiceDescription,
    Snapshot,
)

_ITEM = RUN.example
_SPAN = SPAN.example
_REPLAY = example_of(Replay)
EXAMPLE_REPLAY: str = _REPLAY["id"]
_METRICS = """\
# HELP spanloom_spans_accepted_total Spans acknowledged: fsynced in the spool.
# TYPE spanloom_spans_accepted_total counter
spanloom_spans_accepted_total 14.0
"""


def _answer(
    description: str, schema: dict[str, Any], example: object, media: str = "application/json"
) -> dict[str, Any]:
    return {
        "description": description,
        "content": {media: {"schema": schema, "example": example}},
    }


def answer(description: str, component: str, example: object) -> dict[str, Any]:
    """Describe a response with an example; its schema is a component of the OpenAPI description."""
    return _answer(description, _component(component), example)


def _component(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_chosen(answer: dict[str, Any]) -> dict[str, Any]:
    """Describe a page whose items may have only the columns that `fields` selects."""
    page = next(iter(answer["content"].values()))
    page["schema"] = {"anyOf": [page["schema"], _component("ChosenList")]}
    return answer


def or_rows(answer: dict[str, Any], **members: object) -> dict[str, Any]:
    """Describe a response also available as a table, or as JSON lines that end with ``members``."""
    item = next(iter(answer["content"].values()))["example"]["items"][0]
    end = orjson.dumps({"end": True, "count": 1, **members}).decode()
    lines = f"{orjson.dumps(item).decode()}\n{end}\n"
    answer["content"][NDJSON] = {"schema": {"type": "string"}, "example": lines}
    return or_table(answer, item)


def or_table(answer: dict[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    """Describe a response that is also available as a table with these columns."""
    text = {"schema": {"type": "string"}, "example": f"{','.join(columns)}\r\n"}
    binary = {"schema": {"type": "string", "format": "binary"}, "example": "(bytes)"}
    for form in formats_of(Of.ROWS, Via.ACCEPT).values():
        if form.media_type != NDJSON:
            is_text = form.media_type.startswith("text/")
            answer["content"][form.media_type] = text if is_text else binary
    return answer


LIST = or_rows(
    _or_chosen(
        _answer(
            "A page of trajectories; or all of them as lines, or as a table.",
            _component("TrajectoryList"),
            {"items": [_ITEM], "next_cursor": EXAMPLE_CURSOR},
        )
    )
)
_STEP_CURSOR = StepCursor(1_715_400_000_000_000_000, EXAMPLE_TRACE, "default", 3)
_STEP = STEP_RECORD.example
STEPS = or_rows(
    _or_chosen(
        _answer(
            "A page of steps; or all of them as lines, or as a table.",
            _component("StepList"),
            {"items": [_STEP], "next_cursor": encode_step_cursor(_STEP_CURSOR, "")},
        )
    )
)
CHANGES = _answer(
    "The changes, oldest first; or events, each with an item as its data.",
    _component("ChangeList"),
    {"items": [CHANGE.example], "next": "1715400004600000"},
)
CHANGES["content"]["text/event-stream"] = {
    "schema": {"type": "string"},
    "example": "id: 1715400004600000\ndata: {...}\n\n",
}
STATS = or_rows(
    _answer(
        "The groups and their numbers; also as lines, or as a table.",
        _component("Stats"),
        example_of(Stats),
    )
)
SPELLED = _answer(
    "The query in the language.",
    _component("SpelledWhere"),
    {"where": 'has(type = tool and name = "search") and tokens > 10000'},
)
FIELDS = or_rows(
    _answer(
        "Every field; or as lines, or as a table.",
        _component("FieldList"),
        example_of(FieldList),
    )
)
VALUES = or_rows(
    _answer(
        "Values, the most frequent first; or as lines, or as a table.",
        _component("ValueList"),
        example_of(ValueList),
    )
)
COMPARED = _answer(
    "The differences, most certain first.",
    _component("Behaviour"),
    {
        "format": "spanloom.behaviour/1",
        "a": {"runs": 412, "clusters": 412, "question": 'release = "1.4.0"'},
        "b": {"runs": 398, "clusters": 398, "question": 'release = "1.5.0"'},
        "differences": [
            {
                "feature": "tool: verify",
                "kind": "share",
                "a": 0.0,
                "b": 0.0528,
                "difference": 0.0528,
                "low": 0.033,
                "high": 0.0794,
                "p_holm": 0.00004,
                "n_a": 0,
                "n_b": 21,
                "runs_a": '(release = "1.4.0") and has(tool = "verify")',
                "runs_b": '(release = "1.5.0") and has(tool = "verify")',
                "words": "tool verify ran in 5.3% of the runs of B, 0.0% of A",
            }
        ],
        "no_difference_shown": 31,
        "only_a": [],
        "only_b": [
            {
                "feature": "tool: verify",
                "runs": 21,
                "line": '(release = "1.5.0") and has(tool = "verify")',
            }
        ],
        "remarks": [],
    },
)
FACETS = _answer(
    "The fields, each with its frequent values.",
    _component("FacetList"),
    {
        "items": [
            {
                "field": "agent",
                "values": [example_of(ValueItem)],
                "truncated": False,
            }
        ]
    },
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
DOCUMENT = _answer(
    "The document in the requested format.",
    {
        "anyOf": [
            _component("Trajectory"),
            _component("ParsedTrajectory"),
            _component("CozeTrajectory"),
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
SPANS = _answer(
    "Every stored span of the trace.",
    _component("SpanList"),
    example_of(SpanList),
)
_ROW = {
    "row": 0,
    "span_id": _SPAN["span_id"],
    "step_id": _SPAN["step_id"],
    "name": "weather",
    "preview": "Saturday: sunny, Sunday: heavy rain",
    "model": "",
    "cost": None,
    "error": "",
}
_NODE = {
    "id": _SPAN["span_id"],
    "type": "tool",
    "name": "weather",
    "agent": "travel_planner",
    "first_row": 4,
    "calls": 1,
    "errors": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "duration_ms": 500,
}
OUTLINE = _answer(
    "Binary columns.",
    {"type": "string", "format": "binary"},
    "(bytes)",
    "application/vnd.spanloom.outline",
)
ROWS = _answer("The rows.", _component("RowList"), {"version": 1, "rows": 1, "items": [_ROW]})
FOUND = _answer(
    "The progress.",
    _component("FoundList"),
    {
        "version": 1,
        "items": [{"row": 4, "part": "output", "snippet": "Sunday: heavy rain"}],
        "truncated": False,
    },
)
GRAPH = _answer(
    "The graph.",
    _component("RunGraph"),
    {
        "version": 1,
        "nodes": [_NODE],
        "edges": [{"from": "00f067aa0ba902b7", "to": _SPAN["span_id"], "calls": 1, "handoffs": 0}],
        "is_aggregated": False,
        "why": "",
    },
)
EXPORT_HTML = _answer("The file.", {"type": "string"}, "<!doctype html>…", HTML)
VERSIONS = _answer(
    "The versions.",
    _component("VersionList"),
    {
        "trace_id": EXAMPLE_TRACE,
        "items": [
            {
                "version": 1,
                "is_newest": True,
                "status": "settled",
                "stored_at": "1715400004600",
                "extractor_version": "12",
                "span_count": 14,
            }
        ],
    },
)
STEP = _answer(
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
SENT_SPAN = _answer("The span with its resource and scope, OTLP JSON.", {"type": "object"}, _SENT)
OTLP = _answer("All spans, OTLP JSON or protobuf.", {"type": "object"}, _SENT)
OTLP["content"]["application/x-protobuf"] = {
    "schema": {"type": "string", "format": "binary"},
    "example": "a TracesData message",
}
CONVERSATIONS = or_rows(
    _answer(
        "A page of conversations; or all of them as lines, or as a table.",
        _component("ConversationList"),
        {"items": [CONVERSATION_RECORD.example], "next_cursor": EXAMPLE_CURSOR},
    )
)
CONVERSATION = or_rows(
    _answer(
        "A page of the conversation; or all its runs as lines, or as a table.",
        _component("Conversation"),
        {"conversation_id": EXAMPLE_CONVERSATION, "items": [_ITEM], "next_cursor": EXAMPLE_CURSOR},
    )
)
REPLAY = _answer("The replay as it is now.", _component("Replay"), _REPLAY)
REPLAYS = _answer(
    "The replays.",
    _component("ReplayList"),
    {"items": [_REPLAY], "next_cursor": EXAMPLE_REPLAY},
)
_SIDE = {
    "project": "default",
    "version": 1,
    "status": "settled",
    "outcome": "ok",
    "name": "travel_assistant",
    "started_at": "1767225600000",
}
DIFF = _answer(
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
_COUNTS = {
    "accepted_spans": 7,
    "rejected_spans": 0,
    "unchanged_runs": 0,
    "accepted_scores": 1,
    "rejected_scores": 0,
    "rejected": 1,
    "losses": {"duration_unknown": 2},
}
_IMPORTED = (
    {"trace_id": EXAMPLE_TRACE, "project": "default", "place": "line 1", "state": "taken"},
    {"place": "line 2", "reason": "it is no JSON: unexpected end of data"},
    {"end": True, "format": "atif", "share": 1.0, **_COUNTS},
)
IMPORTED_FILE = _answer(
    "A line for each run and for each rejected item, as they are read.",
    {"type": "string"},
    "".join(orjson.dumps(line).decode() + "\n" for line in _IMPORTED),
    NDJSON,
)
VIEW = _answer("The view.", _component("ViewItem"), VIEW_RECORD.example)
VIEWS = _answer("The views.", _component("ViewList"), {"items": [VIEW_RECORD.example]})
PROJECTS = _answer("The projects.", _component("ProjectList"), example_of(ProjectList))
_DELETION = example_of(Deletion)
DELETION = _answer("What was deleted.", _component("Deletion"), _DELETION)
DELETIONS = _answer("The newest deletions.", _component("DeletionList"), {"items": [_DELETION]})
SNAPSHOT = _answer("The snapshot is taken.", _component("Snapshot"), example_of(Snapshot))
HEALTH = _answer("Yes.", _component("Health"), {"status": "ok"})
DESCRIPTION = _answer(
    "What it is.", _component("ServiceDescription"), example_of(ServiceDescription)
)
READINESS = _answer("Yes.", _component("Readiness"), {"status": "ok", "reasons": []})
DIAGNOSIS = _answer("A finding for each check.", _component("Diagnosis"), example_of(Diagnosis))
METRICS = _answer("Every metric.", {"type": "string"}, _METRICS, "text/plain")
