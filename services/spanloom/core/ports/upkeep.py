"""What the keeper asks of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Upkeep(Protocol):
    """The tables of a store and how long they hold rows; nobody but the keeper has this."""

    def migrate(self) -> Sequence[str]:
        """Apply the schema files that the store lacks; return their names.

        Killed at any statement, the next call goes on where it was. Raises ``SchemaTooNewError``,
        ``SchemaChangedError``, or ``StartupError`` while another process migrates.
        """

    def set_retention(self, days: int) -> None:
        """Remove rows ``days`` after they were accepted or stored; 0 keeps them."""

    def close(self) -> None:
        """Release the store."""
