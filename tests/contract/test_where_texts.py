"""Full-text words as conditions of a ``where``, in every store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.texts import step, store_texts
from tests.support.trajectory_lists import trace

from spanloom.api.app import create_app
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.query.selection import RunSelection
from spanloom.core.query.stats import Numbers, parse_metrics
from spanloom.core.query.where.fields import RUN_FIELDS, Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.core.query.where.tree import Exists
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


@pytest.fixture
def project(store: Store, new_project: Callable[[], str]) -> str:
    """Return a project with two runs that contain texts; another project has the same runs."""
    own, other = new_project(), new_project()
    for name in (own, other):
        refund = [step(1, "find order 42", "nothing"), step(2, "refund 42", error="退款 失败")]
        store_texts(store, TraceKey(name, trace(1)), refund)
        store_texts(store, TraceKey(name, trace(2)), [step(1, "weather", "rain, order umbrellas")])
    return own


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ('"order"', {1, 2}),
        ('input: "order"', {1}),
        ('output: "order"', {2}),
        ('error: "退款"', {1}),
        ('"order 42" and not "rain"', {1}),
        ('has(input: "find" next input: "refund")', {1}),
        ('has(input: "refund" then input: "find")', set()),
        ('count(output: "rain" or input: "order") = 1', {1, 2}),
        ('not input: "nobody said that"', {1, 2}),
    ],
)
def test_runs_are_found_by_what_was_said(
    store: Store, project: str, where: str, found: set[int]
) -> None:
    selection = RunSelection(parse_where(where, now_ns=0))
    lines = store.runs.list(Reach.only(project), None, 9, None, selection)
    assert {int(line.key.trace_id, 16) for line in lines} == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"q": "order"}, {1, 2}),
        ({"q": '"order 42"'}, {1}),
        ({"q": "umbr* rain"}, {2}),
        ({"q": "find refund"}, set()),  # both in one run, but not in one text
        ({"q": "order", "where": "steps > 2"}, {1}),
        ({"q": "42", "where": 'not "rain" and input: "find"'}, {1}),
        ({"q": "order", "where": 'output: "rain"', "order": "steps"}, {2}),
    ],
)
def test_words_stand_beside_every_other_question(
    store: Store, project: str, asked: dict[str, str], found: set[int]
) -> None:
    app = create_app(store, Metrics(), Locks().access)
    with TestClient(app, base_url="http://localhost") as client:
        asked = {"project": project, **asked}
        by_url = client.get("/v1/trajectories", params=asked)
        by_body = client.post("/v1/trajectories/search", json=asked)
    assert by_url.json() == by_body.json()
    assert {int(item["trace_id"], 16) for item in by_url.json()["items"]} == found


def test_steps_are_counted_by_what_they_said(store: Store, project: str) -> None:
    said = parse_steps_where('input: "order" or output: "order"', now_ns=0)
    metrics = parse_metrics("count", Subject.STEP)
    asked = Numbers(Subject.STEP, metrics, steps_where=said)
    (group,) = store.stats.numbers(Reach.only(project), None, asked)
    assert list(group.values) == [2]


def test_what_a_run_does_not_say_any_more_is_not_found(store: Store, project: str) -> None:
    store_texts(store, TraceKey(project, trace(1)), [step(1, "find order 43", "nothing")])
    selection = RunSelection(parse_where('"refund"', now_ns=0))
    assert not store.runs.list(Reach.only(project), None, 9, None, selection)


def test_a_text_is_asked_for_words(clickhouse_store: Store) -> None:
    selection = RunSelection(Exists(RUN_FIELDS["input"]))
    with pytest.raises(InvalidQueryError, match="asked for words"):
        clickhouse_store.runs.list(Reach.ALL, None, 9, None, selection)
