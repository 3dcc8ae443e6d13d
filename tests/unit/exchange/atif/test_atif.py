"""Runs are written as ATIF trajectories, and ATIF trajectories of all versions are read as runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.drafted import planner
from tests.support.exchange_validators import atif
from tests.support.exchanged import read, read_all, reread, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.formats.losses import Code, Losses, NotHeldError
from spanloom.core.formats.readers import Refused

if TYPE_CHECKING:
    Json = dict[str, Any]

AT = "2024-05-11T04:00:00.{}Z"
MODEL = "gpt-4o-mini"
MORE = {"reasoning_tokens": 0, "cache_creation_tokens": 0}


def _metrics(prompt: int, completion: int, cached: int = 0, **more: int) -> Json:
    tokens = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached}
    return {**tokens, "extra": {**MORE, **more}}


def _totals(prompt: int, completion: int, cached: int, steps: int) -> Json:
    tokens = (("prompt", prompt), ("completion", completion), ("cached", cached))
    return {f"total_{name}_tokens": n for name, n in tokens} | {"total_steps": steps}


def _called(call_id: str, city: str) -> Json:
    return {"tool_call_id": call_id, "function_name": "weather", "arguments": {"city": city}}


FAILED = {"step_id": "a000000000000004", "is_error": True, "error_code": 503}
FIRST = {
    "step_id": 2,
    "timestamp": AT.format("010"),
    "source": "agent",
    "model_name": MODEL,
    "message": "",
    "llm_call_count": 1,
    "tool_calls": [_called("c1", "Oslo"), _called("c2", "Bergen")],
    "observation": {
        "results": [
            {"source_call_id": "c1", "content": "dry", "extra": {"step_id": "a000000000000003"}},
            {"source_call_id": "c2", "content": "down", "extra": FAILED},
        ]
    },
    "metrics": _metrics(50, 20, reasoning_tokens=5),
    "extra": {"step_id": "a000000000000002"},
}
CRITIC = "a000000000000005"
DISPATCH = {
    "step_id": 3,
    "timestamp": AT.format("200"),
    "source": "agent",
    "message": "",
    "llm_call_count": 0,
    "tool_calls": [
        {"tool_call_id": CRITIC, "function_name": "critic", "arguments": {"input": "Oslo is dry"}}
    ],
    "observation": {
        "results": [
            {
                "source_call_id": CRITIC,
                "content": "fine",
                "subagent_trajectory_ref": [{"trajectory_id": CRITIC}],
            }
        ]
    },
    "extra": {"step_id": CRITIC},
}


def _said(number: int, at: str, text: str, metrics: Json, step_id: str) -> Json:
    return {
        "step_id": number,
        "timestamp": AT.format(at),
        "source": "agent",
        "model_name": MODEL,
        "message": text,
        "llm_call_count": 1,
        "metrics": metrics,
        "extra": {"step_id": step_id},
    }


def _heard(at: str, text: str) -> Json:
    return {"step_id": 1, "timestamp": AT.format(at), "source": "user", "message": text}


BELOW = {
    "schema_version": "ATIF-v1.8",
    "trajectory_id": CRITIC,
    "agent": {"name": "critic", "version": "unknown", "model_name": MODEL},
    "steps": [
        _heard("210", "Oslo is dry"),
        _said(2, "210", "fine", _metrics(10, 2), "a000000000000006"),
    ],
    "final_metrics": _totals(10, 2, 0, 2),
}
GOLDEN = {
    "schema_version": "ATIF-v1.8",
    "session_id": "0af7651916cd43dd8448eb211c80319c",
    "trajectory_id": "0af7651916cd43dd8448eb211c80319c",
    "agent": {"name": "planner", "version": "unknown", "model_name": MODEL},
    "steps": [
        _heard("010", "Oslo or Bergen?"),
        FIRST,
        DISPATCH,
        _said(4, "310", "Oslo.", _metrics(90, 5, 40), "a000000000000007"),
    ],
    "final_metrics": {
        **_totals(140, 25, 40, 4),
        "extra": {"run_prompt_tokens": 150, "run_completion_tokens": 27},
    },
    "subagent_trajectories": [BELOW],
}


def _old(version: str = "ATIF-v1.2", **more: object) -> Json:
    """Return an ATIF trajectory as another program writes it, without times or Spanloom's ids."""
    steps = [
        {"step_id": 1, "source": "user", "message": "hi"},
        {"step_id": 2, "source": "agent", "message": "ho"},
    ]
    about = {"name": "terminus", "version": "2.0", "model_name": "m"}
    return {
        "schema_version": version,
        "session_id": "s1",
        "agent": about,
        "steps": steps,
        **more,
    }


def test_the_golden_run() -> None:
    losses = Losses()
    body = write("atif", planner(), losses)
    assert json.loads(body) == GOLDEN
    assert losses.counts == {Code.TIMES_DROPPED: 7}
    atif.check(body)


