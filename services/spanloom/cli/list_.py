"""``spanloom list``: trajectories, newest first."""

from __future__ import annotations

import re
import sys
import time

import click
import orjson

from spanloom.api.times import parse_instant
from spanloom.cli.client import ApiClient, api_url_option
from spanloom.cli.list_table import render_list
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import make_console, write_json
from spanloom.cli.values import STATUS_STYLES

_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


class When(click.ParamType[str]):
    """A point in time, or how long ago it was; becomes milliseconds since the epoch."""

    name = "WHEN"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Understand ``90s``, ``30m``, ``2h``, ``7d``, a date, RFC 3339 and milliseconds."""
        if ago := re.fullmatch(r"(\d{1,9})([smhd])", value):
            now_ms = time.time_ns() // 1_000_000
            return str(max(0, now_ms - int(ago[1]) * _UNITS_MS[ago[2]]))
        moment = f"{value}T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else value
        try:
            return str(parse_instant(moment) // 1_000_000)
        except ValueError as error:
            self.fail(f"{value!r}: write 30m, 2h, 7d or a date; or: {error}", param, ctx)


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
@click.option("--since", type=When(), help="Started at or after: 30m, 2h, 7d ago, a date, a time.")
@click.option("--until", type=When(), help="Started before; written like --since.")
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
