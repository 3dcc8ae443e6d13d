"""Online rules turn runs from the feed into scores: which runs, when and how often."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import pytest
from tests.support.online import CALLS, PROJECT, Online, trace

from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import BackfillRange, RuleBudget, RuleProgress, Unit, When
from spanloom.core.model.trajectory import DuplicateOf, Status
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.evaluation.sampling import is_sampled
from spanloom.online.service import UnknownRuleError

DAY_S = 24 * 3600


@pytest.fixture
def online() -> Online:
    return Online()


def test_a_run_that_comes_in_is_judged_once(online: Online) -> None:
    online.put()
    online.send(trace(1), calls=2)
    online.turn()
    (score,) = online.scores()
    assert (score.rule_id, score.author, score.source) == ("r1", "calls", "rule")
    assert (score.name, score.passed, score.judged_version) == ("calls/max_model_calls", False, 1)
    assert score.view_fingerprint
    assert online.progress() == RuleProgress(done=1)
    online.turn()  # the feed announced the rule's own scores
    online.restart()
    online.turn()
    assert online.scores() == [score]


def test_runs_from_before_a_rule_are_of_the_past(online: Online) -> None:
    online.send(trace(1))
    online.tick()
    online.put()
    online.send(trace(2))
    online.turn()
    assert online.judged().keys() == {trace(2).trace_id}


def test_a_late_span_has_the_run_judged_again_where_it_changed_the_view(online: Online) -> None:
    online.put()
    online.send(trace(1), calls=1)
    online.turn()
    (first,) = online.scores()
    online.send(trace(1), 2, calls=1, extras={"user_id": "ada"})
    online.turn()
    assert online.scores() == [first]
    online.send(trace(1), 3, calls=2, status=Status.LIVE)
    online.turn()
    assert online.scores() == [first]
    online.send(trace(1), 4, calls=2)
    online.turn()
    (again,) = online.scores()
    assert (again.id, again.passed, again.judged_version) == (first.id, False, 4)
    assert online.progress() == RuleProgress(done=1)


def test_a_run_is_judged_again_three_times_at_most(online: Online) -> None:
    online.put()
    for version in range(1, 7):
        online.send(trace(1), version, calls=version)
        online.turn()
    (score,) = online.scores()
    assert score.judged_version == 4
    assert online.progress() == RuleProgress(stale=1)
    online.put(rescored=True)
    online.turn()
    assert online.scores()[0].judged_version == 6
    assert online.progress() == RuleProgress(done=1)


def test_partial_runs_are_judged_once_before_they_settle(online: Online) -> None:
    online.put(when=When.PARTIAL)
    for version in (1, 2, 3):
        online.send(trace(1), version, calls=version, status=Status.LIVE)
        online.turn()
    assert online.scores()[0].judged_version == 1
    online.send(trace(1), 4, calls=4)
    online.send(trace(2), status=Status.PARTIAL)
    online.turn()
    assert {s.key: s.judged_version for s in online.scores()} == {trace(1): 4, trace(2): 1}


def test_repeats_failed_builds_and_the_project_of_judges_are_left_out(online: Online) -> None:
    online.put(when=When.PARTIAL)
    online.send(trace(1), duplicate_of=DuplicateOf(trace(2).trace_id, "0" * 16))
    online.send(trace(3), status=Status.FAILED)
    online.turn()
    assert online.progress() == RuleProgress()
    assert online.scores() == []


def test_a_run_that_turns_out_to_be_a_repeat_is_not_judged(online: Online) -> None:
    online.put()
    online.send(trace(1))
    online.follower.run_once()
    online.store_run(trace(1), 2, duplicate_of=DuplicateOf(trace(2).trace_id, "0" * 16))
    online.turn()
    assert online.scores() == []
    assert online.progress() == RuleProgress()


def test_the_condition_chooses_runs_and_one_read_serves_all_rules(
    online: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("r1", "r2"):
        online.put(name, where="model_steps > 1")
    online.put("r3", where="model_steps < 2")
    asked = Mock(wraps=online.store.runs.matching_each)
    monkeypatch.setattr(online.store.runs, "matching_each", asked)
    for number in range(4):
        online.send(trace(number), calls=1 + number % 2)
    online.turn()
    assert [len(call.args[2]) for call in asked.call_args_list] == [2]
    found = {name: online.progress(name).done for name in ("r1", "r2", "r3")}
    assert found == {"r1": 2, "r2": 2, "r3": 2}


def test_a_delay_is_waited_for(online: Online) -> None:
    online.put(delay_s=60.0)
    online.send(trace(1))
    online.turn()
    assert online.progress().pending == 1
    online.tick(61)
    online.turn()
    assert online.progress() == RuleProgress(done=1)


def test_a_sample_of_conversations_has_all_of_their_runs(online: Online) -> None:
    online.put(sample=0.5, unit=Unit.CONVERSATION)
    talks = [f"talk {number}" for number in range(8)]
    for number in range(24):
        online.send(trace(number), extras={"conversation_id": talks[number % 8]})
    online.turn()
    wanted = {n for n in range(24) if is_sampled("r1", talks[n % 8], 0.5)}
    assert online.judged().keys() == {trace(n).trace_id for n in wanted}
    assert 0 < len(wanted) < 24


def test_live_and_backfill_judge_the_same_runs_and_a_higher_rate_adds_some() -> None:
    live, past, more = Online(), Online(), Online()
    live.put(sample=0.2)
    more.put(sample=0.4)
    for number in range(600):
        for one in (live, past, more):
            one.send(trace(number))
    past.tick()
    past.put(sample=0.2, backfill=BackfillRange())
    for one in (live, past, more):
        one.turn()
    assert live.judged().keys() == past.judged().keys()
    assert live.judged().keys() < more.judged().keys()
    assert past.rules.get(PROJECT, "r1").walks[0].taken == len(live.judged())


def test_a_backfill_goes_on_where_it_was(online: Online, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanloom.online.walker.PAGE", 3)
    for number in range(10):
        online.send(trace(number))
    online.tick()
    online.put(backfill=BackfillRange(from_ns=0))
    assert online.follower.run_once()
    assert online.progress().pending == 3
    online.restart()
    online.turn()
    kept = online.rules.get(PROJECT, "r1")
    assert (kept.progress.done, kept.walks[0].taken, kept.walks[0].is_done) == (10, 10, True)
    online.put(backfill=BackfillRange(to_ns=1))
    online.turn()
    assert online.rules.get(PROJECT, "r1").walks[0].taken == 0
    assert online.progress().done == 10


def test_a_new_version_judges_new_runs_and_old_ones_where_asked(online: Online) -> None:
    online.put()
    online.send(trace(1), calls=2)
    online.turn()
    strict = {**CALLS, "rules": {"max_model_calls": 3}}
    assert online.put(evaluators=[strict]) == 2
    online.turn()
    (old,) = online.scores()
    assert old.passed is False
    online.send(trace(2), calls=2)
    online.turn()
    assert {s.key: s.passed for s in online.scores()} == {trace(1): False, trace(2): True}
    assert online.put(rescored=True) == 3
    online.turn()
    assert {s.key: s.passed for s in online.scores()} == {trace(1): True, trace(2): True}


def test_work_that_waits_when_a_rule_changes_is_judged_by_the_new_one(online: Online) -> None:
    online.put()
    online.send(trace(1), calls=2)
    online.send(trace(2), calls=1)
    online.follower.run_once()
    online.put(where="model_steps > 1", evaluators=[{**CALLS, "name": "second"}])
    online.turn()
    assert {s.key: s.author for s in online.scores()} == {trace(1): "second"}
    assert online.progress() == RuleProgress(done=1)


def test_a_paused_rule_goes_on_where_it_was(online: Online) -> None:
    online.put(is_paused=True)
    for number in range(3):
        online.send(trace(number))
    online.turn()
    assert online.progress().pending == 3
    online.put(is_paused=False)
    online.turn()
    assert online.progress() == RuleProgress(done=3)


def test_work_of_a_deleted_rule_is_dropped(online: Online) -> None:
    online.put()
    online.put("r2")
    online.send(trace(1))
    online.follower.run_once()
    online.rules.delete(PROJECT, "r1", "ada")
    online.turn()
    assert [score.rule_id for score in online.scores()] == ["r2"]
    with pytest.raises(UnknownRuleError):
        online.rules.get(PROJECT, "r1")
    assert online.put() == 2
    online.turn()
    assert online.progress() == RuleProgress()


def test_a_spent_budget_defers_runs_to_the_next_day(online: Online) -> None:
    online.put(budget=RuleBudget(runs=2))
    for number in range(5):
        online.send(trace(number))
    online.turn()
    assert online.progress() == RuleProgress(done=2, deferred=3)
    online.restart()
    online.turn()
    assert online.progress() == RuleProgress(done=2, deferred=3)
    online.tick(DAY_S)
    online.turn()
    assert online.progress() == RuleProgress(done=4, deferred=1)
    online.put(budget=RuleBudget(runs=3))
    online.turn()
    assert online.progress() == RuleProgress(done=5)


def test_a_rule_that_cannot_judge_hinders_no_other_one(online: Online) -> None:
    online.put()
    state = online.store.state
    rule = state.online_rules[PROJECT, "r1"]
    state.online_rules[PROJECT, "r2"] = replace(rule, name="r2", where="gone > 1")
    state.online_rules[PROJECT, "r3"] = replace(rule, name="r3", evaluators='[{"kind": "x"}]')
    online.send(trace(1))
    online.send(trace(2))
    state.records[trace(2)] = replace(state.records[trace(2)], document=b"{}")
    online.turn()
    told = online.store.online_rules.progress(PROJECT)
    assert told["r1"] == RuleProgress(done=1, error=1)
    assert told["r2"].error == told["r3"].error == 2
    assert online.judged().keys() == {trace(1).trace_id}


def test_a_deleted_run_leaves_neither_work_nor_scores(online: Online) -> None:
    online.put()
    for number in (1, 2):
        online.send(trace(number))
    online.turn()
    gone = DeletionScope(Reach.ALL, trace_id=trace(1).trace_id)
    online.store.deletions.delete(new_deletion(gone, "tester", online.now_ns))
    online.turn()
    assert online.progress() == RuleProgress(done=1)
    found = online.store.scores.list(Reach.ALL, ScoreQuery(), 9)
    assert [score.key for score in found] == [trace(2)]


def test_rules_read_their_own_project_alone(online: Online) -> None:
    online.put(project="a")
    online.put(project="b")
    online.send(trace(1, "a"))
    online.send(trace(1, "spanloom.judge"))
    online.turn()
    assert len(online.scores("a")) == 1
    assert online.scores("b") == online.scores("spanloom.judge") == []


def test_how_late_rules_are_is_a_metric(online: Online) -> None:
    online.put(is_paused=True)
    online.send(trace(1))
    online.tick(30)
    online.turn()
    told = online.metrics.render().decode()
    assert 'spanloom_online_rule_lag_seconds{rule="r1"} 30' in told
    online.put(is_paused=False)
    online.turn()
    told = online.metrics.render().decode()
    assert 'spanloom_online_rule_runs_total{outcome="done",rule="r1"} 1.0' in told
