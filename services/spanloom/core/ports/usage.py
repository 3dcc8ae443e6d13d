"""What the quotas ask of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class UsageReader(Protocol):
    """Tells how much is stored, whoever sent it and through which collector."""

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """Return the stored bytes of projects, of the largest ``limit`` ones if there are more.

        Names, texts and attributes before compression, those of a resource once for each span; a
        span that was sent again counts again. What was deleted or has expired no longer counts
        once the store has removed it. Cheap, however much is stored. Blocks; raises
        ``StoreUnavailableError``.
        """
