"""Ports of a store's administration: upkeep, deletions, snapshots, quotas and API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key
    from spanloom.core.model.upkeep import Deletion, DeletionScope, Older, RetentionPlan


class Upkeep(Protocol):
    """The tables of a store and how long they keep rows; only the keeper uses this port."""

    def migrate(self) -> Sequence[str]:
        """Apply the migrations that the store lacks; return their names.

        On a server that has tables it makes only what they add: ``finish_upgrade`` does the rest.
        If it is killed at any statement, the next call continues there. Raises
        ``SchemaTooNewError``, ``SchemaTooOldError``, ``SchemaChangedError``, or
        ``MigrationUnderWayError`` while another process migrates.
        """

    def finish_upgrade(self, quiet_s: float) -> Sequence[str]:
        """End an upgrade if no older release was at work for so long; return what was applied.

        From then on older releases are refused. Without an upgrade under way it does nothing.
        Raises as ``migrate``.
        """

    def awaited(self) -> Older | None:
        """Return when an older release was last at work; ``None`` if no upgrade is under way."""

    def now_ns(self) -> int:
        """Return the time of the store's clock, in ns since the epoch."""

    def broken_parts(self) -> int:
        """Return how many parts of tables are detached as unreadable, as far as is known."""

    def set_retention(self, plan: RetentionPlan) -> None:
        """Set the tables to expire the rows that no project keeps any longer.

        Does nothing, and rewrites no table, if they are set so already.
        """

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """Exempt annotated trajectories from retention, or end that; return how many rows changed.

        To be called before ``set_retention`` and ``remove_expired``, and repeatedly over time.
        """

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """Remove the expired rows of projects with shorter terms; return how many rows it removed.

        Counts in whole days (UTC), so that it has something to do once a day at most.
        """

    def newest_deletion(self) -> str:
        """Return the id of the newest requested deletion; empty without any."""

    def remove_deleted(self, over_before_ns: int) -> int:
        """Remove every row of deleted traces from every table; return how many there were.

        Deletions requested before ``over_before_ns`` end with that: spans that arrive later for
        their traces are stored like any other.
        A trace that showed a deleted part is due again, also if the process that deleted it ended
        on the way.
        """

    def remove_datasets(self, before_us: int) -> int:
        """Remove the rows of datasets that were deleted before a time; return how many datasets.

        The time is in microseconds since the epoch; it leaves time for writes that were under way
        when a dataset was deleted.
        """

    def close(self) -> None:
        """Release the store."""


class SnapshotTaker(Protocol):
    """Takes snapshots of the store that a process has open."""

    def take(self) -> int:
        """Replace the previous snapshot by one of all tables as they are now; return their number.

        It has every row whose INSERT has returned, and all or no rows of an INSERT under way.
        Raises ``NotEmbeddedError`` for a server, ``StoreUnavailableError`` if it fails.
        """


class UsageReader(Protocol):
    """Reads how much is stored, from every sender and collector."""

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """Return the stored bytes of projects, of the largest ``limit`` ones if there are more.

        Counts names, texts and attributes before compression, those of a resource once for each
        span; a span sent again counts again. Deleted or expired rows no longer count once the
        store has removed them. Cheap, however much is stored. Blocks; raises
        ``StoreUnavailableError``.
        """


class Extent(NamedTuple):
    """How much a deletion removes."""

    traces: int
    spans: int
    """How many spans have arrived of them, repeats included."""


class DeletionLedger(Protocol):
    """Hides traces, and records who requested it."""

    def now_ns(self) -> int:
        """Return the time of the store's clock, by which deletions are dated; ns since the epoch.

        Raises ``StoreUnavailableError``.
        """

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """Return how much a deletion of this scope would remove now."""

    def delete(self, deletion: Deletion) -> Deletion:
        """Delete what is in scope, and return the deletion with its counts.

        When this returns, no method of the store returns anything of these traces any more, and
        spans that arrive for them later stay hidden until the keeper ends the deletion. Spans
        accepted before the deletion and not stored yet belong to it, except that a conversation is
        known only by what was extracted. A new trace of a deleted project is stored. A trace that
        shows a run of which a part is deleted is due again: until it is built, its document has it.
        """

    def list(self, limit: int) -> Sequence[Deletion]:
        """Return up to ``limit`` deletions as last recorded, newest first."""


class KeyStore(Protocol):
    """Keeps API keys next to the store; several processes may have the same one open.

    Methods block. They raise ``StoreUnavailableError`` when the file or server does not answer.
    """

    def read_all(self) -> Sequence[Key]:
        """Return every key, revoked and expired ones included, in no particular order."""

    def add(self, key: Key) -> None:
        """Store a key; when this returns it survives a crash."""

    def revoke(self, key_id: str, at_ns: int) -> None:
        """Revoke a key; does nothing for an unknown or already revoked id."""

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """Set the time of the last use by key id; an already recorded later time stays."""

    def close(self) -> None:
        """Close the file or connection."""
