"""``spanloom export --to``: sends runs directly to another system, and prints the result."""

from __future__ import annotations

import os
import re
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.client import ServiceError, to_url_option
from spanloom.client.address import find_address
from spanloom.client.errors import ClientError
from spanloom.client.transfer.pushing import INVARIANT, Explorer, Receiver, push
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.exchange.reports import counts
from spanloom.core.exchange.sources import OTLP
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.live import Counting
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import Client
    from spanloom.client.transfer.pushing import Target
    from spanloom.core.exchange.reports import Report
    from spanloom.core.formats.entry import Format
    from spanloom.core.records.run import Run

KEY_OF_EXPLORER = "INVARIANT_API_KEY"
MOST_SHOWN = 20
"""Maximum number of refusals shown on a terminal."""
_DATASET = re.compile("[A-Za-z0-9_-]+")


def to_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--to`` and ``--dataset``."""
    command = click.option(
        "--dataset",
        metavar="NAME",
        help="The dataset of Invariant Explorer that the runs go to: letters, digits, - and _.",
    )(command)
    return click.option(
        "--to",
        "to_url",
        metavar="URL",
        callback=to_url_option,
        help="Send the runs there instead: --format invariant to an Explorer of your own (its key: "
        f"{KEY_OF_EXPLORER}), --format otlp to a receiver over HTTP (its key: SPANLOOM_API_KEY).",
    )(command)


def check_to(to_format: Format, to_url: str | None, dataset: str | None, *, has_file: bool) -> None:
    """Raise ``click.UsageError`` unless the options name a file, or a target for the format."""
    if (to_url is not None) == has_file:
        raise click.UsageError("name a file by -o, or where to send the runs by --to")
    if to_url is not None and to_format.id not in (INVARIANT, OTLP):
        raise click.UsageError(f"--to sends {INVARIANT} and {OTLP}: not --format {to_format.id}")
    if dataset is not None and (to_url is None or to_format.id != INVARIANT):
        raise click.UsageError(f"--dataset is for --format {INVARIANT} --to URL")
    if dataset is not None and not _DATASET.fullmatch(dataset):
        raise click.UsageError(f"--dataset {printable(dataset)}: only letters, digits, - and _")


def push_all(
    client: Client, runs: Listing[Run], to_format: Format, to_url: str, dataset: str | None
) -> Report:
    """Send the runs of a list, print the result, and return the report."""
    is_explorer = to_format.id == INVARIANT
    key = os.environ.get(KEY_OF_EXPLORER, "") if is_explorer else None
    transport = Transport(find_address(to_url, key), Patience(), None)
    target: Target = Explorer(transport, dataset) if is_explorer else Receiver(transport)
    with closing(transport), Counting(sys.stderr, "runs", runs.limit) as counting:
        try:
            report = push(client, runs, to_format, target, lambda n: counting.show(n, "sent"))
        except ClientError as error:
            raise ServiceError(error, "--to") from error
    _print_summary(report, to_url)
    return report


def _print_summary(report: Report, to_url: str) -> None:
    if not sys.stdout.isatty():
        head = {"to": to_url, "format": report.to, "runs": report.written}
        rest = {"skipped": report.skipped, "rejected": report.rejected}
        write_json(
            orjson.dumps({**head, **rest, "losses": counts(report.losses)}),
            sys.stdout,
            indent=False,
        )
        return
    click.echo(f"{counted(report.written, 'run')} sent to {printable(to_url)}")
    if report.skipped:
        click.echo(f"{counted(len(report.skipped), 'run')} left out", err=True)
    for one in report.rejected[:MOST_SHOWN]:
        click.echo(f"  {one['place']}: {printable(one['reason'])}", err=True)
