"""``spanloom annotations``: what annotators said, out into files and in from them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.client.transfer.potato import read_potato, write_task
from spanloom.core.annotation.reading import plain_scheme
from spanloom.core.showing.values import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.client.annotation_models import ImportReport
    from spanloom.client.client import Client

EXAMPLES = ("sft", "dpo")
"""Formats whose lines are corrected answers."""
AT_ONCE = 100
"""Entries of one request at most."""
STEPS_AT_ONCE = 5_000
"""Their steps, but for an entry that has more alone: the API takes twice as many."""


@click.group(
    "annotations",
    cls=TeachingGroup,
    examples=(
        "spanloom annotations scheme step_evaluation scheme.yaml",
        "spanloom annotations export > annotations.jsonl",
        "spanloom annotations export --format dpo --output preferences.jsonl",
        "spanloom annotations export --format potato --scheme potato --output task",
        "spanloom annotations import annotations.jsonl",
        "spanloom annotations import --dry-run task/annotation_output",
    ),
)
def annotations_group() -> None:
    """Take what annotators said out of a service, or bring it in."""


@annotations_group.command("export", cls=TeachingCommand)
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option("--scheme", metavar="NAME", help="Only of this scheme.")
@click.option("--annotator", metavar="NAME", help="Only by this annotator.")
@time_options("Only what was said")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "sft", "dpo", "potato"]),
    default="jsonl",
    show_default=True,
    help="A line for each annotator and run; corrected answers as examples to tune on, or with"
    " the original to prefer them; or the folder of a task for Potato.",
)
@click.option("--run", "runs", metavar="TRACE", multiple=True, help="Also these runs in the task.")
@click.option("--with-agents", is_flag=True, help="Agents' own rows are steps of the task too.")
@click.option(
    "--output", type=click.Path(path_type=Path), help="The file or folder; else standard output."
)
@client_option
def export_command(
    client: Client,
    form: str,
    runs: Sequence[str],
    with_agents: bool,
    output: Path | None,
    **asked: Any,
) -> None:
    """Write annotations as lines of JSON, or runs and annotations as a task for Potato."""
    entries = client.annotation_entries(**asked, form=form if form in EXAMPLES else None)
    if form == "potato":
        if output is None:
            raise click.UsageError("--format potato writes a folder: name it with --output")
        _export_task(client, asked["project"], entries, runs, output, with_agents=with_agents)
        return
    lines = b"".join(orjson.dumps(entry) + b"\n" for entry in entries)
    if output is None:
        sys.stdout.write(lines.decode())
    else:
        output.write_bytes(lines)
    if form in EXAMPLES:
        counts = client.annotation_corrections(**asked)
        said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        click.echo(f"corrections: {said or 'none'}".replace("_", " "), err=True)


@annotations_group.command("import", cls=TeachingCommand)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--project", metavar="NAME", help="The project of the runs.")
@click.option(
    "--items",
    type=click.Path(path_type=Path),
    help="Potato's items, which name our steps; else items.json beside the files.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be stored.")
@client_option
def import_command(
    client: Client, files: Sequence[Path], project: str | None, items: Path | None, dry_run: bool
) -> None:
    """Bring annotations in: lines as `export` writes them, or Potato's files.

    Of Potato's those are user_state.json, or a folder of them, its CSV and the JSON of agent_eval.
    The same file twice adds nothing. Ends with 1 if an entry was not taken.
    """
    is_refused = False
    for file in (*files, *([items] if items else ())):
        if not file.exists():
            raise click.UsageError(f"{printable(str(file))}: there is no such file")
    for file in files:
        try:
            entries = iter(list(_read(file, items)))
        except (ValueError, OSError, KeyError) as error:
            raise click.ClickException(f"{printable(str(file))}: {error}") from error
        for some in requests_of(entries):
            report = client.import_annotations(some, project=project, dry_run=dry_run)
            _say(file, report, some)
            is_refused |= bool(report.refused)
    if is_refused:
        click.get_current_context().exit(1)


@annotations_group.command("scheme", cls=TeachingCommand)
@click.argument("name", metavar="NAME")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--project", metavar="NAME", help="The project that is to have it.")
@client_option
def scheme_command(client: Client, name: str, file: Path, project: str | None) -> None:
    """Store the scheme of that name in a file: Potato's YAML as it is, or JSON.

    Says which lines are not understood; what cannot be meant is refused with its line.
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
    wanted: list[Any] = [schemes[name] for name in sorted(used) if name in schemes]
    users = write_task(output, documents, wanted, entries, with_agents=with_agents)
    click.echo(f"{counted(len(ids), 'run')} and {counted(users, 'user')} in {output}")


def requests_of(entries: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield entries as many at a time as one request may bring."""
    some: list[dict[str, Any]] = []
    steps = 0
    for entry in entries:
        more = len(entry.get("steps") or ()) + 1
        if some and (len(some) == AT_ONCE or steps + more > STEPS_AT_ONCE):
            yield some
            some, steps = [], 0
        some.append(entry)
        steps += more
    if some:
        yield some


def _read(file: Path, items: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the entries of a file: lines of ours, or whatever Potato writes."""
    if file.is_file() and file.suffix in (".jsonl", ".ndjson"):
        yield from (orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip())
    else:
        yield from read_potato([file], items)


def _say(file: Path, report: ImportReport, entries: Sequence[dict[str, Any]]) -> None:
    would = "would be " if report.dry_run else ""
    click.echo(
        f"{printable(file.name)}: {counted(report.added, 'annotation')} {would}added,"
        f" {report.there:,} there already"
    )
    for finding in (*report.refused, *report.flags):
        click.echo(f"  {_place(entries[finding.line - 1])}: {printable(finding.detail)}", err=True)


def _place(entry: dict[str, Any]) -> str:
    return printable(f"{entry.get('annotator', '')} on {entry.get('trace_id', '')}")
