"""Where keys are kept, as far as the keyring and those who administer keys need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key


class KeyStore(Protocol):
    """Keeps keys beside the store; several processes may have the same one open.

    Methods block. They raise ``StoreUnavailableError`` when the file or server does not answer.
    """

    def read_all(self) -> Sequence[Key]:
        """Return every key, revoked and expired ones included, in no particular order."""

    def add(self, key: Key) -> None:
        """Store a key; when this returns it survives a crash."""

    def revoke(self, key_id: str, at_ns: int) -> None:
        """Revoke a key, unless it is revoked already; an unknown id changes nothing."""

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """Set the time of the last use by key id; a later time that is known stays."""

    def close(self) -> None:
        """Close the file or connection."""
