"""Every response format has the same rows in every store, and only those of the key's project."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.generated_runs import generate_records
from tests.unit.api.test_rows import as_written
from tests.unit.api.test_typed_rows import as_typed

from spanloom.api.app import create_app
from spanloom.api.rows.arrow import ArrowStream, Parquet
from spanloom.api.rows.forms import Csv, Ndjson
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store

JSON = "application/json"
ASKED = (
    "/v1/trajectories?fields=trace_id,project,has_error,cost,input_tokens&duplicate=any",
    "/v1/steps?fields=trace_id,project,step_id,has_error,cost,input_tokens",
    "/v1/stats?by=project,model&metrics=count,max(cost)",
    "/v1/search?q=ok",
    "/v1/conversations?",
)
Row = dict[str, Any]


def read(form: str, body: bytes) -> list[Row]:
    """Return the rows of a response body in a format: JSON, NDJSON, CSV, Arrow or Parquet."""
    if form == JSON:
        return list(json.loads(body)["items"])
    if form == Ndjson.media_type:
        lines: list[Row]
        *lines, end = map(json.loads, body.splitlines())
        assert end["count"] == len(lines)
        return lines
    if form == Csv.media_type:
        return list(csv.DictReader(io.StringIO(body.decode(), newline="")))
    table = pl.read_ipc_stream(body) if form == ArrowStream.media_type else pl.read_parquet(body)
    rows: list[Row] = table.to_dicts()
    return rows


@pytest.mark.parametrize("path", ASKED)
def test_every_form_has_what_the_key_may_see(
    store: Store, new_project: Callable[[], str], path: str
) -> None:
    locks, projects = Locks(is_open=False), (new_project(), new_project())
    keys = {project: locks.make(project) for project in projects}
    for seed, project in enumerate(projects):
        records = generate_records(12, project, seed=seed)
        store.trajectories.write(records)
        store.text_index.index_texts([record.key for record in records])
    with TestClient(create_app(store, Metrics(), locks.access)) as client:
        for mine, other in (projects, projects[::-1]):
            headers = {"host": "localhost", "authorization": f"Bearer {keys[mine]}"}
            asked = {}
            for form in (JSON, *(f.media_type for f in (Ndjson, Csv, ArrowStream, Parquet))):
                everything = {**headers, "accept": form}
                limit = "&limit=200" if form == JSON and "stats" not in path else ""
                asked[form] = read(form, client.get(path + limit, headers=everything).content)
                of_other = client.get(f"{path}&project={other}", headers=everything)
                assert read(form, of_other.content) == []
            rows = asked.pop(JSON)
            assert {row["project"] for row in rows} == {mine}
            assert asked.pop(Csv.media_type) == [as_csv(row) for row in rows]
            assert asked.pop(Ndjson.media_type) == rows
            typed = [as_typed(row) for row in rows]
            assert all(found == typed for found in asked.values())


def as_csv(row: Row) -> dict[str, str]:
    return {name: as_written(value) for name, value in row.items()}
