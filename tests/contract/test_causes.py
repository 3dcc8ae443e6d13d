"""Lists of runs show why a run failed, in every store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.access import Reach
from spanloom.core.model.step import StepError
from spanloom.core.model.trajectory import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store
    from spanloom.storage.store import ClickHouseStore

FIRST = StepError(500, "slow down", "RateLimitError")
SECOND = StepError(0, "KeyError: 'city'", "KeyError")
LONG = StepError(0, "x" * 1500, "")


def failures(*errors: tuple[StepError, bool]) -> Sequence[Failure]:
    return [
        Failure(f"{n:016x}", f"{n:016x}", error, is_over)
        for n, (error, is_over) in enumerate(errors)
    ]


CASES = {
    "none": (failures(), (None, None)),
    "first for good": (failures((FIRST, True), (SECOND, False)), ("KeyError", "KeyError: 'city'")),
    "first of several": (
        failures((FIRST, False), (SECOND, False)),
        ("RateLimitError", "slow down"),
    ),
    "all got over": (failures((FIRST, True), (SECOND, True)), ("RateLimitError", "slow down")),
    "long": (failures((LONG, False)), (None, "x" * 1000)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_says_why_it_failed(store: Store, key: TraceKey, case: str) -> None:
    listed, expected = CASES[case]
    run = replace(make_trajectory(key), failures=listed)
    store.trajectories.write([make_record(key, run)])
    [line] = store.runs.list(Reach.only(key.project), None, 10)
    assert (line.run.error_type, line.run.error_message) == expected


def test_runs_of_an_older_version_say_what_their_first_failed_step_says(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    """Rows of earlier releases lack the error columns, so views compute them from the steps."""
    steps = [model_step(2), model_step(3, error="too much"), model_step(4, error="later")]
    clickhouse_store.trajectories.write([make_record(key, make_trajectory(key, steps=steps))])
    worker = clickhouse_store.connections.worker
    columns = "* EXCEPT (ErrorType, ErrorMessage) REPLACE (Seq + 1 AS Seq)"
    names = worker._client.query(f"DESCRIBE (SELECT {columns} FROM trajectory_list)").result_rows
    listed = ", ".join(f"`{row[0]}`" for row in names)
    worker.run(
        f"INSERT INTO trajectory_list ({listed}) SELECT {columns} FROM trajectory_list"
        f" WHERE Project = '{key.project}'"
    )
    [[kind, message]] = worker._client.query(
        f"SELECT ErrorType, ErrorMessage FROM v_trajectories WHERE Project = '{key.project}'"
    ).result_rows
    assert (kind, message) == ("", "too much")
    of_steps = worker._client.query(
        f"SELECT ErrorMessage FROM v_steps WHERE Project = '{key.project}' ORDER BY Position"
    ).result_rows
    assert [message for (message,) in of_steps] == ["", "", "too much", "later"]
