"""``spanloom import``: sends files of spans or documents to a service."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
import orjson

from spanloom.cli.arguments import files_argument
from spanloom.cli.client import ServiceError, to_url_option
from spanloom.cli.exchanging import (
    check_report,
    from_option,
    report_option,
    source_of_file,
    write_report,
)
from spanloom.cli.options import TeachingCommand
from spanloom.client.address import DEFAULT_URL, find_address
from spanloom.client.calls.runs import otlp_message
from spanloom.client.client import Client
from spanloom.client.errors import ClientError, NotFoundError
from spanloom.client.transfer.run_scores import Imported, store_scores
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.exchange.reports import joined
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.live import Counting
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.client.transfer.documents import Run
    from spanloom.client.transfer.score_rows import PlacedRow
    from spanloom.client.transfer.scores import SentScores
    from spanloom.core.exchange.sources import Source
    from spanloom.core.model.span import TraceKey

MOST_SHOWN = 20
"""Maximum number of rejections shown on a terminal."""


@click.command(
    "import",
    cls=TeachingCommand,
    examples=(
        "spanloom import failed.otlp.jsonl",
        "spanloom import --project archive runs.parquet",
        "spanloom import --project copies collector-*.json",
        "spanloom import --format otlp --report out.report spans.jsonl",
        "spanloom import --otlp-url http://traces.internal:4318 trace.json.gz",
    ),
)
@files_argument()
@from_option("--format")
@click.option(
    "--project", metavar="NAME", help="Store the runs in this project, whatever the spans say."
)
@report_option
@click.option(
    "--as-new",
    is_flag=True,
    help="Use new ids, derived from the old ones: a copy that leaves the stored run unchanged.",
)
@click.option(
    "--otlp-url",
    metavar="URL",
    default="http://127.0.0.1:4318",
    show_default=True,
    envvar="SPANLOOM_OTLP_URL",
    callback=to_url_option,
    help="URL of the service's OTLP over HTTP; also SPANLOOM_OTLP_URL. Its key: SPANLOOM_API_KEY.",
)
@click.option(
    "--api-url",
    metavar="URL",
    default=DEFAULT_URL,
    show_default=True,
    envvar="SPANLOOM_API_URL",
    callback=to_url_option,
    help="The service that is asked which of the runs it has; also SPANLOOM_API_URL. Spans are "
    "compared only if this is set, or if it is on the host of --otlp-url.",
)
def import_command(
    *,
    files: Sequence[Path],
    source: str | None,
    project: str | None,
    report: Path | None,
    as_new: bool,
    otlp_url: str,
    api_url: str,
) -> None:
    """Send spans or documents to a service, as an exporter does: acknowledged data is durable.

    Reads OTLP as written by `spanloom export --format otlp` and the Collector's file exporter, in
    JSON, JSON lines or protobuf, and runs in every format of --format; also gzipped. Without
    --format, the format is detected from a file's first value. Sending a file again, in whole or
    after an interruption, changes nothing. Scores of runs in a file are stored if the key has the
    scope annotate. Ends with 1 if something was refused.
    """
    check_report(report, {}, files)
    sources = [(file, source_of_file(file, source, "--format")) for file in files]
    transport = Transport(find_address(otlp_url, None), Patience(), None)
    with Client(api_url, tries=Patience.tries) as client, closing(transport):
        ends = partial(_find_stored, client), partial(_store, client)
        spans = _StoredSpans(client) if _is_one_service(otlp_url, api_url) else _no_spans
        sending = Sending(transport, *ends, spans)
        sending.report.source = joined(read.name for _, read in sources)
        try:
            results = list(_send_all(sending, sources, project, as_new=as_new))
        except ClientError as error:
            raise ServiceError(error, "--otlp-url") from error
    for done in results:
        _print_summary(done)
    if report:
        write_report(sending.report, report)
    if any(done.rejected for done in results):
        click.get_current_context().exit(1)


def _send_all(
    sending: Sending, files: Sequence[tuple[Path, Source]], project: str | None, *, as_new: bool
) -> Iterator[Imported]:
    with Counting(sys.stderr, "spans", len(files)) as counting:
        sent = 0
        for number, (file, source) in enumerate(files):
            on_progress = partial(_show, counting, sent, number, printable(file.name))
            done = sending.send(file, project, on_progress, source, as_new=as_new)
            sent += done.accepted_spans
            yield done


def _show(
    counting: Counting, sent: int, whole: int, name: str, so_far: Imported, share: float
) -> None:
    """Show the spans accepted so far; ``whole + share`` files have been read."""
    counting.show(sent + so_far.accepted_spans, name, whole + share)


def _find_stored(client: Client, run: Run) -> Mapping[str, object] | None:
    try:
        stored: Mapping[str, object] = orjson.loads(
            client.document(run.trace_id, project=run.project)
        )
    except NotFoundError:
        return None
    except ClientError as error:  # raised by the API, not by the receiver
        raise ServiceError(error) from error
    return stored


def _is_one_service(otlp_url: str, api_url: str) -> bool:
    """Return whether the URLs have the same host, or ``api_url`` was chosen by the user."""
    return api_url != DEFAULT_URL or urlsplit(otlp_url).hostname == urlsplit(api_url).hostname


def _no_spans(_: TraceKey) -> Sequence[bytes]:
    return ()


class _StoredSpans:
    """Requests the stored spans of traces until the service refuses; then all spans are sent."""

    def __init__(self, client: Client) -> None:
        self._client, self._is_refused = client, False

    def __call__(self, key: TraceKey) -> Sequence[bytes]:
        if self._is_refused:
            return ()
        try:
            call = otlp_message(key.trace_id, project=key.project)
            return [self._client.transport.ask(call.request).body]
        except NotFoundError:
            return ()
        except ClientError:  # for example, the key has no read access
            self._is_refused = True
            return ()


def _store(client: Client, rows: Sequence[PlacedRow]) -> SentScores:
    try:
        return store_scores(client, rows)
    except ClientError as error:  # raised by the API, not by the receiver
        raise ServiceError(error) from error


def _print_summary(done: Imported) -> None:
    if not sys.stdout.isatty():
        write_json(orjson.dumps(asdict(done)), sys.stdout, indent=False)
        return
    for code, n in done.losses.items():
        click.echo(f"  {code}: {n:,}", err=True)
    unchanged = (
        f", {counted(done.unchanged_runs, 'run')} there already" if done.unchanged_runs else ""
    )
    scores = f", {counted(done.accepted_scores, 'score')}" if done.accepted_scores else ""
    click.echo(
        f"{counted(done.accepted_spans, 'span')}{scores} of {printable(done.file)}{unchanged}"
    )
    for one in done.rejected[:MOST_SHOWN]:
        click.echo(f"  {one['place']}: {printable(one['reason'])}", err=True)
    if len(done.rejected) > MOST_SHOWN:
        click.echo(f"  and {len(done.rejected) - MOST_SHOWN} more", err=True)
