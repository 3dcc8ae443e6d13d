"""The options that choose runs, for every command that takes many."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from spanloom.cli.client import to_milliseconds
from spanloom.core.model.trajectory import Outcome, Status

if TYPE_CHECKING:
    from collections.abc import Callable

Filters = dict[str, Any]
"""What was typed, by the names of ``Client.trajectories``; what was not is left out."""


def run_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options, and hand the command ``filters``."""

    @wraps(command)
    def with_filters(*args: Any, **kwargs: Any) -> None:
        typed = {name: kwargs.pop(name) for name in _NAMES}
        filters = {name: value for name, value in typed.items() if value is not None}
        if kwargs.pop("everything"):
            filters |= {"is_duplicate": None}
        else:
            filters |= {"is_duplicate": False, "has_steps": True}
        command(*args, filters=filters, **kwargs)

    for option in reversed(_OPTIONS):
        with_filters = option(with_filters)
    return with_filters


def to_moment(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return the text; raises ``click.BadParameter`` for what is no time."""
    to_milliseconds(ctx, param, text)
    return text


def _named(flag: str, name: str, what: str, metavar: str = "NAME") -> Callable[..., Any]:
    return click.option(flag, name, metavar=metavar, help=what)


_OPTIONS = (
    _named("--project", "project", "Only of this project."),
    click.option("--where", metavar="QUERY", help="Only runs for which this holds."),
    click.option(
        "--since",
        metavar="WHEN",
        callback=to_moment,
        help="Started at or after: 30m, 2h or 7d ago, a date, a time.",
    ),
    click.option(
        "--until", metavar="WHEN", callback=to_moment, help="Started before; like --since."
    ),
    click.option(
        "--status", type=click.Choice([str(one) for one in Status]), help="Only in this status."
    ),
    _named("--root", "root_name", "Only runs whose root has this name."),
    _named("--agent", "agent_name", "Only runs in which this agent took part."),
    _named("--model", "model", "Only runs in which this model was called."),
    _named("--service", "service", "Only with spans of this service."),
    _named("--environment", "environment", "Only of this environment: production."),
    _named("--user", "user_id", "Only for this user.", "ID"),
    _named("--tag", "tag", "Only with this tag.", "TAG"),
    _named("--conversation", "conversation_id", "Only of this conversation.", "ID"),
    click.option(
        "--errors/--no-errors",
        "has_error",
        default=None,
        help="Only those that failed, or did not.",
    ),
    click.option(
        "--outcome",
        type=click.Choice([str(one) for one in Outcome]),
        help="Only those that went like this.",
    ),
    click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Also runs that repeat another, and traces without a step: health checks and the "
        "like.",
    ),
    click.option(
        "--order",
        metavar="FIELD",
        help="In this order in place of the newest first: -duration is the longest first.",
    ),
)
_NAMES = (
    *("project", "where", "since", "until", "status", "root_name", "agent_name", "model"),
    *("service", "environment", "user_id", "tag", "conversation_id", "has_error", "outcome"),
    "order",
)
