"""Reads Inspect's ``.eval`` files: ZIP archives with a file for each sample.

They are compressed by Zstandard (method 93 of ZIP), which Python supports only from 3.14 on; so the
archive is used to locate each file, and its bytes are decompressed here. The size that a file
declares is not trusted.
"""

from __future__ import annotations

import re
import zlib
from typing import IO, TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import orjson
import zstandard

from spanloom.client.transfer.parts import UnreadableFileError
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.values import parse
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from zipfile import ZipInfo

MOST_BYTES = 128 << 20
"""Larger samples are not read, because a sample takes ten times its size in memory."""
ZSTANDARD = 93
_BROKEN = (BadZipFile, EOFError, RuntimeError, ValueError, zlib.error, zstandard.ZstdError)
"""Exceptions that a broken archive raises; an encrypted archive raises a ``RuntimeError``."""
_LOCAL_HEADER = 30
"""Bytes of the header before each file; it ends with two lengths."""
_SAMPLE = re.compile(r"samples/(.+)_epoch_(\d+)\.json")
_HEADERS = ("header.json", "_journal/start.json")
"""Files with the log without its samples; the second is in a log that was not finished."""


def read_eval(path: Path) -> Iterator[tuple[str, bytes, str]]:
    """Yield each sample as a separate log: position, JSON, and the reason if it is unreadable.

    Raises ``UnreadableFileError`` for a ZIP archive that is not a log.
    """
    try:
        with path.open("rb") as raw, ZipFile(raw) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            begin = _header(archive, raw, infos)
            found = {name: _SAMPLE.fullmatch(name) for name in infos}
            for name, match in found.items():
                if match is not None:
                    place = f"sample {match[1]}, epoch {match[2]}"
                    yield (place, *_sample(archive, raw, infos[name], begin))
    except (*_BROKEN, OSError) as error:
        raise UnreadableFileError(f"it is no whole `.eval` file: {error}") from error


def _header(archive: ZipFile, raw: IO[bytes], infos: dict[str, ZipInfo]) -> bytes:
    """Return a log's JSON up to its samples; each sample is appended to it."""
    name = next((name for name in _HEADERS if name in infos), "")
    try:
        header = orjson.loads(_read(archive, raw, infos[name])) if name else {}
        about = {"version": header.get("version", 2), "eval": header["eval"]}
    except (KeyError, ValueError, AttributeError, InvalidRequestError) as error:
        raise UnreadableFileError(
            "it is a ZIP archive without the header of an `.eval` file"
        ) from error
    return dump(about)[:-1] + b',"samples":['


def _sample(archive: ZipFile, raw: IO[bytes], info: ZipInfo, begin: bytes) -> tuple[bytes, str]:
    try:
        text = _read(archive, raw, info)
        parse(text, with_constants=True)
    except InvalidRequestError as error:
        return b"", str(error)
    return begin + text + b"]}", ""


def _read(archive: ZipFile, raw: IO[bytes], info: ZipInfo) -> bytes:
    """Return the content of a file; raises ``InvalidRequestError`` if it cannot be read."""
    try:
        if info.compress_type in (ZIP_STORED, ZIP_DEFLATED):
            with archive.open(info) as file:
                text = file.read(MOST_BYTES + 1)
        elif info.compress_type == ZSTANDARD:
            text = _decompressed(raw, info)
        else:
            raise InvalidRequestError(f"compressed by the method {info.compress_type} of ZIP")
    except (*_BROKEN, OSError) as error:
        raise InvalidRequestError(f"it cannot be decompressed: {error}") from error
    if len(text) > MOST_BYTES:
        raise InvalidRequestError(f"it is longer than {MOST_BYTES >> 20} MiB")
    return text


def _decompressed(raw: IO[bytes], info: ZipInfo) -> bytes:
    raw.seek(info.header_offset + _LOCAL_HEADER - 4)
    lengths = raw.read(4)
    raw.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
    packed = raw.read(min(info.compress_size, MOST_BYTES))
    with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
        pieces, size = [], 0
        while size <= MOST_BYTES and (piece := reader.read(1 << 20)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces)
