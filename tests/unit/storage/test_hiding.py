"""Deletions do not slow down other queries, however many traces were deleted."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.test_deletions import READS, deletion, fill

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope
from spanloom.storage.deletions.hiding import NEED_NO_SET
from spanloom.storage.engine.parameters import KEYS_PER_QUERY
from spanloom.storage.engine.statements import query_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.storage.engine.parameters import Row
    from spanloom.storage.store import ClickHouseStore

DELETED = 50_000
MANY = """
INSERT INTO deleted_traces
SELECT {project:String}, lower(hex(MD5(toString(number)))), {id:String}
FROM numbers({count:UInt64})
"""
COMPARISONS = {
    "progress.unextracted",
    "progress.overlooked",
    "progress.unfinished",
    "progress.quarantined",
    "replays.count_traces",
    "replays.traces_after",
    "stats.numbers",
    "stats.shapes",
    "experiments.counts",
}
"""Rare queries over all of history, which may also read all deletions."""


@pytest.fixture(scope="module")
def key(clickhouse_store: ClickHouseStore) -> Iterator[TraceKey]:
    """The only trace that is left of a project with very many deleted traces."""
    key = TraceKey("p-hiding", "a" * 32)
    scope = DeletionScope(Reach.only(key.project), trace_id="f" * 32)
    asked = clickhouse_store.deletions.delete(deletion(scope))
    client = clickhouse_store.connections.writer._client
    client.command(MANY, parameters={"project": key.project, "id": asked.id, "count": DELETED})
    fill(clickhouse_store, key)
    yield key
    client.command(f"ALTER TABLE deleted_traces DELETE WHERE DeletionId = '{asked.id}'")


@pytest.mark.parametrize("name", sorted(READS.keys() - COMPARISONS))
def test_a_trace_is_read_without_reading_what_is_deleted(
    clickhouse_store: ClickHouseStore, key: TraceKey, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No query contains a set of deleted traces, and a lookup of one trace reads few granules."""
    asked: list[tuple[str, dict[str, object]]] = []
    connections = (
        clickhouse_store.connections.worker,
        clickhouse_store.connections.reader,
        clickhouse_store.connections.asker,
    )
    for connection in connections:
        ask = connection._client.raw_query

        def noting(
            text: str,
            parameters: dict[str, object],
            fmt: str,
            ask: Callable[..., bytes] = ask,
        ) -> bytes:
            asked.append((text, parameters))
            return ask(text, parameters=parameters, fmt=fmt)

        monkeypatch.setattr(connection._client, "raw_query", noting)
    assert READS[name](clickhouse_store, key)
    looks = [(text, of) for text, of in asked if "deleted_traces" in text]
    assert looks, [text for text, _ in asked]
    for text, parameters in looks:
        client = clickhouse_store.connections.writer._client
        plan = client.query(f"EXPLAIN ESTIMATE {text}", parameters=parameters)
        assert [row[1] for row in plan.result_rows] in ([], ["deleted_traces"]), text
        assert sum(row[3] for row in plan.result_rows) <= DELETED / 10, text


def test_a_query_that_needs_no_set_is_there() -> None:
    assert query_files().keys() >= NEED_NO_SET.keys()


def test_the_deleted_ones_of_a_backlog_are_looked_for_in_pieces(
    clickhouse_store: ClickHouseStore, key: TraceKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one parameter, 30,000 keys took the engine 16 s; the time limit is 10 s."""
    strangers = [TraceKey("p-nobody", f"{number:032x}") for number in range(30_000)]
    gone = TraceKey(key.project, hashlib.md5(b"7", usedforsecurity=False).hexdigest())
    connection = clickhouse_store.connections.worker
    rows, sizes = connection.rows, []

    def noting(name: str, **parameters: Any) -> Iterator[Row]:
        sizes.append(len(parameters["traces"]))
        return rows(name, **parameters)

    monkeypatch.setattr(connection, "rows", noting)
    assert connection.hiding.deleted_among(connection, [*strangers, key, gone]) == {gone}
    assert sum(sizes) == 30_002
    assert max(sizes) <= KEYS_PER_QUERY
