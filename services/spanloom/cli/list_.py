"""``spanloom list``: trajectories, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option, time_options
from spanloom.cli.giving import give
from spanloom.cli.options import TeachingCommand
from spanloom.core.model.trajectory import Outcome
from spanloom.terminal.list_table import render_list
from spanloom.terminal.values import STATUS_STYLES

if TYPE_CHECKING:
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
        "spanloom list --since 7d --jsonl | jq -r .trace_id",
    ),
)
@click.option("--project", metavar="NAME", help="Only of this project.")
@time_options("Started")
@click.option("--status", type=click.Choice(list(STATUS_STYLES)), help="Only in this status.")
@click.option("--root", metavar="NAME", help="Only runs whose root has this name.")
@click.option("--agent", metavar="NAME", help="Only runs in which this agent took part.")
@click.option("--model", metavar="NAME", help="Only runs in which this model was called.")
@click.option("--service", metavar="NAME", help="Only with spans of this service.")
@click.option("--environment", metavar="NAME", help="Only of this environment: production.")
@click.option("--user", metavar="ID", help="Only for this user.")
@click.option("--tag", metavar="TAG", help="Only with this tag.")
@click.option("--conversation", metavar="ID", help="Only of this conversation.")
@click.option("--errors/--no-errors", default=None, help="Only those that failed, or did not.")
@click.option(
    "--outcome",
    type=click.Choice([str(one) for one in Outcome]),
    help="Only those that went like this.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also runs that repeat another, and traces without a step: health checks and the like.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="The most to list."
)
@click.option("--jsonl", "--json", "as_json", is_flag=True, help="One JSON object a line.")
@client_option
def list_command(
    *,
    project: str | None,
    since: int | None,
    until: int | None,
    status: str | None,
    root: str | None,
    agent: str | None,
    model: str | None,
    service: str | None,
    environment: str | None,
    user: str | None,
    tag: str | None,
    conversation: str | None,
    errors: bool | None,
    outcome: str | None,
    everything: bool,
    limit: int,
    as_json: bool,
    client: Client,
) -> None:
    """List trajectories, newest first: what was asked and answered, how it went, what it cost.

    Filters narrow it down together. Look at one with `spanloom show TRACE_ID`. What only repeats
    another run, or has no step, is left out unless you ask for it with --all.
    """
    runs = client.trajectories(
        limit=limit,
        project=project,
        since=since,
        until=until,
        status=status,
        root_name=root,
        has_error=errors,
        outcome=outcome,
        is_duplicate=None if everything else False,
        has_steps=None if everything else True,
        agent_name=agent,
        model=model,
        service=service,
        environment=environment,
        user_id=user,
        tag=tag,
        conversation_id=conversation,
    )
    give(runs, render_list, as_json=as_json)
