"""Replaces each table in a statement by a subquery of the rows that the caller may read.

With a key of the project ``shop``, ``SELECT count() FROM trajectories`` becomes ``SELECT count()
FROM (SELECT * FROM default.trajectories PREWHERE Project = 'shop') AS trajectories``. The condition
is a PREWHERE because it is evaluated first, when the table is read. An ordinary condition, such as
``additional_table_filters``, may be evaluated after a condition of the caller, which can then fail
on a row of another project and reveal its text in the error: ``WHERE toUInt64(Input) > 0``, "Cannot
parse string '…'". Views are expanded, down to their tables. As a second protection, the engine's
connection has the same condition as a table filter, with the conditions that hide deleted rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.ports.sql import SqlError
from spanloom.sql import vocabulary
from spanloom.sql.sight import SYSTEM, TableName
from spanloom.sql.statements import name_parts, nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.sql import SqlEngine, Tree
    from spanloom.sql.sight import Sight


class Fences:
    """Rewrites statements so that they read only the rows visible to the caller."""

    def __init__(
        self, engine: SqlEngine, sight: Sight, database: str = "", *, of_view: bool = False
    ) -> None:
        """Allow the tables and rows that ``sight`` makes visible.

        ``database`` is the default database of table names, by default the store's database.
        ``of_view`` means that the statement is the definition of one of the store's views.
        """
        self._engine = engine
        self._sight = sight
        self._database = database or engine.database
        self._of_view = of_view

    def around(self, tree: Tree) -> Tree:
        """Return the statement with its tables replaced; raises ``SqlError`` for a hidden table."""
        inner_names = {n["name"] for n in nodes(tree) if n.get("type") == "WithElement"}
        if shadowed := inner_names & self._engine.tables.keys():
            # Only the engine knows where such a name means the WITH query and where the table.
            raise _denied(f"WITH {min(shadowed)} AS (…) has the name of a table: choose another")
        fenced: Tree = self._fenced(tree, inner_names)
        return fenced

    def named(self, parts: Sequence[str]) -> TableName:
        """Return a table's qualified name; raises ``SqlError`` if the caller may not read it."""
        if len(parts) > 2:
            raise SqlError(62, "SYNTAX_ERROR", f"{'.'.join(parts)} is no name of a table")
        name = TableName(parts[0] if len(parts) == 2 else self._database, parts[-1])
        if not self._sight.may_read(name, by_view=self._of_view):
            raise SqlError(
                *(60, "UNKNOWN_TABLE"),
                f"Table {'.'.join(name)} does not exist, or this key may not"
                " read it; SHOW TABLES and docs/sql.md list those there are",
            )
        return name

    def _fenced(self, part: Any, inner: set[str]) -> Any:
        """Return a rewritten copy of a subtree; ``inner`` are the names defined by WITH."""
        if isinstance(part, list):
            return [self._fenced(item, inner) for item in part]
        if not isinstance(part, dict):
            return part
        if "database_and_table_name" in part:
            return self._expression(part, inner)
        copy = {key: self._fenced(value, inner) for key, value in part.items()}
        if self._sight.project is not None and "prewhere" in copy:
            copy["where"] = _both(copy.pop("prewhere"), copy.get("where"))
        if copy.get("type") == "Function" and copy["name"].lower() in vocabulary.IN_FUNCTIONS:
            self._fence_set(copy, inner)
        if self._sight.project is not None and copy.get("type") in (
            "Identifier",
            "QualifiedAsterisk",
        ):
            _drop_database(copy, self._engine.database)
        return copy

    def _expression(self, part: Tree, inner: set[str]) -> Tree:
        """Return ``FROM name [AS alias] [FINAL]`` with the table replaced."""
        identifier: Tree = part["database_and_table_name"]
        parts = name_parts(identifier)
        if len(parts) == 1 and parts[0] in inner:
            return part
        name = self.named(parts)
        if self._sight.is_whole(name):
            whole = {"type": "TableIdentifier", "name": ".".join(name), "name_parts": [*name]}
            return {**part, "database_and_table_name": {**identifier, **whole}}
        if "sample_size" in part:
            raise _denied("SAMPLE is nothing that the tables of this port can")
        subquery = self._subquery(name, final=bool(part.get("final")))
        subquery["alias"] = identifier.get("alias") or parts[-1]
        return {"type": "TableExpression", "subquery": subquery}

    def _fence_set(self, function: Tree, inner: set[str]) -> None:
        """Replace the table in ``x IN name``; a name that is not a table is a column."""
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

    def _subquery(self, name: TableName, *, final: bool) -> Tree:
        """Return the visible rows of a table as a subquery."""
        is_ours = name.database != SYSTEM
        if is_ours and (view := self._engine.tables[name.table].definition):
            tree: Tree | None = Fences(self._engine, self._sight, of_view=True).around(view)
        else:
            tree = self._engine.parse(self._sight.rows_text(name, final=final))
        return {"type": "Subquery", "children": [tree]}


def _both(one: Tree, other: Tree | None) -> Tree:
    """Join two conditions by AND into a WHERE: PREWHERE needs a table, not a subquery."""
    if other is None:
        return one
    arguments = {"type": "ExpressionList", "children": [one, other]}
    return {"type": "Function", "name": "and", "arguments": arguments, "is_operator": True}


def _drop_database(node: Tree, database: str) -> None:
    """Shorten ``default.steps.Name`` to ``steps.Name``, because a subquery has no database."""
    qualifier = node["qualifier"] if node["type"] == "QualifiedAsterisk" else node
    parts = name_parts(qualifier)
    least = 2 if node["type"] == "QualifiedAsterisk" else 3
    if len(parts) >= least and parts[0] == database:
        qualifier["name_parts"] = parts[1:]
        qualifier["name"] = ".".join(parts[1:])


def _denied(why: str) -> SqlError:
    return SqlError(497, "ACCESS_DENIED", f"Not here: {why}")
