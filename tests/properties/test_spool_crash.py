"""A process killed at any moment leaves every acknowledged request in its spool, once."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service

PUT_FOR_EVER = """
import sys, threading
from pathlib import Path
from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

spool = Spool(Path(sys.argv[1]), 1 << 40, Metrics())
lock = threading.Lock()

def put(thread):
    n = 0
    while True:
        body = b"%s/%d/%d;" % (sys.argv[2].encode(), thread, n)
        seq = spool.put("", body * (1 + n % 3000), 1)
        with lock:
            sys.stdout.buffer.write(b"%d %s\\n" % (seq, body))
            sys.stdout.buffer.flush()
        n += 1

for thread in range(4):
    threading.Thread(target=put, args=(thread,)).start()
"""
ROUNDS = 4


def put_until_killed(path: Path, name: str, after_s: float) -> list[tuple[int, bytes]]:
    """Return the acknowledged sequence numbers and requests, as the killed process printed them."""
    process = subprocess.Popen(
        [sys.executable, "-c", PUT_FOR_EVER, str(path), name], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(after_s)
    process.send_signal(signal.SIGKILL)
    lines = [first, *process.stdout.read().splitlines(keepends=True)]
    process.stdout.close()
    process.wait()
    whole = [line for line in lines if line.endswith(b"\n")]  # the last one may be cut
    return [(int(seq), body) for seq, body in (line.split() for line in whole)]


@pytest.mark.parametrize("seed", [1, 2])
def test_acknowledged_requests_survive_kills(tmp_path: Path, seed: int) -> None:
    delays = random.Random(seed)
    path = tmp_path / "spool.sqlite"
    acknowledged: dict[int, bytes] = {}
    for number in range(ROUNDS):
        told = put_until_killed(path, str(number), delays.uniform(0, 0.3))
        assert told
        assert not acknowledged or min(seq for seq, _ in told) > max(acknowledged)
        acknowledged |= dict(told)
    spool = Spool(path, 1 << 40, Metrics())
    stored = spool.read_batch(1 << 40)
    spool.close()
    seqs = [record.seq for record in stored]
    assert seqs == sorted(set(seqs))
    bodies = {record.seq: record.body[: record.body.index(b";") + 1] for record in stored}
    assert len(set(bodies.values())) == len(bodies), "a request is there twice"
    assert {seq: bodies.get(seq) for seq in acknowledged} == acknowledged
