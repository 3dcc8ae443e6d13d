"""The input of ``spanloom doctor`` (state of the store, dead letters), and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.upkeep import Older


class FindingStatus(StrEnum):
    """The result of a check; the worst is last."""

    SKIPPED = "skipped"
    """The check could not run; ``found`` gives the reason."""
    OK = "ok"
    WARNING = "warning"
    """The checked part works, but may stop working, or is probably not as intended."""
    PROBLEM = "problem"
    """Something does not work, or acknowledged data is missing from the store."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    """Name of the check, for example ``disk``."""
    status: FindingStatus
    found: str
    """The result in one line; numbers have units."""
    todo: str = ""
    """The action to take, with the exact command; empty if nothing has to be done."""


class DetachedPart(NamedTuple):
    """A detached part of a table, whose rows are not read."""

    table: str
    name: str
    reason: str
    """The reason why ClickHouse detached it, such as ``broken-on-start``; empty if a person did."""
    size: int
    """Size in bytes."""


class Mutation(NamedTuple):
    """A ClickHouse mutation that is still running."""

    table: str
    seconds: int
    """Seconds since the mutation began."""
    error: str
    """Error of its latest attempt; empty if this attempt did not fail."""


class FailedTrace(NamedTuple):
    """A trace whose latest extraction failed; it will be retried."""

    project: str
    trace_id: str
    attempts: int
    """Consecutive failed attempts."""
    error: str


class UnpricedModel(NamedTuple):
    """A model whose calls have tokens but no price, so that the cost of their runs is unknown."""

    name: str
    """The name in the telemetry; empty if it reports none."""
    calls: int
    runs: int


class AppliedFile(NamedTuple):
    """A schema file that was applied, or that this release contains."""

    name: str
    checksum: str


@dataclass(frozen=True, slots=True)
class StoreState:
    """The state of a store; ``None`` for values that the account or the schema cannot provide."""

    engine: str
    """The version of ClickHouse."""
    clock_ns: int
    """The store's clock, in ns since the epoch."""
    migrate_command: str
    """The command that upgrades the schema of the store."""
    applied: Mapping[int, AppliedFile]
    shipped: Mapping[int, AppliedFile]
    has_lost_ledger: bool
    """Whether there are tables, but no record of the applied migrations."""
    is_before_baseline: bool
    """Whether the store was made before 0.1.0, the first release."""
    parts_bytes: int | None
    """Size of the store's parts on disk, in bytes."""
    detached: Sequence[DetachedPart] | None
    mutations: Sequence[Mutation] | None
    deleted_rows: int | None
    """Rows of deleted traces, hidden from queries, that the keeper has not removed yet."""
    quarantined: Sequence[FailedTrace] | None
    """Traces whose latest extraction failed, up to ``MAX_QUARANTINED``."""
    unpriced: Sequence[UnpricedModel] | None = ()
    """Models without a price with calls stored in the last 30 days, up to ``MAX_UNPRICED``."""
    upgrade: Older | None = None
    """The last activity of an older release, if an upgrade is in progress."""
    is_embedded: bool = True
    living: Mapping[str, int] | None = None
    """Number of processes with a heartbeat, keyed by their role (``collect``, ``extract``, …)."""
    refused_hosts: Sequence[str] = ()
    """A message for each host of the server that cannot be used."""


MAX_QUARANTINED = 1_000
MAX_UNPRICED = 100


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter without its body."""

    seq: int
    """The sequence of the request, by which commands identify the dead letter."""
    project: str
    accepted_at_ns: int
    span_count: int
    size: int
    """Bytes that count towards the spool's size limit."""
    signal: str
    reason: str
    """The store's error message."""
