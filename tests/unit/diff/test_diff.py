"""Two runs side by side: what is the same, changed, added, removed or moved."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from spanloom.core.diff.diff import Diff, diff_documents
from spanloom.core.diff.shown import show_diff

Json = dict[str, Any]


def step(
    step_id: str,
    name: str,
    said: object = "",
    *,
    at: int = 0,
    took: int = 10,
    kind: str = "tool",
    parent: str = "root",
    output: object = "",
    **more: Any,
) -> Json:
    """Return a step of a document; values that are no strings are written as JSON."""
    return {
        "id": step_id,
        "parent_id": parent,
        "type": kind,
        "name": name,
        "input": said if isinstance(said, str) else orjson.dumps(said).decode(),
        "output": output if isinstance(output, str) else orjson.dumps(output).decode(),
        "metadata": {},
        "basic_info": {"started_at": str(at), "duration": str(took), **more},
    }


def run(*steps: Json, agents: dict[str, list[Json]] | None = None, answer: str = "done") -> Json:
    """Return the document of a run whose root owns ``steps``, and whose agents own theirs."""
    root = step("root", "shop", "help", kind="agent", took=1000, output=answer)
    root["metrics_info"] = {
        "llm_duration": "800",
        "tool_duration": "150",
        "input_tokens": 5,
        "output_tokens": 7,
    }
    owned = {"root": list(steps), **(agents or {})}
    return {
        "id": "ab" * 16,
        "root_step": root,
        "agent_steps": [{"id": i, "name": i, "steps": mine} for i, mine in owned.items()],
        "extraction": {
            "root_type": "agent",
            "project": "default",
            "version": 3,
            "status": "settled",
            "outcome": "recovered",
            "step_counts": {"agent": 1, "tool": 2},
            "failures": 1,
        },
    }


def in_a_row(*steps: Json) -> list[Json]:
    """Return the steps with starts one after the other."""
    for n, one in enumerate(steps):
        one["basic_info"]["started_at"] = str(100 * n)
    return list(steps)


def ops(diff: Diff) -> list[str]:
    """Return change and name of each step except the root, such as ``changed order``."""
    return [f"{row.op} {(row.b or row.a).name}" for row in diff.rows[1:] if (row.b or row.a)]  # type: ignore[union-attr]  # one side is there


CALLS = ("search", "order", "refund")


def test_a_run_is_the_same_as_itself() -> None:
    document = run(*in_a_row(*(step(name, name, {"n": 1}) for name in CALLS)))
    diff = diff_documents(document, document)
    assert diff.is_same
    assert ops(diff) == ["same search", "same order", "same refund"]


def test_one_step_more_is_exactly_one_added() -> None:
    before = run(*in_a_row(*(step(name, name) for name in CALLS)))
    after = run(*in_a_row(*(step(name, name) for name in ("search", "order", "verify", "refund"))))
    diff = diff_documents(before, after)
    assert ops(diff) == ["same search", "same order", "added verify", "same refund"]
    back = diff_documents(after, before)
    assert ops(back) == ["same search", "same order", "removed verify", "same refund"]


def test_another_argument_is_named() -> None:
    before = run(step("1", "order", {"id": 7, "limit": 5}))
    after = run(step("9", "order", {"id": 7, "limit": 10}))
    (changed,) = diff_documents(before, after).rows[1:]
    assert [tuple(change) for change in changed.changes] == [("input.limit", 5, 10)]


def test_parallel_steps_have_no_order() -> None:
    searches = [step(city, "search", {"city": city}, took=500) for city in ("Oslo", "Rome", "Bern")]
    for n, one in enumerate(searches):
        one["basic_info"]["started_at"] = str(n)
    shuffled = [
        {**one, "basic_info": {"started_at": str(9 - n), "duration": "400"}}
        for n, one in enumerate(searches)
    ]
    diff = diff_documents(run(*searches), run(*shuffled))
    assert diff.is_same


def test_an_early_change_does_not_mark_the_later_calls() -> None:
    def chatted(first: str) -> Json:
        said = [{"role": "user", "content": first}]
        later = [*said, {"role": "assistant", "content": "go on"}, {"role": "user", "content": "2"}]
        answer = [{"role": "assistant", "content": "go on"}]
        return run(
            *in_a_row(
                step("1", "gpt", said, kind="model", output=answer),
                step("2", "gpt", later, kind="model", output=answer),
            )
        )

    diff = diff_documents(chatted("hello"), chatted("good day"))
    assert ops(diff) == ["changed gpt", "same gpt"]


def test_ids_of_calls_are_no_difference() -> None:
    def asking(call_id: str, arguments: str) -> Json:
        call = {
            "id": call_id,
            "type": "function",
            "function": {"name": "f", "arguments": arguments},
        }
        asked = [{"role": "assistant", "content": "", "tool_calls": [call]}]
        given = [*asked, {"role": "tool", "content": "ok", "tool_call_id": call_id}]
        return run(
            *in_a_row(
                step("1", "gpt", [{"role": "user", "content": "x"}], kind="model", output=asked),
                step(
                    "2", "gpt", given, kind="model", output=[{"role": "assistant", "content": "y"}]
                ),
            )
        )

    assert diff_documents(asking("call_1", '{"a":1}'), asking("call_2", '{"a": 1}')).is_same


def test_agents_are_paired_from_the_top_down() -> None:
    def handing(tool: str) -> Json:
        return run(
            step("billing", "billing", "q", kind="agent"),
            agents={
                "billing": [
                    step("t", tool, parent="billing"),
                    step("u", "pay", at=50, parent="billing"),
                ]
            },
        )

    diff = diff_documents(handing("lookup"), handing("find"))
    assert ops(diff) == ["same billing", "changed find", "same pay"]


def test_a_step_under_another_agent_has_moved() -> None:
    refund = step("r", "refund", {"id": 1})
    agent = step("billing", "billing", "q", kind="agent", at=50)
    before = run(refund, agent)
    after = run(agent, agents={"billing": [{**refund, "parent_id": "billing"}]})
    diff = diff_documents(before, after)
    assert ops(diff) == ["same billing", "moved refund"]


def test_only_durations_beyond_chance_are_changes() -> None:
    def took(ms: int) -> Json:
        return run(step("1", "search", took=ms))

    assert diff_documents(took(100), took(150)).is_same
    assert diff_documents(took(1000), took(1200)).is_same
    (slower,) = diff_documents(took(100), took(151)).rows[1:]
    assert slower.changes[0].field == "duration"


def test_a_failure_and_another_model_are_changes() -> None:
    fine = step("1", "gpt", kind="model")
    failed = step("1", "gpt", kind="model", error={"code": 429, "msg": "slow down"})
    failed["metadata"] = {"model": "gpt-4o"}
    (row,) = diff_documents(run(fine), run(failed)).rows[1:]
    assert [change.field for change in row.changes] == ["model", "error"]


@pytest.mark.parametrize(("count", "op"), [(400, "same"), (700, "same"), (2500, "moved")])
def test_a_long_loop_with_one_step_less(count: int, op: str) -> None:
    """The sizes lead to pairing one by one, by common parts, and not at all.

    Without pairing, the steps only seem to move.
    """
    loop = [step(str(n), "poll") for n in range(count)]
    counts = diff_documents(run(*in_a_row(*loop)), run(*in_a_row(*loop[1:]))).counts
    assert (counts["removed"], counts[op] - (op == "same")) == (1, count - 1)


def test_agents_may_nest_to_any_depth() -> None:
    agents = {str(n): [step(str(n + 1), "agent", kind="agent", parent=str(n))] for n in range(5000)}
    document = run(step("0", "agent", kind="agent"), agents=agents)
    assert diff_documents(document, document).counts["same"] == 5002


def test_as_json_it_leaves_out_what_is_the_same() -> None:
    before = run(*in_a_row(step("1", "search"), step("2", "order", {"note": "x" * 900})))
    after = run(*in_a_row(step("3", "search"), step("4", "order", {"note": "y"}), step("5", "pay")))
    diff = diff_documents(before, after)
    shown = show_diff(before, after, diff)
    assert shown["same"] is False
    assert (shown["a"]["name"], shown["a"]["outcome"]) == ("shop", "recovered")
    assert shown["a"]["started_at"] == before["root_step"]["basic_info"]["started_at"]
    assert shown["summary"] == {
        "same": 2,
        "changed": 1,
        "added": 1,
        "removed": 0,
        "moved": 0,
        "metrics": {
            "duration": [1000, 1000],
            "model_time": [800, 800],
            "tool_time": [150, 150],
            "input_tokens": [5, 5],
            "output_tokens": [7, 7],
            "cost": [None, None],
            "agent_steps": [1, 1],
            "model_steps": [0, 0],
            "tool_steps": [2, 2],
            "graph_steps": [0, 0],
            "errors": [1, 1],
        },
        "first_difference": 1,
    }
    changed, added = shown["steps"]
    assert changed["changes"] == [{"field": "input.note", "a": "x" * 400 + "…", "b": "y"}]
    assert added == {"op": "added", "b": 2, "b_id": "5", "type": "tool", "name": "pay"}
    whole = show_diff(before, after, diff, texts=True, every=True)
    assert len(whole["steps"]) == 4
    assert whole["steps"][2]["changes"][0]["a"] == "x" * 900
