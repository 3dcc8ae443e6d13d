"""Recorded runs of coding agents come out as they happened.

The recordings are in ``fixtures/recorded/coding_agents``.
"""

from __future__ import annotations

import pytest
from tests.support.coding_agents import documents, faults, names, steps_of, truth_of

UNTOLD = {
    "claude-code-cancel": ("models",),  # the cancelled call has no span and no log record
    "codex-cancel": ("models",),  # the cancelled call: lost spans, no log record
    "opencode-without-sdk-spans": ("tokens",),  # with the setting off: no texts, no counts
    "gemini-cli-tool-no-content": ("asked",),  # only among the arguments of the process
    "opencode-ask": ("models", "tokens"),  # ended before the span of the call was sent
    "opencode-tool": ("models", "tokens", "tools"),  # ended before both calls and the tool
    "opencode-two-tools": ("models", "tokens"),  # ended before the last call was sent
}
"""Per recording, the measures that none of the sent data contains."""


def test_all_are_there() -> None:
    assert len(names()) == 47
    assert set(UNTOLD) < set(names())


@pytest.mark.parametrize("name", names())
def test_run_is_as_it_happened(name: str) -> None:
    assert faults(name, UNTOLD.get(name, ())) == []


@pytest.mark.parametrize("name", [name for name in names() if name.endswith("-two-tools")])
def test_the_order_of_signals_does_not_matter(name: str) -> None:
    first, last = documents(name), documents(name, ("logs", "traces"))
    for document in (*first, *last):
        del document["extraction"]["version"]
    assert first == last


AGENTS = {
    "claude-code-subagent": ("claude-code", "general-purpose"),
    "codex-subagent": ("codex", "Turing"),
    "copilot-cli-subagent": ("copilot", "general-purpose"),
    "gemini-cli-subagent": ("gemini-cli", "generalist"),
    "opencode-subagent": ("opencode", "general"),
    "qwen-code-subagent": ("qwen-code", "general-purpose"),
}


@pytest.mark.parametrize(("name", "agents"), AGENTS.items())
def test_a_sub_agent_owns_its_steps(name: str, agents: tuple[str, str]) -> None:
    [document] = documents(name)
    main, inner = (
        next(agent for agent in document["agent_steps"] if agent["name"] == wanted)
        for wanted in agents
    )
    assert main["input"].startswith("MAINTASK: have a sub-agent")
    owned = [step["type"] for step in inner["steps"]]
    assert (owned.count("model"), owned[1]) == (2, "tool")
    assert inner["input"] == "SUBTASK: read notes.txt and report its first word."
    assert [step["name"] for step in main["steps"] if step["type"] == "agent"][-1] == agents[1]


TOLD = ("claude-code-two-tools", "codex-two-tools", "copilot-cli-two-tools", "gemini-cli-two-tools")


@pytest.mark.parametrize("name", [*TOLD, "opencode-two-tools", "qwen-code-two-tools"])
def test_tools_have_arguments_results_and_failures(name: str) -> None:
    found = documents(name)
    read, failed = steps_of(found, "tool")
    assert "notes.txt" in read["input"]
    assert "beta" in read["output"]
    assert "cat missing.txt" in failed["input"]
    assert failed["basic_info"]["error"]["msg"] in (
        "exit code 1: cat: missing.txt: No such file or directory",
        "Shell command failed",
    )
    assert {document["extraction"]["outcome"] for document in found} == {"recovered"}


@pytest.mark.parametrize("name", names())
def test_the_conversation_is_the_session(name: str) -> None:
    found = documents(name)
    assert all(document["extraction"]["conversation_id"] for document in found)
    assert len(found) == truth_of(name).get("runs", 1)


@pytest.mark.parametrize("name", [name for name in names() if "codex" in name or "gemini" in name])
def test_cached_tokens_are_counted(name: str) -> None:
    calls = [step for step in steps_of(documents(name), "model") if not _is_cut(step)]
    assert all(call["model_info"]["input_read_cached_tokens"] > 400 for call in calls)


def _is_cut(step: dict[str, dict[str, str]]) -> bool:
    return step["metadata"].get("outcome") == "cancelled"


