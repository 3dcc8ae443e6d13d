"""``spanloom list``: trajectories, newest first."""

from __future__ import annotations

import re
import sys
import time

import click
import orjson

from spanloom.api.times import parse_instant
from spanloom.cli.client import ApiClient, api_url_option
from spanloom.cli.options import TeachingCommand
from spanloom.terminal.list_table import render_list
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.values import STATUS_STYLES

_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def to_milliseconds(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    """Understand ``90s``, ``30m``, ``2h``, ``7d`` (ago), a date, RFC 3339 and milliseconds."""
    if text is None:
        return None
    if ago := re.fullmatch(r"(\d{1,9})([smhd])", text):
        now_ms = time.time_ns() // 1_000_000
        return str(max(0, now_ms - int(ago[1]) * _UNITS_MS[ago[2]]))
    moment = f"{text}T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else text
    try:
        return str(parse_instant(moment) // 1_000_000)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: write 30m, 2h, 7d or a date; or: {error}") from None


@click.command(
    "list",
    cls=TeachingCommand,
    examples=(
        "spanloom list",
        "spanloom list --since 2h --errors",
        "spanloom list --agent research_agent --limit 100",
        "spanloom list --since 7d --json | jq -r .trace_id",
    ),
)
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option(
    "--since",
    metavar="WHEN",
    callback=to_milliseconds,
    help="Started at or after: 30m, 2h or 7d ago, a date, a time.",
)
@click.option(
    "--until", metavar="WHEN", callback=to_milliseconds, help="Started before; like --since."
)
@click.option("--status", type=click.Choice(list(STATUS_STYLES)), help="Only in this status.")
@click.option("--root", metavar="NAME", help="Only runs whose root has this name.")
@click.option("--agent", metavar="NAME", help="Only runs in which this agent took part.")
@click.option("--errors/--no-errors", default=None, help="Only with, or only without, errors.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="The most to list."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, as in a pipe.")
@api_url_option
def list_command(
    *,
    project: str | None,
    since: str | None,
    until: str | None,
    status: str | None,
    root: str | None,
    agent: str | None,
    errors: bool | None,
    limit: int,
    as_json: bool,
    api_url: str,
) -> None:
    """List trajectories, newest first.

    A table on a terminal; in a pipe one JSON object a line. Filters narrow it down together.
    Look at one with `spanloom show TRACE_ID`.
    """
    client = ApiClient(api_url)
    items = client.trajectories(
        limit,
        project=project,
        status=status,
        root_name=root,
        agent_name=agent,
        has_error=None if errors is None else str(errors).lower(),
        **{"from": since, "to": until},
    )
    if as_json or not sys.stdout.isatty():
        for item in items:
            write_json(orjson.dumps(item), sys.stdout, indent=False)
        return
    render_list(list(items), make_console(sys.stdout), time.time_ns() // 1_000_000)
