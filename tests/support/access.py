"""Access control for tests: open as on loopback without keys, or closed with in-memory keys."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tests.support.memory_keys import MemoryKeys

from spanloom.access.authenticate import Access, Authenticator, Keyring
from spanloom.access.keys import KeyAdministration
from spanloom.core.model.access import Scope


@dataclass
class Locks:
    """In-memory keys, and the access control that uses them."""

    store: MemoryKeys = field(default_factory=MemoryKeys)
    is_open: bool = True

    def __post_init__(self) -> None:
        self.keyring = Keyring(self.store)
        authenticator = Authenticator(self.keyring, open_without_keys=self.is_open)
        self.access = Access(authenticator, KeyAdministration(self.store))

    def make(self, project: str, *scopes: Scope, expires_ns: int | None = None) -> str:
        """Create a key that is valid at once; without ``scopes`` it has all scopes."""
        made = self.access.keys.create(project, scopes or set(Scope), expires_ns)
        self.keyring.refresh()
        return made.text

    def make_expired(self, project: str) -> str:
        """Create a key that expired a minute ago."""
        ago_ns = time.time_ns() - 60 * 10**9
        keys = KeyAdministration(self.store, lambda: ago_ns)
        made = keys.create(project, set(Scope), ago_ns + 10**9)
        self.keyring.refresh()
        return made.text

    def revoke(self, key: str) -> None:
        """Revoke a key by its text, at once."""
        self.access.keys.revoke(key.split("_")[1])
        self.keyring.refresh()


def open_access() -> Access:
    """Return access control without any key."""
    return Locks().access
