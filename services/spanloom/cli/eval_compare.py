"""``spanloom eval compare``: the differences between two reports, with intervals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.client import patient_client_option
from spanloom.cli.eval_files import read_base
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import DOCUMENT, Form, output_option
from spanloom.cli.writing import check_apart, check_place, whole_file
from spanloom.core.errors import InvalidRequestError
from spanloom.core.showing.values import printable
from spanloom.evaluation.files.comparing import compare
from spanloom.terminal.evaluation import render_comparison
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from spanloom.client.client import Client
    from spanloom.evaluation.files.report import ReadReport


@click.command(
    "compare",
    cls=TeachingCommand,
    examples=(
        "spanloom eval compare base.report eval.report",
        "spanloom eval compare trips-1.4 eval.report",
        "spanloom eval compare base.report eval.report --json differences.report",
    ),
)
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option(
    "--json", "json_file", metavar="FILE", type=click.Path(path_type=Path), help="Write it there."
)
@click.option("--project", metavar="NAME", help="Experiments of this project.")
@lambda command: output_option(command, DOCUMENT, {})
@patient_client_option
def compare_command(
    *,
    a: Path,
    b: Path,
    json_file: Path | None,
    project: str | None,
    form: Form,
    client: Client,
) -> None:
    """Compare two reports of `eval run`, B against A, on the items that both have.

    A name that is not a file is the name of an experiment of a service.

    Passes are tested by McNemar's exact test, numbers by flipping signs; intervals are from a
    seeded bootstrap, and p-values are corrected for the number of scores. Ends with 0 whatever
    differs.
    """
    if json_file is not None:
        check_place("--json", json_file, may_be_device=True)
        check_apart({"--json": json_file}, (a, b))
    compared = compare(
        _report("A", a, client, project), _report("B", b, client, project)
    ).model_dump(mode="json")
    body = orjson.dumps(compared)
    if json_file is not None:
        with whole_file(json_file) as file:
            file.write(body + b"\n")
    if form is Form.TABLE:
        render_comparison(compared, make_console(sys.stdout))
    else:
        write_json(body, sys.stdout, indent=form is Form.JSON)


def _report(side: str, path: Path, client: Client, project: str | None) -> ReadReport:
    try:
        return read_base(path, client, project)
    except InvalidRequestError as error:
        raise click.UsageError(f"{side} {printable(str(path))}: {error}") from error
