"""Runs as tables of PyArrow, polars and pandas: the same columns, types and values."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import httpx
import pyarrow as pa
import pytest

from spanloom import Client
from spanloom.client import NotInstalledError, frames
from spanloom.client.calls import walks

if TYPE_CHECKING:
    from tests.unit.client.conftest import World

TYPES = {
    "trace_id": pa.string(),
    "started_at": pa.timestamp("ns", tz="UTC"),
    "duration": pa.int64(),
    "has_error": pa.bool_(),
    "tags": pa.list_(pa.string()),
    "status": pa.string(),
    "input_tokens": pa.int64(),
}


def listing(*pages: list[dict[str, Any]]) -> Client:
    """Return a client of a service whose list consists of these pages."""

    def answer(request: httpx.Request) -> httpx.Response:
        at = int(request.url.params.get("cursor", 0))
        cursor = str(at + 1) if at + 1 < len(pages) else None
        return httpx.Response(200, json={"items": pages[at], "next_cursor": cursor})

    return Client("http://localhost", transport=httpx.MockTransport(answer))


def test_a_table_has_what_the_items_have(world: World, client: Client) -> None:
    for n in range(1, 4):
        world.write(n)
    table, runs = client.trajectories().to_arrow(), list(client.trajectories())
    assert {name: table.schema.field(name).type for name in TYPES} == TYPES
    for name in ("trace_id", "status", "duration", "tags", "conversation_id", "input_tokens"):
        assert table.column(name).to_pylist() == [getattr(run, name) for run in runs]
    starts = [int(one.timestamp() * 1000) for one in table.column("started_at").to_pylist()]
    assert starts == [run.started_at for run in runs]
    models = table.column("step_counts.model").to_pylist()
    assert models == [run.step_counts["model"] for run in runs]


def test_a_table_of_nothing_has_its_columns_too(client: Client) -> None:
    table = client.trajectories().to_arrow()
    assert table.num_rows == 0
    assert {name: table.schema.field(name).type for name in TYPES} == TYPES
    talks = client.conversations().to_arrow()
    assert {"last_run.status", "runs", "question"} <= set(talks.column_names)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_every_library_gives_the_same(world: World, client: Client, library: str) -> None:
    pytest.importorskip(library)
    for n in range(1, 4):
        world.write(n, conversation="talk" if n == 2 else "")
    runs = client.trajectories()
    frame = getattr(runs, f"to_{library}")()
    if library == "pandas":
        other = pa.Table.from_pandas(frame, preserve_index=False)
    else:
        other = frame.to_arrow()
    told, expected = other.to_pylist(), runs.to_arrow().to_pylist()
    assert told == expected


def test_rows_come_in_pieces_and_columns_may_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer service adds fields, perhaps first in the second chunk of rows; none is lost."""
    monkeypatch.setattr(frames, "ROWS_AT_ONCE", 2)
    first = [{"trace_id": str(n), "started_at": "5"} for n in range(3)]
    second = [{"trace_id": "3", "later": {"a": 1.5, "b": [1]}, "words": ["x"], "is_new": True}]
    with listing(first, second) as client:
        table = client.trajectories().to_arrow()
        frame = client.trajectories().to_pandas()
    assert table.column("trace_id").to_pylist() == ["0", "1", "2", "3"]
    assert table.column("later.a").to_pylist() == [None, None, None, 1.5]
    assert table.column("later.b").to_pylist()[3] == "[1]"
    assert table.column("words").to_pylist()[3] == ["x"]
    assert table.column("is_new").to_pylist()[3] is True
    assert frame["later.a"].tolist()[3] == 1.5
    assert len(frame) == 4


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.delitem(sys.modules, "spanloom.client.frames.pandas", raising=False)
    with (
        listing([]) as client,
        pytest.raises(NotInstalledError, match=r"pip install 'spanloom\[pandas\]'"),
    ):
        client.trajectories().to_pandas()


def test_a_limit_is_kept(world: World, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "PAGE_ITEMS", 2)
    for n in range(1, 6):
        world.write(n)
    assert client.trajectories(limit=3).to_arrow().num_rows == 3
