"""``spanloom diff``: compares two runs side by side."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.arguments import resolve, to_trace_id_or_latest
from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, document_output
from spanloom.terminal.diff_view import render_diff
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from spanloom.client.client import Client


class _DiffCommand(TeachingCommand):
    """Exits with 2 or more for any error, as diff(1) does: 1 means that the runs differ."""

    def invoke(self, ctx: click.Context) -> Any:  # as click declares it
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            error.exit_code = max(2, error.exit_code)  # type: ignore[misc]  # click reads this attribute
            raise


@click.command(
    "diff",
    cls=_DiffCommand,
    examples=(
        "spanloom diff 4bf92f3577b34da6a3ce929d0e0e4736 latest",
        "spanloom diff 4bf92f3577b34da6a3ce929d0e0e4736 latest --summary",
        "spanloom diff 4bf92f3577b34da6a3ce929d0e0e4736 latest | jq .summary",
    ),
)
@click.argument("a", callback=to_trace_id_or_latest)
@click.argument("b", callback=to_trace_id_or_latest)
@click.option("--project", metavar="NAME", help="Look in this project only.")
@click.option("--other-project", metavar="NAME", help="The project of B, if it differs.")
@click.option("--summary", is_flag=True, help="Print only the counts and totals.")
@click.option("--all", "every", is_flag=True, help="Also print the steps that are equal.")
@document_output
@client_option
def diff_command(
    a: str,
    b: str,
    project: str | None,
    other_project: str | None,
    summary: bool,
    every: bool,
    form: Form,
    client: Client,
) -> None:
    """Print what differs between two runs: A to the left, B to the right.

    Agents are paired from the top down, and their steps aligned; steps that ran at the same time
    have no order. Ends with 0 if the runs are the same, with 1 if not, and with 2 or more if that
    cannot be determined.
    """
    a, b = (
        resolve(wanted, client, own)
        for wanted, own in ((a, project), (b, other_project or project))
    )
    body = client.diff_document(
        a,
        b,
        project=project,
        other_project=other_project,
        every=every,
        whole_texts=form is not Form.TABLE,
    )
    diff = orjson.loads(body)
    if form is not Form.TABLE:
        write_json(body, sys.stdout, indent=form is Form.JSON)
    else:
        render_diff(diff, make_console(sys.stdout), with_steps=not summary)
    if not diff["same"]:
        click.get_current_context().exit(1)
