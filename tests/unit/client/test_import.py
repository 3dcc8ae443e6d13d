"""Import of OTLP files, in any of the forms in which they are written, into a receiver."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.ground_truth import Capture

from spanloom.client.address import Address
from spanloom.client.errors import UnauthenticatedError, UnavailableError
from spanloom.client.transfer import otlp_file
from spanloom.client.transfer.otlp_file import Piece, Unreadable, read_pieces
from spanloom.client.transfer.scores import SentScores
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.conventions.projects import PROJECT
from spanloom.core.formats.otlp import resource_spans_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from spanloom.client.transfer.run_scores import Imported

REQUESTS = list(Capture("openinference-langchain", "parallel_tools").requests())
"""A protobuf request, as an SDK sent it."""
JSON = [b'{"resourceSpans":[' + b",".join(resource_spans_json(body)) + b"]}" for body in REQUESTS]


def prefixed(bodies: Sequence[bytes]) -> bytes:
    return b"".join(len(body).to_bytes(4, "big") + body for body in bodies)


def spans_in(found: Iterator[Piece | Unreadable]) -> list[str]:
    """Return every span with its scope and resource as text, sorted."""
    told = []
    for piece in found:
        assert isinstance(piece, Piece), piece
        mine = list(each_span(orjson.loads(piece.body)))
        assert len(mine) == piece.spans
        told += mine
    return sorted(told)


def each_span(document: dict[str, Any]) -> Iterator[str]:
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                yield repr((group.get("resource"), scope.get("scope"), span))


SENT = sorted(text for body in JSON for text in each_span(orjson.loads(body)))
PRETTY = orjson.dumps(
    {"resourceSpans": [g for body in JSON for g in orjson.loads(body)["resourceSpans"]]},
    option=orjson.OPT_INDENT_2,
)
FORMS = {
    "lines": b"\n".join(JSON),
    "lines with blank ones": b"\n\n".join(JSON) + b"\r\n\n",
    "lines behind a mark": b"\xef\xbb\xbf" + b"\n".join(JSON),
    "document": PRETTY,
    "message": b"".join(REQUESTS),
    "messages": prefixed(REQUESTS),
}


@pytest.mark.parametrize("piece_bytes", [4_000_000, 5_000, 1])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_spans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, piece_bytes: int
) -> None:
    """The spans are the same in pieces of any size, gzipped or not."""
    monkeypatch.setattr(otlp_file, "PIECE_BYTES", piece_bytes)
    path = tmp_path / "any.name"
    for body in (FORMS[form], gzip.compress(FORMS[form])):
        path.write_bytes(body)
        assert spans_in(read_pieces(path)) == SENT
    if piece_bytes == 1:
        assert {piece.spans for piece in read_pieces(path) if isinstance(piece, Piece)} == {1}


@pytest.mark.parametrize("body", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_named(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "empty"
    path.write_bytes(body)
    (found,) = read_pieces(path)
    assert (found.place, getattr(found, "reason", "")) == ("the file", "it is empty")


@pytest.mark.parametrize(
    ("body", "places"),
    [
        (b"\n".join([JSON[0], b"{", JSON[0]]), ["line 2"]),
        (b"\n".join([JSON[0], b'{"id":"a document"}', b"[1]"]), ["line 2", "line 3"]),
        (b'{"resourceSpans":{"a":1}}\n{"resourceSpans":[3]}', ["line 1", "line 2"]),
        (b'{"root_step":{}}', ["line 1"]),
        (prefixed(REQUESTS)[:-5], [f"message {len(REQUESTS)}"]),
        (b"trace_id,name\n1,2\n", ["the document"]),
        (b"{ no json at all", ["the document"]),
        (b"\x89PNG\r\n\x1a\n", ["the document"]),
        (b"\x00\x01\x02ab\n" + JSON[0], ["line 1"]),
        (b"12345\n[1,\n" + JSON[0], ["line 1", "line 2"]),
        (b"\n\r\n" + JSON[0] + b"\n{", ["line 4"]),
        (b"\n\xff\xff\xff", ["the message"]),
    ],
)
def test_what_is_no_otlp_is_named_and_the_rest_is_read(
    tmp_path: Path, body: bytes, places: list[str]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(body)
    found = list(read_pieces(path))
    assert [bad.place for bad in found if isinstance(bad, Unreadable)] == places
    assert all(bad.reason for bad in found if isinstance(bad, Unreadable))


def test_spans_are_moved_to_another_project(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(JSON[0])
    own = PROJECT
    for project in ("first", "second"):
        (piece,) = read_pieces(path, project)
        assert isinstance(piece, Piece)
        for group in orjson.loads(piece.body)["resourceSpans"]:
            named = [a["value"] for a in group["resource"]["attributes"] if a["key"] == own]
            assert named == [{"stringValue": project}]
        path.write_bytes(piece.body)


def test_pieces_are_what_the_reference_reads(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"".join(REQUESTS))
    assert len(SENT) == sum(
        len(scope.spans)
        for group in TracesData.FromString(b"".join(REQUESTS)).resource_spans
        for scope in group.scope_spans
    )


def sent_to(
    answer: Callable[[httpx.Request], httpx.Response], path: Path, bodies: Sequence[bytes]
) -> Imported:
    path.write_bytes(b"\n".join(bodies))
    transport = Transport(
        Address("http://localhost", "key"), Patience(), httpx.MockTransport(answer)
    )
    sending = Sending(transport, lambda _: None, lambda _: SentScores())
    return sending.send(path, None, lambda *_: None)


def test_what_is_refused_is_named(tmp_path: Path) -> None:
    answers = iter(
        [
            httpx.Response(200, json={}),
            httpx.Response(400, json={"code": 3, "message": "no ids"}),
            httpx.Response(
                200, json={"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too deep"}}
            ),
        ]
    )
    done = sent_to(lambda _: next(answers), tmp_path / "file", [JSON[0]] * 3)
    spans = len(list(each_span(orjson.loads(JSON[0]))))
    assert (done.accepted_spans, done.rejected_spans) == (2 * spans - 1, spans + 1)
    assert done.rejected == [
        {"place": "line 2", "reason": "no ids"},
        {"place": "line 3", "reason": "too deep"},
    ]


def test_a_busy_receiver_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    busy = httpx.Response(503, json={"message": "full"}, headers={"Retry-After": "4"})
    answers = iter([busy, busy, httpx.Response(200, json={})])
    assert sent_to(lambda _: next(answers), tmp_path / "file", JSON[:1]).accepted_spans
    assert slept == [4.0, 4.0]
    with pytest.raises(UnavailableError, match="full"):
        sent_to(lambda _: busy, tmp_path / "file", JSON[:1])


def test_a_wrong_key_ends_it(tmp_path: Path) -> None:
    refused = httpx.Response(401, json={"code": 16, "message": "no such key"})
    with pytest.raises(UnauthenticatedError, match="no such key"):
        sent_to(lambda _: refused, tmp_path / "file", JSON)
