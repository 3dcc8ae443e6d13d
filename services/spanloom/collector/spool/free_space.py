"""Refuses requests while little space is free on the disk of the spool.

New requests must be refused before the disk is completely full, because on a full disk the store
cannot merge either, and so cannot remove deleted or expired rows. Stored data stays readable.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from spanloom.collector.spool.bound import RETRY_S
from spanloom.core.errors import OverloadedError
from spanloom.logs import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
        """Watch the disk of ``path``; ``min_free_bytes`` is ``min_free`` of ``least_free``."""
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
