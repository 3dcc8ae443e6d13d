from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from spanloom.collector.spool.bound import RECORD_BYTES
from spanloom.collector.spool.dead_letters import DeadLetters
from spanloom.collector.spool.spool import Spool
from spanloom.core.errors import OverloadedError, SchemaTooNewError, SchemaTooOldError, StartupError

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.metrics import Metrics

ROOM = 1 << 30


def test_requests_come_back_in_order(spool: Spool) -> None:
    seqs = [spool.put("shop", body, n) for n, body in enumerate([b"a", b"b", b"c"], 1)]
    batch = spool.read_batch(ROOM)
    assert [r.seq for r in batch] == seqs == sorted(set(seqs))
    assert [(r.project, r.body, r.span_count) for r in batch] == [
        ("shop", b"a", 1),
        ("shop", b"b", 2),
        ("shop", b"c", 3),
    ]


def test_a_batch_is_bounded_but_never_empty(spool: Spool) -> None:
    for _ in range(3):
        spool.put("", b"x" * 100, 1)
    assert len(spool.read_batch(250)) == 2
    assert len(spool.read_batch(1)) == 1


def test_deleted_requests_are_gone(spool: Spool, metrics: Metrics) -> None:
    first, second = spool.put("", b"a", 1), spool.put("", b"b", 1)
    spool.delete([first, 12345])
    assert [r.seq for r in spool.read_batch(ROOM)] == [second]
    assert spool.depth().records == 1
    assert "spanloom_spool_records 1.0" in metrics.render().decode()


def test_depth_tells_the_oldest(tmp_path: Path, metrics: Metrics) -> None:
    now_ns = 5_000_000
    spool = Spool(tmp_path / "s", ROOM, metrics, clock_ns=lambda: now_ns)
    assert spool.depth() == (0, 0, None)
    spool.put("", b"abc", 1)
    assert spool.depth() == (1, 3 + RECORD_BYTES, now_ns)
    now_ns += 2_000_000_000
    assert "spanloom_spool_age_seconds 2.0" in metrics.render().decode()
    spool.close()
    assert "spanloom_spool_age_seconds 0.0" in metrics.render().decode()


def test_sequence_numbers_only_grow(tmp_path: Path, metrics: Metrics) -> None:
    """The numbers grow despite clock jumps, restarts, and the deletion of all earlier records."""
    seqs: list[int] = []
    for now_us in (1_000, 2_000, 500, 0):
        spool = Spool(tmp_path / "s", ROOM, metrics, clock_ns=lambda us=now_us: us * 1_000)  # type: ignore[misc]  # a default binds the loop's value
        seqs += [spool.put("", b"", 0), spool.put("", b"", 0)]
        spool.delete(seqs)
        spool.close()
    assert seqs == [1_000, 1_001, 2_000, 2_001, 2_002, 2_003, 2_004, 2_005]


def test_what_is_stored_is_told_by_numbers_whatever_the_clock_does(
    tmp_path: Path, metrics: Metrics
) -> None:
    now_us = 2_000
    spool = Spool(tmp_path / "s", ROOM, metrics, clock_ns=lambda: now_us * 1_000)
    first = spool.put("", b"", 1)
    now_us = 500
    second = spool.put("", b"", 1)
    for stored, before in ((first, second), (second, second + 1)):
        assert spool.stored_before() == stored
        spool.delete([stored])
        assert spool.stored_before() == before
    assert spool.last_seq == second
    spool.close()


