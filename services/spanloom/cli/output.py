"""The output of commands: ``--output``, and items as table, JSON, JSON lines or CSV."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from functools import partial, wraps
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.core.query.where.problems import resembling
from spanloom.core.showing.csv_text import csv_lines
from spanloom.terminal.numbers_table import render_rows
from spanloom.terminal.output import is_for_people, make_console, write_json, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import BaseModel
    from rich.console import Console


if TYPE_CHECKING:
    Command = Callable[..., None]
    Row = dict[str, Any]  # JSON values
    Render = Callable[[list[Row], Console, int], None]
    Draw = Callable[[list[Row], Console], None]


class Form(StrEnum):
    """The format of a command's output."""

    TABLE = "table"
    """The format for terminals: a table, a tree or a text."""
    JSON = "json"
    """One JSON value."""
    JSONL = "jsonl"
    """One JSON object per line."""
    CSV = "csv"


AUTO = "auto"


def output_option(
    command: Command, forms: Sequence[Form], short: Mapping[Form, Sequence[str]]
) -> Command:
    """Add ``--output`` and its short forms, and pass the command the chosen ``form``.

    The default is a table on a terminal, and JSON lines in a pipe; a document is one line.
    """

    @wraps(command)
    def with_form(*args: Any, output: str, **kwargs: Any) -> None:
        named = {form for form in short if kwargs.pop(f"as_{form}")}
        if output != AUTO:
            named.add(Form(output))
        if len(named) > 1:
            raise click.UsageError(f"one form at a time: {' or '.join(sorted(named))}")
        command(*args, form=named.pop() if named else _fitting(), **kwargs)

    for form, flags in reversed([*short.items()]):
        help_text = f"Short for --output {form}."
        with_form = click.option(*flags, f"as_{form}", is_flag=True, help=help_text)(with_form)
    return click.option(
        "--output",
        type=click.Choice([AUTO, *map(str, forms)]),
        default=AUTO,
        help="Output format; auto is table on a terminal, jsonl in a pipe.  [default: auto]",
    )(with_form)


def is_form_chosen(ctx: click.Context) -> bool:
    """Return whether ``--output`` or one of its short forms was used."""
    flags = (f"as_{form}" for form in Form)
    return ctx.params.get("output") != AUTO or any(ctx.params.get(flag) for flag in flags)


DOCUMENT = (Form.TABLE, Form.JSON, Form.JSONL)
_STREAM = (Form.TABLE, Form.JSONL, Form.CSV)
_LINES: dict[Form, Sequence[str]] = {Form.JSONL: ("--jsonl", "--json")}
_LINES_OR_CSV = {**_LINES, Form.CSV: ("--csv",)}
rows_output = partial(output_option, forms=tuple(Form), short=_LINES_OR_CSV)
"""For commands that print rows."""
stream_output = partial(output_option, forms=_STREAM, short=_LINES_OR_CSV)
"""For commands that print rows indefinitely."""
lines_output = partial(output_option, forms=DOCUMENT, short=_LINES)
"""For commands that print items that are not rows of a table."""
form_output = partial(output_option, forms=DOCUMENT, short={})
"""For commands that print one document, and whose ``--json`` is a file."""
document_output = partial(output_option, forms=DOCUMENT, short={Form.JSON: ("--json",)})
"""For commands that print one document."""


def columns_option(command: Command) -> Command:
    """Add ``--columns``, and pass the command their names; no names mean all columns."""
    return click.option(
        "--columns",
        metavar="NAMES",
        callback=_to_names,
        help="Only these columns, in this order: name,type.",
    )(command)


def _to_names(_ctx: click.Context, _param: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _fitting() -> Form:
    return Form.TABLE if is_for_people() else Form.JSONL


def give(
    found: Iterable[BaseModel],
    render: Render,
    *,
    form: Form,
    columns: Sequence[str] = (),
    must_find: bool = False,
) -> None:
    """Print items: JSON lines as they arrive, other formats once all items have arrived.

    ``columns`` selects columns. With ``must_find`` the command exits with 1 if there is no item.
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
    """Print rows in the format ``form``, as ``give`` prints items.

    ``draw`` prints the table for people; with ``columns``, a plain table of these columns is
    printed.
    """
    if columns:
        rows, draw = _chosen(rows, columns), render_rows
    count = _WRITERS[form](rows, columns) if form in _WRITERS else _draw(rows, draw)
    if must_find and not count:
        click.get_current_context().exit(1)


def give_document(found: Row, draw: Callable[[Row, Console], None], *, form: Form) -> None:
    """Write one JSON object, or render it for people."""
    if form is Form.TABLE:
        draw(found, make_console(sys.stdout))
    else:
        write_json(orjson.dumps(found), sys.stdout, indent=form is Form.JSON)


def _draw(rows: Iterable[Row], draw: Draw) -> int:
    all_rows = list(rows)
    draw(all_rows, make_console(sys.stdout))
    return len(all_rows)


def _write_lines(rows: Iterable[Row], _columns: Sequence[str]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last one is the number
        write_json(orjson.dumps(row), sys.stdout, indent=False)
    return count


def _write_json(rows: Iterable[Row], _columns: Sequence[str]) -> int:
    all_rows = list(rows)
    write_json(orjson.dumps(all_rows), sys.stdout)
    return len(all_rows)


def _write_csv(rows: Iterable[Row], columns: Sequence[str]) -> int:
    """Write rows as CSV, by default with the columns of the first row; return their number.

    Without rows, a header is written only if ``columns`` has names.
    """
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
    """Yield the rows with only these columns; raises ``click.BadParameter`` for an unknown name."""
    left = iter(rows)
    first = next(left, None)
    if first is None:
        return
    for name in columns:
        if name not in first:
            near = resembling(name, first)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(first)}"
            raise click.BadParameter(f"no column {name!r}; {hint}", param_hint="--columns")
    for row in chain((first,), left):
        yield {name: row.get(name) for name in columns}
