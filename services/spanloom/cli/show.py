"""``spanloom show``: one trajectory as a tree."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.step_id import find_step_id
from spanloom.cli.trace_id import resolve, trace_id_argument
from spanloom.cli.watch import watch_run
from spanloom.terminal.one_step import render_step
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.render import render_trajectory
from spanloom.terminal.span_table import render_spans
from spanloom.terminal.transcript import render_transcript

if TYPE_CHECKING:
    from spanloom.client.client import Client


@click.command(
    "show",
    cls=TeachingCommand,
    examples=(
        "spanloom show latest",
        "spanloom show 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom show latest --watch",
        "spanloom show latest --messages",
        "spanloom show latest model3",
        "spanloom show latest tool1 --json | jq -r .output",
        "spanloom show latest --spans",
        "spanloom show latest --json | jq .root_step.metrics_info",
    ),
)
@trace_id_argument
@click.argument("step", required=False)
@click.option("--messages", is_flag=True, help="Show what was said, call by call.")
@click.option("--full", is_flag=True, help="Fold no long text.")
@click.option("--watch", is_flag=True, help="Follow a run that is live until it has settled.")
@click.option("--project", metavar="NAME", help="Look in this project only.")
@click.option("--spans", "with_spans", is_flag=True, help="Show what became of each span, and why.")
@click.option("--json", "as_json", is_flag=True, help="Give the document itself.")
@client_option
def show_command(
    *,
    trace_id: str,
    step: str | None,
    messages: bool,
    full: bool,
    watch: bool,
    project: str | None,
    with_spans: bool,
    as_json: bool,
    client: Client,
) -> None:
    """Print one trajectory as a tree: agents, their steps, durations, tokens and errors.

    TRACE_ID is what your tracing SDK calls trace id, 32 hex digits; `latest` stands for the
    newest trajectory there is. Agents stand under the step that called them, each line with
    its duration, its tokens (in → out) and when it ran within the whole.

    With STEP one step is printed: its messages, or its arguments and its result, and all that is
    known of it. STEP is a step's id, as `--spans` shows it, or a type and a number: `model3` is
    the third model call.

    With --watch the tree of a run that is live is drawn again as it grows, also over a restart of
    the service; once the run has settled, what else was asked for is printed. In a pipe that is
    all that is printed.
    """
    trace_id = resolve(trace_id, client, project)
    console = make_console(sys.stdout)
    if watch:
        watch_run(client, trace_id, project, console)
    if step is not None:
        step_id = find_step_id(step, trace_id, client, project)
        found = client.step_document(trace_id, step_id, project=project)
        if as_json:
            write_json(found, sys.stdout)
        else:
            render_step(orjson.loads(found), console, is_full=full)
        return
    ask = client.spans_document if with_spans else client.document
    body = ask(trace_id, project=project)
    if as_json:
        write_json(body, sys.stdout)
    elif with_spans:
        render_spans(orjson.loads(body), console)
    elif messages:
        render_transcript(orjson.loads(body), console, is_full=full)
    else:
        render_trajectory(orjson.loads(body), console)