def test_the_golden_run_comes_back_with_ids_types_order_outputs_and_tokens() -> None:
    again = reread("atif", planner())
    read_run(again, None)
    assert json.loads(write("atif", again)) == GOLDEN
    assert reread("atif", planner()) == again

    def kept(document: Json) -> list[object]:
        root = document["root_step"]["id"]
        return [
            (step.id, step.type, step.name, step.output, step.error, dict(step.model_info))
            for step in Document(document).by_id().values()
            if step.id != root
        ]

    assert kept(again) == kept(planner())
    for name in ("input", "output"):
        assert again["root_step"][name] == planner()["root_step"][name]
    assert again["extraction"]["outcome"] == "recovered"


def test_the_id_of_the_root_comes_back() -> None:
    document = json.loads(json.dumps(planner()).replace("a000000000000001", "b000000000000001"))
    written = json.loads(write("atif", document))
    assert written["extra"] == {"step_id": "b000000000000001"}
    assert read("atif", written).document["root_step"]["id"] == "b000000000000001"
    assert reread("atif", planner())["root_step"]["id"] == "a000000000000001"


def test_what_is_not_read_of_a_trajectory_is_counted() -> None:
    step = {"step_id": 3, "source": "agent", "message": "ha", "reasoning_effort": "high"}
    old = _old(extra={"mood": "good"})
    old["steps"].append({**step, "metrics": {"logprobs": [1]}, "extra": {"seed": 7}})
    lost = read("atif", old).losses.listed
    assert {loss.path for loss in lost if loss.code is Code.METADATA_DROPPED} == {
        *("extra.mood", "steps.2.reasoning_effort"),
        *("steps.2.metrics.logprobs", "steps.2.extra.seed"),
    }
    assert "trajectory_id" in {loss.path for loss in lost if loss.code is Code.IDS_MADE}


def test_a_run_without_an_agent_is_not_held() -> None:
    with pytest.raises(NotHeldError) as caught:
        write("atif", {**planner(), "agent_steps": []})
    assert caught.value.code is Code.NO_AGENT


def test_a_root_that_is_no_agent_stays_one() -> None:
    document = planner()
    document["extraction"]["root_type"] = "graph"
    trajectory = json.loads(write("atif", document))
    assert trajectory["extra"] == {"root_type": "graph"}
    assert reread("atif", document)["extraction"]["root_type"] == "graph"


def test_what_has_no_member_is_in_extra_and_comes_back() -> None:
    document = planner()
    document["extraction"] |= {"conversation_id": "c", "user_id": "u", "metadata": {"a": "b"}}
    document["root_step"]["output"] = "another"
    first = document["agent_steps"][0]["steps"][0]
    first["name"], first["metadata"]["cost"] = "ChatOpenAI", "0.25"
    trajectory = json.loads(write("atif", document))
    atif.check(json.dumps(trajectory).encode())
    assert trajectory["session_id"] == "c"
    assert trajectory["extra"] == {"user_id": "u", "metadata": {"a": "b"}, "output": "another"}
    assert trajectory["final_metrics"]["total_cost_usd"] == 0.25
    again = reread("atif", document)
    told = again["extraction"]
    assert (told["conversation_id"], told["user_id"], told["metadata"]) == ("c", "u", {"a": "b"})
    assert told["cost"]["known_usd"] == 0.25
    assert again["root_step"]["output"] == "another"
    assert json.loads(write("atif", again)) == trajectory


def test_a_tool_that_no_model_called_is_a_step_of_its_own() -> None:
    document = planner()
    tool = document["agent_steps"][0]["steps"][1]
    tool["metadata"], tool["name"], tool["input"] = {}, "search", "Oslo"
    trajectory = json.loads(write("atif", document))
    atif.check(json.dumps(trajectory).encode())
    step = trajectory["steps"][2]
    assert step["llm_call_count"] == 0
    assert step["tool_calls"][0] == {
        "tool_call_id": tool["id"],
        "function_name": "search",
        "arguments": {"input": "Oslo"},
    }
    again = Document(reread("atif", document)).by_id()[tool["id"]]
    assert (again.type, again.name, again.input, again.output) == ("tool", "search", "Oslo", "dry")


def test_images_at_addresses_stay_and_bytes_become_a_placeholder() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png?x=1"}}
    inline = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    document = planner()
    model = document["agent_steps"][0]["steps"][0]
    model["input"] = json.dumps([{"role": "user", "content": [image, inline]}])
    losses = Losses()
    body = write("atif", document, losses)
    atif.check(body)
    source = {"media_type": "image/png", "path": "https://example.org/a.png?x=1"}
    assert json.loads(body)["steps"][0]["message"] == [
        {"type": "image", "source": source},
        {"type": "text", "text": "[image_url]"},
    ]
    assert losses.counts[Code.PARTS_DROPPED] == 1
    assert json.loads(write("atif", reread("atif", document))) == json.loads(body)


@pytest.mark.parametrize("minor", range(9))
def test_every_version_is_read(minor: int) -> None:
    taken = read("atif", _old(f"ATIF-v1.{minor}"))
    document = taken.document
    read_run(document, None)
    root = document["root_step"]
    assert (root["name"], root["input"], root["output"]) == ("terminus", "hi", "ho")
    assert document["extraction"]["metadata"] == {"source_id": "s1"}
    assert document["extraction"]["models"] == ["m"]
    assert taken.losses.counts[Code.DURATION_UNKNOWN] == 1
    assert json.loads(write("atif", document))["agent"]["version"] == "2.0"


