"""Scores in files of runs: imported into a service with their runs, and exported from it again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from tests.support import scored
from tests.support.drafted import planner

from spanloom.client.address import Address
from spanloom.client.calls.scores import write_scores
from spanloom.client.errors import ClientError
from spanloom.client.transfer import otlp_file
from spanloom.client.transfer.converting import Conversion
from spanloom.client.transfer.items import find_source
from spanloom.client.transfer.run_scores import Imported, store_scores
from spanloom.client.transfer.score_rows import list_all
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.formats.entry import Of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Located, Reading
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored
from spanloom.core.model.access import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client
    from spanloom.client.transfer.documents import Run
    from spanloom.core.exchange.reports import Report

BOTH = pytest.mark.parametrize("form", ["mlflow", "inspect"])
PLANNER = planner()


def file_of(form: str, path: Path, rows: list[dict[str, Any]] | None = None) -> Path:
    """Write the planner's run with its scores into a file in the format ``form``."""
    stored = Stored(dump(PLANNER), scores=scored.rows() if rows is None else rows)
    path.write_bytes(formats_of(Of.RUN)[form].load_writer()(stored, Losses()))
    return path


def sent(
    client: Client,
    path: Path,
    stored: Mapping[str, object] | None = None,
    *,
    as_new: bool = False,
    status: int = 200,
) -> tuple[Imported, Report]:
    """Send a file's runs to a receiver that answers ``status``, and its scores to the service."""
    transport = Transport(
        Address("http://localhost", ""),
        Patience(),
        httpx.MockTransport(lambda _: httpx.Response(status, json={"message": "no"})),
    )

    def find(_: Run) -> Mapping[str, object] | None:
        return stored

    sending = Sending(transport, find, partial(store_scores, client))
    done = sending.send(path, None, lambda *_: None, find_source(path), as_new=as_new)
    return done, sending.report


def stored_in(client: Client) -> list[dict[str, Any]]:
    return [scored.compared(row) for row in list_all(client)]


@BOTH
def test_a_file_brings_its_scores_and_twice_the_same_ones(
    client: Client, form: str, tmp_path: Path
) -> None:
    path = file_of(form, tmp_path / "file")
    for document in (None, PLANNER):
        done, _ = sent(client, path, document)
        assert (done.accepted_scores, done.rejected_scores) == (len(scored.SCORES), 0)
        assert (done.rejected, "scores_dropped" in done.losses) == ([], False)
        found = sorted(map(repr, stored_in(client)))
        assert len(found) == len(scored.SCORES)
    assert found == sorted(repr(scored.compared(row)) for row in scored.rows())


def test_a_copy_under_other_ids_has_its_scores(client: Client, tmp_path: Path) -> None:
    done, _ = sent(client, file_of("mlflow", tmp_path / "file"), as_new=True)
    rows = list(list_all(client))
    assert done.accepted_scores == len(rows) == len(scored.SCORES)
    (trace_id,) = {row["trace_id"] for row in rows}
    steps = {row["step_id"] for row in rows} - {""}
    assert trace_id != scored.TRACE
    assert len(steps) == 1
    assert scored.TOOL not in steps
    assert {e["step_id"] for row in rows for e in row["evidence"]} == steps


def test_a_key_that_may_not_annotate_names_the_scores(world: World, tmp_path: Path) -> None:
    key = world.locks.make("default", Scope.READ, Scope.INGEST)
    done, report = sent(world.client(key), file_of("mlflow", tmp_path / "file"))
    assert done.accepted_spans > 0
    assert (done.accepted_scores, done.rejected_scores) == (0, len(scored.SCORES))
    (named,) = done.rejected
    assert named["place"] == "scores"
    assert "annotate" in named["reason"]
    assert (report.items, report.written, report.rejected) == (1, 1, [])
    assert report.losses.counts == done.losses == {"scores_dropped": len(scored.SCORES)}


