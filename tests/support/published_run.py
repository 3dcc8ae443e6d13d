"""The published example of the step annotation scheme, as spans."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING

from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import MS, send, wait_for

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom

TASK = "Find the weather in San Francisco"
STEPS = (
    ("search_web", "SF weather", "Need to find weather info."),
    ("click_result", "0", "Opening first result."),
    ("extract_text", ".weather", "Getting the data."),
)
"""The tool, arguments and thought of each action."""


def send_published(service: RunningSpanloom) -> str:
    """Send the run, wait until it is settled, and return its trace id."""
    trace, now = secrets.token_hex(16), time.time_ns() - 10 * MS
    messages = [{"role": "user", "parts": [{"type": "text", "content": TASK}]}]
    root = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "browser",
        "gen_ai.input.messages": json.dumps(messages),
    }
    spans = [wire_span(trace, 1, 0, "browser", now, root)]
    for at, (name, argument, thought) in enumerate(STEPS, 1):
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.arguments": json.dumps({"of": argument, "because": thought}),
        }
        spans.append(wire_span(trace, at + 1, 1, name, now + at * MS, attributes))
    send(service, message_of(spans, {"service.name": "published"}))
    wait_for(service.api, trace)
    return trace
