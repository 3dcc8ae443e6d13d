"""Online rules and their queued work, in every store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import (
    WAITING,
    BackfillRange,
    OnlineRule,
    RuleBudget,
    RuleProgress,
    Spent,
    Unit,
    Walk,
    WalkPlace,
    When,
    Work,
    WorkState,
)
from spanloom.core.model.span import TraceKey
from spanloom.core.query.where.parser import parse_where
from spanloom.core.sharing import ALL, slice_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.ports.store import Store

RULE = "limits"


@pytest.fixture
def project(new_project: Callable[[], str]) -> str:
    return new_project()


@pytest.fixture
def key(project: str) -> TraceKey:
    return TraceKey(project, "a" * 32)


def work(key: TraceKey, version: int = 1, **more: Any) -> Work:
    given = {"rule": RULE, "rule_version": 1, "known_us": 5, "due_us": 7, **more}
    return Work(key, version=version, **given)


def waiting(store: Store, project: str, now_us: int = 10, **more: Any) -> Sequence[Work]:
    given = {"slices": ALL, "limit": 10, "rules": {(project, RULE)}, "states": WAITING, **more}
    return store.online_rules.waiting(now_us=now_us, **given)


def test_a_rule_comes_back_as_it_was_put(store: Store, project: str) -> None:
    rules, reach = store.online_rules, Reach.only(project)
    rule = OnlineRule(
        project,
        RULE,
        version=3,
        where="outcome = failed",
        evaluators='[{"kind": "match"}]',
        sample=0.25,
        unit=Unit.CONVERSATION,
        when=When.PARTIAL,
        delay_s=1.5,
        budget=RuleBudget(0.5, 6, 7, 8),
        backfill=BackfillRange(5, None),
        rescored=2,
        is_paused=True,
        since_us=1_795_000_000_123_456,
        at_us=4,
        put_by="ada",
    )
    rules.put(rule)
    assert rules.list(reach) == [rule]
    rules.put(replace(rule, at_us=3, version=9))
    rules.put(replace(rule, at_us=5, version=4, backfill=None, is_deleted=True))
    (newest,) = rules.list(reach, RULE)
    assert (newest.version, newest.backfill, newest.is_deleted) == (4, None, True)
    assert rules.list(reach, "other") == []


def test_the_store_says_when_a_rule_was_made(store: Store, project: str) -> None:
    store.online_rules.put(OnlineRule(project, RULE, at_us=1))
    (made,) = store.online_rules.list(Reach.only(project))
    assert made.since_us > 1_700_000_000_000_000


def test_the_highest_revision_of_work_counts(store: Store, key: TraceKey) -> None:
    rules = store.online_rules
    views = {"path": "f1", "limits": "f2"}
    done = work(
        *(key,),
        state=WorkState.DONE,
        revision=2,
        views=views,
        is_judged=True,
        attempts=1,
        calls=2,
        tokens=300,
        cost=0.25,
        judged_us=9,
        error="x",
        is_settled=False,
    )
    rules.add_work([work(key), done])
    rules.add_work([work(key), work(key, 2)])
    assert rules.work_of([key]) == [done, work(key, 2)]
    assert waiting(store, key.project) == [work(key, 2)]


def test_work_waits_until_it_is_due_and_deferred_work_comes_last(
    store: Store, project: str
) -> None:
    one, other, third = (TraceKey(project, c * 32) for c in "abc")
    later = replace(work(one), state=WorkState.DEFERRED)
    pending = [work(other, due_us=9), work(third, due_us=8)]
    store.online_rules.add_work([later, *pending])
    assert waiting(store, project) == [*reversed(pending), later]
    assert waiting(store, project, 8) == [pending[1], later]
    assert waiting(store, project, 6) == []
    assert waiting(store, project, limit=1) == [pending[1]]
    assert waiting(store, project, states={WorkState.DEFERRED}) == [later]
    assert waiting(store, project, rules={(project, "other")}) == []
    assert waiting(store, project, slices=frozenset({slice_of(other)})) == [pending[0]]
    store.online_rules.add_work([replace(pending[0], state=WorkState.DROPPED, revision=1)])
    assert waiting(store, project) == [pending[1], later]


def test_progress_counts_runs_by_their_newest_work(store: Store, project: str) -> None:
    keys = [TraceKey(project, f"{n:032x}") for n in range(5)]
    states = [WorkState.DONE, WorkState.ERROR, WorkState.DEFERRED, WorkState.STALE]
    store.online_rules.add_work(
        [
            *(work(key, state=state) for key, state in zip(keys, states, strict=False)),
            *(work(keys[0], 2), work(keys[1], 2, state=WorkState.DROPPED)),
            *(work(keys[2], rule_version=2, due_us=6), work(keys[4], rule="r2")),
        ]
    )
    told = store.online_rules.progress(project)
    assert told == {
        RULE: RuleProgress(pending=2, error=1, stale=1, oldest_due_us=6),
        "r2": RuleProgress(pending=1, oldest_due_us=7),
    }
    assert store.online_rules.progress(project, "r2") == {"r2": told["r2"]}


def test_what_was_taken_is_counted_once(store: Store, key: TraceKey) -> None:
    judged = work(key, calls=1, tokens=10, cost=0.5, judged_us=50, is_judged=True)
    again = replace(judged, revision=1, calls=3, tokens=30, cost=1.5, judged_us=60)
    store.online_rules.add_work([judged, again, work(key, 2), replace(judged, version=3)])
    spent = store.online_rules.spent
    assert spent(key.project, RULE, 50) == Spent(2.0, 40, 4, 2)
    assert spent(key.project, RULE, 55) == Spent(1.5, 30, 3, 1)
    assert spent(key.project, RULE, 61) == spent(key.project, "other", 0) == Spent()


def test_runs_of_earlier_versions_are_listed_by_their_ids(store: Store, project: str) -> None:
    old, new, both = (TraceKey(project, c * 32) for c in "abc")
    again = [work(both), work(both, rule_version=2)]
    store.online_rules.add_work([work(old), work(old, 2), work(new, rule_version=2), *again])
    before = store.online_rules.judged_before
    assert before(project, RULE, 2, "", 9) == [old.trace_id, both.trace_id]
    assert before(project, RULE, 2, "", 1) == [old.trace_id]
    assert before(project, RULE, 2, old.trace_id, 9) == [both.trace_id]


def test_many_conditions_are_asked_by_one_read(store: Store, project: str) -> None:
    keys = [TraceKey(project, f"{n:032x}") for n in range(4)]
    for number, key in enumerate(keys):
        steps = [model_step(at + 2, error="odd" * (at == 2)) for at in range(number + 1)]
        store.trajectories.write([make_record(key, make_trajectory(key, steps=steps))])
    texts = ("steps > 3", "has(error)", "not has_error and model_steps >= 2", "annotated")
    wheres = [parse_where(text, 0) for text in texts]
    reach, asked = Reach.only(project), [*keys, keys[0]._replace(trace_id="f" * 32)]
    met = store.runs.matching_each(asked, reach, wheres)
    assert [set(one) for one in met] == [
        set(store.runs.matching_among(asked, reach, where)) for where in wheres
    ]
    assert [len(one) for one in met][1:] == [2, 1, 0]
    assert store.runs.matching_each(asked, Reach.only(), wheres) == [set()] * 4


def test_the_latest_place_of_a_walk_counts(store: Store, project: str) -> None:
    place = WalkPlace(project, RULE, Walk.BACKFILL, "0-", '["x"]', 3, at_us=1)
    later = replace(place, position="", taken=5, is_done=True, at_us=2)
    other = replace(place, walk=Walk.RESCORE, wanted="version 2")
    for one in (place, later, other):
        store.online_rules.place(one)
    assert store.online_rules.places(Reach.only(project)) == [later, other]
