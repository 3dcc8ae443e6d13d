"""A ZIP that is sent while it is written, from whatever writes its files."""

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import IO

PIECE = 64 * 1024
"""Bytes that are sent at once, or a few more."""


class _Pipe(io.RawIOBase):
    """Takes bytes until somebody takes them away; a ZIP asks nothing else of a stream."""

    def __init__(self) -> None:
        self.held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, some: object) -> int:
        piece = bytes(some)  # type: ignore[call-overload]
        self.held += piece
        return len(piece)

    def take(self) -> bytes:
        """Return what came, and forget it."""
        taken = bytes(self.held)
        self.held.clear()
        return taken


def zipped(write: Callable[[Callable[[str], IO[bytes]]], Iterator[None]]) -> Iterator[bytes]:
    """Yield a ZIP piece by piece: the same for the same files.

    ``write`` is given what creates a file of a path, and goes on whenever it is asked for more.
    """
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:

        def create(path: str) -> IO[bytes]:
            info = zipfile.ZipInfo(path)
            info.compress_type = zipfile.ZIP_DEFLATED
            return archive.open(info, "w", force_zip64=True)

        for _ in write(create):
            if len(pipe.held) >= PIECE:
                yield pipe.take()
    yield pipe.take()
