"""The keys in memory, reloaded twice a second, so that no request waits for the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError, StartupError
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.model.access import Key
    from spanloom.core.ports.upkeep import KeyStore

POLL_S = 0.5
"""A key made or revoked by another process takes effect after this time."""
USE_S = 60.0
"""Interval in which the times of last use are written; requests do not wait for it."""


class Keyring(RepeatingPart):
    """Follows the keys of a store, between ``start`` and ``stop``.

    While the store is unavailable the keys read last stay valid; nothing can be revoked in it
    during that time either.
    """

    name = "keys"

    def __init__(
        self,
        store: KeyStore,
        *,
        poll_s: float = POLL_S,
        use_s: float = USE_S,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Use ``store``, which the caller closes."""
        super().__init__(poll_s)
        self._store = store
        self._use_s = use_s
        self._next_write_s = time.monotonic() + use_s
        self._now_ns = now_ns
        self._keys: Mapping[str, Key] = {}
        self._had_keys = False
        self._used_ns: dict[str, int] = {}

    @property
    def has_keys(self) -> bool:
        """Whether there are keys, usable or not.

        Once true, it stays true while the process runs, so that a service that required keys never
        becomes open by itself if the file or table of the keys is lost.
        """
        return self._had_keys

    def start(self) -> None:
        """Read the keys and follow their changes; raises ``StartupError`` if that fails."""
        try:
            self.refresh()
        except RetryableError as error:
            raise StartupError(f"the keys cannot be read: {error}") from error
        super().start()

    def stop(self, grace_s: float = 5.0) -> None:
        """Stop following, and write the times of last use."""
        super().stop(grace_s)
        self._attempt(self.write_uses)

    def find(self, key_id: str) -> Key | None:
        """Return a key by its id, also if revoked or expired."""
        return self._keys.get(key_id)

    def note_use(self, key_id: str) -> None:
        """Record that a key was used now; written to the store within a minute."""
        self._used_ns[key_id] = self._now_ns()

    def refresh(self) -> None:
        """Read all keys; raises ``StoreUnavailableError``."""
        self._keys = {key.id: key for key in self._store.read_all()}
        self._had_keys = self._had_keys or bool(self._keys)

    def write_uses(self) -> None:
        """Write the times of last use; raises ``StoreUnavailableError``."""
        used, self._used_ns = self._used_ns, {}
        if used:
            self._store.record_uses(used)

    def _round(self) -> None:
        self._attempt(self.refresh)
        if time.monotonic() >= self._next_write_s:
            self._attempt(self.write_uses)
            self._next_write_s = time.monotonic() + self._use_s

    def _attempt(self, action: Callable[[], None]) -> None:
        """Run an action; log if the store is unavailable, the next round tries again."""
        try:
            action()
        except RetryableError as error:
            get_logger(self.name).warning("keys could not be read or written", error=str(error))
