"""Reads a store's state for ``spanloom doctor``: versions, schema, parts, mutations, failures."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError
from spanloom.core.model.diagnosis import (
    MAX_QUARANTINED,
    MAX_UNPRICED,
    AppliedFile,
    DetachedPart,
    FailedTrace,
    Mutation,
    StoreState,
    UnpricedModel,
)
from spanloom.core.ports.workers import LIVING_S
from spanloom.storage.deletions.hiding import OF_TRACES
from spanloom.storage.engine.connect import (
    is_embedded,
    migrate_command,
    open_unchecked,
    refused_hosts,
)
from spanloom.storage.engine.migrate import (
    awaited,
    checksum_of,
    has_lost_ledger,
    is_before_baseline,
    listed_migrations,
    missing_in,
)
from spanloom.storage.engine.statements import migrations
from spanloom.storage.engine.upgrading import listed_expansions

if TYPE_CHECKING:
    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


def diagnose(url: Where) -> StoreState:
    """Return the state of a store, whatever its schema, without changing it.

    Raises ``StartupError`` if the store cannot be opened, and ``StoreUnavailableError`` if it does
    not respond.
    """
    with closing(open_unchecked(url)) as connection:
        state = _state_of(connection, url)
    return replace(state, refused_hosts=list(map(str, refused_hosts(url))))


def _state_of(connection: Connection, url: Where) -> StoreState:
    [(engine, clock_ns)] = connection.rows("engine_state")
    shipped = {m.number: AppliedFile(m.name, checksum_of(m)) for m in migrations()}
    expanded, listed = listed_expansions(connection), listed_migrations(connection)
    added = {m.number: shipped[m.number] for m in missing_in(listed) if m.number in expanded}
    applied = {number: AppliedFile(*file) for number, file in listed.items()} | added
    sizes = _ask(connection, "parts_size")
    detached = _ask(connection, "detached")
    mutations = _ask(connection, "unfinished_mutations")
    is_current = applied == shipped  # otherwise our queries may not match the schema
    failed = _ask(connection, "quarantined", limit=MAX_QUARANTINED) if is_current else None
    unpriced = _ask(connection, "unpriced", limit=MAX_UNPRICED) if is_current else None
    living = _ask(connection, "living", living_s=LIVING_S) if is_current else None
    return StoreState(
        is_embedded=is_embedded(url),
        engine=engine,
        clock_ns=int(clock_ns),
        migrate_command=migrate_command(url),
        applied=applied,
        has_lost_ledger=has_lost_ledger(connection, listed),
        is_before_baseline=is_before_baseline(listed),
        shipped=shipped,
        parts_bytes=None if sizes is None else int(sizes[0][0]),
        detached=None if detached is None else [DetachedPart(*row) for row in detached],
        mutations=None if mutations is None else [Mutation(*row) for row in mutations],
        deleted_rows=_deleted_rows(connection) if is_current else None,
        quarantined=None if failed is None else list(map(_failed_trace, failed)),
        living=None if living is None else Counter(row.Kind for row in living),
        unpriced=None if unpriced is None else [UnpricedModel(*row) for row in unpriced],
        upgrade=awaited(connection) if added else None,
    )


def _ask(connection: Connection, name: str, **parameters: object) -> list[Row] | None:
    """Return the rows of a named query; ``None`` if it fails, for example for lack of rights."""
    try:
        return list(connection.rows(name, **parameters))
    except (PermanentError, RetryableError):
        return None


def _deleted_rows(connection: Connection) -> int | None:
    answers = [_ask(connection, "count_deleted_rows", table=table) for table in OF_TRACES]
    counts = [int(rows[0][0]) for rows in answers if rows is not None]
    return sum(counts) if len(counts) == len(answers) else None


def _failed_trace(row: Row) -> FailedTrace:
    return FailedTrace(row.Project, row.TraceId, row.Attempts, row.Error)
