"""The state of a store, as an examination reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class DetachedPart(NamedTuple):
    """A part of a table that the engine has put aside: its rows are not read."""

    table: str
    name: str
    reason: str
    """Why the engine did so, for example ``broken-on-start``; empty if a person did."""
    size: int
    """Bytes."""


class Mutation(NamedTuple):
    """A change of stored rows that is still under way."""

    table: str
    seconds: int
    """How long ago it began."""
    error: str
    """Why its newest attempt failed; empty if it did not."""


class FailedTrace(NamedTuple):
    """A trace whose newest attempt to build it failed; it is tried again."""

    project: str
    trace_id: str
    attempts: int
    """Failed attempts in a row."""
    error: str


class AppliedFile(NamedTuple):
    """A schema file that was applied, or that this version ships."""

    name: str
    checksum: str


@dataclass(frozen=True, slots=True)
class StoreState:
    """What a store tells of itself; ``None`` is what the account or the schema keeps secret."""

    engine: str
    """The version of ClickHouse."""
    clock_ns: int
    """The store's own time, ns since the epoch."""
    migrate_command: str
    """What brings its schema up to date."""
    applied: Mapping[int, AppliedFile]
    shipped: Mapping[int, AppliedFile]
    has_lost_ledger: bool
    """Whether there are tables, and no list of the migrations that made them."""
    is_before_baseline: bool
    """Whether it was made before 0.1.0, the first release."""
    parts_bytes: int | None
    """What its parts take on disk."""
    detached: Sequence[DetachedPart] | None
    mutations: Sequence[Mutation] | None
    deleted_rows: int | None
    """Rows of deleted traces that the keeper has not removed yet; no reader sees them."""
    quarantined: Sequence[FailedTrace] | None
    """Traces whose newest attempt to build them failed, up to ``MAX_QUARANTINED``."""


MAX_QUARANTINED = 1_000
