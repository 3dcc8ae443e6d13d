"""A program: ClickHouse's HTTP interface, with writes, over its own embedded engine.

It is the SQL port with a server's rights instead of a reader's. Started as
``python -m tests.support.clickhouse_server DIRECTORY [PORT]``; prints its port. The URL
``clickhouse://default:@127.0.0.1:PORT/default`` then works like a ClickHouse server. Between
SIGUSR1 and SIGUSR2 it refuses all changes.
"""

from __future__ import annotations

import re
import signal
import sys
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import orjson
from tests.support.access import open_access

from spanloom.access.headers import Hosts
from spanloom.core.ports.sql import SqlAnswer, SqlFacts
from spanloom.process.serving import HttpServer, bind
from spanloom.sql import native
from spanloom.sql.door import SqlDoor
from spanloom.sql.reader import Outcome
from spanloom.sql.settings import is_ignored
from spanloom.storage.engine.connect import mend_links
from spanloom.storage.sql import EmbeddedSql, connect, set_settings, sql_error
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    from spanloom.sql.reader import SqlCaller
    from spanloom.sql.requests import Query

MAX_BODY_BYTES = 512 << 20
AT_A_TIME = 16
_INSERT = re.compile(
    rb"(\s*INSERT\s+INTO\s.*?)\sFORMAT\s+(\w+)\s*?(?:\n|\Z)", re.IGNORECASE | re.DOTALL
)
_ANSWERING = (
    "SELECT",
    "WITH",
    "SHOW",
    "DESCRIBE",
    "DESC",
    "EXISTS",
    "EXPLAIN",
    "CHECK",
    "KILL",
    "(",
)
_FORMAT = re.compile(r" FORMAT `?(\w+)`?(?: SETTINGS .*)?\Z", re.DOTALL)


class Server:
    """``Statements`` that may do everything, each on a connection of its own."""

    def __init__(self, path: Path) -> None:
        mend_links(path)
        self._path = path
        self._engine = EmbeddedSql(path)
        self.is_read_only = False

    @property
    def facts(self) -> SqlFacts:
        return self._engine.facts

    def answer(self, query: Query, _caller: SqlCaller, tag: str) -> Outcome:
        connection = connect(self._path)
        try:
            self._prepare(connection, query, tag)
            return self._run(connection, query)
        except RuntimeError as error:
            raise sql_error(error) from error
        finally:
            connection.close()

    def set_read_only(self, to: bool, *_: object) -> None:
        """Refuse or accept changes from the next statement on."""
        self.is_read_only = to

    def cancel(self, tag: str) -> None:
        self._engine.cancel(tag)

    def _prepare(self, connection: Any, query: Query, tag: str) -> None:
        if query.database:
            connection.query(f"USE `{query.database}`")
        settings = {
            n: v for n, v in query.settings.items() if n.startswith("in") or not is_ignored(n)
        }
        read_only = {"readonly": "1"} if self.is_read_only else {}
        set_settings(connection, {**settings, "log_comment": tag, **read_only})

    def _run(self, connection: Any, query: Query) -> Outcome:
        whole = b"\n".join(filter(None, (query.in_url.encode(), query.body)))
        found = _INSERT.match(whole)
        if found:
            return _insert(connection, found[1].decode(), found[2].decode(), whole[found.end() :])
        text = query.text
        fmt = self._format(text, query)
        answer = _answer(connection.query(text, fmt or "TSV", params=dict(query.parameters)))
        if fmt != "Native":
            return Outcome(answer, fmt)
        body = answer.body or _header(connection, text, dict(query.parameters))
        return Outcome(answer._replace(body=native.reframe(body, query.revision)), fmt)

    def _format(self, text: str, query: Query) -> str:
        """Return the response format of a statement; empty if it has none."""
        if not text.lstrip().upper().startswith(_ANSWERING):
            return ""
        found = _FORMAT.search(self._engine.plain(text))
        return found[1] if found else query.format


def _insert(connection: Any, text: str, fmt: str, data: bytes) -> Outcome:
    inserting = connection.send_insert(text, fmt)
    inserting.append(data)
    done = inserting.finish()
    written = {"rows_written": done.rows_written, "bytes_written": done.bytes_written}
    return Outcome(SqlAnswer(b"", 0, 0, 0, done.elapsed, **written), "")


def _answer(found: Any) -> SqlAnswer:
    return SqlAnswer(
        body=found.bytes() or b"",
        rows=found.rows_read(),
        rows_read=found.storage_rows_read(),
        bytes_read=found.storage_bytes_read(),
        elapsed_s=found.elapsed(),
        rows_written=found.rows_written(),
        bytes_written=found.bytes_written(),
    )


def _header(connection: Any, text: str, parameters: dict[str, str]) -> bytes:
    plain = re.sub(r"\s*FORMAT\s+Native\s*;?\s*\Z", "", text, flags=re.IGNORECASE)
    described = connection.query(
        f"DESCRIBE TABLE ({plain})", "JSONCompactEachRow", params=parameters
    )
    rows = map(orjson.loads, described.bytes().splitlines())
    return native.header((name, kind) for name, kind, *_ in rows)


def main() -> None:
    """Serve until a signal."""
    path, port = Path(sys.argv[1]).absolute(), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    store = Server(path)
    door = SqlDoor(
        store,
        open_access().authenticator,
        Hosts(),
        Metrics(),
        at_a_time=AT_A_TIME,
        max_body_bytes=MAX_BODY_BYTES,
    )
    server = HttpServer(door, bind("127.0.0.1", port, "PORT"), "clickhouse", None, door.end)
    ended: SimpleQueue[int] = SimpleQueue()  # which a handler may use whatever it interrupts
    signal.signal(signal.SIGTERM, lambda number, _: ended.put(number))
    for number, read_only in ((signal.SIGUSR1, True), (signal.SIGUSR2, False)):
        signal.signal(number, partial(store.set_read_only, read_only))
    server.start()
    print(server.port, flush=True)
    ended.get()
    server.stop(5)


if __name__ == "__main__":
    main()
