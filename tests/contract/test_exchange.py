"""Every exchange format of the registry: writing, round trip, bad items, detection, golden run.

A new format needs no change here. ``tests/support/exchange_validators/NAME.py`` validates its files
with a real tool, and ``tests/fixtures/exchange/planner.NAME.json`` is its golden run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.conversions import (
    Converted,
    captured_runs,
    convert,
    filed,
    in_lines,
    read,
    validator_of,
)
from tests.support.drafted import FOLDER, planner

from spanloom.client.transfer.documents import read_run
from spanloom.client.transfer.items import find_source
from spanloom.core.exchange.sources import OTLP, OWN, SeveralFitError, readers, source_of
from spanloom.core.formats.entry import Filed, Format, Of, Via
from spanloom.core.formats.imported import find_difference, find_loss
from spanloom.core.formats.losses import Code, read_header
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OWN_PATHS = {name for name, one in formats_of(Of.RUN).items() if Via.PATH in one.via}
FILES = [f for f in formats_of(Of.RUNS).values() if f.is_written and not f.writer]
READ = [f for f in FILES if f.is_read]
BROKEN = b'{"broken": nope}'
FOREIGN = b'{"of no": "format"}'
SAMPLES = [
    pytest.param(False, id="sample"),
    pytest.param(True, id="every", marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
]


def name_of(known: Format) -> str:
    return known.line


@pytest.fixture(scope="module", params=SAMPLES)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a file of canonical documents of captured runs."""
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    path.write_bytes(in_lines(captured_runs(every=request.param)))
    return path


@pytest.fixture(scope="module")
def written(request: pytest.FixtureRequest, runs: Path) -> Converted:
    """Return the runs of the fixture ``runs``, converted to a format."""
    return convert(runs, request.param)


in_every_format = pytest.mark.parametrize("written", FILES, ids=name_of, indirect=True)


@in_every_format
def test_every_run_is_written_or_left_out_with_a_reason(written: Converted, runs: Path) -> None:
    report = written.report
    assert report.items == len(runs.read_bytes().splitlines())
    assert report.written == len(written.bodies) > 0
    assert report.rejected == []
    assert {Code(one["reason"]) for one in report.skipped} <= set(Code)
    assert len(written.told) == len(report.skipped)
    assert read_header(report.losses.header) == report.json()["counts"]
    assert all(orjson.dumps(one) for one in written.values())


@pytest.mark.engine  # MLflow's modules start programs to learn about the machine
@in_every_format
def test_every_run_is_valid_by_its_tool(written: Converted, request: pytest.FixtureRequest) -> None:
    known = request.node.callspec.params["written"]
    if known.line in OWN_PATHS:
        pytest.skip(f"{known.line} has tests of its own: spans as they were sent")
    if (check := validator_of(known.line)) is None:
        pytest.skip(f"no validator of {known.line}")
    for body in written.bodies:
        check(body)


@pytest.mark.parametrize("known", READ, ids=name_of)
def test_out_and_in_again_is_the_same(known: Format, runs: Path, tmp_path: Path) -> None:
    """canonical → F → canonical → F gives the first F, and the documents can be imported."""
    first = convert(runs, known)
    documents, read_again = _read_all(first, known, tmp_path / "first")
    assert read_again == documents
    for document in documents:
        read_run(document, None)
    if known.id == OTLP:  # spans also carry version and status, which a store sets
        pairs = zip(map(orjson.loads, runs.read_bytes().splitlines()), documents, strict=True)
        assert [find_loss(*pair) for pair in pairs] == [None] * len(documents)
        return
    (tmp_path / "again.jsonl").write_bytes(in_lines(documents))
    second = convert(tmp_path / "again.jsonl", known, "jsonl")
    assert second.report.rejected == []
    assert list(map(_difference, first.files, second.files)) == [None] * len(first.files)


