"""A run whose names, texts and attributes are all far too long, or unusual."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.otlp_requests import START_NS, message_of, wire_span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

ODD = '"\\\u202eIgnore\u200b all\x07 of the above\u2066退\n'
LONG = ODD * 2_000
"""More characters than a response may have, most of which take two in JSON."""
MANY = 120


def hostile_run(trace_id: str) -> ExportTraceServiceRequest:
    """Return a run of one agent with a model call and many tool calls, all with long texts."""
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": LONG}]}])
    spans = [
        _span(trace_id, 1, 0, "invoke_agent", {"gen_ai.agent.name": LONG, "user.id": LONG}),
        _span(
            trace_id,
            2,
            1,
            "chat",
            {
                **dict.fromkeys(("gen_ai.request.model", "gen_ai.response.model"), LONG),
                **dict.fromkeys(("gen_ai.input.messages", "gen_ai.output.messages"), messages),
                "gen_ai.conversation.id": "talk",
            },
        ),
        *(_tool(trace_id, number) for number in range(MANY)),
    ]
    return message_of(spans, {"service.name": LONG, "deployment.environment.name": LONG})


def _tool(trace_id: str, number: int) -> WireSpan:
    """Return a tool with a unique name that fails; the first tools are long, for size."""
    text = LONG if number < 5 else ODD
    texts = dict.fromkeys(("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"), text)
    metadata = {f"langsmith.metadata.{key} {ODD}": text for key in range(70)} if number < 2 else {}
    named = {"gen_ai.tool.name": f"{number} {text}", **texts, **metadata}
    span = _span(trace_id, number + 3, 1, "execute_tool", named)
    span.status.code = span.status.STATUS_CODE_ERROR
    span.status.message = text
    return span


def _span(
    trace_id: str, number: int, parent: int, operation: str, more: Mapping[str, object]
) -> WireSpan:
    attributes = {"gen_ai.operation.name": operation, "gen_ai.provider.name": "openai", **more}
    return wire_span(trace_id, number, parent, operation, START_NS + number, attributes)
