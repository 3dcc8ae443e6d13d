"""Alerts on metrics: they fire, repeat while they fire, and resolve, separately for each group."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.alerting import PROJECT, Alerting

from spanloom.core.errors import StoreRejectedError

ERRORS = {"metric": "rate(error)", "window": "15m", "above": 0.4}


@pytest.fixture
def alerting() -> Alerting:
    return Alerting()


def run(alerting: Alerting, trace: str, **members: Any) -> None:
    alerting.build(trace, "search", **members)


def test_a_number_fires_once_and_resolves(alerting: Alerting) -> None:
    alerting.put("a", **ERRORS)
    run(alerting, "1", error="odd")
    run(alerting, "2")
    assert alerting.look() == 1
    (fired,) = alerting.events("a")
    assert (str(fired.state), fired.value, fired.episode, fired.trace_id) == ("firing", 0.5, 1, "")
    alerting.begin()
    assert alerting.look(30) == 0
    run(alerting, "3")
    assert alerting.look(30) == 1
    ended = alerting.events("a")[1]
    assert (ended.id, str(ended.state), ended.number) == (fired.id, "resolved", 2)
    assert ended.value == pytest.approx(1 / 3)
    run(alerting, "4", error="odd")
    alerting.look(30)
    assert alerting.states("a") == ["firing", "resolved", "firing"]
    again = alerting.events("a")[2]
    assert (again.episode, again.number) == (2, 1)
    assert again.id != fired.id


def test_what_leaves_the_window_resolves(alerting: Alerting) -> None:
    alerting.put("a", **ERRORS)
    run(alerting, "1", error="odd")
    alerting.look()
    alerting.look(16 * 60)
    assert alerting.states("a") == ["firing", "resolved"]
    assert alerting.events("a")[1].value is None


def test_each_group_has_its_own(alerting: Alerting) -> None:
    alerting.put("a", **ERRORS, by="agent")
    run(alerting, "1", error="odd", agent="triage")
    run(alerting, "2", agent="planner")
    alerting.look()
    assert [list(event.group) for event in alerting.events("a")] == [["triage"]]
    run(alerting, "3", error="odd", agent="planner")
    alerting.look(10)
    alerting.look(16 * 60)
    groups = [(event.group[0], str(event.state)) for event in alerting.events("a")]
    assert sorted(groups) == [
        ("planner", "firing"),
        ("planner", "resolved"),
        ("triage", "firing"),
        ("triage", "resolved"),
    ]


def test_too_few_say_nothing(alerting: Alerting) -> None:
    alerting.put("a", **ERRORS, at_least=2)
    run(alerting, "1", error="odd")
    assert alerting.look() == 0
    run(alerting, "2", error="odd")
    assert alerting.look(10) == 1


def test_none_can_be_too_few(alerting: Alerting) -> None:
    alerting.put("a", metric="count", window="15m", below=1)
    assert alerting.look() == 1
    run(alerting, "1")
    alerting.look(10)
    assert alerting.states("a") == ["firing", "resolved"]


def test_steps_that_meet_a_line_are_counted(alerting: Alerting) -> None:
    where = 'tool = "search" and error'
    alerting.put("a", metric="count", of="steps", window="15m", above=1, where=where)
    run(alerting, "1", error="odd")
    assert alerting.look() == 0
    run(alerting, "2", error="odd")
    assert alerting.look(10) == 1


def test_it_is_told_again_while_it_fires(alerting: Alerting) -> None:
    alerting.put("a", metric="count", window="4h", above=0, repeat_after="1h")
    run(alerting, "1")
    alerting.look()
    assert alerting.look(1800) == 0
    assert alerting.look(1800) == 1
    first, again = alerting.events("a")
    assert (again.id, again.number, str(again.state)) == (first.id, 2, "firing")


def test_repeats_are_in_no_number(alerting: Alerting) -> None:
    alerting.put("a", metric="count", window="15m", above=0)
    run(alerting, "1", repeats="9")
    assert alerting.look() == 0


def test_a_pause_keeps_and_a_deletion_ends_it(alerting: Alerting) -> None:
    alerting.put("a", **ERRORS)
    run(alerting, "1", error="odd")
    alerting.look()
    alerting.put("a", **ERRORS, paused=True)
    assert alerting.look(16 * 60) == 0
    alerting.alerts.delete(PROJECT, "a", "")
    assert alerting.look(10) == 1
    assert alerting.events("a")[1].reason == {"ended": "the alert was deleted"}


def test_another_question_ends_the_older(alerting: Alerting) -> None:
    alerting.put("a", **ERRORS)
    run(alerting, "1", error="odd")
    alerting.look()
    alerting.put("a", **{**ERRORS, "above": 0.3})
    alerting.look(10)
    assert [(e.alert_version, str(e.state)) for e in alerting.events("a")] == [
        (1, "firing"),
        (1, "resolved"),
        (2, "firing"),
    ]


def test_a_number_that_cannot_be_asked_stops_no_other(
    alerting: Alerting, monkeypatch: pytest.MonkeyPatch
) -> None:
    alerting.put("a", metric="max(tokens)", window="15m", above=0)
    alerting.put("b", metric="count", window="15m", above=0)
    run(alerting, "1")
    numbers = alerting.store.stats.numbers

    def refuse(reach: Any, where: Any, asked: Any) -> Any:
        if asked.metrics[0].name != "count":
            raise StoreRejectedError("odd")
        return numbers(reach, where, asked)

    monkeypatch.setattr(alerting.store.stats, "numbers", refuse)
    assert alerting.look() == 1
    assert alerting.states("b") == ["firing"]
