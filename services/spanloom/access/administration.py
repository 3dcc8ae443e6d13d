"""Creating, listing and revoking of keys, for the command line and the API."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.access.credentials import digest_of, make_key
from spanloom.core.errors import InvalidQueryError, PermissionDeniedError
from spanloom.core.model.access import (
    ALL_PROJECTS,
    ANYBODY,
    MAX_PROJECT_BYTES,
    Key,
    is_project_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from spanloom.core.model.access import Caller, Scope
    from spanloom.core.ports.upkeep import KeyStore


class MadeKey(NamedTuple):
    """A new key and its text, which is not stored and cannot be shown again."""

    key: Key
    text: str


class KeyAdministration:
    """Administration of keys; a caller of one project sees and changes only its keys."""

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
    ) -> MadeKey:
        """Make and store a key of one project or of all (``ALL_PROJECTS``), by default without end.

        Raises ``InvalidQueryError`` for an invalid project or time or without scopes, and
        ``PermissionDeniedError`` if the caller administers another project.
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
        return MadeKey(key, made.text)

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
