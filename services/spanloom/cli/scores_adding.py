"""``spanloom scores list`` and ``add``: lists scores, and stores one score or a file's lines."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.arguments import to_trace_id
from spanloom.cli.client import client_option, patient_client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import columns_option, give, rows_output
from spanloom.client.calls.scores import write_scores
from spanloom.client.transfer.score_rows import read_lines
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.core.model.score import GIVEN_TYPES, SENT_SOURCES, STATUSES, TARGETS
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.output import write_json
from spanloom.terminal.scores import render_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.cli.output import Form
    from spanloom.client.client import Client
    from spanloom.client.transfer.scores import SentScores
    from spanloom.core.model.score import Target

    Command = Callable[..., None]

MOST_SHOWN = 20
"""Maximum number of refusals shown on a terminal."""
_TRUTH = {"true": True, "false": False}


def score_filters(command: Command) -> Command:
    """Add the options that select scores, with the names of ``GET /v1/scores``."""
    options = (
        click.option("--project", metavar="NAME", help="Only of this project."),
        click.option(
            "--trace", "trace_ids", metavar="TRACE", multiple=True, help="Only of these runs."
        ),
        click.option("--name", metavar="NAME", help="Only of this name."),
        click.option(
            "--source", "sources", metavar="NAME", multiple=True, help="Only of these sources."
        ),
        click.option("--author", metavar="NAME", help="Only by this author."),
        click.option("--target", type=click.Choice(TARGETS), help="Only of this target."),
        click.option("--experiment", metavar="NAME", help="Only of this experiment."),
        click.option("--item", metavar="KEY", help="Only of the item with this key."),
        click.option(
            "--orphan", is_flag=True, help="Only scores whose run is missing for more than 7 days."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    "list",
    cls=TeachingCommand,
    examples=(
        "spanloom scores list",
        "spanloom scores list --trace 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom scores list --author polite --source llm --limit 100",
        "spanloom scores list --name path | jq -r 'select(.passed == false).trace_id'",
        "spanloom scores list --columns trace_id,name,value --csv > scores.csv",
    ),
)
@score_filters
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="Maximum number to list."
)
@columns_option
@rows_output
@client_option
def list_command(
    *, limit: int, columns: Sequence[str], form: Form, client: Client, **filters: Any
) -> None:
    """List current scores, by project, run and id; annotations are included as scores."""
    scores = client.scores(limit=limit, **filters)
    give(scores, render_scores, form=form, columns=columns)


@click.command(
    "add",
    cls=TeachingCommand,
    examples=(
        (
            "spanloom scores add 4bf92f3577b34da6a3ce929d0e0e4736 --name helpful --author ada "
            "--value true"
        ),
        (
            "spanloom scores add 4bf92f3577b34da6a3ce929d0e0e4736 --name tone --author ada "
            "--value polite --rationale 'It says please.'"
        ),
        "spanloom scores add --file scores.jsonl",
        "cat scores.jsonl | spanloom scores add --file -",
    ),
)
@click.argument("trace_id", metavar="[TRACE]", required=False, callback=to_trace_id)
@click.option("--name", metavar="NAME", help="Name of the score.")
@click.option("--author", metavar="NAME", help="Author of the score.")
@click.option("--value", metavar="VALUE", help="A number, true, false, or a category.")
@click.option(
    "--type",
    "value_type",
    type=click.Choice(GIVEN_TYPES),
    help="Type of the value; by default inferred from it.",
)
@click.option("--label", metavar="TEXT", help="What a number or boolean means, in words.")
@click.option("--passed/--failed", "passed", default=None, help="Whether it is good enough.")
@click.option("--rationale", metavar="TEXT", help="Why.")
@click.option("--source", type=click.Choice(SENT_SOURCES), help="Source of the score, such as api.")
@click.option("--step", "step_id", metavar="STEP", help="Score of this step, not of the run.")
@click.option("--conversation", "conversation_id", metavar="ID", help="Of this conversation.")
@click.option("--item", metavar="KEY", help="Score of a dataset item, or of a run for it.")
@click.option("--experiment", metavar="NAME", help="The experiment of the score.")
@click.option("--repeat", type=click.IntRange(0), help="Number of the repeat, from 0.")
@click.option(
    "--status", type=click.Choice(STATUSES), help="Any status other than ok has no value."
)
@click.option("--error-code", metavar="CODE", help="Of an error.")
@click.option("--at", type=click.IntRange(0), help="When it was made, in ms since the epoch.")
@click.option(
    "--file",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Scores as JSON lines, with the members of POST /v1/scores; - is standard input.",
)
@click.option("--project", metavar="NAME", help="The project of the run.")
@patient_client_option
def add_command(
    *,
    trace_id: str | None,
    file: Path | None,
    project: str | None,
    value: str | None,
    client: Client,
    **members: Any,
) -> None:
    """Store one score, or those of a file of JSON lines.

    The same score again, by run, step, name, source, author, experiment, item and repeat, is a
    revision of it. A score whose run is not stored yet waits for it. Ends with 1 if a line was
    refused.
    """
    members = {name: one for name, one in members.items() if one is not None}
    if file is not None:
        if trace_id or value or members:
            raise click.UsageError("--file has whole scores: name TRACE, --name, … in its lines")
        with _lines(file) as stream:
            _end(send_scores(ServiceScores(client), read_lines(stream), project))
        return
    row = _row(trace_id, value, members)
    answer = client.ask(write_scores([row], project=project))
    if not sys.stdout.isatty():
        write_json(orjson.dumps(answer["items"][0]), sys.stdout, indent=False)
    else:
        waits = ": its run is not there yet, it waits" if answer.get("waiting") else ""
        click.echo(f"score {answer['items'][0]['score_id']} stored{waits}")


@contextmanager
def _lines(file: Path) -> Iterator[IO[bytes]]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise click.UsageError(f"{printable(str(file))}: {error.strerror}") from error


def _row(trace_id: str | None, value: str | None, members: dict[str, Any]) -> dict[str, Any]:
    for needed in ("name", "author"):
        if not members.get(needed):
            raise click.UsageError(f"a score needs --{needed}, or many of them --file")
    row = {**members, "trace_id": trace_id or "", "target": _target(trace_id, members)}
    if value is not None:
        row["value"] = _read_value(value, members.get("value_type"))
    return row


def _target(trace_id: str | None, members: dict[str, Any]) -> Target:
    if members.get("conversation_id"):
        return "conversation"
    if members.get("step_id"):
        return "step"
    if not trace_id and members.get("item"):
        return "item"
    if not trace_id:
        raise click.UsageError("a score is of something: name TRACE, --conversation or --item")
    return "trajectory"


def _read_value(text: str, kind: str | None) -> float | bool | str:
    """Parse a value as the named type; by default, detect a boolean or a number."""
    if kind in ("category", "text"):
        return text
    if kind != "number" and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    try:
        if kind != "boolean" and math.isfinite(number := float(text)):
            return number
    except ValueError:
        pass
    if kind is not None:
        raise click.UsageError(f"--value {printable(text)}: it is no {kind}")
    return text


def _end(done: SentScores) -> None:
    """Print how many scores were stored, and exit with 1 if one was rejected."""
    print_sent(done, {})
    if done.refused_scores:
        click.get_current_context().exit(1)


def print_sent(done: SentScores, head: dict[str, str], of: str = "") -> None:
    """Print the number of stored scores (in a pipe as JSON, with ``head``), and the refusals."""
    if not sys.stdout.isatty():
        write_json(orjson.dumps({**head, **asdict(done)}), sys.stdout, indent=False)
        return
    notes = ((done.waiting, "wait for their runs"), (done.left_out, "left out, of annotators"))
    rest = "".join(f", {count:,} {words}" for count, words in notes if count)
    click.echo(f"{counted(done.stored, 'score')}{of or ' stored'}{rest}")
    for one in done.refused[:MOST_SHOWN]:
        click.echo(f"  {one['place']}: {printable(one['reason'])}", err=True)
    if done.refused_scores > MOST_SHOWN:
        click.echo(f"  and {done.refused_scores - MOST_SHOWN} more", err=True)
