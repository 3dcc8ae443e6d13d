"""``spanloom import``: files of OTLP into a service."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.client import ServiceError
from spanloom.cli.options import TeachingCommand
from spanloom.client.address import find_address
from spanloom.client.errors import ClientError
from spanloom.client.transfer.sending import Imported, send_file
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.counting import Counting
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_SHOWN = 20
"""Of what was not taken, on a terminal."""


@click.command(
    "import",
    cls=TeachingCommand,
    examples=(
        "spanloom import failed.otlp.jsonl",
        "spanloom import --project copies collector-*.json",
        "spanloom import --otlp-url http://traces.internal:4318 trace.json.gz",
    ),
)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@click.option("--project", metavar="NAME", help="As runs of this project, whatever the spans say.")
@click.option(
    "--otlp-url",
    metavar="URL",
    default="http://127.0.0.1:4318",
    show_default=True,
    envvar="SPANLOOM_OTLP_URL",
    help="Where the service takes OTLP over HTTP; also SPANLOOM_OTLP_URL. Its key: "
    "SPANLOOM_API_KEY.",
)
def import_command(files: Sequence[Path], project: str | None, otlp_url: str) -> None:
    """Send files of OTLP to a service, as any exporter does: what is acknowledged is durable.

    Read are JSON, JSON lines and protobuf as `spanloom export --format otlp` and the Collector's
    file exporter write them, also gzipped. A span is known by its ids: a file that is sent again
    changes nothing. Ends with 1 if something was not taken.
    """
    for file in files:
        if not file.is_file():
            raise click.UsageError(f"{printable(str(file))}: there is no such file")
    try:
        results = list(_send_all(files, project, otlp_url))
    except ClientError as error:
        raise ServiceError(error, "--otlp-url") from error
    for done in results:
        _say(done)
    if any(done.rejected for done in results):
        click.get_current_context().exit(1)


def _send_all(files: Sequence[Path], project: str | None, otlp_url: str) -> Iterator[Imported]:
    transport = Transport(find_address(otlp_url, None), Patience(), None)
    with closing(transport), Counting(sys.stderr, "spans") as counting:
        sent = 0
        for file in files:
            before, name = sent, printable(file.name)
            done = send_file(
                transport,
                file,
                project,
                lambda so_far, at=before, name=name: counting.show(  # type: ignore[misc]
                    at + so_far.accepted_spans, name
                ),
            )
            sent += done.accepted_spans
            yield done


def _say(done: Imported) -> None:
    if not sys.stdout.isatty():
        write_json(orjson.dumps(asdict(done)), sys.stdout, indent=False)
        return
    click.echo(f"{counted(done.accepted_spans, 'span')} of {printable(done.file)}")
    for one in done.rejected[:MOST_SHOWN]:
        click.echo(f"  {one['place']}: {printable(one['reason'])}", err=True)
    if len(done.rejected) > MOST_SHOWN:
        click.echo(f"  and {len(done.rejected) - MOST_SHOWN} more", err=True)
