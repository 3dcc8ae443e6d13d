"""Creates, lists and revokes API keys, and reads them from the headers of requests."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import secrets
import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from spanloom.core.errors import InvalidQueryError, PermissionDeniedError, UnauthenticatedError
from spanloom.core.model.access import (
    ALL_PROJECTS,
    ANYBODY,
    MAX_PROJECT_BYTES,
    Key,
    is_project_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from spanloom.core.model.access import Caller, Scope
    from spanloom.core.ports.upkeep import KeyStore


_KEY = re.compile(r"sl_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_KEY_BEGINNING = re.compile(r"sl_[0-9a-f]{12}_")


class NewKey(NamedTuple):
    """The id and text of a new key; the text is stored nowhere."""

    id: str
    text: str


def make_key() -> NewKey:
    """Return a new random key."""
    key_id = secrets.token_hex(6)
    return NewKey(key_id, f"sl_{key_id}_{secrets.token_urlsafe(32)}")


def key_id_of(text: str) -> str | None:
    """Return the id in a key's text, or ``None`` if it is not in the format of Spanloom's keys."""
    match = _KEY.fullmatch(text)
    return match[1] if match else None


def digest_of(text: str) -> str:
    """Return the SHA-256 of a key's text in hex, which is stored instead of the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def has_key(query_string: str) -> bool:
    """Return whether a URL's query contains a key, percent-encoded or not.

    URLs end up in logs and histories, so they must not contain keys.
    """
    return _KEY_BEGINNING.search(unquote(query_string)) is not None


KEY_HEADERS = frozenset({"authorization", "x-api-key"})
"""The headers that may carry a key, in lower case."""
CHALLENGE = 'Bearer realm="spanloom"'
"""The ``WWW-Authenticate`` header of responses to requests whose key is missing or wrong."""


def read_key(headers: Iterable[tuple[str, str]], query_string: str = "") -> str | None:
    """Return the key in a request's headers, or ``None`` if there is none.

    ``headers`` are pairs of name and value; names may have any case. Raises
    ``UnauthenticatedError`` for a key in the query string, and if the headers have several
    different credentials.
    """
    if has_key(query_string):
        raise UnauthenticatedError(
            "A key must not be in a URL, because logs record URLs: send it in a header, and "
            "revoke this key."
        )
    keys = {
        _key_in(name.lower(), value.strip())
        for name, value in headers
        if name.lower() in KEY_HEADERS
    }
    if len(keys) > 1:
        raise UnauthenticatedError("The request carries several keys: send one.")
    return keys.pop() if keys else None


def _key_in(name: str, value: str) -> str:
    """Return the credential in one header; the whole value if its scheme is unknown."""
    if name == "x-api-key":
        return value
    scheme, _, credential = value.partition(" ")
    if scheme.lower() == "basic":
        return _password(credential.strip())
    return credential.strip() if scheme.lower() == "bearer" else value


def _password(credential: str) -> str:
    try:
        decoded = base64.b64decode(credential, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return decoded.partition(":")[2]


class CreatedKey(NamedTuple):
    """A new key and its text, which is not stored and cannot be shown again."""

    key: Key
    text: str


class KeyAdministration:
    """Creates, lists and revokes keys; a caller of one project manages only the project's keys."""

    def __init__(self, store: KeyStore, now_ns: Callable[[], int] = time.time_ns) -> None:
        """Use ``store``, which the caller closes."""
        self._store = store
        self._now_ns = now_ns

    def create(
        self,
        project: str,
        scopes: Collection[Scope],
        expires_ns: int | None = None,
        caller: Caller = ANYBODY,
    ) -> CreatedKey:
        """Make and store a key of one project or of all (``ALL_PROJECTS``).

        By default it does not expire. Raises ``InvalidQueryError`` if the project or the expiry is
        invalid or there are no scopes, and ``PermissionDeniedError`` if the caller administers
        another project.
        """
        now = self._now_ns()
        _check_project(project)
        if not caller.may_see(project):
            raise PermissionDeniedError(f"The key {caller.key_id} administers another project.")
        if not scopes:
            raise InvalidQueryError("A key needs at least one scope.")
        if expires_ns is not None and expires_ns <= now:
            raise InvalidQueryError("The key would have expired already.")
        made = make_key()
        key = Key(made.id, digest_of(made.text), project, frozenset(scopes), now, expires_ns or 0)
        self._store.add(key)
        return CreatedKey(key, made.text)

    def list(self, caller: Caller = ANYBODY) -> Sequence[Key]:
        """Return the keys that the caller administers, newest first."""
        keys = (key for key in self._store.read_all() if caller.may_see(key.project))
        return sorted(keys, key=lambda key: (key.created_ns, key.id), reverse=True)

    def revoke(self, key_id: str, caller: Caller = ANYBODY) -> Key | None:
        """Revoke a key for ever and return it; ``None`` if the caller administers no such key."""
        key = next((key for key in self.list(caller) if key.id == key_id), None)
        if key is None or key.revoked_ns:
            return key
        at_ns = self._now_ns()
        self._store.revoke(key_id, at_ns)
        return replace(key, revoked_ns=at_ns)


def _check_project(project: str) -> None:
    if project != ALL_PROJECTS and not is_project_name(project):
        raise InvalidQueryError(
            f"A project's name is printable text of 1 to {MAX_PROJECT_BYTES} bytes, without "
            "spaces around it."
        )
