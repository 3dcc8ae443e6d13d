"""The disk space of a span, measured from outside: sent, extracted, indexed, merged."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.apart import run_apart
from benchmarks.engine import open_engine, wait_for_merges
from benchmarks.load import send_all, write_requests
from benchmarks.report import Row, at_most
from benchmarks.workload import TINY, make_requests
from spanloom.config.settings import Settings
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.process.roles import EVERYTHING
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from clickhouse_connect.driver.client import Client

    from benchmarks.scale import Scale

MAX_BYTES = 450.0
_LOOKS = 3
"""Multiple of ``Scale.quiet_s``, longer than the intervals of the extractor and the indexer."""
_WAIT_S = 600.0
_SHOWN = 6
DONE = """
SELECT (SELECT sum(SpanCount) FROM trajectories FINAL WHERE Status = 'settled'),
       (SELECT count() FROM step_texts), (SELECT count() FROM trajectories)
"""
SIZES = """
SELECT table, sum(bytes_on_disk) AS size FROM system.parts
WHERE active AND database = currentDatabase() GROUP BY table ORDER BY size DESC
"""
COLUMNS = """
SELECT table || '.' || column AS name, sum(column_data_compressed_bytes) AS size
FROM system.parts_columns WHERE active AND database = currentDatabase() AND part_type = 'Wide'
GROUP BY name ORDER BY size DESC LIMIT 12
"""


class Stored(NamedTuple):
    """The number of spans and the bytes on the disk, once nothing changes any more."""

    spans: int
    tables: Mapping[str, int]
    """Bytes of each table."""
    columns: Mapping[str, int]
    """Bytes of the largest columns."""


def measure_disk(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield one row: the bytes of all tables per span."""
    requests = list(make_requests(TINY, scale.kept_spans))
    write_requests(folder / "requests", requests)
    quiet_s = _LOOKS * scale.quiet_s
    stored = run_apart(keep, folder / "data", folder / "requests", scale.kept_spans, quiet_s)
    sent = sum(map(len, requests)) / stored.spans
    yield Row(
        "disk, merged: bytes a span",
        sum(stored.tables.values()) / stored.spans,
        at_most(MAX_BYTES),
        f"{stored.spans:,} spans of {sent:.0f} bytes; {_shares(stored, stored.tables, _SHOWN)}",
        _shares(stored, stored.columns, len(stored.columns)),
    )


def _shares(stored: Stored, sizes: Mapping[str, int], count: int) -> str:
    largest = list(sizes.items())[:count]
    return ", ".join(f"{name} {size / stored.spans:.0f}" for name, size in largest)


def keep(data: Path, requests: Path, spans: int, quiet_s: float) -> Stored:
    """Run the service while another process sends, until all is extracted, indexed and merged."""
    configure_logging("warning")
    favour_speed()
    settings = Settings(data_dir=data, otlp_grpc_port=0, otlp_http_port=0, api_port=0)
    with Service(settings, EVERYTHING) as service, open_engine(data / "store") as client:
        run_apart(send_all, "gRPC", service.addresses["otlp_grpc"], requests)
        kept = _wait_until_quiet(client, spans, quiet_s)
        wait_for_merges(client, quiet_s)
        return Stored(kept, _sizes(client, SIZES), _sizes(client, COLUMNS))


def _sizes(client: Client, query: str) -> Mapping[str, int]:
    """Return the bytes of tables or columns, keyed by name, the largest first."""
    return {str(name): int(size) for name, size in client.query(query).result_rows}


def _wait_until_quiet(client: Client, spans: int, quiet_s: float) -> int:
    """Return the number of spans of settled runs, once it is at least ``spans`` and constant."""
    until, before, since = time.monotonic() + _WAIT_S, None, time.monotonic()
    while time.monotonic() < until:
        (now,) = client.query(DONE).result_rows
        if now != before:
            before, since = now, time.monotonic()
        elif now[0] >= spans and time.monotonic() - since > quiet_s:
            return int(now[0])
        time.sleep(0.5)
    raise TimeoutError(f"the runs of {spans:,} spans are not all there after {_WAIT_S:g} s")
