"""Decides which tables, and which of their rows, a caller may read.

A key of the project ``shop`` sees the rows of ``shop``. Annotations and scores are readable in
``v_annotations`` and ``v_scores`` only, without the rows that a blind queue still withholds,
because annotators have keys too (``core/annotation/queue.py``).
"""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import orjson

from spanloom.sql import settings, vocabulary
from spanloom.sql.statements import name_parts, nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from spanloom.core.ports.sql import SqlEngine, SqlTable

SYSTEM = "system"

Withheld: TypeAlias = "Callable[[str | None], Collection[tuple[str, str]]]"
"""Returns the traces, as project and id, whose annotations and scores are withheld.

The argument is a project, or ``None`` for all projects.
"""


def nothing_withheld(_: str | None) -> Collection[tuple[str, str]]:
    """Return no traces."""
    return ()


class TableName(NamedTuple):
    """A qualified table name."""

    database: str
    table: str


class Sight:
    """The tables and rows that a statement may read with a key of one project, or of all.

    For a key of all projects, ``project`` is ``None``.
    """

    def __init__(
        self, engine: SqlEngine, project: str | None, withheld: Withheld = nothing_withheld
    ) -> None:
        """Use ``engine``; ``withheld`` returns the traces with withheld annotations and scores."""
        self._engine = engine
        self.project = project
        self._withheld = withheld
        self.parameters: dict[str, str] = {}
        """Query parameters of the SQL made here, in addition to the caller's own."""

    def may_read(self, name: TableName, *, by_view: bool = False) -> bool:
        """Return whether a statement, or with ``by_view`` a view of the store, may read a table."""
        if name.database == SYSTEM:
            is_one = self.project is not None
            return name.table in (
                vocabulary.SYSTEM_TABLES if is_one else vocabulary.SYSTEM_TABLES_OF_ALL
            )
        table = self._table(name)
        if table is None or table.name in _UNREADABLE or (table.name in _VIEW_ONLY and not by_view):
            return False
        is_for_all = self.project is None and table.has_rows
        return table.has_projects or is_for_all or self._is_readable_view(table)

    def is_whole(self, name: TableName) -> bool:
        """Return whether the caller may read all rows of a table, so that it is not replaced.

        The engine itself hides deleted rows.
        """
        is_partial = name == (SYSTEM, "settings") or any(map(self._hides_rows, self._within(name)))
        return self.project is None and not is_partial

    def rows_text(self, name: TableName, *, final: bool) -> str:
        """Return the SELECT of a table's rows that the caller may see.

        Columns are qualified by a random table alias: a plain ``Project`` could be redefined by
        ``WITH 'shop' AS Project`` in the outer query.
        """
        if name.database == SYSTEM:
            return self._system_text(name.table)
        alias = f"rows_{token_hex(8)}"
        named = f"{'.'.join(name)} AS {alias}{' FINAL' if final else ''}"
        table = self._engine.tables[name.table]
        columns = ", ".join(["*", *(f"{alias}.`{column}`" for column in table.computed)])
        text = f"SELECT {columns} FROM {named}"  # noqa: S608  # of the catalogue
        conditions = list(self._conditions(table, alias))
        return f"{text} PREWHERE {' AND '.join(conditions)}" if conditions else text

    def _table(self, name: TableName) -> SqlTable | None:
        is_ours = name.database == self._engine.database
        return self._engine.tables.get(name.table) if is_ours else None

    def _is_readable_view(self, table: SqlTable) -> bool:
        """Return whether the caller may read all tables of a view."""
        read = self._names_in(table)
        return bool(read) and all(self.may_read(name, by_view=True) for name in read)

    def _names_in(self, table: SqlTable) -> Sequence[TableName]:
        """Return the names of the tables in a view's definition; empty for a table."""
        tree_nodes = nodes(table.definition) if table.definition else ()
        named = [name_parts(n) for n in tree_nodes if n.get("type") == "TableIdentifier"]
        return [
            TableName(self._engine.database, *p) if len(p) == 1 else TableName(*p) for p in named
        ]

    def _within(self, name: TableName) -> Iterator[TableName]:
        """Yield a table and, for a view, all tables and views it reads, recursively."""
        yield name
        if (table := self._table(name)) is not None:
            for inner in self._names_in(table):
                yield from self._within(inner)

    def _hides_rows(self, name: TableName) -> bool:
        """Return whether some rows of a table are hidden even from keys of all projects."""
        return name.database == self._engine.database and name.table in {*_VIEW_ONLY, _CHANGES}

    def _conditions(self, table: SqlTable, alias: str) -> Iterator[str]:
        """Yield the conditions that the visible rows of a table meet."""
        if table.has_projects and self.project is not None:
            yield f"{alias}.Project = {quote(self.project)}"
        if table.name == _CHANGES:
            yield f"NOT {alias}.IsSaid"
        if table.name in _VIEW_ONLY and (traces := sorted(self._withheld(self.project))):
            name = f"withheld_{token_hex(8)}"
            self.parameters[name] = _as_parameter(traces)
            keys = f"JSONExtract({{{name}:String}}, 'Array(Tuple(String, String))')"
            yield f"({alias}.Project, {alias}.TraceId) NOT IN {keys}"

    def _system_text(self, table: str) -> str:
        """Return the SELECT of a system table, with some columns replaced."""
        replaced = ", ".join(f"{value} AS {column}" for column, value in self._replaced(table))
        return f"SELECT * {f'REPLACE ({replaced}) ' if replaced else ''}FROM {SYSTEM}.{table}"

    def _replaced(self, table: str) -> Iterator[tuple[str, str]]:
        """Yield the columns of a system table to replace, with their expressions."""
        if table == "settings":  # clients check ``readonly`` before they send a setting
            names = self._engine.setting_names
            taken = ", ".join(quote(n) for n in names if settings.is_settable(n))
            yield "readonly", f"toUInt8(name NOT IN ({taken}))"
        elif self.project is not None and table in ("tables", "columns", "databases"):
            for column in self._engine.system_columns.get(table, ()):
                if column in vocabulary.SIZES:
                    yield column, f"defaultValueOfArgumentType({column})"


_UNREADABLE = frozenset(
    {"access_keys", "alerts", "annotation_queue_events", "annotation_scores_writer"}
)
"""Tables that no key may read, because the URLs of alert channels may contain secrets."""
_VIEW_ONLY = frozenset({"annotations", "scores"})
"""Tables that can be read only through views."""
_CHANGES = "trajectory_changes"
"""The change feed's table; its rows about annotations and scores are hidden.

They would reveal the times of withheld annotations.
"""


def quote(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _as_parameter(traces: Sequence[tuple[str, str]]) -> str:
    """Return project and id of traces as JSON, escaped for the value of a query parameter."""
    return orjson.dumps(traces, default=tuple).decode().replace("\\", "\\\\")
