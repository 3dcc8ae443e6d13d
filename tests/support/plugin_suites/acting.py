"""An agent of a suite: spans of the GenAI conventions, from the global provider."""

from __future__ import annotations

from opentelemetry import trace

ELSEWHERE = """
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from tests.support.plugin_suites.acting import act

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
act("search", "book")
provider.shutdown()
"""
"""A program that runs the agent with its own exporter."""


class Planner:
    """The agent of the documentation."""

    def invoke(self, question: str) -> str:
        """Run the agent."""
        act("search", "book")
        return question


planner = Planner()


def act(*tools: str, fails: str = "") -> None:
    """Run an agent that calls these tools in sequence; ``fails`` names the tool that fails."""
    tracer = trace.get_tracer("acting")
    told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
    with tracer.start_as_current_span("invoke_agent planner", attributes=told):
        for name in tools:
            call = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.arguments": '{"city":"Oslo"}',
            }
            with tracer.start_as_current_span(f"execute_tool {name}", attributes=call) as span:
                if name == fails:
                    span.set_status(trace.StatusCode.ERROR, "no room")
