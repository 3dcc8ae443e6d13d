"""``spanloom list``: lists trajectories, newest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import give, give_rows, rows_output
from spanloom.cli.run_filters import order_option, run_filters, words_option
from spanloom.terminal.numbers_table import render_rows
from spanloom.terminal.runs import NOTHING, render_list

if TYPE_CHECKING:
    from spanloom.cli.output import Form
    from spanloom.client.calls.lists import RunQuery
    from spanloom.client.client import Client


@click.command(
    "list",
    cls=TeachingCommand,
    examples=(
        "spanloom list",
        "spanloom list --since 2h --errors",
        "spanloom list --outcome recovered",
        "spanloom list --agent research_agent --limit 100",
        "spanloom list --user ada --environment production",
        "spanloom list --where 'has(tool exists then error)' --order -duration",
        "spanloom list --words people --errors",
        "spanloom list --errors --fields trace_id,root_name,duration,cost",
        "spanloom list --since 7d | jq -r .trace_id",
        "spanloom list --columns trace_id,duration,cost --csv > runs.csv",
    ),
)
@run_filters
@words_option
@order_option
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="The most to list."
)
@click.option(
    "--fields",
    "--columns",
    "fields",
    metavar="NAMES",
    help="Only these columns: trace_id,cost; core and metrics stand for several.",
)
@click.option("--fail-empty", is_flag=True, help="End with 1 if there are none.")
@rows_output
@client_option
def list_command(
    *,
    filters: RunQuery,
    words: str | None,
    order: str | None,
    limit: int,
    fields: str | None,
    fail_empty: bool,
    form: Form,
    client: Client,
) -> None:
    """List trajectories, newest first: what was asked and answered, how it went, what it cost.

    Filters narrow it down together. Look at one with `spanloom show TRACE_ID`. What only repeats
    another run, or has no step, is left out unless you ask for it with --all.
    """
    runs = client.trajectories(words=words, order=order, limit=limit, **filters)
    if fields is None:
        give(runs, render_list, form=form, must_find=fail_empty)
    else:
        draw = partial(render_rows, nothing=NOTHING)
        give_rows(runs.rows(fields), draw, form=form, must_find=fail_empty)
