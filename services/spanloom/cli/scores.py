"""``spanloom scores``: lists, stores, exports and imports scores."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import click

from spanloom.cli.arguments import files_argument
from spanloom.cli.client import ServiceError, patient_client_option, to_url_option
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.cli.scores_adding import add_command, list_command, print_sent, score_filters
from spanloom.cli.writing import check_place, whole_file, writing
from spanloom.client.address import find_address
from spanloom.client.calls.scores import score_table
from spanloom.client.errors import ClientError
from spanloom.client.transfer.score_results import export_results, send_results
from spanloom.client.transfer.score_rows import list_all, read_rows
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.formats.entry import CSV, NDJSON, PARQUET
from spanloom.core.showing.values import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.client.client import Client

_TABLES = {"jsonl": NDJSON, "csv": CSV, "parquet": PARQUET}
_OTLP = "otlp"


@click.group(
    "scores",
    cls=TeachingGroup,
    examples=(
        "spanloom scores list --name helpful",
        (
            "spanloom scores add 4bf92f3577b34da6a3ce929d0e0e4736 --name helpful --author ada "
            "--value true"
        ),
        "spanloom scores export > scores.jsonl",
        "spanloom scores export --name helpful --format parquet -o helpful.parquet",
        "spanloom scores export --format otlp --to http://other.internal:4318",
        "spanloom scores import scores.jsonl",
    ),
)
def scores_group() -> None:
    """List and store scores, export them from a service, or import them."""


@scores_group.command("export", cls=TeachingCommand)
@score_filters
@click.option(
    "--format",
    "form",
    type=click.Choice([*_TABLES, _OTLP]),
    default="jsonl",
    show_default=True,
    help="One line for each score; a table; or log records gen_ai.evaluation.result as OTLP.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file; by default standard output."
)
@click.option(
    "--to",
    "to_url",
    metavar="URL",
    callback=to_url_option,
    help="Send them to this OTLP/HTTP receiver, with --format otlp. Its key: SPANLOOM_API_KEY.",
)
@patient_client_option
def export_command(
    client: Client, form: str, output: Path | None, to_url: str | None, **filters: Any
) -> None:
    """Write scores as lines of JSON, as a table, or as evaluation results of OTLP.

    Annotations are included, as scores of steps.
    """
    if to_url is not None and form != _OTLP:
        raise click.UsageError("--to sends OTLP: add --format otlp")
    if to_url is not None and output is not None:
        raise click.UsageError("--to and --output exclude each other")
    if output is not None:
        check_place("-o", output, may_be_device=True)
    if to_url is not None:
        _send_all(client, to_url, filters)
    elif output is not None:
        with whole_file(output) as file:
            _write(client, form, filters, file)
    elif form == "parquet" and sys.stdout.isatty():
        raise click.UsageError("a table is for a file: name it with --output, or use a pipe")
    else:
        with writing(None):
            _write(client, form, filters, sys.stdout.buffer)


def _write(client: Client, form: str, filters: dict[str, Any], file: IO[bytes]) -> None:
    if form != _OTLP:
        call = score_table(_TABLES[form], **filters)
        if file.seekable():
            client.copy(call, file)
            return
        with TemporaryFile() as whole:  # a try that fails halfway starts the file again
            client.copy(call, whole)
            whole.seek(0)
            copyfileobj(whole, file)
        return
    done = export_results(list_all(client, **filters), lambda body: _put(file, body))
    _print_skipped(done.skipped)


def _put(file: IO[bytes], body: bytes) -> None:
    file.write(body + b"\n")


def _send_all(client: Client, to_url: str, filters: dict[str, Any]) -> None:
    transport = Transport(find_address(to_url, None), Patience(), None)
    with closing(transport):
        rows = list_all(client, **filters)
        try:
            done = export_results(rows, partial(send_results, transport))
        except ClientError as error:
            raise ServiceError(error, "--to") from error
    click.echo(f"{counted(done.written, 'score')} sent to {printable(to_url)}")
    _print_skipped(done.skipped)


def _print_skipped(skipped: int) -> None:
    if skipped:
        click.echo(
            f"{counted(skipped, 'score')} left out: OTLP has no place for their targets", err=True
        )


@scores_group.command("import", cls=TeachingCommand)
@files_argument()
@click.option("--project", metavar="NAME", help="The project of the runs, whatever the rows say.")
@patient_client_option
def import_command(client: Client, files: Sequence[Path], project: str | None) -> None:
    """Import scores: JSON lines or Parquet of `export`.

    Importing a file twice changes nothing. A score whose run is not stored yet waits for it. Scores
    made from annotations are left out: use `spanloom annotations import`. Ends with 1 if a row was
    refused.
    """
    for file in files:
        if not file.is_file():
            raise click.UsageError(f"{printable(str(file))}: there is no such file")
    is_refused = False
    for file in files:
        done = send_scores(ServiceScores(client), read_rows(file), project)
        print_sent(done, {"file": str(file)}, f" of {printable(file.name)}")
        is_refused |= bool(done.refused_scores)
    if is_refused:
        click.get_current_context().exit(1)


scores_group.add_command(list_command)
scores_group.add_command(add_command)
