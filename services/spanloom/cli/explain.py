"""``spanloom explain``: whether each span of a trace was kept, merged or dropped, and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.arguments import resolve, trace_id_argument
from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, document_output
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.span_lines import render_explanation

if TYPE_CHECKING:
    from spanloom.client.client import Client


@click.command(
    "explain",
    cls=TeachingCommand,
    examples=(
        "spanloom explain latest",
        "spanloom explain 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom explain latest | jq '.spans[] | select(.step_id == null)'",
    ),
)
@trace_id_argument
@click.option("--project", metavar="NAME", help="Look in this project only.")
@document_output
@client_option
def explain_command(trace_id: str, project: str | None, form: Form, client: Client) -> None:
    """Print every span of a trace as a tree, with what became of it and the rule that decided.

    Kept spans are steps of the trajectory. A span merged into another reports again what that
    one reports: it counts under it. Dropped spans are noise of the framework; what stands
    below them hangs under the next kept span above. docs/dialects.md lists the rules.
    """
    trace_id = resolve(trace_id, client, project)
    spans = client.spans_document(trace_id, project=project)
    if form is not Form.TABLE:
        write_json(spans, sys.stdout, indent=form is Form.JSON)
        return
    document = orjson.loads(client.document(trace_id, project=project))
    render_explanation(orjson.loads(spans), document, make_console(sys.stdout))
