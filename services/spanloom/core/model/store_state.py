"""The state of a store, as ``spanloom doctor`` examines it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class DetachedPart(NamedTuple):
    """A detached part of a table: its rows are not read."""

    table: str
    name: str
    reason: str
    """Why ClickHouse detached it, such as ``broken-on-start``; empty if a person did."""
    size: int
    """Bytes."""


class Mutation(NamedTuple):
    """A ClickHouse mutation that is still running."""

    table: str
    seconds: int
    """Seconds since it began."""
    error: str
    """Error of its latest attempt; empty if that did not fail."""


class FailedTrace(NamedTuple):
    """A trace whose latest extraction failed; it will be retried."""

    project: str
    trace_id: str
    attempts: int
    """Consecutive failed attempts."""
    error: str


class AppliedFile(NamedTuple):
    """A schema file that was applied, or that this release contains."""

    name: str
    checksum: str


@dataclass(frozen=True, slots=True)
class StoreState:
    """The state that a store reports; ``None`` where account or schema do not allow reading it."""

    engine: str
    """The version of ClickHouse."""
    clock_ns: int
    """The store's own time, ns since the epoch."""
    migrate_command: str
    """The command that upgrades its schema."""
    applied: Mapping[int, AppliedFile]
    shipped: Mapping[int, AppliedFile]
    has_lost_ledger: bool
    """Whether there are tables, but no list of the applied migrations."""
    is_before_baseline: bool
    """Whether it was made before 0.1.0, the first release."""
    parts_bytes: int | None
    """Size of its parts on disk."""
    detached: Sequence[DetachedPart] | None
    mutations: Sequence[Mutation] | None
    deleted_rows: int | None
    """Rows of deleted traces that the keeper has not removed yet; hidden from all readers."""
    quarantined: Sequence[FailedTrace] | None
    """Traces whose latest extraction failed, up to ``MAX_QUARANTINED``."""


MAX_QUARANTINED = 1_000
