"""Recorded runs that were once extracted wrongly come out right; see ``fixtures/recorded``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.recorded import documents

Document = dict[str, Any]  # the canonical document


def steps(document: Document, kind: str) -> list[Document]:
    """Return all steps of a type, the root included."""
    root = {**document["root_step"], "type": document["extraction"]["root_type"]}
    inner = [s for agent in document["agent_steps"] for s in agent["steps"]]
    found = {s["id"]: s for s in [root, *inner] if s["type"] == kind}
    return sorted(found.values(), key=lambda s: (s["basic_info"]["started_at"], s["id"]))


def tokens(document: Document) -> tuple[int, int, int, int]:
    """Return the run's input, output, cached and reasoning tokens."""
    metrics, extraction = document["root_step"]["metrics_info"], document["extraction"]
    details = extraction["cache_read_tokens"], extraction["reasoning_tokens"]
    return metrics["input_tokens"], metrics["output_tokens"], *details


def outcomes(name: str) -> list[str]:
    return sorted(document["extraction"]["outcome"] for document in documents(name))


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_a_message_of_text_and_media_is_shown_whole(teller: str) -> None:
    asked = {
        d["root_step"]["name"].removeprefix("invoke_agent "): d["root_step"]["input"]
        for d in documents(f"s16b_parts-{teller}")
    }
    assert asked["two_texts"] == "First half.\nSecond half."
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    assert json.loads(asked["text_image_text"]) == [
        {"type": "text", "text": "Compare"},
        picture,
        {"type": "text", "text": "with what I sent before."},
    ]
    for name, kind in (("text_then_image", "image_url"), ("new_style_image", "image_url")):
        assert [part["type"] for part in json.loads(asked[name])] == ["text", kind]
    assert "Sum this up" in asked["text_then_file"]
    assert '"filename":"a.pdf"' in asked["text_then_file"]


@pytest.mark.parametrize("name", ["k1_dual-both", "k1_dual-oitl", "k1_dual-oi+tl", "k1_dual-ls+oi"])
def test_what_two_or_three_instrumentations_tell_counts_once(name: str) -> None:
    [document] = documents(name)
    counts = document["extraction"]["step_counts"]
    assert (counts["agent"], counts["model"], counts["tool"]) == (1, 2, 1)
    assert tokens(document) == (125, 21, 20, 3)


@pytest.mark.parametrize("name", ["k2_dual-ls+oi", "k2_dual-both"])
def test_a_run_that_two_tell_in_traces_of_their_own_counts_once(name: str) -> None:
    [counting] = [d for d in documents(name) if "duplicate_of" not in d["extraction"]]
    counts = counting["extraction"]["step_counts"]
    assert (counts["agent"], counts["model"], counts["tool"]) == (1, 2, 1)
    assert tokens(counting) == (125, 21, 20, 3)


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_the_failed_attempt_of_a_node_is_listed(teller: str) -> None:
    [document] = documents(f"s24_retry-{teller}")
    [error] = document["extraction"]["errors"]
    assert (error["type"], error["msg"]) == ("ConnectionError", "flaky network")
    assert error["recovered"]
    assert document["extraction"]["outcome"] == "recovered"
    counts = document["extraction"]["step_counts"]
    assert (counts["model"], counts["tool"]) == (8, 3)


def test_hand_made_spans_keep_conversation_and_type_of_the_failure() -> None:
    chat = next(d for d in documents("j1_plain-hand") if d["root_step"]["name"] == "POST /chat")
    assert chat["extraction"]["conversation_id"] == "web-1"
    assert [e["type"] for e in chat["extraction"]["errors"]] == ["content_filter"]
    assert tokens(chat)[:2] == (42, 11)


def test_a_failed_job_of_no_convention_has_failed() -> None:
    job = next(d for d in documents("j1_plain-hand") if d["root_step"]["name"] == "nightly-job")
    assert job["extraction"]["outcome"] == "failed"
    [error] = job["extraction"]["errors"]
    assert (error["type"], error["msg"]) == ("KeyError", "KeyError: 'city'")


@pytest.mark.parametrize("name", ["e1_strands-new", "e1_strands-old"])
def test_strands_tells_by_one_event_or_by_several(name: str) -> None:
    [document] = documents(name)
    assert document["extraction"]["conversation_id"] == name.removeprefix("e1_")
    assert document["root_step"]["input"] == "How many r in strawberry?"
    assert document["root_step"]["output"].strip() == "There are 3."
    first, last = steps(document, "model")
    told = json.loads(first["input"])
    assert [m["role"] for m in told] == ["system", "user"]
    asked_for = json.loads(first["output"])[0]["tool_calls"]
    assert [call["function"]["name"] for call in asked_for] == ["letter_counter", "bad"]
    assert json.loads(last["output"])[0]["content"].strip() == "There are 3."
    failed = next(s for s in steps(document, "tool") if "error" in s["basic_info"])
    assert (failed["metadata"]["error_type"], failed["output"]) == ("ValueError", "")
    assert tokens(document)[:2] == (165, 23)


