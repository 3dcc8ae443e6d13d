"""``spanloom stats`` and ``fields``: statistics, and the fields that queries can name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option, to_milliseconds
from spanloom.cli.completing_fields import offer_metrics, offer_names
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give_rows, rows_output
from spanloom.terminal.numbers_table import render_fields, render_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.cli.output import Form
    from spanloom.client.client import Client


@click.command(
    "stats",
    cls=TeachingCommand,
    examples=(
        "spanloom stats",
        "spanloom stats 'count,rate(error),p95(duration)' --by agent",
        "spanloom stats 'sum(cost)' --of steps --by owner --where 'type = model'",
        "spanloom stats 'sum(cost)' --interval 1d --timezone Europe/Berlin --since 30d",
        "spanloom stats 'count,rate(error)' --of steps --by tool --where 'type = tool'",
    ),
)
@click.argument("metrics", metavar="[METRICS]", default="count", shell_complete=offer_metrics)
@click.option(
    "--of",
    type=click.Choice(["trajectories", "steps"]),
    default="trajectories",
    help="Count runs (the default) or steps.",
)
@click.option("--by", metavar="FIELDS", help="Up to three fields whose values make groups.")
@click.option("--interval", metavar="TIME", help="Also group by time: 15m, 1h, 1d, 1w.")
@click.option(
    "--timezone",
    metavar="ZONE",
    help="Time zone in which an interval begins: Europe/Berlin; UTC by default.",
)
@click.option("--top", type=click.IntRange(1), help="Maximum number of groups.")
@click.option("--where", metavar="QUERY", help="Only runs that match; with --of steps, only steps.")
@click.option(
    "--run-where", metavar="QUERY", help="With --of steps: only steps of runs that match."
)
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option(
    "--since",
    metavar="WHEN",
    callback=to_milliseconds,
    default="7d",
    show_default=True,
    help="Only runs started at or after: 30m, 2h or 7d ago, yesterday, a date, a time.",
)
@click.option(
    "--until", metavar="WHEN", callback=to_milliseconds, help="Started before; like --since."
)
@columns_option
@rows_output
@client_option
def stats_command(
    *,
    metrics: str,
    of: str,
    by: str | None,
    interval: str | None,
    timezone: str | None,
    top: int | None,
    where: str | None,
    run_where: str | None,
    project: str | None,
    since: int | None,
    until: int | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """Count and compare runs, or steps: how many, how long, how costly, how often they fail.

    METRICS are count, rate(FLAG), and sum, avg, min, max, p50, p75, p90, p95, p99 of a number,
    separated by commas. `spanloom fields` lists the fields. Durations are milliseconds, costs US
    dollars; unknown values are empty.
    """
    stats = client.stats(
        metrics,
        of=of,
        by=by or (),
        interval=interval,
        timezone=timezone,
        top=top,
        where=where,
        run_where=run_where,
        project=project,
        since=since,
        until=until,
    )
    give_rows(stats.items, render_rows, form=form, columns=columns)
    if stats.truncated:
        click.echo(
            "There are more groups; --top prints more of them, --since narrows the time.", err=True
        )


@click.command(
    "fields",
    cls=TeachingCommand,
    examples=(
        "spanloom fields",
        "spanloom fields agent",
        "spanloom fields tool --of steps",
    ),
)
@click.argument("name", metavar="[NAME]", required=False, shell_complete=offer_names)
@click.option(
    "--of",
    type=click.Choice(["trajectories", "steps"]),
    help="Fields of runs or of steps; by default both. By default, values are from runs.",
)
@click.option("--project", metavar="NAME", help="With NAME: values of this project.")
@columns_option
@rows_output
@client_option
def fields_command(
    *,
    name: str | None,
    of: str | None,
    project: str | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """List the fields of `--where`, each with an example; with NAME its frequent values."""
    if name is None:
        rows = [field.model_dump() for field in client.fields().items if of in (None, field.of)]
        give_rows(rows, render_fields, form=form, columns=columns)
        return
    values = client.field_values(name, of=of or "trajectories", project=project).items
    give_rows([one.model_dump() for one in values], render_rows, form=form, columns=columns)
