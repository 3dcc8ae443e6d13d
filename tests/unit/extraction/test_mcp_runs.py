"""Calls over MCP and A2A count once, whichever spans report them; see ``fixtures/recorded/mcp``."""

from __future__ import annotations

import pytest
from tests.support.mcp_runs import documents, faults, names


def test_all_are_there() -> None:
    assert len(names()) == 60


@pytest.mark.parametrize("name", names())
def test_each_action_counts_once(name: str) -> None:
    assert faults(name) == []


def test_the_step_is_the_frameworks_span_with_its_times_and_texts() -> None:
    [document] = [d for d in documents("mcp2-expert-pydantic-ok") if d["agent_steps"]]
    clerk, expert = sorted(document["agent_steps"], key=lambda agent: agent["name"])
    [ask] = [s for s in clerk["steps"] if s["type"] == "tool"]
    assert (ask["name"], ask["input"]) == ("ask_expert", '{"question":"Rate of the euro?"}')
    assert len(ask["metadata"]["merged_span_ids"].split(",")) == 3
    assert [s["name"] for s in expert["steps"] if s["type"] == "tool"] == ["get_rate"]


def test_a_call_whose_caller_is_elsewhere_neither_counts_nor_fails() -> None:
    far = [d for d in documents("mcp1-adapters-oi-srv2-stdio-fail") if not d["agent_steps"]]
    assert {d["extraction"]["outcome"] for d in far} == {"ok"}
    assert all(not d["extraction"].get("errors") for d in far)


def test_a_refused_handshake_is_no_step_and_no_failure() -> None:
    found = documents("handshake-roots")
    counts = {d["root_step"]["name"]: d["extraction"]["step_counts"]["other"] for d in found}
    assert counts["MCP send server/discover"] == counts["MCP send initialize"] == 1
    assert [d["extraction"]["outcome"] for d in found] == ["ok", "ok", "ok"]
    assert not any(d["extraction"].get("errors") for d in found)


def test_a_tool_message_with_status_error_is_a_failure() -> None:
    [document] = documents("tool-status-error")
    tools = [s for a in document["agent_steps"] for s in a["steps"] if s["type"] == "tool"]
    [failed] = [tool for tool in tools if tool["basic_info"].get("error")]
    assert failed["basic_info"]["error"]["msg"] == "Error executing tool fail: mcp tool broke"
    assert failed["metadata"]["error_told_by"] == "result"
    assert document["extraction"]["outcome"] == "recovered"
