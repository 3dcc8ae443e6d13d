"""Runs with a question and an answer, of releases with different tools."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import agent_attributes, send, tool_attributes, wait_for_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from tests.conftest import RunningSpanloom

STEP_NS = 20_000_000


def send_asked_runs(
    service: RunningSpanloom, release: str, tools: Sequence[Sequence[str]], first: int = 1
) -> Sequence[str]:
    """Send a run for each list of tools, numbered from ``first``, and wait until all are settled.

    The trace ids are the numbers, so a later run is newer.
    """
    traces = [f"{number:032x}" for number in range(first, first + len(tools))]
    begun_ns = time.time_ns() - 600_000_000_000
    spans = [
        span
        for at, (trace, names) in enumerate(zip(traces, tools, strict=True), start=first)
        for span in _spans(trace, at, names, begun_ns + at * 1_000_000_000)
    ]
    send(service, message_of(spans, {"service.name": "asked", "service.version": release}))
    wait_for_all(service.api, traces)
    return traces


def _spans(trace: str, number: int, tools: Sequence[str], start_ns: int) -> list[Span]:
    agent = {
        **agent_attributes("guide"),
        "gen_ai.input.messages": _said("user", f"Is town {number} dry?"),
        "gen_ai.output.messages": _said("assistant", f"Town {number} is dry."),
    }
    root = wire_span(trace, 1, 0, "guide", start_ns, agent)
    root.end_time_unix_nano = start_ns + (len(tools) + 1) * STEP_NS
    steps = []
    for at, name in enumerate(tools, start=2):
        arguments = json.dumps({"town": number, "step": at})
        begun_ns = start_ns + (at - 1) * STEP_NS
        step = wire_span(trace, at, 1, name, begun_ns, tool_attributes(name, arguments, "dry"))
        step.end_time_unix_nano = begun_ns + STEP_NS
        steps.append(step)
    return [root, *steps]


def _said(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
