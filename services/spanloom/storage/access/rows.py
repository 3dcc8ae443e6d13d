"""A key as a row: the same columns in the file and in the table."""

from __future__ import annotations

from typing import Any

from spanloom.core.model.access import Key, Scope


def scopes_text(key: Key) -> str:
    """Return the scopes with commas between, for example ``ingest,read``."""
    return ",".join(sorted(key.scopes))


def key_of(*, scopes: str, **columns: Any) -> Key:  # the other columns are fields of a key
    """Return a row as a key; a scope that a newer version wrote is left out: it opens less."""
    known = frozenset(Scope(name) for name in scopes.split(",") if name in set(Scope))
    return Key(scopes=known, **columns)
