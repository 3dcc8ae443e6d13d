"""A draft becomes the document that extraction would make of its steps."""

from __future__ import annotations

import pytest
from tests.support.drafted import draft_of, planner

from spanloom.client.transfer.documents import read_run
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import complete
from spanloom.core.exchange.ids import step_id_of, trace_id_of
from spanloom.core.formats.imported import find_difference
from spanloom.core.model.trajectory import Kind

TRACE = "0af7651916cd43dd8448eb211c80319c"


def test_owners_metrics_failures_and_outcome_follow_from_the_steps() -> None:
    document = planner()
    made = complete(draft_of(document))
    for name in ("id", "root_step", "agent_steps"):
        assert find_difference(document[name], made[name]) is None
    kept = ("outcome", "failures", "errors", "step_counts", "root_type")
    assert {k: made["extraction"][k] for k in kept} == {k: document["extraction"][k] for k in kept}
    assert made["extraction"]["dialects"] == ["made"]


def test_a_completed_draft_can_be_imported() -> None:
    assert read_run(complete(draft_of(planner())), "other").project == "other"


@pytest.mark.parametrize("broken", ["none", "twice", "early"])
def test_steps_that_make_no_run_are_refused(broken: str) -> None:
    draft = draft_of(planner())
    if broken == "none":
        draft.steps = []
    elif broken == "twice":
        draft.steps = [*draft.steps, draft.steps[1]]
    else:
        draft.steps[0].start_ms = -1
    with pytest.raises(InvalidRequestError):
        complete(draft)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (TRACE, TRACE),
        (f"tr-{TRACE}", TRACE),
        (f"trace:/main.agents/{TRACE}", TRACE),
        ("0af76519-16cd-43dd-8448-eb211c80319c", TRACE),
    ],
)
def test_ids_of_traces_stay_where_they_have_the_form(source: str, expected: str) -> None:
    assert trace_id_of("mlflow", "default", source) == expected


def test_other_ids_are_hashes_of_format_project_and_source() -> None:
    made = {
        trace_id_of(*parts)
        for parts in (
            ("coze", "a", "trace_1"),
            ("coze", "b", "trace_1"),
            ("atif", "a", "trace_1"),
            ("coze", "a", "trace_2"),
            ("coze", "a", "0" * 32),
        )
    }
    assert len(made) == 5
    assert all(len(bytes.fromhex(one)) == 16 for one in made)
    assert trace_id_of("coze", "a", "trace_1") in made


def test_a_step_keeps_its_id_unless_it_is_taken() -> None:
    own = "00f067aa0ba902b7"
    assert step_id_of(TRACE, "0", own) == own
    assert step_id_of(TRACE, "0", own, {own}) == step_id_of(TRACE, "0")
    assert step_id_of(TRACE, "0") != step_id_of(TRACE, "1")


def test_steps_of_the_same_millisecond_stay_in_the_drafts_order() -> None:
    draft = draft_of(planner())
    root, *others = draft.steps
    for step in others:
        step.start_ms = root.start_ms
    draft.steps = [root, *reversed(others)]
    made = complete(draft)
    ids = [step["id"] for agent in made["agent_steps"] for step in agent["steps"]]
    order = [step.id for step in draft.steps]
    for agent in made["agent_steps"]:
        own = [step["id"] for step in agent["steps"]]
        assert own == sorted(own, key=order.index)
    assert len(ids) == len(others)


def test_an_agent_has_the_cost_of_its_own_calls() -> None:
    draft = draft_of(planner())
    for step in draft.steps:
        if step.kind is Kind.MODEL:
            step.metadata = {**step.metadata, "cost": "0.5"}
    planned, critic = complete(draft)["agent_steps"]
    assert (planned["metadata"]["cost"], critic["metadata"]["cost"]) == ("1.0", "0.5")


@pytest.mark.parametrize("wrong", [{"cost": "much"}, {"reported_cost": "NaN"}, {"tags": "{}"}])
def test_metadata_that_cannot_be_summed_up_is_left_out(wrong: dict[str, str]) -> None:
    draft = draft_of(planner())
    for step in draft.steps:
        step.metadata = {**step.metadata, **wrong}
    made = complete(draft)
    assert read_run(made, "other").project == "other"
    assert made["root_step"]["metadata"].keys().isdisjoint(wrong)
