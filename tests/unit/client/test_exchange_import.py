"""Import of files in other formats: detection of the format, reading, reports and refusals."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from pyarrow import parquet, table
from tests.support.drafted import planner
from tests.support.made_formats import AMBIGUOUS, register

from spanloom.client.address import Address
from spanloom.client.transfer.items import find_source
from spanloom.client.transfer.otlp_file import Piece, read_pieces
from spanloom.client.transfer.scores import SentScores
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.exchange.sources import SeveralFitError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spanloom.client.transfer.documents import Run
    from spanloom.client.transfer.run_scores import Imported

NOTES = [{"note": f"n{n}", "asked": "a?", "answered": f"b{n}"} for n in range(3)]
LINES = b"\n".join(map(orjson.dumps, NOTES))


class Service:
    """A service that has the documents of earlier imports, and counts the requests."""

    def __init__(self) -> None:
        self.stored: dict[str, Any] = {}
        self.requests = 0
        self.sending = Sending(
            Transport(Address("http://localhost", ""), Patience(), httpx.MockTransport(self._take)),
            self._find,
            lambda _: SentScores(),
        )

    def _take(self, _: httpx.Request) -> httpx.Response:
        self.requests += 1
        return httpx.Response(200, json={})

    def _find(self, run: Run) -> Mapping[str, object] | None:
        return self.stored.get(run.trace_id)

    def send(self, path: Path, named: str = "", *, as_new: bool = False) -> Imported:
        source = find_source(path, named)
        self.sending.report.source = source.name
        done = self.sending.send(path, "p", lambda *_: None, source, as_new=as_new)
        for piece in read_pieces(path, "p", source, as_new=as_new):
            if isinstance(piece, Piece) and piece.run:
                self.stored.setdefault(piece.run.trace_id, piece.run.document)
        return done


@pytest.fixture(autouse=True)
def _made(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.name.that.says.nothing"


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        b"[" + LINES.replace(b"\n", b",") + b"]",
        orjson.dumps(NOTES, option=2),
        gzip.compress(LINES),
    ],
    ids=["lines", "array", "indented array", "gzip"],
)
def test_the_shape_of_the_first_value_decides(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    service = Service()
    done = service.send(path)
    assert (done.accepted_spans, done.rejected, done.losses) == (3, [], {"duration_unknown": 3})
    report = service.sending.report.json()
    assert (report["from"], report["to"]) == ("note", "canonical")
    assert (report["items"], report["written"], report["counts"]) == (3, 3, {"duration_unknown": 3})
    assert {one["trace_id"] for one in report["losses"]} == set(service.stored)
    sources = [doc["extraction"]["metadata"]["source_id"] for doc in service.stored.values()]
    assert sources == ["n0", "n1", "n2"]


TALKS = [[{"said": f"{word}{n}"} for word in "nab"] for n in range(3)]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (b"\n".join(map(orjson.dumps, TALKS)), 3),
        (orjson.dumps(TALKS), 3),
        (orjson.dumps(TALKS, option=orjson.OPT_INDENT_2), 3),
        (orjson.dumps(TALKS[0]), 1),
        (orjson.dumps(TALKS[0], option=orjson.OPT_INDENT_2), 1),
    ],
    ids=["lines", "array", "indented array", "one", "indented one"],
)
def test_a_run_that_is_a_list_is_no_array_of_runs(path: Path, text: bytes, runs: int) -> None:
    path.write_bytes(text)
    service = Service()
    done = service.send(path)
    assert (done.accepted_spans, done.rejected) == (runs, [])
    assert service.sending.report.source == "talk"


def test_the_same_file_twice_changes_nothing(path: Path) -> None:
    path.write_bytes(LINES)
    service = Service()
    service.send(path)
    sent = service.requests
    again = service.send(path)
    assert (again.accepted_spans, again.unchanged_runs, service.requests) == (0, 3, sent)
    assert service.sending.report.written == 6


def test_a_bad_line_is_named_and_its_neighbours_are_taken(path: Path) -> None:
    path.write_bytes(LINES.split(b"\n")[0] + b'\n{broken\n{"note": 1}\n' + LINES.split(b"\n")[2])
    service = Service()
    done = service.send(path)
    assert done.accepted_spans == 2
    assert [one["place"] for one in done.rejected] == ["line 2", "line 3"]
    assert done.rejected[1]["reason"] == "note: a string is needed here, not a number"
    report = service.sending.report.json()
    assert (report["items"], report["written"], report["rejected"]) == (4, 2, done.rejected)


def test_what_fits_two_formats_is_refused_with_both_names(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch, *AMBIGUOUS)
    path.write_bytes(LINES)
    with pytest.raises(SeveralFitError) as raised:
        find_source(path)
    assert raised.value.ids == ["note", "likewise"]
    assert Service().send(path, "likewise").accepted_spans == 3


def test_a_run_that_is_there_is_imported_as_new(path: Path) -> None:
    run = planner()
    path.write_bytes(orjson.dumps(run))
    service = Service()
    service.stored[run["id"]] = {**run, "root_step": {**run["root_step"], "output": "telemetry"}}
    refused = service.send(path)
    assert run["id"] in refused.rejected[0]["reason"]
    assert "under other ids" in refused.rejected[0]["reason"]
    assert service.send(path, as_new=True).accepted_spans == refused.rejected_spans == 7
    assert service.send(path, as_new=True).unchanged_runs == 1
    assert len(service.stored) == 2


def test_spans_are_not_imported_as_new(path: Path) -> None:
    path.write_bytes(b'{"resourceSpans":[{"scopeSpans":[]}]}')
    (refused,) = Service().send(path, as_new=True).rejected
    assert "spans keep their ids" in refused["reason"]


def test_rows_of_a_table_are_values(path: Path) -> None:
    parquet.write_table(table({name: [one[name] for one in NOTES] for name in NOTES[0]}), path)
    assert Service().send(path).accepted_spans == 3


def test_surrogates_are_replaced_and_reported(path: Path) -> None:
    path.write_bytes(
        LINES.split(b"\n")[0].replace(b"a?", b"a\\ud800") + b"\n" + LINES.split(b"\n")[1]
    )
    done = Service().send(path)
    assert done.accepted_spans == 2
    assert done.losses == {"duration_unknown": 2, "value_truncated": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "it is empty"),
        (LINES.decode().encode("utf-16"), "it is UTF-16 or UTF-32"),
        (gzip.compress(LINES)[:-20], "it is no whole gzip file"),
        (gzip.compress(b""), "it is empty"),
        (b'{"of no": "format"}', "it has no `resourceSpans`, and is of no other format"),
    ],
    ids=["empty", "UTF-16", "half a gzip", "empty gzip", "foreign"],
)
def test_a_file_that_is_not_read_says_why_in_a_sentence(
    path: Path, text: bytes, reason: str
) -> None:
    path.write_bytes(text)
    (refused,) = Service().send(path).rejected
    assert reason in refused["reason"]
    assert "\n" not in refused["reason"]