def test_a_retriever_shows_the_documents() -> None:
    found = [s for d in documents("f1_llamaindex-oi") for s in steps(d, "tool")]
    retrieved = next(s for s in found if s["metadata"].get("tool_kind") == "retrieval")
    [document] = json.loads(retrieved["output"])
    assert (document["content"], document["score"]) == ("Wasps do not.", 1.0)
    assert document["id"]


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_a_failure_tells_type_and_message_and_its_traceback_once(teller: str) -> None:
    raised = {"s06_toolraise": {"ValueError"}, "s22_mixed": {"TimeoutError", "KeyError"}}
    for name, types in raised.items():
        found = documents(f"{name}-{teller}")
        errors = [error for d in found for error in d["extraction"]["errors"]]
        assert {error["type"] for error in errors} == types
        assert all(error["traceback"] for error in errors)
        assert all("Traceback" not in error["msg"] and len(error["msg"]) < 30 for error in errors)
        assert "Traceback" not in json.dumps([[d["root_step"], d["agent_steps"]] for d in found])


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_a_run_that_waits_for_a_person_says_so_and_the_next_one_shows_the_answer(
    teller: str,
) -> None:
    paused, resumed = sorted(
        documents(f"s10_hitl-{teller}"), key=lambda d: str(d["root_step"]["basic_info"])
    )
    assert paused["extraction"]["outcome"] == "paused"
    [pause] = paused["extraction"]["pauses"]
    assert json.loads(pause["question"]) == {"question": "Wire 500 EUR to Bob?"}
    assert paused["root_step"]["metadata"]["outcome"] == "paused"
    assert paused["root_step"]["output"] == ""
    assert (resumed["root_step"]["input"], resumed["extraction"]["outcome"]) == ("yes", "ok")
    assert (paused["extraction"].get("is_resuming"), resumed["extraction"]["is_resuming"]) == (
        None,
        True,
    )
    ids = {d["extraction"]["conversation_id"] for d in (paused, resumed)}
    assert ids == {f"bank-{teller}"}


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_nobody_speaks_for_agents_side_by_side(teller: str) -> None:
    [document] = documents(f"s12_async-{teller}")
    root = document["root_step"]
    assert (root["input"], root["output"]) == ("", "")


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_a_handoff_says_who_got_control_and_with_what(teller: str) -> None:
    [document] = documents(f"s04_handoff-{teller}")
    handoff = next(s for s in steps(document, "tool") if "transfer" in s["name"])
    output = json.loads(handoff["output"])
    assert output["goto"] == "sales"
    assert [m["content"] for m in output["messages"]] == ["Transferred to sales"]
    assert tokens(document)[:2] == (133, 18)


@pytest.mark.parametrize("name", ["h1_adk-oi", "d1_smol-oi"])
def test_tokens_that_no_call_tells_are_not_silently_zero(name: str) -> None:
    for document in documents(name):
        assert tokens(document)[:2] == (0, 0)
        told = document["extraction"]["warnings"]
        failed_before_a_call = document["extraction"]["outcome"] == "failed"
        assert failed_before_a_call or any("no model call does" in w for w in told)


def test_the_same_runs_without_that_instrumentation_are_right() -> None:
    used = {d["root_step"]["name"]: tokens(d)[:2] for d in documents("h1_adk-native")}
    assert used["invoke_workflow concierge"] == (210, 21)
    assert used["invoke_workflow pipeline"] == (36, 6)


@pytest.mark.parametrize("teller", ["oi", "tl", "ls"])
def test_steps_bear_their_own_names_and_say_in_which_node_they_ran(teller: str) -> None:
    paused, _ = sorted(
        documents(f"s10_hitl-{teller}"), key=lambda d: str(d["root_step"]["basic_info"])
    )
    assert paused["root_step"]["name"] == "banker"
    [tool] = steps(paused, "tool")
    assert (tool["name"], tool["metadata"]["node"]) == ("wire_money", "tools")
    [call] = steps(paused, "model")
    assert call["metadata"]["node"] == "model"
    assert len(paused["extraction"]["services"]) == 1
