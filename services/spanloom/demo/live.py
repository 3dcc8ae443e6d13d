"""A small team of LangGraph agents, traced by OpenInference and a standard OTLP exporter.

Needs the extra ``demo``. Nothing leaves the machine: the model is scripted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langsmith import tracing_context
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from spanloom.demo.scripted_model import ScriptedChatModel, calls_tool

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span

QUESTION = "How many people work at Alpha and Beta together?"


class _FirstTrace(SpanProcessor):
    """Records the trace id of the first span, to query its trajectory afterwards."""

    trace_id = ""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002  # the SDK's signature
        context = span.get_span_context()
        if not self.trace_id and context is not None:
            self.trace_id = f"{context.trace_id:032x}"


def run_live(endpoint: str) -> str:
    """Run the agents, exporting to ``endpoint``; return the trace id once all spans are sent."""
    first = _FirstTrace()
    provider = TracerProvider(resource=Resource.create({"service.name": "spanloom-demo"}))
    provider.add_span_processor(first)
    exporter = OTLPSpanExporter(endpoint=endpoint, insecure=True)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=200))
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        with tracing_context(
            enabled=False
        ):  # never to LangSmith, even if the environment enables it
            _answer(QUESTION)
    finally:
        instrumentor.uninstrument()
        provider.shutdown()
    return first.trace_id


def _answer(question: str) -> None:
    researcher = create_agent(
        ScriptedChatModel(
            answers=[
                calls_tool("web_search", query="staff of Alpha"),
                calls_tool("web_search", query="staff of Beta"),
                AIMessage("Alpha has 100 people and Beta has 120."),
            ]
        ),
        [web_search],
        system_prompt="Find facts, one search at a time.",
        name="researcher",
    )

    @tool
    def ask_researcher(question: str) -> str:
        """Let the researcher find something out."""
        result = researcher.invoke({"messages": [HumanMessage(question)]})
        return str(result["messages"][-1].content)

    planner = create_agent(
        ScriptedChatModel(
            answers=[
                calls_tool("ask_researcher", question="How many people work at Alpha? At Beta?"),
                calls_tool("add", a=100, b=120),
                AIMessage("Together the two companies have 220 people."),
            ]
        ),
        [ask_researcher, add],
        system_prompt="Delegate research, calculate, then answer.",
        name="planner",
    )
    planner.invoke({"messages": [HumanMessage(question)]})


@tool
def web_search(query: str) -> str:
    """Search the (imagined) web."""
    return "Alpha: 100 people" if "Alpha" in query else "Beta: 120 people"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b
