"""Copies of store data in the data directory of a collector, to start without the store.

The files are readable by their owner only, are replaced atomically, and hold no secrets: like the
store, they hold the digest of a key instead of its text.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.access import Key, Scope
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

FORMAT = 1
KEYS_KNOWN = "keys-known.json"
"""The file with the keys that were last read."""
USAGE_KNOWN = "usage-known.json"
"""The file with the stored bytes of each project that were last read."""
STORE_KNOWN = "store-known.json"
"""The file with the id of the first store used; written only if a server has several hosts."""
_FIELDS = ("id", "digest", "project", "created_ns", "expires_ns", "revoked_ns")
log = get_logger("keys")


class LastKnown:
    """Stores one value in one file; if there is no path, nothing is stored."""

    def __init__(self, path: Path | None = None) -> None:
        """Use the file at ``path``, whose directory exists."""
        self._path = path
        self._has_failed = False

    def read(self) -> object:
        """Return the value written last; ``None`` if there is none, or the file is damaged."""
        if self._path is None:
            return None
        try:
            stored = orjson.loads(self._path.read_bytes())
            return stored["value"] if stored["format"] == FORMAT else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError) as error:
            self._warn("cannot be read, and is ignored", error)
            return None

    def write(self, value: object) -> None:
        """Replace the value; a failure is logged once, because the value in memory still works."""
        if self._path is None:
            return
        new = self._path.with_name(f"{self._path.name}.new")
        try:
            _write_synced(new, orjson.dumps({"format": FORMAT, "value": value}))
            new.replace(self._path)  # atomically
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            self._warn("cannot be written: a start without the store would not know it", error)
        else:
            self._has_failed = False

    def _warn(self, what: str, error: Exception) -> None:
        if not self._has_failed:
            log.warning(f"a file {what}", file=str(self._path), error=str(error))
        self._has_failed = True


def _write_synced(path: Path, data: bytes) -> None:
    with suppress(FileNotFoundError):
        path.unlink()  # left by a killed process, perhaps with other permissions
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def pack_keys(keys: Iterable[Key]) -> Sequence[Mapping[str, object]]:
    """Return keys as JSON values sorted by id, without their time of last use."""
    return [
        {**{name: getattr(key, name) for name in _FIELDS}, "scopes": sorted(key.scopes)}
        for key in sorted(keys, key=lambda key: key.id)
    ]


def unpack_keys(value: object) -> Sequence[Key] | None:
    """Return the keys packed by ``pack_keys``; ``None`` for any other value."""
    try:
        return [_key(**packed) for packed in value]  # type: ignore[attr-defined]  # checked here
    except (TypeError, AttributeError):
        return None


def _key(scopes: Sequence[str], **fields: str | int) -> Key:
    """Return a key without scopes that only a newer release knows, which permits less."""
    known = frozenset(Scope(name) for name in scopes if name in set(Scope))
    return Key(scopes=known, **fields)  # type: ignore[arg-type]  # what pack_keys wrote


def unpack_usage(value: object) -> Mapping[str, int] | None:
    """Return the stored bytes, keyed by project; ``None`` if the value is anything else."""
    if not isinstance(value, dict) or not all(type(size) is int for size in value.values()):
        return None
    return value
