"""Refuses requests while the disk of the spool is almost full.

A completely full disk stops more than new requests: the store can no longer merge, and so no
longer remove deleted or expired rows. Stored data stays readable.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import OverloadedError
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOOK_S = 1.0
"""Interval of the checks; requests do not wait for them."""
RETRY_S = 5.0
DEFAULT_FREE_BYTES = 2 << 30
DEFAULT_FREE_SHARE = 0.05


class DiskSpace(NamedTuple):
    """Sizes of a file system in bytes, as returned by ``shutil.disk_usage``."""

    total: int
    used: int
    free: int


def least_free(total: int, min_free: int | None) -> int:
    """Return how many bytes of a disk must be free: ``min_free``, else 2 GiB or 5 %.

    The smaller of the two, so that on a laptop's disk, often rather full, refusal comes late.
    """
    if min_free is not None:
        return min_free
    return min(DEFAULT_FREE_BYTES, int(total * DEFAULT_FREE_SHARE))


class FreeSpace(RepeatingPart):
    """Checks the free space between ``start`` and ``stop``; a ``Part``."""

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

    @property
    def trouble(self) -> str:
        """See ``Troubled``: why requests are refused; empty while there is room."""
        return self._trouble

    def start(self) -> None:
        """Check once, then in intervals."""
        self.look()
        super().start()

    def check(self) -> None:
        """Raise ``OverloadedError`` while there is too little room."""
        if trouble := self._trouble:
            raise OverloadedError(f"Nothing is taken in: {trouble}", RETRY_S)

    def look(self) -> None:
        """Check the free space; keep the last result if that fails."""
        try:
            space = DiskSpace(*self._ask(self._path))
        except OSError as error:
            get_logger(self.name).warning("free space cannot be told", error=str(error))
            return
        least = least_free(space.total, self._min_free_bytes)
        is_low = space.free < least
        if is_low and not self._trouble:
            get_logger(self.name).error("requests are refused", free=space.free, least=least)
        if self._trouble and not is_low:
            get_logger(self.name).info("requests are taken again", free=space.free)
        self._trouble = _describe(space.free, least) if is_low else ""

    def _round(self) -> None:
        self.look()


def _describe(free: int, least: int) -> str:
    return (
        f"the disk under the data directory has {free >> 20:,} MiB free, less than the "
        f"{least >> 20:,} MiB of --min-free-bytes."
    )
