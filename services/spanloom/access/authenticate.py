"""Authentication of requests by keys in memory, and the check of scopes, for all endpoints."""

from __future__ import annotations

import time
from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

from spanloom.access.keys import digest_of, key_id_of, read_key
from spanloom.core.errors import (
    PermissionDeniedError,
    RetryableError,
    StartupError,
    UnauthenticatedError,
)
from spanloom.core.model.access import ANYBODY, Caller
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanloom.access.keys import KeyAdministration
    from spanloom.core.model.access import Key, Scope
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


_MISSING = (
    "This service needs a key: send it as `Authorization: Bearer KEY` or `x-api-key: KEY` "
    "(an OTLP exporter: OTEL_EXPORTER_OTLP_HEADERS); `spanloom keys create` makes one."
)
_WRONG = "The key is unknown, revoked or expired; `spanloom keys list` shows which there are."
_NO_DIGEST = "0" * 64
"""Compared if a key is unknown, so that the answer takes as long as for a wrong secret."""


class Authenticator:
    """Finds the caller of a request by its headers."""

    def __init__(
        self,
        keyring: Keyring,
        *,
        open_without_keys: bool,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Check keys against ``keyring``.

        ``open_without_keys``: as long as there is no key, everybody may do everything. True
        only if the service listens on loopback, or the operator configured it.
        """
        self._keyring = keyring
        self._open_without_keys = open_without_keys
        self._now_ns = now_ns

    def authenticate(self, headers: Iterable[tuple[str, str]], query_string: str = "") -> Caller:
        """Return the caller of a request with these headers (pairs of name and value).

        Raises ``UnauthenticatedError`` without a key, and for one that is unknown, revoked or
        expired; the message is the same for all three.
        """
        text = read_key(headers, query_string)
        if not self._keyring.has_keys and self._open_without_keys:
            return ANYBODY
        if text is None:
            raise UnauthenticatedError(_MISSING)
        key = self._usable_key(text)
        if key is None:
            raise UnauthenticatedError(_WRONG)
        self._keyring.note_use(key.id)
        return Caller(key.id, key.project, key.scopes)

    def _usable_key(self, text: str) -> Key | None:
        key = self._keyring.find(key_id_of(text) or "")
        is_same = compare_digest(key.digest if key else _NO_DIGEST, digest_of(text))
        return key if key and is_same and key.is_usable(self._now_ns()) else None


def require(caller: Caller, scope: Scope) -> None:
    """Raise ``PermissionDeniedError`` unless the caller's key has the scope."""
    if scope not in caller.scopes:
        raise PermissionDeniedError(
            f"The key {caller.key_id} does not have the scope {scope.value!r}; "
            f"`spanloom keys create --scopes {scope.value}` makes one that does."
        )


class Access(NamedTuple):
    """The authenticator and the administration of its keys."""

    authenticator: Authenticator
    keys: KeyAdministration
