"""A draft becomes the document that extraction would make of its steps."""

from __future__ import annotations

import pytest
from tests.support.drafted import draft_of, planner

from spanloom.client.transfer.documents import read_run
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import complete
from spanloom.core.exchange.ids import step_id_of, trace_id_of
from spanloom.core.formats.imported import find_difference

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
