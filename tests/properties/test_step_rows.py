"""Step rows of generated runs are the same from the store and laid out one by one."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from tests.support.generated_runs import generate_records
from tests.support.memory_store import MemoryStore

from spanloom.core.model.access import Reach
from spanloom.core.ports.steps import StepsAsked
from spanloom.core.query.where.parser import parse_steps_where, parse_where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.steps import ListedStep
    from spanloom.core.ports.store import Store
    from spanloom.storage.store import ClickHouseStore

ALL = None
EVERY = 10**6


@pytest.fixture(scope="module")
def stores(clickhouse_store: ClickHouseStore) -> tuple[str, Sequence[Store]]:
    project = f"p-{secrets.token_hex(4)}"
    both = (clickhouse_store, MemoryStore())
    records = generate_records(60, project)
    for store in both:
        store.trajectories.write(records)
    return project, both


def asked_for(where: str = "", run_where: str = "") -> StepsAsked:
    return StepsAsked(
        parse_steps_where(where, 0) if where else None,
        parse_where(run_where, 0) if run_where else None,
    )


@pytest.mark.parametrize(
    ("where", "run_where"),
    [
        ("", ""),
        ("type = tool and error", ""),
        ('owner = "refunds" and not tool = "search"', ""),
        ("", "has_error and tool_steps > 2"),
        ('model ~ "^gpt"', 'has(tool = "search" then error) or agent = "退款助手"'),
        ('metadata.tier = "金" and position < 9', 'not has(tool = "verify")'),
        ('tool = "none such"', ""),
    ],
)
def test_both_stores_give_the_same_rows(
    stores: tuple[str, Sequence[Store]], where: str, run_where: str
) -> None:
    project, both = stores
    asked, reach = asked_for(where, run_where), Reach.only(project)
    stored, plain = (store.steps.list(reach, ALL, EVERY, None, asked) for store in both)
    assert list(stored) == list(plain)
    assert bool(plain) is ("none such" not in where)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_pages_follow_each_other_without_a_gap(
    stores: tuple[str, Sequence[Store]], size: int
) -> None:
    project, both = stores
    asked = asked_for("type = tool", "has_error")
    for store in both:
        whole = store.steps.list(Reach.only(project), ALL, 3 * size, None, asked)
        assert _paged(store, project, size, asked) == list(whole)


def test_a_position_opens_no_other_project(stores: tuple[str, Sequence[Store]]) -> None:
    project, both = stores
    for store in both:
        first = store.steps.list(Reach.only(project), ALL, 1)[0]
        assert not store.steps.list(Reach.only("another"), ALL, 9, first.cursor)


def test_a_position_goes_on_only_in_a_run_that_is_asked_for(
    stores: tuple[str, Sequence[Store]],
) -> None:
    project, both = stores
    for store in both:
        first = store.steps.list(Reach.only(project), ALL, 1)[0]
        asked = asked_for(run_where=f'not trace_id = "{first.key.trace_id}"')
        rows = store.steps.list(Reach.only(project), ALL, 9, first.cursor, asked)
        assert rows
        assert all(row.key != first.key for row in rows)


def _paged(store: Store, project: str, size: int, asked: StepsAsked) -> list[ListedStep]:
    rows: list[ListedStep] = []
    for _ in range(3):
        after = rows[-1].cursor if rows else None
        rows += store.steps.list(Reach.only(project), ALL, size, after, asked)
    return rows
