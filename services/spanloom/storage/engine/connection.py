"""One connection to ClickHouse: its statements run one after the other.

Statements of several connections run in parallel. The driver is the same for embedded and server;
callers of this module see rows and bytes.
"""

from __future__ import annotations

from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, cast
from uuid import uuid4

import orjson

from spanloom.storage.engine.embedded import give_back_code, trim_heap
from spanloom.storage.engine.failures import translated
from spanloom.storage.engine.hiding import NothingHidden
from spanloom.storage.engine.hosts.roaming import RoamingClient
from spanloom.storage.engine.parameters import FILTERS, bind, fill_in, filtered, rows_in, values_in
from spanloom.storage.engine.settings import apply_settings, can_set
from spanloom.storage.engine.statements import WRITER, comment_of, query

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.hiding import Hiding
    from spanloom.storage.engine.parameters import Row, Values
    from spanloom.storage.engine.row_binary import Pieces, RowBinary
    from spanloom.storage.engine.settings import Setting

ROWS_PER_INSERT = 10_000
"""The most rows of one INSERT, which is in memory as a whole; larger batches are split."""


TEXT_PER_INSERT = 8 << 20
"""The most bytes of one INSERT of rows that are already encoded as JSON."""


class Connection:
    """A client whose settings are fixed when it is opened."""

    has_session = False
    """Whether statements run in a session of the server."""

    def __init__(
        self,
        client: Client,
        settings: Mapping[str, Setting] | None = None,
        hiding: Hiding | None = None,
    ) -> None:
        """Take over the client; without ``hiding`` its queries see deleted rows."""
        self.hiding: Hiding = hiding or NothingHidden()
        self._inserting = RLock()
        self._take_over(client, settings or {})

    def _take_over(self, client: Client, settings: Mapping[str, Setting]) -> None:
        self._client = client
        self._can_set = settings.get("readonly") != 1 and can_set(client, FILTERS)
        with translated():
            apply_settings(client, settings)

    def connect(self) -> None:
        """Open the connection unless it is already open; raises ``StoreUnavailableError``."""
        self._ready()

    def _ready(self) -> Client:
        """Return the open client."""
        return self._client

    def rows(self, name: str, **parameters: object) -> Iterator[Row]:
        """Run a named query and return its rows one by one, each with the names of its columns."""
        return rows_in(self.named(name, **parameters))

    def named(self, name: str, **parameters: object) -> bytes:
        """Run a named query and return its response in the format that ``rows_in`` reads."""
        return self._ask(name, parameters, "JSONCompactEachRowWithNames")

    def values(self, name: str, **parameters: object) -> Iterator[Values]:
        """Run a named query and return its rows as lists, which the caller may change.

        Only for spans, because there are very many: decoding 100,000 of them into ``Span`` took
        1.36 times as long by name as by position (0.207 s and 0.152 s of CPU time).
        """
        return values_in(self.unnamed(name, **parameters))

    def unnamed(self, name: str, **parameters: object) -> bytes:
        """Run a named query and return its response in the format that ``values_in`` reads."""
        return self._ask(name, parameters, "JSONCompactEachRow")

    def blob(self, name: str, **parameters: object) -> bytes:
        """Run a named query of one string column; return the bytes, empty if there is no row."""
        return self._ask(name, parameters, "RawBLOB")

    def run(self, statement: str, **parameters: object) -> None:
        """Run a statement that returns nothing."""
        with translated():
            self._ready().command(statement, parameters=parameters or None)

    def answer(self, statement: str) -> bytes:
        """Run a statement without a FORMAT clause; return its response without the last newline."""
        with translated():
            return self._ready().raw_query(statement).rstrip(b"\n")

    def insert(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[object]],
        most_s: int | None = None,
    ) -> float | None:
        """Insert rows of JSON values in as many INSERTs as needed; none if there are no rows.

        An INSERT that takes longer than ``most_s`` seconds stores nothing. Returns the seconds that
        the longest INSERT took in the server, which do not include pauses of this process; ``None``
        if the server does not report them.
        """
        return self._insert(table, columns, rows, "JSONCompactEachRow", most_s)

    def insert_objects(self, table: str, objects: Iterable[Mapping[str, object]]) -> None:
        """Insert rows given as values by column name; otherwise like ``insert``."""
        self._insert(table, (), objects, "JSONEachRow")

    def insert_texts(self, table: str, columns: Sequence[str], texts: Iterable[bytes]) -> None:
        """Insert rows already encoded as JSON; a text is one or more rows separated by commas.

        If ``columns`` is empty, each row names its columns. Many texts take several INSERTs.
        """
        fmt = "JSONCompactEachRow" if columns else "JSONEachRow"
        for some in _packed(texts):
            with self._inserting, translated():
                self._ready().raw_insert(table, columns or None, b",".join(some), fmt=fmt)

    def insert_binary(self, table: str, columns: Iterable[str], rows: RowBinary | Pieces) -> None:
        """Insert rows in the RowBinary format, with their values in the order of the columns."""
        block = cast("Generator[bytes]", rows)  # the driver accepts any iterable
        with self._inserting, translated():
            self._ready().raw_insert(table, list(columns), block, fmt="RowBinary")

    def insert_requests(self, table: str, records: Iterable[bytes]) -> None:
        """Send length-prefixed records, which ClickHouse decodes by the connection's settings."""
        block = cast("Generator[bytes]", records)  # the driver accepts any iterable
        with self._inserting, translated():
            self._ready().raw_insert(table, insert_block=block, fmt="Protobuf")

    def no_inserts(self) -> AbstractContextManager[object]:
        """Return a context in which no INSERT runs; entering it waits for the current INSERT."""
        return self._inserting

    def begin_session(self, name: str, idle_s: int) -> None:
        """Run the next statements in a session that the server ends after ``idle_s`` idle seconds.

        After that a statement raises ``StoreUnavailableError`` and has no effect. ``name`` is
        visible in the server's list of processes. The embedded engine has no sessions.
        """
        self.end_session()
        if isinstance(client := self._ready(), RoamingClient):
            with translated():
                client.begin_session(uuid4().hex, idle_s)
            self.has_session = True
            client.set_client_setting("log_comment", comment_of(name))

    def end_session(self) -> None:
        """Run the next statements without a session."""
        if self.has_session and isinstance(client := self._client, RoamingClient):
            client.set_client_setting("log_comment", WRITER)
            client.end_session()
        self.has_session = False

    def relax(self) -> None:
        """Free memory before a large operation; has no effect for a server."""

    def close(self) -> None:
        """Close the connection."""
        with translated():
            self._client.close()

    def _insert(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[object],
        fmt: str,
        most_s: int | None = None,
    ) -> float | None:
        """Send the rows as one text, because a separate text for each row costs five times as much.

        ClickHouse accepts rows separated by commas, so the JSON list is sent without its brackets.
        """
        left = iter(rows)
        bound = None if most_s is None else {"max_execution_time": most_s}
        took_s: float | None = 0.0
        while block := list(islice(left, ROWS_PER_INSERT)):
            text = orjson.dumps(block)[1:-1]
            with self._inserting, translated():
                client = self._ready()
                done = client.raw_insert(table, columns or None, text, settings=bound, fmt=fmt)
            one_s = _seconds_of(done)
            took_s = None if took_s is None or one_s is None else max(took_s, one_s)
        return took_s

    def _ask(self, name: str, parameters: Mapping[str, object], fmt: str) -> bytes:
        client = self._ready()
        parameters = self.hiding.narrowed(self, parameters)
        text, values = fill_in(query(name), parameters)
        if self._can_set:
            text = filtered(text, self.hiding.conditions(name, parameters))
        with translated():
            return client.raw_query(text, parameters=bind(values), fmt=fmt)


def _seconds_of(done: object) -> float | None:
    """Return the seconds that a statement took in the server, from the server's summary."""
    summary = getattr(done, "summary", None)
    took_ns = str(summary.get("elapsed_ns")) if isinstance(summary, dict) else ""
    return int(took_ns) / 1e9 if took_ns.isdigit() else None


def _packed(texts: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Split texts into lists of at least one text, each list for one INSERT."""
    some: list[bytes] = []
    size = 0
    for text in texts:
        if some and size + len(text) > TEXT_PER_INSERT:
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text)
    if some:
        yield some


class EmbeddedConnection(Connection):
    """A connection to the engine in this process, which shares its memory."""

    def relax(self) -> None:
        """See ``Connection.relax``; return memory that the engine and Python have freed but retain.

        The pages of engine code, which count as memory of this process, are released too.
        """
        self.run(query("purge_memory"))
        trim_heap()
        give_back_code()
