"""``spanloom export --of`` and ``--no-texts``: the rows of a list as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.writing import check_place, whole_file
from spanloom.client.calls.lists import steps, trajectories
from spanloom.client.calls.scores import score_table
from spanloom.core.formats.entry import PARQUET
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from spanloom.client.client import Client
    from spanloom.client.request import Call

RUNS, STEPS, SCORES = "runs", "steps", "scores"
_FORMAT = "parquet"


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--of`` and ``--no-texts``."""
    command = click.option(
        "--no-texts",
        is_flag=True,
        help=f"Without the documents: --format {_FORMAT} has only the metrics of runs.",
    )(command)
    return click.option(
        "--of",
        "subject",
        type=click.Choice([RUNS, STEPS, SCORES]),
        default=RUNS,
        show_default=True,
        help=f"Rows of --format {_FORMAT}; rows of steps and scores have the columns of the API. "
        "Filters select the runs of steps; scores are selected by --project.",
    )(command)


def call_of(
    subject: str, format_id: str, filters: Mapping[str, Any], query: Mapping[str, Any]
) -> Call[bytes]:
    """Return the API call that returns the rows; ``query`` has ``words``, ``order``, ``limit``.

    Raises ``click.UsageError`` for options that these rows do not support.
    """
    if format_id != _FORMAT:
        raise click.UsageError(f"--of {STEPS}, --of {SCORES} and --no-texts: --format {_FORMAT}")
    if subject == RUNS:
        return trajectories(**query, **filters).as_table(PARQUET)
    options = {f"--{name}" for name, value in query.items() if value is not None}
    if subject == STEPS:
        _refuse(subject, options - {"--limit", "--order"})
        of_runs = {name: value for name, value in filters.items() if name != "where"}
        of_steps = {name: query[name] for name in ("limit", "order")}
        listed = steps(run_where=filters.get("where"), **of_steps, **of_runs)
        return listed.as_table(PARQUET)
    preset = {"duplicate", "has_steps", "project"}
    options |= {f"--{n}" for n, value in filters.items() if n not in preset and value is not None}
    _refuse(subject, options)
    return score_table(PARQUET, project=filters.get("project"))


def _refuse(subject: str, given: set[str]) -> None:
    if given:
        raise click.UsageError(f"--of {subject} has no {min(given)}")


def write_table(client: Client, call: Call[bytes], path: Path) -> bytes:
    """Write the rows into a file; return its path, format and size in bytes as JSON."""
    check_place("-o", path)
    with whole_file(path) as file:
        client.copy(call, file)
    size = path.stat().st_size
    return orjson.dumps({"file": printable(str(path)), "format": _FORMAT, "bytes": size})
