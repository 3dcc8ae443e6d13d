"""``spanloom steps``: lists steps of many runs as rows, with their texts on request."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.arguments import order_option, run_filters
from spanloom.cli.client import client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, give_rows, rows_output
from spanloom.cli.using_views import STEPS, narrowed, together, view_option, view_parameters
from spanloom.client.errors import NotFoundError
from spanloom.core.document import Document
from spanloom.terminal.numbers_table import render_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.client.client import Client

    Row = dict[str, Any]  # JSON values

NOTHING = "No steps; filters may hide what there is, `spanloom fields --of steps` lists them."
_SHORT = "trace_id,step_id,type,name,agent_name,duration,model,error_message"
_KEYS = frozenset({"trace_id", "project", "step_id"})
"""Columns by which the texts of a step are found."""


@click.command(
    "steps",
    cls=TeachingCommand,
    examples=(
        "spanloom steps 'type = tool and error' --since 1d",
        "spanloom steps 'type = tool and error' --texts --csv > failed_calls.csv",
        "spanloom steps 'type = model' --order -cost --since 7d",
        "spanloom steps 'type = model and duration > 10s' --where 'environment = \"production\"'",
        "spanloom steps 'tool = \"search\"' --fields trace_id,duration,error_message",
    ),
)
@click.argument("query", metavar="[QUERY]", required=False)
@run_filters
@order_option
@view_option
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number to list."
)
@click.option(
    "--fields", "--columns", "fields", metavar="NAMES", help="Only these columns: name,duration."
)
@click.option(
    "--texts", is_flag=True, help="Also the inputs and outputs: arguments, results, messages."
)
@click.option("--fail-empty", is_flag=True, help="Exit with 1 if the list is empty.")
@rows_output
@client_option
def steps_command(
    *,
    query: str | None,
    filters: dict[str, Any],
    order: str | None,
    view: str | None,
    limit: int,
    fields: str | None,
    texts: bool,
    fail_empty: bool,
    form: Form,
    client: Client,
) -> None:
    """List steps, newest run first: model calls, tool runs, agents, graph nodes.

    QUERY selects the steps, in the language of `--where`; --where and the other filters select
    their runs. `spanloom fields --of steps` lists the fields. Show a step with
    `spanloom show TRACE_ID STEP_ID`.
    """
    parameters = view_parameters(client, STEPS, view, filters["project"])
    filters = narrowed(filters, parameters, "run_where")
    query, order = together(query, parameters.get("where")), order or parameters.get("order")
    run_where = filters.pop("where", None)
    listed = client.steps(query, run_where=run_where, order=order, limit=limit, **filters)
    names = fields or (_SHORT if form is Form.TABLE else None)
    rows: Iterable[Row] = listed.rows(names and _with_keys(names) if texts else names)
    if texts:
        rows = _without(_KEYS - _names(names), _with_texts(rows, client), names)
    give_rows(rows, partial(render_rows, nothing=NOTHING), form=form, must_find=fail_empty)


def _names(fields: str | None) -> set[str]:
    return {name.strip() for name in (fields or "").split(",")} - {""}


def _with_keys(fields: str) -> str:
    return ",".join([fields, *sorted(_KEYS - _names(fields))])


def _without(hidden: frozenset[str], rows: Iterable[Row], fields: str | None) -> Iterator[Row]:
    """Yield the rows without the ``hidden`` columns; all columns if ``fields`` selects none."""
    for row in rows:
        yield {name: row[name] for name in row if not fields or name not in hidden}


def _with_texts(rows: Iterable[Row], client: Client) -> Iterator[Row]:
    """Yield the rows with ``input`` and ``output``; consecutive steps share their run's document.

    A few documents are cached, because in an order by a value steps of several runs alternate.
    """
    texts_of = lru_cache(maxsize=8)(partial(_texts_of, client))
    for (trace_id, project), steps in groupby(rows, lambda row: (row["trace_id"], row["project"])):
        texts = texts_of(trace_id, project)
        for row in steps:
            input_text, output_text = texts.get(row["step_id"], (None, None))
            yield {**row, "input": input_text, "output": output_text}


def _texts_of(client: Client, trace_id: str, project: str) -> Mapping[str, tuple[str, str]]:
    """Return input and output by step; none if the run has been deleted since."""
    try:
        document = orjson.loads(client.document(trace_id, project=project))
    except NotFoundError:
        return {}
    return {id_: (step.input, step.output) for id_, step in Document(document).by_id().items()}
