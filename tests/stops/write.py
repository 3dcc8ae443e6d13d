"""The ground truth of a run that stopped: its calls and tools, and the outcome of each trace.

``traces`` has the ``outcome`` of each trace and, if it waits for a person, the tool calls to be
approved (``asked``).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.pairs.write import (
    KINDS,
    label_spans,
    list_agents,
    recorded,
    save,
    scrubbed,
    show_call,
    sum_tokens,
    tokens_of,
)
from tests.stops.labels import label
from tests.stops.script import STOPS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.pairs.labels import Label, Recorded

Told = dict[str, Any]
Labels = list[tuple["Recorded", "Label"]]


def write(folder: Path, name: str, told: Told) -> Told:
    """Write one capture; return its numbers of spans, traces and bytes."""
    requests = [scrubbed(body, told["port"], told["packages"]) for body in told["requests"]]
    return save(folder, name, "", requests, _truth(name, requests, told))


def _truth(name: str, requests: Sequence[bytes], told: Told) -> Told:
    stop, calls, tools = STOPS[name], told["calls"], told["tools"]
    spans = sorted(recorded(requests), key=lambda s: (s.start_ns, s.span_id))
    labels = [(span, label(span, stop, calls, tools)) for span in spans]
    traces = _traces(labels, told)
    counts = Counter(said.type for _, said in labels)
    seen = {run.get("exception") for run in told["runs"]} - {None}
    return {
        "trace_id": next(iter(traces)),
        "trace_ids": list(traces),
        "wire": "HTTP application/x-protobuf",
        "request_sizes": [len(body) for body in requests],
        "spans": label_spans(labels),
        "counts": {kind: counts[kind] for kind in KINDS},
        "tool_runs": [{"name": t["name"], "outcome": t["outcome"]} for t in tools],
        **sum_tokens(calls),
        "expected_errors": list(stop.script.errors),
        "exception_seen_by_caller": next(iter(seen), None),
        "components": list_agents(stop.script, calls),
        "model_calls": [show_call(c) for c in calls],
        "traces": traces,
        "telemetry_shortfall": _shortfall(labels, told),
    }


def _traces(labels: Labels, told: Told) -> Told:
    """Return tokens and outcome by trace; a trace that began before any run has no outcome."""
    found: Told = {}
    for span, _ in labels:
        if span.trace_id in found:
            continue
        mine = {said.told.get("model_call") for s, said in labels if s.trace_id == span.trace_id}
        begun = [run for run in told["runs"] if run["from_ns"] <= span.start_ns]
        went = {k: begun[-1][k] for k in ("outcome", "asked", "answer") if begun and k in begun[-1]}
        found[span.trace_id] = {**tokens_of([c for c in told["calls"] if c["seq"] in mine]), **went}
    return found


def _shortfall(labels: Labels, told: Told) -> list[str]:
    seen = {said.told["model_call"] for _, said in labels if "model_call" in said.told}
    missing = [c["seq"] for c in told["calls"] if c["seq"] not in seen]
    return [f"model call {number}: no span reports it" for number in missing]
