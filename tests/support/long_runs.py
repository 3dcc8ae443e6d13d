"""Long runs for the tests of the run's page: model calls with a shared history, and a huge run."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry.proto.trace.v1.trace_pb2 import Status
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import MS, send, wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from tests.conftest import RunningSpanloom

TURNS = 3
HUGE = 5_100
"""More than the page reads completely."""
PIECE = 3_000
DEEP, FAILS_AT = 2_000, 1_337
"""The number of spans of a deep run, and the number of its failing span."""
_SEARCH = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search",
    "gen_ai.tool.call.arguments": '{"q":"hotels in Bergen"}',
}
BEGUN_NS = 1_763_600_000_000_000_000
"""Fixed start of the conversation, so that screenshots can be compared."""


class LongRuns(NamedTuple):
    """Trace ids of the runs sent."""

    talk: str
    """An agent calls a model three times, each time with all earlier messages; idle between."""
    huge: str
    """A run with more steps than a browser reads completely."""


def send_long_runs(service: RunningSpanloom) -> LongRuns:
    """Send the runs and wait until both are settled."""
    runs = LongRuns(secrets.token_hex(16), secrets.token_hex(16))
    send(service, talk(runs.talk))
    spans = _huge(runs.huge)
    for at in range(0, HUGE, PIECE):
        send(service, message_of(spans[at : at + PIECE], {"service.name": "long"}))
    for trace in runs:
        wait_for(service.api, trace)
    return runs


def send_deep_run(service: RunningSpanloom) -> str:
    """Send a run of 2,000 steps, one of which fails deep inside; wait until it is settled.

    Twenty agents below the root alternate between a model and a tool.
    """
    trace = secrets.token_hex(16)
    send(service, message_of(_deep(trace), {"service.name": "long"}))
    wait_for(service.api, trace)
    return trace


def _deep(trace: str) -> list[Span]:
    now, spans = time.time_ns() - DEEP * MS, []
    for at in range(1, DEEP + 1):
        own = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": f"worker {at // 100}"}
        parent = 0 if at == 1 else 1 if at % 100 == 2 else (at - 3) // 100 * 100 + 2
        fields = own if parent < 2 else _SEARCH if at % 2 else _call([], _said("assistant", "On."))
        span = _span(trace, at, parent, fields, now + at * MS, 1)
        if at == FAILS_AT:
            span.status.code, span.status.message = Status.STATUS_CODE_ERROR, "429 slow down"
        spans.append(span)
    spans[0].end_time_unix_nano = now + (DEEP + 5) * MS
    return spans


def talk(trace: str, now: int = BEGUN_NS) -> ExportTraceServiceRequest:
    """Return a run of three turns: a model call and its tool, then an idle minute."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
    spans = [_span(trace, 1, 0, agent, now, 200_000)]
    messages = [_said("system", "You are a clerk."), _said("user", "Count the letters.")]
    for turn in range(TURNS):
        answer = _said("assistant", f"Batch {turn} has {turn + 4} letters.")
        start = now + turn * 65_000 * MS
        spans.append(_span(trace, 2 + 2 * turn, 1, _call(messages, answer), start, 3_000))
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "open_letter",
            "gen_ai.tool.call.arguments": f'{{"batch":{turn}}}',
            "gen_ai.tool.call.result": "opened",
        }
        spans.append(_span(trace, 3 + 2 * turn, 1, tool, start + 2_000 * MS, 2_000))
        messages = [*messages, answer, _said("user", f"And batch {turn + 1}?")]
    return message_of(spans, {"service.name": "long"})


def _said(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _call(messages: list[dict[str, object]], answer: dict[str, object]) -> dict[str, object]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps([answer]),
        "gen_ai.usage.input_tokens": 100 * len(messages),
        "gen_ai.usage.output_tokens": 12,
        "gen_ai.response.time_to_first_chunk": 0.8,
    }


def _span(
    trace: str, number: int, parent: int, attributes: Mapping[str, object], start: int, ms: int
) -> Span:
    name = str(attributes.get("gen_ai.tool.name") or attributes["gen_ai.operation.name"])
    span = wire_span(trace, number, parent, name, start, attributes)
    span.end_time_unix_nano = start + ms * MS
    return span


def _huge(trace: str) -> list[Span]:
    now = time.time_ns() - HUGE * MS
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "many"}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "step",
        "gen_ai.tool.call.result": "done",
    }
    steps = (_span(trace, at, 1, tool, now + at * MS, 1) for at in range(2, HUGE + 1))
    return [*steps, _span(trace, 1, 0, agent, now, HUGE + 5)]
