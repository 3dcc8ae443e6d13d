"""Export of runs into a file: it appears only when complete, and continues after interruptions."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom import Client
from spanloom.client.calls.lists import trajectories
from spanloom.client.errors import UnavailableError
from spanloom.client.transfer import export as exporting
from spanloom.client.transfer.export import Export, export
from spanloom.client.transfer.partial import ExportError, Mark, Page, PartialFile
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.unit.client.conftest import World

RUNS = 7
FORMATS = formats_of(Of.RUNS, Via.SHELL)


@dataclass
class Flaky(httpx.BaseTransport):
    """A transport that passes on ``left`` requests, and then answers that the service is busy."""

    inner: httpx.BaseTransport
    left: int = 10**9
    paths: list[str] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self.left:
            problem = {"title": "Service Unavailable", "detail": "busy"}
            headers = {"Content-Type": "application/problem+json"}
            return httpx.Response(503, json=problem, headers=headers)
        self.left -= 1
        self.paths.append(request.url.path)
        return self.inner.handle_request(request)


@pytest.fixture
def flaky(world: World, monkeypatch: pytest.MonkeyPatch) -> Flaky:
    monkeypatch.setattr(exporting, "PAGE_RUNS", 2)
    for n in range(1, RUNS + 1):
        key = world.write(n)
        span = wire_span(key.trace_id, 1, name="planner")
        world.store.spans.append([spooled(message_of([span]), key.project)])
    return Flaky(world.transport)


@pytest.fixture
def client(flaky: Flaky) -> Iterator[Client]:
    with Client("http://localhost", tries=1, transport=flaky) as opened:
        yield opened


def wanted(path: Path, kind: str = "jsonl", limit: int | None = None, **filters: Any) -> Export:
    listing = trajectories(limit=limit, **filters)
    return Export(listing, {**filters, "limit": limit}, FORMATS[kind], path)


def quietly(_: Mark) -> None:
    pass


def test_a_file_has_every_document_as_the_api_gives_it(client: Client, tmp_path: Path) -> None:
    path, told = tmp_path / "runs.jsonl", list[int]()
    done = export(client, wanted(path), lambda mark: told.append(mark.runs))
    runs = list(client.trajectories())
    expected = b"".join(client.document(run.trace_id) + b"\n" for run in runs)
    assert path.read_bytes() == expected
    assert (done.runs, done.bytes, done.skipped, done.is_resumed) == (7, len(expected), [], False)
    assert told == [2, 4, 6, 7]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", list(FORMATS))
@pytest.mark.parametrize("requests", [1, 4, 10])
def test_what_is_interrupted_goes_on(
    client: Client, flaky: Flaky, tmp_path: Path, kind: str, requests: int
) -> None:
    """After any request: the file appears once complete, and equals an uninterrupted export."""
    whole, path = tmp_path / "whole", tmp_path / "runs"
    export(client, wanted(whole, kind), quietly)
    flaky.left = requests
    with pytest.raises(UnavailableError):
        export(client, wanted(path, kind), quietly)
    is_folder = whole.is_dir()
    assert is_folder or not path.exists()
    flaky.left, flaky.paths = 10**9, []
    done = export(client, wanted(path, kind), quietly)
    assert contents(path) == contents(whole)
    assert (done.runs, done.is_resumed) == (RUNS, requests > 2)
    assert len(flaky.paths) == RUNS + 4 - requests // 3 * 3  # a page and its two runs: 3 requests
    beside = {one for one in tmp_path.iterdir() if one.name.endswith(".schema.json")}
    assert set(tmp_path.iterdir()) - beside == {path, whole}


def contents(path: Path) -> dict[str, bytes]:
    """Return the content of a file, or of each file of a folder by its name."""
    files = path.iterdir() if path.is_dir() else [path]
    return {file.name if path.is_dir() else "": file.read_bytes() for file in files}


def test_what_was_written_after_the_last_mark_counts_for_nothing(
    client: Client, flaky: Flaky, tmp_path: Path
) -> None:
    path, partial = tmp_path / "runs", tmp_path / "runs.partial"
    flaky.left = 5
    with pytest.raises(UnavailableError):
        export(client, wanted(path), quietly)
    with partial.open("ab") as file:
        file.write(b'{"id": "half of a docum')
    flaky.left = 10**9
    export(client, wanted(path), quietly)
    assert [orjson.loads(line)["id"] for line in path.read_bytes().splitlines()] == [
        run.trace_id for run in client.trajectories()
    ]


def test_a_limit_holds_over_an_interruption(client: Client, flaky: Flaky, tmp_path: Path) -> None:
    flaky.left = 4
    with pytest.raises(UnavailableError):
        export(client, wanted(tmp_path / "runs", limit=5), quietly)
    flaky.left = 10**9
    assert export(client, wanted(tmp_path / "runs", limit=5), quietly).runs == 5


def test_another_export_does_not_go_on_there(client: Client, flaky: Flaky, tmp_path: Path) -> None:
    path = tmp_path / "runs"
    flaky.left = 4
    with pytest.raises(UnavailableError):
        export(client, wanted(path), quietly)
    for other in (wanted(path, "coze"), wanted(path, project="p"), wanted(path, limit=3)):
        with pytest.raises(ExportError, match=r"runs\.partial is of another export; remove it"):
            export(client, other, quietly)
    (tmp_path / "runs.partial.json").write_text("{")
    with pytest.raises(ExportError):
        export(client, wanted(path), quietly)


def test_one_process_at_a_time_writes(tmp_path: Path) -> None:
    mark = Mark({}, {})
    with PartialFile(tmp_path / "x", mark), pytest.raises(ExportError, match="another export"):
        PartialFile(tmp_path / "x", mark)
    PartialFile(tmp_path / "x", mark).file.close()


def test_a_moment_ago_stays_the_moment_that_it_was(tmp_path: Path) -> None:
    """``--since 7d``, repeated an hour later, keeps the instant of the first attempt."""
    first, later = (Mark({"since": "7d"}, {"since": at}) for at in ("1000", "4600"))
    with PartialFile(tmp_path / "x", first) as partial:
        partial.commit("c", Page())
    with PartialFile(tmp_path / "x", later) as partial:
        assert partial.mark.filters == {"since": "1000"}


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow"])
def test_a_run_that_is_deleted_meanwhile_is_named(
    client: Client, flaky: Flaky, tmp_path: Path, kind: str
) -> None:
    gone = next(iter(client.trajectories())).trace_id
    missing = {"title": "Not Found", "detail": "none"}
    headers = {"Content-Type": "application/problem+json"}
    passed_on = flaky.inner

    class Deleted(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith(gone):
                return httpx.Response(404, json=missing, headers=headers)
            return passed_on.handle_request(request)

    flaky.inner = Deleted()
    done = export(client, wanted(tmp_path / "runs", kind), quietly)
    assert (done.runs, list(done.skipped)) == (
        RUNS - 1,
        [{"trace_id": gone, "version": 1, "reason": "deleted"}],
    )
    assert gone.encode() not in (tmp_path / "runs").read_bytes()


@pytest.mark.parametrize(
    ("kind", "read"),
    [("parquet", parquet.read_table), ("arrow", feather.read_table)],
)
def test_a_table_has_a_row_a_run_with_its_document(
    client: Client, tmp_path: Path, kind: str, read: Callable[[Path], pa.Table]
) -> None:
    path = tmp_path / "runs"
    export(client, wanted(path, kind), quietly)
    table = read(path)
    expected = client.trajectories().to_arrow()
    assert table.drop_columns(["document"]).to_pylist() == expected.to_pylist()
    documents = [client.document(run.trace_id).decode() for run in client.trajectories()]
    assert table.column("document").to_pylist() == documents


def test_spans_come_as_they_were_sent(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "runs.otlp"
    export(client, wanted(path, "otlp"), quietly)
    lines = path.read_bytes().splitlines()
    assert lines == [client.otlp(run.trace_id) for run in client.trajectories()]


def test_a_large_document_is_held_in_pieces(tmp_path: Path) -> None:
    size, piece = 40_000_000, b"x" * 50_000
    row = {"trace_id": "0" * 32, "project": "p"}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/trajectories":
            return httpx.Response(200, json={"items": [row], "next_cursor": None})
        pieces = (piece for _ in range(size // len(piece)))
        json = {"Content-Type": "application/json"}
        return httpx.Response(200, content=pieces, headers=json)

    with Client("http://localhost", transport=httpx.MockTransport(answer)) as opened:
        tracemalloc.start()
        done = export(opened, wanted(tmp_path / "runs"), quietly)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert done.bytes == size + 1
    assert most < size / 10
