"""One connection to ClickHouse: work on it is serial, work on different lanes is parallel.

The driver is the same for embedded and server; code above this module sees rows and bytes.
"""

from __future__ import annotations

from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias, cast
from uuid import uuid4

import orjson
from clickhouse_connect.driver.httpclient import HttpClient

from spanloom.core.ports.spans import LONGEST_APPEND_S
from spanloom.storage.engine.embedded import give_back_code, trim_heap
from spanloom.storage.engine.failures import translated
from spanloom.storage.engine.hiding import NothingHidden
from spanloom.storage.engine.parameters import FILTERS, bind, fill_in, filtered, rows_in, values_in
from spanloom.storage.engine.statements import query
from spanloom.storage.engine.upgrading import WRITER, comment_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.hiding import Hiding
    from spanloom.storage.engine.parameters import Row, Values
    from spanloom.storage.engine.row_binary import Pieces, RowBinary

Setting: TypeAlias = "str | int | Mapping[str, str]"

# No setting that matters is left to its default (a server profile may have others).
COMMON_SETTINGS: Mapping[str, Setting] = {
    "log_comment": WRITER,  # who writes, for upgrades
    "async_insert": 0,
    "insert_deduplicate": 0,
    "max_partitions_per_insert_block": 0,
    "max_insert_threads": 1,
    "storage_file_read_method": "pread",  # a mapped file is in memory besides its rows
    "optimize_on_insert": 1,
    "do_not_merge_across_partitions_select_final": 0,
    "use_query_cache": 0,
    "use_query_condition_cache": 0,  # no list of keys is queried twice
    "join_use_nulls": 0,
    "output_format_json_quote_64bit_integers": 0,
    "output_format_json_quote_denormals": 0,
    "output_format_json_escape_forward_slashes": 0,
    "output_format_json_named_tuples_as_objects": 0,
}

# How ``otlp_requests`` is read, besides its schema. One thread: a batch stays one block, in order.
# Spans sent twice are left to the merges, and readers handle them until then: deduplicating each
# block took a quarter of the INSERT. The decoder's plan has nothing to optimize either, and
# trying is a fifth of the cost of a small batch. An INSERT that takes too long is aborted and
# tried again under a new time: discovery does not look back for ever.
REQUEST_SETTINGS: Mapping[str, Setting] = {
    "max_execution_time": LONGEST_APPEND_S,
    "timeout_overflow_mode": "throw",
    "input_format_protobuf_oneof_presence": 1,
    "max_threads": 1,
    "optimize_on_insert": 0,
    "query_plan_enable_optimizations": 0,
}

# The extractor writes a key once a batch: there is nothing to merge before it is stored. Parsed in
# one piece, the rows of an INSERT are one block, which is stored whole or not at all.
WORKER_SETTINGS: Mapping[str, Setting] = {
    "optimize_on_insert": 0,
    "input_format_parallel_parsing": 0,
}

# For the keeper: a statement returns only when its deletion or rewrite is complete.
UPKEEP_SETTINGS: Mapping[str, Setting] = {"mutations_sync": 2, "alter_sync": 2}

# For reads on behalf of users. ``readonly`` comes last: no limit can be set after it.
READER_SETTINGS: Mapping[str, Setting] = {
    "max_execution_time": 10,
    "max_memory_usage": 1 << 30,
    "readonly": 1,
}

# For queries of readers in the query language: a separate lane, so that others need not wait for
# a long one. It times out before the API gives it up, so that the error has the reason.
ASKER_SETTINGS: Mapping[str, Setting] = {
    "max_execution_time": 8,
    "timeout_overflow_mode": "throw",
    "max_memory_usage": 1 << 30,
    "max_bytes_to_read": 32 << 30,
    "readonly": 1,
}

# For short queries, such as a ping, that must not wait for any read.
PROBER_SETTINGS: Mapping[str, Setting] = {"max_execution_time": 5, "readonly": 1}

ROWS_PER_INSERT = 10_000
"""The rows of a large batch, or of a long trace, are split: an INSERT is in memory as a whole."""


TEXT_PER_INSERT = 8 << 20
"""The bytes of rows already encoded as JSON that make one INSERT."""


