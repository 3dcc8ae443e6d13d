"""In which form a command gives what it found: the option ``--output``, and its short forms.

::

    spanloom list                    a table on a terminal, a line of JSON for each run in a pipe
    spanloom list --output table     the table, whoever reads it
    spanloom list --json             the same as --jsonl and --output jsonl
    spanloom show latest --json      the same as --output json: one document
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from spanloom.terminal.output import is_for_people

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Command = Callable[..., None]


class Form(StrEnum):
    """What is written."""

    TABLE = "table"
    """What a terminal shows: a table, a tree, a text."""
    JSON = "json"
    """One value of JSON."""
    JSONL = "jsonl"
    """One JSON object a line."""
    CSV = "csv"


AUTO = "auto"


def output_option(
    command: Command, forms: Sequence[Form], short: Mapping[Form, Sequence[str]]
) -> Command:
    """Add ``--output`` and its short forms, and hand the command the ``form`` that was asked for.

    Unless told it is a table on a terminal, and lines of JSON in a pipe: of one document one line.
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
        said = f"In short for --output {form}."
        with_form = click.option(*flags, f"as_{form}", is_flag=True, help=said)(with_form)
    return click.option(
        "--output",
        type=click.Choice([AUTO, *map(str, forms)]),
        default=AUTO,
        help="In this form; auto is table on a terminal, jsonl in a pipe.  [default: auto]",
    )(with_form)


DOCUMENT = (Form.TABLE, Form.JSON, Form.JSONL)
_STREAM = (Form.TABLE, Form.JSONL, Form.CSV)
_LINES: dict[Form, Sequence[str]] = {Form.JSONL: ("--jsonl", "--json")}
_LINES_OR_CSV = {**_LINES, Form.CSV: ("--csv",)}
rows_output = partial(output_option, forms=tuple(Form), short=_LINES_OR_CSV)
"""Of what gives rows."""
stream_output = partial(output_option, forms=_STREAM, short=_LINES_OR_CSV)
"""Of what gives rows without an end."""
lines_output = partial(output_option, forms=DOCUMENT, short=_LINES)
"""Of what gives items that are no rows of a table."""
document_output = partial(output_option, forms=DOCUMENT, short={Form.JSON: ("--json",)})
"""Of what gives one document."""


def columns_option(command: Command) -> Command:
    """Add ``--columns``, and hand the command their names; none stand for all."""
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
