"""``spanloom projects``: lists projects with their size, limits and retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, columns_option, give, rows_output
from spanloom.terminal.projects import render_projects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.client.client import Client


@click.command(
    "projects",
    cls=TeachingCommand,
    examples=(
        "spanloom projects",
        "spanloom projects --project travel --json",
        "spanloom projects --csv --columns project,runs,stored_bytes",
    ),
)
@click.option("--project", metavar="NAME", help="Only this project.")
@columns_option
@rows_output
@client_option
def projects_command(
    *, project: str | None, columns: Sequence[str], form: Form, client: Client
) -> None:
    """List the projects that the key may access: runs, stored bytes, limits and retention.

    `--retention-days` and `--retention-file` of the keeper change the retention, `--limits-file` of
    the collector the limits.
    """
    give(client.projects(project=project).items, render_projects, form=form, columns=columns)
