"""Disk space of a past backlog is returned, and no remaining record is lost."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import TYPE_CHECKING

from spanloom.collector.spool import file
from spanloom.collector.spool.shrinking import size_on_disk
from spanloom.collector.spool.spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.metrics import Metrics

MIB = 1 << 20
ROOM = 1 << 40
AT_REST = MIB
"""More bytes than the files of a nearly empty spool have."""
RANDOM = Random(7)


def put_many(spool: Spool, count: int = 40) -> list[int]:
    return [spool.put("", RANDOM.randbytes(MIB), 1) for _ in range(count)]


def test_an_empty_spool_takes_next_to_nothing(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    spool.delete(put_many(spool))
    assert size_on_disk(tmp_path / "s") > 40 * MIB
    spool.shrink(0)
    assert size_on_disk(tmp_path / "s") < AT_REST
    spool.close()


def test_what_still_waits_or_was_set_aside_stays(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    seqs = put_many(spool)
    bodies = {request.seq: request.body for request in spool.read_batch(ROOM)}
    spool.set_aside(seqs[-1], "refused")
    spool.delete(seqs[:-5])
    spool.shrink(0)
    assert size_on_disk(tmp_path / "s") < 5 * MIB + AT_REST
    spool.close()
    again = Spool(tmp_path / "s", ROOM, metrics)
    assert {r.seq: r.body for r in again.read_batch(ROOM)} == {s: bodies[s] for s in seqs[-5:-1]}
    assert again.depth().bytes > 4 * MIB
    again.close()


def test_what_may_be_spare_is_left(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    spool.delete(put_many(spool))
    before = size_on_disk(tmp_path / "s")
    spool.shrink(before)
    assert size_on_disk(tmp_path / "s") == before
    spool.close()


def test_requests_that_come_meanwhile_are_taken(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    spool.delete(put_many(spool))
    futures = [spool.submit("", b"new", 1) for _ in range(600)]
    spool.shrink(0)
    assert len({future.result() for future in futures}) == 600
    spool.shrink(0)
    assert spool.depth().records == 600
    assert size_on_disk(tmp_path / "s") < AT_REST
    spool.close()


def test_a_log_that_somebody_reads_is_left_for_the_next_time(
    tmp_path: Path, metrics: Metrics
) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    seqs = put_many(spool)
    reader = sqlite3.connect(tmp_path / "s", isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM requests").fetchone() == (40,)
    spool.delete(seqs)
    spool.shrink(0)
    assert size_on_disk(tmp_path / "s") > 40 * MIB
    reader.close()
    spool.shrink(0)
    assert size_on_disk(tmp_path / "s") < AT_REST
    spool.close()


def test_free_pages_that_an_earlier_process_left_are_given_back(
    tmp_path: Path, metrics: Metrics
) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    spool.delete(put_many(spool))
    spool.close()
    assert size_on_disk(tmp_path / "s") > 30 * MIB
    again = Spool(tmp_path / "s", ROOM, metrics)
    again.shrink(0)
    assert size_on_disk(tmp_path / "s") < AT_REST
    again.close()


def test_opening_a_file_writes_nothing_into_it(tmp_path: Path, metrics: Metrics) -> None:
    """A page written at each opening would be an extra transaction in the write-ahead log."""
    path = tmp_path / "s"
    spool = Spool(path, ROOM, metrics)
    put_many(spool)
    before = path.with_name("s-wal").read_bytes()
    file.connect_spool_file(path, sqlite3.connect).close()
    assert path.with_name("s-wal").read_bytes() == before
    spool.close()
