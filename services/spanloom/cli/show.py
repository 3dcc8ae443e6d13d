"""``spanloom show``: prints one trajectory as a tree, and follows it until it has settled."""

from __future__ import annotations

import sys
from functools import partial
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import orjson

from spanloom.cli.arguments import find_step_id, resolve, trace_id_argument
from spanloom.cli.client import LOOK_S, client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, document_output, give_rows
from spanloom.client.errors import PASSING, ApiError
from spanloom.core.document import Document
from spanloom.core.model.trajectory import Status
from spanloom.core.showing.steps import outline as fold
from spanloom.core.showing.steps import place_steps
from spanloom.terminal.live import GrowingTree
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.render import render_trajectory
from spanloom.terminal.spans import render_spans
from spanloom.terminal.transcript import render_outline, render_step, render_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from spanloom.client.client import Client
    from spanloom.terminal.render import Json

    Draw = Callable[[Any, Console], None]


class Look(NamedTuple):
    """The latest document received, and why it may be outdated."""

    document: Json
    trouble: str = ""


def watch_run(client: Client, trace_id: str, project: str | None, console: Console) -> None:
    """Return once the run has settled; on a terminal, draw its growing tree until then.

    Raises ``ClientError`` if the run does not exist, or was deleted.
    """
    looks = _follow(client, trace_id, project)
    if console.is_terminal:
        with GrowingTree(console) as tree:
            for look in looks:
                tree.show(look.document, look.trouble)
    else:
        _wait(looks)


def _wait(looks: Iterator[Look]) -> None:
    """Report on standard error what the command waits for, and when no service answers."""
    printed = ""
    for look in looks:
        waiting = "the run is live, it is printed once it has settled"
        saying = look.trouble or (waiting if _is_live(look.document) else "")
        if saying not in ("", printed):
            click.echo(f"spanloom: {saying}", err=True)
        printed = saying


def _follow(client: Client, trace_id: str, project: str | None) -> Iterator[Look]:
    """Yield the result of each poll, ending with a document that is no longer live."""
    document: Json = {}
    etag = ""
    while True:
        trouble, pause_s = "", LOOK_S
        try:
            newer = client.newer_document(trace_id, etag, project=project)
        except PASSING as error:
            if not document:
                raise
            trouble = f"{error}, trying again"
            pause_s = max(pause_s, _requested_pause_s(error))
        else:
            if newer is not None:
                document, etag = orjson.loads(newer.body), newer.etag
        yield Look(document, trouble)
        if not _is_live(document):
            return
        sleep(pause_s)


def _is_live(document: Json) -> bool:
    return Document(document).extraction.status_text == Status.LIVE


def _requested_pause_s(error: Exception) -> float:
    return (isinstance(error, ApiError) and error.retry_after_s) or 0.0


@click.command(
    "show",
    cls=TeachingCommand,
    examples=(
        "spanloom show latest",
        "spanloom show 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom show latest --watch",
        "spanloom show latest --messages",
        "spanloom show latest --outline",
        "spanloom show latest model3",
        "spanloom show latest tool1 | jq -r .output",
        "spanloom show latest web_search",
        "spanloom show latest --spans",
        "spanloom show latest --output table > run.txt",
        "spanloom show latest | jq .root_step.metrics_info",
    ),
)
@trace_id_argument
@click.argument("step", required=False)
@click.option("--step", "step_too", metavar="STEP", help="The same as the argument.")
@click.option(
    "--outline",
    is_flag=True,
    help="Show one numbered line per step; equal steps in a row are one line.",
)
@click.option("--messages", is_flag=True, help="Show the messages, call by call.")
@click.option("--full", is_flag=True, help="Do not truncate long texts.")
@click.option("--watch", is_flag=True, help="Follow a live run until it has settled.")
@click.option("--project", metavar="NAME", help="Look in this project only.")
@click.option(
    "--spans", "with_spans", is_flag=True, help="Show how each span was classified, and why."
)
@document_output
@client_option
def show_command(
    *,
    trace_id: str,
    step: str | None,
    step_too: str | None,
    outline: bool,
    messages: bool,
    full: bool,
    watch: bool,
    project: str | None,
    with_spans: bool,
    form: Form,
    client: Client,
) -> None:
    """Print one trajectory as a tree: agents, their steps, durations, tokens and errors.

    TRACE_ID is the trace id of your tracing SDK, 32 hex digits; `latest` is the newest trajectory.
    Agents are under the step that called them. Each line has the duration, the tokens (in → out)
    and the time range within the run.

    With STEP one step is printed: its messages, or its arguments and its result, and all details.
    STEP is a step's id, as in `--spans`; a type and a number, `model3` for the third model call; a
    name, `search` for the first and `search2` for the second step of this name; or a number, as in
    --outline.

    With --watch the tree of a live run is redrawn as it grows, also across a restart of the
    service; once the run has settled, the rest of the output is printed. In a pipe only that is
    printed: the document, the step or the outline as JSON, or with --output table as on a terminal.
    """
    if messages + with_spans + outline > 1 or (step and step_too):
        raise click.UsageError("one view at a time: a step, --messages, --spans or --outline")
    trace_id = resolve(trace_id, client, project)
    console = make_console(sys.stdout)
    if watch:
        watch_run(client, trace_id, project, console)
    if step_name := step or step_too:
        step_id = find_step_id(step_name, trace_id, client, project)
        body = client.step_document(trace_id, step_id, project=project)
        draw: Draw = partial(render_step, is_full=full)
    elif with_spans:
        body, draw = client.spans_document(trace_id, project=project), render_spans
    else:
        body = client.document(trace_id, project=project)
        draw = partial(render_transcript, is_full=full) if messages else render_trajectory
    if outline:
        lines = fold(place_steps(orjson.loads(body)))
        give_rows(lines, render_outline, form=form)
    elif form is Form.TABLE:
        draw(orjson.loads(body), console)
    else:
        write_json(body, sys.stdout, indent=form is Form.JSON)
