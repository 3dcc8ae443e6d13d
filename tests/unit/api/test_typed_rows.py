"""Rows as Arrow and Parquet, read back by PyArrow and polars: the same as in JSON, with types."""

from __future__ import annotations

import asyncio
import io
import resource
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from tests.support.listed_runs import changed
from tests.unit.api.conftest import summary
from tests.unit.api.test_rows import (
    ARROW,
    ASKED,
    CSV,
    NDJSON,
    PARQUET,
    ask,
    lines_of,
    paged,
    served,
    small_pages,
    table_of,
    talking,
)

from spanloom.api.http.bounds import BoundedCalls
from spanloom.api.rows import stream
from spanloom.api.rows.arrow import ArrowStream, Parquet, schema_of
from spanloom.api.rows.columns import RUN_GROUPS, STEP_GROUPS, Sort, columns_of
from spanloom.api.rows.forms import Csv, Drain, Ndjson
from spanloom.api.rows.stream import Rows, stream_rows
from spanloom.core.records.run import Run
from spanloom.core.records.step import StepRow

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from spanloom.api.rows.forms import Form
    from spanloom.core.query.lists import Cursor, ListedRun

__all__ = ["served", "talking"]  # fixtures
Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RUN_TYPES = {
    "trace_id": pa.string(),
    "project": pa.string(),
    "version": pa.int64(),
    "status": pa.string(),
    "root_name": pa.string(),
    "root_type": pa.string(),
    "started_at": pa.timestamp("ns", tz="UTC"),
    "duration": pa.int64(),
    "has_error": pa.bool_(),
    "outcome": pa.string(),
    "failures": pa.int64(),
    "agent_names": pa.list_(pa.string()),
    **{f"step_counts.{kind}": pa.int64() for kind in ("agent", "model", "tool", "graph", "other")},
    **dict.fromkeys(("span_count", "input_tokens", "output_tokens"), pa.int64()),
    "cost": pa.float64(),
    "dialects": pa.list_(pa.string()),
    **dict.fromkeys(("duplicate_of", "conversation_id", "question", "answer"), pa.string()),
    **dict.fromkeys(("models", "services"), pa.list_(pa.string())),
    **dict.fromkeys(
        ("environment", "release", "user_id", "error_type", "error_message"), pa.string()
    ),
    "tags": pa.list_(pa.string()),
    **dict.fromkeys(("model_time", "tool_time"), pa.int64()),
    "longest_repeat": pa.int64(),
    **dict.fromkeys(("resumes", "resumed_by"), pa.string()),
}


LENGTHS = ("duration", "model_time", "tool_time")


def read(body: bytes, media: str) -> pa.Table:
    if media == ARROW:
        return ipc.open_stream(body).read_all()
    return parquet.read_table(io.BytesIO(body))


def as_typed(row: Row) -> Row:
    """Return a row of JSON with the types that docs/api.md gives its columns."""
    typed: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            typed |= {f"{name}.{inner}": one for inner, one in as_typed(value).items()}
        elif name in ("started_at", "run_started_at", "start"):
            typed[name] = EPOCH + timedelta(milliseconds=int(value))
        else:
            typed[name] = int(value) if name in LENGTHS else value
    return typed


