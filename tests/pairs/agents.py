"""The agents, tools and chain of the scenarios, written with LangChain as in an application."""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.pairs.answers import MODEL
from tests.pairs.script import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.pairs.script import Agent, Scenario

TAKES_S = {"Oslo": 0.02, "Bergen": 0.07, "Flam": 0.02}
"""Seconds that a tool takes per city, so that two runs of one tool end at different times."""
ARGUMENT = {
    "query_orders": "order",
    "transfer_to_support": "reason",
    "ask_researcher": "task",
    "ask_writer": "task",
}
Log = list[dict[str, Any]]


def make_first_agent(script: Scenario, log: Log) -> Any:
    """Return the scenario's first agent, with all agents that it calls."""
    return make_agent(script.agents[0], script, log)


def make_agent(agent: Agent, script: Scenario, log: Log) -> Any:
    """Return an agent with its tools and the agents that it calls; tool runs go to the log."""
    inner = {a.name: a for a in script.agents if a.parent == agent.name}

    def work(name: str) -> Callable[[str], str]:
        asked = inner.get(name.removeprefix("ask_"))
        if asked is not None:
            return _asking(make_agent(asked, script, log))
        if name.startswith("transfer_to_"):
            return _handing_over(name.removeprefix("transfer_to_"))
        return _find_order if name == "query_orders" else _look_up

    return import_module("langchain.agents").create_agent(
        make_model(agent, streams=script.streams),
        [_tool(name, work(name), log) for name in agent.tools],
        name=agent.name,
        system_prompt=f"You are {agent.name}.",
        middleware=_middleware(agent, script),
    )


def make_chain(agent: Agent) -> Any:
    """Return a chain without agents: it retrieves a document and asks a model about it."""
    core = {n: import_module(f"langchain_core.{n}") for n in ("prompts", "runnables", "documents")}
    document = core["documents"].Document("Refunds are paid within 14 days.", id="handbook-3")

    def find(*_: Any, **__: Any) -> list[Any]:
        time.sleep(0.01)
        return [document]

    base = import_module("langchain_core.retrievers").BaseRetriever
    methods = {"_get_relevant_documents": find, "__module__": __name__}
    retriever = type("HandbookRetriever", (base,), methods)
    asked = "Answer from: {context}\nQuestion: {question}"
    prompt = core["prompts"].ChatPromptTemplate.from_template(asked)
    parser = import_module("langchain_core.output_parsers").StrOutputParser()
    passed = core["runnables"].RunnablePassthrough()
    return {"context": retriever(), "question": passed} | prompt | make_model(agent) | parser


def make_model(agent: Agent, *, streams: bool = False) -> Any:
    """Return a client of the scripted server, which identifies the agent by the URL's path."""
    return import_module("langchain_openai").ChatOpenAI(
        model=MODEL,
        base_url=f"{os.environ['PAIRS_SERVER']}/{agent.name}/v1",
        api_key="none",
        max_retries=0,
        streaming=streams,
        stream_usage=True,
    )


def _look_up(city: str) -> str:
    time.sleep(TAKES_S[city])
    return f"{city} is fine"


def _find_order(_: str) -> str:
    time.sleep(0.02)
    raise ValueError(UNKNOWN)


def _asking(agent: Any) -> Callable[[str], str]:
    def ask(task: str) -> str:
        answer = agent.invoke({"messages": [{"role": "user", "content": task}]})
        return str(answer["messages"][-1].content)

    return ask


def _tool(name: str, work: Callable[[str], str], log: Log) -> Any:
    argument = ARGUMENT.get(name, "city")

    def run_tool(**given: str) -> str:
        word = given[argument]
        run = {"name": name, "argument": word, "from_ns": time.time_ns(), "outcome": "error"}
        log.append(run)
        try:
            answer = work(word)
            run["outcome"] = "ok"
            return answer
        finally:
            run["to_ns"] = time.time_ns()

    properties = {argument: {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": [argument]}
    tool = import_module("langchain_core.tools").StructuredTool
    return tool.from_function(run_tool, name=name, description=name, args_schema=schema)


def _handing_over(to: str) -> Callable[[str], Any]:
    command = import_module("langgraph.types").Command
    return lambda _: command(goto=to, graph=command.PARENT, update={"messages": []})


def _middleware(agent: Agent, script: Scenario) -> Sequence[Any]:
    if script.falls_back:
        module = import_module("langchain.agents.middleware")
        return [module.ModelFallbackMiddleware(make_model(agent))]
    return [_handled()] if script.errors else ()


def _handled() -> Any:
    """Return a middleware that gives the model a failed tool's error message as its result."""
    middleware = import_module("langchain.agents.middleware")
    message = import_module("langchain_core.messages").ToolMessage

    def handle(request: Any, call: Callable[[Any], Any]) -> Any:
        try:
            return call(request)
        except ValueError as error:
            return message(str(error), tool_call_id=request.tool_call["id"], status="error")

    return middleware.wrap_tool_call(handle)
