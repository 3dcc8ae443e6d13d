"""``spanloom annotations``: imports annotations from files and exports them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.arguments import files_argument
from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.cli.writing import check_place, whole_file, writing
from spanloom.client.calls.annotations import annotation_table
from spanloom.client.transfer.entries import read_entries
from spanloom.client.transfer.potato import write_task
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.values import counted, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.client.client import Client
    from spanloom.client.request import Call
    from spanloom.core.records.scheme import ImportReport


_FORMATS = formats_of(Of.ANNOTATIONS, Via.SHELL)


@click.command("export", cls=TeachingCommand)
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option("--scheme", metavar="NAME", help="Only of this scheme.")
@click.option("--annotator", metavar="NAME", help="Only by this annotator.")
@time_options("Only annotations made")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FORMATS)),
    default="jsonl",
    show_default=True,
    help="One line for each annotator and run; a table with one row for each step; corrected "
    "answers for fine-tuning (sft), or with the original answers as preferences (dpo); runs for "
    "Invariant Explorer or Snorkel; or the folder of a task for Potato.",
)
@click.option(
    "--run", "runs", metavar="TRACE", multiple=True, help="Also include these runs in the task."
)
@click.option(
    "--with-agents", is_flag=True, help="Also include the rows of agents as steps of the task."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="The file or folder; by default standard output.",
)
@client_option
def export_command(
    client: Client,
    form: str,
    runs: Sequence[str],
    with_agents: bool,
    output: Path | None,
    **filters: Any,
) -> None:
    """Write annotations as lines of JSON or a table, or with their runs as a task for Potato."""
    chosen = _FORMATS[form]
    if output is not None:
        check_place("--output", output, is_folder=not chosen.suffix, may_be_device=True)
    if Via.QUERY not in chosen.via and Via.ACCEPT in chosen.via:
        _export_table(client.copy, annotation_table(chosen.media_type, **filters), output)
        return
    entries = client.annotation_entries(**filters, form=form if Via.QUERY in chosen.via else None)
    if form == "potato":
        if output is None:
            raise click.UsageError("--format potato writes a folder: name it with --output")
        _export_task(client, filters["project"], entries, runs, output, with_agents=with_agents)
        return
    lines = b"".join(orjson.dumps(entry) + b"\n" for entry in entries)
    if output is None:
        sys.stdout.write(lines.decode())
    else:
        with whole_file(output) as file:
            file.write(lines)
    if chosen.counts_corrections:
        counts = client.annotation_corrections(**filters)
        summary = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        click.echo(f"corrections: {summary or 'none'}".replace("_", " "), err=True)


def _export_table(
    copy: Callable[[Call[bytes], IO[bytes]], None], call: Call[bytes], output: Path | None
) -> None:
    if output is not None:
        with whole_file(output) as file:
            copy(call, file)
    elif sys.stdout.isatty():
        raise click.UsageError("a table is for a file: name it with --output, or use a pipe")
    else:
        copy(call, sys.stdout.buffer)


def _export_task(
    client: Client,
    project: str | None,
    entries: list[dict[str, Any]],
    runs: Sequence[str],
    output: Path,
    *,
    with_agents: bool,
) -> None:
    ids = list(dict.fromkeys([*(entry["trace_id"] for entry in entries), *runs]))
    documents = (orjson.loads(client.document(i, project=project)) for i in ids)
    used = {entry["scheme"] for entry in entries}
    schemes = {s.name: plain_scheme(s.text, s.name) for s in client.schemes(project=project)}
    used_schemes: list[Any] = [schemes[name] for name in sorted(used) if name in schemes]
    with writing(output):
        users = write_task(output, documents, used_schemes, entries, with_agents=with_agents)
    click.echo(f"{counted(len(ids), 'run')} and {counted(users, 'user')} in {output}")


AT_ONCE = 100
"""Maximum number of entries in a request."""
STEPS_AT_ONCE = 5_000
"""Maximum number of steps in a request, unless one entry has more; the API accepts 10,000."""


@click.group(
    "annotations",
    cls=TeachingGroup,
    examples=(
        "spanloom annotations scheme step_evaluation scheme.yaml",
        "spanloom annotations export > annotations.jsonl",
        "spanloom annotations export --format parquet --output annotations.parquet",
        "spanloom annotations export --format dpo --output preferences.jsonl",
        "spanloom annotations export --format potato --scheme potato --output task",
        "spanloom annotations import annotations.jsonl",
        "spanloom annotations import --dry-run task/annotation_output",
    ),
)
def annotations_group() -> None:
    """Export annotations from a service, or import them."""


annotations_group.add_command(export_command)


@annotations_group.command("import", cls=TeachingCommand)
@files_argument()
@click.option("--project", metavar="NAME", help="The project of the runs.")
@click.option(
    "--items",
    type=click.Path(path_type=Path),
    help="Potato's items.json, which has the ids of steps; by default the one next to the files.",
)
@click.option("--dry-run", is_flag=True, help="Only report what would be stored.")
@client_option
def import_command(
    client: Client, files: Sequence[Path], project: str | None, items: Path | None, dry_run: bool
) -> None:
    """Import annotations: lines of `export`, or Potato's files.

    Files of Potato are user_state.json, or a folder of them, its CSV and the JSON of agent_eval.
    Importing a file twice adds nothing. Ends with 1 if an entry was refused.
    """
    is_refused = False
    for file in (*files, *([items] if items else ())):
        if not file.exists():
            raise click.UsageError(f"{printable(str(file))}: there is no such file")
    for file in files:
        entries, refused = read_entries(file, items)
        is_refused |= bool(refused)
        for one in refused:
            click.echo(printable(f"{file}: {one.place}: {one.reason}"), err=True)
        for some in requests_of(iter(entries)):
            report = client.import_annotations(some, project=project, dry_run=dry_run)
            _print_report(file, report, some)
            is_refused |= bool(report.refused)
    if is_refused:
        click.get_current_context().exit(1)


@annotations_group.command("scheme", cls=TeachingCommand)
@click.argument("name", metavar="NAME")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--project", metavar="NAME", help="The project that gets the scheme.")
@client_option
def scheme_command(client: Client, name: str, file: Path, project: str | None) -> None:
    """Store the scheme of that name in a file: Potato's YAML as it is, or JSON.

    Names the lines that are not understood; an invalid scheme is refused with the line.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{printable(str(file))}: {error}") from error
    put = client.put_scheme(name, text, project=project)
    click.echo(f"{printable(put.name)} stored: {counted(len(put.remarks), 'remark')}")
    for remark in put.remarks:
        place = f"  line {remark.line}, {printable(remark.key)}"
        click.echo(f"{place}: {printable(remark.reason)}", err=True)


def requests_of(entries: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield batches of entries, each as large as one request may be."""
    some: list[dict[str, Any]] = []
    steps = 0
    for entry in entries:
        listed = entry.get("steps")
        more = (len(listed) if isinstance(listed, list) else 0) + 1
        if some and (len(some) == AT_ONCE or steps + more > STEPS_AT_ONCE):
            yield some
            some, steps = [], 0
        some.append(entry)
        steps += more
    if some:
        yield some


def _print_report(file: Path, report: ImportReport, entries: Sequence[dict[str, Any]]) -> None:
    would = "would be " if report.dry_run else ""
    click.echo(
        f"{printable(file.name)}: {counted(report.added, 'annotation')} {would}added,"
        f" {report.there:,} there already"
    )
    for finding in (*report.refused, *report.flags):
        click.echo(f"  {_place(entries[finding.line - 1])}: {printable(finding.detail)}", err=True)


def _place(entry: dict[str, Any]) -> str:
    return printable(f"{entry.get('annotator', '')} on {entry.get('trace_id', '')}")
