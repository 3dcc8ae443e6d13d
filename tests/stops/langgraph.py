"""Runs LangGraph agents that their caller ends: by cancel, time limit, closed stream, Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.pairs.agents import make_model
from tests.stops.script import SLOW

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.pairs.script import Agent
    from tests.stops.script import Stop

Log = list[dict[str, Any]]
WAITS_S = 2
"""Seconds until the caller gives up, when the slow call has begun."""
HEAD_START_S = 0.3
TAKES_S = 20
"""Seconds that the abandoned tool would take."""


def run(stop: Stop, tools: Log, callbacks: list[Any], _: Path) -> list[dict[str, Any]]:
    """Run the agent until it ends or its caller gives up; return the outcome and exception."""
    config = {"callbacks": callbacks}
    asked = {"messages": [{"role": "user", "content": stop.script.question}]}
    agent = _make_agent(stop.script.agents[0], stop, tools)
    ran: dict[str, Any] = {"from_ns": time.time_ns(), "outcome": stop.outcome}
    try:
        if stop.way == "keyboard":
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
            agent.invoke(asked, config=config)
        else:
            asyncio.run(_call(agent, asked, config, stop))
    except (Exception, KeyboardInterrupt, asyncio.CancelledError) as error:
        ran["exception"] = f"{type(error).__name__}: {error}"
    return [ran]


async def _call(agent: Any, asked: Any, config: Any, stop: Stop) -> None:
    if stop.way == "close":
        stream = agent.astream(asked, config=config, stream_mode="messages")
        await anext(stream)
        await stream.aclose()
    elif stop.way == "timeout":
        async with asyncio.timeout(WAITS_S):
            await agent.ainvoke(asked, config=config)
    elif stop.way == "cancel":
        task = asyncio.create_task(agent.ainvoke(asked, config=config))
        await asyncio.sleep(WAITS_S)
        task.cancel()
        await task
    else:
        await agent.ainvoke(asked, config=config)


def _make_agent(agent: Agent, stop: Stop, log: Log) -> Any:
    scouts = [a for a in stop.script.agents if a.parent == agent.name]
    inner = [_make_agent(scout, stop, log) for scout in scouts]
    work = _race(inner) if inner else _look_up(stop.way)
    tools = [_tool(name, work, log, is_sync=stop.way == "keyboard") for name in agent.tools]
    return import_module("langchain.agents").create_agent(
        make_model(agent, streams=stop.script.streams),
        tools,
        name=agent.name,
        system_prompt=f"You are {agent.name}.",
    )


def _race(inner: list[Any]) -> Callable[[str], Any]:
    async def ask_first(city: str) -> str:
        asked = {"messages": [{"role": "user", "content": f"Is {city} dry?"}]}
        tasks = []
        for agent in inner:
            tasks.append(asyncio.create_task(agent.ainvoke(asked)))
            await asyncio.sleep(HEAD_START_S)
        done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        return str(done.pop().result()["messages"][-1].content)

    return ask_first


def _look_up(way: str) -> Callable[[str], Any]:
    async def look_up(city: str) -> str:
        if city == SLOW and way == "deadline":
            async with asyncio.timeout(0.1):
                await asyncio.sleep(TAKES_S)
        await asyncio.sleep(TAKES_S if city == SLOW else 0.02)
        return f"{city} is fine"

    return look_up


def _tool(name: str, work: Callable[[str], Any], log: Log, *, is_sync: bool) -> Any:
    def begin(city: str) -> dict[str, Any]:
        log.append({"name": name, "argument": city, "from_ns": time.time_ns(), "outcome": "error"})
        return log[-1]

    async def run_tool(city: str) -> str:
        ran = begin(city)
        try:
            answer = await work(city)
            ran["outcome"] = "ok"
        except asyncio.CancelledError:
            ran["outcome"] = "cancelled"
            raise
        finally:
            ran["to_ns"] = time.time_ns()
        return str(answer)

    def press(city: str) -> str:
        ran = begin(city)
        if city == SLOW:
            ran["outcome"] = "cancelled"
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        ran.update(to_ns=time.time_ns(), outcome="cancelled" if city == SLOW else "ok")
        return f"{city} is fine"

    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool = import_module("langchain_core.tools").StructuredTool
    made = {"func": press} if is_sync else {"coroutine": run_tool}
    return tool.from_function(**made, name=name, description=name, args_schema=schema)
