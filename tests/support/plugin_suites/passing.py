"""A suite that passes: agents in this process, its threads, its tasks and another process."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from langsmith import tracing_context
from openinference.instrumentation.langchain import LangChainInstrumentor
from tests.support.plugin_suites.acting import ELSEWHERE, act

from spanloom.demo.live import QUESTION, _answer

if TYPE_CHECKING:
    from spanloom.testing.opening import OpenRun
    from spanloom.testing.receiver import Receiver
    from spanloom.testing.run import AgentRun

SEARCH = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
REFERENCE = [
    {"role": "assistant", "content": "", "tool_calls": [SEARCH]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
]


def test_every_method_judges(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search", "book")
    run.rules(max_tool_calls=2, forbidden_tools=["delete_*"], errors="handled")
    run.check('tool_steps < 3 and has(tool = "search" then tool = "book")')
    run.match(REFERENCE, mode="in_order", args="superset")
    assert run.evaluate(lambda document, _: len(document["agent_steps"]))[0]["value"] == 1
    assert [one["kind"] for one in run.results] == ["rules"] * 3 + ["where", "match", "python"]
    assert run.trajectory["root_step"]["name"] == "planner"


def test_a_rule_that_only_warns_fails_nothing(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search", "book")
    run.rules(max_tool_calls={"value": 1, "severity": "warn"})
    assert run.results[0]["passed"] is False


def test_a_plain_thread(agent_run: OpenRun) -> None:
    with agent_run() as run:
        thread = threading.Thread(target=act, args=("search",))
        thread.start()
        thread.join()  # else the block may end before the root span starts
    run.rules(max_tool_calls=1, required_tools=["search"])


def test_threads_with_contexts_at_the_same_time(agent_run: OpenRun) -> None:
    with agent_run(wait_s=60) as first:
        outer = contextvars.copy_context()
        with agent_run() as second:
            inner = contextvars.copy_context()
            threads = [
                threading.Thread(target=outer.run, args=(act, "a")),
                threading.Thread(target=inner.run, args=(act, "b")),
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    first.rules(required_tools=["a"], max_tool_calls=1)
    second.rules(required_tools=["b"], max_tool_calls=1)


def test_tasks_at_the_same_time(agent_run: OpenRun) -> None:
    async def one(*tools: str) -> AgentRun:
        with agent_run() as run:
            await asyncio.sleep(0)
            act(*tools)
            await asyncio.sleep(0.01)
        return run

    async def both() -> tuple[AgentRun, AgentRun]:
        return await asyncio.gather(one("a"), one("b", "c"))

    first, second = asyncio.run(both())
    first.rules(required_tools=["a"], max_tool_calls=1)
    second.rules(required_tools=["b", "c"], max_tool_calls=2)


def test_another_process(agent_run: OpenRun, otlp_endpoint: Receiver) -> None:
    assert str(otlp_endpoint).startswith("http://127.0.0.1:")
    with agent_run() as run:
        subprocess.run([sys.executable, "-c", ELSEWHERE], check=True)
    run.rules(max_tool_calls=2, required_tools=["book"])


def test_several_traces(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
        act("book", "search")
    with pytest.raises(AssertionError, match="2 traces"):
        run.rules(max_tool_calls=1)
    run.rules(max_tool_calls=1, trajectory=run.trajectories[0])
    with pytest.raises(AssertionError, match="2 tool calls"):
        run.rules(max_tool_calls=1, trajectory=run.trajectories[1])


@pytest.fixture
def langchain() -> Any:
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument()
    yield
    instrumentor.uninstrument()


@pytest.mark.usefixtures("langchain")
@pytest.mark.spanloom(repeats=5)
def test_a_team_of_langgraph_has_a_stable_golden(agent_run: OpenRun) -> None:
    with agent_run() as run, tracing_context(enabled=False):
        _answer(QUESTION)
    run.match("team.golden.json")
    run.match("steps.golden.json", of="steps")
    run.rules(required_tools=["web_search", "add"])
