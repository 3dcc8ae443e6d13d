"""The ClickHouse store counts the models without a price, for ``spanloom doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.trajectory_records import make_record, make_trajectory, model_step

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.storage.store import ClickHouseStore


def test_models_without_a_price_are_counted(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    model = f"model-of-{key.project}"
    dear = {"dialect": "tests", "cost": "0.5"}
    steps = [model_step(n)._replace(model=model) for n in (2, 3)]
    steps += [model_step(4)._replace(model=f"{model}-priced", metadata=dear)]
    steps += [model_step(5)._replace(model=f"{model}-unused", usage=None)]
    clickhouse_store.trajectories.write([make_record(key, make_trajectory(key, steps=steps))])
    found = [
        tuple(row) for row in clickhouse_store.connections.worker.rows("unpriced", limit=10_000)
    ]
    assert [row for row in found if row[0].startswith(model)] == [(model, 2, 1)]