class Lane:
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
        self._can_set = settings.get("readonly") != 1 and not _is_fixed(client, FILTERS)
        with translated():
            for name, value in {**COMMON_SETTINGS, **settings}.items():
                if not _is_fixed(client, name):
                    client.set_client_setting(name, value)

    def connect(self) -> None:
        """Open the connection unless it is open; raises ``StoreUnavailableError``."""
        self._ready()

    def _ready(self) -> Client:
        """Return the client, open."""
        return self._client

    def rows(self, name: str, **parameters: object) -> Iterator[Row]:
        """Run a named query and return its rows one by one, each with the names of its columns."""
        return rows_in(self.named(name, **parameters))

    def named(self, name: str, **parameters: object) -> bytes:
        """Run a named query and return its answer as ``rows_in`` reads it."""
        return self._ask(name, parameters, "JSONCompactEachRowWithNames")

    def values(self, name: str, **parameters: object) -> Iterator[Values]:
        """Run a named query and return its rows as lists, which the caller may change.

        Only for spans, of which there are very many: by name, decoding 100,000 of them into
        ``Span`` took 1.36 times as long as by position (0.207 s and 0.152 s of CPU time).
        """
        return values_in(self.unnamed(name, **parameters))

    def unnamed(self, name: str, **parameters: object) -> bytes:
        """Run a named query and return its answer as ``values_in`` reads it."""
        return self._ask(name, parameters, "JSONCompactEachRow")

    def blob(self, name: str, **parameters: object) -> bytes:
        """Run a named query of one string column and return its bytes; empty without a row."""
        return self._ask(name, parameters, "RawBLOB")

    def run(self, statement: str, **parameters: object) -> None:
        """Run a statement without an answer."""
        with translated():
            self._ready().command(statement, parameters=parameters or None)

    def insert(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[object]],
        most_s: int | None = None,
    ) -> None:
        """Insert rows of JSON values; does nothing without rows, many rows take several INSERTs.

        An INSERT that takes longer than ``most_s`` seconds stores nothing.
        """
        self._insert(table, columns, rows, "JSONCompactEachRow", most_s)

    def insert_objects(self, table: str, objects: Iterable[Mapping[str, object]]) -> None:
        """Insert rows that name their columns; otherwise like ``insert``."""
        self._insert(table, (), objects, "JSONEachRow")

    def insert_texts(self, table: str, columns: Sequence[str], texts: Iterable[bytes]) -> None:
        """Insert rows already encoded as JSON; a text is one or more rows separated by commas.

        Without ``columns`` each row names its columns. Many texts take several INSERTs.
        """
        fmt = "JSONCompactEachRow" if columns else "JSONEachRow"
        for some in _packed(texts):
            with self._inserting, translated():
                self._ready().raw_insert(table, columns or None, b",".join(some), fmt=fmt)

    def insert_binary(self, table: str, columns: Iterable[str], rows: RowBinary | Pieces) -> None:
        """Insert rows with documents, each with its values in the order of the columns."""
        block = cast("Generator[bytes]", rows)  # any iterable will do
        with self._inserting, translated():
            self._ready().raw_insert(table, list(columns), block, fmt="RowBinary")

    def insert_requests(self, table: str, records: Iterable[bytes]) -> None:
        """Have ClickHouse decode and store length-prefixed records, by the lane's settings."""
        block = cast("Generator[bytes]", records)  # any iterable will do
        with self._inserting, translated():
            self._ready().raw_insert(table, insert_block=block, fmt="Protobuf")

    def no_inserts(self) -> AbstractContextManager[object]:
        """Return a context, entered after the INSERT under way, in which no other INSERT runs."""
        return self._inserting

    def begin_session(self, name: str, idle_s: int) -> None:
        """Run what follows in a session, which the server ends after a pause of ``idle_s`` seconds.

        A statement after that raises ``StoreUnavailableError`` and does nothing. ``name`` is seen
        in the processes of the server. The embedded engine has no sessions.
        """
        self.end_session()
        if isinstance(client := self._client, HttpClient):
            client.set_client_setting("log_comment", comment_of(name))
            client.params |= {"session_id": uuid4().hex, "session_timeout": str(idle_s)}
            self.has_session = True
            self.run("SELECT 1")
            client.params["session_check"] = "1"

    def end_session(self) -> None:
        """Run what follows outside of a session."""
        if self.has_session and isinstance(client := self._client, HttpClient):
            client.set_client_setting("log_comment", WRITER)
            for name in ("session_id", "session_timeout", "session_check"):
                client.params.pop(name, None)
        self.has_session = False

    def relax(self) -> None:
        """Free memory before a large operation; does nothing for a server."""

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
    ) -> None:
        """Send a block as one text: a separate text for each row costs five times as much.

        Rows may be separated by commas, so the JSON list is sent without its brackets.
        """
        left = iter(rows)
        bound = None if most_s is None else {"max_execution_time": most_s}
        while block := list(islice(left, ROWS_PER_INSERT)):
            text = orjson.dumps(block)[1:-1]
            with self._inserting, translated():
                self._ready().raw_insert(table, columns or None, text, settings=bound, fmt=fmt)

    def _ask(self, name: str, parameters: Mapping[str, object], fmt: str) -> bytes:
        client = self._ready()
        parameters = self.hiding.narrowed(self, parameters)
        text, values = fill_in(query(name), parameters)
        if self._can_set:
            text = filtered(text, self.hiding.conditions(name, parameters))
        with translated():
            return client.raw_query(text, parameters=bind(values), fmt=fmt)


def _packed(texts: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Split texts into lists with the bytes of one INSERT, each of at least one text."""
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


def _is_fixed(client: Client, name: str) -> bool:
    """Return whether the account may not change a setting; with ``readonly = 1`` it may not."""
    known = client.server_settings.get(name)
    return known is not None and bool(known.readonly)


class EmbeddedLane(Lane):
    """A lane of the engine in this process, which shares its memory."""

    def relax(self) -> None:
        """See ``Lane.relax``: the engine and Python each keep what they have freed.

        The pages of engine code that has run count as memory of this process, too.
        """
        self.run(query("purge_memory"))
        trim_heap()
        give_back_code()
