"""What one caller sees of the tables: which there are, and which rows of theirs.

A key of the project ``shop`` sees the rows of ``shop``. What annotators and evaluators say is in
``v_annotations`` and ``v_scores`` alone, and nobody sees there what a blind queue withholds yet:
annotators have keys too (``core/annotation/queue.py``).
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
"""Of one project, or of all (``None``): project and trace id of what is withheld."""


def nothing_withheld(_: str | None) -> Collection[tuple[str, str]]:
    """Return that nothing is withheld."""
    return ()


class Named(NamedTuple):
    """A table that a statement names."""

    database: str
    table: str


class Sight:
    """What a key of one project sees, or a key of all (``project=None``), in one statement."""

    def __init__(
        self, engine: SqlEngine, project: str | None, withheld: Withheld = nothing_withheld
    ) -> None:
        """``withheld`` names the traces of which nothing that was said may be told."""
        self._engine = engine
        self.project = project
        self._withheld = withheld
        self.parameters: dict[str, str] = {}
        """What the texts made here need besides the caller's own parameters."""

    def may_read(self, name: Named, *, by_view: bool = False) -> bool:
        """Return whether a statement may name a table; ``by_view``: whether a view of ours may."""
        if name.database == SYSTEM:
            is_one = self.project is not None
            return name.table in (
                vocabulary.SYSTEM_TABLES if is_one else vocabulary.SYSTEM_TABLES_OF_ALL
            )
        table = self._table(name)
        if table is None or table.name in _NOBODYS or (table.name in _SAID and not by_view):
            return False
        is_for_all = self.project is None and table.has_rows
        return table.has_projects or is_for_all or self._is_readable_view(table)

    def is_whole(self, name: Named) -> bool:
        """Return whether a table is read as it is: the lane alone leaves out what is deleted."""
        is_partial = name == (SYSTEM, "settings") or any(map(self._hides_rows, self._within(name)))
        return self.project is None and not is_partial

    def rows_text(self, name: Named, *, final: bool) -> str:
        """Return the SELECT of a table's rows that the caller may see.

        Columns are named with their table's alias, which nobody can foresee: a plain ``Project``
        could be made to mean ``WITH 'shop' AS Project`` around it.
        """
        if name.database == SYSTEM:
            return self._system_text(name.table)
        alias = f"rows_{token_hex(8)}"
        named = f"{'.'.join(name)} AS {alias}{' FINAL' if final else ''}"
        text = f"SELECT * FROM {named}"  # noqa: S608  # of the catalogue
        conditions = list(self._conditions(self._engine.tables[name.table], alias))
        return f"{text} PREWHERE {' AND '.join(conditions)}" if conditions else text

    def _table(self, name: Named) -> SqlTable | None:
        is_ours = name.database == self._engine.database
        return self._engine.tables.get(name.table) if is_ours else None

    def _is_readable_view(self, table: SqlTable) -> bool:
        """Return whether all that a view reads may be read."""
        read = self._read_by(table)
        return bool(read) and all(self.may_read(name, by_view=True) for name in read)

    def _read_by(self, table: SqlTable) -> Sequence[Named]:
        """Return what a view names; nothing of a table."""
        found = nodes(table.definition) if table.definition else ()
        named = [name_parts(n) for n in found if n.get("type") == "TableIdentifier"]
        return [Named(self._engine.database, *p) if len(p) == 1 else Named(*p) for p in named]

    def _within(self, name: Named) -> Iterator[Named]:
        """Yield a table and, of a view, all that it stands for."""
        yield name
        if (table := self._table(name)) is not None:
            for inner in self._read_by(table):
                yield from self._within(inner)

    def _hides_rows(self, name: Named) -> bool:
        """Return whether a key of all projects does not see all rows of a table either."""
        return name.database == self._engine.database and name.table in {*_SAID, _CHANGES}

    def _conditions(self, table: SqlTable, alias: str) -> Iterator[str]:
        """Yield the conditions on the rows of a table that the caller may see."""
        if table.has_projects and self.project is not None:
            yield f"{alias}.Project = {quote(self.project)}"
        if table.name == _CHANGES:
            yield f"NOT {alias}.IsSaid"
        if table.name in _SAID and (traces := sorted(self._withheld(self.project))):
            name = f"withheld_{token_hex(8)}"
            self.parameters[name] = _as_parameter(traces)
            keys = f"JSONExtract({{{name}:String}}, 'Array(Tuple(String, String))')"
            yield f"({alias}.Project, {alias}.TraceId) NOT IN {keys}"

    def _system_text(self, table: str) -> str:
        """Return the SELECT of a table of the engine, some of its columns replaced."""
        replaced = ", ".join(f"{value} AS {column}" for column, value in self._replaced(table))
        return f"SELECT * {f'REPLACE ({replaced}) ' if replaced else ''}FROM {SYSTEM}.{table}"

    def _replaced(self, table: str) -> Iterator[tuple[str, str]]:
        """Yield columns of a table of the engine, and what they are instead."""
        if table == "settings":  # by ``readonly``, clients decide whether to send a setting at all
            names = self._engine.setting_names
            taken = ", ".join(quote(n) for n in names if settings.is_taken(n))
            yield "readonly", f"toUInt8(name NOT IN ({taken}))"
        elif self.project is not None and table in ("tables", "columns", "databases"):
            for column in self._engine.system_columns.get(table, ()):
                if column in vocabulary.SIZES:
                    yield column, f"defaultValueOfArgumentType({column})"


_NOBODYS = frozenset({"access_keys", "annotation_queue_events", "annotation_scores_writer"})
"""Tables that no statement reads, whoever asks."""
_SAID = frozenset({"annotations", "scores"})
"""Tables that statements read through views alone."""
_CHANGES = "trajectory_changes"
"""Its rows on what was said are in no answer: when somebody annotates is withheld, too."""


def quote(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _as_parameter(traces: Sequence[tuple[str, str]]) -> str:
    """Return keys of traces as JSON, escaped as the engine wants the value of a parameter."""
    return orjson.dumps(traces, default=tuple).decode().replace("\\", "\\\\")
