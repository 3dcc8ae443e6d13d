"""Lists of steps of generated runs are the same from ClickHouse and made one by one."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.generated_runs import generate_records
from tests.support.memory_store import MemoryStore
from tests.support.paging import read_pages
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.api.query import decode_cursor, encode_cursor
from spanloom.api.schemas import decode_step_cursor, encode_step_cursor
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.steps import StepSelection
from spanloom.core.query.selection import RunSelection, orders_of, parse_order
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.storage.runs import top_steps
from spanloom.storage.runs.current import MOST_READS
from spanloom.storage.runs.step_rows import read_steps

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


def asked_for(where: str = "", run_where: str = "", order: str = "-start") -> StepSelection:
    return StepSelection(
        parse_steps_where(where, 0) if where else None,
        parse_where(run_where, 0) if run_where else None,
        parse_order(order, Subject.STEP),
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


ORDERS = [order for name in orders_of(Subject.STEP) for order in (name, f"-{name}")]


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_is_the_same_in_both_stores_page_by_page(
    stores: tuple[str, Sequence[Store]], order: str
) -> None:
    """Many steps have equal values or no value, and runs begin at equal times."""
    project, (stored, plain) = stores
    asked, reach = asked_for("not type = graph", "not has_error", order), Reach.only(project)
    whole = list(plain.steps.list(reach, ALL, EVERY, None, asked))
    pages = read_pages(lambda most, at: stored.steps.list(reach, ALL, most, at, asked), 40)
    assert list(pages) == whole
    assert len({row.cursor for row in whole}) == len(whole) > 40


@pytest.mark.parametrize("order", ["-duration", "cost", "-cost", "position"])
def test_those_without_a_value_come_last_and_equal_ones_by_their_run(
    stores: tuple[str, Sequence[Store]], order: str
) -> None:
    project, both = stores
    rows = both[0].steps.list(Reach.only(project), ALL, EVERY, None, asked_for(order=order))
    name, is_descending = order.removeprefix("-"), order.startswith("-")
    values = [getattr(row.row, name) for row in rows]
    there = [value for value in values if value is not None]
    assert there == sorted(there, reverse=is_descending)
    assert values[len(there) :] == [None] * (len(values) - len(there))


def test_pages_go_on_after_a_duration_of_more_than_63_bits(
    clickhouse_store: ClickHouseStore,
) -> None:
    """A step from the first to the last nanosecond of 64 bits takes 584 years."""
    project = f"p-{secrets.token_hex(4)}"
    for number in (1, 2):
        key = TraceKey(project, f"{number:032x}")
        long = model_step(2)._replace(start_ns=1, end_ns=2**64 - number)
        run = make_trajectory(key, steps=[long])
        root = run.root._replace(start_ns=1, end_ns=2**64 - number)
        clickhouse_store.trajectories.write([make_record(key, replace(run, root=root))])
    reach, by = Reach.only(project), parse_order("-duration")
    asked = asked_for("type = model", order="-duration")
    steps = read_pages(
        lambda most, at: clickhouse_store.steps.list(
            reach, ALL, most, at and decode_step_cursor(encode_step_cursor(at, ""), ""), asked
        ),
        1,
    )
    runs = read_pages(
        lambda most, at: clickhouse_store.runs.list(
            reach, ALL, most, at and decode_cursor(encode_cursor(at)), RunSelection(order=by)
        ),
        1,
    )
    assert [int(step.key.trace_id, 16) for step in steps] == [1, 2]
    assert [int(run.key.trace_id, 16) for run in runs] == [1, 2]


@pytest.mark.parametrize("is_for_good", [False, True])
def test_a_run_that_is_built_again_between_the_queries_ends_no_list(
    stores: tuple[str, Sequence[Store]], monkeypatch: pytest.MonkeyPatch, is_for_good: bool
) -> None:
    """The steps of such a run are queried again; if always gone, the list continues without."""
    project, (stored, _) = stores
    reach, asked = Reach.only(project), asked_for(order="-duration")
    whole = stored.steps.list(reach, ALL, EVERY, None, asked)
    lost, reads = whole[1].key, []

    def without_one(*arguments: Any) -> list[ListedStep]:
        reads.append(arguments)
        is_lost = is_for_good or len(reads) == 1
        return [row for row in read_steps(*arguments) if not (is_lost and row.key == lost)]

    monkeypatch.setattr(top_steps, "read_steps", without_one)
    rest = [row for row in whole if not (is_for_good and row.key == lost)]
    assert stored.steps.list(reach, ALL, 30, None, asked) == rest[:30]
    assert len(reads) == (MOST_READS + 1 if is_for_good else 2)


def test_a_position_of_another_order_is_refused(
    stores: tuple[str, Sequence[Store]],
) -> None:
    project, (stored, _) = stores
    first = stored.steps.list(Reach.only(project), ALL, 1)[0]
    for order in ("-duration", "cost"):
        with pytest.raises(InvalidQueryError):
            stored.steps.list(Reach.only(project), ALL, 1, first.cursor, asked_for(order=order))


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


def _paged(store: Store, project: str, size: int, asked: StepSelection) -> list[ListedStep]:
    rows: list[ListedStep] = []
    for _ in range(3):
        after = rows[-1].cursor if rows else None
        rows += store.steps.list(Reach.only(project), ALL, size, after, asked)
    return rows
