"""F3: after a power loss at any moment the spool holds every acknowledged request, and no other.

The spool and SQLite are real; only the disk is a model (``tests/support/power_loss.py``). By
default the short test runs; ``pytest -m slow tests/faults`` runs the long one.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.support.examples import examples
from tests.support.power_loss import Image, lose_power, read_image, write_image

from spanloom.collector.spool.bound import RECORD_BYTES
from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

ROOM = 1 << 40
MEMORY = Path("/dev/shm")  # noqa: S108  # a disk is what is modelled
seeds = st.integers(0, 1 << 32)
sizes = st.sampled_from([0, 1, 500, 70_000, 200_000])


class SpoolOnAFailingDisk(RuleBasedStateMachine):
    """A state machine that compares the spool after power losses with what it acknowledged."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.life = 0
        self.kept: dict[int, bytes] = {}
        self.aside: dict[int, bytes] = {}
        self.number = 0
        self.highest = 0
        self._open({})

    @rule(size=sizes)
    def put(self, size: int) -> None:
        body = self._body(size)
        seq = self.spool.put("", body, 1)
        assert seq > self.highest
        self.highest = seq
        self.kept[seq] = body

    @precondition(lambda self: self.kept)
    @rule(count=st.integers(1, 3))
    def delete_the_oldest(self, count: int) -> None:
        gone = sorted(self.kept)[:count]
        self.spool.delete(gone)
        for seq in gone:
            del self.kept[seq]

    @precondition(lambda self: self.kept)
    @rule()
    def set_one_aside(self) -> None:
        seq = min(self.kept)
        self.spool.set_aside(seq, "refused")
        self.aside[seq] = self.kept.pop(seq)

    @rule()
    def checkpoint(self) -> None:
        """Make a checkpoint, after which the log is overwritten from its beginning."""
        self.spool._writing.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()

    @rule(seed=seeds)
    def lose_power_when_quiet(self, seed: int) -> None:
        image = read_image(self._folder())
        self._crash(lose_power(image, image, Random(seed)), {})

    @rule(size=sizes, seed=seeds)
    def lose_power_during_a_put(self, size: int, seed: int) -> None:
        """The unanswered request may be stored or not, but never in part."""
        synced = read_image(self._folder())
        body = self._body(size)
        seq = self.spool.put("", body, 1)
        self._crash(lose_power(synced, read_image(self._folder()), Random(seed)), {seq: body})

    @precondition(lambda self: self.kept)
    @rule(seed=seeds)
    def lose_power_during_a_delete(self, seed: int) -> None:
        """The request may be gone or come again, because the store already has it."""
        synced = read_image(self._folder())
        seq = min(self.kept)
        self.spool.delete([seq])
        maybe = {seq: self.kept.pop(seq)}
        self._crash(lose_power(synced, read_image(self._folder()), Random(seed)), maybe)

    @rule(seed=seeds)
    def lose_power_during_a_checkpoint(self, seed: int) -> None:
        synced = read_image(self._folder())
        self.spool._writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._crash(lose_power(synced, read_image(self._folder()), Random(seed)), {})

    @rule(seed=seeds)
    def lose_power_while_free_pages_are_dropped(self, seed: int) -> None:
        synced = read_image(self._folder())
        self.spool._committer.submit(self.spool._drop_free_pages).result()
        self._crash(lose_power(synced, read_image(self._folder()), Random(seed)), {})

    @rule(seed=seeds)
    def lose_power_while_the_log_is_cut_off(self, seed: int) -> None:
        """Nothing is lost, because the content of the log is already in the file and synced."""
        while self.spool._committer.submit(self.spool._drop_free_pages).result():
            pass
        self.spool._writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        synced = read_image(self._folder())
        self.spool.shrink(0)
        self._crash(lose_power(synced, read_image(self._folder()), Random(seed)), {})

    def teardown(self) -> None:
        self.spool.close()
        shutil.rmtree(self.root)

    def _body(self, size: int) -> bytes:
        self.number += 1
        return b"%d/" % self.number + b"x" * size

    def _folder(self) -> Path:
        return self.root / str(self.life)

    def _open(self, image: Image) -> None:
        write_image(self._folder(), image)
        self.spool = Spool(self._folder() / "spool.sqlite", ROOM, Metrics())

    def _crash(self, image: Image, maybe: dict[int, bytes]) -> None:
        """Reopen the spool from a disk image; assert that it has what was acknowledged."""
        self.spool.close()
        shutil.rmtree(self._folder())
        self.life += 1
        self._open(image)
        found = {request.seq: request.body for request in self.spool.read_batch(ROOM)}
        assert self.kept.items() <= found.items(), "acknowledged, and lost"
        assert found.items() <= (self.kept | maybe).items(), "never put"
        self.kept = found
        depth = self.spool.depth()
        size = sum(len(body) + RECORD_BYTES for body in found.values())
        assert (depth.records, depth.bytes) == (len(found), size)
        with sqlite3.connect(self._folder() / "spool.sqlite") as reader:
            rows = reader.execute("SELECT seq, body FROM dead_letters").fetchall()
        reader.close()
        assert dict(rows) == self.aside


def run(count: int) -> None:
    run_state_machine_as_test(
        SpoolOnAFailingDisk,
        settings=settings(max_examples=count, stateful_step_count=12, deadline=None),
    )


def test_every_acknowledged_request_survives_power_losses() -> None:
    run(examples(100))


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_every_acknowledged_request_survives_20000_runs_of_power_losses() -> None:
    run(20_000)
