"""The keys in memory, read again twice a second: no request waits for a disk or a server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError, StartupError
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.model.access import Key
    from spanloom.core.ports.keys import KeyStore

POLL_S = 0.5
"""A key that another process makes or revokes counts after this time."""
USE_S = 60.0
"""How often the last uses are written: once a minute is exact enough, and no request waits."""


class Keyring(RepeatingPart):
    """The keys of a store, between ``start`` and ``stop``.

    While the store does not answer the keys read last stay in force: nothing can be revoked in
    it at that time either.
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
        """Take the store; whoever opened it closes it."""
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

        It stays true while the process runs: doors that were closed never open by themselves,
        whatever happens to the file or table that the keys are in.
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
        """Stop following, and write the uses of the last minute."""
        super().stop(grace_s)
        self._attempt(self.write_uses)

    def find(self, key_id: str) -> Key | None:
        """Return a key by its id, revoked and expired ones included."""
        return self._keys.get(key_id)

    def note_use(self, key_id: str) -> None:
        """Remember that a key was used now; it is written within the minute."""
        self._used_ns[key_id] = self._now_ns()

    def refresh(self) -> None:
        """Read all keys; raises ``StoreUnavailableError``."""
        self._keys = {key.id: key for key in self._store.read_all()}
        self._had_keys = self._had_keys or bool(self._keys)

    def write_uses(self) -> None:
        """Write when keys were used last; raises ``StoreUnavailableError``."""
        used, self._used_ns = self._used_ns, {}
        if used:
            self._store.record_uses(used)

    def _round(self) -> None:
        self._attempt(self.refresh)
        if time.monotonic() >= self._next_write_s:
            self._attempt(self.write_uses)
            self._next_write_s = time.monotonic() + self._use_s

    def _attempt(self, action: Callable[[], None]) -> None:
        """Log that the store does not answer; the next round tries again."""
        try:
            action()
        except RetryableError as error:
            get_logger(self.name).warning("keys could not be read or written", error=str(error))
