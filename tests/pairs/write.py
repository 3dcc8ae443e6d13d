"""Writes recorded runs in the form of the other captures: requests and ground truth."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.pairs.labels import Label, Recorded, label, originals, tool_run
from tests.pairs.script import BROKEN, EVERY_SCENARIO, Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE = str(Path(__file__).parents[2])
KINDS = ("agent", "model", "tool", "graph", "other")
Told = dict[str, Any]


def write(folder: Path, scenario: str, form: str, names: Sequence[str], told: Told) -> Told:
    """Write one capture; return its numbers of spans, traces and bytes."""
    requests = [scrubbed(body, told["port"]) for body in told["requests"]]
    truth = _truth(EVERY_SCENARIO[scenario], requests, told)
    return save(folder, f"{scenario}_{form}", _note(names, form), requests, truth)


def save(folder: Path, name: str, note: str, requests: Sequence[bytes], truth: Told) -> Told:
    """Write requests and ground truth; return the numbers of spans, traces and bytes."""
    head = {"scenario": name, "dialect": folder.name, "note": note}
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f' "{k}": {_line(k, v)}' for k, v in {**head, **truth}.items())
    (folder / f"{name}.expect.json").write_text(f"{{\n{lines}\n}}\n")
    packed = gzip.compress(b"".join(requests), mtime=0)
    (folder / f"{name}.binpb.gz").write_bytes(packed)
    return {"spans": len(truth["spans"]), "traces": len(truth["trace_ids"]), "bytes": len(packed)}


def _note(names: Sequence[str], form: str) -> str:
    where = "over one provider, under a span of the application"
    return f"{', '.join(names)} {where if form == 'shared' else 'each over its own provider'}"


def _line(key: str, value: object) -> str:
    """Return a value as JSON; spans get one line each, so that diffs are readable."""
    if key != "spans" or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    spans = (f'  "{k}": {json.dumps(v, ensure_ascii=False)}' for k, v in value.items())
    return "{\n" + ",\n".join(spans) + "\n }"


def scrubbed(body: bytes, port: int, packages: str = "") -> bytes:
    """Return a request without the paths and the port of the machine that recorded it."""
    request = ExportTraceServiceRequest.FromString(body)
    places = {
        f"{sys.prefix}/lib/python3.11/site-packages": "/app/site-packages",
        HERE: "/app",
        sys.base_prefix + "/": "/app/python/",
        **({packages: "/app"} if packages else {}),
        f"127.0.0.1:{port}": "127.0.0.1:4318",
    }
    _replace(request, places)
    return request.SerializeToString()


def _replace(message: Message, places: Mapping[str, str]) -> None:
    """Replace texts in every string of a message, at any depth."""
    for field, value in message.ListFields():
        if field.cpp_type == field.CPPTYPE_MESSAGE:
            for part in [value] if isinstance(value, Message) else value:
                _replace(part, places)
        elif field.type == field.TYPE_STRING and isinstance(value, str):
            for place, shown in places.items():
                value = value.replace(place, shown)  # noqa: PLW2901
            setattr(message, field.name, value)


def recorded(requests: Sequence[bytes]) -> Iterator[Recorded]:
    """Yield the data of each span that the labelling may use."""
    for body in requests:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                for s in scope.spans:
                    ids = s.span_id.hex(), s.trace_id.hex(), s.parent_span_id.hex()
                    yield Recorded(*ids, s.name, s.start_time_unix_nano, s.end_time_unix_nano)


def _truth(script: Scenario, requests: Sequence[bytes], told: Told) -> Told:
    spans = sorted(recorded(requests), key=lambda s: (s.start_ns, s.span_id))
    calls, tools = told["calls"], told["tools"]
    labels = [(span, label(span, script, calls, tools)) for span in spans]
    trace_ids = list(dict.fromkeys(s.trace_id for s in spans))
    counts = Counter(said.type for _, said in labels)
    return {
        "trace_id": trace_ids[0],
        "trace_ids": trace_ids,
        "wire": "HTTP application/x-protobuf",
        "request_sizes": [len(body) for body in requests],
        "spans": label_spans(labels),
        "counts": {kind: counts[kind] for kind in KINDS},
        "retrievals": script.retrievals,
        "tool_runs": [tool_run(ran, script) for ran in tools],
        **sum_tokens(calls),
        "expected_errors": list(script.errors),
        "exception_seen_by_caller": told["exception"],
        "components": list_agents(script, calls),
        "model_calls": [show_call(c) for c in calls],
        "traces": {i: tokens_of(calls if i == trace_ids[0] else []) for i in trace_ids},
        "telemetry_shortfall": [],
    }


def label_spans(labels: Sequence[tuple[Recorded, Label]]) -> Told:
    """Return the label of each span by id; repeated reports have ``duplicate_of``."""
    first = originals(labels)
    found: Told = {}
    for span, said in labels:
        entry = {"name": span.name, "type": said.type, "why": said.why, "trace_id": span.trace_id}
        original = span.span_id if said.run is None else first[said.run]
        repeats = {"duplicate_of": original} if original != span.span_id else {}
        found[span.span_id] = {**entry, **said.told, **repeats}
    return found


def show_call(call: Told) -> Told:
    """Return a model call in the form of the ground truth: without times, with its error."""
    error = {"error": BROKEN} if call["status"] != 200 else {}
    return {k: v for k, v in call.items() if k not in ("from_ns", "to_ns")} | error


def tokens_of(calls: Sequence[Told]) -> Told:
    """Return the sums of the model calls' input and output tokens."""
    used = [c["usage"] for c in calls if c["usage"]]
    return {f"{kind}_tokens": sum(u[kind] for u in used) for kind in ("input", "output")}


def sum_tokens(calls: Sequence[Told]) -> Told:
    """Return the expected sums of the answered model calls' tokens, by kind."""
    used = [c["usage"] for c in calls if c["usage"]]
    names = ("input", "output", "reasoning", "cache_read", "cache_creation")
    return {f"expected_{name}_tokens": sum(u[name] for u in used) for name in names}


def list_agents(script: Scenario, calls: Sequence[Told]) -> list[Told]:
    """Return a scenario's agents, each with its model calls and tools."""
    return [
        {
            "kind": "agent",
            "name": agent.name,
            "parent": agent.parent,
            "model_calls": [c["seq"] for c in calls if c["actor"] == agent.name],
            "tools": list(agent.tools),
        }
        for agent in (script.agents if script.has_agents else [])
    ]
