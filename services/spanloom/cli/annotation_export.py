"""``spanloom annotations export``: annotations as JSON lines, as a table, or for Potato."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import TeachingCommand
from spanloom.client.calls.annotations import annotation_table
from spanloom.client.transfer.potato import write_task
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of
from spanloom.core.showing.values import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.client.client import Client
    from spanloom.client.request import Call

_FORMATS = formats_of(Of.ANNOTATIONS, Via.SHELL)


@click.command("export", cls=TeachingCommand)
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option("--scheme", metavar="NAME", help="Only of this scheme.")
@click.option("--annotator", metavar="NAME", help="Only by this annotator.")
@time_options("Only what was said")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FORMATS)),
    default="jsonl",
    show_default=True,
    help="A line for each annotator and run; a table with a row for each step; corrected answers"
    " as examples to tune on, or with the original to prefer them; runs as Invariant Explorer or"
    " Snorkel read them; or the folder of a task for Potato.",
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
    """Write annotations as lines of JSON or a table, or with their runs as a task for Potato."""
    chosen = _FORMATS[form]
    if Via.QUERY not in chosen.via and Via.ACCEPT in chosen.via:
        _export_table(client.copy, annotation_table(chosen.media_type, **asked), output)
        return
    entries = client.annotation_entries(**asked, form=form if Via.QUERY in chosen.via else None)
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
    if chosen.counts_corrections:
        counts = client.annotation_corrections(**asked)
        said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        click.echo(f"corrections: {said or 'none'}".replace("_", " "), err=True)


def _export_table(
    copy: Callable[[Call[bytes], IO[bytes]], None], call: Call[bytes], output: Path | None
) -> None:
    if output is not None:
        with output.open("wb") as file:
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
    wanted: list[Any] = [schemes[name] for name in sorted(used) if name in schemes]
    users = write_task(output, documents, wanted, entries, with_agents=with_agents)
    click.echo(f"{counted(len(ids), 'run')} and {counted(users, 'user')} in {output}")
