"""Annotations and scores as tables and as JSON lines: every row except the withheld ones."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from pyarrow import ipc, parquet
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.api.annotations.schemas import COLUMNS
from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.unit.annotation.conftest import Desk

    Rows = Sequence[dict[str, Any]]

ODD = '</script> "quoted", \n=1+1 中文 😀'
WRONG = {"error_type": "execution", "error_subtype": "wrong_tool", "severity": "major"}


def of_parquet(body: bytes) -> Rows:
    rows: Rows = parquet.read_table(io.BytesIO(body)).to_pylist()
    return rows


def of_arrow(body: bytes) -> Rows:
    rows: Rows = ipc.open_stream(body).read_all().to_pylist()
    return rows


def of_csv(body: bytes) -> Rows:
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


FORMS: dict[str, Callable[[bytes], Rows]] = {
    "application/vnd.apache.parquet": of_parquet,
    "application/vnd.apache.arrow.stream": of_arrow,
    "text/csv": of_csv,
}


def table(desk: Desk, path: str, media: str, who: str = "ada") -> Rows:
    answer = desk.client.get(path, headers={ANNOTATOR_HEADER: who, "accept": media})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith(media)
    return FORMS[media](answer.content)


def lines(desk: Desk, path: str, who: str = "ada") -> Rows:
    headers = {"accept": "application/x-ndjson"}
    return [
        orjson.loads(one)
        for one in desk.ask("GET", path, who, headers=headers).text.split("\n")
        if one
    ]


@pytest.mark.parametrize("media", FORMS)
def test_there_is_a_row_for_each_step_and_one_for_the_run(desk: Desk, media: str) -> None:
    desk.mark(0, "correct")
    desk.mark(1, "incorrect", **WRONG, rationale=ODD, value={"odd": [1, None]})
    desk.write({"step_id": "", "value": {"note": "as a whole"}})
    desk.mark(2, "correct", who="bo")
    rows = table(desk, "/v1/annotations", media)
    assert list(rows[0]) == list(COLUMNS)
    said = [(row["annotator"], row["step_id"], row["correctness"]) for row in rows]
    first, second, third = desk.steps
    assert said == [
        ("ada", first, "correct"),
        ("ada", second, "incorrect"),
        ("ada", "", ""),
        ("bo", third, "correct"),
    ]
    assert {row["trace_id"] for row in rows} == {KEY.trace_id}
    wrong, whole = rows[1], rows[2]
    assert wrong["rationale"].removeprefix("'") == ODD
    assert orjson.loads(wrong["value"]) == {"odd": [1, None]}
    assert orjson.loads(whole["value"]) == {"note": "as a whole"}
    assert {str(row["score"]) for row in rows if row["annotator"] == "ada"} <= {"95.0", "95"}


def test_what_is_withheld_is_in_no_table(desk: Desk) -> None:
    desk.mark(0, "correct", who="bo")
    queue = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, "blind": True}
    desk.ask("PUT", "/v1/queues/q", json={**queue, "trace_ids": [KEY.trace_id]})
    for media in FORMS:
        for path in ("/v1/annotations", "/v1/scores"):
            assert table(desk, path, media) == []
            assert table(desk, path, media, "bo") != []
    assert lines(desk, "/v1/scores") == [{"end": True, "count": 0}]


def test_what_is_said_of_one_run_comes_as_lines_and_as_tables(desk: Desk) -> None:
    for place in range(3):
        desk.mark(place, "correct", who="bo")
    desk.mark(1, "incorrect", **WRONG, rationale=ODD, value={"odd": [1, None]})
    path = f"/v1/trajectories/{KEY.trace_id}/annotations"
    told = desk.read()
    *rows, end = lines(desk, path)
    assert rows == told["items"]
    about = {name: told[name] for name in ("trace_id", "project", "version", "withheld")}
    assert end == {"end": True, "count": 4, **about}
    assert [row["annotator"] for row in lines(desk, f"{path}?annotator=bo")[:-1]] == ["bo"] * 3
    for media in FORMS:
        found = table(desk, path, media)
        assert [row["step_id"] for row in found] == [row["step_id"] for row in rows]
        assert orjson.loads(found[0]["value"]) == {"odd": [1, None]}
    asked = {"accept": "image/png"}
    assert "ndjson" in desk.ask("GET", path, status=406, headers=asked)["detail"]


def test_lines_of_one_run_count_what_is_withheld(desk: Desk) -> None:
    desk.mark(0, "correct", who="bo")
    desk.mark(1, "correct")
    queue = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, "blind": True}
    desk.ask("PUT", "/v1/queues/q", json={**queue, "trace_ids": [KEY.trace_id]})
    row, end = lines(desk, f"/v1/trajectories/{KEY.trace_id}/annotations")
    assert row["annotator"] == "ada"
    assert (end["count"], end["withheld"]) == (1, 1)


def test_examples_to_train_on_are_no_table(desk: Desk) -> None:
    asked = {"accept": "text/csv"}
    refused = desk.ask("GET", "/v1/annotations?format=sft", status=406, headers=asked)
    assert "accept application/x-ndjson" in refused["detail"]


def test_scores_come_whole_as_lines_and_as_a_table(desk: Desk) -> None:
    judged = {"trace_id": KEY.trace_id, "author": "judge"}
    made: list[dict[str, Any]] = [
        {**judged, "name": f"n{number:04}", "value": number / 8} for number in range(1_200)
    ]
    made[0]["value"], made[1]["value"] = "good", True
    desk.ask("POST", "/v1/scores", json={"items": made})
    found = lines(desk, "/v1/scores")
    assert found[-1] == {"end": True, "count": 1_200}
    assert {row["name"]: row["value"] for row in found[:-1]} == {
        row["name"]: row["value"] for row in made
    }
    rows = table(desk, "/v1/scores", "application/vnd.apache.parquet")
    assert {row["name"]: orjson.loads(row["value"]) for row in rows} == {
        row["name"]: row["value"] for row in made
    }
    assert len(lines(desk, "/v1/scores?limit=7")) == 8
    path = f"/v1/scores?trace_id={KEY.trace_id}&trace_id={'f' * 32}&source=api&source=rule"
    assert len(lines(desk, path)) == 1_201
    assert len(lines(desk, f"{path}&target=step")) == 1
