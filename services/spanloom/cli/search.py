"""``spanloom search``: searches the inputs, outputs and errors of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give, rows_output
from spanloom.terminal.tables import render_hits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.cli.output import Form
    from spanloom.client.client import Client

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
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="The most to list."
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
    """Find what steps said, newest run first: messages, arguments, results, failures.

    Words stand in one text, all of them; "two words" in quotes one behind the other; kubern* stands
    for words that begin so. Look at a hit with `spanloom show TRACE_ID STEP_ID`, at its run with
    `spanloom show TRACE_ID`.
    """
    hits = client.search(
        " ".join(words), parts=parts, project=project, since=since, until=until, limit=limit
    )
    give(hits, render_hits, form=form, columns=columns)
