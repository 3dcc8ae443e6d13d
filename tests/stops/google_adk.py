"""Runs an ADK agent that needs a tool confirmed, and answers for the person."""

from __future__ import annotations

import asyncio
import json
import os
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.stops.tools import look_up_account, wire_money

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stops.script import Stop
    from tests.stops.tools import Log

WHO = {"user_id": "ann", "session_id": "bank-1"}


def run(stop: Stop, log: Log, _: list[Any], __: Path) -> list[dict[str, Any]]:
    """Run the agent until it requests an answer, then resume it with that in the same session."""
    return asyncio.run(_run(stop, log))


async def _run(stop: Stop, log: Log) -> list[dict[str, Any]]:
    kit = {n: import_module(f"google.adk.{n}") for n in ("agents", "runners", "tools")}
    types = import_module("google.genai").types
    name = stop.script.agents[0].name
    model = import_module("google.adk.models.lite_llm").LiteLlm(
        model="openai/gpt-4o-mini", api_base=os.environ["OPENAI_BASE_URL"], api_key="none"
    )
    asking = kit["tools"].FunctionTool(wire_money(log), require_confirmation=True)
    if stop.is_approved is None:  # the tool's result arrives later
        asking = kit["tools"].LongRunningFunctionTool(_begin)
    agent = kit["agents"].LlmAgent(
        name=name, model=model, instruction=f"You are {name}.", tools=[look_up_account(log), asking]
    )
    runner = kit["runners"].InMemoryRunner(agent, app_name="bank")
    await runner.session_service.create_session(app_name="bank", **WHO)
    question = types.Content(role="user", parts=[types.Part(text=stop.script.question)])
    began = time.time_ns()
    waiting, _ = await _ask(runner, question)
    went_on = time.time_ns()
    parts = [types.Part(function_response=_answer(types, call, stop)) for call in waiting]
    _, answer = await _ask(runner, types.Content(role="user", parts=parts))
    asked = [_asked(call) for call in waiting]
    return [
        {"from_ns": began, "outcome": "paused", "asked": asked},
        {"from_ns": went_on, "outcome": "ok", "answer": answer},
    ]


def _begin(to: str, amount: str) -> None:
    """Wire money to somebody."""


_begin.__name__ = "wire_money"


async def _ask(runner: Any, message: Any) -> tuple[list[Any], str]:
    waiting, said = [], ""
    async for event in runner.run_async(new_message=message, **WHO):
        ids = event.long_running_tool_ids or ()
        waiting += [call for call in event.get_function_calls() if call.id in ids]
        for part in event.content.parts if event.content else ():
            said = part.text or said
    return waiting, said


def _answer(types: Any, call: Any, stop: Stop) -> Any:
    said: dict[str, Any] = {"confirmed": stop.is_approved}
    if stop.is_approved is None:
        said = {"result": "500 EUR wired to Bob"}
    return types.FunctionResponse(id=call.id, name=call.name, response=said)


def _asked(call: Any) -> dict[str, Any]:
    wanted = call.args.get("originalFunctionCall", {"name": call.name, "args": call.args})
    return {"tool": wanted["name"], "arguments": json.dumps(wanted["args"])}