def test_what_was_put_survives_a_restart(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    seq = spool.put("", b"kept", 1)
    spool.close()
    again = Spool(tmp_path / "s", ROOM, metrics)
    assert [(r.seq, r.body) for r in again.read_batch(ROOM)] == [(seq, b"kept")]
    assert again.depth().bytes == 4 + RECORD_BYTES
    again.close()


def test_a_full_spool_refuses_until_there_is_room(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", 2 * (100 + RECORD_BYTES), metrics)
    seq = spool.put("", b"x" * 100, 1)
    spool.put("", b"x" * 100, 1)
    with pytest.raises(OverloadedError, match="full") as refused:
        spool.put("", b"", 1)
    assert refused.value.retry_after_s > 0
    spool.delete([seq])
    spool.put("", b"", 1)
    spool.close()


def test_dead_letters_are_kept_apart_and_counted(
    tmp_path: Path, spool: Spool, metrics: Metrics
) -> None:
    bad, good = spool.put("p", b"bad", 2), spool.put("p", b"good", 1)
    spool.set_aside(bad, "no such column")
    assert [r.seq for r in spool.read_batch(ROOM)] == [good]
    assert spool.depth().records == 1
    assert "spanloom_dead_letters_total 1.0" in metrics.render().decode()
    with sqlite3.connect(tmp_path / "spool.sqlite") as reader:
        rows = reader.execute("SELECT seq, body, reason FROM dead_letters").fetchall()
    reader.close()
    assert rows == [(bad, b"bad", "no such column")]


def test_dead_letters_count_to_the_bound(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", 2 * (100 + RECORD_BYTES), metrics)
    for _ in range(2):
        spool.set_aside(spool.put("", b"x" * 100, 1), "no")
    assert spool.depth().records == 0
    with pytest.raises(OverloadedError, match="full of dead letters: see `spanloom dead-letters"):
        spool.put("", b"", 1)
    spool.close()
    again = Spool(tmp_path / "s", 2 * (100 + RECORD_BYTES), metrics)
    with pytest.raises(OverloadedError, match="dead letters"):
        again.put("", b"", 1)
    again.close()


def test_waiting_for_work(spool: Spool) -> None:
    assert not spool.wait_until(1, 0.01)
    spool.put("", b"x", 1)
    assert spool.wait_until(1, 0)
    assert not spool.wait_until(10_000, 0.01)


def test_many_threads_share_commits(spool: Spool) -> None:
    with ThreadPoolExecutor(16) as threads:
        seqs = list(threads.map(lambda n: spool.put("", b"%d" % n, 1), range(300)))
    assert len(set(seqs)) == 300
    by_seq = {r.seq: r.body for r in spool.read_batch(ROOM)}
    assert by_seq == {seq: b"%d" % n for n, seq in enumerate(seqs)}


def test_the_file_is_synced_at_every_commit(spool: Spool) -> None:
    assert spool._writing.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert spool._writing.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert spool._writing.execute("PRAGMA page_size").fetchone() == (65536,)


def test_a_newer_schema_is_refused(tmp_path: Path, metrics: Metrics) -> None:
    with sqlite3.connect(tmp_path / "s") as future:
        future.execute("PRAGMA user_version = 99")
    future.close()
    with pytest.raises(SchemaTooNewError, match="99"):
        Spool(tmp_path / "s", ROOM, metrics)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_spool_from_before_the_first_release_is_refused_and_left_alone(
    version: int, tmp_path: Path, metrics: Metrics
) -> None:
    with sqlite3.connect(tmp_path / "s") as old:
        old.execute("CREATE TABLE requests (seq INTEGER PRIMARY KEY)")
        old.execute(f"PRAGMA user_version = {version}")
    old.close()
    with pytest.raises(SchemaTooOldError, match=r"before 0\.1\.0.*export.*import") as error:
        Spool(tmp_path / "s", ROOM, metrics)
    assert "\n" not in str(error.value)
    with sqlite3.connect(tmp_path / "s") as old:
        assert old.execute("PRAGMA user_version").fetchone() == (version,)
    old.close()


def test_what_another_process_changes_is_counted(
    tmp_path: Path, spool: Spool, metrics: Metrics
) -> None:
    """``spanloom dead-letters`` makes such changes while the service runs."""
    first, second = spool.put("", b"one", 1), spool.put("", b"two", 1)
    for seq in (first, second):
        spool.set_aside(seq, "no")
    with DeadLetters(tmp_path / "spool.sqlite") as letters:
        assert letters.retry([first, 12345]) == 1
        assert letters.drop([second]) == 1
        assert letters.list() == []
    assert spool.wait_until(1, 0.01)
    assert [request.seq for request in spool.read_batch(ROOM)] == [first]
    spool.put("", b"three", 1)
    assert spool.depth().bytes == len(b"onethree") + 2 * RECORD_BYTES
    assert "spanloom_dead_letter_bytes 0.0" in metrics.render().decode()


def test_what_is_no_spool_is_refused_in_one_line(tmp_path: Path, metrics: Metrics) -> None:
    (tmp_path / "s").write_bytes(b"not a database" * 100)
    with pytest.raises(StartupError, match="nothing of it can be read"):
        Spool(tmp_path / "s", ROOM, metrics)


def test_a_full_disk_refuses_and_passes(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    spool.put("", b"first", 1)
    pages = spool._writing.execute("PRAGMA page_count").fetchone()[0]
    spool._writing.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(OverloadedError, match="full"):
        spool.put("", bytes(1 << 20), 1)
    spool._writing.execute("PRAGMA max_page_count = 1000000")
    spool.put("", b"second", 1)
    assert [r.body for r in spool.read_batch(ROOM)] == [b"first", b"second"]
    assert spool.depth().records == 2
    assert spool.failed is None
    spool.close()


class FailingConnection(sqlite3.Connection):
    """A database connection whose commits fail at the fsync while ``failing`` is set."""

    failing = False

    def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
        if sql == "COMMIT" and FailingConnection.failing:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error
        return super().execute(sql, *args)  # type: ignore[arg-type]  # passed through


def failing_connect(
    database: Path, *, timeout: float, isolation_level: None, check_same_thread: bool
) -> sqlite3.Connection:
    return sqlite3.connect(
        database,
        timeout=timeout,
        isolation_level=isolation_level,
        check_same_thread=check_same_thread,
        factory=FailingConnection,
    )


def test_after_a_failed_fsync_nothing_is_acknowledged(
    tmp_path: Path, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics, connect=failing_connect)
    spool.put("", b"before", 1)
    monkeypatch.setattr(FailingConnection, "failing", True)
    with pytest.raises(OverloadedError, match="I/O"):
        spool.put("", b"lost", 1)
    assert "requests can no longer be acknowledged: disk I/O" in str(spool.failed)
    monkeypatch.setattr(FailingConnection, "failing", False)
    with pytest.raises(OverloadedError, match="has failed"):
        spool.put("", b"after", 1)
    spool.close()
    again = Spool(tmp_path / "s", ROOM, metrics)
    assert [r.body for r in again.read_batch(ROOM)] == [b"before"]
    again.close()


def test_a_closed_spool_takes_nothing(tmp_path: Path, metrics: Metrics) -> None:
    spool = Spool(tmp_path / "s", ROOM, metrics)
    spool.close()
    with pytest.raises(OverloadedError):
        spool.put("", b"", 1)
