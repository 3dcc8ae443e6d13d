"""Freed memory is reused, and the garbage collector runs again after a block without it."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys

import pytest

from spanloom.memory import without_collecting

BATCHES = """
import resource
from spanloom.memory import favour_speed

def batch():
    buffers = [b"x" * (24 << 20) for _ in range(3)]

favour_speed()
batch()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    batch()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
PAGES_OF_A_BATCH = 3 * (24 << 20) // 4096


@pytest.mark.service
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told to")
def test_the_pages_of_one_batch_serve_the_next() -> None:
    ran = subprocess.run([sys.executable, "-c", BATCHES], capture_output=True, check=True)
    assert int(ran.stdout) < PAGES_OF_A_BATCH


def test_the_collector_runs_again_after_a_block_without_it() -> None:
    is_on = []

    @without_collecting()
    def fail() -> None:
        is_on.append(gc.isenabled())
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [*is_on, gc.isenabled()] == [False, True]
