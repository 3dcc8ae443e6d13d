"""Runs an agent of OpenAI's SDK that needs a tool approved, and answers for the person."""

from __future__ import annotations

import asyncio
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.stops.script import LOOK_UP, WIRE
from tests.stops.tools import look_up_account, wire_money

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stops.script import Stop
    from tests.stops.tools import Log

NEXT_PROCESS = "state.json"
"""The file with the state of a run, for the process that resumes it."""


def run(stop: Stop, log: Log, _: list[Any], folder: Path) -> list[dict[str, Any]]:
    """Run the agent until it requests approval, or resume the run that another process saved."""
    return asyncio.run(_run(stop, log, folder / NEXT_PROCESS))


async def _run(stop: Stop, log: Log, left: Path) -> list[dict[str, Any]]:
    sdk = import_module("agents")
    sdk.set_tracing_export_api_key("none")
    tool = sdk.function_tool
    tools = [
        tool(look_up_account(log), name_override=LOOK_UP),
        tool(wire_money(log), name_override=WIRE, needs_approval=True),
    ]
    name = stop.script.agents[0].name
    told = f"You are {name}."
    agent = sdk.Agent(name=name, model="gpt-4o-mini", tools=tools, instructions=told)
    if left.exists():
        state = await sdk.RunState.from_string(agent, left.read_text())
        return [await _go_on(sdk, agent, stop, state)]
    began = time.time_ns()
    result = await sdk.Runner.run(agent, stop.script.question)
    asked = [{"tool": i.name, "arguments": i.arguments} for i in result.interruptions]
    first = {"from_ns": began, "outcome": "paused", "asked": asked}
    if stop.in_process:
        return [first, await _go_on(sdk, agent, stop, result.to_state())]
    left.write_text(result.to_state().to_string())
    return [first]


async def _go_on(sdk: Any, agent: Any, stop: Stop, state: Any) -> dict[str, Any]:
    began = time.time_ns()
    for item in state.get_interruptions():
        (state.approve if stop.is_approved else state.reject)(item)
    result = await sdk.Runner.run(agent, state)
    return {"from_ns": began, "outcome": "ok", "answer": result.final_output}
