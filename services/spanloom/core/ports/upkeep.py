"""Ports of a store's administration: upkeep, deletions, snapshots, quotas and API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key
    from spanloom.core.model.upkeep import Deletion, DeletionScope, Older, RetentionPlan


class Upkeep(Protocol):
    """Maintains the tables of a store and their retention; only the keeper uses this port."""

    def migrate(self) -> Sequence[str]:
        """Apply the migrations that the store lacks; return their names.

        On a server that has tables it only adds tables and columns: ``finish_upgrade`` does the
        rest. If it is killed at any statement, the next call continues there. Raises
        ``SchemaTooNewError``, ``SchemaTooOldError``, ``SchemaChangedError``, or
        ``MigrationUnderWayError`` while another process migrates.
        """

    def finish_upgrade(self, quiet_s: float) -> Sequence[str]:
        """End an upgrade if no older release has worked for ``quiet_s``; return applied migrations.

        From then on older releases are refused. It does nothing if no upgrade is in progress.
        Raises the same errors as ``migrate``.
        """

    def awaited(self) -> Older | None:
        """Return when an older release last worked; ``None`` if no upgrade is in progress."""

    def now_ns(self) -> int:
        """Return the time of the store's clock, in ns since the epoch."""

    def broken_parts(self) -> int:
        """Return how many parts of tables are detached as unreadable, as far as is known."""

    def set_retention(self, plan: RetentionPlan) -> None:
        """Configure the tables to expire the rows that no project retains any longer.

        Does nothing, and rewrites no table, if they are already so configured.
        """

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """Exempt annotated trajectories from retention, or stop that; return how many rows changed.

        Call it before ``set_retention`` and ``remove_expired``, and repeatedly over time.
        """

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """Remove the expired rows of projects with shorter terms; return how many rows it removed.

        Terms count in whole days (UTC), so it removes rows once a day at most.
        """

    def newest_deletion(self) -> str:
        """Return the id of the newest requested deletion; empty if there is none."""

    def remove_deleted(self, over_before_ns: int) -> int:
        """Remove every row of deleted traces from every table; return how many rows there were.

        This ends deletions requested before ``over_before_ns``: spans that arrive for their traces
        afterwards are stored like any other. A trace that showed a deleted part of a run is due
        again, even if the process that deleted it died during the deletion.
        """

    def remove_datasets(self, before_us: int) -> int:
        """Remove the rows of datasets that were deleted before a time; return how many datasets.

        The time is in microseconds since the epoch; it leaves time for writes that were in progress
        when a dataset was deleted.
        """

    def close(self) -> None:
        """Release the store."""


class SnapshotTaker(Protocol):
    """Takes snapshots of the store that the process has open."""

    def take(self) -> int:
        """Replace the previous snapshot by a snapshot of all current tables; return their number.

        It has every row whose INSERT has returned, and all or no rows of an INSERT in progress.
        Raises ``NotEmbeddedError`` for a server, ``StoreUnavailableError`` if it fails.
        """


class UsageReader(Protocol):
    """Reads how many bytes are stored, from all senders and collectors."""

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """Return the stored bytes by project, of the largest ``limit`` projects at most."""


class Extent(NamedTuple):
    """The number of traces and spans that a deletion removes."""

    traces: int
    spans: int
    """How many spans have arrived for these traces, including repeats."""


class DeletionLedger(Protocol):
    """Hides traces, and records who requested their deletion."""

    def now_ns(self) -> int:
        """Return the time of the store's clock, in ns since the epoch; it is the time of deletions.

        Raises ``StoreUnavailableError``.
        """

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """Return how many traces and spans a deletion of this scope would remove now."""

    def delete(self, deletion: Deletion) -> Deletion:
        """Delete the traces in scope, and return the deletion with its counts.

        On return, no method of the store returns any data of these traces, and spans that arrive
        for them later stay hidden until the keeper ends the deletion. The deletion includes spans
        that were accepted before it and are not stored yet, except that only extracted traces are
        known to belong to a conversation. A new trace of a deleted project is stored. If part of a
        run was deleted, the trace that shows the run is due again; until it is built, its document
        still has the part.
        """

    def list(self, limit: int) -> Sequence[Deletion]:
        """Return up to ``limit`` deletions as last recorded, newest first."""


class KeyStore(Protocol):
    """Stores API keys next to the store; several processes may open it at the same time.

    Methods block. They raise ``StoreUnavailableError`` when the file or server does not answer.
    """

    def read_all(self) -> Sequence[Key]:
        """Return every key, including revoked and expired keys, in no particular order."""

    def add(self, key: Key) -> None:
        """Store a key; on return it survives a crash."""

    def revoke(self, key_id: str, at_ns: int) -> None:
        """Revoke a key; does nothing for an unknown or already revoked id."""

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """Set the time of the last use by key id; a later recorded time stays."""

    def close(self) -> None:
        """Close the file or connection."""
