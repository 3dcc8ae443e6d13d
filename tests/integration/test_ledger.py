"""Extractors of one ClickHouse server never write two builds under one rank or number."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.started_server import started_server
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.spans import Read
from spanloom.core.ports.trajectories import Confirmation
from spanloom.storage.runs.rows import encode_record
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.started_server import StartedServer

    from spanloom.core.ports.trajectories import Head, TrajectoryRecord
    from spanloom.storage.store import ClickHouseStore

pytestmark = pytest.mark.service

PROGRAM = "tests.support.reserving"
A_BATCH = 20
RUN_S = 3_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_server: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path_factory.mktemp("server") / "it", made=made_server) as started:
        yield started


@pytest.fixture
def stores(server: StartedServer) -> Iterator[list[ClickHouseStore]]:
    """Yield two stores on one server, as two extractors have them."""
    both = [open_store(server.url()) for _ in range(2)]
    yield both
    for store in both:
        store.close()


def reserve_at_once(server: StartedServer, keys: int) -> list[set[int]]:
    """Let two processes reserve the same builds; return the builds that each may write."""
    command = [sys.executable, "-m", PROGRAM, server.url(), str(keys), str(A_BATCH)]
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)  # our own
        for _ in range(2)
    ]
    try:
        for process in processes:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        return [set(json.loads(process.communicate(timeout=RUN_S)[0])) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.nightly
def test_of_two_processes_that_reserve_one_number_at_most_one_goes_on(
    server: StartedServer,
) -> None:
    first, second = reserve_at_once(server, keys=2_000)
    assert first & second == set()
    assert first | second, "at least one of them was never alone"


@pytest.mark.slow
@pytest.mark.timeout(RUN_S)
def test_of_two_processes_that_reserve_100_000_numbers_none_goes_on_beside_the_other(
    server: StartedServer,
) -> None:
    server.client().command("TRUNCATE TABLE trajectory_builds")
    first, second = reserve_at_once(server, keys=100_000)
    assert first & second == set()


def build(store: ClickHouseStore, key: TraceKey, spans: int) -> TrajectoryRecord:
    """Return the next build of a run, made from this number of spans."""
    head = store.trajectories.heads([key]).get(key)
    return make_record(
        key,
        make_trajectory(key, steps=[]),
        version=head.next_version if head else 1,
        previous=head,
        read=Read(spans, spans),
    )


def test_a_build_that_is_reserved_and_not_written_yet_has_its_number(
    stores: list[ClickHouseStore],
) -> None:
    quick, slow = stores
    key = TraceKey("reserved", "ab" * 16)
    dead = build(slow, key, spans=3)
    assert slow.trajectories._ledger is not None
    slow.trajectories._ledger.reserve([encode_record(dead)])
    after = build(quick, key, spans=3)
    assert (after.version, after.build.rank > dead.build.rank) == (dead.version + 1, True)
    assert list(after.before) == []
    assert quick.trajectories.write([after]) == {key}
    assert slow.trajectories.write([dead]) == set(), "it wakes"
    [line] = quick.runs.list(Reach.only(key.project), None, 10)
    assert line.version == after.version


def test_who_knew_less_than_a_reserved_build_waits_for_it(stores: list[ClickHouseStore]) -> None:
    quick, slow = stores
    key = TraceKey("reserved", "cd" * 16)
    whole = build(slow, key, spans=10)
    assert slow.trajectories._ledger is not None
    slow.trajectories._ledger.reserve([encode_record(whole)])
    assert quick.trajectories.write([build(quick, key, spans=5)]) == set()
    assert quick.documents.get(key.trace_id, Reach.only(key.project)) is None
    as_much = build(quick, key, spans=10)
    assert quick.trajectories.write([as_much]) == {key}


def confirm(head: Head, spans: int) -> Confirmation:
    """Return a build from this number of spans that has the same content as the stored one."""
    assert head.build is not None
    precedence = head.precedence._replace(read_mark=Read(spans, spans).mark)
    own = head.build._replace(rank=head.next_rank, precedence=precedence)
    return Confirmation(head.key, own, head.status, head.start_ns)


def test_who_read_less_than_a_confirmed_build_replaces_nothing(
    stores: list[ClickHouseStore],
) -> None:
    quick, slow = stores
    key = TraceKey("confirmed", "ab" * 16)
    assert quick.trajectories.write([build(quick, key, spans=3)]) == {key}
    late = build(slow, key, spans=5)
    head = quick.trajectories.heads([key])[key]
    assert quick.trajectories.confirm([confirm(head, spans=8)]) == set()
    assert slow.trajectories.heads([key])[key].read_mark == Read(8, 8).mark
    assert slow.trajectories.write([late]) == set()
    assert slow.trajectories.write([build(slow, key, spans=9)]) == {key}


def test_what_may_be_replaced_at_any_time_is_not_confirmed(stores: list[ClickHouseStore]) -> None:
    quick, slow = stores
    key = TraceKey("confirmed", "cd" * 16)
    assert quick.trajectories.write([build(quick, key, spans=3)]) == {key}
    head = quick.trajectories.heads([key])[key]
    late = replace(build(slow, key, spans=5), fingerprint="another")
    assert slow.trajectories._ledger is not None
    slow.trajectories._ledger.reserve([encode_record(late)])
    assert quick.trajectories.confirm([confirm(head, spans=8)]) == {key}
    again = quick.trajectories.heads([key])[key]
    assert again.reserved.rivals == [late.build.precedence], "its own confirmation changes nothing"


def test_who_was_overtaken_between_its_write_and_its_look_says_so(
    stores: list[ClickHouseStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick, slow = stores
    key = TraceKey("overtaken", "ef" * 16)
    write_rows = slow.trajectories._write_rows
    late = build(slow, key, spans=5)

    def write_late(current: object) -> None:
        assert quick.trajectories.write([build(quick, key, spans=5)]) == {key}
        write_rows(current)  # type: ignore[arg-type]  # as it came

    monkeypatch.setattr(slow.trajectories, "_write_rows", write_late)
    assert slow.trajectories.write([late]) == set()
    [line] = quick.runs.list(Reach.only(key.project), None, 10)
    assert line.version == 2
