"""``spanloom fields``: what a query can name, and the values that there are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.terminal.numbers_table import render_fields, render_numbers
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from spanloom.client.client import Client


@click.command(
    "fields",
    cls=TeachingCommand,
    examples=(
        "spanloom fields",
        "spanloom fields agent",
        "spanloom fields tool --of steps",
    ),
)
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--of",
    type=click.Choice(["trajectories", "steps"]),
    help="Fields of runs, or of steps; both unless told. Values are those of runs unless told.",
)
@click.option("--project", metavar="NAME", help="With NAME: values of this project.")
@click.option("--jsonl", "--json", "as_json", is_flag=True, help="One JSON object a line.")
@client_option
def fields_command(
    *, name: str | None, of: str | None, project: str | None, as_json: bool, client: Client
) -> None:
    """List what `--where` can name, each with an example; with NAME its frequent values."""
    if name is None:
        fields = [field for field in client.fields().items if of in (None, field.of)]
        if as_json:
            _give_lines(fields)
        else:
            render_fields([field.model_dump() for field in fields], make_console(sys.stdout))
        return
    values = client.field_values(name, of=of or "trajectories", project=project).items
    if as_json:
        _give_lines(values)
    else:
        render_numbers([value.model_dump() for value in values], make_console(sys.stdout))


def _give_lines(items: Sequence[BaseModel]) -> None:
    for item in items:
        write_json(item.model_dump_json().encode(), sys.stdout, indent=False)
