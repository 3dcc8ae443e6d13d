"""Completion of values without a fixed set of choices: values of the service's newest runs."""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from spanloom.cli.completing_fields import OFFERS, ask_briefly
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN
from spanloom.core.records.run_filters import run_shorts
from spanloom.core.showing.values import printable, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import click

    from spanloom.core.records.run import Run

RUNS = 200
"""Number of the newest runs whose values are offered."""
PLACES: Mapping[str, str] = {
    f"--{name.replace('_', '-')}": RUN.field_of(name)
    for name in ("project", *run_shorts())
    if name in RUN_FIELDS and RUN_FIELDS[name].type is FieldType.TEXT
}
"""Option → the field of runs whose values complete it."""
ITEMS: Mapping[str, str] = {
    "list": "spanloom.core.records.run:Run",
    "search": "spanloom.core.records.hit:Hit",
    "conversations": "spanloom.core.records.conversation:ConversationItem",
    "fields": "spanloom.core.records.field:FieldItem",
    "views list": "spanloom.core.records.saved_view:ViewItem",
}
"""Command → the model of the items it lists, imported only for completion."""
TRACE_IDS = frozenset({"trace_id", "a", "b"})
"""Arguments that name a run."""


def offer_values(param: click.Parameter) -> None:
    """Set the completion of a parameter, by its flags or name: values, columns or trace ids."""
    places = [PLACES[flag] for flag in param.opts if flag in PLACES]
    if places:
        param.shell_complete = partial(_names, places[0])  # type: ignore[method-assign]
    elif offers := [OFFERS[flag] for flag in param.opts if flag in OFFERS]:
        param.shell_complete = offers[0]  # type: ignore[assignment,method-assign]
    elif "--columns" in param.opts:
        param.shell_complete = _columns  # type: ignore[method-assign]
    elif param.param_type_name == "argument" and param.name in TRACE_IDS:
        param.shell_complete = _trace_ids  # type: ignore[method-assign]


def _names(place: str, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    values = {name: None for run in _newest(ctx) for name in _values(run, place)}
    return [
        CompletionItem(name)
        for name in values
        if name.startswith(incomplete) and name == printable(name)
    ]


def _trace_ids(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Offer `latest`, and the ids of the newest runs, each with its question."""
    latest = CompletionItem("latest", help="the run that began last")
    runs = (
        CompletionItem(run.trace_id, help=shortened(run.question or run.root_name, 60))
        for run in _newest(ctx)
    )
    return [item for item in (latest, *runs) if str(item.value).startswith(incomplete.lower())]


def _columns(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Offer the columns of the command's items, after the columns already typed."""
    before, comma, part = incomplete.rpartition(",")
    path = (
        ctx.command_path.partition(" ")[2] or ctx.info_name
    )  # the path lacks the program if the command is not run as a subcommand
    named = ITEMS.get(path or "")
    names = resolve_name(named).model_fields if named else ()
    return [CompletionItem(before + comma + name) for name in names if name.startswith(part)]


def _newest(ctx: click.Context) -> list[Run]:
    project = ctx.params.get("project")
    runs = ask_briefly(ctx, lambda client: list(client.trajectories(limit=RUNS, project=project)))
    return runs or []


def _values(run: Run, place: str) -> Iterator[str]:
    value = getattr(run, place)
    yield from (value if isinstance(value, list) else [value] if value else [])
