"""Items of a list as a command gives them: a table, or one JSON object a line."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.terminal.numbers_table import render_rows
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic import BaseModel
    from rich.console import Console

    Render = Callable[[list[dict[str, Any]], Console, int], None]


def give(
    found: Iterable[BaseModel], render: Render, *, as_json: bool, must_find: bool = False
) -> None:
    """Print what was found: each line of JSON as it comes, a table when all is there.

    If it ``must_find`` something, a command that did not ends with 1.
    """
    count = _give_lines(found) if as_json else _give_table(found, render)
    if must_find and not count:
        click.get_current_context().exit(1)


def give_rows(
    rows: Iterable[dict[str, Any]], nothing: str, *, as_json: bool, must_find: bool = False
) -> None:
    """Print rows whose columns the user has chosen, as ``give`` prints items."""
    count = _write_rows(rows) if as_json else _draw_rows(rows, nothing)
    if must_find and not count:
        click.get_current_context().exit(1)


def _write_rows(rows: Iterable[dict[str, Any]]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last one is the number
        write_json(orjson.dumps(row), sys.stdout, indent=False)
    return count


def _draw_rows(rows: Iterable[dict[str, Any]], nothing: str) -> int:
    found = list(rows)
    render_rows(found, make_console(sys.stdout), nothing)
    return len(found)


def _give_lines(found: Iterable[BaseModel]) -> int:
    count = 0
    for count, item in enumerate(found, 1):  # noqa: B007  # the last one is the number
        write_json(item.model_dump_json().encode(), sys.stdout, indent=False)
    return count


def _give_table(found: Iterable[BaseModel], render: Render) -> int:
    items = [item.model_dump(mode="json") for item in found]
    render(items, make_console(sys.stdout), time.time_ns() // 1_000_000)
    return len(items)
