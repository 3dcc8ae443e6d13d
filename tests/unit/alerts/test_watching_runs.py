"""Alerts on single runs: when they fire, when they wait, and why they are retracted."""

from __future__ import annotations

import pytest
from tests.support.alerting import PROJECT, UNVERIFIED, Alerting

from spanloom.core.errors import PermanentError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertState, channel_key
from spanloom.core.model.score import Score
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import DeletionScope, new_deletion

REFUNDS = 'has(tool = "refund")'


@pytest.fixture
def alerting() -> Alerting:
    made = Alerting()
    made.put("a", where=REFUNDS)
    made.look()
    return made


def test_a_run_fires_once_as_soon_as_a_part_shows_it(alerting: Alerting) -> None:
    key = alerting.build("1", "search", "refund", status=Status.LIVE)
    assert alerting.look() == 1
    (event,) = alerting.events("a")
    assert (event.state, event.version, event.number) == (AlertState.FIRING, 1, 1)
    assert event.channels == [channel_key("webhook", "https://hooks.example.com/agents")]
    shown = alerting.store.alerts.shown([event])[event.id, 1]
    assert (shown["name"], shown["question"]) == ("planner", "in")
    assert [step["name"] for step in shown["evidence"]] == ["refund"]
    for version in (2, 3):
        alerting.build("1", "search", "refund", "refund", version=version)
        assert alerting.look() == 0
    alerting.begin()
    assert alerting.look() == 0
    assert alerting.store.alerts.firing(Reach.ALL) == {(key.project, "a"): 1}
    assert alerting.told == 1


def test_what_can_hold_by_absence_waits_for_settled(alerting: Alerting) -> None:
    alerting.put("b", where=UNVERIFIED)
    alerting.build("1", "refund", status=Status.LIVE)
    alerting.build("2", "refund", status=Status.PARTIAL)
    assert alerting.look() == 2
    assert alerting.states("b") == []
    alerting.build("1", "refund", version=2)
    alerting.look()
    assert alerting.states("b") == ["firing"]


def test_late_spans_take_it_back_and_give_it_again(alerting: Alerting) -> None:
    alerting.put("b", where=UNVERIFIED)
    alerting.build("1", "refund")
    alerting.look()
    alerting.build("1", "verify", "refund", version=2, status=Status.LIVE)
    alerting.look()
    fired, taken = alerting.events("b")
    assert (taken.id, taken.number, taken.state) == (fired.id, 2, AlertState.WITHDRAWN)
    assert taken.reason == {"version": 2, "late_spans": [f"{3:016x}"]}
    alerting.build("1", "refund", "verify", version=3)
    alerting.look()
    assert alerting.states("b") == ["firing", "withdrawn", "firing"]
    assert {event.id for event in alerting.events("b")} == {fired.id}


def test_a_repeat_does_not_fire_and_is_taken_back(alerting: Alerting) -> None:
    alerting.build("1", "refund", repeats="9")
    assert alerting.look() == 0
    alerting.build("2", "refund")
    alerting.look()
    alerting.build("2", "refund", version=2, repeats="9")
    alerting.look()
    assert alerting.states("a") == ["firing", "withdrawn"]
    assert alerting.events("a")[1].reason == {"version": 2, "duplicate_of": "9".rjust(32, "0")}


def test_a_deletion_takes_it_back_without_the_evidence(alerting: Alerting) -> None:
    key = alerting.build("1", "refund")
    alerting.look()
    scope = DeletionScope(Reach.ALL, trace_id=key.trace_id)
    alerting.store.deletions.delete(new_deletion(scope, "tester", alerting.now_ns))
    alerting.look(5)
    fired, taken = alerting.events("a")
    assert (taken.state, taken.reason) == (AlertState.WITHDRAWN, {"deleted": True})
    assert alerting.store.alerts.shown([fired, taken]) == {}
    assert alerting.look(5) == 0


