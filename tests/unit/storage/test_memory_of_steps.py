"""Queries for steps need little memory for a long run, as no row repeats all steps of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.sql_port import LIMITS, SqlPort, open_port
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.steps import StepSelection
from spanloom.core.query.selection import parse_order
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where
from spanloom.storage.engine.settings import ASKER_SETTINGS, READER_SETTINGS
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom.storage.store import ClickHouseStore

PROJECT = "long"
STEPS = 10_000
MEMORY = 64 << 20
"""Less than names (100 MB) or ids (800 MB) of 10,000 steps take if each row has all of them."""
OWNED = 'owner = "planner" and type = model'


@pytest.fixture(scope="module")
def path(clickhouse_store: ClickHouseStore) -> Path:
    """Store a long run, and return the path of the embedded store."""
    at = clickhouse_store.snapshots._path
    if at is None:
        pytest.skip("the memory of a statement is set for the embedded store")
    key = TraceKey(PROJECT, "d" * 32)
    steps = [model_step(number)._replace(input="", output="") for number in range(2, STEPS)]
    clickhouse_store.trajectories.write([make_record(key, make_trajectory(key, steps=steps))])
    return at


@pytest.fixture(scope="module")
def port(path: Path) -> Iterator[SqlPort]:
    with open_port(path, LIMITS._replace(memory_bytes=MEMORY)) as port:
        yield port


@pytest.mark.parametrize(
    "wanted",
    [
        "AgentName != ''",
        "AgentId != '' AND Type = 'model'",
        "ParentId != '' AND StepId != ''",
    ],
)
@pytest.mark.parametrize("columns", ["count()", "StepId, AgentName", "*"])
def test_steps_are_filtered_by_their_agent(port: SqlPort, columns: str, wanted: str) -> None:
    statement = f"SELECT {columns} FROM v_steps WHERE Project = '{PROJECT}' AND {wanted}"
    lines = port.said(statement).splitlines()
    found = int(lines[0]) if columns == "count()" else len(lines)
    assert found == STEPS - 2


@pytest.fixture(scope="module")
def narrow(path: Path) -> Iterator[ClickHouseStore]:
    """Open the store with a low memory limit for readers."""
    with pytest.MonkeyPatch.context() as patched:
        for settings in (ASKER_SETTINGS, READER_SETTINGS):
            patched.setitem(settings, "max_memory_usage", MEMORY)
        store = open_store(f"chdb://{path}")
    yield store
    store.close()


@pytest.mark.parametrize("order", ["-duration", "cost", "-tokens", "-first_token"])
def test_steps_are_ordered_without_the_columns_of_all_of_them(
    narrow: ClickHouseStore, order: str
) -> None:
    reach, at = Reach.only(PROJECT), None
    asked = StepSelection(parse_steps_where(OWNED, 0), order=parse_order(order, Subject.STEP))
    for _ in range(2):
        rows = narrow.steps.list(reach, None, 51, at, asked)
        assert len(rows) == 51
        at = rows[-1].cursor


def test_steps_are_listed_and_counted_by_their_agent(narrow: ClickHouseStore) -> None:
    reach, of = Reach.only(PROJECT), Subject.STEP
    wanted = parse_steps_where(OWNED, 0)
    assert len(narrow.steps.list(reach, None, 51, None, StepSelection(wanted))) == 51
    by = parse_by("owner", of)
    asked = Numbers(of, parse_metrics("count", of), by, steps_where=wanted)
    assert [group.values for group in narrow.stats.numbers(reach, None, asked)] == [[STEPS - 2]]
