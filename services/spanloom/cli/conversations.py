"""``spanloom conversations``: lists conversations of users with agents, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give, rows_output
from spanloom.terminal.runs import render_list
from spanloom.terminal.tables import render_conversations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import BaseModel

    from spanloom.cli.output import Form
    from spanloom.client.client import Client

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
@click.option("--user", metavar="ID", help="Only with a run for this user.")
@click.option("--all", "everything", is_flag=True, help="With ID: also what is no run of its own.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    help=f"The most to list: {AT_MOST} conversations, or all runs of one, unless told.",
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
    """List conversations, newest first: what was asked first, answered last, and what it cost.

    With ID its runs are listed, oldest first; what only repeats another run, or has no step, with
    --all. A conversation is what the telemetry calls conversation, session or thread.
    """
    if conversation_id is None:
        found: Iterable[BaseModel] = client.conversations(
            limit=limit or AT_MOST,
            project=project,
            since=since,
            until=until,
            service=service,
            environment=environment,
            user=user,
        )
        give(found, render_conversations, form=form, columns=columns)
        return
    if any(given is not None for given in (since, until, service, environment, user)):
        raise click.UsageError("filters choose conversations; with ID all its runs are listed")
    found = client.conversation(
        conversation_id,
        project=project,
        limit=limit,
        duplicate=None if everything else False,
        has_steps=None if everything else True,
    )
    give(found, render_list, form=form, columns=columns)
