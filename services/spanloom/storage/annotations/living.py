"""Leaves out rows of deleted traces, where a query names no trace by which they could be found.

Readers can set no filter by query (``engine/lane.py``), so the deleted ones are looked for by key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.lane import Lane

T = TypeVar("T")


def living(lane: Lane, rows: Sequence[T], key_of: Callable[[T], TraceKey]) -> Sequence[T]:
    """Return the rows whose traces are not deleted."""
    deleted = lane.hiding.deleted_among(lane, {key_of(row) for row in rows})
    return [row for row in rows if key_of(row) not in deleted] if deleted else rows


def living_page(
    lane: Lane,
    read: Callable[[T | None], Sequence[T]],
    key_of: Callable[[T], TraceKey],
    limit: int,
) -> Sequence[T]:
    """Return up to ``limit`` rows; ``read`` gives as many behind a row, fewer at the end."""
    found: list[T] = []
    last: T | None = None
    while len(found) < limit:
        page = read(last)
        found += living(lane, page, key_of)
        if len(page) < limit:
            break
        last = page[-1]
    return found[:limit]
