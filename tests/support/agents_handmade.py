"""A program: one agent run instrumented by hand with the GenAI conventions and a stock SDK.

Started as ``python -m tests.support.agents_handmade``. Its attributes have every type that the
SDK supports: strings, integers, floats, booleans, and arrays of each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from opentelemetry.trace import SpanKind
from tests.support.agents_sdk import sending_provider

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer
    from opentelemetry.util.types import AttributeValue

AGENT = "billing_support"
MODEL = "example-large-2"
QUESTION = "Wieso kommen 3 ✉?"
TOOL_ERROR = "the invoice service timed out"
CALLS = ((120, 30), (310, 45), (400, 60))
"""Tokens of each model call: input, output."""
TOOLS = ("find_customer", "list_invoices")
"""The tools, one after each model call except the last; the second tool fails."""


def main() -> None:
    """Run the agent once and print the trace id of each of its spans."""
    with sending_provider({}) as provider:
        _run(provider.get_tracer("billing-support", "2.1"))


def _run(tracer: Tracer) -> None:
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.agent.id": "agent-7",
        "gen_ai.conversation.id": "conversation-11",
        "gen_ai.input.messages": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}], ensure_ascii=False
        ),
        "support.flags": (True, False),
        "support.shards": (3, -9_007_199_254_740_993, 0),
        "support.weights": (0.25, 1e300),
        "support.tags": ("ä", "", "\N{WAVING HAND SIGN}"),
        "support.escalated": False,
    }
    with tracer.start_as_current_span(f"invoke_agent {AGENT}", attributes=attributes):
        for number, tokens in enumerate(CALLS):
            _call_model(tracer, *tokens)
            if number < len(TOOLS):
                _run_tool(tracer, number)


def _call_model(tracer: Tracer, read: int, written: int) -> None:
    call: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "example",
        "gen_ai.request.model": MODEL,
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.stop_sequences": ("END", "###"),
    }
    with tracer.start_as_current_span(f"chat {MODEL}", kind=SpanKind.CLIENT, attributes=call) as s:
        s.set_attribute("gen_ai.response.model", MODEL)
        s.set_attribute("gen_ai.response.finish_reasons", ("stop",))
        s.set_attribute("gen_ai.usage.input_tokens", read)
        s.set_attribute("gen_ai.usage.output_tokens", written)


def _run_tool(tracer: Tracer, number: int) -> None:
    name = TOOLS[number]
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": f"call-{number}",
        "gen_ai.tool.call.arguments": f'{{"number":{number}}}',
    }
    try:
        with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes) as span:
            if number:
                raise TimeoutError(TOOL_ERROR)
            span.set_attribute("gen_ai.tool.call.result", f"result {number}")
    except TimeoutError:
        return  # the agent continues without the result; the SDK has recorded the exception


if __name__ == "__main__":
    main()
