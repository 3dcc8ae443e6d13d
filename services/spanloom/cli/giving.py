"""Items of a list as a command gives them: a table, JSON, lines of it, or CSV."""

from __future__ import annotations

import sys
import time
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.output import Form
from spanloom.core.query.where.problems import resembling
from spanloom.core.showing.csv_text import csv_lines
from spanloom.terminal.numbers_table import render_rows
from spanloom.terminal.output import make_console, write_json, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pydantic import BaseModel
    from rich.console import Console

    Row = dict[str, Any]  # as JSON has it
    Render = Callable[[list[Row], Console, int], None]
    Draw = Callable[[list[Row], Console], None]


def give(
    found: Iterable[BaseModel],
    render: Render,
    *,
    form: Form,
    columns: Sequence[str] = (),
    must_find: bool = False,
) -> None:
    """Print items that were found: lines as they come, all else when all is there.

    With ``columns`` only those. If it ``must_find`` something, a command that did not ends with 1.
    """
    rows = (item.model_dump(mode="json") for item in found)

    def draw(all_rows: list[Row], console: Console) -> None:
        render(all_rows, console, time.time_ns() // 1_000_000)

    give_rows(rows, draw, form=form, columns=columns, must_find=must_find)


def give_rows(
    rows: Iterable[Row],
    draw: Draw,
    *,
    form: Form,
    columns: Sequence[str] = (),
    must_find: bool = False,
) -> None:
    """Print rows as ``give`` prints items; ``draw`` draws all columns of them on a terminal."""
    if columns:
        rows, draw = _chosen(rows, columns), render_rows
    count = _WRITERS[form](rows, columns) if form in _WRITERS else _draw(rows, draw)
    if must_find and not count:
        click.get_current_context().exit(1)


def _draw(rows: Iterable[Row], draw: Draw) -> int:
    found = list(rows)
    draw(found, make_console(sys.stdout))
    return len(found)


def _write_lines(rows: Iterable[Row], _columns: Sequence[str]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last one is the number
        write_json(orjson.dumps(row), sys.stdout, indent=False)
    return count


def _write_json(rows: Iterable[Row], _columns: Sequence[str]) -> int:
    found = list(rows)
    write_json(orjson.dumps(found), sys.stdout)
    return len(found)


def _write_csv(rows: Iterable[Row], columns: Sequence[str]) -> int:
    """Write the columns of the first row; without rows and names not even a header is known."""
    count, names = 0, columns
    for count, row in enumerate(rows, 1):
        if count == 1:
            names = names or list(row)
            write_text(csv_lines([names]), sys.stdout)
        write_text(csv_lines([[row.get(name) for name in names]]), sys.stdout)
    if not count and columns:
        write_text(csv_lines([columns]), sys.stdout)
    return count


_WRITERS = {Form.JSONL: _write_lines, Form.JSON: _write_json, Form.CSV: _write_csv}


def _chosen(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows with these columns; raises ``click.BadParameter`` for those there are not."""
    left = iter(rows)
    first = next(left, None)
    if first is None:
        return
    for name in columns:
        if name not in first:
            near = resembling(name, first)
            there = f"did you mean {near[0]}?" if near else f"there are {', '.join(first)}"
            raise click.BadParameter(f"no column {name!r}; {there}", param_hint="--columns")
    for row in chain((first,), left):
        yield {name: row.get(name) for name in columns}
