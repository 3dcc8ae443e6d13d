"""Finds the entry point of ``clickhouse local`` in chdb-core's shared library, by reading the file.

The library is linked with all of ``clickhouse local``, but exports only chDB's own entry point. The
other entry point, ``int mainEntryClickHouseLocal(int, char **)``, creates an object of
``DB::LocalServer``, so it uses that class's virtual table, to which the class's run-time type
information leads. No address is hardcoded, so another release of the library is searched again.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import tempfile
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

TYPE_NAME = b"N2DB11LocalServerE\0"
"""The name of ``DB::LocalServer`` in its type information."""
NO_BITS = 8
"""The type of a section that takes no space in the file."""
POINTER = 8
NOT_FOUND = "the entrance of ClickHouse was not found"
CHUNK_BYTES = 32 << 20
_SECTION = struct.Struct("<IIQQQQIIQQ")


class EntranceNotFoundError(Exception):
    """The library is not built as this search expects."""


class Section(NamedTuple):
    """A named section of the file: its address once loaded (0 if it is not), offset and size."""

    kind: int
    address: int
    offset: int
    size: int

    @property
    def is_loaded(self) -> bool:
        return self.address > 0 and self.kind != NO_BITS


class Library:
    """An ELF file for a 64-bit processor, and the references in it."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._sections = dict(self._read_sections())

    def address_of(self, text: bytes) -> int:
        """Return the address of the first such text; raises ``EntranceNotFoundError``."""
        at = self._map.find(text)
        for part in self._sections.values():
            if part.is_loaded and part.offset <= at < part.offset + part.size:
                return part.address + at - part.offset
        raise EntranceNotFoundError(f"it has no text {text!r}")

    def pointers_to(self, address: int) -> list[int]:
        """Return the addresses of all pointers to an address, in order."""
        rows = self._relocations
        return sorted(rows[rows[:, 2] == address][:, 0].tolist())

    def uses(self, *targets: int) -> list[tuple[int, int]]:
        """Return (target, address) for all code that reaches a target relative to its address.

        The processor adds 4 bytes of an instruction to the address after them.
        """
        code, found = self._part(".text"), []
        for start in range(0, code.size, CHUNK_BYTES):
            for shift in range(4):
                offset = start + shift
                count = (min(start + CHUNK_BYTES, code.size) - offset) // 4
                reached = np.frombuffer(self._map, "<u4", count, code.offset + offset).copy()
                first = code.address + offset
                reached += np.arange(count, dtype="u4") * np.uint32(4)
                reached -= np.uint32((min(targets) - first - 4) % (1 << 32))  # to the first
                near = np.flatnonzero(reached <= max(targets) - min(targets))
                for at, distance in zip(near.tolist(), reached[near].tolist(), strict=True):
                    if min(targets) + distance in targets:
                        found.append((min(targets) + distance, first + 4 * at))
        return found

    def function_at(self, address: int) -> int:
        """Return the start of the function that contains an address."""
        return int(self._functions[np.searchsorted(self._functions, address, side="right") - 1])

    def _part(self, name: str) -> Section:
        if name not in self._sections:
            raise EntranceNotFoundError(f"it has no section {name}")
        return self._sections[name]

    @cached_property
    def _relocations(self) -> NDArray[np.uint64]:
        """Rows of address, kind, and the address that the loader writes there."""
        part = self._part(".rela.dyn")
        return np.frombuffer(self._map, "<u8", part.size // 8, part.offset).reshape(-1, 3)

    @cached_property
    def _functions(self) -> NDArray[np.int64]:
        """The starts of all functions, from the exception table."""
        part = self._part(".eh_frame_hdr")
        (count,) = struct.unpack_from("<I", self._map, part.offset + 8)
        rows = np.frombuffer(self._map, "<i4", 2 * count, part.offset + 12).reshape(-1, 2)
        return np.sort(rows[:, 0].astype("i8") + part.address)

    def _read_sections(self) -> Iterator[tuple[str, Section]]:
        if self._map[:6] != b"\x7fELF\x02\x01":
            raise EntranceNotFoundError("it is no ELF file of 64 bits")
        (offset,) = struct.unpack_from("<Q", self._map, 0x28)
        size, count, of_names = struct.unpack_from("<HHH", self._map, 0x3A)
        rows = [_SECTION.unpack_from(self._map, offset + n * size) for n in range(count)]
        names = rows[of_names][4]
        for name, kind, _, address, at, length, *_ in rows:
            end = self._map.find(b"\0", names + name)
            yield self._map[names + name : end].decode(), Section(kind, address, at, length)


def find_entrance(library: Library) -> int:
    """Return the address of the function; raises ``EntranceNotFoundError``."""
    name = library.pointers_to(library.address_of(TYPE_NAME))
    if len(name) != 1:
        raise EntranceNotFoundError(f"{len(name)} types are named DB::LocalServer")
    inside = library.pointers_to(name[0] - POINTER)
    if not inside:
        raise EntranceNotFoundError("no virtual table is one of DB::LocalServer")
    table, methods = inside[0] - POINTER, [place + POINTER for place in inside]
    found = library.uses(table, *methods)
    ending = {library.function_at(place) for target, place in found if target in methods}
    making = {library.function_at(place) for target, place in found if target == table} - ending
    if len(making) != 1:
        raise EntranceNotFoundError(f"{len(making)} functions make a DB::LocalServer")
    return making.pop()


def library_path() -> Path:
    """Return the path of chdb-core's library."""
    found = find_spec("chdb")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).with_name("_chdb.abi3.so")


def entrance() -> int:
    """Return the entry point of the installed library, searched once for each build.

    Raises ``EntranceNotFoundError`` with a reason.
    """
    path = library_path()
    known = _cache() / f"{path.stat().st_size}-{path.stat().st_mtime_ns}.json"
    if not known.exists():
        _keep(known, search(path))
    found: int | str = json.loads(known.read_text())
    if isinstance(found, str):
        raise EntranceNotFoundError(found)
    return found


def search(path: Path) -> int | str:
    """Return the entry point, or the reason why there is none."""
    try:
        return find_entrance(Library(path))
    except EntranceNotFoundError as error:
        return f"{NOT_FOUND} in chdb-core {version('chdb-core')}: {error}"


def _cache() -> Path:
    named = os.environ.get("XDG_CACHE_HOME")
    return Path(named or tempfile.gettempdir()) / "spanloom-tests" / "entrance"


def _keep(place: Path, found: int | str) -> None:
    """Write the result atomically, because several workers may search at once."""
    place.parent.mkdir(parents=True, exist_ok=True)
    half = place.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(found))
    half.rename(place)
