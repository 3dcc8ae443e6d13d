"""``spanloom fields``: lists the fields that a query can name, and the values of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option
from spanloom.cli.completing_fields import offer_names
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give_rows, rows_output
from spanloom.terminal.numbers_table import render_fields, render_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.cli.output import Form
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
@click.argument("name", metavar="[NAME]", required=False, shell_complete=offer_names)
@click.option(
    "--of",
    type=click.Choice(["trajectories", "steps"]),
    help="Fields of runs, or of steps; both unless told. Values are those of runs unless told.",
)
@click.option("--project", metavar="NAME", help="With NAME: values of this project.")
@columns_option
@rows_output
@client_option
def fields_command(
    *,
    name: str | None,
    of: str | None,
    project: str | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """List what `--where` can name, each with an example; with NAME its frequent values."""
    if name is None:
        asked = [field.model_dump() for field in client.fields().items if of in (None, field.of)]
        give_rows(asked, render_fields, form=form, columns=columns)
        return
    values = client.field_values(name, of=of or "trajectories", project=project).items
    give_rows([one.model_dump() for one in values], render_rows, form=form, columns=columns)
