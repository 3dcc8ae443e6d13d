"""Puts in place of each table what the caller may read of it.

``SELECT count() FROM trajectories`` of a key of the project ``shop`` becomes
``SELECT count() FROM (SELECT * FROM default.trajectories PREWHERE Project = 'shop') AS
trajectories``. The condition is a PREWHERE because the reader of the table evaluates it before
everything else. An ordinary condition, as the lane's ``additional_table_filters``, the engine may
evaluate after one of the caller's, which can then fail on a row of another project and name its
text: ``WHERE toUInt64(Input) > 0``, "Cannot parse string '…'". Views are written out, down to
their tables. The lane has the same condition once more, and those of deletions.
"""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.ports.sql import SqlError
from spanloom.sql import settings, vocabulary
from spanloom.sql.trees import name_parts, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.ports.sql import SqlEngine, SqlTable, Tree

SYSTEM = "system"
_SIZES = frozenset(
    {
        *("total_rows", "total_bytes", "total_bytes_uncompressed", "parts", "active_parts"),
        *("total_marks", "lifetime_rows", "lifetime_bytes", "data_paths", "metadata_path"),
        *("data_compressed_bytes", "data_uncompressed_bytes", "marks_bytes", "data_path"),
        *("statistics", "metadata_modification_time", "active_on_fly_data_mutations"),
        *("active_on_fly_metadata_mutations", "active_on_fly_alter_mutations"),
    }
)
"""Columns of ``system.tables``, ``columns`` and ``databases`` that tell how much others have."""


class Named(NamedTuple):
    """A table that a statement names."""

    database: str
    table: str