def test_a_bad_score_is_named_and_its_neighbours_are_taken(client: Client, tmp_path: Path) -> None:
    good, bad = scored.rows()[:2]
    done, _ = sent(client, file_of("mlflow", tmp_path / "file", [good, {**bad, "repeat": -1}]))
    assert (done.accepted_scores, done.rejected_scores) == (1, 1)
    (named,) = done.rejected
    assert named["place"].endswith(": score grade")
    assert "greater than or equal to 0" in named["reason"]


@pytest.mark.parametrize("stored", [None, {**PLANNER, "root_step": {}}], ids=["refused", "other"])
def test_the_scores_of_a_run_that_was_not_taken_are_not_either(
    client: Client, tmp_path: Path, stored: Mapping[str, object] | None
) -> None:
    done, _ = sent(client, file_of("mlflow", tmp_path / "file"), stored, status=400)
    assert (done.accepted_scores, done.rejected_scores) == (0, len(scored.SCORES))
    assert len(done.rejected) == 1
    assert stored_in(client) == []


@pytest.mark.parametrize("piece", [2, 3], ids=["first of the second run", "in the second run"])
def test_an_import_that_ends_early_stores_the_scores_of_the_runs_before(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    other = {**PLANNER, "id": "7" * 32}
    rows = [scored.rows()[:2], [{**row, "trace_id": other["id"]} for row in scored.rows()[:1]]]
    write = formats_of(Of.RUN)["mlflow"].load_writer()
    stored = [Stored(dump(run), scores=of) for run, of in zip((PLANNER, other), rows, strict=True)]
    path = tmp_path / "file"
    path.write_bytes(b"\n".join(write(one, Losses()) for one in stored))
    monkeypatch.setattr(otlp_file, "PIECE_BYTES", 4_000)
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        is_over = other["id"].encode() in request.content and len(asked) > first + piece - 2
        return httpx.Response(401 if is_over else 200, json={"message": "no"})

    first = len(list(otlp_file.read_pieces(path))) // 2
    assert first > 1
    transport = Transport(Address("http://localhost", ""), Patience(), httpx.MockTransport(answer))
    sending = Sending(transport, lambda _: None, partial(store_scores, client))
    with pytest.raises(ClientError):
        sending.send(path, None, lambda *_: None, find_source(path))
    assert [row["trace_id"] for row in list_all(client)] == [PLANNER["id"]] * 2


@BOTH
def test_a_run_goes_out_with_its_scores(world: World, client: Client, form: str) -> None:
    key, other = world.write(1), world.write(1, project="q")
    for project, value in ((key.project, 0.5), (other.project, 0.7)):
        row = {"trace_id": key.trace_id, "name": "helpful", "author": "a", "value": value, "at": 9}
        client.ask(write_scores([row], project=project))
    body = client.document(key.trace_id, project=key.project, format=form)
    reader = formats_of(Of.RUNS)[form].load_reader()
    (found,) = reader.read([Located("", orjson.loads(body))], Reading(form))
    assert [(row["name"], row["value"]) for row in found.scores] == [("helpful", 0.5)]
    newest = client.document(key.trace_id, format=form)
    (found,) = reader.read([Located("", orjson.loads(newest))], Reading(form))
    assert len(found.scores) == 1


@pytest.mark.parametrize(("to", "lost"), [("inspect", 0), ("mlflow-eval", 0), ("coze", 10)])
def test_scores_pass_through_a_conversion_or_are_counted(
    tmp_path: Path, to: str, lost: int
) -> None:
    path, bodies = file_of("mlflow", tmp_path / "file"), []
    wanted = formats_of(Of.RUN)[to]
    converting = Conversion(wanted, lambda *put: bodies.append(put[2]), lambda *_: None)
    converting.convert("file", path, find_source(path))
    assert converting.report.losses.counts[Code.SCORES_DROPPED] == lost
    if not lost:
        reader = formats_of(Of.RUNS)[to].load_reader()
        (found,) = reader.read([Located("", orjson.loads(bodies[0]))], Reading(to))
        assert list(map(scored.compared, found.scores)) == list(map(scored.compared, scored.rows()))
