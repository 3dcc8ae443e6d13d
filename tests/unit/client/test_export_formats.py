"""Exports in formats of other systems: layouts of files, losses, runs that a format cannot hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from pyarrow import parquet
from tests.support.made_formats import REFUSED, register
from tests.support.trajectory_records import make_record, make_trajectory
from tests.unit.client.test_export import Flaky, quietly

from spanloom import Client
from spanloom.client.calls.lists import trajectories
from spanloom.client.errors import UnavailableError
from spanloom.client.transfer import export as exporting
from spanloom.client.transfer.export import Export, export
from spanloom.client.transfer.partial import ExportError
from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom.core.exchange.reports import Report

RUNS = 5
REFUSED_ID = f"{9:032x}"
KINDS = ["note", "noted", "spread", "each"]


@pytest.fixture
def flaky(world: World, monkeypatch: pytest.MonkeyPatch) -> Flaky:
    """Return a transport to a service with five runs, and one run that no test format can hold."""
    register(monkeypatch)
    monkeypatch.setattr(exporting, "PAGE_RUNS", 2)
    for n in range(1, RUNS + 1):
        world.write(n)
    key = TraceKey("p", REFUSED_ID)
    made = make_trajectory(key, 1_700_000_003_500_000_000)
    made = replace(made, root=made.root._replace(output=REFUSED))
    document = encode_document(made, 1, Status.SETTLED)
    world.store.trajectories.write([replace(make_record(key, made), document=document)])
    return Flaky(world.transport)


@pytest.fixture
def client(flaky: Flaky) -> Iterator[Client]:
    with Client("http://localhost", tries=1, transport=flaky) as opened:
        yield opened


def wanted(path: Path, kind: str) -> Export:
    return Export(trajectories(), {}, formats_of(Of.RUNS)[kind], path)


def content(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_and_what_is_left_out(client: Client, tmp_path: Path, kind: str) -> None:
    reports: list[Report] = []
    done = export(client, wanted(tmp_path / "runs", kind), quietly, reports.append)
    skipped = [{"trace_id": REFUSED_ID, "version": 1, "reason": "no_agent"}]
    assert (done.runs, done.skipped) == (RUNS, skipped)
    assert done.losses == {"texts_dropped": RUNS, "times_dropped": RUNS}
    (report,) = (one.json() for one in reports)
    assert (report["items"], report["written"], report["skipped"]) == (RUNS + 1, RUNS, skipped)
    assert (report["from"], report["to"], report["rejected"]) == ("canonical", kind, [])
    assert report["counts"] == done.losses
    assert len(report["losses"]) == 2 * RUNS
    assert done.bytes == sum(map(len, content(tmp_path / "runs").values()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("requests", [0, 1, 3, 4, 6, 8])
def test_what_is_interrupted_goes_on(
    client: Client, flaky: Flaky, tmp_path: Path, kind: str, requests: int
) -> None:
    """The second attempt also reports what the interrupted one had noted."""
    reports: list[Any] = []
    whole = export(client, wanted(tmp_path / "whole", kind), quietly, reports.append)
    flaky.left = requests
    with pytest.raises(UnavailableError):
        export(client, wanted(tmp_path / "runs", kind), quietly)
    assert not (tmp_path / "runs").exists()
    flaky.left = 10**9
    done = export(client, wanted(tmp_path / "runs", kind), quietly, reports.append)
    assert content(tmp_path / "runs") == content(tmp_path / "whole")
    assert (done.runs, done.skipped, done.losses) == (whole.runs, whole.skipped, whole.losses)
    assert reports[0].json() == reports[1].json()
    names = {path.name for path in tmp_path.iterdir()}
    assert names - {"whole.about.json", "runs.about.json"} == {"whole", "runs"}


def test_layouts(client: Client, tmp_path: Path) -> None:
    for kind in KINDS:
        export(client, wanted(tmp_path / kind, kind), quietly)
    lines = [orjson.loads(line) for line in (tmp_path / "note").read_bytes().splitlines()]
    assert orjson.loads((tmp_path / "noted").read_bytes()) == lines
    spread = [orjson.loads(line) for line in (tmp_path / "spread").read_bytes().splitlines()]
    assert [one.pop("index") for one in spread] == list(range(2 * RUNS))
    assert spread == [line for line in lines for _ in range(2)]
    files = {name: orjson.loads(text) for name, text in content(tmp_path / "each").items()}
    assert files == {f"{line['note']}.jsonl": line for line in lines}
    assert (tmp_path / "note.about.json").read_bytes() == b'{"of":"notes"}\n'


def test_runs_of_one_id_in_two_projects_have_files_of_their_own(
    client: Client, world: World, tmp_path: Path
) -> None:
    world.write(1, "other/project")
    done = export(client, wanted(tmp_path / "each", "each"), quietly)
    assert done.runs == RUNS + 1
    names = set(content(tmp_path / "each"))
    assert {f"{1:032x}.jsonl", f"{1:032x}.other%2Fproject.jsonl"} & names
    assert len(names) == RUNS + 1


def test_a_folder_that_has_files_is_left_alone(client: Client, tmp_path: Path) -> None:
    (tmp_path / "each").mkdir()
    (tmp_path / "each" / "mine").write_text("")
    with pytest.raises(ExportError, match="not empty"):
        export(client, wanted(tmp_path / "each", "each"), quietly)
    assert set(content(tmp_path / "each")) == {"mine"}


def test_rows_are_a_table_where_the_file_is_called_so(client: Client, tmp_path: Path) -> None:
    export(client, wanted(tmp_path / "runs.jsonl", "note"), quietly)
    export(client, wanted(tmp_path / "runs.parquet", "note"), quietly)
    lines = (tmp_path / "runs.jsonl").read_bytes().splitlines()
    assert parquet.read_table(tmp_path / "runs.parquet").to_pylist() == list(
        map(orjson.loads, lines)
    )
