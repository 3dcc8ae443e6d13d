"""Rows of a list as one table: steps, scores, and runs without their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import orjson
import pytest
from pyarrow import parquet

from spanloom.cli.tables import RUNS, SCORES, STEPS, call_of, write_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

ASKED = {"words": None, "order": None, "limit": None}
PRESET = {"duplicate": False, "has_steps": True}


@pytest.mark.parametrize(
    ("subject", "filters", "asked", "rows"),
    [
        (RUNS, {}, {}, 3),
        (RUNS, {}, {"limit": 2}, 2),
        (STEPS, {"where": "has_error"}, {}, 0),
        (STEPS, {}, {"limit": 1}, 1),
        (SCORES, {"project": "p"}, {}, 0),
    ],
)
def test_a_table_has_the_rows_of_the_api(
    world: World,
    client: Client,
    tmp_path: Path,
    subject: str,
    filters: dict[str, Any],
    asked: dict[str, Any],
    rows: int,
) -> None:
    for n in range(1, 4):
        world.write(n)
    path = tmp_path / "rows.parquet"
    call = call_of(subject, "parquet", {**PRESET, **filters}, {**ASKED, **asked})
    said = orjson.loads(write_table(client, call, path))
    found = parquet.read_table(path)
    assert (found.num_rows, said["bytes"]) == (rows, path.stat().st_size)
    assert "document" not in found.column_names
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


@pytest.mark.parametrize(
    ("subject", "kind", "filters", "asked", "reason"),
    [
        (STEPS, "jsonl", {}, {}, "--format parquet"),
        (RUNS, "arrow", {}, {}, "--format parquet"),
        (STEPS, "parquet", {}, {"words": "refund"}, "--of steps has no --words"),
        (SCORES, "parquet", {}, {"limit": 1}, "--of scores has no --limit"),
        (SCORES, "parquet", {"where": "has_error"}, {}, "--of scores has no --where"),
    ],
)
def test_what_rows_cannot_be_asked_for(
    subject: str, kind: str, filters: dict[str, Any], asked: dict[str, Any], reason: str
) -> None:
    with pytest.raises(click.UsageError, match=reason):
        call_of(subject, kind, {**PRESET, **filters}, {**ASKED, **asked})
