"""A key as a row: the same columns in the file and in the table."""

from __future__ import annotations

from spanloom.core.model.access import Key, Scope


def scopes_text(key: Key) -> str:
    """Return the scopes with commas between, for example ``ingest,read``."""
    return ",".join(sorted(key.scopes))


def key_of(key_id: str, digest: str, project: str, scopes: str, *times: int) -> Key:
    """Make a key of a row; a scope that a newer version wrote is left out: it opens less.

    ``times`` are those of creation, expiry, revocation and last use, in ns since the epoch.
    """
    known = frozenset(Scope(name) for name in scopes.split(",") if name in set(Scope))
    created, expires, revoked, used = times
    return Key(key_id, digest, project, known, created, expires, revoked, used)
