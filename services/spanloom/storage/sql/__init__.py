"""``SqlEngine`` on the embedded engine: a connection per statement, and errors with codes."""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.ports.sql import SqlAnswer, SqlError, SqlFacts, SqlTable, Tree
from spanloom.storage.deletions.hiding import OF_TRACES, row_lives
from spanloom.storage.engine.embedded import OwnAnswers, load_engine
from spanloom.storage.engine.parameters import FILTERS, quoted
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanloom.core.ports.sql import SqlJob


_ERROR = re.compile(r"Code: (\d+)\. DB::Exception: (.*)\(([A-Z][A-Z0-9_]+)\)\s*\Z", re.DOTALL)
_NAMELESS = re.compile(r"Code: (\d+)\. DB::Exception: (.*)\Z", re.DOTALL)
"""Matches the error of a streaming INSERT, or an error cut off at a zero byte."""
_OF_THE_CHECK = re.compile(r": In scope SELECT (parseQueryToJSON|formatQuery\w*)\(.*", re.DOTALL)
"""Matches the context of our own parsing statement, which the engine adds to an error."""
_NESTED = re.compile(r"Code: \d+\. DB::Exception: ")
_VERSION = re.compile(r" ?\([A-Z][A-Z0-9_]+\) \(version [^)]*\)\.?")
_UNKNOWN = (1002, "UNKNOWN_EXCEPTION")


def sql_error(error: BaseException) -> SqlError:
    """Return the engine's error as ``SqlError``.

    A nested error is reported once, although the engine repeats number, name and version for each.
    """
    found = _ERROR.search(str(error)) or _NAMELESS.search(str(error))
    if found is None:
        return SqlError(*_UNKNOWN, str(error).split("\n", 1)[0])
    code, text, *name = found.groups()
    plain = _OF_THE_CHECK.sub("", _VERSION.sub("", _NESTED.sub("", text))).strip()
    return SqlError(int(code), name[0] if name else _UNKNOWN[1], plain)


_NO_TREE = "is not supported by parseQueryToJSON"
_PARSER_LIMITS = {"max_execution_time": 5, "max_query_size": 4 << 20, "max_memory_usage": 256 << 20}
"""The limits of parsing, which allow every text that the endpoint accepts, in quotes."""


class EmbeddedSql:
    """Parses on one permanent connection, and runs every job on a new one."""

    def __init__(self, path: Path) -> None:
        """Open connections to the store at this path, whose other connections must stay open."""
        self._path = path
        self._lock = Lock()
        self._parser = connect(self._path)
        set_settings(self._parser, {**_PARSER_LIMITS, "readonly": 1})
        first = self._rows(query("sql_facts"))[0]
        self._facts = SqlFacts(*first[:3])
        self._database: str = first[3]
        found = self._rows(query("sql_tables"))
        self._tables = {name: self._table(name, *rest) for name, *rest in found}
        self._settings = [name for (name,) in self._rows(query("sql_settings"))]
        self._columns = dict(self._rows(query("sql_columns")))

    @property
    def database(self) -> str:
        """See ``SqlEngine``."""
        return self._database

    @property
    def facts(self) -> SqlFacts:
        """See ``SqlEngine``."""
        return self._facts

    @property
    def tables(self) -> Mapping[str, SqlTable]:
        """See ``SqlEngine``; the tables do not change while a service runs."""
        return self._tables

    @property
    def system_columns(self) -> Mapping[str, Sequence[str]]:
        """See ``SqlEngine``."""
        return self._columns

    @property
    def setting_names(self) -> Sequence[str]:
        """See ``SqlEngine``."""
        return self._settings

    def parse(self, text: str) -> Tree | None:
        """See ``SqlEngine``."""
        try:
            tree: Tree = orjson.loads(self._asked(f"SELECT parseQueryToJSON({quoted(text)})"))
        except RuntimeError as error:
            if _NO_TREE in str(error):
                return None
            raise sql_error(error) from error
        return tree

    def write(self, tree: Tree) -> str:
        """See ``SqlEngine``."""
        return self._said("formatQueryFromJSON", orjson.dumps(tree).decode())

    def plain(self, text: str) -> str:
        """See ``SqlEngine``."""
        return self._said("formatQuerySingleLine", text)

    def run(self, job: SqlJob) -> SqlAnswer:
        """See ``SqlEngine``."""
        connection = connect(self._path)
        try:
            filters = {FILTERS: self._filters(job.project)}
            set_settings(connection, {**job.settings, **filters, "log_comment": job.tag})
            set_settings(connection, {"readonly": 1})  # must be last: nothing can be set after it
            found = connection.query(job.text, job.format, params=dict(job.parameters))
            return SqlAnswer(
                body=found.bytes() or b"",
                rows=found.rows_read(),  # the engine's name for the rows of the response
                rows_read=found.storage_rows_read(),
                bytes_read=found.storage_bytes_read(),
                elapsed_s=found.elapsed(),
            )
        except RuntimeError as error:
            raise sql_error(error) from error
        finally:
            connection.close()

    def cancel(self, tag: str) -> None:
        """See ``SqlEngine``."""
        connection = connect(self._path)
        try:
            connection.query(f"KILL QUERY WHERE Settings['log_comment'] = {quoted(tag)} ASYNC")
        finally:
            connection.close()

    def close(self) -> None:
        """See ``SqlEngine``."""
        self._parser.close()

    def _filters(self, project: str | None) -> str:
        """Return table filters that hide deleted rows and the rows of other projects.

        They are an additional safeguard, because the statement has already been checked.
        """
        conditions = {
            f"{self._database}.{table.name}": condition
            for table in self._tables.values()
            if (condition := _condition(table, project))
        }
        return f"{{{', '.join(f'{quoted(t)}: {quoted(c)}' for t, c in conditions.items())}}}"

    def _table(self, name: str, select: str, has_rows: int, computed: Sequence[str]) -> SqlTable:
        live = row_lives(name) if name in OF_TRACES else ""
        definition = self.parse(select) if select else None
        return SqlTable(name, definition, live, bool(has_rows), computed)

    def _said(self, function: str, text: str) -> str:
        try:
            return self._asked(f"SELECT {function}({quoted(text)})").decode().strip()
        except RuntimeError as error:
            raise sql_error(error) from error

    def _rows(self, text: str) -> list[list[Any]]:
        answer = self._asked(text, "JSONCompactEachRow")
        return [orjson.loads(line) for line in answer.splitlines()]

    def _asked(self, text: str, fmt: str = "RawBLOB") -> bytes:
        with self._lock:
            answer: bytes = self._parser.query(text, fmt).bytes()
        return answer


def connect(path: Path) -> Any:  # chDB has no types
    """Return a new connection to the engine at a path."""
    load_engine()
    from chdb.state.sqlitelike import Connection  # noqa: PLC0415  # after ``load_engine``

    return OwnAnswers(Connection(str(path)))


def set_settings(connection: Any, settings: Mapping[str, object]) -> None:
    """Set settings for all following statements on a connection."""
    assignments = ", ".join(f"{name} = {quoted(str(value))}" for name, value in settings.items())
    connection.query(f"SET {assignments}")


def _condition(table: SqlTable, project: str | None) -> str:
    """Return the condition on visible rows; empty if all are visible, ``0`` if none are."""
    if table.live:
        return table.live if project is None else f"Project = {quoted(project)} AND ({table.live})"
    return "" if table.definition or table.has_rows else "0"
