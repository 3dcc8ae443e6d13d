"""``spanloom tail``: runs as they finish."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.run_filters import run_filters
from spanloom.core.model.trajectory import Status
from spanloom.core.query.recent import Recent
from spanloom.core.showing.values import printable
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.run_line import print_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.client.calls.lists import RunQuery
    from spanloom.client.client import Client
    from spanloom.client.errors import ClientError
    from spanloom.client.models import TrajectorySummary


@click.command(
    "tail",
    cls=TeachingCommand,
    examples=(
        "spanloom tail",
        "spanloom tail -f --errors --project support",
        "spanloom tail --status live",
        "spanloom tail --jsonl | jq -r .trace_id",
    ),
)
@click.option("-f", "--follow", is_flag=True, help="It always follows; for fingers that know tail.")
@run_filters
@click.option("--limit", type=click.IntRange(1), help="End after so many runs.")
@click.option("--jsonl", "--json", "as_json", is_flag=True, help="One JSON object a line.")
@client_option
def tail_command(
    *,
    filters: RunQuery,
    limit: int | None,
    as_json: bool,
    client: Client,
    follow: bool,  # noqa: ARG001  # see its help
) -> None:
    """Follow runs as they finish, one line each, until Ctrl-C.

    A run is printed once its trajectory has settled, and again if late spans change it; with
    `--status live` as it grows. Those that were there before are not printed: `spanloom list`
    shows them. If the service is started again, what changed meanwhile is printed too.
    """
    console = make_console(sys.stdout)
    for number, run in enumerate(_follow(client, filters), 1):
        if as_json:
            write_json(run.model_dump_json().encode(), sys.stdout, indent=False)
        else:
            print_run(run.model_dump(mode="json"), console)
        sys.stdout.flush()
        if number == limit:
            return


def _follow(client: Client, filters: RunQuery) -> Iterator[TrajectorySummary]:
    """Yield each version of a run that is wanted, as it is when it is told of."""
    shown = Recent()
    shows_live = filters.get("status") == Status.LIVE
    for change in client.changes(fields="core", on_trouble=_say, **filters):
        run = change.trajectory
        if run is None or (run.status is Status.LIVE and not shows_live):
            continue
        if shown.add((run.project, run.trace_id, run.version)):
            yield run


def _say(error: ClientError) -> None:
    click.echo(f"spanloom: {printable(str(error))}, trying again", err=True)