class Fences:
    """What the tables are to one caller: a key of one project, or of all (``project=None``)."""

    def __init__(self, engine: SqlEngine, project: str | None, database: str = "") -> None:
        """``database`` is where names without one are looked up; the store's if empty."""
        self._engine = engine
        self._project = project
        self._database = database or engine.database

    def around(self, tree: Tree) -> Tree:
        """Return the statement with every table fenced; raises ``SqlError`` for unreadable ones."""
        inner_names = {n["name"] for n in nodes(tree) if n.get("type") == "WithElement"}
        if taken := inner_names & self._engine.tables.keys():
            # Where such a name means the query and where the table, only the engine knows.
            raise _denied(f"WITH {min(taken)} AS (…) has the name of a table: choose another")
        fenced: Tree = self._fenced(tree, inner_names)
        return fenced

    def named(self, parts: Sequence[str]) -> Named:
        """Return the table of this name; raises ``SqlError`` if the caller may not read it."""
        if len(parts) > 2:
            raise SqlError(62, "SYNTAX_ERROR", f"{'.'.join(parts)} is no name of a table")
        name = Named(parts[0] if len(parts) == 2 else self._database, parts[-1])
        if not self._may_read(name):
            raise SqlError(
                *(60, "UNKNOWN_TABLE"),
                f"Table {'.'.join(name)} does not exist, or this key may not"
                " read it; SHOW TABLES and docs/sql.md list those there are",
            )
        return name

    def _fenced(self, part: Any, inner: set[str]) -> Any:
        """Return a copy of a part of a tree; ``inner`` are the names of its queries."""
        if isinstance(part, list):
            return [self._fenced(item, inner) for item in part]
        if not isinstance(part, dict):
            return part
        if "database_and_table_name" in part:
            return self._expression(part, inner)
        copy = {key: self._fenced(value, inner) for key, value in part.items()}
        if self._project is not None and "prewhere" in copy:
            copy["where"] = _both(copy.pop("prewhere"), copy.get("where"))
        if copy.get("type") == "Function" and copy["name"].lower() in vocabulary.IN_FUNCTIONS:
            self._fence_set(copy, inner)
        if self._project is not None and copy.get("type") in ("Identifier", "QualifiedAsterisk"):
            _drop_database(copy, self._engine.database)
        return copy

    def _expression(self, part: Tree, inner: set[str]) -> Tree:
        """Return ``FROM name [AS alias] [FINAL]`` as what the caller may read of it."""
        identifier: Tree = part["database_and_table_name"]
        parts = name_parts(identifier)
        if len(parts) == 1 and parts[0] in inner:
            return part
        name = self.named(parts)
        if self._is_whole(name):
            whole = {"type": "TableIdentifier", "name": ".".join(name), "name_parts": [*name]}
            return {**part, "database_and_table_name": {**identifier, **whole}}
        if "sample_size" in part:
            raise _denied("SAMPLE is nothing that the tables of this port can")
        subquery = self._subquery(name, final=bool(part.get("final")))
        subquery["alias"] = identifier.get("alias") or parts[-1]
        return {"type": "TableExpression", "subquery": subquery}

    def _is_whole(self, name: Named) -> bool:
        """Return whether a table is read as it is: the lane alone leaves out what is deleted."""
        is_partial = name == (SYSTEM, "settings") or name.table == _CHANGES
        return self._project is None and not is_partial

    def _fence_set(self, function: Tree, inner: set[str]) -> None:
        """Replace the table in ``x IN name``; a name that is no table is a column's."""
        arguments: list[Tree] = function["arguments"]["children"]
        if len(arguments) != 2 or arguments[1].get("type") not in ("Identifier", "TableIdentifier"):
            return
        parts = name_parts(arguments[1])
        is_inner = len(parts) == 1 and parts[0] in inner
        if not is_inner and self._could_be_table(parts):
            arguments[1] = self._subquery(self.named(parts), final=False)

    def _could_be_table(self, parts: Sequence[str]) -> bool:
        if len(parts) == 2:
            return parts[0] in (self._engine.database, SYSTEM) or parts[0].lower().startswith("inf")
        known = self._engine.system_columns if self._database == SYSTEM else self._engine.tables
        return len(parts) == 1 and parts[0] in known

    def _may_read(self, name: Named) -> bool:
        if name.database == SYSTEM:
            is_one = self._project is not None
            return name.table in (
                vocabulary.SYSTEM_TABLES if is_one else vocabulary.SYSTEM_TABLES_OF_ALL
            )
        table = self._engine.tables.get(name.table)
        if name.database != self._engine.database or table is None or table.name in _NOBODYS:
            return False
        return table.has_projects or self._is_readable_view(table) or self._is_for_all(table)

    def _is_for_all(self, table: SqlTable) -> bool:
        return self._project is None and table.has_rows

    def _is_readable_view(self, table: SqlTable) -> bool:
        """Return whether all that a view reads may be read."""
        named = [n for n in nodes(table.definition) if n.get("type") == "TableIdentifier"]
        return bool(named) and all(
            self._may_read(_in_store(n, self._engine.database)) for n in named
        )

    def _subquery(self, name: Named, *, final: bool) -> Tree:
        """Return what the caller sees of a table, as a subquery."""
        if name.database == SYSTEM:
            return self._parsed(self._system_text(name.table))
        table = self._engine.tables[name.table]
        if table.definition:
            own = Fences(self._engine, self._project)
            return {"type": "Subquery", "children": [own.around(table.definition)]}
        return self._parsed(self._rows_text(table, final=final))

    def _rows_text(self, table: SqlTable, *, final: bool) -> str:
        """Return the SELECT of a table's rows that the caller may see.

        The column is named with its table's alias, which nobody can foresee: a plain ``Project``
        could be made to mean ``WITH 'shop' AS Project`` around it.
        """
        alias = f"rows_{token_hex(8)}"
        named = f"{self._engine.database}.{table.name} AS {alias}{' FINAL' if final else ''}"
        text = f"SELECT * FROM {named}"  # noqa: S608  # of the catalogue
        conditions = list(self._conditions(table, alias))
        return f"{text} PREWHERE {' AND '.join(conditions)}" if conditions else text

    def _conditions(self, table: SqlTable, alias: str) -> Iterator[str]:
        """Yield the conditions on the rows of a table that the caller may see."""
        if table.has_projects and self._project is not None:
            yield f"{alias}.Project = {quote(self._project)}"
        if table.name == _CHANGES:
            yield f"NOT {alias}.IsSaid"

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
        elif self._project is not None and table in ("tables", "columns", "databases"):
            for column in self._engine.system_columns.get(table, ()):
                if column in _SIZES:
                    yield column, f"defaultValueOfArgumentType({column})"

    def _parsed(self, text: str) -> Tree:
        tree = self._engine.parse(text)
        return {"type": "Subquery", "children": [tree]}


_NOBODYS = frozenset(
    {
        "access_keys",
        # Blind annotators have keys too: the API alone knows what to withhold from whom.
        *("annotations", "scores", "annotation_queue_events", "annotation_scores_writer"),
    }
)
"""Tables that no statement reads, whoever asks."""
_CHANGES = "trajectory_changes"
"""Its rows on what was said are in no answer: the API alone knows what blind queues withhold."""


def quote(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _both(one: Tree, other: Tree | None) -> Tree:
    """Return both conditions as one: PREWHERE is for tables alone, and there are none left."""
    if other is None:
        return one
    arguments = {"type": "ExpressionList", "children": [one, other]}
    return {"type": "Function", "name": "and", "arguments": arguments, "is_operator": True}


def _in_store(identifier: Tree, database: str) -> Named:
    parts = name_parts(identifier)
    return Named(parts[0] if len(parts) == 2 else database, parts[-1])


def _drop_database(node: Tree, database: str) -> None:
    """Turn ``default.steps.Name`` into ``steps.Name``: a subquery has no database."""
    qualifier = node["qualifier"] if node["type"] == "QualifiedAsterisk" else node
    parts = name_parts(qualifier)
    least = 2 if node["type"] == "QualifiedAsterisk" else 3
    if len(parts) >= least and parts[0] == database:
        qualifier["name_parts"] = parts[1:]
        qualifier["name"] = ".".join(parts[1:])


def _denied(why: str) -> SqlError:
    return SqlError(497, "ACCESS_DENIED", f"Not here: {why}")
