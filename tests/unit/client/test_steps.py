"""Steps as rows: iterated over, and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.generated_runs import generate_records

from spanloom.client import QueryError

if TYPE_CHECKING:
    from tests.unit.client.conftest import World

    from spanloom import Client


def test_steps_are_those_that_are_asked_for(world: World, client: Client) -> None:
    world.store.trajectories.write(generate_records(20, "shop"))
    rows = list(client.steps("type = tool and error", run_where="has_error", project="shop"))
    assert rows
    assert all(row.type == "tool" and row.has_error for row in rows)
    failed = {run.trace_id for run in client.trajectories(has_error=True)}
    assert {row.trace_id for row in rows} <= failed
    assert list(client.steps("type = tool and error", has_error=True, limit=3)) == rows[:3]
    table = client.steps("type = tool and error", has_error=True).to_arrow()
    assert table.column("step_id").to_pylist() == [row.step_id for row in rows]
    assert table.column("attributes").to_pylist() == [row.attributes for row in rows]


def test_a_wrong_question_shows_its_place(client: Client) -> None:
    with pytest.raises(QueryError, match="durtion"):
        list(client.steps("durtion > 5s"))


def test_an_async_client_gives_the_same(world: World, client: Client) -> None:
    world.store.trajectories.write(generate_records(5, "shop"))
    expected = list(client.steps("type = model"))

    async def read() -> None:
        async with world.async_client() as other:
            assert [row async for row in other.steps("type = model")] == expected

    world.run(read())
    assert expected


def test_another_order_gives_the_same_steps_by_a_value(world: World, client: Client) -> None:
    world.store.trajectories.write(generate_records(20, "shop"))
    rows = list(client.steps("cost exists or type = tool", order="-cost"))
    costs = [row.cost for row in rows if row.cost is not None]
    assert costs == sorted(costs, reverse=True)
    assert [row.cost for row in rows[len(costs) :]] == [None] * (len(rows) - len(costs))
    assert {row.step_id for row in rows} == {
        row.step_id for row in client.steps("cost exists or type = tool")
    }
