"""``spanloom datasets``: lists, fills, freezes and copies datasets."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
import orjson

from spanloom.cli.arguments import files_argument, to_trace_id
from spanloom.cli.client import (
    annotator_option,
    client_option,
    patient_client_option,
    project_option,
)
from spanloom.cli.confirming import is_confirmed
from spanloom.cli.dataset_rows import RowItems
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.cli.output import (
    Form,
    columns_option,
    document_output,
    give_document,
    give_rows,
    rows_output,
)
from spanloom.cli.writing import check_place, whole_file, writing
from spanloom.client.calls.datasets import dataset_table
from spanloom.client.transfer.datasets import (
    PlacedItem,
    item_of_run,
    list_items,
    read_rows,
    send_items,
)
from spanloom.core.formats.entry import CSV, PARQUET
from spanloom.core.showing.values import counted, printable
from spanloom.datasets.foreign.registry import ROW_FORMATS
from spanloom.terminal.datasets import render_dataset, render_datasets
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.client.client import Client
    from spanloom.client.transfer.datasets import SentItems

Command = TypeVar("Command", bound="Callable[..., None]")
_TABLES = {"csv": CSV, "parquet": PARQUET}
_MOST_SHOWN = 20


def parse_name(text: str) -> tuple[str, int | None]:
    """Return name and version of ``NAME[@VERSION]``; raises ``click.UsageError``."""
    name, sign, number = text.partition("@")
    if not name or (sign and not (number.isascii() and number.isdecimal() and int(number))):
        raise click.UsageError(f"{printable(text)}: write NAME or NAME@VERSION, such as trips@1")
    return name, int(number) if sign else None


@click.group(
    "datasets",
    cls=TeachingGroup,
    examples=(
        "spanloom datasets list",
        "spanloom datasets import trips trips.jsonl",
        "spanloom datasets import trips agent.evalset.json --format adk",
        "spanloom datasets add trips 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom datasets commit trips",
        "spanloom datasets show trips",
        "spanloom datasets export trips@1 > trips.jsonl",
        "spanloom eval run eval.yaml --dataset trips@1",
    ),
)
def datasets_group() -> None:
    """Fill datasets with items, freeze them as versions, copy them.

    Items are added to the draft of a dataset; a commit freezes it as the next version, which never
    changes. A dataset is created with its first items.
    """


@datasets_group.command("list", cls=TeachingCommand)
@project_option
@columns_option
@rows_output
@client_option
def list_command(
    *, project: str | None, columns: Sequence[str], form: Form, client: Client
) -> None:
    """List the datasets of a project by name."""
    rows = (one.model_dump(mode="json") for one in client.datasets(project=project))
    give_rows(rows, render_datasets, form=form, columns=columns)


@datasets_group.command("show", cls=TeachingCommand)
@click.argument("name")
@project_option
@document_output
@client_option
def show_command(*, name: str, project: str | None, form: Form, client: Client) -> None:
    """Show a dataset with its versions."""
    dataset = client.dataset(name, project=project).model_dump(mode="json")
    give_document(dataset, render_dataset, form=form)


@datasets_group.command("add", cls=TeachingCommand)
@click.argument("name")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True)
@click.option(
    "--input",
    "is_input",
    is_flag=True,
    help="Only the inputs, to be run again: no expected values.",
)
@project_option
@annotator_option
@patient_client_option
def add_command(
    *,
    name: str,
    traces: Sequence[str],
    is_input: bool,
    project: str | None,
    annotator: str | None,
    client: Client,
) -> None:
    """Add stored runs to the draft of a dataset; what they did is the expected result.

    The document of a run is copied: the item stays when the run is deleted.
    """
    trace_ids = [_trace_id(text) for text in traces]

    def items() -> Iterator[PlacedItem]:
        for trace_id in trace_ids:
            document = orjson.loads(client.document(trace_id, project=project))
            yield PlacedItem(trace_id, item_of_run(document, is_input=is_input))

    rows = list(items())
    client.put_dataset(name, project=project, annotator=annotator)
    _end(name, send_items(client, name, rows, project))


@datasets_group.command("import", cls=TeachingCommand)
@click.argument("name")
@files_argument()
@click.option(
    "--format",
    "form",
    type=click.Choice(list(ROW_FORMATS)),
    help="The format of the rows; by default it is detected.",
)
@project_option
@annotator_option
@patient_client_option
def import_command(
    *,
    name: str,
    files: Sequence[Path],
    form: str | None,
    project: str | None,
    annotator: str | None,
    client: Client,
) -> None:
    """Add the rows of files to the draft of a dataset.

    A row is an item, as `export` writes it, or one of Coze Loop's evaluation sets, Google's ADK,
    Databricks, MLflow or LangSmith. Importing a file twice changes nothing. Ends with 1 if a row
    was refused.
    """
    for file in files:
        if not file.is_file():
            raise click.UsageError(f"{printable(str(file))}: there is no such file")
    client.put_dataset(name, project=project, annotator=annotator)
    row_items = RowItems(ROW_FORMATS[form] if form else None)
    rows = row_items.items(row for file in files for row in read_rows(file))
    done = send_items(client, name, rows, project)
    for member, count in sorted(row_items.left_out.items()):
        click.echo(f"  {member}: left out of {counted(count, 'row')}, as items have none", err=True)
    _end(name, done)


@datasets_group.command("commit", cls=TeachingCommand)
@click.argument("name")
@project_option
@annotator_option
@client_option
def commit_command(
    *, name: str, project: str | None, annotator: str | None, client: Client
) -> None:
    """Freeze the draft as the next version, and print it: `trips@2`.

    If the draft is unchanged, the last version is printed.
    """
    version = client.commit_dataset(name, project=project, annotator=annotator)
    click.echo(f"{printable(name)}@{version.version}")


@datasets_group.command("delete", cls=TeachingCommand)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@project_option
@annotator_option
@client_option
def delete_command(
    *, name: str, yes: bool, project: str | None, annotator: str | None, client: Client
) -> None:
    """Delete a dataset with its draft, all versions and the copies of runs in them.

    With keys it needs the scope admin. The name can be used again within a minute.
    """
    dataset = client.dataset(name, project=project)
    size = f"{counted(dataset.draft_items, 'item')} and {counted(len(dataset.versions), 'version')}"
    click.echo(f"{printable(name)} with {size} will be deleted", err=True)
    if is_confirmed(yes=yes):
        client.delete_dataset(name, project=project, annotator=annotator)


@datasets_group.command("export", cls=TeachingCommand)
@click.argument("name", metavar="NAME[@VERSION]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", *_TABLES]),
    default="jsonl",
    show_default=True,
    help="One line of JSON for each item, or a table.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file; by default standard output."
)
@project_option
@patient_client_option
def export_command(
    *, name: str, form: str, output: Path | None, project: str | None, client: Client
) -> None:
    """Write the items of a version, or of the draft, into a file."""
    named, version = parse_name(name)
    where: dict[str, Any] = {"version": version, "project": project}
    if output is not None:
        check_place("-o", output, may_be_device=True)
        with whole_file(output) as file:
            _write(client, named, where, form, file)
        return
    if form == "parquet" and sys.stdout.isatty():
        raise click.UsageError("a table is for a file: name it with --output, or use a pipe")
    with writing(None):
        _write(client, named, where, form, sys.stdout.buffer)


def _write(client: Client, name: str, where: dict[str, Any], form: str, file: IO[bytes]) -> None:
    if form == "jsonl":
        for row in list_items(client, name, **where):
            file.write(orjson.dumps(row) + b"\n")
        return
    with TemporaryFile() as whole:  # a try that fails halfway starts the file again
        client.copy(dataset_table(name, _TABLES[form], **where), whole)
        whole.seek(0)
        copyfileobj(whole, file)


def _trace_id(text: str) -> str:
    trace_id = to_trace_id(click.get_current_context(), click.Argument(["traces"]), text)
    assert trace_id is not None  # noqa: S101  # it is a text
    return trace_id


def _end(name: str, done: SentItems) -> None:
    """Print how many items were stored, and exit with 1 if one was rejected."""
    if sys.stdout.isatty():
        click.echo(
            f"{counted(done.stored, 'item')} stored in the draft of {printable(name)}, "
            f"{done.unchanged:,} unchanged"
        )
    else:
        result = {"dataset": name, **asdict(done)}
        write_json(orjson.dumps(result), sys.stdout, indent=False)
    for one in done.refused[:_MOST_SHOWN]:
        click.echo(f"  {printable(one['place'])}: {printable(one['reason'])}", err=True)
    if done.rejected:
        click.get_current_context().exit(1)
