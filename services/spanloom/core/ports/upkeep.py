"""Ports of the keeper, of backups and of quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.retention import RetentionPlan


class Upkeep(Protocol):
    """The tables of a store and how long they hold rows; nobody but the keeper has this."""

    def migrate(self) -> Sequence[str]:
        """Apply the migrations that the store lacks; return their names.

        Killed at any statement, the next call goes on where it was. Raises ``SchemaTooNewError``,
        ``SchemaTooOldError``, ``SchemaChangedError``, or ``StartupError`` while another process
        migrates.
        """

    def broken_parts(self) -> int:
        """Return how many pieces of tables cannot be read and are set aside, as far as is known."""

    def set_retention(self, plan: RetentionPlan) -> None:
        """Let tables empty themselves of what no project keeps any longer.

        Nothing is done, and no table rewritten, if they are set so already.
        """

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """Have retention leave annotated trajectories, or no longer; return how many rows changed.

        To be called before ``set_retention`` and ``remove_expired``, and again as time goes on.
        """

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """Remove what projects with shorter terms keep no longer; return how many rows it was.

        Counts in whole days (UTC), so that it has something to do once a day at most.
        """

    def newest_deletion(self) -> str:
        """Return the id of the newest deletion that was asked for; empty without any."""

    def remove_deleted(self, over_before_ns: int) -> int:
        """Remove every row of deleted traces from every table; return how many there were.

        Deletions asked for before ``over_before_ns`` end with that: what arrives of their traces
        later is stored like any other.
        """

    def close(self) -> None:
        """Release the store."""


class SnapshotTaker(Protocol):
    """Takes snapshots of the store that a process has open."""

    def take(self) -> int:
        """Hold all tables as they are now, in place of the snapshot before; return how many.

        Every row whose INSERT has returned is in it, and of an INSERT under way everything or
        nothing. Raises ``NotEmbeddedError`` for a server, ``StoreUnavailableError`` if it fails.
        """


class UsageReader(Protocol):
    """Tells how much is stored, whoever sent it and through which collector."""

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """Return the stored bytes of projects, of the largest ``limit`` ones if there are more.

        Names, texts and attributes before compression, those of a resource once for each span; a
        span that was sent again counts again. What was deleted or has expired no longer counts
        once the store has removed it. Cheap, however much is stored. Blocks; raises
        ``StoreUnavailableError``.
        """
