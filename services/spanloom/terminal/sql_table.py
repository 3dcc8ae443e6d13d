"""Reads responses of the SQL port without losing digits, and prints them as tables."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

FORMAT = "JSONCompactEachRowWithNamesAndTypes"
"""The ClickHouse format that is read: a line of names, a line of types, then one per row."""


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
        is_number = any(_is_number(row[at]) for row in result.rows)
        table.add_column(printable(name), justify="right" if is_number else "left", overflow="fold")
    for row in result.rows:
        table.add_row(*(Text("-" if value is None else _written(value)) for value in row))
    console.print(table if result.rows else "No rows.")


def _line(line: bytes) -> list[Any]:  # any JSON values
    values: list[Any] = json.loads(line, parse_float=Decimal)
    return values


def _flat(value: object) -> object:
    is_nested = isinstance(value, list | dict)
    return json.dumps(value, ensure_ascii=False, default=float) if is_nested else value


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else printable(str(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)
