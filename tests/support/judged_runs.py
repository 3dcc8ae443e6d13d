"""Small handmade documents of runs that evaluators judge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]
ROOT, WEATHER = "root", {"city": "Oslo"}
WORDS = "The forecast for the weekend in Oslo: sunny, 21 degrees, a light breeze from the fjord."


def tool(
    id_: str, name: str, start: int, given: object = None, output: str = "", **more: Any
) -> Json:
    """Return a tool step that took 5 ms."""
    text = given if isinstance(given, str) else json.dumps({} if given is None else given)
    return _step(id_, "tool", name, start, text, output, **more)


def model(id_: str, start: int, heard: Sequence[Json] = (), said: str = "", **more: Any) -> Json:
    """Return a model step of 5 ms with these messages as input; ``tokens`` are in and out."""
    tokens = more.pop("tokens", (0, 0))
    step = _step(id_, "model", more.pop("name", "chat"), start, _messages(heard), said, **more)
    step["model_info"] = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    return step


def called(id_: str, name: str, start: int, **more: Any) -> Json:
    """Return the step of an agent in the list of its caller."""
    return _step(id_, "agent", name, start, "", "", **more)


def agent(id_: str, name: str, steps: Sequence[Json], **more: Any) -> Json:
    """Return an agent with its steps; ``error`` is its failure."""
    return {**_member(id_, name, more.pop("start", 0), 1_000, **more), "steps": list(steps)}


def run(steps: Sequence[Json], agents: Sequence[Json] = (), **more: Any) -> Json:
    """Return the document of a run whose root is an agent.

    ``extraction`` has members of the document's ``extraction``, ``tokens`` are the sums in and out,
    ``output`` is the answer.
    """
    extraction = {"root_type": "agent", **more.pop("extraction", {})}
    tokens = more.pop("tokens", (0, 0))
    root = _member(ROOT, "planner", 0, more.pop("duration", 1_000), **more)
    root["metrics_info"] = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    entry = {**root, "parent_id": "", "steps": list(steps)}
    return {
        "id": "a" * 32,
        "root_step": root,
        "agent_steps": [entry, *agents],
        "extraction": extraction,
    }


def result(call_id: str, content: str) -> Json:
    """Return the message of a tool's result."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def user(content: str) -> Json:
    """Return the message of a user."""
    return {"role": "user", "content": content}


def _messages(heard: Sequence[Json]) -> str:
    return json.dumps(list(heard), separators=(",", ":")) if heard else ""


def _step(id_: str, kind: str, name: str, start: int, given: str, output: str, **more: Any) -> Json:
    told = _member(id_, name, start, more.pop("duration", 5), input=given, output=output, **more)
    return {**told, "type": kind, "parent_id": ROOT}


def _member(id_: str, name: str, start: int, duration: int, **more: Any) -> Json:
    info: Json = {"started_at": str(1_000 + start), "duration": str(duration)}
    if error := more.get("error"):
        info["error"] = {"code": 500, "msg": error}
    return {
        "id": id_,
        "name": name,
        "input": more.get("input", "Oslo or Bergen?"),
        "output": more.get("output", "Oslo"),
        "metadata": more.get("metadata", {}),
        "basic_info": info,
    }
