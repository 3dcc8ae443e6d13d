"""Requests as senders send them (``fixtures/wild``), and what becomes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.extracting import World

from spanloom.collector.doors.otlp.json import decode_traces
from spanloom.collector.intake.limits import Limits

WILD = Path(__file__).parents[1] / "fixtures" / "wild"

Document = dict[str, Any]  # the canonical document


def wild_documents(name: str) -> list[Document]:
    """Return the documents of a request's traces, in the order in which their spans are sent."""
    sent = json.loads((WILD / f"{name}.json").read_text())
    requests = sent if isinstance(sent, list) else [sent]
    world = World()
    for request in requests:
        world.send_message(decode_traces(json.dumps(request).encode(), Limits()))
        world.step(4)
    world.step(100)
    world.step(100)
    traces = [
        span["traceId"]
        for request in requests
        for resource in request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    return [world.document(trace_id) for trace_id in dict.fromkeys(traces)]


def steps_of(document: Document, kind: str) -> list[Document]:
    """Return the steps of a type below the root, by start."""
    found = {s["id"]: s for a in document["agent_steps"] for s in a["steps"] if s["type"] == kind}
    return sorted(found.values(), key=lambda s: (int(s["basic_info"]["started_at"]), s["id"]))
