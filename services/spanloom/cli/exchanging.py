"""Options and checks of commands that read files of any format, or report on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from spanloom.cli.writing import check_apart, check_place, writing
from spanloom.client.transfer.items import find_source
from spanloom.core.exchange.sources import OTHER_NAMES, SeveralFitError, readable
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from spanloom.core.exchange.reports import Report
    from spanloom.core.exchange.sources import Source

Command = TypeVar("Command", bound="Callable[..., Any]")


class FormatName(click.Choice[str]):
    """The id of a format as the value of an option; another name of an offered id is accepted."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id; raises ``click.BadParameter`` for an unknown name."""
        name = OTHER_NAMES.get(value, value)
        choice: str = super().convert(name if name in self.choices else value, param, ctx)
        return choice


def from_option(flag: str) -> Callable[[Command], Command]:
    """Add the option that names the format of files, passed on as ``source``."""
    formats = readable()
    return click.option(
        flag,
        "source",
        type=FormatName(list(formats)),
        help="Format of the files; by default it is detected from their first value, never from "
        "their name. canonical is jsonl.",
    )


def report_option(command: Command) -> Command:
    """Add ``--report``."""
    return click.option(
        "--report",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write a report to this file, as JSON: the result of every item, and the losses.",
    )(command)


def source_of_file(path: Path, named: str | None, flag: str) -> Source:
    """Return the format of a file, with the reason if the file cannot be read.

    Raises ``click.UsageError`` if there is no such file, or if it matches several formats.
    """
    shown = printable(str(path))
    try:
        is_folder, is_there = path.is_dir(), path.is_file()
    except OSError as error:  # such as a name that is too long
        raise click.UsageError(f"{shown[:80]}: {error.strerror}") from None
    if is_folder:
        raise click.UsageError(f"{shown}: it is a directory; name the files in it")
    if not is_there:
        raise click.UsageError(f"{shown}: there is no such file")
    try:
        return find_source(path, named or "")
    except SeveralFitError as error:
        raise click.UsageError(
            f"{shown}: its shape fits {' and '.join(error.ids)}; say which by {flag}"
        ) from None


def check_report(
    path: Path | None, written: Mapping[str, Path], read: Collection[Path] = ()
) -> None:
    """Raise ``click.UsageError`` if ``--report`` cannot be written, or names one of these files.

    ``written`` are the other files that the command writes, by option, and ``read`` the files that
    it reads.
    """
    if path is not None:
        check_place("--report", path, may_be_device=True)
        check_apart({**written, "--report": path}, read)


def write_report(report: Report, path: Path) -> None:
    """Write a report as one JSON object; raises ``click.ClickException``."""
    with writing(path):
        path.write_bytes(orjson.dumps(report.json(), option=orjson.OPT_INDENT_2) + b"\n")
