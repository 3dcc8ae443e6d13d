"""Prints rows as tables: statistics, selected columns, fields of the API, and results of SQL."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


NOTHING = "Nothing to count; filters may hide runs."
_ABSENT = "-"
MOST_JSON = 120
"""Maximum characters of a nested value; ``--json`` prints all of it."""


def render_rows(
    items: Sequence[Mapping[str, Any]], console: Console, nothing: str = NOTHING
) -> None:
    """Print one line per row with the columns of the first row; numbers are right-aligned."""
    if not items:
        console.print(nothing, soft_wrap=True)
        return
    table = _table()
    for name in items[0]:
        is_number = any(_is_number(item[name]) for item in items)
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for item in items:
        table.add_row(*(Text(_written(name, value)) for name, value in item.items()))
    console.print(table)


def render_fields(fields: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print one line per field: its name, owner, description and an example."""
    table = _table()
    for title in ("field", "of", "is", "ask"):
        table.add_column(title, overflow="fold")
    for field in fields:
        name, what = Text(field["name"], "bold"), Text(field["description"])
        table.add_row(name, Text(field["of"], "dim"), what, Text(field["example"], "cyan"))
    console.print(table)


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _written(name: str, value: object) -> str:
    if value is None:
        return _ABSENT
    if name == "start":
        moment = datetime.fromtimestamp(int(str(value)) / 1000, UTC)
        return f"{moment:%Y-%m-%d %H:%M}Z"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return _brief(value)
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _brief(value: dict[str, Any] | list[Any]) -> str:
    """Return a list of strings joined by commas, and any other value as the start of its JSON."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return printable(", ".join(value))
    text = orjson.dumps(value).decode()
    return printable(text if len(text) <= MOST_JSON else f"{text[:MOST_JSON]}…")


FORMAT = "JSONCompactEachRowWithNamesAndTypes"
"""The ClickHouse format that is parsed: a line of names, a line of types, then one line per row."""


class SqlRows(NamedTuple):
    """Rows of a response: numbers as ``int`` and ``Decimal``, nested values as JSON text."""

    names: Sequence[str]
    rows: Sequence[Sequence[object]]


def read_rows(body: bytes) -> SqlRows:
    """Parse a response in ``FORMAT``; raises ``ValueError`` if it is malformed."""
    names, _types, *rows = map(_line, body.splitlines()) if body else ([], [])
    return SqlRows(names, [[_flat(value) for value in row] for row in rows])


def render_sql(result: SqlRows, console: Console) -> None:
    """Print one line per row; numbers are right-aligned with all their digits."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for at, name in enumerate(result.names):
        is_number = any(_is_sql_number(row[at]) for row in result.rows)
        table.add_column(printable(name), justify="right" if is_number else "left", overflow="fold")
    for row in result.rows:
        table.add_row(*(Text("-" if value is None else _sql_text(value)) for value in row))
    console.print(table if result.rows else "No rows.")


def _line(line: bytes) -> list[Any]:  # any JSON values
    values: list[Any] = json.loads(line, parse_float=Decimal)
    return values


def _flat(value: object) -> object:
    is_nested = isinstance(value, list | dict)
    return json.dumps(value, ensure_ascii=False, default=float) if is_nested else value


def _sql_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else printable(str(value))


def _is_sql_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)
