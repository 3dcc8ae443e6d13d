"""Filters of a list equal a ``where``, and a run in memory meets them just as in the store."""

from __future__ import annotations

import pytest
from tests.support.listed_runs import listed_run

from spanloom.core.model.span import TraceKey
from spanloom.core.query.lists import meets
from spanloom.core.query.selection import all_of, condition_of
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.query.where.parser import parse_where
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run_filters import run_shorts

RUN = listed_run(
    TraceKey("p", "a" * 32),
    5_000_000_000,
    root_name="planner",
    outcome="failed",
    conversation_id="trip",
    models=["gpt-4o"],
)


def test_filters_are_the_where_that_says_the_same() -> None:
    asked = {"agent": "planner", "user": "ada", "has_error": None, "duplicate": True}
    assert condition_of(asked) == parse_where(
        'duplicate = true and agent = "planner" and user = "ada"', 0
    )
    assert condition_of({"agent": None}) is None
    one = condition_of({"user": "ada"})
    assert all_of(None, one) == one


@pytest.mark.parametrize("name", list(run_shorts()))
def test_each_is_of_a_field(name: str) -> None:
    short = run_shorts()[name]
    field = RUN_FIELDS[short.field or name]
    assert not field.is_judgement
    assert field.type is not FieldType.WORDS
    assert short.description.endswith(".")


@pytest.mark.parametrize(
    ("asked", "is_met"),
    [
        ({}, True),
        ({"since": 5_000_000_000, "until": 5_000_000_001}, True),
        ({"until": 5_000_000_000}, False),
        ({"agent": "a"}, True),
        ({"agent": "b"}, False),
        ({"has_error": True, "outcome": "failed", "status": "settled"}, True),
        ({"duplicate": False, "has_steps": True}, True),
        ({"user": "ada"}, False),
        ({"conversation": "trip", "model": "gpt-4o", "root_name": "planner"}, True),
        ({"conversation": "trip", "model": "gpt-5"}, False),
    ],
)
def test_a_run_meets_them_or_not(asked: dict[str, object], is_met: bool) -> None:
    assert meets(RUN, condition_of(asked)) is is_met
