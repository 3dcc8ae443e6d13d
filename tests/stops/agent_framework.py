"""Runs an agent of Microsoft's framework that needs a tool approved, and answers for the person."""

from __future__ import annotations

import asyncio
import os
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.stops.tools import look_up_account, wire_money

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stops.script import Stop
    from tests.stops.tools import Log


def run(stop: Stop, log: Log, _: list[Any], __: Path) -> list[dict[str, Any]]:
    """Run the agent until it requests approval, then resume it with the answer in its session."""
    return asyncio.run(_run(stop, log))


async def _run(stop: Stop, log: Log) -> list[dict[str, Any]]:
    sdk = import_module("agent_framework")
    client = import_module("agent_framework.openai").OpenAIChatCompletionClient(
        model="gpt-4o-mini", api_key="none", base_url=os.environ["OPENAI_BASE_URL"]
    )
    name = stop.script.agents[0].name
    tools = [
        sdk.tool(look_up_account(log), approval_mode="never_require"),
        sdk.tool(wire_money(log), approval_mode="always_require"),
    ]
    agent = sdk.Agent(client=client, name=name, instructions=f"You are {name}.", tools=tools)
    session = agent.create_session()
    began = time.time_ns()
    result = await agent.run(stop.script.question, session=session)
    asked, answers = [], []
    for request in result.user_input_requests:
        call = request.function_call
        asked.append({"tool": call.name, "arguments": call.arguments})
        answers.append(request.to_function_approval_response(bool(stop.is_approved)))
    went_on = time.time_ns()
    last = await agent.run([sdk.Message("user", answers)], session=session)
    return [
        {"from_ns": began, "outcome": "paused", "asked": asked},
        {"from_ns": went_on, "outcome": "ok", "answer": last.text},
    ]
