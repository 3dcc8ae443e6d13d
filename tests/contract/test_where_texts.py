"""Words of texts inside of a ``where``, against every implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.texts import step, store_texts
from tests.support.trajectory_lists import trace

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach
from spanloom.core.query.asked_numbers import parse_metrics
from spanloom.core.query.fields import TrajectoryFilter
from spanloom.core.query.question import Question
from spanloom.core.query.stats import Numbers
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


@pytest.fixture
def project(store: Store, new_project: Callable[[], str]) -> str:
    """A project with two runs that say something, and another that says the same."""
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
    question = Question(parse_where(where, now_ns=0))
    lines = store.list(Reach.only(project), TrajectoryFilter(), 9, None, question)
    assert {int(line.key.trace_id, 16) for line in lines} == found


def test_steps_are_counted_by_what_they_said(store: Store, project: str) -> None:
    said = parse_steps_where('input: "order" or output: "order"', now_ns=0)
    metrics = parse_metrics("count", Subject.STEP)
    asked = Numbers(Subject.STEP, metrics, steps_where=said)
    (group,) = store.numbers(Reach.only(project), TrajectoryFilter(), asked)
    assert list(group.values) == [2]


def test_what_a_run_does_not_say_any_more_is_not_found(store: Store, project: str) -> None:
    store_texts(store, TraceKey(project, trace(1)), [step(1, "find order 43", "nothing")])
    question = Question(parse_where('"refund"', now_ns=0))
    assert not store.list(Reach.only(project), TrajectoryFilter(), 9, None, question)


def test_a_text_is_asked_for_words(clickhouse_store: Store) -> None:
    question = Question(parse_where("input exists", now_ns=0))
    with pytest.raises(InvalidQueryError, match="asked for words"):
        clickhouse_store.list(Reach.ALL, TrajectoryFilter(), 9, None, question)
