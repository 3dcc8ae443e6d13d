"""Documents and steps as list columns have the same content as single reads; paged by size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.api.test_rows import ARROW, CSV, NDJSON, PARQUET, ask, lines_of, served, table_of
from tests.unit.api.test_typed_rows import read

from spanloom.api.rows import documents

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

__all__ = ["served"]  # a fixture
LIST = "/v1/trajectories?fields=trace_id,document,steps"


def one_by_one(served: TestClient) -> dict[str, Any]:
    """Return the document of every run, read one by one, keyed by trace id."""
    *rows, _end = lines_of(ask(served, "/v1/trajectories?fields=trace_id", NDJSON))
    ids = [row["trace_id"] for row in rows]
    return {trace: ask(served, f"/v1/trajectories/{trace}", "*/*").json() for trace in ids}


@pytest.mark.parametrize("room", [1, 40_000, 1 << 30], ids=["one", "some", "all"])
def test_documents_of_a_list_are_those_that_are_read_one_by_one(
    served: TestClient, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "PAGE_BYTES", room)
    expected = one_by_one(served)
    *rows, end = lines_of(ask(served, LIST, NDJSON))
    assert end == {"end": True, "count": len(expected)}
    assert {row["trace_id"]: row["document"] for row in rows} == expected
    cells = table_of(ask(served, LIST, CSV))
    assert {c["trace_id"]: json.loads(c["document"]) for c in cells} == expected
    for media in (ARROW, PARQUET):
        table = read(ask(served, LIST, media).content, media).to_pylist()
        assert {row["trace_id"]: json.loads(row["document"]) for row in table} == expected


def test_a_page_of_documents_goes_on_where_its_room_ended(
    served: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "PAGE_BYTES", 40_000)
    expected = one_by_one(served)
    found: dict[str, Any] = {}
    cursor, pages = "", 0
    while cursor is not None:
        behind = f"&cursor={cursor}" if cursor else ""
        page = ask(served, f"{LIST}&limit=50{behind}", "application/json").json()
        assert page["items"]
        found |= {item["trace_id"]: item["document"] for item in page["items"]}
        cursor, pages = page["next_cursor"], pages + 1
    assert found == expected
    assert pages > 2


def test_steps_are_those_of_the_document_without_what_was_said(served: TestClient) -> None:
    *rows, _end = lines_of(ask(served, LIST, NDJSON))
    *steps, _end = lines_of(ask(served, "/v1/steps?fields=trace_id,step_id,name,duration", NDJSON))
    told = sorted((s["trace_id"], s["step_id"], s["name"], s["duration"]) for s in steps)
    brief = [
        (row["trace_id"], step["step_id"], step["name"], step["duration"])
        for row in rows
        for step in row["steps"]
    ]
    assert sorted(brief) == told
    assert not any({"input", "output"} & set(step) for row in rows for step in row["steps"])


def test_who_does_not_ask_is_given_none(served: TestClient) -> None:
    item = ask(served, "/v1/trajectories?limit=1", "*/*").json()["items"][0]
    assert not {"document", "steps"} & set(item)
    (row, _end) = lines_of(ask(served, "/v1/trajectories?limit=1", NDJSON))
    assert not {"document", "steps"} & set(row)
