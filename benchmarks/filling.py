"""Fills a store with spans as the writer does."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from benchmarks.engine import dump_batches, noting_batches, open_engine, wait_for_merges
from benchmarks.load import read_requests
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.validate import validate_request
from spanloom.core.ports.spans import SpooledRequest
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

BATCH_BYTES = 32 << 20
AGE_S = 3600
"""Age of the requests in seconds, so that every trace is due."""


def fill_store(
    store_path: Path, requests_path: Path, quiet_s: float, rows_folder: Path | None = None
) -> int:
    """Store the requests in the batches of the default settings; return the number of spans.

    The rows of each batch are written to a file in ``rows_folder``, if there is one.
    """
    store = open_store(make_store(store_path))
    with noting_batches() as batches, open_engine(store_path) as db:
        for batch in batches_of(requests_path):
            store.spans.append(batch)
        wait_for_merges(db, quiet_s)
        if rows_folder is not None:
            dump_batches(db, batches, rows_folder)
    store.close()
    return sum(batch.span_count for batch in batches)


def make_store(path: Path) -> str:
    """Create an empty store at a path, and return its URL."""
    url = f"chdb://{path}"
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    return url


def batches_of(requests_path: Path) -> Iterator[Sequence[SpooledRequest]]:
    """Yield the requests in batches, as the writer stores them with the default settings."""
    return _cut(_accept(read_requests(requests_path)))


def fill_server(url: str, requests_path: Path) -> int:
    """Store the requests in a database of a server; return the number of spans."""
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    spans = 0
    with closing(open_store(url)) as store:
        for batch in batches_of(requests_path):
            store.spans.append(batch)
            spans += sum(request.span_count for request in batch)
    return spans


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