def test_another_question_fires_anew_and_the_older_is_still_taken_back(
    alerting: Alerting,
) -> None:
    alerting.put("a", where=UNVERIFIED)
    alerting.build("1", "refund")
    alerting.look()
    alerting.put("a", where=REFUNDS)
    assert alerting.look() == 0
    alerting.build("1", "verify", "refund", version=2)
    alerting.look()
    by_version = [(event.alert_version, str(event.state)) for event in alerting.events("a")]
    assert sorted(by_version) == [(2, "firing"), (2, "withdrawn"), (3, "firing")]
    assert len({event.id for event in alerting.events("a")}) == 2


def test_other_channels_and_a_pause_tell_nothing_again(alerting: Alerting) -> None:
    alerting.build("1", "refund")
    alerting.look()
    alerting.put("a", where=REFUNDS, channels=[], severity="critical")
    alerting.build("1", "refund", version=2)
    assert alerting.look() == 0
    alerting.put("a", where=REFUNDS, paused=True)
    alerting.build("1", "search", version=3)
    alerting.build("2", "refund")
    alerting.look()
    assert alerting.states("a") == ["firing", "withdrawn"]


def test_a_deleted_alert_is_silent(alerting: Alerting) -> None:
    alerting.build("1", "refund")
    alerting.look()
    alerting.alerts.delete(PROJECT, "a", "")
    alerting.build("1", "search", version=2)
    alerting.build("2", "refund")
    assert alerting.look(2) == 0
    alerting.put("a", where=REFUNDS)
    alerting.build("1", "refund", version=3)
    alerting.look(2)
    assert [event.alert_version for event in alerting.events("a")] == [1, 2]


def test_what_changed_before_the_first_alert_does_not_fire() -> None:
    alerting = Alerting()
    alerting.build("1", "refund")
    alerting.look()
    alerting.put("a", where=REFUNDS)
    alerting.build("2", "refund")
    alerting.look(2)
    assert [event.trace_id[-1] for event in alerting.events("a")] == ["2"]


def test_words_are_found_before_they_are_indexed(alerting: Alerting) -> None:
    alerting.put("b", where="output: 42")
    alerting.build("1", "search")
    alerting.look()
    assert alerting.states("b") == ["firing"]


def test_a_score_can_fire_it_and_a_better_one_takes_it_back(alerting: Alerting) -> None:
    alerting.put("b", where="score.polite < 50")
    key = alerting.build("1", "search")
    alerting.look()
    for seq, value in enumerate((20, 80), 1):
        score = Score(key, "polite", "llm", "judge", seq, number=value)
        alerting.store.scores.add([score])
        alerting.look()
    assert alerting.states("b") == ["firing", "withdrawn"]


def test_a_run_that_cannot_be_looked_at_stops_no_other(
    alerting: Alerting, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = alerting.build("1", "refund")
    alerting.build("2", "refund")
    look = alerting.watcher._runs.look

    def refuse(keys: list[object], now_ns: int) -> object:
        if bad in keys:
            raise PermanentError("odd")
        return look(keys, now_ns)  # type: ignore[arg-type]

    monkeypatch.setattr(alerting.watcher._runs, "look", refuse)
    assert alerting.look() == 1
    assert [event.trace_id[-1] for event in alerting.events("a")] == ["2"]


def test_the_gauge_counts_what_fires(alerting: Alerting) -> None:
    alerting.build("1", "refund")
    alerting.build("2", "refund")
    alerting.look()
    sample = {"project": PROJECT, "alert": "a"}
    registry = alerting.metrics.registry
    assert registry.get_sample_value("spanloom_alerts_firing", sample) == 2
    alerting.build("2", "search", version=2)
    alerting.look()
    assert registry.get_sample_value("spanloom_alerts_firing", sample) == 1


def test_another_process_watches(alerting: Alerting) -> None:
    alerting.watcher._held = frozenset
    alerting.build("1", "refund")
    assert alerting.look() == 0
    alerting.watcher._held = lambda: None
    assert alerting.look() == 1