@pytest.mark.parametrize(
    "name", ["copilot-cli-cancel", "opencode-cancel", "qwen-code-cancel", "codex-tool-cancelled"]
)
def test_a_cancelled_run_is_no_failure(name: str) -> None:
    [document] = documents(name)
    assert document["extraction"]["outcome"] == "cancelled"
    assert not document["extraction"].get("errors")


def test_what_a_sender_never_reports_is_a_warning() -> None:
    [document] = documents("codex-ask")
    [warning] = document["extraction"]["warnings"]
    assert warning == "Codex reports no answers of the model, and no call that was cancelled"


def test_frames_are_no_part_of_what_was_asked() -> None:
    [document] = documents("copilot-cli-ask")
    assert document["root_step"]["input"].startswith("What is the capital of France?")
    [call] = steps_of([document], "model")
    assert "<current_datetime>" in call["input"]


@pytest.mark.parametrize("name", ["claude-code-tool-cancelled", "codex-tool-cancelled"])
def test_a_tool_that_was_stopped_is_a_cancelled_step(name: str) -> None:
    [tool] = steps_of(documents(name), "tool")
    assert tool["metadata"]["outcome"] == "cancelled"
    assert not tool["basic_info"].get("error")


def test_a_tool_that_nobody_allowed_failed() -> None:
    [tool] = steps_of(documents("claude-code-refused"), "tool")
    assert tool["basic_info"]["error"]["msg"] == "the tool was not allowed to run"
    assert tool["metadata"]["decision"] == "reject"


BACKGROUND = ("claude-code-background-subagents", "qwen-code-spans-subagents")


@pytest.mark.parametrize("name", BACKGROUND)
def test_what_sub_agents_in_the_background_report_is_the_run_that_began_them(name: str) -> None:
    [document] = documents(name)
    main, *others = document["agent_steps"]
    assert main["input"].startswith("MAINTASK: have two sub-agents")
    assert main["output"] == "Both say alpha."
    assert sorted(agent["output"] for agent in others) == [
        "The first word is alpha A.",
        "The first word is alpha B.",
    ]
    assert all(len(agent["steps"]) == 3 for agent in others)


@pytest.mark.parametrize("name", ["qwen-code-spans-resume", "codex-resume"])
@pytest.mark.parametrize("signals", [("traces",), ("traces", "logs"), ("logs", "traces")])
def test_two_prompts_of_a_session_are_two_runs(name: str, signals: tuple[str, ...]) -> None:
    found = documents(name, signals)
    assert len(found) == 2
    assert len({document["extraction"]["conversation_id"] for document in found}) == 1
    assert [len(steps_of([document], "tool")) for document in found] == [1, 1]


def test_a_turn_that_goes_on_after_a_failure_is_the_same_run() -> None:
    [document] = documents("copilot-cli-next-turn")
    assert document["root_step"]["input"].startswith("MAINTASK: have a sub-agent look")
    assert document["root_step"]["output"] == "It failed."


def test_a_run_whose_last_call_failed_has_failed() -> None:
    [document] = documents("opencode-error")
    assert document["extraction"]["outcome"] == "failed"
    assert [agent["name"] for agent in document["agent_steps"]] == ["opencode", "title"]


def test_calls_of_which_no_span_is_sent_were_not_cancelled() -> None:
    [document] = documents("opencode-without-sdk-spans")
    assert document["extraction"]["outcome"] == "ok"
    calls = steps_of([document], "model")
    assert not any(call["metadata"].get("outcome") for call in calls)
    assert any("openTelemetry" in warning for warning in document["extraction"]["warnings"])


def test_ids_of_sub_agents_turns_are_no_prompts() -> None:
    [document] = documents("gemini-cli-subagent", ("traces",))
    assert [len(steps_of([document], kind)) for kind in ("model", "tool")] == [4, 3]


@pytest.mark.parametrize("signals", [("traces", "logs"), ("logs",)])
def test_a_title_that_is_made_beside_the_agent_is_no_answer(signals: tuple[str, ...]) -> None:
    found = documents("claude-code-interactive", signals)
    answers = {
        document["root_step"]["input"]: document["root_step"]["output"] for document in found
    }
    assert answers == {
        "Make a file": "Made it.",
        "And of Italy?": "The capital of Italy is Rome.",
        "/exit": "",
    }
