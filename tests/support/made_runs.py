"""Documents of made-up runs: an agent that alternates between model calls and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

TOOLS = ("search", "book", "pay", "mail")
_BEGIN = 1_700_000_000_000


def made_run(
    number: int, random: Random, *, verifies: bool = False, conversation: str = ""
) -> dict[str, Any]:
    """Return a canonical document; with ``verifies`` the tool verify runs before each pay."""
    calls = ["model chat"]
    for tool in random.sample(TOOLS, random.randint(1, len(TOOLS))):
        calls += ["tool verify"] * (verifies and tool == "pay")
        calls += [f"tool {tool}", "model chat"]
    steps = [_step(number, place, call, random) for place, call in enumerate(calls)]
    root = {
        "id": f"{number:016x}",
        "name": "agent",
        "input": "",
        "output": "",
        "metadata": {},
        "basic_info": _times(0, 10 * len(calls) + int(random.expovariate(1e-3))),
        "metrics_info": {
            "llm_duration": str(random.randint(1, 900)),
            "tool_duration": "9",
            "input_tokens": random.randint(1, 1_000),
            "output_tokens": 3,
        },
    }
    told: dict[str, Any] = {
        "root_type": "agent",
        "outcome": random.choice(["ok", "ok", "failed"]),
        "cost": {"usd": random.random()},
    }
    if conversation:
        told["conversation_id"] = conversation
    return {
        "id": f"{number:032x}",
        "root_step": root,
        "agent_steps": [{**root, "parent_id": "", "steps": steps}],
        "extraction": told,
    }


def _step(number: int, place: int, call: str, random: Random) -> dict[str, Any]:
    type_, _, name = call.partition(" ")
    return {
        "id": f"{number:08x}{place + 1:08x}",
        "parent_id": f"{number:016x}",
        "type": type_,
        "name": name,
        "input": str(random.randint(1, 5)),
        "output": "",
        "metadata": {},
        "basic_info": _times(10 * place, 9),
    }


def _times(after: int, took: int) -> dict[str, str]:
    return {"started_at": str(_BEGIN + after), "duration": str(took)}
