"""What the commands share that read files of any format, or report on what became of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from spanloom.client.errors import ClientError
from spanloom.client.transfer.items import find_source
from spanloom.client.transfer.parts import UnreadableTableError
from spanloom.core.exchange.sources import OTHER_NAMES, SeveralFitError, readable
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.exchange.reports import Report
    from spanloom.core.exchange.sources import Source

Command = TypeVar("Command", bound="Callable[..., Any]")


class FormatName(click.Choice[str]):
    """The id of a format; that of a document may stand for its file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id; raises ``click.BadParameter`` for an unknown one."""
        name = OTHER_NAMES.get(value, value)
        known: str = super().convert(name if name in self.choices else value, param, ctx)
        return known


def from_option(flag: str) -> Callable[[Command], Command]:
    """Add the option that names the format of files, passed on as ``source``."""
    known = readable()
    return click.option(
        flag,
        "source",
        type=FormatName(list(known)),
        help="What the files are; else the shape of their first value decides, never their name. "
        "canonical is jsonl.",
    )


def report_option(command: Command) -> Command:
    """Add ``--report``."""
    return click.option(
        "--report",
        metavar="FILE",
        type=click.Path(dir_okay=False, writable=True, path_type=Path),
        help="Write there, as JSON, what became of every item and what was lost.",
    )(command)


def source_of_file(path: Path, named: str | None, flag: str) -> Source:
    """Return the format of a file; raises ``click.UsageError`` if there is none, or several."""
    shown = printable(str(path))
    if path.is_dir():
        raise click.UsageError(f"{shown}: it is a directory; name the files in it")
    if not path.is_file():
        raise click.UsageError(f"{shown}: there is no such file")
    try:
        return find_source(path, named or "")
    except SeveralFitError as error:
        raise click.UsageError(
            f"{shown}: its shape fits {' and '.join(error.ids)}; say which by {flag}"
        ) from None
    except UnreadableTableError as error:
        raise click.UsageError(printable(str(error))) from None
    except ClientError as error:  # a library is not installed
        raise click.ClickException(printable(str(error))) from None
    except OSError as error:
        raise click.UsageError(f"{shown}: {error.strerror}") from None


def write_report(report: Report, path: Path) -> None:
    """Write a report as one JSON object."""
    path.write_bytes(orjson.dumps(report.json(), option=orjson.OPT_INDENT_2) + b"\n")
