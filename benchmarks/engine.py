"""Uses the embedded engine without Spanloom: waits for merges, writes stored rows to files."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import clickhouse_connect

from spanloom.storage.engine.settings import COMMON_SETTINGS
from spanloom.storage.engine.statements import migrations
from spanloom.storage.spans.store import ClickHouseSpans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clickhouse_connect.driver.client import Client

    from spanloom.core.ports.spans import SpooledRequest

_POLL_S = 0.1
_BARE_TABLE = "CREATE TABLE IF NOT EXISTS otel_traces\n"

ONE_BATCH = """
SELECT * FROM otel_traces WHERE RowVersion BETWEEN {first:UInt64} AND {last:UInt64}
ORDER BY RowVersion, cityHash64(TraceId), EndTimeUnixNano
"""


class Batch(NamedTuple):
    """The rows stored by one INSERT."""

    first_seq: int
    last_seq: int
    span_count: int


@contextmanager
def open_engine(path: Path) -> Iterator[Client]:
    """Connect as Spanloom does, with one thread; a process may have a second connection."""
    client = clickhouse_connect.get_client(interface="chdb", path=str(path))
    try:
        for name, value in {**COMMON_SETTINGS, "max_threads": 1}.items():
            client.set_client_setting(name, value)
        yield client
    finally:
        client.close()


def wait_for_merges(client: Client, quiet_s: float) -> None:
    """Return once no merge has run for ``quiet_s`` seconds."""
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < quiet_s:
        time.sleep(_POLL_S)
        if client.query("SELECT count() FROM system.merges").result_rows[0][0]:
            quiet_since = time.monotonic()


@contextmanager
def noting_batches() -> Iterator[list[Batch]]:
    """Record every ``append`` of this process's stores once it has returned."""
    noted: list[Batch] = []
    append = ClickHouseSpans.append

    def noting(spans: ClickHouseSpans, requests: Sequence[SpooledRequest]) -> None:
        append(spans, requests)
        count = sum(request.span_count for request in requests)
        noted.append(Batch(requests[0].seq, requests[-1].seq, count))

    with patch.object(ClickHouseSpans, "append", noting):
        yield noted


def dump_batches(client: Client, batches: Sequence[Batch], folder: Path) -> None:
    """Write the rows of each batch to a file, in Native format and in their original order."""
    for n, batch in enumerate(batches):
        bounds = {"first": batch.first_seq, "last": batch.last_seq}
        data = client.raw_query(ONE_BATCH, parameters=bounds, fmt="Native")
        (folder / f"{n:04}.native").write_bytes(data)


def create_bare_table(client: Client) -> None:
    """Create ``otel_traces`` without anything else: no decoder, no other table to fill."""
    statements = migrations()[0].statements
    client.command(next(text for text in statements if _BARE_TABLE in text))
