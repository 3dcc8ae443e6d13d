"""Members of an imported file that a run cannot hold are counted, with their paths."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from tests.support.drafted import planner
from tests.support.exchanged import read, values_in, write

from spanloom.core.formats.losses import Code

Json = dict[str, Any]
FORMATS = (
    *("atif", "chat", "coze", "coze-dataset", "coze-example", "databricks", "inspect"),
    *("langsmith", "mlflow", "mlflow-eval", "openai", "potato", "snorkel", "sts"),
)
ASKED = {"role": "user", "content": "Oslo or Bergen?"}
ANSWER = {"role": "assistant", "content": "Oslo.", "id": "kept with the answer"}
RESULT = {"role": "tool", "content": "dry", "artifact": {"mm": 0}}
SAMPLE = {"id": 1, "epoch": 1, "input": "Oslo or Bergen?"}
ABOUT = {"task": "trips", "created": "2026-01-05T10:00:00+00:00", "model": "m"}


def dropped(name: str, *values: Any) -> list[str]:
    losses = read(name, *values).losses
    return [loss.path for loss in losses.listed if loss.code is Code.METADATA_DROPPED]


def in_log(*, log: Json | None = None, **members: Any) -> list[str]:
    return dropped(
        "inspect", {"version": 2, "eval": ABOUT, "samples": [SAMPLE | members], **(log or {})}
    )


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_here_is_read_to_the_last_member(name: str) -> None:
    values = values_in(name, write(name, planner()))
    lists = (value if name == "snorkel" else [value] for value in values)
    assert dropped(name, *chain.from_iterable(lists)) == []


def test_rows_of_chat() -> None:
    row = {
        "messages": [ASKED, ANSWER, RESULT],
        "tools": [],
        "metadata": {"user_id": 7, "name": "planner", "tags": ["a", 1], "own": {"kept": True}},
        "chosen": "x",
        "empty": None,
    }
    assert dropped("chat", row) == [
        *("metadata.tags", "metadata.user_id"),
        *("messages.2.artifact", "chosen"),
    ]


def test_tools_without_a_model_that_was_offered_them() -> None:
    row = {"messages": [RESULT], "tools": [{"type": "function"}]}
    assert dropped("chat", row) == ["messages.0.artifact", "tools"]


def test_a_list_of_messages() -> None:
    langchain = {"type": "ai", "content": "Oslo.", "response_metadata": {"model_name": "m"}}
    assert dropped("openai", [ASKED, langchain, RESULT]) == [
        *("1.response_metadata", "2.artifact"),
    ]


def test_results_that_name_their_call_by_their_id() -> None:
    assert dropped("openai", [ASKED, {"role": "tool", "parts": [], "id": "c1"}]) == []


def test_examples_of_langsmith() -> None:
    example = {
        "id": "0af76519-16cd-43dd-8448-eb211c80319c",
        "inputs": {"messages": [ASKED], "temperature": 1},
        "outputs": {"answer": "Oslo."},
        "reference_outputs": {"answer": "Bergen."},
        "dataset_id": "d",
        "metadata": {"trace_id": "another"},
    }
    assert dropped("langsmith", example) == [
        *("inputs.temperature", "dataset_id", "reference_outputs", "metadata.trace_id"),
    ]


def test_sessions() -> None:
    session = {"type": "session", "harness": "h", "id": "run", "name": "n", "cwd": "~"}
    answer = ANSWER | {"model": "m", "timestamp": 1, "usage": {"input": 3}}
    asked = ASKED | {"timestamp": "now", "model": "m"}
    lines = [
        {"type": "message", "message": asked, "uuid": "u"},
        {"type": "message", "message": answer},
    ]
    assert dropped("sts", session, *lines) == [
        *("cwd", "messages.0.model", "messages.0.timestamp", "line 2.uuid"),
        *("messages.1.id", "messages.1.usage"),
    ]


def test_sets_of_adk() -> None:
    turn = {"user_content": {"parts": [{"text": "Oslo?"}]}, "invocation_id": "i"}
    case = {
        "eval_id": "c",
        "conversation": [turn],
        "session_input": {"app_name": "trips", "state": {"a": 1}},
        "creation_timestamp": 1.0,
    }
    assert dropped("adk", {"eval_set_id": "s", "name": "Trips", "eval_cases": [case]}) == [
        *("conversation.0.invocation_id", "set.name", "creation_timestamp"),
        "session_input.state",
    ]


def test_a_log_and_its_sample() -> None:
    about = {"plan": {"steps": [1]}, "results": {"total_samples": 1}}
    members = {"sandbox": "docker", "store": {}, "error": {"message": "m", "traceback": "t"}}
    odd = ANSWER | {"source": "generate"}
    assert in_log(log=about, messages=[ASKED, odd], **members) == [
        *("log.plan", "sandbox", "error.traceback", "messages"),
    ]


def test_events_of_a_sample() -> None:
    model = {
        "event": "model",
        "model": "m",
        "input": [ASKED | {"id": "x"}],
        "tool_choice": "auto",
        "config": {"temperature": 0},
        "output": {"choices": [{"message": {"role": "assistant", "content": "a"}, "logprobs": 1}]},
    }
    tool = {"event": "tool", "function": "f", "view": {"title": "t"}, "metadata": {"a": 1}}
    assert in_log(events=[model, tool]) == [
        *("events.0.config", "events.0.input", "events.0.output.choices.0.logprobs"),
        *("events.1.view", "events.1.metadata.a"),
    ]


def test_spans_that_are_no_agents_are_flattened() -> None:
    solver = {"event": "span_begin", "id": "s", "name": "solve", "type": "solver"}
    log = {"version": 2, "eval": ABOUT, "samples": [SAMPLE | {"events": [solver]}]}
    losses = read("inspect", log).losses
    assert [one.path for one in losses.listed if one.code is Code.GRAPH_FLATTENED] == ["events.0"]
