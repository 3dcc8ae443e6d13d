"""A run of an agent with a search tool, in the trace format of each version of MLflow."""

from __future__ import annotations

import json
from typing import Any

TRACE = "0af7651916cd43dd8448eb211c80319c"
Json = dict[str, Any]
_MS = 1_000_000
_BEGAN = 1_715_400_000_000
ROOT, MODEL, TOOL = "00f067aa0ba902b7", "00f067aa0ba902b8", "00f067aa0ba902b9"
_BASE64 = {
    TRACE: "CvdlGRbNQ92ESOshHIAxnA==",
    ROOT: "APBnqgupArc=",
    MODEL: "APBnqgupArg=",
    TOOL: "APBnqgupArk=",
}
_ANSWER = {
    "id": "chatcmpl-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "14 days."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34},
}
_FOUND = [{"page_content": "Refunds take 14 days.", "metadata": {"doc_uri": "faq.md"}, "id": None}]
FAILURE = {
    "exception.type": "KeyError",
    "exception.message": "'city'",
    "exception.stacktrace": "Traceback …",
}


def _spans() -> list[Json]:
    """Return id, parent, name, start, end, attributes: what all versions have in common."""
    asked = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Refunds?"}]}
    return [
        _span(ROOT, None, "ask", (0, 100), "UNKNOWN", {"question": "Refunds?"}, "14 days."),
        _span(TOOL, ROOT, "search", (10, 30), "RETRIEVER", {"query": "refunds"}, _FOUND),
        _span(MODEL, ROOT, "Completions", (40, 90), "CHAT_MODEL", asked, _ANSWER),
    ]


def _span(
    span_id: str,
    parent: str | None,
    name: str,
    times: tuple[int, int],
    span_type: str,
    inputs: object,
    outputs: object,
) -> Json:
    attributes = {
        "mlflow.traceRequestId": f"tr-{TRACE}",
        "mlflow.spanType": span_type,
        "mlflow.spanInputs": inputs,
        "mlflow.spanOutputs": outputs,
    }
    if span_type == "CHAT_MODEL":
        attributes["mlflow.llm.model"] = "gpt-4o-mini"
        attributes["temperature"] = 0.5
    start, end = ((_BEGAN + ms) * _MS for ms in times)
    return {
        "id": span_id,
        "parent": parent,
        "name": name,
        "start": start,
        "end": end,
        "attributes": {key: json.dumps(value) for key, value in attributes.items()},
    }


def _newer(span: Json, trace_id: str, ids: dict[str, str], ok: str) -> Json:
    return {
        "trace_id": trace_id,
        "span_id": ids[span["id"]],
        "parent_span_id": ids[span["parent"]] if span["parent"] else None,
        "name": span["name"],
        "start_time_unix_nano": span["start"],
        "end_time_unix_nano": span["end"],
        "events": [],
        "status": {"code": ok, "message": ""},
        "attributes": span["attributes"],
    }


def version_3() -> Json:
    """Return the trace in the current format."""
    info = {
        "trace_id": f"tr-{TRACE}",
        "trace_location": {
            "type": "MLFLOW_EXPERIMENT",
            "mlflow_experiment": {"experiment_id": "7"},
        },
        "request_time": "2024-05-11T04:00:00Z",
        "execution_duration_ms": 100,
        "state": "OK",
        "trace_metadata": {"mlflow.trace.session": "s-1", "mlflow.trace.user": "ada"},
        "tags": {"mlflow.traceName": "ask", "team": "support"},
    }
    spans = [_newer(s, _BASE64[TRACE], _BASE64, "STATUS_CODE_OK") for s in _spans()]
    return {"info": info, "data": {"spans": spans}}


def version_3_of_3_5() -> Json:
    """Return the trace of MLflow 3.5.0: hex ids, status codes without prefix."""
    trace = version_3()
    ids = {one: one for one in (ROOT, MODEL, TOOL)}
    trace["data"] = {"spans": [_newer(s, f"tr-{TRACE}", ids, "OK") for s in _spans()]}
    return trace


def version_4() -> Json:
    """Return the trace in the schema of Unity Catalog."""
    trace = version_3()
    trace["info"]["trace_id"] = f"trace:/main.agents/{TRACE}"
    trace["info"]["trace_location"] = {
        "type": "UC_SCHEMA",
        "uc_schema": {"catalog_name": "main", "schema_name": "agents"},
    }
    return trace


def version_2() -> Json:
    """Return the trace of MLflow 2."""
    info = {
        "request_id": TRACE,
        "experiment_id": "7",
        "timestamp_ms": _BEGAN,
        "execution_time_ms": 100,
        "status": "OK",
        "request_metadata": {"mlflow.trace.session": "s-1", "mlflow.trace.user": "ada"},
        "tags": {"mlflow.traceName": "ask", "team": "support"},
    }
    spans = [
        {
            "name": span["name"],
            "context": {"span_id": f"0x{span['id']}", "trace_id": f"0x{TRACE}"},
            "parent_id": f"0x{span['parent']}" if span["parent"] else None,
            "start_time": span["start"],
            "end_time": span["end"],
            "status_code": "OK",
            "status_message": "",
            "attributes": span["attributes"],
            "events": [],
        }
        for span in _spans()
    ]
    return {"info": info, "data": {"spans": spans, "request": "{}", "response": "{}"}}


VERSIONS = {
    "2": version_2,
    "3": version_3,
    "3 of MLflow 3.5": version_3_of_3_5,
    "4": version_4,
}
