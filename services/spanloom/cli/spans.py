"""``spanloom spans`` and ``explain``: print a trace's spans as sent, or how each was classified."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.arguments import resolve, trace_id_argument
from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import DOCUMENT, Form, document_output, output_option
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.span_lines import render_explanation
from spanloom.terminal.spans import render_sent_spans

if TYPE_CHECKING:
    from spanloom.client.client import Client


sent_output = partial(
    output_option,
    forms=DOCUMENT,
    short={Form.JSON: ("--otlp", "--json")},
)
"""For ``spanloom spans``, whose JSON output is OTLP, which any OTLP receiver accepts."""


@click.command(
    "spans",
    cls=TeachingCommand,
    examples=(
        "spanloom spans latest",
        "spanloom spans latest a1c4e1b7d2f30002",
        "spanloom spans latest > trace.json",
    ),
)
@trace_id_argument
@click.argument("span_id", required=False)
@click.option("--project", metavar="NAME", help="Look in this project only.")
@click.option("--full", is_flag=True, help="Do not truncate long values.")
@sent_output
@client_option
def spans_command(
    *,
    trace_id: str,
    span_id: str | None,
    project: str | None,
    full: bool,
    form: Form,
    client: Client,
) -> None:
    """Print the spans of a trace as they were sent: attributes, events, links, resource.

    As JSON they are OTLP, which other receivers accept. With SPAN_ID only that span is printed.
    `spanloom explain` shows how they were classified, and why.
    """
    trace_id = resolve(trace_id, client, project)
    if span_id is None:
        body = client.otlp(trace_id, project=project)
    else:
        body = client.sent_span(trace_id, span_id, project=project)
    if form is not Form.TABLE:
        write_json(body, sys.stdout, indent=form is Form.JSON)
        return
    render_sent_spans(orjson.loads(body), make_console(sys.stdout), is_full=full)


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
    """Print every span of a trace as a tree, with its classification and the rule for it.

    Kept spans are steps of the trajectory. A merged span repeats what another span reports and
    counts for the step of that span. Dropped spans are framework noise; the spans below them belong
    to the next kept span above. docs/dialects.md lists the rules.
    """
    trace_id = resolve(trace_id, client, project)
    spans = client.spans_document(trace_id, project=project)
    if form is not Form.TABLE:
        write_json(spans, sys.stdout, indent=form is Form.JSON)
        return
    document = orjson.loads(client.document(trace_id, project=project))
    render_explanation(orjson.loads(spans), document, make_console(sys.stdout))
