"""Runs made from tool calls: OpenAI messages and documents, for tests of evaluators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Json = dict[str, Any]
Made = tuple[str, object]
"""A tool and its arguments; a string is used unchanged."""


def messages_of(*turns: Made | Sequence[Made], answered: bool = True) -> list[Json]:
    """Return messages with one assistant turn per tool call or list of tool calls."""
    messages: list[Json] = []
    for at, turn in enumerate(turns):
        made: Iterable[Any] = turn if isinstance(turn, list) else [turn]
        calls = [_call(f"c{at}.{n}", *call) for n, call in enumerate(made)]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        if answered:
            messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls
            ]
    return messages


def _call(call_id: str, name: str, arguments: object) -> Json:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def document_of(*agents: Json, root: str = "planner") -> Json:
    """Return a document of agents made by ``made_agent``; the first one is the root."""
    return {
        "id": "run",
        "root_step": {**agents[0], "steps": [], "name": root},
        "agent_steps": list(agents),
        "extraction": {"root_type": "agent"},
    }


def made_agent(name: str, *steps: Json, at: int = 0) -> Json:
    """Return an agent that starts at a time in milliseconds."""
    info = {"started_at": str(at), "duration": "1000"}
    owned = [{**step, "id": f"{name}.{n}", "parent_id": name} for n, step in enumerate(steps)]
    return {"id": name, "name": name, "basic_info": info, "steps": owned}


def made_step(
    name: str, given: object = "", *, at: int = 0, failed: bool = False, **others: object
) -> Json:
    """Return a tool step, or a step of another ``type``."""
    info: Json = {"started_at": str(at), "duration": "10"}
    if failed:
        info["error"] = {"code": "1", "msg": "it failed"}
    text = given if isinstance(given, str) else json.dumps(given)
    return {"type": "tool", "name": name, "input": text, "output": "", "basic_info": info, **others}