@pytest.mark.parametrize("media", [ARROW, PARQUET])
@pytest.mark.parametrize("path", ASKED)
def test_typed_rows_are_those_of_json(
    talking: TestClient, path: str, media: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pages(monkeypatch)
    answer = ask(talking, path, media)
    assert answer.headers["content-type"] == media
    table = read(answer.content, media)
    items = paged(talking, path)
    assert len(items) > 7
    assert table.to_pylist() == [as_typed(item) for item in items]
    frame = (pl.read_ipc_stream if media == ARROW else pl.read_parquet)(answer.content)
    assert frame.to_arrow().to_pylist() == table.to_pylist()


@pytest.mark.parametrize("media", [ARROW, PARQUET])
def test_types_are_the_same_without_a_row(served: TestClient, media: str) -> None:
    none = read(ask(served, "/v1/trajectories?project=nobody", media).content, media)
    assert dict(zip(none.schema.names, none.schema.types, strict=True)) == RUN_TYPES
    assert none.num_rows == 0
    some = read(ask(served, "/v1/trajectories?limit=3", media).content, media)
    assert (some.schema, some.num_rows) == (none.schema, 3)
    stats = read(ask(served, ASKED[3] + "&project=nobody", media).content, media)
    assert stats.schema == schema_of(
        {
            "start": Sort.MOMENT,
            "model": Sort.TEXT,
            "count": Sort.WHOLE,
            "p95(duration)": Sort.REAL,
            "max(cost)": Sort.REAL,
        }
    )


def test_what_has_no_room_is_null() -> None:
    columns = {"at": Sort.MOMENT, "long": Sort.LENGTH, "many": Sort.WHOLE}
    form = Parquet(columns)
    rows: list[Row] = [
        {"at": str(2**63 // 10**6 + 1), "long": str(2**63), "many": 2**64},
        {"at": "5", "long": "6", "many": -7},
    ]
    body = form.head() + form.page(rows).body + form.end({})
    table = read(body, PARQUET)
    assert [column.to_pylist()[0] for column in table.columns] == [None] * 3
    assert table.column("many").to_pylist()[1] == -7


def test_columns_are_chosen_in_every_form(served: TestClient) -> None:
    path = "/v1/trajectories?limit=9&fields=cost, core ,step_counts,cost"
    names = ["cost", *RUN_GROUPS["core"], "step_counts"]
    whole = ask(served, "/v1/trajectories?limit=9", "*/*").json()
    page = ask(served, path, "application/json").json()
    assert page["items"] == [{name: item[name] for name in names} for item in whole["items"]]
    assert [list(item) for item in page["items"]] == [names] * 9
    *rows, _end = lines_of(ask(served, path, NDJSON))
    assert rows == page["items"]
    assert list(table_of(ask(served, path, CSV))[0]) == names
    typed = read(ask(served, path, ARROW).content, ARROW)
    assert typed.to_pylist() == [as_typed(row) for row in rows]
    # A cursor continues its query, whatever columns are requested for the remaining rows.
    behind = f"/v1/trajectories?limit=9&fields=core&cursor={page['next_cursor']}"
    assert list(ask(served, behind, "*/*").json()["items"][0]) == list(RUN_GROUPS["core"])


def test_columns_of_steps_are_chosen_too(served: TestClient) -> None:
    by_body = {"where": "tool_steps > 0", "fields": "trace_id"}
    found = served.post("/v1/trajectories/search", json=by_body).json()["items"]
    assert {tuple(item) for item in found} == {("trace_id",)}
    steps = ask(served, "/v1/steps?limit=5&fields=metrics", "*/*").json()["items"]
    assert list(steps[0]) == list(STEP_GROUPS["metrics"])


@pytest.mark.parametrize("path", ["/v1/trajectories", "/v1/steps"])
@pytest.mark.parametrize("accept", ["application/json", NDJSON, ARROW])
def test_a_column_that_is_not_there_is_told_with_its_place(
    served: TestClient, path: str, accept: str
) -> None:
    answer = served.get(f"{path}?fields=trace_id, durtion,cots", headers={"accept": accept})
    first, second = answer.json()["errors"]
    assert answer.status_code == 422
    assert (first["parameter"], first["position"], first["length"]) == ("fields", 10, 7)
    assert first["detail"] == "no column or group 'durtion'"
    assert (first["did_you_mean"][0], second["did_you_mean"][0]) == ("duration", "cost")
    assert {"core", "metrics", "trace_id"} <= set(first["expected"])
    nothing = served.get(f"{path}?fields=,")
    assert "it names no column" in nothing.json()["detail"]


def test_every_group_names_columns_that_there_are() -> None:
    for groups, model in ((RUN_GROUPS, Run), (STEP_GROUPS, StepRow)):
        assert {name for group in groups.values() for name in group} <= set(columns_of(model))


def test_a_page_is_cut_by_what_its_rows_weigh() -> None:
    assert stream.fitting(2048) == 4096
    assert stream.fitting(10) == stream.MOST_ROWS
    assert stream.fitting(1 << 30) == stream.FEWEST_ROWS


def test_what_was_taken_is_not_kept() -> None:
    """Drained bytes are not kept: only the position in the answer is known."""
    drain, piece = Drain(), b"x" * (8 << 20)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        drain.write(piece)
        assert drain.drained() == piece
    assert drain.tell() == 40 * len(piece)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_kib < 100 * 1024


@pytest.mark.parametrize("form", [Ndjson, Csv, ArrowStream, Parquet])
def test_a_large_answer_is_never_in_memory(form: type[Form]) -> None:
    """An answer of 60 MB, in rows of 10 KB, needs memory for one page only."""
    lines = [replace(summary(1), start_ns=2**40 - n) for n in range(6_000)]

    def read(limit: int, after: Cursor | None) -> list[ListedRun]:
        at = 0 if after is None else 2**40 - after.start_ns + 1
        return [changed(line, question=f"{at}{'x' * 10_000}") for line in lines[at : at + limit]]

    rows = Rows(read, lambda line: line.run, columns_of(Run), None, None)

    async def written() -> int:
        answer = await stream_rows(rows, form, calls)
        return sum([len(piece) async for piece in answer.body_iterator])

    calls = BoundedCalls(1, 60)
    size = asyncio.run(written())  # loads the modules, which are not to be measured
    tracemalloc.start()
    try:
        assert asyncio.run(written()) == size
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        calls.close()
    assert peak + pa.total_allocated_bytes() < 45 << 20


@pytest.mark.service
def test_arrow_is_loaded_for_those_alone_who_ask() -> None:
    program = "import sys, spanloom.api.app; print('pyarrow' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "False\n"
