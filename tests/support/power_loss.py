"""The possible contents of a disk after a power loss: all synced data, any part of other writes.

A disk writes sectors of 512 bytes in any order until a sync. The image after a crash is therefore
the image of the last sync plus any subset of the sectors changed since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from random import Random

SECTOR = 512
FILES = ("spool.sqlite", "spool.sqlite-wal")
"""The files whose contents matter; SQLite recreates the third, ``-shm``."""

Image = dict[str, bytes]


def read_image(folder: Path) -> Image:
    """Read the files as the operating system shows them."""
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}


def write_image(folder: Path, image: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)


def lose_power(synced: Image, written: Image, chance: Random) -> Image:
    """Return a possible image between two syncs: some of the new sectors, of any file."""
    return {name: _mix(synced.get(name, b""), content, chance) for name, content in written.items()}


def _mix(synced: bytes, written: bytes, chance: Random) -> bytes:
    share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    # A file that grew may have its new length without its new bytes, or end anywhere.
    end = chance.choice((len(synced), len(written), chance.randint(0, max(len(written), 1))))
    end = max(end, min(len(synced), len(written)))
    mixed = bytearray(synced[:end].ljust(end, b"\0"))
    for start in range(0, min(end, len(written)), SECTOR):
        new = written[start : min(start + SECTOR, end)]
        if mixed[start : start + len(new)] != new and chance.random() < share:
            mixed[start : start + len(new)] = new
    return bytes(mixed)
