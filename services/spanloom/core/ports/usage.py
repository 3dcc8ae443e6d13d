"""Where it is kept how much each project has sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class UsageStore(Protocol):
    """Keeps accepted bytes by project and day (days since the epoch, UTC).

    Methods block. They raise ``StoreUnavailableError`` when the disk does not take data.
    """

    def add(self, day: int, sizes: Mapping[str, int]) -> None:
        """Add bytes by project to those of a day."""

    def totals(self, since_day: int) -> Mapping[str, int]:
        """Return the bytes of each project since a day, that one included; forget older days."""

    def close(self) -> None:
        """Close the file."""
