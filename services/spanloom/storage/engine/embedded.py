"""Loads the embedded engine, and opens connections that return only their own responses.

chDB 26 retains the partial response of a statement that fails, and prepends it to the response of
the next statement on the same connection. Rows of one project, whose query timed out, would be
returned to another project.

clickhouse-connect reads all 1,400 settings of a server for each connection, which takes 20 ms of
CPU time, and a process opens seven. The settings of one engine are the same for all.
"""

from __future__ import annotations

import ctypes
import re
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client


_ARROW = "pyarrow"
_MADV_DONTNEED = 4
_CODE_OF_ENGINE = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) r(?:-xp \S+|--p 0+) .*/_chdb[^/]*\.so$", re.MULTILINE
)
"""Matches the address ranges of chDB's code and constants in ``/proc/self/maps``.

These ranges are at the beginning of the file; other read-only ranges were written at load time.
"""


def load_engine() -> None:
    """Import chDB without PyArrow, which it would import for Arrow output if it is installed.

    PyArrow and NumPy take a tenth of a second and 37 MB at every start. If the program has imported
    them itself, as a notebook does, they stay available.
    """
    if _ARROW in sys.modules:
        import_module("chdb.state")
        return
    sys.modules[_ARROW] = None  # type: ignore[assignment]  # makes its import fail, as chDB allows
    try:
        import_module("chdb.state")
    finally:
        del sys.modules[_ARROW]


def give_back_code() -> None:
    """Release memory pages of engine code, because the start touches all of a 560 MB library.

    Half of it never runs again. Code and constants do not change, so pages that are needed later
    are mapped again from the page cache. Only on Linux. Source: madvise(2), MADV_DONTNEED.
    """
    with suppress(OSError):
        for found in _CODE_OF_ENGINE.finditer(Path("/proc/self/maps").read_text("utf-8")):
            start, end = (int(address, 16) for address in found.groups())
            ctypes.CDLL(None).madvise(
                ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED
            )


def trim_heap() -> None:
    """Return freed memory to the system; only for glibc, which retains much of it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


_ANSWERS_NOTHING = "SELECT 1 FORMAT Null"


class OwnAnswers:
    """A chDB connection that discards the partial response of a failed statement.

    If discarding fails, as in a process without a free descriptor, it is tried again before the
    next statement, which does not run until it succeeds. Only one thread at a time may use the
    connection.
    """

    def __init__(self, connection: Any) -> None:  # chDB has no types
        """Take over the connection, which no other object may use."""
        self._connection = connection
        self._has_rest = False

    def query(self, *statement: Any, **more: Any) -> Any:  # any value of chDB
        """Run a statement and return its response; raises the errors of chDB."""
        if self._has_rest:
            self._throw_away()
        try:
            return self._connection.query(*statement, **more)
        except BaseException:
            self._has_rest = True
            with suppress(Exception):
                self._throw_away()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __getattr__(self, name: str) -> Any:  # any other attribute of a connection
        return getattr(self._connection, name)

    def _throw_away(self) -> None:
        self._connection.query(_ANSWERS_NOTHING)
        self._has_rest = False


def with_own_answers(client: Client) -> Client:
    """Make a client return only its own responses, and run one statement at a time."""
    handle = client._backend._handle  # type: ignore[attr-defined]  # noqa: SLF001  # not public
    handle.conn = OwnAnswers(handle.conn)
    return client


def connect_embedded(place: str) -> Client:
    """Open a connection to a directory; engine options may follow a question mark."""
    load_engine()
    client: Client = _client_type()(path=place)
    return with_own_answers(client)


@cache
def _client_type() -> type[Any]:
    """Return the client's class; importing its module loads the engine."""
    from clickhouse_connect.driver._chdbclient import ChdbClient  # noqa: PLC0415

    class EmbeddedClient(ChdbClient):
        """A client that reuses the settings that the first client has read.

        If a later release of the driver renames these methods, each client reads the settings
        again.
        """

        _read: Any = None

        def _init_common_settings(self, *how: Any) -> None:
            if EmbeddedClient._read is None:
                super()._init_common_settings(*how)
            else:
                self._apply_init_result(EmbeddedClient._read)

        def _apply_init_result(self, result: Any) -> None:
            EmbeddedClient._read = result
            super()._apply_init_result(result)

    return EmbeddedClient
