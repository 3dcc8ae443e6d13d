"""The input of ``spanloom doctor`` (state of the store, dead letters), and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.upkeep import Older


class FindingStatus(StrEnum):
    """How a check ended, the worst last."""

    SKIPPED = "skipped"
    """The check could not be made; ``found`` says why."""
    OK = "ok"
    WARNING = "warning"
    """It works, but may stop working or differs from what was probably intended."""
    PROBLEM = "problem"
    """Something does not work, or acknowledged data is not where it belongs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    """Name of the check, for example ``disk``."""
    status: FindingStatus
    found: str
    """What was found, numbers with their units; one line."""
    todo: str = ""
    """What to do, with the exact command; empty if nothing is to be done."""


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


class UnpricedModel(NamedTuple):
    """A model whose calls have tokens and no price, so that the cost of their runs is unknown."""

    name: str
    """As telemetry reports it; empty if it does not."""
    calls: int
    runs: int


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
    unpriced: Sequence[UnpricedModel] | None = ()
    """Models without a price, by calls stored in the last 30 days, up to ``MAX_UNPRICED``."""
    upgrade: Older | None = None
    """When an older release was last at work, if an upgrade is under way."""
    is_embedded: bool = True
    living: Mapping[str, int] | None = None
    """How many processes have a heartbeat, by what they do (``collect``, ``extract``, …)."""
    refused_hosts: Sequence[str] = ()
    """A sentence for each host of a server that cannot be used."""


MAX_QUARANTINED = 1_000
MAX_UNPRICED = 100


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter without its body."""

    seq: int
    """The sequence number under which it was accepted; identifies it in every command."""
    project: str
    accepted_at_ns: int
    span_count: int
    size: int
    """Bytes that count towards the spool's size limit."""
    signal: str
    reason: str
    """The store's error message."""
