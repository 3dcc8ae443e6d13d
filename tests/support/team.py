"""Compares a trajectory with the record written by a team's models and tools.

The truth is printed by ``agents_team`` and ``tests/senders_js``: the question, each model call as
``[agent, input tokens, output tokens, output]`` and each tool run as ``[agent, tool, arguments,
result]``; outputs and arguments are lists of texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.agents import Json


def check_team(document: Json, truth: Json, dialect: str) -> None:
    """Assert that each model call and tool run occurs once, under its agent, with its data."""
    assert document["extraction"]["dialects"] == [dialect]
    assert document["extraction"]["warnings"] == []
    agents = document["agent_steps"]
    assert [agent_name(agent) for agent in agents] == names_of(truth)
    for agent in agents:
        check_calls(agent, truth)
        check_tools(agent, truth)
    check_nesting(document)
    check_totals(document, truth)
    assert truth["question"] in document["root_step"]["input"]
    assert truth["calls"][-1][3][0] in document["root_step"]["output"]


def names_of(truth: Json) -> list[str]:
    """Return each agent once, ordered by its first model call."""
    return list(dict.fromkeys(agent for agent, *_ in truth["calls"]))


def agent_name(agent: Json) -> str:
    return str(agent["metadata"]["agent_name"])


def check_calls(agent: Json, truth: Json) -> None:
    """Compare an agent's model calls, which are sequential."""
    steps = [step for step in agent["steps"] if step["type"] == "model"]
    true_calls = [call for call in truth["calls"] if call[0] == agent_name(agent)]
    assert [tokens_of(step) for step in steps] == [
        (read, wrote) for _, read, wrote, _ in true_calls
    ]
    for step, (*_, texts) in zip(steps, true_calls, strict=True):
        assert [text for text in texts if text not in step["output"]] == [], step["output"]


def check_tools(agent: Json, truth: Json) -> None:
    """Compare an agent's tool runs, which may be parallel."""
    steps = [step for step in agent["steps"] if step["type"] == "tool"]
    true_tools = [tool for tool in truth["tools"] if tool[0] == agent_name(agent)]
    assert sorted(map(tool_name, steps)) == sorted(tool for _, tool, _, _ in true_tools)
    for _, tool, arguments, result in true_tools:
        assert any(
            tool_name(step) == tool
            and all(text in step["input"] for text in arguments)
            and result in step["output"]
            for step in steps
        ), f"no run of {tool} with {arguments} and {result}"


def tokens_of(step: Json) -> tuple[int, int]:
    return step["model_info"]["input_tokens"], step["model_info"]["output_tokens"]


def tool_name(step: Json) -> str:
    return str(step["metadata"].get("tool_name", step["name"]))


def check_nesting(document: Json) -> None:
    """Assert that the first agent is the root, and that tools of other agents called the others."""
    first, *others = document["agent_steps"]
    assert document["root_step"]["id"] == first["id"]
    for other in others:
        callers = [agent for agent in document["agent_steps"] if agent["id"] != other["id"]]
        tools = {s["id"] for agent in callers for s in agent["steps"] if s["type"] == "tool"}
        assert other["parent_id"] in tools


def check_totals(document: Json, truth: Json) -> None:
    """Assert that only the team's calls are counted, and that none of them failed."""
    counts = document["extraction"]["step_counts"]
    assert {kind: counts[kind] for kind in ("agent", "model", "tool", "graph")} == {
        "agent": len(names_of(truth)),
        "model": len(truth["calls"]),
        "tool": len(truth["tools"]),
        "graph": 0,
    }
    metrics = document["root_step"]["metrics_info"]
    assert metrics["input_tokens"] == sum(read for _, read, _, _ in truth["calls"])
    assert metrics["output_tokens"] == sum(written for _, _, written, _ in truth["calls"])
    assert (metrics["tool_errors"], metrics["model_errors"]) == ({}, {})
