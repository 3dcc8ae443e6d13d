"""The port of the key store, for the keyring and for the administration of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Key


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
