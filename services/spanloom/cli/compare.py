"""``spanloom compare``: the differences in behaviour between two sets of runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option, to_milliseconds
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, form_output
from spanloom.core.formats.json_bytes import dump
from spanloom.terminal.behaviour_table import render_behaviour
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from spanloom.client.client import Client


@click.command(
    "compare",
    cls=TeachingCommand,
    examples=(
        """spanloom compare --a 'release = "1.4.0"' --b 'release = "1.5.0"'""",
        "spanloom compare --a 'start < -1d' --b 'start >= -1d' --since 14d",
        """spanloom compare --a 'agent = "v1"' --b 'agent = "v2"' --json ~/behaviour.json""",
    ),
)
@click.option("--a", metavar="QUERY", required=True, help="The runs before.")
@click.option("--b", metavar="QUERY", required=True, help="The runs after.")
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option(
    "--since",
    metavar="WHEN",
    callback=to_milliseconds,
    help="Only runs started at or after: 2h or 7d ago, yesterday, a date, a time.",
)
@click.option(
    "--until", metavar="WHEN", callback=to_milliseconds, help="Started before; like --since."
)
@click.option(
    "--min-support", type=click.IntRange(1), help="Runs of one set that a feature needs; default 5."
)
@click.option(
    "--seed", metavar="TEXT", help="Seed of random draws: the same seed gives the same answer."
)
@click.option(
    "--json",
    "save",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the answer to this file, as JSON.",
)
@form_output
@client_option
def compare_command(
    *,
    a: str,
    b: str,
    project: str | None,
    since: int | None,
    until: int | None,
    min_support: int | None,
    seed: str | None,
    save: Path | None,
    form: Form,
    client: Client,
) -> None:
    """Show how the behaviour of agents in B differs from A: tools, transitions, failures, costs.

    Each difference has a confidence interval and a query for its runs. The newest 10,000 runs of
    each set are compared. Differences that chance explains are left out.
    """
    behaviour = client.compare(
        a, b, project=project, since=since, until=until, min_support=min_support, seed=seed
    )
    body = dump(behaviour.model_dump(mode="json"))
    if save is not None:
        save.write_bytes(body + b"\n")
    if form is Form.TABLE:
        render_behaviour(behaviour, make_console(sys.stdout))
    else:
        write_json(body, sys.stdout, indent=form is Form.JSON)
