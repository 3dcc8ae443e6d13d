"""``spanloom list``, ``conversations`` and ``search``: lists of runs, conversations, texts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from spanloom.cli.arguments import order_option, run_filters, words_option
from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give, give_rows, rows_output
from spanloom.cli.using_views import RUNS, narrowed, view_option, view_parameters
from spanloom.terminal.numbers_table import render_rows
from spanloom.terminal.runs import NOTHING, render_list
from spanloom.terminal.tables import render_conversations, render_hits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import BaseModel

    from spanloom.cli.output import Form
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
@view_option
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number to list."
)
@click.option(
    "--fields",
    "--columns",
    "fields",
    metavar="NAMES",
    help="Only these columns: trace_id,cost; core and metrics are groups of columns.",
)
@click.option("--fail-empty", is_flag=True, help="Exit with 1 if the list is empty.")
@rows_output
@client_option
def list_command(
    *,
    filters: dict[str, Any],
    words: str | None,
    order: str | None,
    view: str | None,
    limit: int,
    fields: str | None,
    fail_empty: bool,
    form: Form,
    client: Client,
) -> None:
    """List trajectories, newest first: question, answer, outcome and cost.

    A run must pass all filters. Show a run with `spanloom show TRACE_ID`. Runs that only repeat
    another run, or have no step, are left out without --all.
    """
    parameters = view_parameters(client, RUNS, view, filters["project"])
    filters, order = narrowed(filters, parameters, "where"), order or parameters.get("order")
    runs = client.trajectories(words=words, order=order, limit=limit, **filters)
    if fields is None:
        give(runs, render_list, form=form, must_find=fail_empty)
    else:
        draw = partial(render_rows, nothing=NOTHING)
        give_rows(runs.rows(fields), draw, form=form, must_find=fail_empty)


AT_MOST = 20


@click.command(
    "conversations",
    cls=TeachingCommand,
    examples=(
        "spanloom conversations",
        "spanloom conversations --since 1d --user ada",
        "spanloom conversations trip-to-shanghai",
        "spanloom conversations | jq -r .conversation_id",
    ),
)
@click.argument("conversation_id", metavar="[ID]", required=False)
@click.option("--project", metavar="NAME", help="Only of this project.")
@time_options("With a run that started")
@click.option("--service", metavar="NAME", help="Only with spans of this service.")
@click.option("--environment", metavar="NAME", help="Only of this environment: production.")
@click.option("--user", metavar="ID", help="Only with a run of this user.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="With ID: also runs that repeat another or have no step.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help=f"Maximum number to list: {AT_MOST} conversations, or all runs of one, by default.",
)
@columns_option
@rows_output
@client_option
def conversations_command(
    *,
    conversation_id: str | None,
    project: str | None,
    since: int | None,
    until: int | None,
    service: str | None,
    environment: str | None,
    user: str | None,
    everything: bool,
    limit: int | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """List conversations, newest first: first question, last answer and cost.

    With ID its runs are listed, oldest first; with --all also runs that only repeat another run or
    have no step. A conversation is what the telemetry calls conversation, session or thread.
    """
    if conversation_id is None:
        items: Iterable[BaseModel] = client.conversations(
            limit=limit or AT_MOST,
            project=project,
            since=since,
            until=until,
            service=service,
            environment=environment,
            user=user,
        )
        give(items, render_conversations, form=form, columns=columns)
        return
    if any(value is not None for value in (since, until, service, environment, user)):
        raise click.UsageError("filters choose conversations; with ID all its runs are listed")
    items = client.conversation(
        conversation_id,
        project=project,
        limit=limit,
        duplicate=None if everything else False,
        has_steps=None if everything else True,
    )
    give(items, render_list, form=form, columns=columns)


PARTS = ("input", "output", "error")


@click.command(
    "search",
    cls=TeachingCommand,
    examples=(
        "spanloom search people",
        "spanloom search '\"how many people\"' --since 7d",
        "spanloom search alpha beta --in input --in output",
        "spanloom search 'peop*' --limit 100 | jq -r .trace_id",
    ),
)
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--in",
    "parts",
    type=click.Choice(PARTS),
    multiple=True,
    help="Only in this text of a step; may be given more than once.",
)
@click.option("--project", metavar="NAME", help="Only of this project.")
@time_options("Of runs that started")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number to list."
)
@columns_option
@rows_output
@client_option
def search_command(
    *,
    words: tuple[str, ...],
    parts: tuple[str, ...],
    project: str | None,
    since: int | None,
    until: int | None,
    limit: int,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """Search texts of steps, newest run first: messages, arguments, results, failures.

    All words must be in one text; "two words" in quotes are a phrase; kubern* is a prefix. Show a
    hit with `spanloom show TRACE_ID STEP_ID`, its run with `spanloom show TRACE_ID`.
    """
    hits = client.search(
        " ".join(words), parts=parts, project=project, since=since, until=until, limit=limit
    )
    give(hits, render_hits, form=form, columns=columns)
