"""``spanloom show``: one trajectory as a tree."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.trace_id import resolve, trace_id_argument
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.render import render_trajectory
from spanloom.terminal.span_table import render_spans

if TYPE_CHECKING:
    from spanloom.client.client import Client


@click.command(
    "show",
    cls=TeachingCommand,
    examples=(
        "spanloom show latest",
        "spanloom show 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom show latest --spans",
        "spanloom show latest --json | jq .root_step.metrics_info",
    ),
)
@trace_id_argument
@click.option("--project", metavar="NAME", help="Look in this project only.")
@click.option("--spans", "with_spans", is_flag=True, help="Show what became of each span, and why.")
@click.option("--json", "as_json", is_flag=True, help="Give the document itself.")
@client_option
def show_command(
    trace_id: str, project: str | None, with_spans: bool, as_json: bool, client: Client
) -> None:
    """Print one trajectory as a tree: agents, their steps, durations, tokens and errors.

    TRACE_ID is what your tracing SDK calls trace id, 32 hex digits; `latest` stands for the
    newest trajectory there is. Agents stand under the step that called them, each line with
    its duration, its tokens (in → out) and when it ran within the whole.
    """
    trace_id = resolve(trace_id, client, project)
    ask = client.spans_document if with_spans else client.document
    body = ask(trace_id, project=project)
    if as_json:
        write_json(body, sys.stdout)
        return
    render = render_spans if with_spans else render_trajectory
    render(orjson.loads(body), make_console(sys.stdout))
