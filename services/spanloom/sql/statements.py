"""Checks whether a statement may run, on the syntax tree of the engine's own parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.ports.sql import SqlError
from spanloom.sql import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.ports.sql import Tree


def nodes(part: object) -> Iterator[Tree]:
    """Yield every node in a subtree, outer nodes first."""
    stack: list[Any] = [part]
    while stack:
        at = stack.pop()
        if isinstance(at, dict):
            yield at
            stack.extend(at.values())
        elif isinstance(at, list):
            stack.extend(at)


def name_parts(identifier: Tree) -> list[str]:
    """Return the parts of a name: ``["default", "trajectories"]``; one part if unqualified."""
    parts: list[str] = identifier.get("name_parts") or [identifier.get("name", "")]
    return parts


def literal(value: dict[str, Any]) -> str:
    """Return the value of a setting as text for a SET statement."""
    found = value.get("value", "")
    if isinstance(found, bool):
        return str(int(found))
    return str(found)


ACCESS_DENIED = (497, "ACCESS_DENIED")
_KINDS = {
    "SelectWithUnionQuery",
    "SelectIntersectExceptQuery",
    "SelectQuery",
    "ExplainQuery",
    "ShowTablesQuery",
    "ShowColumnsQuery",
    "ShowIndexesQuery",
}
_NAME = r"(?:`[^`\\]+`|\w+)"
_TABLE_STATEMENT = re.compile(
    r"(DESCRIBE TABLE|EXISTS TABLE|EXISTS VIEW|SHOW CREATE TABLE|SHOW CREATE VIEW) "
    rf"({_NAME}(?:\.{_NAME})?)(?: FORMAT (\w+))?"
)


class Checked(NamedTuple):
    """A statement that may run, with its FORMAT and SETTINGS removed."""

    tree: Tree
    format: str
    """The value of the FORMAT clause; empty if there is none."""
    settings: Mapping[str, str]


class TableStatement(NamedTuple):
    """DESCRIBE, EXISTS or SHOW CREATE of a table, for which the parser returns no tree."""

    verb: str
    name: str
    format: str


def check(tree: Tree) -> Checked:
    """Return the statement without FORMAT and SETTINGS; raises ``SqlError`` if forbidden."""
    kind = tree.get("type")
    if kind not in _KINDS:
        raise _refused(f"{kind}: this port reads, it takes SELECT, SHOW, DESCRIBE, EXISTS, EXPLAIN")
    for node in nodes(tree):
        _check_node(node)
    fmt = tree.pop("format_ast", None)
    settings = _pop_settings(tree)
    return Checked(tree, fmt["name"] if fmt else "", settings)


def parse_table_statement(plain: str) -> TableStatement:
    """Parse a statement about a table that has no tree; raises ``SqlError`` for any other."""
    match = _TABLE_STATEMENT.fullmatch(plain)
    if not match:
        raise _refused(
            "this port reads: it takes SELECT, SHOW TABLES and the like, DESCRIBE, EXISTS and "
            "SHOW CREATE of a table, EXPLAIN"
        )
    return TableStatement(match[1], match[2].replace("`", ""), match[3] or "")


def check_format(name: str) -> str:
    """Return the format name; raises ``SqlError`` if it is unknown or could read files."""
    if not vocabulary.FORMATS.fullmatch(name):
        raise SqlError(73, "UNKNOWN_FORMAT", f"Unknown format {name}, or none of this port")
    return name


def _check_node(node: Tree) -> None:
    kind = node.get("type")
    if kind is None:  # a value, or a setting
        return
    if kind not in vocabulary.NODES:
        raise _refused(f"{kind} is not accepted by this port")
    _check_function(node)
    if node.get("out_file") is not None:
        raise _refused("INTO OUTFILE would write on the host")
    if kind == "QueryParameter" and "identifier" in str(node.get("param_type", "")).lower():
        raise _refused("a parameter cannot be a name here; write the name into the statement")
    if kind.startswith("Show") and (odd := [k for k in node if k not in vocabulary.SHOWN]):
        raise _refused(f"SHOW {' '.join(odd).upper()} is not accepted by this port")
    if kind == "ExplainQuery" and node.get("kind") not in vocabulary.EXPLAINED:
        raise _refused(f"{node.get('kind')} is not accepted by this port")


def _check_function(node: Tree) -> None:
    names = [node.get("name", "")] if node["type"] == "Function" else []
    names += [node[key] for key in ("func_name", "table_function_name") if key in node]
    for name in names:
        if vocabulary.REFUSED_FUNCTIONS.fullmatch(name.lower()):
            raise _refused(f"the function {name} reaches beyond the tables of this port")
    table_function = node.get("table_function")
    if table_function is not None:
        name = table_function.get("name", "")
        if name.lower() not in vocabulary.TABLE_FUNCTIONS:
            raise _refused(f"the table function {name} is not accepted by this port")


def _pop_settings(tree: Tree) -> dict[str, str]:
    """Remove every SETTINGS clause from the tree and return the settings, to be limited later."""
    taken: dict[str, str] = {}
    for node in nodes(tree):
        for key in ("settings", "settings_ast"):
            clause = node.get(key)
            is_clause = isinstance(clause, dict) and clause.get("type") == "SetQuery"
            if is_clause and node.get("type") != "ExplainQuery":
                taken |= {c["name"]: literal(c["value"]) for c in node.pop(key)["changes"]}
    return taken


def _refused(why: str) -> SqlError:
    return SqlError(*ACCESS_DENIED, f"Not here: {why}")
