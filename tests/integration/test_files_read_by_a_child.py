"""Files are read in a child process; a hostile file ends only that, with a one-line error."""

from __future__ import annotations

import gzip
import io
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING

import orjson
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.support.drafted import planner

from spanloom.client.transfer.otlp_file import Piece, Unreadable, read_pieces
from spanloom.core.errors import InvalidRequestError
from spanloom.process.imports.messages import Begin
from spanloom.process.imports.reading import FileReading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.service
MIB = 1 << 20
RUNS = b"".join(orjson.dumps(planner() | {"id": f"{n:032x}"}) + b"\n" for n in range(1, 101))


def read(path: Path, most_bytes: int = 512 * MIB, limit_s: float = 60.0) -> Iterator[object]:
    reading = FileReading(Begin(path, "", "", False, most_bytes, limit_s))
    try:
        yield from reading.pieces()
    finally:
        reading.kill()


def sentence(path: Path, most_bytes: int = 512 * MIB, limit_s: float = 60.0) -> str:
    """Return why reading a file stops; raise ``AssertionError`` if it is read whole."""
    with pytest.raises(InvalidRequestError) as refused:
        list(read(path, most_bytes, limit_s))
    text = str(refused.value)
    assert text
    assert "\n" not in text
    assert str(path) not in text
    return text


def test_a_child_reads_what_the_command_reads(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_bytes(RUNS + b"{\n")
    here, there = list(read_pieces(path)), list(read(path))
    assert len(there) == len(here) == 101
    for ours, theirs in zip(here, there, strict=True):
        if isinstance(ours, Unreadable):
            assert theirs == ours
            continue
        assert isinstance(theirs, Piece)
        assert (theirs.body, theirs.place, theirs.item) == (ours.body, ours.place, ours.item)
        assert theirs.run == ours.run


def test_pieces_of_one_run_have_its_run_again(tmp_path: Path) -> None:
    run = planner()
    run["root_step"]["output"] = run["agent_steps"][0]["output"] = "x" * (3 * MIB)
    run["agent_steps"][1]["output"] = run["agent_steps"][0]["steps"][3]["output"] = "y" * (3 * MIB)
    path = tmp_path / "run"
    path.write_bytes(orjson.dumps(run))
    pieces = [piece for piece in read(path) if isinstance(piece, Piece)]
    assert len(pieces) > 1
    assert all(piece.run is pieces[0].run for piece in pieces)
    assert pieces[0].run is not None


@pytest.mark.nightly
def test_a_value_of_too_much_memory_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b'{"id":[' + b"[]," * (60 * MIB) + b"0]}", 1))
    assert "memory" in sentence(path, 512 * MIB) or "too large" in sentence(path, 512 * MIB)


@pytest.mark.nightly
def test_a_column_of_too_much_memory_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    text = pa.array(["x" * (40 * MIB)] * 16, pa.large_string())
    parquet.write_table(pa.table({"document": text}), path, compression="zstd")
    assert path.stat().st_size < MIB
    found: list[object] = []
    with suppress(InvalidRequestError):  # or each row is refused
        found.extend(read(path, 512 * MIB))
    assert all(isinstance(one, Unreadable) for one in found)


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "long.gz"
    path.write_bytes(gzip.compress(b'{"a":1}\n' * (4 * MIB), 1))
    assert "3 s" in sentence(path, limit_s=3.0)


def test_a_bomb_in_an_archive_is_named_and_its_neighbours_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", orjson.dumps({"version": 2, "eval": {"task": "t"}}))
        archive.writestr("samples/a_epoch_1.json", b" " * (200 * MIB))
        archive.writestr("samples/b_epoch_1.json", orjson.dumps({"id": "b", "epoch": 1}))
    path.write_bytes(held.getvalue())
    found = [one for one in read(path) if isinstance(one, Unreadable)]
    assert [one.place for one in found][:1] == ["sample a, epoch 1"]
    assert "longer than 128 MiB" in found[0].reason


def test_a_child_goes_with_its_reading(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_bytes(RUNS * 20)
    reading = FileReading(Begin(path, "", "", False, 512 * MIB, 60.0))
    pieces = reading.pieces()
    next(pieces)
    reading.kill()
    with pytest.raises(InvalidRequestError):
        list(pieces)
