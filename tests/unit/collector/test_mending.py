"""A damaged spool is repaired once, even if interrupted (``tests/faults`` has further cases)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.collector.spool import mending
from spanloom.collector.spool.bound import RECORD_BYTES
from spanloom.collector.spool.spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.metrics import Metrics

ROOM, PAGE = 1 << 30, 65_536
BODIES = [b"%03d" % n + b"x" * 20_000 for n in range(30)]


def damaged_spool(path: Path, metrics: Metrics) -> list[int]:
    """Make a spool with one zeroed page of records and one dead letter; return the sequences."""
    spool = Spool(path, ROOM, metrics)
    seqs = [spool.put("shop", body, 1) for body in BODIES]
    spool.set_aside(seqs[0], "no")
    spool.close()
    content = bytearray(path.read_bytes())
    start = content.find(BODIES[15][:10]) // PAGE * PAGE
    content[start : start + PAGE] = bytes(PAGE)
    path.write_bytes(content)
    return seqs


@pytest.mark.parametrize("step", ["_write_mended", "_put_in_place", "_sync"])
def test_interrupted_mending_is_taken_up_again(
    step: str, tmp_path: Path, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    seqs = damaged_spool(tmp_path / "s", metrics)

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr(mending, step, dies)
        with pytest.raises(KeyboardInterrupt):
            Spool(tmp_path / "s", ROOM, metrics)
    for _ in range(2):  # the second start finds a sound file
        spool = Spool(tmp_path / "s", ROOM, metrics)
        found = {r.seq: r.body for r in spool.read_batch(ROOM)}
        assert found.items() <= dict(zip(seqs, BODIES, strict=True)).items()
        assert 26 <= len(found) < 29
        size = sum(len(body) + RECORD_BYTES for body in found.values())
        assert spool.depth()[:2] == (len(found), size)
        assert spool._durable.dead_bytes == len(BODIES[0]) + RECORD_BYTES
        spool.close()
    assert len(list(tmp_path.glob("s.damaged-*"))) == 1


def test_numbers_go_on_after_the_newest_ever_given(tmp_path: Path, metrics: Metrics) -> None:
    seqs = damaged_spool(tmp_path / "s", metrics)
    spool = Spool(tmp_path / "s", ROOM, metrics, clock_ns=lambda: 0)
    assert spool.put("shop", b"", 0) == seqs[-1] + 1
    spool.close()
