"""Authentication of requests by key, and the check of scopes, for all endpoints."""

from __future__ import annotations

import time
from hmac import compare_digest
from typing import TYPE_CHECKING

from spanloom.access.credentials import digest_of, key_id_of, read_key
from spanloom.core.errors import PermissionDeniedError, UnauthenticatedError
from spanloom.core.model.access import ANYBODY, Caller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spanloom.access.keyring import Keyring
    from spanloom.core.model.access import Key, Scope

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
