"""Runs of a team over two weeks: agents, models, tools, failures, users, conversations."""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.trace.v1.trace_pb2 import Status
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, wait_for_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from tests.conftest import RunningSpanloom

AGENTS, MODELS = ("coder", "planner", "refunds"), ("gpt-4o", "gpt-4o-mini")
TOOLS, USERS = ("fetch_page", "run_tests"), ("ada", "bob")
S = 1_000_000_000
HOUR = 3600 * S
AGO_NS = (HOUR // 2, 5 * HOUR, 30 * HOUR, 80 * HOUR, 140 * HOUR, 200 * HOUR, 300 * HOUR)
"""The ages of runs: two within a day, five within a week, all within 30 days."""


def send_team(service: RunningSpanloom, rounds: int = 5) -> Sequence[str]:
    """Send ``rounds`` runs at each time of ``AGO_NS``, and wait until all are settled."""
    chance, now_ns = Random(37), time.time_ns()
    traces = []
    spans: list[Span] = []
    for at, ago_ns in enumerate(AGO_NS * rounds):
        traces.append(f"{at + 1:032x}")
        spans.extend(_run(traces[-1], at, now_ns - ago_ns - at * S, chance))
    send(service, message_of(spans, {"service.name": "team", "service.version": "1.4.0"}))
    wait_for_all(service.api, traces)
    return traces


def _run(trace: str, at: int, start_ns: int, chance: Random) -> Iterator[Span]:
    """Yield an agent's spans: model call, tool, model call; every fourth run and its tool fail."""
    is_failed = at % 4 == 0
    yield _span(
        trace, 1, 0, f"invoke_agent {AGENTS[at % 3]}", start_ns, 9 * S, _agent(at), is_failed
    )
    for number in (2, 4):
        start = start_ns + (number - 1) * S
        yield _span(trace, number, 1, "chat", start, chance.randrange(S, 2 * S), _call(at, chance))
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": TOOLS[at % 2]}
    yield _span(trace, 3, 1, "execute_tool", start_ns + 3 * S, S, tool, is_failed)


def _agent(at: int) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENTS[at % 3],
        "gen_ai.conversation.id": f"talk-{at % 6}",
        "user.id": USERS[at % 2],
    }


def _call(at: int, chance: Random) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": MODELS[(at // 2) % 2],
        "gen_ai.usage.input_tokens": chance.randrange(500, 9000),
        "gen_ai.usage.output_tokens": chance.randrange(20, 900),
    }


def _span(
    trace: str,
    number: int,
    parent: int,
    name: str,
    start_ns: int,
    duration_ns: int,
    attributes: dict[str, Any],
    is_failed: bool = False,
) -> Span:
    span = wire_span(trace, number, parent, name, start_ns, attributes)
    span.end_time_unix_nano = start_ns + duration_ns
    if is_failed:
        span.status.code, span.status.message = Status.STATUS_CODE_ERROR, "HTTP 429 quota exceeded"
    return span
