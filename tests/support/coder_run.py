"""A run for readers to explore: a deep failure, a loop, prompts, parameters."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING

from opentelemetry.proto.trace.v1.trace_pb2 import Status
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import MS, agent_attributes, send, tool_attributes, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from tests.conftest import RunningSpanloom

TIMES = 14
"""How many times in a row the same tests run."""
PROMPT = "You mend code.\nRun the tests before you answer, and never guess what they say."
QUOTA = "HTTP 429 quota exceeded"
LATE_WORD = "xylophone"
"""Only in the last model call, after more characters than a text shows at first."""
_EACH_MS = 20


def send_coder_run(service: RunningSpanloom) -> str:
    """Send the run, wait until it is settled, and return its trace id.

    An agent runs the same tests 14 times, each after a model call. Then an agent that it calls
    fails at fetching a page, and so does the run.
    """
    trace = secrets.token_hex(16)
    send(service, message_of(list(_spans(trace)), {"service.name": "coder"}))
    wait_for(service.api, trace)
    return trace


def _spans(trace: str) -> Iterator[Span]:
    begun = time.time_ns() - 10_000 * MS
    ends = 2 * TIMES + 6
    yield _span(trace, 1, 0, "coder", agent_attributes("coder"), begun, ends, "research failed")
    history = [_said("system", PROMPT), _said("user", "Make the tests pass.")]
    for turn in range(TIMES):
        at = 2 + 2 * turn
        yield _span(trace, at, 1, "chat", _chat(history, "Once more."), begun + at * _EACH_MS * MS)
        history = [*history, _said("assistant", "Once more."), _said("user", f"Red, {turn}.")]
        tool = tool_attributes("run_tests", '{"path":"tests"}', f"red {turn}")
        yield _span(trace, at + 1, 1, "run_tests", tool, begun + (at + 1) * _EACH_MS * MS)
    at = 2 + 2 * TIMES
    yield _span(
        trace,
        at,
        1,
        "researcher",
        agent_attributes("researcher"),
        begun + at * _EACH_MS * MS,
        4,
        "no page",
    )
    page = tool_attributes("fetch_page", '{"url":"https://example.com/manual"}', "")
    yield _span(trace, at + 1, at, "fetch_page", page, begun + (at + 1) * _EACH_MS * MS, 1, QUOTA)
    told = _chat(history, f"{'It stays red. ' * 300}{LATE_WORD}.")
    yield _span(trace, at + 2, at, "chat", told, begun + (at + 2) * _EACH_MS * MS)


def _span(
    trace: str,
    number: int,
    parent: int,
    name: str,
    fields: Mapping[str, object],
    start_ns: int,
    lasts: int = 1,
    failure: str = "",
) -> Span:
    span = wire_span(trace, number, parent, name, start_ns, dict(fields))
    span.end_time_unix_nano = start_ns + lasts * _EACH_MS * MS - MS
    if failure:
        span.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message=failure))
    return span


def _said(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _chat(history: list[dict[str, object]], answer: str) -> dict[str, object]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.max_tokens": 400,
        "gen_ai.response.finish_reasons": json.dumps(["stop"]),
        "gen_ai.response.time_to_first_chunk": 0.005,
        "gen_ai.input.messages": json.dumps(history),
        "gen_ai.output.messages": json.dumps([_said("assistant", answer)]),
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
    }
