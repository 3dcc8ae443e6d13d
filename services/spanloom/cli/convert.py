"""``spanloom convert``: converts files of runs from one format into another, without a service."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import click

from spanloom.cli.arguments import files_argument
from spanloom.cli.exchanging import (
    FormatName,
    check_report,
    from_option,
    report_option,
    source_of_file,
    write_report,
)
from spanloom.cli.options import TeachingCommand
from spanloom.cli.writing import check_place, writing
from spanloom.client.errors import ClientError
from spanloom.client.transfer.converting import Conversion
from spanloom.client.transfer.output import Output
from spanloom.core.exchange.reports import Report, joined
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.values import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.formats.entry import Format

STDIN = "-"
_FILES = formats_of(Of.RUNS)
_TABLES = frozenset({"parquet", "arrow"})


@click.command(
    "convert",
    cls=TeachingCommand,
    examples=(
        "spanloom convert --to coze runs.jsonl -o coze.jsonl",
        "spanloom convert --from otlp --to canonical spans.jsonl",
        "spanloom convert --to coze --strict --report out.report runs.jsonl -o coze.jsonl",
    ),
)
@files_argument(with_stdin=True)
@from_option("--from")
@click.option(
    "--to",
    "to",
    type=FormatName([name for name in _FILES if _FILES[name].is_written]),
    required=True,
    help="The format to write; canonical is jsonl.",
)
@click.option(
    "--project",
    metavar="NAME",
    help="Project of runs that name none; generated ids depend on it.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file to write, or the folder if a format has a file for each run; by default "
    "standard output.",
)
@report_option
@click.option("--strict", is_flag=True, help="Exit with 1 also if anything is lost.")
def convert_command(
    *,
    files: Sequence[Path],
    source: str | None,
    to: str,
    project: str | None,
    output: Path | None,
    report: Path | None,
    strict: bool,
) -> None:
    """Convert files of runs into another format, without a service; nothing is stored.

    Standard input is `-`. Without --from, the format is detected from a file's first value. What
    cannot be converted is left out and listed on standard error. Spans are grouped by trace once
    all files are read; a document without spans is written with one span for each step.

    Ends with 0 if everything was converted, with 1 if not, with 2 if the options are wrong.
    """
    to_format = _FILES[to]
    _check(to_format, output)
    targets = {"-o": to_format.target(output)} if output else {}
    check_report(report, targets, [file for file in files if str(file) != STDIN])
    with writing(output), ExitStack() as stack:
        inputs = [(str(file), _path_of(file, stack)) for file in files]
        sources = [source_of_file(path, source, "--from") for _, path in inputs]
        written = stack.enter_context(Output(to_format, output, sys.stdout.buffer))
        result = Report(joined(read.name for read in sources), to_format.line)
        conversion = Conversion(
            formats_of(Of.RUN)[to_format.line], written.add, _print_reason, project, result
        )
        try:
            for (name, path), read in zip(inputs, sources, strict=True):
                conversion.convert(name, path, read)
            conversion.finish()
            written.finish()
        except ClientError as error:
            raise click.ClickException(printable(str(error))) from error
    _end(result, report, output, is_strict=strict)


def _end(result: Report, report: Path | None, output: Path | None, *, is_strict: bool) -> None:
    if report:
        write_report(result, report)
    if output and sys.stderr.isatty():
        click.echo(f"{counted(result.written, 'run')}: {printable(str(output))}", err=True)
    if result.rejected or result.skipped or (is_strict and result.losses.counts):
        click.get_current_context().exit(1)


def _print_reason(file: str, place: str, reason: str) -> None:
    click.echo(printable(f"{file}: {place}: {' '.join(reason.split())}"), err=True)


def _check(to_format: Format, output: Path | None) -> None:
    """Raise ``click.UsageError`` for a format that cannot be written, or not to ``output``."""
    if to_format.id in _TABLES:
        raise click.UsageError(
            f"--to {to_format.id}: its columns are those of a service's list; `spanloom export "
            f"--format {to_format.id}` writes it"
        )
    if output is None and (to_format.filed is Filed.FOLDER or to_format.named):
        raise click.UsageError(f"--to {to_format.id} is a folder of files; name it: -o DIR/")
    if output is not None:
        check_place("-o", output, is_folder=not to_format.suffix)
    if to_format.filed is Filed.FOLDER and output and output.is_dir() and any(output.iterdir()):
        raise click.UsageError(f"-o {printable(str(output))}: it is not empty")


def _path_of(file: Path, stack: ExitStack) -> Path:
    """Return the path of a file; standard input is copied into a file, so it can be read twice."""
    if str(file) != STDIN:
        return file
    copy = stack.enter_context(NamedTemporaryFile(prefix="spanloom-"))  # noqa: SIM115  # `stack` closes it
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    return Path(copy.name)
