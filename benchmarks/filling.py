"""A store with spans in it, as the writer would have left it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchmarks.engine import open_engine, wait_for_merges
from benchmarks.load import read_requests
from spanloom.collector.limits import Limits
from spanloom.collector.validate import validate_request
from spanloom.core.ports import SpooledRequest
from spanloom.storage.connect import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

BATCH_BYTES = 32 << 20
AGE_S = 3600
"""Accepted that long ago: every trace is due."""


def fill_store(store_path: Path, requests_path: Path, quiet_s: float) -> int:
    """Store the requests in the batches of the default settings; give how many spans they hold."""
    store, count = open_store(f"chdb://{store_path}"), 0
    for batch in _cut(_accept(read_requests(requests_path))):
        store.append(batch)
        count += sum(request.span_count for request in batch)
    with open_engine(store_path) as db:
        wait_for_merges(db, quiet_s)
    store.close()
    return count


def _accept(requests: Iterable[bytes]) -> Iterator[SpooledRequest]:
    limits, accepted_us = Limits(), (time.time_ns() - AGE_S * 10**9) // 1000
    for n, body in enumerate(requests):
        valid = validate_request(body, limits)
        seq = accepted_us + n
        yield SpooledRequest(seq, "", seq * 1000, valid.body, valid.span_count)


def _cut(requests: Iterable[SpooledRequest]) -> Iterator[Sequence[SpooledRequest]]:
    batch: list[SpooledRequest] = []
    size = 0
    for request in requests:
        if batch and size + len(request.body) > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(request)
        size += len(request.body)
    if batch:
        yield batch
