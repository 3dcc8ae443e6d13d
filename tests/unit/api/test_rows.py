"""Rows in the media type that ``Accept`` names: the same rows in every form, page by page."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.generated_runs import generate_records
from tests.support.memory_store import MemoryStore
from tests.unit.api.conftest import summary

from spanloom.api.app import create_app
from spanloom.api.http.accept import NotAcceptableError
from spanloom.api.rows import stream
from spanloom.api.rows.arrow import ArrowStream, Parquet
from spanloom.api.rows.columns import Sort
from spanloom.api.rows.forms import Csv, Ndjson, form_for
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.formats import entry
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from httpx2 import Response
    from tests.unit.api.conftest import ShelfStore

    from spanloom.core.ports.trajectories import TrajectoryRecord

Row = dict[str, Any]
NDJSON, CSV = Ndjson.media_type, Csv.media_type
ARROW, PARQUET = ArrowStream.media_type, Parquet.media_type
ASKED = [
    "/v1/trajectories?where=tool_steps>0",
    "/v1/steps?where=type=tool&run_where=has_error",
    "/v1/steps?where=error",
    "/v1/stats?by=model&metrics=count,p95(duration),max(cost)&interval=1m",
    "/v1/search?q=ok",
    "/v1/conversations",
    "/v1/conversations/trip",
    "/v1/fields",
    "/v1/fields/name/values?of=steps",
]


@pytest.fixture(scope="module")
def served() -> Iterator[TestClient]:
    yield from serving(generate_records(60, "default"))


@pytest.fixture(scope="module")
def talking() -> Iterator[TestClient]:
    """Serve runs of ten projects, each of which has one conversation."""
    projects = enumerate(["default", *(f"talk-{number}" for number in range(9))])
    yield from serving([r for seed, name in projects for r in generate_records(8, name, seed)])


def serving(records: Sequence[TrajectoryRecord]) -> Iterator[TestClient]:
    store = MemoryStore()
    store.trajectories.write(records)
    store.text_index.index_texts([record.key for record in records])
    app = create_app(store, Metrics(), Locks().access)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def lines_of(answer: Response) -> list[Row]:
    return [json.loads(line) for line in answer.text.splitlines()]


def table_of(answer: Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def ask(client: TestClient, path: str, accept: str) -> Response:
    answer = client.get(path, headers={"accept": accept})
    assert answer.status_code == 200, answer.text
    return answer


@pytest.mark.parametrize("path", ASKED)
def test_every_form_of_a_question_has_the_same_rows(
    talking: TestClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pages(monkeypatch)
    items = paged(talking, path)
    lines, table = ask(talking, path, NDJSON), ask(talking, path, CSV)
    assert lines.headers["content-type"] == NDJSON
    assert "Accept" in lines.headers["vary"].split(", ")
    *rows, end = lines_of(lines)
    assert rows == items
    assert len(rows) > 7
    assert (end["end"], end["count"]) == (True, len(rows))
    cells = table_of(table)
    assert [list(row) for row in cells] == [list(row) for row in rows]
    assert [list(map(as_written, row.values())) for row in rows] == [
        list(map(as_read, row.values())) for row in cells
    ]


def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit every page to 7 rows."""
    for name in ("PAGE_ROWS", "FEWEST_ROWS", "MOST_ROWS"):
        monkeypatch.setattr(stream, name, 7)


def paged(client: TestClient, path: str) -> list[Row]:
    """Return all items of a list as JSON gives them, by following its cursors."""
    items: list[Row] = []
    joint, cursor = "&" if "?" in path else "?", ""
    while True:
        answer = ask(client, path + cursor, "application/json").json()
        items += answer["items"]
        if not answer.get("next_cursor"):
            return items
        cursor = f"{joint}cursor={answer['next_cursor']}"