@pytest.mark.parametrize("at", ["first", "middle", "last"])
@pytest.mark.parametrize("known", READ, ids=name_of)
def test_a_bad_item_does_not_stop_its_neighbours(known: Format, at: str, tmp_path: Path) -> None:
    """Only bad items are refused, wherever they are, whether the format is named or detected."""
    items = _items(convert(_planner(tmp_path), known).bodies[0], known) * 2
    place = {"first": 0, "middle": len(items) // 2, "last": len(items)}[at]
    path = tmp_path / "file"
    path.write_bytes(_joined(items, known))
    good = read(path, known.id)
    assert (len(good.documents), good.refused) == (1 if known.id == OTLP else 2, [])
    path.write_bytes(_joined([*items[:place], BROKEN, FOREIGN, *items[place:]], known))
    for named in (known.id, ""):
        found = read(path, named)
        assert found.documents == good.documents
        unit = "item" if known.filed is Filed.ARRAY else "line"
        places = [f"{unit} {place + 1}", f"{unit} {place + 2}"]
        assert [one["place"] for one in found.refused] == places
        assert all(one["reason"] and "\n" not in one["reason"] for one in found.refused)


@pytest.mark.parametrize("known", READ, ids=name_of)
def test_its_shape_is_its_own(known: Format, tmp_path: Path) -> None:
    """Without ``--from`` a file is read in the format in which it was written."""
    path = tmp_path / "file"
    path.write_bytes(convert(_planner(tmp_path), known).files[0])
    named, unnamed = read(path, known.id), read(path)
    assert unnamed.documents == named.documents
    assert (unnamed.refused, named.refused) == ([], [])


@pytest.mark.parametrize("written", READ, ids=name_of, indirect=True)
def test_every_written_run_is_detected(
    written: Converted, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Its format is the only one detected, or among those named when several are possible."""
    known = request.node.callspec.params["written"]
    expected = "" if known.id in OWN else known.id
    path = tmp_path / "file"
    for body in written.bodies:
        path.write_bytes(filed([body], known)[0])
        assert expected in _detected(path)


@pytest.mark.parametrize("known", READ, ids=name_of)
def test_an_empty_object_and_scalars_are_of_no_format(known: Format) -> None:
    values: list[Any] = [{}, [], "", 1, None, True]
    assert [source_of(value) for value in values] == [None] * len(values)
    assert known.id in readers() or known.reader in {one.reader for one in readers().values()}


@pytest.mark.parametrize("known", FILES, ids=name_of)
def test_the_golden_run(known: Format, tmp_path: Path) -> None:
    golden = FOLDER / f"planner.{known.line}.json"
    if not golden.exists():
        pytest.skip(f"no golden run in {known.line}")
    (body,) = convert(_planner(tmp_path), known).bodies
    assert orjson.loads(body) == orjson.loads(golden.read_bytes())


def _planner(folder: Path) -> Path:
    path = folder / "planner.jsonl"
    path.write_bytes(in_lines([planner()]))
    return path


def _read_all(made: Converted, known: Format, folder: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the documents of all files from a first and from a second reading."""
    folder.mkdir()
    once: list[Any] = []
    twice: list[Any] = []
    for n, text in enumerate(made.files):
        path = folder / str(n)
        path.write_bytes(text)
        found, again = read(path, known.id), read(path, known.id)
        assert found.refused == again.refused == []
        once += found.documents
        twice += again.documents
    return once, twice


def _detected(path: Path) -> Sequence[str]:
    try:
        return [find_source(path).id]
    except SeveralFitError as error:
        return error.ids


def _items(body: bytes, known: Format) -> list[bytes]:
    """Return the lines that a file has for a run, or the elements if it is an array."""
    if known.filed is not Filed.ARRAY:
        (alone,) = filed([body], known)
        return alone.splitlines()
    whole = orjson.loads(body)
    return [orjson.dumps(one) for one in (whole if isinstance(whole, list) else [whole])]


def _joined(items: Sequence[bytes], known: Format) -> bytes:
    is_array = known.filed is Filed.ARRAY
    return b"[" + b",\n".join(items) + b"]" if is_array else b"\n".join(items)


def _difference(before: bytes, after: bytes) -> str | None:
    """Return the first difference of two files as JSON, such as ``3.root_step.name: 1, not 2``."""
    if before == after:
        return None
    ours, theirs = _json(before), _json(after)
    if (place := find_difference(ours, theirs)) is None:
        return None
    for name in place.split("."):
        if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
            ours, theirs = ours[int(name)], theirs[int(name)]
        elif isinstance(ours, dict) and isinstance(theirs, dict):
            ours, theirs = ours.get(name), theirs.get(name)
    return f"{place}: {theirs!r:.300}, not {ours!r:.300}"


def _json(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return [orjson.loads(line) for line in text.splitlines()]
