"""Import of documents: sent so that the receiver restores them, or refused with the position."""

from __future__ import annotations

import copy
import gzip
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from pyarrow import feather, parquet, table
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture

from spanloom.client.address import Address
from spanloom.client.transfer import documents, otlp_file
from spanloom.client.transfer.otlp_file import Piece, Unreadable, read_pieces
from spanloom.client.transfer.scores import SentScores
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from spanloom.client.transfer.documents import Run
    from spanloom.client.transfer.run_scores import Imported

Document = dict[str, Any]
RUN: Document = extract_capture(Capture("openinference-langchain", "parallel_tools"))[0].document
LINE = orjson.dumps(RUN)


def changed(change: Callable[[Document], object]) -> bytes:
    document = copy.deepcopy(RUN)
    change(document)
    return orjson.dumps(document)


def plain(found: Iterable[Piece | Unreadable]) -> list[Piece]:
    """Return the pieces, without the members that differ between the forms of a file."""
    pieces = [one for one in found if isinstance(one, Piece)]
    return [one._replace(place="", share=0, losses=None) for one in pieces]


def reason_of(path: Path, line: bytes) -> str:
    path.write_bytes(line)
    (found,) = read_pieces(path)
    assert isinstance(found, Unreadable), found
    return found.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.pop("agent_steps"), "agent_steps: field required"),
        (lambda d: d["root_step"].pop("input"), "root_step.input: field required"),
        (lambda d: d.update(id="ABC"), "id: 32 lowercase hex digits"),
        (lambda d: d["root_step"].update(id="1"), "root_step.id: 16 lowercase hex digits"),
        (lambda d: d["root_step"]["basic_info"].update(started_at="soon"), "started_at"),
        (lambda d: d["root_step"].update(mood="good"), "root_step.mood: it would not be restored"),
        (
            lambda d: d["extraction"].update(mood="good"),
            "extraction.mood: it would not be restored",
        ),
        (lambda d: d["extraction"].update(status="failed"), "extraction.status: failed"),
        (lambda d: d["extraction"].update(errors=[{}]), "extraction.errors.0.code"),
        (
            lambda d: d["agent_steps"][0]["steps"].append(d["agent_steps"][0]["steps"][0]),
            "is there twice",
        ),
        (
            lambda d: d["agent_steps"][0].update(output="another"),
            "agent_steps.0.output: root_step has the id and another value",
        ),
        (
            lambda d: d["agent_steps"][0]["steps"][0]["metadata"].update(cost="dear"),
            "extraction: it is not valid in a document",
        ),
    ],
)
def test_what_would_not_come_back_is_refused_with_its_place(
    tmp_path: Path, change: Callable[[Document], object], reason: str
) -> None:
    assert reason in reason_of(tmp_path / "file", changed(change))


def test_a_document_without_extraction_is_not_canonical() -> None:
    document = orjson.loads(changed(lambda d: d.pop("extraction")))
    assert not documents.is_document(document)
    with pytest.raises(InvalidRequestError, match="no `extraction`"):
        documents.read_run(document, None)


def test_a_text_that_a_receiver_would_cut_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MAX_VALUE_BYTES", 10_000)
    long = changed(lambda d: d["agent_steps"][0]["steps"][0].update(input="語" * 3_400))
    assert "input is longer than 8 MiB" in reason_of(tmp_path / "file", long)


def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\n".join([LINE, b'{"root_step":1}', LINE[:-3], b"", LINE]))
    found = list(read_pieces(path))
    assert [one.place for one in found] == ["line 1", "line 2", "line 3", "line 5"]
    assert [isinstance(one, Piece) for one in found] == [True, False, False, True]
    assert found[-1].share == 1.0


@pytest.mark.parametrize("piece_bytes", [4_000_000, 1])
def test_every_form_of_a_file_has_the_same_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_bytes: int
) -> None:
    monkeypatch.setattr(otlp_file, "PIECE_BYTES", piece_bytes)
    path = tmp_path / "file"
    path.write_bytes(LINE + b"\n" + LINE)
    lines = plain(read_pieces(path))
    path.write_bytes(gzip.compress(LINE + b"\n" + LINE))
    assert plain(read_pieces(path)) == lines
    kept = table({"document": [LINE.decode()] * 2, "trace_id": ["a", "b"]})
    for write in (parquet.write_table, feather.write_feather):
        write(kept, path)
        rows = list(read_pieces(path))
        assert plain(rows) == lines
        assert {one.place for one in rows} == {"row 1", "row 2"}
    assert sum(one.spans for one in lines if isinstance(one, Piece)) == 2 * len(
        {step["id"] for agent in RUN["agent_steps"] for step in (agent, *agent["steps"])}
    )


def test_a_table_without_documents_says_so(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for write in (parquet.write_table, feather.write_feather):
        write(table({"trace_id": ["a"]}), path)
        (bad,) = read_pieces(path)
        assert isinstance(bad, Unreadable)
        assert bad.place == "the file"
        assert "without a column `document`" in bad.reason
    for magic in (b"PAR1", b"ARROW1"):
        path.write_bytes(magic + b" and nothing that belongs to it")
        (bad,) = read_pieces(path)
        assert isinstance(bad, Unreadable)
        assert (bad.place, bad.reason[:22]) == ("the file", "it is no whole table: ")
        assert "\n" not in bad.reason


def sent(
    path: Path, stored: Document | None, lines: Sequence[bytes] = (LINE,)
) -> tuple[Imported, int]:
    """Send a file to a service that has ``stored``; return the result and the request count."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={})

    asked: list[Run] = []

    def find(run: Run) -> Document | None:
        asked.append(run)
        return stored

    path.write_bytes(b"\n".join(lines))
    transport = Transport(Address("http://localhost", ""), Patience(), httpx.MockTransport(answer))
    done = Sending(transport, find, lambda _: SentScores()).send(path, "copies", lambda *_: None)
    assert [(run.project, run.trace_id) for run in asked] == [("copies", RUN["id"])] * len(lines)
    return done, len(requests)


def test_a_run_that_is_there_is_not_sent_again(tmp_path: Path) -> None:
    again = {**RUN, "extraction": {**RUN["extraction"], "version": 7, "extractor_version": "1"}}
    done, requests = sent(tmp_path / "file", again)
    assert (done.unchanged_runs, done.accepted_spans, requests) == (1, 0, 0)
    assert not done.rejected


def test_a_run_that_is_not_there_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes in several pieces, and the service is asked for it once."""
    monkeypatch.setattr(otlp_file, "PIECE_BYTES", 1)
    done, requests = sent(tmp_path / "file", None)
    assert (done.unchanged_runs, done.accepted_spans) == (0, requests)
    assert requests > 1


def test_half_an_import_is_completed(tmp_path: Path) -> None:
    half = {**RUN, "agent_steps": [], "extraction": {"dialects": ["imported"]}}
    done, requests = sent(tmp_path / "file", half)
    assert (done.unchanged_runs, requests, done.rejected) == (0, 1, [])


def test_what_a_service_was_sent_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp_file, "PIECE_BYTES", 1)
    other = copy.deepcopy(RUN)
    other["root_step"]["output"] = "another answer"
    done, requests = sent(tmp_path / "file", other, [LINE, LINE])
    assert (requests, done.accepted_spans) == (0, 0)
    assert [one["place"] for one in done.rejected] == ["line 1", "line 2"]
    assert "another root_step.output" in done.rejected[0]["reason"]
