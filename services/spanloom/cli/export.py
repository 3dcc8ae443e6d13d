"""``spanloom export``: writes many runs into a file."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.arguments import order_option, run_filters, words_option
from spanloom.cli.client import patient_client_option
from spanloom.cli.exchanging import FormatName, check_report, report_option, write_report
from spanloom.cli.options import TeachingCommand
from spanloom.cli.pushing import check_to, push_all, to_options
from spanloom.cli.tables import RUNS, call_of, table_options, write_table
from spanloom.cli.writing import check_place, writing
from spanloom.client.calls.lists import trajectories
from spanloom.client.transfer.export import Export, Exported, export
from spanloom.core.exchange.reports import DELETED
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.live import Counting
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from spanloom.client.calls.lists import RunQuery
    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import Client
    from spanloom.core.formats.entry import Format
    from spanloom.core.records.run import Run

_FORMATS = formats_of(Of.RUNS, Via.SHELL)


@click.command(
    "export",
    cls=TeachingCommand,
    examples=(
        "spanloom export --since 7d -o runs.jsonl",
        "spanloom export --errors --format otlp -o failed.otlp.jsonl",
        "spanloom export --project travel --format parquet -o travel.parquet",
        "spanloom export --of steps --format parquet -o steps.parquet",
        "spanloom export --format coze --report out.report -o coze.jsonl",
        "spanloom export --format otlp --since 7d --to http://other.internal:4318",
        "spanloom export --format invariant --to http://localhost --dataset weather",
    ),
)
@run_filters
@words_option
@order_option
@click.option(
    "--format",
    "format_id",
    type=FormatName(list(_FORMATS)),
    default="jsonl",
    show_default=True,
    help=" ".join(f"{known.id}: {known.description}" for known in _FORMATS.values()),
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file to write, or the folder if a format has a file for each run; it appears once "
    "it is complete.",
)
@to_options
@table_options
@report_option
@click.option("--limit", type=click.IntRange(1), help="Maximum number of runs to write.")
@patient_client_option
def export_command(
    *,
    filters: RunQuery,
    words: str | None,
    order: str | None,
    format_id: str,
    output: Path | None,
    to_url: str | None,
    dataset: str | None,
    subject: str,
    no_texts: bool,
    report: Path | None,
    limit: int | None,
    client: Client,
) -> None:
    """Write runs to a file, newest first: documents, a table, or another system's format.

    With --to they are sent to another system. Sending again makes no duplicates over OTLP, but does
    in an Explorer. Ends with 1 if a run was refused.

    A run that the format cannot hold is left out with the reason; losses in other runs are counted.
    Run the same command again to resume an interrupted export; until it is complete, FILE is named
    FILE.partial. Runs that start meanwhile are not included.
    """
    to_format = _FORMATS[format_id]
    check_to(to_format, to_url, dataset, has_file=output is not None)
    if subject != RUNS or no_texts:
        query = {"words": words, "order": order, "limit": limit}
        call = call_of(subject, format_id, filters, query)
        if output is None or report is not None:
            raise click.UsageError("a table of rows is for -o FILE, without --report")
        write_json(write_table(client, call, output), sys.stdout, indent=False)
        return
    runs = trajectories(words=words, order=order, limit=limit, **filters)
    if output is None:
        check_report(report, {})
        _push(client, runs, to_format, to_url or "", dataset, report)
        return
    check_place("-o", output, is_folder=not to_format.suffix)
    check_report(report, {"-o": to_format.target(output)})
    wanted = Export(
        runs,
        {**filters, **({"words": words} if words else {}), "order": order, "limit": limit},
        to_format,
        output,
    )
    with writing(output), Counting(sys.stderr, "runs", limit) as counting:
        done = export(
            client,
            wanted,
            lambda mark: counting.show(mark.runs, f"{mark.bytes / 1e6:,.1f} MB"),
            partial(write_report, path=report) if report else lambda _: None,
        )
    _print_summary(done)


def _push(
    client: Client,
    runs: Listing[Run],
    to_format: Format,
    to_url: str,
    dataset: str | None,
    report: Path | None,
) -> None:
    done = push_all(client, runs, to_format, to_url, dataset)
    if report is not None:
        write_report(done, report)
    if done.rejected:
        click.get_current_context().exit(1)


def _print_summary(done: Exported) -> None:
    if not sys.stdout.isatty():
        write_json(orjson.dumps(done), sys.stdout, indent=False)
        return
    click.echo(
        f"{counted(done.runs, 'run')}, {done.bytes / 1e6:,.1f} MB: {printable(done.file)}"
        + (" (resumed)" if done.is_resumed else "")
    )
    for reason, n in Counter(run["reason"] for run in done.skipped).items():
        shown = "deleted meanwhile" if reason == DELETED else reason
        click.echo(f"{counted(n, 'run')} left out: {shown}", err=True)
    for code, n in done.losses.items():
        click.echo(f"lost: {code}, {n:,} times", err=True)
