"""Authenticates requests of all endpoints by API keys held in memory, and checks their scopes."""

from __future__ import annotations

import time
from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

from spanloom.access.keys import digest_of, key_id_of, read_key
from spanloom.access.last_known import LastKnown, pack_keys, unpack_keys
from spanloom.core.errors import (
    KeysUnknownError,
    PermissionDeniedError,
    RetryableError,
    StartupError,
    UnauthenticatedError,
)
from spanloom.core.model.access import ANYBODY, Caller
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.access.keys import KeyAdministration
    from spanloom.core.model.access import Key, Scope
    from spanloom.core.ports.upkeep import KeyStore


POLL_S = 0.5
"""Seconds between reads of the keys, which delay changes by other processes this long at most."""
USE_S = 60.0
"""Seconds between writes of each key's time of last use; requests do not wait for these writes."""


class Keyring(RepeatingPart):
    """Reads the keys of a store periodically between ``start`` and ``stop``.

    While the store is unavailable, the keys that were read last stay valid and none can be revoked.
    With a ``known`` file, ``start`` succeeds without the store and uses the keys that an earlier
    process read.
    """

    name = "keys"

    def __init__(
        self,
        store: KeyStore,
        *,
        known: LastKnown | None = None,
        outage: Outage | None = None,
        poll_s: float = POLL_S,
        use_s: float = USE_S,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Use ``store``, which the caller closes; failures are logged by ``outage``."""
        super().__init__(poll_s)
        self._store = store
        self._known = known
        self._written: Sequence[Mapping[str, object]] | None = None
        self._outage = outage or Outage()
        self._use_s = use_s
        self._next_write_s = time.monotonic() + use_s
        self._now_ns = now_ns
        self._keys: Mapping[str, Key] = {}
        self.are_known = known is None  # without a file, `start` raises instead
        """Whether this process or an earlier one has read the keys, even if there were none."""
        self._has_had_keys = False
        self._used_ns: dict[str, int] = {}

    @property
    def has_keys(self) -> bool:
        """Whether there are keys, usable or not.

        Once true, it stays true while the process runs, so that a service that required keys never
        becomes open by itself if the file or table of the keys is lost.
        """
        return self._has_had_keys

    def start(self) -> None:
        """Read the keys, and from now on read them periodically.

        Raises ``StartupError`` if the first read fails and there is no ``known`` file.
        """
        try:
            self.refresh()
        except RetryableError as error:
            if self._known is None:
                raise StartupError(f"the keys cannot be read: {error}") from error
            self._outage.note(self.name, error)
            self._recall(self._known)
        super().start()

    def stop(self, grace_s: float = 5.0) -> None:
        """Stop reading the keys, and write the times of last use."""
        super().stop(grace_s)
        if self._used_ns:
            self._attempt(self.write_uses)

    def find(self, key_id: str) -> Key | None:
        """Return the key with this id, even if revoked or expired; ``None`` if unknown."""
        return self._keys.get(key_id)

    def note_use(self, key_id: str) -> None:
        """Record that a key was used now; written to the store within a minute."""
        self._used_ns[key_id] = self._now_ns()

    def refresh(self) -> None:
        """Read all keys; raises ``StoreUnavailableError``."""
        self._take(self._store.read_all())
        self._remember()

    def write_uses(self) -> None:
        """Write the times of last use; raises ``StoreUnavailableError``."""
        used, self._used_ns = self._used_ns, {}
        if used:
            try:
                self._store.record_uses(used)
            except RetryableError:
                self._used_ns = used | self._used_ns
                raise

    def _round(self) -> None:
        self._attempt(self._follow)

    def _follow(self) -> None:
        self.refresh()
        if time.monotonic() >= self._next_write_s:
            self._next_write_s = time.monotonic() + self._use_s
            self.write_uses()

    def _take(self, keys: Iterable[Key]) -> None:
        self._keys = {key.id: key for key in keys}
        self._has_had_keys = self._has_had_keys or bool(self._keys)
        self.are_known = True

    def _recall(self, known: LastKnown) -> None:
        """Use the keys that an earlier process read last, if there are any."""
        keys = unpack_keys(known.read())
        if keys is not None:
            self._take(keys)

    def _remember(self) -> None:
        """Write the keys to the ``known`` file if they have changed.

        If the store had keys and now has none, the file stays unchanged, because the store's table
        may have been lost.
        """
        if self._known is None or (self._has_had_keys and not self._keys):
            return
        packed = pack_keys(self._keys.values())
        if packed != self._written:
            self._known.write(packed)
            self._written = packed

    def _attempt(self, action: Callable[[], None]) -> None:
        """Run an action; if the store is unavailable, the next round tries again."""
        with self._outage.watched(self.name):
            action()


_MISSING = (
    "This service needs a key: send it as `Authorization: Bearer KEY` or `x-api-key: KEY` "
    "(an OTLP exporter: OTEL_EXPORTER_OTLP_HEADERS); `spanloom keys create` makes one."
)
_WRONG = "The key is unknown, revoked or expired; `spanloom keys list` shows which there are."
_UNKNOWN = (
    "The store, which has the keys, has not answered since this service was set up: try again."
)
_UNKNOWN_RETRY_S = 5.0
_NO_DIGEST = "0" * 64
"""Compared if a key is unknown, so that the response takes as long as for a wrong secret."""


class Authenticator:
    """Determines the caller of a request from the request's headers."""

    def __init__(
        self,
        keyring: Keyring,
        *,
        open_without_keys: bool,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Check keys against ``keyring``.

        With ``open_without_keys``, every request is allowed as long as there is no key. It is true
        only if the service listens on loopback, or the operator configured it.
        """
        self._keyring = keyring
        self._open_without_keys = open_without_keys
        self._now_ns = now_ns

    @property
    def obstacle(self) -> str:
        """Why no request can be authenticated; empty if requests can be authenticated."""
        if self._open_without_keys or self._keyring.has_keys:
            return ""
        if not self._keyring.are_known:
            return "no keys are known yet: the store has not answered since the first start"
        return "there are no keys: make one with `spanloom keys create`"

    def authenticate(
        self,
        headers: Iterable[tuple[str, str]],
        query_string: str = "",
        *,
        only_sends: bool = False,
    ) -> Caller:
        """Return the caller of a request with ``headers``, pairs of name and value.

        Raises ``UnauthenticatedError`` if the key is missing, unknown, revoked or expired; the last
        three have the same message. Raises ``KeysUnknownError`` until keys have been read. If the
        service is open without keys, and ``only_sends`` is set, a request without a key is accepted
        even before the keys have been read.
        """
        text = read_key(headers, query_string)
        if not self._keyring.are_known and not (
            only_sends and text is None and self._open_without_keys
        ):
            raise KeysUnknownError(_UNKNOWN, _UNKNOWN_RETRY_S)
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


def require_project(caller: Caller, *, is_open: bool) -> None:
    """Raise ``PermissionDeniedError`` if a project is not open to the caller's key."""
    if not is_open:
        raise PermissionDeniedError(f"The key {caller.key_id} does not open that project.")


class Access(NamedTuple):
    """The authenticator and the administration of its keys."""

    authenticator: Authenticator
    keys: KeyAdministration
