"""Deleting traces: hidden from every reader at once, removed by the keeper, and recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.upkeep import Deletion, DeletionScope


class Extent(NamedTuple):
    """How much a deletion removes."""

    traces: int
    spans: int
    """How many spans have arrived of them, repeats included."""


class DeletionLedger(Protocol):
    """Hides traces, and records who requested it."""

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """Return how much a deletion of this scope would remove now."""

    def delete(self, deletion: Deletion) -> Deletion:
        """Delete what is in scope, and return the deletion with its counts.

        When this returns, no method of the store returns anything of these traces any more, and
        spans that arrive for them later stay hidden until the keeper ends the deletion. Spans
        accepted before the deletion and not stored yet belong to it, except that a conversation is
        known only by what was extracted. A new trace of a deleted project is stored.
        """

    def list(self, limit: int) -> Sequence[Deletion]:
        """Return up to ``limit`` deletions as last recorded, newest first."""
