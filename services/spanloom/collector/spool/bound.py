"""Limits the spool by its size and by the free space on its disk.

``--spool-max-bytes`` (``config/receiving.py``) limits the sum of waiting requests, dead letters,
and requests that are being fsynced. Requests beyond the limit are refused with a retry hint (503,
UNAVAILABLE); nothing is ever dropped to make room. Example: if the limit is 8 GiB and dead letters
take 2 GiB, 6 GiB of requests may wait for a store that is down.

SQLite reuses the pages of deleted records and never shortens its write-ahead log. Free pages are
dropped in small transactions, between the transactions that acknowledge requests. The log is copied
into the file while other connections write, and truncated when everything is copied. Each step is
atomic; if the process ends in between, the next process continues.

New requests must be refused before the disk is completely full, because on a full disk the store
cannot merge either, and so cannot remove deleted or expired rows. Stored data stays readable.
"""

from __future__ import annotations

import shutil
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import OverloadedError
from spanloom.logs import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

    from spanloom.collector.spool.file import Connect, Totals


RECORD_BYTES = 256
"""Approximate bytes of a record in addition to its body; matters for tiny requests."""
RETRY_S = 5.0
"""Retry hint for refused clients, in seconds."""
FULL_PART = 2
"""A spool of which 1 / ``FULL_PART`` is free is not full, even if a large request was refused."""


class Bound:
    """Tracks the space reserved in the spool; not thread-safe, so the caller must hold a lock."""

    def __init__(self, max_bytes: int) -> None:
        """Limit the spool to ``max_bytes``."""
        self._max_bytes = max_bytes
        self._queued_bytes = 0
        self._refused_bytes = 0

    def is_full(self, stored: Totals) -> bool:
        """Return whether a request as large as the last refused request would be refused again.

        A half-empty spool is not full, even if a larger request was refused.
        """
        used = stored.bytes + stored.dead_bytes + self._queued_bytes
        is_full = self._refused_bytes > 0 and used + self._refused_bytes > self._max_bytes
        if not is_full:
            self._refused_bytes = 0
        return is_full

    def take(self, size: int, stored: Totals) -> None:
        """Reserve space for a request of ``size`` bytes; ``stored`` has the totals of the file.

        Raises ``OverloadedError`` if there is not enough space.
        """
        if stored.bytes + stored.dead_bytes + self._queued_bytes + size > self._max_bytes:
            self._refused_bytes = min(size, self._max_bytes // FULL_PART)
            dead = stored.dead_bytes > self._max_bytes // 2
            raise OverloadedError(
                "The spool is full of dead letters: see `spanloom dead-letters list`."
                if dead
                else "The spool is full: the store does not keep up.",
                RETRY_S,
            )
        self._queued_bytes += size

    def give(self, size: int) -> None:
        """Release a reservation, once the request is in the file or refused."""
        self._queued_bytes -= size


PAGES_AT_ONCE = 64
"""Free pages dropped in one transaction (4 MiB), for which requests wait some milliseconds."""
_ENDS = ("", "-wal")
_WAIT_S = 0.1


def size_on_disk(path: Path) -> int:
    """Return the size of a spool file and its log in bytes."""
    size = 0
    for end in _ENDS:
        with suppress(FileNotFoundError):
            size += path.with_name(path.name + end).stat().st_size
    return size


def drop_free_pages(connection: sqlite3.Connection) -> bool:
    """Drop some free pages within the current transaction; return whether any are left."""
    before = _count_free(connection)
    for _ in range(min(before, PAGES_AT_ONCE)):
        connection.execute("PRAGMA incremental_vacuum(1)")  # Python would fetch only the first row
    connection.execute("PRAGMA shrink_memory")
    return 0 < _count_free(connection) < before


def cut_log(path: Path, connect: Connect) -> None:
    """Copy the log's content into the file, set the file's length, and truncate the log.

    Other connections do not wait for the copying. If another connection uses the log, the log is
    truncated at a later call.
    """
    with closing(
        connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    ) as own:
        own.execute("PRAGMA synchronous = FULL")
        own.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        own.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _count_free(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int(count)


LOOK_S = 1.0
"""Seconds between checks of the free space, which run in a separate thread."""
DEFAULT_FREE_BYTES = 2 << 30
DEFAULT_FREE_SHARE = 0.05
_CLEARLY_MORE = 1.1


class DiskSpace(NamedTuple):
    """Sizes of a file system in bytes, as returned by ``shutil.disk_usage``."""

    total: int
    used: int
    free: int


def least_free(total: int, min_free: int | None) -> int:
    """Return the bytes that must be free on a disk: ``min_free`` if set, otherwise a default.

    The default is the smaller of 2 GiB and 5 %, so that requests are not refused too early on the
    nearly full disk of a laptop.
    """
    if min_free is not None:
        return min_free
    return min(DEFAULT_FREE_BYTES, int(total * DEFAULT_FREE_SHARE))


def comfortable_free(total: int, least: int) -> int:
    """Return how many bytes must be free, at least ``least``, so that no warning is logged."""
    return max(least, DEFAULT_FREE_BYTES, int(total * DEFAULT_FREE_SHARE))


class FreeSpace(RepeatingPart):
    """Checks the free space regularly, from ``start`` until ``stop``; implements ``Part``."""

    name = "disk"

    def __init__(
        self,
        path: Path,
        min_free_bytes: int | None,
        *,
        look_s: float = LOOK_S,
        ask: Callable[[Path], tuple[int, int, int]] = shutil.disk_usage,
    ) -> None:
        """Watch the disk of ``path``; ``min_free_bytes`` as for ``least_free``."""
        super().__init__(look_s)
        self._path = path
        self._min_free_bytes = min_free_bytes
        self._ask = ask
        self._trouble = ""
        self._is_short = False

    @property
    def trouble(self) -> str:
        """See ``Troubled``: why requests are refused; empty while enough space is free."""
        return self._trouble

    def start(self) -> None:
        """Check once, then every ``look_s`` seconds in a thread."""
        self.look()
        super().start()

    def check(self) -> None:
        """Raise ``OverloadedError`` while too little space is free."""
        if trouble := self._trouble:
            raise OverloadedError(f"Requests are refused: {trouble}", RETRY_S)

    def look(self) -> None:
        """Check the free space; if the check fails, the last result remains."""
        try:
            space = DiskSpace(*self._ask(self._path))
        except OSError as error:
            get_logger(self.name).warning("free space cannot be determined", error=str(error))
            return
        least = least_free(space.total, self._min_free_bytes)
        is_low = space.free < least
        if is_low and not self._trouble:
            get_logger(self.name).error("requests are refused", free=space.free, least=least)
        if self._trouble and not is_low:
            get_logger(self.name).info("requests are accepted again", free=space.free)
        self._trouble = _describe(space.free, least) if is_low else ""
        self._warn(space, least)

    def _warn(self, space: DiskSpace, least: int) -> None:
        """Log that little space is left; log it again only if clearly more was free in between."""
        enough = comfortable_free(space.total, least)
        if space.free >= enough * _CLEARLY_MORE:
            self._is_short = False
        if not self._is_short and least <= space.free < enough:
            self._is_short = True
            get_logger(self.name).warning(
                "little room is left on the disk",
                free=space.free,
                refused_below=least,
                todo="free space, or remove old data with --retention-days",
            )

    def _round(self) -> None:
        self.look()


def _describe(free: int, least: int) -> str:
    return (
        f"the disk under the data directory has {free >> 20:,} MiB free, less than the "
        f"{least >> 20:,} MiB of --min-free-bytes."
    )
