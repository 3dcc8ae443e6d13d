"""Each state of an annotation, and the return to ``valid`` when the former text returns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from tests.support.annotated_runs import tool_step
from tests.support.trajectory_records import make_trajectory

from spanloom.core.annotation.anchors import (
    Anchors,
    CurrentState,
    Fate,
    State,
    anchors_of,
    current_state,
)
from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.annotation import WHOLE, Anchor
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from spanloom.core.model.step import Step

KEY = TraceKey("p", "a" * 32)
STEPS = [tool_step(number) for number in (2, 3, 4)]


def document(steps: list[Step], version: int = 1, agent: str = "planner") -> dict[str, Any]:
    run = make_trajectory(KEY, steps=steps, agent=agent)
    found: dict[str, Any] = orjson.loads(encode_document(run, version, Status.SETTLED))
    return found


def anchors(steps: list[Step], version: int = 1, agent: str = "planner") -> Anchors:
    return anchors_of(document(steps, version, agent))


def standing(step_id: str, anchor: Anchor, now: Anchors, **fates: Fate) -> CurrentState:
    return current_state(step_id, anchor, now, lambda: fates)


BEFORE = anchors(STEPS)
THIRD = STEPS[1].id
ANCHOR = BEFORE.by_id[THIRD].anchor(1)


def test_a_late_span_leaves_what_was_said_valid() -> None:
    now = anchors([*STEPS, tool_step(5)], 2)
    assert standing(THIRD, ANCHOR, now) == CurrentState(State.VALID, THIRD)


def test_another_output_is_a_change_and_the_old_one_is_valid_again() -> None:
    changed = [STEPS[0], STEPS[1]._replace(output="other"), STEPS[2]]
    assert standing(THIRD, ANCHOR, anchors(changed, 2)).state is State.CHANGED
    assert standing(THIRD, ANCHOR, anchors(STEPS, 3)).state is State.VALID


def test_times_and_metadata_are_no_change() -> None:
    later = [s._replace(start_ns=s.start_ns + 10**9, metadata={"dialect": "x"}) for s in STEPS]
    assert standing(THIRD, ANCHOR, anchors(later, 2)).state is State.VALID


def test_a_merged_duplicate_leads_to_the_step_that_it_counts_under() -> None:
    merged = STEPS[0]._replace(metadata={"merged_span_ids": f"{9:016x},{THIRD}"})
    now = anchors([merged, STEPS[2]], 2)
    assert standing(THIRD, ANCHOR, now)[:2] == (State.MOVED, STEPS[0].id)


def test_a_span_that_counts_under_another_step_is_found_by_its_fate() -> None:
    now = anchors([STEPS[0], STEPS[2]], 2)
    found = standing(THIRD, ANCHOR, now, **{THIRD: Fate(STEPS[2].id)})
    assert found[:2] == (State.MOVED, STEPS[2].id)


def test_the_one_step_that_says_the_same_stands_for_it() -> None:
    now = anchors([STEPS[0], STEPS[1]._replace(id=f"{77:016x}"), STEPS[2]], 2)
    assert standing(THIRD, ANCHOR, now)[:2] == (State.MOVED, f"{77:016x}")


def test_of_several_that_say_the_same_it_is_the_one_in_its_place() -> None:
    same = [replace_id(n, STEPS[1]) for n in (20, 21, 22)]
    before = anchors(same)
    now = anchors([replace_id(n, STEPS[1]) for n in (30, 31, 32)], 2)
    second = before.by_id[same[1].id].anchor(1)
    assert second.ordinal == 2
    assert standing(same[1].id, second, now)[:2] == (State.MOVED, f"{31:016x}")
    fourth = second._replace(ordinal=4)
    assert standing(same[1].id, fourth, now).state is State.ORPHANED


def replace_id(number: int, step: Step) -> Step:
    return step._replace(id=f"{number:016x}", start_ns=step.start_ns + number)


def test_a_span_that_is_noise_now_leaves_an_orphan_with_the_rule() -> None:
    now = anchors([STEPS[0], STEPS[2]], 2)
    found = standing(THIRD, ANCHOR, now, **{THIRD: Fate(None, "framework.wrapper")})
    assert found.state is State.ORPHANED
    assert "framework.wrapper" in found.reason
    assert standing(THIRD, ANCHOR, now).state is State.ORPHANED


def test_a_renamed_agent_changes_what_was_said_of_it_and_nothing_below() -> None:
    now = anchors(STEPS, 2, agent="navigator")
    root = f"{1:016x}"
    assert standing(THIRD, ANCHOR, now).state is State.VALID
    assert standing(root, BEFORE.by_id[root].anchor(1), now).state is State.CHANGED


def test_what_was_not_kept_counts_as_changed_until_it_is_confirmed() -> None:
    unknown = ANCHOR._replace(step_hash="")
    assert standing(THIRD, unknown, BEFORE).state is State.CHANGED
    assert standing(WHOLE, Anchor(1), BEFORE).state is State.WHOLE


def test_steps_come_in_the_order_of_their_starts_and_agents_are_not_judged() -> None:
    found = anchors([STEPS[2], STEPS[0], STEPS[1]])
    assert found.judged == [step.id for step in STEPS]
    assert [step.type for step in found.steps].count("agent") == 1
    assert found.by_id[THIRD].quote == "search: answer 3"
    assert found.by_id[THIRD].agent_name == "planner"


def test_what_is_below_a_step_is_found_at_any_depth() -> None:
    deep = [STEPS[0], STEPS[1]._replace(parent_id=STEPS[0].id), STEPS[2]._replace(parent_id=THIRD)]
    found = anchors(deep).below(STEPS[0].id)
    assert [step.id for step in found] == [step.id for step in deep]
    assert len(anchors(deep).below("")) == 4


def test_a_hash_does_not_depend_on_who_reads_it() -> None:
    assert replace(make_trajectory(KEY)) == make_trajectory(KEY)
    assert anchors(STEPS).by_id[THIRD].hash == ANCHOR.step_hash
