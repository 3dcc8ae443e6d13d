"""A program: a LangGraph agent that calls another agent, with real instrumentation.

Started as ``python -m tests.support.agents_team openinference`` or ``… otel_genai``. The scripted
models and tools record what they did themselves, below all instrumentation.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from tests.support.agents_sdk import sending_provider

from spanloom.demo.scripted_model import ScriptedChatModel, calls_tool

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatResult

INSTRUMENTATIONS = {
    "openinference": "openinference.instrumentation.langchain",
    "otel_genai": "opentelemetry.instrumentation.genai.langchain",
}
QUESTION = "How many people work at both together?"
CALLS: list[tuple[str, int, int, list[str]]] = []
"""Agent, input tokens, output tokens, output texts: one entry per model call."""
TOOLS: list[tuple[str, str, list[str], str]] = []
"""Agent, tool, arguments, result: one entry per tool run."""
TRUTH = {"question": QUESTION, "calls": CALLS, "tools": TOOLS}


class RecordedModel(ScriptedChatModel):
    """A scripted model that records its calls."""

    owner: str

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        result = super()._generate(messages)
        answer = result.generations[0].message
        assert isinstance(answer, AIMessage)
        assert answer.usage_metadata is not None
        usage = answer.usage_metadata
        CALLS.append((self.owner, usage["input_tokens"], usage["output_tokens"], said_in(answer)))
        return result


def said_in(answer: AIMessage) -> list[str]:
    """Return the texts of an output: its content, or its tool calls with their arguments."""
    called = [[call["name"], *map(str, call["args"].values())] for call in answer.tool_calls]
    return [text for texts in called for text in texts] or [str(answer.content)]


@tool
def head_count(company: str) -> str:
    """Look up how many people work at a company."""
    result = {"Alpha": "100 people", "Beta": "120 people"}[company]
    TOOLS.append(("researcher", "head_count", [company], result))
    return result


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    TOOLS.append(("planner", "add", [str(a), str(b)], str(a + b)))
    return a + b


RESEARCHER = create_agent(
    RecordedModel(
        owner="researcher",
        answers=[
            AIMessage(
                "",
                tool_calls=[
                    {"name": "head_count", "args": {"company": name}, "id": f"call_{name}"}
                    for name in ("Alpha", "Beta")
                ],
            ),
            AIMessage("Alpha has 100 people and Beta has 120."),
        ],
    ),
    [head_count],
    name="researcher",
)


@tool
def ask_researcher(question: str) -> str:
    """Let the researcher find something out."""
    found = RESEARCHER.invoke({"messages": [HumanMessage(question)]})
    result = str(found["messages"][-1].content)
    TOOLS.append(("planner", "ask_researcher", [question], result))
    return result


PLANNER = create_agent(
    RecordedModel(
        owner="planner",
        answers=[
            calls_tool("ask_researcher", question="How many people work at Alpha? At Beta?"),
            calls_tool("add", a=100, b=120),
            AIMessage("Together the two companies have 220 people."),
        ],
    ),
    [ask_researcher, add],
    name="planner",
)


def main() -> None:
    """Run the team once and print the real actions of its models and tools."""
    instrumentor = import_module(INSTRUMENTATIONS[sys.argv[1]]).LangChainInstrumentor()
    with sending_provider(TRUTH) as provider:
        instrumentor.instrument(tracer_provider=provider)
        PLANNER.invoke({"messages": [HumanMessage(QUESTION)]})


if __name__ == "__main__":
    main()