@pytest.mark.parametrize(
    ("trajectory", "reason"),
    [
        (_old("ATIF-v1.9"), "schema_version: ATIF-v1.0 to ATIF-v1.8 are read, not 'ATIF-v1.9'"),
        (_old("ATIF-v1.6", session_id=None), "session_id: a string is needed here, not null"),
        (_old(steps=[]), "steps: there are none"),
        (_old(steps=[{"source": "robot"}]), "steps.0.source: 'robot' is unknown"),
        (_old(agent=None), "agent: an object is needed here, not null"),
        (_old(steps=[{"source": "agent", "observation": 7}]), "steps.0.observation: an object"),
        (
            _old(subagent_trajectories=[{"steps": []}]),
            "subagent_trajectories.0.trajectory_id: a string is needed here, not null",
        ),
    ],
)
def test_what_is_no_trajectory_is_refused_with_its_place(trajectory: Json, reason: str) -> None:
    before, found, after = read_all("atif", _old(), trajectory, _old(session_id="s2"))
    assert isinstance(found, Refused)
    assert found.place == "line 2"
    assert found.reason.startswith(reason)
    assert not isinstance(before, Refused)
    assert not isinstance(after, Refused)


def test_copied_context_is_messages_and_its_tokens_are_not_counted() -> None:
    copied = {
        "source": "agent",
        "message": "earlier",
        "is_copied_context": True,
        "metrics": {"prompt_tokens": 99},
    }
    document = read("atif", _old("ATIF-v1.5", steps=[copied, *_old()["steps"]])).document
    (step,) = document["agent_steps"][0]["steps"]
    assert json.loads(step["input"]) == [
        {"role": "assistant", "content": "earlier"},
        {"role": "user", "content": "hi"},
    ]
    assert document["root_step"]["metrics_info"]["input_tokens"] == 0


def test_a_step_lasts_until_the_next_and_its_tools_begin_then() -> None:
    call = {"tool_call_id": "x", "function_name": "ls", "arguments": {}}
    steps = [
        {
            "source": "agent",
            "timestamp": "2024-05-11T04:00:01Z",
            "message": "",
            "tool_calls": [call],
            "observation": {"results": [{"content": "a"}]},  # no id: matched to calls by order
        },
        {"source": "agent", "timestamp": "2024-05-11T06:00:03+02:00", "message": "done"},
    ]
    document = read("atif", _old(steps=steps)).document
    told = [
        (step["name"], step["basic_info"]["started_at"][-4:], step["basic_info"]["duration"])
        for step in document["agent_steps"][0]["steps"]
    ]
    assert told == [("chat", "1000", "2000"), ("ls", "3000", "0"), ("chat", "3000", "0")]


def test_totals_that_contradict_the_steps_are_computed_again() -> None:
    taken = read("atif", _old(final_metrics={"total_prompt_tokens": 7}))
    assert taken.losses.counts[Code.METRICS_RECOMPUTED] == 1


def test_an_agent_that_a_model_called_is_below_the_call() -> None:
    steps = [
        {
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "x", "function_name": "ask", "arguments": {"q": 1}}],
            "observation": {
                "results": [
                    {
                        "source_call_id": "x",
                        "content": "fine",
                        "subagent_trajectory_ref": [{"trajectory_id": "critic-1"}],
                    }
                ]
            },
        }
    ]
    below = _old("ATIF-v1.8", trajectory_id="critic-1")
    document = read("atif", _old("ATIF-v1.8", steps=steps, subagent_trajectories=[below])).document
    read_run(document, None)
    by_name = {step.name: step for step in Document(document).by_id().values()}
    assert (by_name["ask"].type, by_name["ask"].output) == ("tool", "fine")
    agents = [agent.name for agent in Document(document).agents]
    assert agents == ["terminus", "terminus"]
    written = write("atif", document)
    atif.check(written)
    again = read("atif", json.loads(written)).document
    assert json.loads(write("atif", again)) == json.loads(written)


def test_a_continuation_is_a_linked_trace() -> None:
    linked = "0af7651916cd43dd8448eb211c80319d"
    document = read("atif", _old(continued_trajectory_ref=linked)).document
    assert document["extraction"]["linked_traces"] == [linked]
    assert json.loads(write("atif", document))["continued_trajectory_ref"] == linked


def test_ten_thousand_calls_of_one_step_are_quick() -> None:
    calls = [
        {"tool_call_id": f"c{n}", "function_name": "ls", "arguments": {}} for n in range(10_000)
    ]
    results = [{"source_call_id": f"c{n}", "content": str(n)} for n in range(10_000)]
    step = {
        "source": "agent",
        "message": "",
        "tool_calls": calls,
        "observation": {"results": results},
    }
    document = read("atif", _old(steps=[step])).document
    assert len(json.loads(write("atif", document))["steps"][0]["tool_calls"]) == 10_000