def as_written(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_read(cell: str) -> str:
    """Return the text of a CSV cell without its formula guard, as docs/api.md tells readers."""
    return cell[1:] if cell.lstrip("'")[:1] in tuple("=+-@\t\r") and cell[:1] == "'" else cell


def test_a_limit_cuts_every_form(served: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pages(monkeypatch)
    for limit in (1, 7, 10, 14):
        path = f"/v1/steps?limit={limit}"
        items = ask(served, path, "application/json").json()["items"]
        *rows, end = lines_of(ask(served, path, NDJSON))
        assert (rows, end) == (items, {"end": True, "count": limit})
        assert len(table_of(ask(served, path, CSV))) == limit


def test_a_search_by_body_has_them_too(served: TestClient) -> None:
    asked = {"where": "tool_steps > 0"}
    headers = {"accept": NDJSON}
    by_body = served.post("/v1/trajectories/search", json=asked, headers=headers)
    assert by_body.text == ask(served, ASKED[0], NDJSON).text


def test_a_conversation_without_runs_is_not_there_in_any_form(served: TestClient) -> None:
    for accept in ("*/*", NDJSON, CSV, ARROW):
        answer = served.get("/v1/conversations/nobody", headers={"accept": accept})
        assert (answer.status_code, "'nobody'" in answer.json()["detail"]) == (404, True)


def test_what_is_wrong_is_told_before_the_first_row(served: TestClient) -> None:
    answer = served.get("/v1/steps?where=durtion>5s", headers={"accept": NDJSON})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["did_you_mean"] == ["duration"]


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("", None),
        ("*/*", None),
        ("text/html,application/xhtml+xml,*/*;q=0.8", None),
        ("application/*", None),
        ("application/json, text/csv", None),
        ("text/csv, */*", CSV),
        ("text/csv", CSV),
        ("text/*", CSV),
        ("Application/X-NDJSON; charset=utf-8", NDJSON),
        ("text/csv;q=0.5, application/x-ndjson", NDJSON),
        ("application/json;q=0.1, application/vnd.apache.arrow.stream", ARROW),
        ("application/vnd.apache.parquet, text/csv", PARQUET),
        ("*/*, application/json;q=0", NDJSON),
    ],
)
def test_a_form_is_chosen_by_the_header(accept: str, media: str | None) -> None:
    form = form_for(accept)
    assert (form and form.media_type) == media


@pytest.mark.parametrize(
    "accept", ["text/csv;q=0", "text/csv;q=many", "text/html", "application/xml"]
)
def test_no_other_form_is_there(accept: str) -> None:
    with pytest.raises(NotAcceptableError, match="accept one of application/json, "):
        form_for(accept)


@pytest.mark.parametrize("path", ["/v1/trajectories", *ASKED])
def test_a_form_that_is_not_there_is_406_with_those_that_are(
    served: TestClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = served.get(path, headers={"accept": "text/html"})
    told = answer.json()
    there_is = ["application/json", NDJSON, CSV, ARROW, PARQUET]
    assert (answer.status_code, told["available"]) == (406, there_is)
    monkeypatch.setattr(entry, "find_spec", lambda _name: None)
    told = served.get(path, headers={"accept": ARROW}).json()
    assert told["available"] == there_is[:3]
    assert "pip install 'spanloom[arrow]'" in told["detail"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "'=1", "''@"])
def test_no_text_of_a_table_is_a_formula(text: str) -> None:
    written = Csv({"a": Sort.TEXT}).page([{"a": text}]).body.decode()
    [[cell]] = csv.reader(io.StringIO(written, newline=""))
    assert (cell, as_read(cell)) == (f"'{text}", text)


def test_harmless_text_and_numbers_stay_as_they_are() -> None:
    rows: list[Row] = [{"a": "it's", "b": -1.5}, {"a": "'quoted'", "b": None}]
    columns = {"a": Sort.TEXT, "b": Sort.REAL}
    assert Csv(columns).page(rows).body == b"it's,-1.5\r\n'quoted',\r\n"


def test_an_answer_that_breaks_off_says_so(
    client: TestClient, store: ShelfStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "PAGE_ROWS", 2)
    store.summaries = [replace(summary(n), start_ns=n) for n in range(1, 6)]
    whole, pages = store.runs.list, []

    def fail_later(*args: Any) -> Any:  # in place of ``ShelvedRuns.list``
        pages.append(args)
        if len(pages) % 2 == 0:
            raise StoreUnavailableError("it is gone")
        return whole(*args)

    monkeypatch.setattr(store.runs, "list", fail_later)
    *rows, end = lines_of(ask(client, "/v1/trajectories", NDJSON))
    assert (len(rows), end) == (2, {"error": "it is gone", "count": 2})
    for form in (ArrowStream, Parquet):
        assert form({"trace_id": Sort.TEXT}).broken("it is gone", 2) is None
    with pytest.raises(
        RuntimeError, match="already started"
    ):  # over a network the connection breaks off
        client.get("/v1/trajectories", headers={"accept": CSV})
