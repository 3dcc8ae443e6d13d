"""Announces changes of annotations, scores and queues in the change feed.

The feed row is written after the change. On a server a crash in between leaves the write without
an answer; the client tries again, and the row is written then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from spanloom.core.model.span import TraceKey


class Announcing(Protocol):
    """The part of the change feed that annotations, scores and queues need."""

    def telling(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.telling``."""
