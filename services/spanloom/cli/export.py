"""``spanloom export``: writes many runs into a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.arguments import order_option, run_filters, words_option
from spanloom.cli.client import patient_client_option
from spanloom.cli.options import TeachingCommand
from spanloom.client.calls.lists import trajectories
from spanloom.client.transfer.export import Export, Exported, export
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.live import Counting
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from spanloom.client.calls.lists import RunQuery
    from spanloom.client.client import Client

_FORMATS = formats_of(Of.RUNS, Via.SHELL)


@click.command(
    "export",
    cls=TeachingCommand,
    examples=(
        "spanloom export --since 7d -o runs.jsonl",
        "spanloom export --errors --format otlp -o failed.otlp.jsonl",
        "spanloom export --project travel --format parquet -o travel.parquet",
    ),
)
@run_filters
@words_option
@order_option
@click.option(
    "--format",
    "format_id",
    type=click.Choice(list(_FORMATS)),
    default="jsonl",
    show_default=True,
    help=" ".join(f"{known.id}: {known.description}" for known in _FORMATS.values()),
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="The file to write; it is there once it is whole.",
)
@click.option("--limit", type=click.IntRange(1), help="The most runs to write.")
@patient_client_option
def export_command(
    *,
    filters: RunQuery,
    words: str | None,
    order: str | None,
    format_id: str,
    output: Path,
    limit: int | None,
    client: Client,
) -> None:
    """Write runs into a file, newest first: documents, a table, or the spans as they were sent.

    What is interrupted goes on where it was when the same command is given again; until then FILE
    is called FILE.partial. Runs that start meanwhile are not in it.
    """
    wanted = Export(
        trajectories(words=words, order=order, limit=limit, **filters),
        {**filters, **({"words": words} if words else {}), "order": order, "limit": limit},
        _FORMATS[format_id],
        output,
    )
    with Counting(sys.stderr, "runs", limit) as counting:
        done = export(
            client, wanted, lambda mark: counting.show(mark.runs, f"{mark.bytes / 1e6:,.1f} MB")
        )
    _say(done)


def _say(done: Exported) -> None:
    if not sys.stdout.isatty():
        write_json(orjson.dumps(done), sys.stdout, indent=False)
        return
    click.echo(
        f"{counted(done.runs, 'run')}, {done.bytes / 1e6:,.1f} MB: {printable(done.file)}"
        + (" (went on with what was there)" if done.is_resumed else "")
    )
    if done.skipped:
        click.echo(f"{counted(len(done.skipped), 'run')} left out: deleted meanwhile", err=True)
