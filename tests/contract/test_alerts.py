"""Alerts in every store: revisions, events (the first of a number counts), pending deliveries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.otlp_requests import next_seq
from tests.support.trajectory_records import make_record

from spanloom.alerts.definition import AlertDefinition
from spanloom.alerts.service import AlertRefusedError, Alerts, UnknownAlertError
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import (
    Alert,
    AlertEvent,
    AlertState,
    Delivery,
    DeliveryState,
    EventPlace,
    RunEvidence,
    event_id,
)
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.alerts import EventsQuery

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store

NAME = "unverified refunds"
LINE = 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")'
HOOK = {"kind": "webhook", "url": "https://hooks.example.com/agents"}
ALL = EventsQuery()


@pytest.fixture
def project(new_project: Callable[[], str]) -> str:
    return new_project()


@pytest.fixture
def alerts(store: Store) -> Alerts:
    return Alerts(store)


def defined(**members: Any) -> AlertDefinition:
    return AlertDefinition.model_validate({"where": LINE, "channels": [HOOK], **members})


def event(project: str, trace: str, number: int = 1, **members: Any) -> AlertEvent:
    state = AlertState.FIRING if number % 2 else AlertState.WITHDRAWN
    of, at_us = event_id(project, NAME, 1, trace), 1_000 * number + ord(trace[0])
    made = AlertEvent(project, NAME, 1, of, number, state, at_us, trace, number, channels=["c"])
    return replace(made, **members)


def number(project: str, of: Any, episode: int, nth: int = 1) -> AlertEvent:
    state = AlertState.FIRING if nth % 2 else AlertState.RESOLVED
    of_id = event_id(project, NAME, 1, repr(of), episode)
    at_us = 10_000 * episode + nth
    place = (project, NAME, 1, of_id, nth, state, at_us)
    return AlertEvent(*place, group=[of], episode=episode, value=0.5, channels=["c"])


def test_an_alert_comes_back_as_it_was_put(alerts: Alerts, project: str) -> None:
    kept = alerts.put(project, NAME, defined(severity="critical"), "ada")
    assert (kept.alert.version, kept.alert.revision, kept.alert.put_by) == (1, 1, "ada")
    assert kept.alert.definition == {"where": LINE, "channels": [HOOK], "severity": "critical"}
    assert alerts.put(project, NAME, defined(severity="critical"), "bo") == kept
    assert list(alerts.listed(project)) == [kept]


def test_another_question_is_another_version(alerts: Alerts, project: str) -> None:
    alerts.put(project, NAME, defined(), "ada")
    told = alerts.put(project, NAME, defined(channels=[], paused=True), "ada").alert
    assert (told.version, told.revision) == (1, 2)
    asked = alerts.put(project, NAME, defined(where="has_error"), "ada").alert
    assert (asked.version, asked.revision) == (2, 3)
    alerts.delete(project, NAME, "bo")
    assert list(alerts.listed(project)) == []
    with pytest.raises(UnknownAlertError):
        alerts.get(project, NAME)
    with pytest.raises(UnknownAlertError):
        alerts.delete(project, NAME, "bo")
    assert alerts.put(project, NAME, defined(where="has_error"), "cy").alert.version == 3
    versions = alerts._store.versions(project, NAME)
    assert [(one.version, one.revision) for one in versions] == [(3, 5), (2, 4), (1, 2)]


def test_of_two_changes_at_once_each_is_a_revision(
    alerts: Alerts, store: Store, project: str
) -> None:
    first = alerts.put(project, NAME, defined(), "ada").alert
    store.alerts.put(replace(first, revision=2, put_by="bo", change="bo"))
    alerts._change(first, {"where": "has_error"}, "cy")
    newest = alerts.get(project, NAME).alert
    assert (newest.revision, newest.put_by, newest.version) == (3, "cy", 2)


def test_a_project_has_so_many(
    alerts: Alerts, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanloom.alerts.service.MOST_ALERTS", 1)
    alerts.put(project, NAME, defined(), "")
    with pytest.raises(AlertRefusedError, match="1 alerts"):
        alerts.put(project, "other", defined(), "")
    alerts.put(project, NAME, defined(paused=True), "")


def test_events_come_newest_first_in_pages(store: Store, project: str) -> None:
    made = [event(project, t, n) for t in ("a", "b", "c") for n in (1, 2)]
    store.alerts.add_events([*made, event(project, "d")], [])
    newest = sorted([*made, event(project, "d")], key=lambda e: -e.at_us)
    found: list[AlertEvent] = []
    after = None
    while page := store.alerts.events(project, NAME, ALL, 2, after):
        found += page
        after = EventPlace(page[-1].at_us, page[-1].id, page[-1].number)
    assert found == newest
    firing = EventsQuery(AlertState.FIRING, is_current=True)
    assert [e.trace_id for e in store.alerts.events(project, NAME, firing, 9, None)] == ["d"]
    of_state = EventsQuery(AlertState.WITHDRAWN)
    assert len(store.alerts.events(project, NAME, of_state, 9, None)) == 3
    assert store.alerts.firing(Reach.only(project)) == {(project, NAME): 1}


def test_the_first_event_of_a_number_counts(store: Store, project: str) -> None:
    mine = event(project, "a")
    store.alerts.add_events([mine], [])
    store.alerts.add_events([replace(mine, at_us=9, version=7)], [])
    keys = [TraceKey(project, "a"), TraceKey(project, "b")]
    assert list(store.alerts.latest(keys)) == [mine]
    store.alerts.add_events([event(project, "a", 2, reason={"version": 2})], [])
    (last,) = store.alerts.latest(keys)
    assert (last.number, last.state, last.reason) == (2, AlertState.WITHDRAWN, {"version": 2})
    assert len(store.alerts.events(project, NAME, ALL, 9, None)) == 2


def test_a_number_has_a_last_event_for_each_group(store: Store, project: str) -> None:
    made = [number(project, of, ep, n) for of in ("x", None) for ep in (1, 2) for n in (1, 2)]
    store.alerts.add_events([*made, event(project, "a")], [])
    found = store.alerts.latest_numbers(Reach.only(project))
    assert {(e.group[0], e.episode, e.number) for e in found} == {("x", 2, 2), (None, 2, 2)}
    assert found[0].value == 0.5


def test_what_a_run_showed_is_read_by_event(store: Store, project: str) -> None:
    one, other = event(project, "a"), event(project, "b")
    content = {"name": "planner", "evidence": [{"step_id": "1"}]}
    store.alerts.add_events([one, other], [RunEvidence(one.key, one.id, 1, content)])
    assert store.alerts.shown([one, other, number(project, "x", 1)]) == {(one.id, 1): content}


def test_what_fires_for_a_deleted_run_is_found(store: Store, project: str) -> None:
    gone, there = event(project, "a" * 32), event(project, "b" * 32)
    content = {"name": "planner"}
    store.trajectories.write([make_record(one.key) for one in (gone, there)])
    store.alerts.add_events([gone, there], [RunEvidence(gone.key, gone.id, 1, content)])
    scope = DeletionScope(Reach.only(project), trace_id=gone.trace_id)
    store.deletions.delete(new_deletion(scope, "tester", next_seq() * 1_000))

    def found() -> list[str]:
        firing = store.alerts.firing_of_deleted(1_000)
        return [one.id for one in firing if one.project == project]

    assert found() == [gone.id]
    assert store.alerts.shown([gone]) == {}
    assert [one.id for one in store.alerts.latest([gone.key])] == [gone.id]
    taken = replace(gone, number=2, state=AlertState.WITHDRAWN, reason={"deleted": True})
    store.alerts.add_events([taken], [])
    assert found() == []


def test_what_was_told_is_untold_no_more(store: Store, project: str) -> None:
    told, late = event(project, "a", channels=["c", "d"]), event(project, "b", at_us=50_000)
    store.alerts.add_events([late, told], [])
    place = (project, NAME, told.id, 1)
    pending = [one for one in store.alerts.pending(0, 999) if one.event.project == project]
    assert [(one.event.trace_id, one.channel, one.tries) for one in pending] == [
        ("a", "c", 0),
        ("a", "d", 0),
        ("b", "c", 0),
    ]
    waiting, done = DeliveryState.PENDING, DeliveryState.DELIVERED
    store.alerts.add_deliveries([Delivery(*place, "c", waiting, 3, 7, "HTTP 500")])
    store.alerts.add_deliveries([Delivery(*place, "d", done, 1, 8)])
    pending = [one for one in store.alerts.pending(0, 999) if one.event.project == project]
    assert [(one.event.trace_id, one.channel, one.tries, one.at_us) for one in pending] == [
        ("a", "c", 3, 7),
        ("b", "c", 0, 0),
    ]
    store.alerts.add_deliveries([Delivery(*place, "c", DeliveryState.UNDELIVERED, 4, 9, "gone")])
    states = {d.channel: (d.state, d.tries) for d in store.alerts.deliveries(*place[:2], [told.id])}
    assert states == {"c": (DeliveryState.UNDELIVERED, 4), "d": (done, 1)}
    few = [one for one in store.alerts.pending(0, 1) if one.event.project == project]
    assert [one.event.trace_id for one in few] == ["b"]
    recent = [one for one in store.alerts.pending(50_000, 999) if one.event.project == project]
    assert [one.event.trace_id for one in recent] == ["b"]


@pytest.mark.parametrize(
    ("members", "parameter"),
    [
        ({"where": "has(tol = 1)"}, "where"),
        ({"where": " "}, "where"),
        ({"where": 'output: "x" and score.y < 1'}, "where"),
        ({"above": 1}, "above"),
        ({"metric": "rate(eror)", "above": 1, "window": "15m", "where": None}, "metric"),
        ({"metric": "count,count", "above": 1, "window": "15m", "where": None}, "metric"),
        ({"metric": "count", "above": 1, "where": None}, "window"),
        ({"metric": "count", "above": 1, "window": "15", "where": None}, "window"),
        ({"metric": "count", "window": "15m", "where": None}, "above"),
        ({"metric": "count", "above": 1, "window": "15m", "by": "colour", "where": None}, "by"),
        ({"metric": "count", "above": 1, "window": "15m", "where": "tol"}, "where"),
        ({"repeat_after": "soon"}, "repeat_after"),
        ({"channels": [{"kind": "webhook", "url": "ftp://a.example/"}]}, "channels[0].url"),
        ({"channels": [HOOK, {"kind": "slack", "url": "http://127.0.0.1/"}]}, "channels[1].url"),
        ({"channels": [{**HOOK, "url": "https://u:p@a.example/"}]}, "channels[0].url"),
        ({"channels": [{**HOOK, "secret_file": "a"}]}, "channels[0].secret_file"),
        ({"channels": [HOOK, HOOK]}, "channels[1].url"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    alerts: Alerts, project: str, members: dict[str, Any], parameter: str
) -> None:
    with pytest.raises(InvalidQueryError) as refused:
        alerts.put(project, NAME, defined(**members), "ada")
    error = refused.value
    named = [t.parameter for t in getattr(error, "texts", ())] or [error.parameter]
    assert named == [parameter]
    with pytest.raises(UnknownAlertError):
        alerts.get(project, NAME)


def test_a_hidden_address_is_kept(alerts: Alerts, project: str) -> None:
    slack = {"kind": "slack", "url": "https://hooks.slack.com/services/T0/B0/secret"}
    alerts.put(project, NAME, defined(channels=[slack]), "")
    hidden = {**slack, "url": "https://hooks.slack.com/***"}
    kept = alerts.put(project, NAME, defined(channels=[hidden], paused=True), "").alert
    assert kept.definition["channels"] == [slack]
    with pytest.raises(InvalidQueryError):
        alerts.put(project, "other", defined(channels=[hidden]), "")


def test_revisions_of_other_projects_are_apart(store: Store, new_project: Any) -> None:
    one, other = new_project(), new_project()
    store.alerts.put(Alert(one, NAME, 1, 1, {"where": "has_error"}, change="1"))
    assert store.alerts.list(Reach.only(other)) == []
    assert [a.project for a in store.alerts.list(Reach.only(one))] == [one]
