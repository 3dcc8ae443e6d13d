"""Caches answers of models in files, so that no request is paid for twice.

A file has one answer: its text and its warnings. Neither the file nor its name contains a
provider's key. Files that cannot be read or written are ignored.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = "SPANLOOM_JUDGE_CACHE"
"""The environment variable with the folder; an empty value disables the cache."""
TTL = "SPANLOOM_JUDGE_CACHE_TTL_S"
TTL_S = 7 * 24 * 3_600
_MAX_FILE = 1 << 20


class CachedAnswer(NamedTuple):
    """A valid answer in the cache."""

    text: str
    warnings: tuple[str, ...] = ()


class Cache:
    """A folder of answers that expire after ``ttl_s`` seconds."""

    def __init__(self, folder: Path | None, ttl_s: float, now: Callable[[], float] = time.time):
        """Use a folder, created when needed; with ``None`` nothing is cached."""
        self.folder = folder
        self._ttl_s = ttl_s
        self.now = now
        self._is_swept = False

    def find(self, key: str) -> CachedAnswer | None:
        """Return the answer with this key; ``None`` if there is none or it has expired."""
        if self.folder is None:
            return None
        path = self._path(self.folder, key)
        try:
            if path.stat().st_mtime + self._ttl_s < self.now():
                return None
            with path.open("rb") as file:
                value = orjson.loads(file.read(_MAX_FILE))
            return CachedAnswer(str(value["text"]), tuple(map(str, value["warnings"])))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, answer: CachedAnswer) -> None:
        """Write the answer with this key atomically, readable by this user only."""
        if self.folder is None:
            return
        path = self._path(self.folder, key)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(orjson.dumps(answer._asdict()))
            Path(file.name).replace(path)
            self._sweep(self.folder)
        except OSError:
            return

    def _sweep(self, folder: Path) -> None:
        """Remove expired answers, once per process."""
        if self._is_swept:
            return
        self._is_swept = True
        for path in folder.glob("??/*"):
            if path.stat().st_mtime + self._ttl_s < self.now():
                path.unlink(missing_ok=True)

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / key[:2] / key


def key_of(*parts: object) -> str:
    """Return the SHA-256, in hex, of all values on which an answer depends."""
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def cache_of_environment() -> Cache:
    """Return the cache that the environment names, by default the user's cache folder."""
    named = os.environ.get(FOLDER)
    if named is None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder: Path | None = Path(base) / "spanloom" / "judge"
    else:
        folder = Path(named) if named else None
    try:
        ttl_s = float(os.environ.get(TTL, TTL_S))
    except ValueError:
        ttl_s = TTL_S
    return Cache(folder, ttl_s)
