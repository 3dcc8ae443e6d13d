"""``spanloom tail``: prints runs as they finish."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from spanloom.cli.arguments import run_filters
from spanloom.cli.client import client_option
from spanloom.cli.interrupts import end_with_reader
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, give_rows, stream_output
from spanloom.core.model.trajectory import Status
from spanloom.core.query.positions import Recent
from spanloom.core.showing.values import printable
from spanloom.terminal.numbers_table import render_rows
from spanloom.terminal.output import make_console
from spanloom.terminal.runs import print_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.client.calls.lists import RunQuery
    from spanloom.client.client import Client
    from spanloom.client.errors import ClientError
    from spanloom.core.records.run import Run


@click.command(
    "tail",
    cls=TeachingCommand,
    examples=(
        "spanloom tail",
        "spanloom tail -f --errors --project support",
        "spanloom tail --status live",
        "spanloom tail | jq -r .trace_id",
    ),
)
@click.option(
    "-f", "--follow", is_flag=True, help="Has no effect: it always follows, like tail -f."
)
@run_filters
@click.option("--limit", type=click.IntRange(1), help="End after this number of runs.")
@stream_output
@client_option
def tail_command(
    *,
    filters: RunQuery,
    limit: int | None,
    form: Form,
    client: Client,
    follow: bool,  # noqa: ARG001  # see its help
) -> None:
    """Follow runs as they finish, one line each, until Ctrl-C.

    A run is printed once its trajectory has settled, and again if late spans change it; with
    `--status live` as it grows. Runs from before are not printed: `spanloom list` shows them. After
    a restart of the service, changes made meanwhile are printed too. Ctrl-C ends it with 130; in a
    pipe it ends with 0 once the reader closes the pipe.
    """
    end_with_reader()
    runs = islice(_follow(client, filters), limit)
    if form is not Form.TABLE:
        give_rows(_flushed(runs), render_rows, form=form)
        return
    console = make_console(sys.stdout)
    for run in _flushed(runs):
        print_run(run, console)


def _flushed(runs: Iterable[Run]) -> Iterator[dict[str, Any]]:
    """Yield each run as plain JSON values; the output is flushed before the next run."""
    for run in runs:
        yield run.model_dump(mode="json")
        sys.stdout.flush()


def _follow(client: Client, filters: RunQuery) -> Iterator[Run]:
    """Yield each new version of a run that passes the filters, in its state when announced."""
    shown = Recent()
    shows_live = filters.get("status") == Status.LIVE
    for change in client.changes(fields="core", on_trouble=_print_error, **filters):
        run = change.trajectory
        if run is None or (run.status is Status.LIVE and not shows_live):
            continue
        if shown.add((run.project, run.trace_id, run.version)):
            yield run


def _print_error(error: ClientError) -> None:
    click.echo(f"spanloom: {printable(str(error))}, trying again", err=True)
