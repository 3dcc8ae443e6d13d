"""Writes a ZIP archive as a stream of pieces, while its files are being produced."""

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import IO

PIECE = 64 * 1024
"""Minimum size of a piece in bytes, except for the last."""


class _Pipe(io.RawIOBase):
    """A write-only buffer that is emptied by ``take``; ``ZipFile`` needs no more of a stream."""

    def __init__(self) -> None:
        self.held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, some: object) -> int:
        piece = bytes(some)  # type: ignore[call-overload]
        self.held += piece
        return len(piece)

    def take(self) -> bytes:
        """Return the buffered bytes and clear the buffer."""
        taken = bytes(self.held)
        self.held.clear()
        return taken


def zipped(write: Callable[[Callable[[str], IO[bytes]]], Iterator[None]]) -> Iterator[bytes]:
    """Yield a ZIP archive piece by piece; the same files result in the same bytes.

    ``write`` receives a function that opens a new file in the archive by its path, and yields
    whenever bytes may be sent.
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
