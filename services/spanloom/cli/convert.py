"""``spanloom convert``: files of one format of runs into another, without a service."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from pkgutil import resolve_name
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Self
from urllib.parse import quote

import click

from spanloom.cli.exchanging import (
    FormatName,
    from_option,
    report_option,
    source_of_file,
    write_report,
)
from spanloom.cli.options import TeachingCommand
from spanloom.client.errors import ClientError
from spanloom.client.transfer.converting import Conversion
from spanloom.client.transfer.export import PARQUET, ROWS
from spanloom.core.exchange.files import Layout
from spanloom.core.exchange.reports import Report, joined
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.values import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        "spanloom convert --to coze --strict --report became.json runs.jsonl -o coze.jsonl",
    ),
)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
)
@from_option("--from")
@click.option(
    "--to",
    "to",
    type=FormatName([name for name in _FILES if _FILES[name].is_written]),
    required=True,
    help="The format to write.",
)
@click.option(
    "--project",
    metavar="NAME",
    help="Of runs that name none; part of the ids that are made.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(writable=True, path_type=Path),
    help="The file to write, or the folder where a format has a file for each run; else standard "
    "output.",
)
@report_option
@click.option("--strict", is_flag=True, help="End with 1 also if anything is lost.")
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
    """Convert files of runs into another format; no service is asked, and nothing is stored.

    Standard input is `-`. Without --from the shape of a file's first value decides. What cannot be
    taken is left out and named on standard error, one line each. Spans are put together by trace,
    when all files are read; a document that comes without spans is written as if every step
    was a span of its own.

    Ends with 0 if everything was taken, with 1 if not, with 2 if it was asked wrongly.
    """
    known = _FILES[to]
    _check(known, output)
    with ExitStack() as stack:
        inputs = [(str(file), _path_of(file, stack)) for file in files]
        sources = [source_of_file(path, source, "--from") for _, path in inputs]
        written = stack.enter_context(_Output(known, output))
        made = Report(joined(read.name for read in sources), known.line)
        conversion = Conversion(formats_of(Of.RUN)[known.line], written.add, _tell, project, made)
        try:
            for (name, path), read in zip(inputs, sources, strict=True):
                conversion.convert(name, path, read)
            conversion.finish()
            written.finish()
        except ClientError as error:
            raise click.ClickException(printable(str(error))) from error
    _end(made, report, output, is_strict=strict)


def _end(made: Report, report: Path | None, output: Path | None, *, is_strict: bool) -> None:
    if report:
        write_report(made, report)
    if output and sys.stderr.isatty():
        click.echo(f"{counted(made.written, 'run')}: {printable(str(output))}", err=True)
    if made.rejected or made.skipped or (is_strict and made.losses.counts):
        click.get_current_context().exit(1)


def _tell(file: str, place: str, reason: str) -> None:
    click.echo(printable(f"{file}: {place}: {' '.join(reason.split())}"), err=True)


def _check(known: Format, output: Path | None) -> None:
    """Raise ``click.UsageError`` for a format that this output cannot have."""
    if known.id in _TABLES:
        raise click.UsageError(
            f"--to {known.id}: its columns are those of a service's list; `spanloom export "
            f"--format {known.id}` writes it"
        )
    if output is None and (known.filed is Filed.FOLDER or known.named):
        raise click.UsageError(f"--to {known.id} is a folder of files; name it: -o DIR/")
    if output is not None and output.is_dir() and known.suffix:
        raise click.UsageError(f"-o {printable(str(output))}: it is a directory")
    if known.filed is Filed.FOLDER and output and output.is_dir() and any(output.iterdir()):
        raise click.UsageError(f"-o {printable(str(output))}: it is not empty")


def _path_of(file: Path, stack: ExitStack) -> Path:
    """Return the path of a file; of standard input that of a copy, which can be read twice."""
    if str(file) != STDIN:
        return file
    copy = stack.enter_context(NamedTemporaryFile(prefix="spanloom-"))  # noqa: SIM115  # it is
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    return Path(copy.name)


class _Output:
    """The file, the folder or standard output; a file is there once it is whole."""

    def __init__(self, known: Format, path: Path | None) -> None:
        self._format, self._path = known, path
        self._layout = Layout(known.filed)
        self._names: set[str] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._file: IO[bytes] = sys.stdout.buffer
        if self._path is None:
            return self
        if self._format.filed is Filed.FOLDER or self._format.named:
            self._path.mkdir(parents=True, exist_ok=True)
        if self._format.filed is not Filed.FOLDER:
            self._target = self._path / self._format.named if self._format.named else self._path
            self._partial = self._target.with_name(f"{self._target.name}.partial")
            self._file = self._stack.enter_context(self._partial.open("wb+"))
            self._stack.callback(self._partial.unlink, missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, trace_id: str, project: str, body: bytes) -> None:
        """Write a run."""
        if self._path is not None and self._format.filed is Filed.FOLDER:
            self._file_of(trace_id, project).write_bytes(body)
        else:
            self._file.write(self._layout.add(body))

    def finish(self) -> None:
        """Write the end, and put the file in its place."""
        self._file.write(self._layout.end)
        self._file.flush()
        if self._path is None or self._format.filed is Filed.FOLDER:
            return
        for name, content in self._beside():
            self._target.with_name(name).write_bytes(content)
        if self._format.has_rows and self._target.suffix == PARQUET:
            resolve_name(ROWS)(self._file).replace(self._target)
        else:
            self._partial.replace(self._target)

    def _beside(self) -> Iterator[tuple[str, bytes]]:
        if self._format.beside:
            yield from resolve_name(self._format.beside)(self._target.name).items()

    def _file_of(self, trace_id: str, project: str) -> Path:
        """Return a path that no run before had: an id may be in two projects, or in two files."""
        name, n = trace_id, 1
        while name in self._names:
            name = f"{trace_id}.{quote(project, safe='')}" + (f".{n}" if n > 1 else "")
            n += 1
        self._names.add(name)
        assert self._path is not None  # noqa: S101  # checked: a folder has a name
        return self._path / f"{name}{formats_of(Of.RUN)[self._format.line].suffix}"
