"""Ports for the administration of a store: upkeep, deletions, snapshots, usage and API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key
    from spanloom.core.model.upkeep import Deletion, DeletionScope, Older, RetentionPlan


class Upkeep(Protocol):
    """Migrates tables, applies retention, removes deleted rows; only the keeper uses this port."""

    def migrate(self) -> Sequence[str]:
        """Apply the migrations that the store lacks; return their names.

        On a server that already has tables it only adds tables and columns; ``finish_upgrade`` does
        the rest. If the process is killed, the next call continues at the interrupted statement.
        Raises ``SchemaTooNewError``, ``SchemaTooOldError``, ``SchemaChangedError``, or
        ``MigrationUnderWayError`` while another process migrates.
        """

    def finish_upgrade(self, quiet_s: float) -> Sequence[str]:
        """End an upgrade if no process of an older release has been active for ``quiet_s`` seconds.

        Returns the names of applied migrations. From then on older releases are refused. Does
        nothing if no upgrade is in progress. Raises the same errors as ``migrate``.
        """

    def awaited(self) -> Older | None:
        """Return when an older release was last active; ``None`` if no upgrade is in progress."""

    def now_ns(self) -> int:
        """Return the time on the store's clock, in ns since the epoch."""

    def broken_parts(self) -> int:
        """Return the known number of table parts that ClickHouse detached as unreadable."""

    def set_retention(self, plan: RetentionPlan) -> None:
        """Set the TTL of the tables to the longest retention period of any project.

        Does nothing, and rewrites no table, if the TTL is already set so.
        """

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """Exempt annotated trajectories from retention, or end the exemption, as in ``plan``.

        Returns how many rows changed. Call it before ``set_retention`` and ``remove_expired``, and
        repeatedly over time.
        """

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """Remove expired rows of projects with shorter retention periods; return their number.

        Retention periods are in whole days (UTC), so rows are removed at most once a day.
        """

    def newest_deletion(self) -> str:
        """Return the id of the newest requested deletion; empty if there is none."""

    def remove_deleted(self, over_before_ns: int) -> int:
        """Remove all rows of deleted traces from all tables; return how many rows there were.

        This ends deletions requested before ``over_before_ns``: spans that arrive afterwards for
        their traces are stored as usual. If a deleted trace belonged to a run of several traces,
        its home trace is due again, even if the process that deleted it died meanwhile.
        """

    def remove_datasets(self, before_us: int) -> int:
        """Remove the rows of datasets that were deleted before a time; return how many datasets.

        ``before_us``, in µs since the epoch, must be so early that writes which were in progress
        when a dataset was deleted have ended.
        """

    def close(self) -> None:
        """Close the connection to the store; no other method may be called afterwards."""


class SnapshotTaker(Protocol):
    """Takes snapshots of the store that the process has open."""

    def take(self) -> int:
        """Replace the previous snapshot by a snapshot of all current tables; return their number.

        The snapshot has every row whose INSERT has returned, and all or no rows of an INSERT in
        progress. Raises ``NotEmbeddedError`` for a server, ``StoreUnavailableError`` on failure.
        """


class UsageReader(Protocol):
    """Reads how many bytes are stored, from all senders and collectors."""

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """Return the stored bytes, keyed by project, of at most the ``limit`` largest projects."""


class Extent(NamedTuple):
    """The number of traces and spans that a deletion removes."""

    traces: int
    spans: int
    """How many spans have arrived for these traces; spans sent again count again."""


class DeletionLedger(Protocol):
    """Hides traces, and records who requested their deletion."""

    def now_ns(self) -> int:
        """Return the time on the store's clock, which deletions record, in ns since the epoch.

        Raises ``StoreUnavailableError``.
        """

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """Return how many traces and spans a deletion of this scope would remove now."""

    def delete(self, deletion: Deletion) -> Deletion:
        """Delete the traces in scope, and return the deletion with its counts.

        On return, no method of the store returns any data of these traces, and spans that arrive
        for them later stay hidden until the keeper ends the deletion. The deletion includes spans
        that were accepted before it and are not stored yet; but if a conversation is deleted, only
        its extracted traces are known. A new trace in a deleted project is stored as usual. If one
        of several traces of a run was deleted, the home trace of the run is due again; until it is
        built, its document still has the deleted steps.
        """

    def list(self, limit: int) -> Sequence[Deletion]:
        """Return up to ``limit`` deletions as last recorded, newest first."""


class KeyStore(Protocol):
    """Stores API keys; several processes may use it at the same time.

    Methods block, and raise ``StoreUnavailableError`` if the file or server cannot be read.
    """

    def read_all(self) -> Sequence[Key]:
        """Return every key, including revoked and expired keys, in no particular order."""

    def add(self, key: Key) -> None:
        """Store a key; on return it survives a crash."""

    def revoke(self, key_id: str, at_ns: int) -> None:
        """Revoke a key; does nothing for an unknown or already revoked id."""

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """Set the time of the last use for each key id, unless a later time is recorded."""

    def close(self) -> None:
        """Close the file or connection."""
